/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Prints maps: their mappings, and of each file that has code in one of them where it was loaded,
 * by each of its mappings.  A file is opened once, however many maps have it.
 */
#ifndef ADDRESS_MAPS_PRINT_H
#define ADDRESS_MAPS_PRINT_H

#include <stdio.h>

#include "src/samples/snapshots.h"

/* For people, as batconv reads it again (without the files), or one JSON object. */
enum maps_form { MAPS_TEXT, MAPS_RAW, MAPS_JSON };

/* The caller sets the first five members, and nothing else. */
struct maps_printer {
	const struct mapped_files *files; /* borrowed */
	FILE *out;
	enum maps_form form;
	bool all;       /* all mappings, not executable ones only; of MAPS_RAW always */
	bool elsewhere; /* the maps are of another machine: a file here is the same file if its
			   build-id says so */
	bool disagree;  /* mappings of a file lead to different bases */
	struct opened_program *at; /* by the number of the file */
	size_t open;               /* of them: as many as the system lets be mapped, and fewer */
	uint32_t *seen;            /* by path: the last map that it was seen in */
	uint32_t map;              /* the number of the map at hand, from 1 on */
};

/* False when out of memory. */
BC_MUST_USE bool maps_print(struct maps_printer *printer, const struct snapshot *snapshot);
void maps_printer_free(struct maps_printer *printer);

/* The line of text that a map begins with. */
void maps_print_head(const struct snapshot *snapshot, FILE *out);

#endif
