/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What must hold for any binary that opens, with any samples: for fuzzing and
 * for tests of damaged files. */
#ifndef TESTS_SUPPORT_CONVERT_ALL_H
#define TESTS_SUPPORT_CONVERT_ALL_H

#include <stdio.h>

#include "src/samples/reader.h"
#include "src/flow/convert.h"

/* Read samples in memory; false with err filled if they cannot be read. */
bool convert_read(struct aggregate *aggregate, struct text samples, struct bc_error *err);

/* Traces from, to and within every function of the binary. */
void convert_sweep(struct aggregate *aggregate, const struct binary *binary);

/* Finish and convert: asserts that every ledger balances, that the records are
 * in order and name functions, and writes them nowhere.  The aggregate is freed. */
void convert_check(struct aggregate *aggregate, const struct binary *binary, unsigned threads);

/* As convert_check(), and writes the profile to `out`. */
void convert_check_to(struct aggregate *aggregate, const struct binary *binary, unsigned threads,
		      FILE *out);

/* As convert_check(), with the input binary; pair may be NULL.  The output is pair->output. */
void convert_check_pair(struct aggregate *aggregate, const struct binary *binary, struct pair *pair,
			unsigned threads, FILE *out);

/* Asserts that an error is as CONTRIBUTING wants it: a text of one line. */
void error_check(const struct bc_error *err);

#endif
