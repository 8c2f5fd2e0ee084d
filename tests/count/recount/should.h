/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The profile as it should be: what was counted, translated trace by trace, and where the
 * rest has gone.  docs/conversion.md, sections 4 and 5, has the rules.
 */
#ifndef TESTS_COUNT_RECOUNT_SHOULD_H
#define TESTS_COUNT_RECOUNT_SHOULD_H

#include "tests/count/recount/count.h"
#include "tests/count/recount/spot.h"

/* A branch or a fall-through, if `from.function` is NULL one that comes from outside; of
 * basic samples `from` alone. */
struct record {
	struct home from, to;
	uint64_t count, mispredicted;
};
DEFINE_VEC(record_vec, struct record);

/* Loads of data that has a name. */
struct load {
	struct home code;
	const struct symbol *data;
	uint64_t offset; /* in the data */
	uint64_t count;
};
DEFINE_VEC(load_vec, struct load);

struct should {
	const struct count *count; /* borrowed */
	struct record_vec records; /* in the order of a profile, each once */
	struct load_vec loads;     /* likewise */
};

/* Puts the ledgers of the conversion into count->numbers.  Finish with should_free().  BC_NOMEM */
BC_MUST_USE bool should_be(struct count *count, struct should *out, struct bc_error *err);
void should_free(struct should *should);

/* The function that a record is listed under. */
const struct function *record_owner(const struct record *record);

void should_put(struct should *should, struct home from, struct home to, uint64_t count,
		uint64_t mispredicted);

#endif
