/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The names that the symbol table gives to a table's fragments.  A fragment has
 * one for each symbol at its address.
 */
#ifndef BATCONV_BAT_FRAGMENT_NAMES_H
#define BATCONV_BAT_FRAGMENT_NAMES_H

#include "bat/bat.h"

/* One symbol at the beginning of a fragment. */
struct bat_fragment_name {
	const char *name;  /* the function's, `length` characters: of a cold   */
	size_t length;     /* fragment without .cold.N, .cold or .warm         */
	uint32_t fragment; /* index in the table                               */
	uint32_t order, file; /* as in struct bat_symbol                       */
	uint32_t number;      /* N of .cold.N, or BAT_NO_NUMBER                */
	uint32_t distance;    /* for the user of the names: 0 at first         */
};

#define BAT_NO_NUMBER UINT32_MAX

struct bat_fragment_names {
	struct bat_fragment_name *hot;  /* by name, then by order              */
	struct bat_fragment_name *cold; /* in the order of the symbols         */
	size_t hot_count, cold_count;
};

/* Collect the names of all fragments.  Left out are symbols at other addresses,
 * and symbols of cold fragments that do not end with .cold.N, .cold or .warm.
 * The characters stay the caller's and must live as long as the result.
 * Returns false when out of memory. */
BAT_MUST_USE bool bat_fragment_names_init(struct bat_fragment_names *names,
					  const struct bat_table *table,
					  const struct bat_symbol *symbols,
					  size_t count);
void bat_fragment_names_free(struct bat_fragment_names *names);

/* The names of hot fragments that are equal to a cold fragment's function name:
 * *begin up to *end, by order. */
void bat_fragment_names_find(const struct bat_fragment_names *names,
			     const struct bat_fragment_name *cold,
			     const struct bat_fragment_name **begin,
			     const struct bat_fragment_name **end);

#endif
