/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The files of 'batconv heatmap': a map for each size of buckets, and two tables. */
#ifndef CLI_HEAT_OUTPUT_H
#define CLI_HEAT_OUTPUT_H

#include "src/base/output.h"
#include "src/cli/options.h"
#include "src/flow/conversion.h"
#include "src/figures/heat.h"

#define HEAT_SIZES 16

struct heat_output {
	const char *path;           /* the others are next to it; stdout: all of them go there */
	uint64_t sizes[HEAT_SIZES]; /* of buckets, each a multiple of the one before */
	size_t size_count;
	uint64_t line, min, max;
	bool mappings;
};

enum { HEAT_FILE_BUCKETS = HEAT_SIZES, HEAT_FILE_SECTIONS, HEAT_FILES };

void heat_output_init(struct heat_output *output);

/* Values of options, as llvm-bolt-heatmap takes them: sizes into the struct, an address into an
 * uint64_t. */
option_reader option_heat_sizes, option_heat_address;
#define HEAT_SIZES_TAKE                                                                            \
	"sizes from 1 to less than 4G such as 64,4K,2M, each a multiple of the one before"
#define HEAT_LINE_MOST 65536

/* False if the value is no list of such sizes. */
bool heat_parse_sizes(const char *value, struct heat_output *output);

/* Adds the files that are going to be written next to the file of this option.  BC_IO: the path is
 * too long; BC_NOMEM */
BC_MUST_USE bool heat_output_name_others(const struct heat_output *output, const char *option,
					 struct named_files *files, struct bc_error *err);

/* Makes the map of what was counted, after conversion_count().  BC_NOMEM */
BC_MUST_USE bool heat_output_take(const struct heat_output *output, const struct conversion *c,
				  struct heat *heat, struct bc_error *err);

/* Say what was left out, if something was: of addresses that have nothing to do with the binary. */
void heat_output_tell(const char *binary, const struct heat *heat, FILE *out);

/* Open all files, then fill them; the files are for the caller to commit or discard, also after a
 * failure.  BC_IO, BC_NOMEM; BC_UNSUPPORTED: the map has more than HEAT_BUCKETS_MOST buckets or
 * HEAT_CELLS_MOST cells, and nothing was written yet */
BC_MUST_USE bool heat_output_open(const struct heat_output *output, struct output files[HEAT_FILES],
				  struct bc_error *err);
BC_MUST_USE bool heat_output_fill(const struct heat_output *output, const struct heat *heat,
				  const struct function_table *functions,
				  struct output files[HEAT_FILES], struct bc_error *err);

#endif
