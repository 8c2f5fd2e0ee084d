/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* All checks in their order. */
#ifndef CHECK_VERIFY_H
#define CHECK_VERIFY_H

#include "src/check/checks.h"
#include "src/check/coverage.h"

struct verify_options {
	const char *binary;
	const char *input; /* NULL: not given         */
	bool no_code;      /* decode no instructions  */
	unsigned threads;
	size_t most; /* findings to keep of each kind */
};

enum code_state { CODE_CHECKED, CODE_NOT_ASKED, CODE_PARTLY, CODE_NONE };

struct verify_report {
	struct binary subject; /* names in findings point into it   */
	bool decoded;           /* subject->bat is what was found    */
	bool linked;            /* coverage is known                 */
	enum code_state code;
	struct coverage coverage;
	struct findings findings;
};

/* True: there are findings, or there is nothing to find.  BC_NOTFOUND: no BAT section.  BC_IO,
 * BC_FORMAT, BC_UNSUPPORTED, BC_NOMEM: the file, the input or what is in them
 * cannot be read. */
BC_MUST_USE bool verify_run(const struct verify_options *options, struct verify_report *out,
			    struct bc_error *err);

/* Verifies a mapped subject: tests damage one in memory. */
BC_MUST_USE bool verify_subject(const struct verify_options *options, struct verify_report *report,
				struct bc_error *err);
void verify_free(struct verify_report *report);

#endif
