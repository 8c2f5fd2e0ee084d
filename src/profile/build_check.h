/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Do the samples belong to this very binary?  A build-id cannot show: every
 * BOLTed build of one input carries the same one.  The code can: a sampled
 * branch must lie on a branch instruction, and a direct one must go where its
 * instruction says.  A basic sample must lie where an instruction begins:
 * in the binary that ran it always does, in another build of it often not.  The branches of a
 * hardware trace are those of the code that it was walked through: whether its branch outcomes fit
 * that code shows.
 */
#ifndef PROFILE_BUILD_CHECK_H
#define PROFILE_BUILD_CHECK_H

#include "src/base/build_id.h"
#include "src/count/sample_counter.h"
#include "src/elf/binary.h"
#include "src/isa/insn.h"

/* ---- basic samples ---- */

enum address_verdict {
	ADDRESS_BEGINS, /* an instruction begins there */
	ADDRESS_INSIDE, /* it is within one            */
	ADDRESS_UNSURE, /* the code cannot be read so far without a disassembler */
};

/* How far the code was read for the last address; zeroed at first. */
struct address_walk {
	const struct function *function;
	uint32_t from, at; /* offsets: where it was read from; an instruction */
};

/* Judge an address by where it lies; `place.function` is not NULL.  Reads
 * instructions from the last known beginning on: an entry of the fragment, else
 * the function's start.  Addresses that ascend have the code read once. */
enum address_verdict address_check(const struct binary *binary, struct output_place place,
				   struct address_walk *walk);

/* More than this share of mismatches, and the samples are taken to be of another
 * build, unless a build-id shows that they are not (build_id.h).  The right binary gave 0 in every
 * recording tried.  SQLite's branches of LLVM 16 gave 30 % on LLVM 22's build, its basic samples 15
 * %. */
#define BUILD_CHECK_LIMIT_PERCENT 5.0

struct build_check {
	uint64_t checked;    /* taken branches whose source is in the code, or
				basic samples in functions that can be read    */
	uint64_t not_branch; /* on an instruction that is no branch            */
	uint64_t bad_target; /* direct branches that went elsewhere            */
	uint64_t bad_end;    /* fall-throughs that end on no branch            */
	uint64_t inside;     /* basic samples inside an instruction            */
	uint64_t outcomes;   /* of hardware traces, in this code ...   */
	uint64_t mismatched; /* ... that do not fit it                         */
};

/* The instruction at an address; of kind INSN_NEXT where there is no code. */
struct insn build_check_insn(const struct image *image, struct vaddr at);

/* Check a trace that was seen `count` times.  branch: the instruction of its branch. */
void build_check_trace(const struct image *image, const struct trace *trace, struct insn branch,
		       uint64_t count, struct build_check *check);

/* Check all traces of a table (see trace_key()). */
struct build_check build_check_all(const struct image *image, const struct counts *traces);

void build_check_add(struct build_check *to, const struct build_check *from);

/* Mismatching branches or samples of those checked, or branch outcomes of these, whichever is the
 * larger share. */
struct disagreement build_check_worst(const struct build_check *check);
double build_check_rate(const struct build_check *check); /* of it */

/* What that is the rate of: "branches", "addresses" or "branch outcomes". */
const char *build_check_words(const struct build_check *check, bool basic);

#endif
