/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The binary that llvm-bolt read, and which of its functions became which fragments. */
#ifndef CHECK_CHECK_INPUT_H
#define CHECK_CHECK_INPUT_H

#include "src/check/check_code.h"

struct input {
	struct file_map file;
	struct image image;
	struct function_table functions;
	struct probes probes;
};

/* BC_IO, BC_FORMAT, BC_UNSUPPORTED, BC_NOMEM.  The text has the path. */
BC_MUST_USE bool input_open(const char *path, struct input *out, struct bc_error *err);
void input_close(struct input *input);

/* Set of[i] to the function that fragment i came from, an index or NO_FUNCTION, by pair_names().  False: no memory; findings->nomem
 * is set. */
bool input_match(const struct binary *subject, const struct input *input, uint32_t *of, struct findings *findings);

/* Checks the table against the input binary; with `code`, also the instructions.  If the binary is
 * not the input, the only finding is FINDING_INPUT_BUILD or FINDING_INPUT_OTHER; if only the offsets show
 * that and most fragments fit, the findings of the others follow. */
bool check_input(const struct binary *subject, const struct input *input,
		 const struct block_starts *starts, unsigned threads, bool code,
		 struct findings *findings);

/* The code of a function, to its end. */
struct bytes input_code_of(const struct input *input, uint32_t function);

#endif
