/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Profiles in pprof's format: the protocol buffer that proto/profile.proto of
 * google/pprof describes, compressed with gzip.  What is written of it, message and
 * field numbers:
 *
 *   Profile   1 sample_type  2 sample  3 mapping  4 location  5 function
 *             6 string_table  9 time_nanos  10 duration_nanos
 *   Sample    1 location_id (innermost first)  2 value
 *   Mapping   1 id  2 memory_start  3 memory_limit  4 file_offset  5 filename
 *             6 build_id  7 has_functions  8 has_filenames  9 has_line_numbers
 *             10 has_inline_frames
 *   Location  1 id  2 mapping_id  3 address  4 line (innermost inlined call first)
 *   Line      1 function_id  2 line
 *   Function  1 id  2 name  3 system_name  4 filename (of the source)
 *
 * A mapping has what any of its frames has.  Its build-id is the recorded one, or that of
 * the file that was opened; GNU's in hexadecimal, or, where there is none, Go's as it is.
 *
 * The address of a frame that is not the innermost is that of the call: the return
 * address minus one, as pprof expects it.
 */
#ifndef ADDRESS_PPROF_H
#define ADDRESS_PPROF_H

#include <stdio.h>

#include "src/base/bytes.h"
#include "src/base/strings.h"
#include "src/address/frames.h"

DEFINE_VEC(count_vec, uint64_t);

/* What is said of a mapping. */
struct pprof_mapping {
	uint64_t start, end, offset;
	uint32_t name, build_id; /* texts */
	bool functions, filenames, lines, inlines;
};
DEFINE_VEC(pprof_mapping_vec, struct pprof_mapping);

/* Zeroed means empty. */
struct pprof {
	struct strings texts; /* the string table */
	/* What was met before, by its content; the number is the id. */
	struct strings mappings, functions, locations, stacks;
	struct pprof_mapping_vec rows; /* of each mapping; [0] is not used */
	bool lines, inlines;           /* were asked for */
	struct count_vec counts;       /* of each stack; [0] is not used */
	struct byte_vec body;          /* encoded locations, functions */
	uint64_t first_time, last_time;
	bool any;
};

void pprof_free(struct pprof *pprof);

/* Count a stack, innermost frame first.  files: of the mappings.  False when out of
 * memory. */
BC_MUST_USE bool pprof_add(struct pprof *pprof, const struct mapped_files *files,
			   const struct frame *frames, size_t count, uint64_t time);

/* Write it all, compressed.  Errors of the file are for ferror() to report.  False
 * when out of memory. */
BC_MUST_USE bool pprof_write(struct pprof *pprof, FILE *out);

#endif
