/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* merge-fdata's -print: functions of a merged YAML profile by one of their counts. */
#ifndef CLI_MERGE_PRINT_H
#define CLI_MERGE_PRINT_H

#include <stdio.h>

#include "src/base/vec.h"
#include "src/merge/merge.h"

enum merge_print { PRINT_NONE, PRINT_EXEC, PRINT_BRANCHES };

/* "none", "exec" or "branches". */
bool merge_print_parse(const char *word, enum merge_print *out);

struct printed_function {
	char *name;
	uint64_t count;
};
DEFINE_VEC(printed_vec, struct printed_function);

struct merge_printer {
	enum merge_print what;
	uint64_t seen; /* functions of YAML */
	struct printed_vec functions;
};

void merge_printer_free(struct merge_printer *printer);

/* A merge_observer's function; ctx is a struct merge_printer. */
BC_MUST_USE bool merge_print_take(void *ctx, enum profile_kind kind, const struct profile_item *item);

void merge_print(struct merge_printer *printer, FILE *out);

#endif
