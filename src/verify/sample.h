/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How faithful is the table?  Random addresses of mapped code are translated in two
 * ways that share no code: by libbat's table, and by a plain scan of the stored
 * fields.  With the input binary, the instructions on both sides are compared.
 */
#ifndef VERIFY_SAMPLE_H
#define VERIFY_SAMPLE_H

#include "src/verify/check_input.h"

struct sample_result {
	uint64_t addresses; /* translated in both ways           */
	uint64_t differ;    /* to two results                    */
	uint64_t compared;  /* instructions at them, on both sides */
	uint64_t same;      /* alike but for what they refer to  */
	uint64_t added;     /* not compared: jumps that BOLT put in */
};

/* count: of addresses, at beginnings of instructions.  The same seed takes the same
 * ones.  input: may be NULL.  False: no memory. */
bool sample_check(const struct binary *subject, struct input *input, uint64_t count,
		  uint64_t seed, struct sample_result *out,
		  struct findings *findings);

#endif
