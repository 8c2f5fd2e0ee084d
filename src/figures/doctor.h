/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What is between a program and a profile of it, on this machine: how it can be sampled, which
 * llvm-bolt there is, and what the program has of what llvm-bolt needs.  Each finding has a verdict
 * and, where something can be done about it, a remedy.
 */
#ifndef FIGURES_DOCTOR_H
#define FIGURES_DOCTOR_H

#include <stdio.h>

#include "src/base/vec.h"
#include "src/elf/bolt_input.h"
#include "src/flow/bolt_program.h"
#include "src/record/proof.h"

enum diagnosis_verdict {
	DIAGNOSIS_NONE, /* it is not there, and nothing is lost by that */
	DIAGNOSIS_GOOD,
	DIAGNOSIS_WARNING,
	DIAGNOSIS_BAD, /* no profile can be made, or used, so */
};

struct diagnosis {
	const char *of;            /* "machine", "llvm_bolt", "program" or "proof" */
	const char *about, *label; /* what is found: for machines, for people */
	enum diagnosis_verdict verdict;
	char text[768], remedy[512]; /* empty: there is none */
};
DEFINE_VEC(diagnosis_vec, struct diagnosis);

struct doctor {
	struct sampling_facts sampling;
	struct bolt_program bolt;  /* no path: there is none */
	const char *named_bolt;    /* --llvm-bolt=PATH, or NULL */
	bool instruments;          /* llvm-bolt has its library for instrumented programs */
	const char *program;       /* path; NULL: none was given */
	bool library;              /* ... another program runs it */
	bool unrelocated;          /* ... it lacks what llvm-bolt -instrument needs */
	const struct proof *proof; /* NULL: not asked for */
	struct diagnosis_vec findings;
	bool failed;     /* one of them is bad */
	char next[2048]; /* what to do now */
};

/* Looks at the machine and, if `program` is not NULL, at that.  llvm_bolt: --llvm-bolt=PATH, or
 * NULL.  proof: what was sampled and what was executed, of which findings are made, or NULL;
 * borrowed.  *out is to be freed either way.
 *
 * BC_FORMAT       the program is none
 * BC_UNSUPPORTED  ... or none that llvm-bolt handles
 * BC_IO, BC_NOMEM */
BC_MUST_USE bool doctor_look(const struct perf_kernel *kernel, const char *llvm_bolt,
			     const char *program, const struct proof *proof, struct doctor *out,
			     struct bc_error *err);
void doctor_free(struct doctor *doctor);

void doctor_text(const struct doctor *doctor, FILE *out);
void doctor_json(const struct doctor *doctor, FILE *out);

#endif
