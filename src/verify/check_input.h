/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The binary that llvm-bolt read, and which of its functions became which fragments. */
#ifndef VERIFY_CHECK_INPUT_H
#define VERIFY_CHECK_INPUT_H

#include "src/verify/check_code.h"

struct input {
	struct file_map file;
	struct image image;
	struct function_table functions;
	struct probes probes;
	uint32_t *of; /* per fragment of the output: the function that it came from, or NO_FUNCTION;
			 NULL: not asked for (input_match()) */
};

/* BC_IO, BC_FORMAT, BC_UNSUPPORTED, BC_NOMEM.  The text has the path. */
BC_MUST_USE bool input_open(const char *path, struct input *out, struct bc_error *err);
void input_close(struct input *input);

/* Finds the function of each fragment, by pair_names(): input->of.  False: no memory. */
BC_MUST_USE bool input_match(const struct binary *subject, struct input *input);

/* Checks the table against the input binary; with `code`, also the instructions.  If the binary is
 * not the input, the only finding is FINDING_INPUT_BUILD or FINDING_INPUT_OTHER; if only the
 * offsets show that and most fragments fit, the findings of the others follow.  Calls input_match()
 * unless the build-ids or the machine show that it is not the input.  False: no memory;
 * findings->nomem is set. */
bool check_input(const struct binary *subject, struct input *input,
		 const struct block_starts *starts, unsigned threads, bool code,
		 struct findings *findings);

/* Is a function of the output, by its number, code that the table has nothing of?  The original
 * locations of functions that BOLT moved are not: nothing runs there. */
bool input_lacks(const struct binary *subject, size_t number);

/* The function of the input that BOLT left there, if it is such a one, or NULL: its name and
 * address are the same.  Only where calls and references lead can be other than there, and the end:
 * the shorter one holds. */
const struct function *input_left(const struct binary *subject, const struct input *input,
				  size_t number);

/* The code of a function, to its end. */
struct bytes input_code_of(const struct input *input, uint32_t function);

/* Functions of the input that llvm-bolt folded (-icf) into the one that a fragment is of. */

struct folded {
	uint32_t fragment; /* the hot one */
	uint32_t input;    /* a function whose name is there, and of which the fragment is not */
};
DEFINE_VEC(folded_vec, struct folded);

/* Lists them by fragment.  By the names: those of a folded function are of the same location.
 * False: no memory */
BC_MUST_USE bool folded_list(const struct binary *subject, const struct input *input,
			     struct folded_vec *out);

/* The first of those of a hot fragment, and how many there are. */
const struct folded *folded_of(const struct folded_vec *folded, uint32_t fragment, size_t *count);

#endif
