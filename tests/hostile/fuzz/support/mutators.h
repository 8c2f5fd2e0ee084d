/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Mutations that know the format: what comes out is still cut into the same kind of
 * parts, so that the damage lies after the first check of a parser and not before
 * it.  A quarter of all mutations is left to the fuzzer, which knows bytes and the
 * dictionary only.
 *
 * Each is a function of its arguments and of what LLVMFuzzerMutate() does.
 */
#ifndef TESTS_HOSTILE_FUZZ_SUPPORT_MUTATORS_H
#define TESTS_HOSTILE_FUZZ_SUPPORT_MUTATORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/support/prng.h"

/* What libFuzzer provides, and replay_main.c where there is no fuzzer. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

/* What libFuzzer asks for. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
				 uint8_t *out, size_t most, unsigned seed);

/* Mutate a descriptor of any layout, field by field.  Returns the new size. */
size_t mutate_bat(uint8_t *data, size_t size, size_t most, unsigned seed);

/* Mutate perf.data, a file or a pipe, record by record.  Returns the new size. */
size_t mutate_perf_data(uint8_t *data, size_t size, size_t most, unsigned seed);

/* Records of two recordings, in the frame of the first. */
size_t cross_perf_data(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
		       uint8_t *out, size_t most, unsigned seed);

/* A number that is near to `value`, or to where numbers of `bits` bits end, or any. */
uint64_t mutate_number(struct prng *random, uint64_t value, unsigned bits);

/* Bytes that grow; running out of memory aborts. */
struct growing {
	uint8_t *data;
	size_t size, capacity;
};
void growing_add(struct growing *g, const void *data, size_t size);
void growing_number(struct growing *g, uint64_t value, size_t size); /* little-endian */

#endif
