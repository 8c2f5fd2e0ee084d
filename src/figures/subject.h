/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a report is of. */
#ifndef FIGURES_SUBJECT_H
#define FIGURES_SUBJECT_H

#include "src/figures/quality.h"

/* Both are whole, and `sources` has heat by byte. */
struct report_subject {
	const struct conversion *conversion;
	const struct quality_sources *sources;
};

static inline const struct binary *subject_binary(const struct report_subject *subject)
{
	return conversion_binary(subject->conversion);
}

/* NULL: the input was not given */
static inline const struct pair *subject_pair(const struct report_subject *subject)
{
	return conversion_pair(subject->conversion);
}

/* The binary's function of a number, or NULL: it has code nowhere. */
static inline const struct function *subject_function(const struct report_subject *subject,
						     struct name_number name)
{
	const struct function_table *table = &conversion_binary(subject->conversion)->functions;

	struct code_number code;

	return functions_code_of(table, name, &code) ? &table->at[code.v] : NULL;
}

#endif
