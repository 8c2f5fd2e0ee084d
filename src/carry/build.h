/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One of the two builds between which a profile is carried: its functions by name, their code, and
 * the lines of source that they were made of. */
#ifndef CARRY_BUILD_H
#define CARRY_BUILD_H

#include "src/address/debug_lines.h"
#include "src/base/strings.h"
#include "src/code/cfg.h"
#include "src/code/targets.h"
#include "src/elf/binary.h"

struct carry_build {
	const char *path;
	struct binary binary;
	struct cfg graphs; /* of the functions that were asked for, with their code */
	struct targets targets;
	struct debug_lines *lines; /* NULL: none can be read */
	struct strings names;
	uint32_t *function_of; /* by number of name: the first function that has it */
};

/* The path must outlive it, and it must stay where it is.
 *
 * BC_UNSUPPORTED  llvm-bolt wrote it, or it has no code
 * BC_FORMAT, BC_IO, BC_NOMEM */
BC_MUST_USE bool carry_build_open(const char *path, struct carry_build *out, struct bc_error *err);
void carry_build_close(struct carry_build *build);

/* The function of a name, or NULL. */
const struct function *carry_build_named(const struct carry_build *build, struct text name);

/* The graph of a function, with its code; NULL: there is none. */
const struct graph *carry_build_graph(const struct carry_build *build,
				      const struct function *function);

#endif
