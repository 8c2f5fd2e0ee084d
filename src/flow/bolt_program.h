/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which llvm-bolt is used: where it is, its release, and what that release can do.
 */
#ifndef FLOW_BOLT_PROGRAM_H
#define FLOW_BOLT_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

#include "src/base/error.h"
#include "src/base/text.h"

/* Things that llvm-bolt can do since some release. */
enum bolt_feature {
	BOLT_READS_PROFILES, /* fdata and YAML, and it writes tables (-enable-bat) */
	BOLT_CDSORT,         /* -reorder-functions=cdsort, which was hfsort+ before */
	BOLT_WRITES_HASHES,  /* its tables have hashes of blocks, which YAML profiles need */
};

/* The first release that has it. */
unsigned bolt_release_with(enum bolt_feature feature);

struct bolt_program {
	char path[PATH_MAX];
	/* As bolt_program_ask() finds them. */
	char version[32];              /* "22.1.8", "24.0.0git" */
	unsigned release;              /* 22 */
	bool x86_64, aarch64, riscv64; /* machines that it has a target for */
};

/* The name that this program was called by, before anything else. */
void bolt_called_as(const char *path);

/* Finds llvm-bolt: `given` (--llvm-bolt=PATH, or NULL), else $LLVM_BOLT, else next to the name that
 * this program was called by, as llvm-bolt or llvm-bolt-N in PATH, and where Debian has it; of
 * several N the newest, and none before `feature`.  Sets the path only, runs nothing.  BC_NOTFOUND
 */
BC_MUST_USE bool bolt_program_find(const char *given, enum bolt_feature feature,
				   struct bolt_program *out, struct bc_error *err);

/* Runs it with --version, and sets the rest.
 *
 * BC_IO           it cannot be run, does not end within a minute, or fails
 * BC_UNSUPPORTED  it does not say that it is BOLT, of which release */
BC_MUST_USE bool bolt_program_ask(struct bolt_program *program, struct bc_error *err);

/* The same, of what --version printed.  False: it is not what BOLT prints. */
bool bolt_program_read_version(struct text printed, struct bolt_program *program);

#endif
