/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The binary that llvm-bolt read next to the one that it wrote: which function is which, and
 * whether the two belong together.  One meaning of --input=INPUT for all commands.
 */
#ifndef CODE_PAIR_H
#define CODE_PAIR_H

#include "src/base/build_id.h"
#include "src/code/cfg.h"
#include "src/elf/binary.h"
#include "src/elf/code_files.h"
#include "src/code/code.h"

struct pair {
	const struct binary *output; /* under the names of the input: see pair_open() */
	struct binary
		*named; /* the same, to be freed: its functions.at and fragment_of are its own */
	struct file_map file;
	struct image image;              /* of the input */
	struct function_table functions; /* of the input */
	uint32_t
		*output_of; /* per input function: the output's of its name, NO_FUNCTION for none */
	uint32_t *body_of;  /* likewise: the one that has its code, which may be a twin's: where the
			       symbol of its name is */
	uint32_t *input_of; /* per output function, extra ones included; NO_FUNCTION for none */
	struct cfg graphs; /* of the input, with their code: those that pair_build_graphs() built so
			      far */
	struct code **codes;         /* per input function of the table with a graph; or NULL */
	struct disagreement offsets; /* of the table: those that lie on no instruction mismatch */
	struct bc_error doubt; /* BC_MISMATCH: more of them mismatch than may, and it was taken all
				  the same; with the path */
	bool borrowed;         /* image and functions are those of somebody else */
	const uint32_t *moved; /* per input function of a binary that was BOLTed itself: a fragment
				  of its own, if it was moved and its code is not that of the
				  offsets; NULL: none was.  Borrowed */
};

/* An input of which more offsets mismatch is refused, where no build-id decides (build_id.h).
 * Another build has 72 %, one that differs in one function 0.1 %. */
#define PAIR_LIMIT_PERCENT 1.0

/* Open the input of a binary, which must outlive the pair and stays as it is.  pair->output is that
 * binary with a table of functions of its own:
 *
 * names  they have the input's names: local ones of one name are numbered as they are there
 *
 * Where BOLT folded functions the binary has one for several: the table has extra ones
 * (functions.h), so that each function of the input has one of its name.  What numbers or points to
 * functions is of pair->output.
 *
 * BC_MISMATCH  not its input: another machine, BOLTed itself, a build-id that BOLT did not mark, or
 *              more than PAIR_LIMIT_PERCENT of the offsets that were looked at on no instruction;
 *              with a build-id that fits, or where these are few, that is pair->doubt
 * BC_NOTFOUND  the output has no table
 * BC_IO, BC_FORMAT, BC_UNSUPPORTED, BC_NOMEM: the input.  The text has the path. */
BC_MUST_USE bool pair_open(const char *path, const struct binary *output, bool names,
			   struct pair *out, struct bc_error *err);
/* As pair_open(), for bytes in memory, which must outlive the pair.  The text has no path. */
BC_MUST_USE bool pair_open_bytes(struct bytes input, const struct binary *output, bool names,
				 struct pair *out, struct bc_error *err);
/* An input that nobody named. */
struct found_input {
	struct input_files files;
	const struct input_file *taken; /* NULL: none */
	struct bc_error refused; /* the first that has the build-id, or by its name can be the
				    input, and why it was not taken */
	struct bc_error doubt;   /* pair->doubt of the one taken, by pair_find() */
};

/* As pair_open(), with the first of found->files that is the input.  Where none is, true: *out
 * stays zeroed, and .taken is NULL. BC_NOMEM */
BC_MUST_USE bool pair_open_found(struct found_input *found, const struct binary *output, bool names,
				 struct pair *out, struct bc_error *err);
/* The same for who needs a path only: NULL if there is none.  Finds the files first, and opens the
 * output if there are any. */
BC_MUST_USE bool pair_find(const char *output, const struct debug_dirs *dirs,
			   struct found_input *out, struct bc_error *err);
/* As pair_find(), its path.  NULL: none, or out of memory */
const char *found_input_path(const char *output, const struct debug_dirs *dirs,
			     struct found_input *out);
void found_input_free(struct found_input *found);

/* As pair_open(), of an input that is open already: image and functions must outlive the pair.  The
 * text has no path. */
BC_MUST_USE bool pair_open_known(const struct image *image, const struct function_table *functions,
				 const struct binary *output, struct pair *out,
				 struct bc_error *err);
/* As pair_open_known(), by the names alone: whether they belong together is not looked at. BC_NOMEM
 */
BC_MUST_USE bool pair_names(const struct image *image, const struct function_table *functions,
			    const struct binary *output, struct pair *out, struct bc_error *err);
void pair_close(struct pair *pair);

/* Two steps of pair_open().  The first sets body_of, input_of and output_of, and makes pair->named
 * with its extra functions. llvm-bolt keeps the order of .symtab, and its own symbols come last:
 * the k-th symbol of a name (a local one: and of a file's) is the k-th in the other.  For a name
 * that the output has less often nothing is known.  The second sets pair->offsets from all
 * functions with a table, or from some thousand if they are many.  BC_NOMEM */
BC_MUST_USE bool pair_match(struct pair *pair, struct bc_error *err);
BC_MUST_USE bool pair_fit(struct pair *pair, struct bc_error *err);

/* Build graphs and code of input functions that have none yet, each given once.  BC_FORMAT,
 * BC_NOMEM: of that function */
BC_MUST_USE bool pair_build_graphs(struct pair *pair, const uint32_t *chosen, size_t count,
				   unsigned threads, struct bc_error *err);
void pair_free_graphs(struct pair *pair);

/* The code of a function of the input.  It has no blocks if the function has no graph, or is not in
 * the table. */
const struct code *pair_code(const struct pair *pair, const struct function *input);

/* Is it the input of an output?  *doubt: as pair->doubt.  Errors as of pair_open(). */
BC_MUST_USE bool pair_check(const char *path, const struct binary *output, struct bc_error *doubt,
			    struct bc_error *err);

/* The first part of that check: what the files are.  BC_MISMATCH, without a path. */
BC_MUST_USE bool pair_check_kind(const struct image *input, const struct image *output,
				 struct bc_error *err);

/* The input function that an output function came from, or NULL. */
static inline const struct function *pair_input_of(const struct pair *pair,
						   const struct function *output)
{
	uint32_t index = pair->input_of[output - pair->output->functions.at];

	return index == NO_FUNCTION ? NULL : &pair->functions.at[index];
}

/* The output's function of an input function's name, or NULL. */
static inline const struct function *pair_output_of(const struct pair *pair,
						    const struct function *input)
{
	uint32_t index = pair->output_of[input - pair->functions.at];

	return index == NO_FUNCTION ? NULL : &pair->output->functions.at[index];
}

/* The number of the output's function that has the code of one, which it may have been folded with.
 */
static inline uint32_t pair_body(const struct pair *pair, const struct function *output)
{
	uint32_t index = (uint32_t)(output - pair->output->functions.at),
		 input = pair->input_of[index];

	return input == NO_FUNCTION ? index : pair->body_of[input];
}

/* Finds the way out of a function of the input from a block, to a function of the output whose body
 * is `body`. */
bool pair_way_out(const struct pair *pair, const struct code *code, uint32_t block, uint32_t body,
		  struct way_out *out);

/* The same for a jump of the output at an offset of a fragment.  `code` is that of the input.
 *
 * WAY_AS_IS  it is in the block of the input that the table has it in, or only its block is known,
 *            and no path from there
 * WAY_FOUND  llvm-bolt joined it with code of another block, or the table has only that: *out
 * WAY_NONE   the table has it in a block to which that code does not lead */
enum way_kind pair_way_out_of_jump(const struct pair *pair, const struct code *code,
				   const struct bat_fragment *fragment, uint32_t offset,
				   uint32_t body, struct way_out *out);

/* A location in code that runs where the input has it, although BOLT wrote the binary: in original
 * bodies in .bolt.org.text, or in functions that BOLT ignored. */
struct old_place {
	const struct function *input;  /* NULL: none is there */
	const struct function *output; /* of its name */
	uint32_t offset;
	bool has_table; /* it is an original body; else BOLT ignored the function */
};
struct old_place pair_old_place(const struct pair *pair, uint64_t vaddr);

#endif
