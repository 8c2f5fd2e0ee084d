/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The input binary: what llvm-bolt will look the names and offsets of a profile up in. */
#ifndef TESTS_COUNT_RECOUNT_INPUT_H
#define TESTS_COUNT_RECOUNT_INPUT_H

#include "src/base/text.h"
#include "src/elf/binary.h"

struct known;

struct input {
	struct binary binary;
	struct known *known; /* each name of each function, sorted */
	size_t count;
};

/* Finish with input_close(). */
BC_MUST_USE bool input_open(const char *path, struct input *out, struct bc_error *err);
void input_close(struct input *input);

/* A mistake if no function of this name, escaped as in fdata, has this offset. */
void input_check(const struct input *input, struct text name, uint64_t offset);

#endif
