/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * All code of both binaries, part by part: where the output has what the input has at an address,
 * and the other way round.  What insn_ties.h says of instructions is joined to runs.
 */
#ifndef VERIFY_CODE_MAP_H
#define VERIFY_CODE_MAP_H

#include <stdatomic.h>

#include "src/verify/check_input.h"
#include "src/verify/insn_ties.h"
#include "src/verify/debug_entries.h"

enum run_kind {
	RUN_SAME,   /* the input has the same instructions: each at the same distance from the
		       beginning, or it is one instruction */
	RUN_LEFT,   /* the same, and BOLT left it where it was */
	RUN_JUMP,   /* a jump that BOLT makes again at the end of a block */
	RUN_UNTIED, /* instructions that BOLT inserted, or changed; padding; what is not known */
};

/* A part of code of the output. */
struct code_run {
	uint64_t out, in;
	uint32_t size, in_size; /* if they differ it is one instruction */
	uint32_t function;      /* of the input, or NO_FUNCTION */
	uint8_t kind;           /* enum run_kind */
};
DEFINE_VEC(code_run_vec, struct code_run);

enum code_fate {
	FATE_UNKNOWN, /* the output has nothing of it that is known */
	FATE_MOVED,   /* the table has it */
	FATE_LEFT,
	FATE_FOLDED, /* into another function of the input: the debug information of one of them may
			be gone */
};

struct code_map {
	const struct binary *subject;
	const struct input *input;
	struct code_run_vec runs; /* by `out`, not overlapping */
	uint32_t *by_in;          /* all but RUN_UNTIED, by `in` */
	uint64_t *reach; /* for each of these the largest end in the input of it and all before */
	size_t tied;
	uint8_t *fates;      /* by function of the input: enum code_fate */
	uint32_t *fragments; /* by function of the input: its hot fragment, or NO_FRAGMENT */
	struct folded_vec folded;
	/* A bit for each byte of executable segments of the output: an instruction of a run begins
	 * there, or the last byte of a call is there, by which debuggers look up its return
	 * address. */
	atomic_uchar *looked_up;
	uint64_t looked_up_bytes;
	uint64_t *bytes_before; /* by segment: of executable segments before it; UINT64_MAX: it is
				   none */
};

/* Ties all fragments.  BC_NOMEM; BC_FORMAT: too much work, *of_input shows for which file.  Free it
 * either way. */
BC_MUST_USE bool code_map_make(const struct binary *subject, const struct input *input,
			       unsigned threads, struct code_map *out, bool *of_input,
			       struct bc_error *err);
void code_map_free(struct code_map *map);

/* What becomes of code of the input at an address. */
enum code_fate code_map_fate(const struct code_map *map, uint64_t address);

/* Is code of the input at an address folded into another function, or are others folded into it?
 * Then the debug information of one of them may be gone. */
bool code_map_folded(const struct code_map *map, uint64_t address);

/* The name of the function of the input that an address of the output, or else of the input, is of;
 * NULL: not known. */
const char *code_map_owner(const struct code_map *map, uint64_t output, uint64_t input);

/* Is an address of the output where instructions of the input at `input` begin?  `behind`: it
 * is after an instruction, as return addresses do, and is the one after that.  *expected:
 * such a location; *known: there is one. */
bool code_map_leads(const struct code_map *map, uint64_t input, bool behind, uint64_t address,
		    uint64_t *expected, bool *known);

/* Where one of several parts of code was found first, and how much it is.  Parts of instructions
 * that nobody looks up do not count. */
struct code_part {
	uint64_t bytes; /* of the output, from the first that is looked up on */
	uint64_t output, input;
};

/* Ranges of an entry of the input, next to those of the same entry of the output. */
struct ranges_compared {
	uint64_t tied;            /* bytes of the output's code that the input's ranges are of */
	struct code_part lost;    /* the input's have it, and the output's do not */
	struct code_part wrong;   /* the output's have it, and the input's do not */
	struct code_part old;     /* of the output's: the original location of code that BOLT moved,
				     where nothing runs */
	struct code_part nothing; /* of the output's: no code is there */
	bool folded; /* the input's are of code that BOLT folded, of which nothing is lost */
};

/* Sorts ranges, joins them, and leaves out those that are empty. */
void ranges_normalize(struct address_range_vec *ranges);

/* Compares normalized ranges.  False: too much work. */
BC_MUST_USE bool code_map_compare(const struct code_map *map, const struct address_range_vec *in,
				  const struct address_range_vec *out,
				  struct ranges_compared *result);

#endif
