/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Entries against the instructions that they are on, in the output binary or in
 * the input binary: code is decoded from the beginning of a function on.
 */
#ifndef VERIFY_CHECK_CODE_H
#define VERIFY_CHECK_CODE_H

#include "src/code/block_places.h"
#include "src/verify/findings.h"
#include "src/isa/decoder.h"
#include "src/isa/same_insn.h"

/* SystemTap's probes (sys/sdt.h): addresses in code, each a nop, that the notes of .note.stapsdt
 * name.  BOLT keeps these nops, moves the notes with them, and keeps their offsets as it does those
 * of branches. */
struct probes {
	uint64_t *at; /* vaddrs, ascending */
	size_t count;
};

/* False: no memory. */
BC_MUST_USE bool probes_read(const struct image *image, struct probes *out);
void probes_free(struct probes *probes);

/* Where functions, blocks and inlined calls begin and end by debug information.  From release 24
 * on, llvm-bolt -update-debug-sections keeps the offsets of these instructions (#207291). */
struct scope_bounds;

/* A side of the table, and the findings that are made there. */
struct code_side {
	enum finding_kind inside, no_branch;
	bool input;
};
extern const struct code_side output_side, input_side;

/* A location in code that an entry names. */
struct spot {
	uint32_t offset; /* from the beginning of the code */
	uint32_t entry;  /* index in the fragment          */
	bool branch;
};

/* Code that a fragment's entries are checked against. */
struct code_view {
	struct decoder *decoder;
	const struct binary *subject;
	const struct block_starts *starts;
	const struct probes *probes;
	const struct scope_bounds *bounds; /* NULL: not read yet, see code_check_twice() */
	const struct code_side *side;
	struct bytes code;
	uint64_t at; /* where it is loaded */
	uint32_t fragment;
	/* Per entry of the fragment, if known: the instruction that begins at its offset, or the
	 * first one after it. */
	const uint64_t *reached;
};

/* Check spots by ascending offset, all of them in the code.
 *
 * A branch entry may be on an instruction that can go elsewhere than on, on a
 * call, and on the last instruction of a block that another block follows: BOLT
 * keeps the offset of all these (BinaryFunction.cpp).  Where BOLT put code of its own
 * there, see check_code.c. */
void code_check(const struct code_view *view, const struct spot *spots, size_t count,
		struct findings *findings);

/* Run a check that makes findings of a side; where branch entries are on no branch, once more with
 * the side's scope_bounds, which a large file takes long to read.  False: no memory;
 * findings->nomem is set. */
typedef bool code_pass(void *ctx, const struct scope_bounds *bounds, struct findings *findings);
bool code_check_twice(const struct code_side *side, const struct image *image, code_pass *pass,
		      void *ctx, struct findings *findings);

/* The length of the instruction that begins at `code`; 0: there is none.  For x86-64
 * LLVM is asked; without it, what src/isa knows counts. */
size_t code_length(struct decoder *decoder, struct bytes code, uint64_t at);

/* Check the fragments in [begin, end) with `findings` of their own. */
typedef void fragments_fn(void *ctx, struct decoder *decoder, uint32_t begin, uint32_t end,
			  struct findings *findings);

/* Do so for all fragments of a table, in parallel, with findings in their order.
 * False: no memory; findings->nomem is set. */
bool code_for_fragments(const struct binary *subject, unsigned threads, fragments_fn *check,
			void *ctx, struct findings *findings);

/* A summary has nothing but counts (uint64_t).  Adds one to the sum that all threads add to, and
 * reads the sum.  size: of the summary. */
void summary_add(_Atomic uint64_t *sum, const void *summary, size_t size);
void summary_read(const _Atomic uint64_t *sum, void *summary, size_t size);

/* Entries of a fragment that have code, as spots by offset in the output or in the
 * input function.  `out` has room for all entries.  Returns how many. */
size_t code_spots(const struct bat_table *bat, const struct bat_fragment *fragment, bool input,
		  uint64_t size, struct spot *out);

/* A decoder, which uses LLVM if there is one. */
void code_decoder_open(enum machine machine, struct decoder *out);

/* Can all instructions of this machine be decoded? */
bool code_decoder_complete(enum machine machine);

/* Entries against the output binary. */
bool check_output_code(const struct binary *subject, const struct block_starts *starts,
		       unsigned threads, struct findings *findings);

#endif
