/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The code of mapped files, for all threads of a walk: which file it is in, opened once, and how
 * far its vaddrs are from the addresses where it was mapped.  First come the binaries that the user
 * gave, by the rules of the conversion (image_match.h), then what elf/code_files.h finds.
 */
#ifndef SAMPLES_CODE_IMAGES_H
#define SAMPLES_CODE_IMAGES_H

#include <pthread.h>

#include "src/base/map.h"
#include "src/base/vec.h"
#include "src/elf/code_files.h"
#include "src/elf/image.h"
#include "src/isa/decoder.h"
#include "src/samples/image_match.h"
#include "src/samples/map_set.h"
#include "src/samples/snapshots.h"

/*
 * The code of one file as a walk meets it: from an address straight on to the first instruction
 * that can lead elsewhere, or whose outcome a trace has.  Each block is decoded once, when the
 * walk comes to its address first; blocks can overlap.  A block remembers the blocks that came
 * next, so that a walk hardly ever looks one up.
 *
 * Addresses are vaddrs of the file.  For one thread.
 */

/* What is at the end of a block. */
enum block_end {
	ENDS_CONDITIONAL,   /* a branch that leads to `target`, or on */
	ENDS_JUMP,          /* to `target` */
	ENDS_CALL,          /* of `target` */
	ENDS_JUMP_INDIRECT, /* through a register or memory; also a direct jump that Intel PT shows
			       the target of (JMPABS) */
	ENDS_CALL_INDIRECT,
	ENDS_RETURN,
	ENDS_SYSTEM, /* a system call or the like */
	ENDS_SYNC,   /* AArch64 ISB */
	ENDS_WAIT,   /* AArch64 WFI, WFE, WFIT, WFET */
	ENDS_CUT,    /* nothing: the code continues in the next block */
	ENDS_NEVER,  /* an instruction that goes nowhere, or none that is known, or the code of the
			file */
};

struct walk_block {
	uint64_t start;
	uint64_t target; /* direct: where it leads; indirect: where it led the last time, if `taken`
			    is set */
	uint32_t length; /* bytes from the start to the instruction at the end */
	uint32_t taken;  /* 1 + the number of the block that begins at `target`; 0: not known yet */
	uint32_t through; /* the same of the block after */
	uint8_t size;     /* bytes of the instruction at the end; 0: there is none */
	uint8_t end;      /* enum block_end */
};
DEFINE_VEC(walk_block_vec, struct walk_block);

/* About how many bytes a block has at most: what a trace can ask for with one address. */
#define WALK_BLOCK_BYTES 512

struct walk_blocks {
	const struct image *image; /* borrowed, as is this: */
	struct decoder *decoder;
	struct walk_block_vec all;
	struct map by_start;
	uint64_t answered; /* branches of this code whose outcome the trace had */
};

void walk_blocks_free(struct walk_blocks *blocks);

/* The number of the block that begins at an address.  False when out of memory. */
BC_MUST_USE bool walk_blocks_at(struct walk_blocks *blocks, uint64_t vaddr, uint32_t *number);

/* Does an instruction of a block begin at an address? */
bool walk_block_has(const struct walk_blocks *blocks, const struct walk_block *block,
		    uint64_t vaddr);

/* Where the code after a block begins. */
static inline uint64_t walk_block_next(const struct walk_block *block)
{
	return block->start + block->length + block->size;
}

#define WALK_REMEDY_FILES                                                                                                                    \
	"; --debug-dir=DIR names a directory with copies of them, and an address filter of perf record (--filter 'filter * @ PROG') leaves " \
	"them out of the trace"

/* Why the trace of some code cannot be followed.  X(NAME, key for machines, text for people,
 * remedy) */
#define WALK_LOSSES(X)                                                                             \
	X(NO_FILE, "no_file", "in files that were not found", WALK_REMEDY_FILES)                   \
	X(OTHER_BUILD, "other_build", "in files that are of another build now", WALK_REMEDY_FILES) \
	X(NO_CODE, "no_code", "in files whose code cannot be read", "")                            \
	X(VDSO, "vdso", "in [vdso], which is in no file", "")                                      \
	X(NOT_A_FILE, "not_a_file",                                                                \
	  "in memory that is no file: code that a program made while it ran", "")                  \
	X(NO_MAPPING, "no_mapping", "in memory of which no mapping was recorded", "")              \
	X(KERNEL, "kernel", "in the kernel",                                                       \
	  "; :u after the event leaves the kernel out of the trace")                               \
	X(NO_PROCESS, "no_process", "in processes that the recording does not name",               \
	  "; perf record as root, or --per-thread, shows which process ran")                       \
	X(CONTRADICTION, "mismatch", "after a mismatch of trace and code",                         \
	  ": the files are perhaps of another build than those that ran")                          \
	X(CIRCLE, "loop", "after a loop of direct jumps whose end the trace does not show", "")    \
	X(GAP, "gap", "after a gap in the trace, before the next address in it",                   \
	  "; a larger buffer (perf record -m,16M) has fewer gaps")

#define X(name, key, text, remedy) LOSS_##name,
enum walk_loss { WALK_LOSSES(X) LOSS_COUNT, LOSS_NONE = LOSS_COUNT };
#undef X

/* "in files that were not found"; what can be done, from "; " on, or ""; and for programs
 * "no_file". */
const char *walk_loss_words(enum walk_loss loss);
const char *walk_loss_remedy(enum walk_loss loss);
const char *walk_loss_key(enum walk_loss loss);

/* At most so many files are opened; the others are as those that are not found. */
#define CODE_IMAGES_MOST 1024

/* A binary that the user gave. */
struct given_code {
	const struct image *image;        /* borrowed */
	struct image_match_options match; /* its texts are borrowed */
};

struct code_images;

/* dirs: borrowed.  NULL: out of memory */
struct code_images *code_images_make(const struct given_code *given, size_t count,
				     const struct debug_dirs *dirs);
void code_images_free(struct code_images *images);

/* The files that mappings name, by their numbers.  Add to them between code_images_lock() and
 * code_images_unlock() alone. */
struct mapped_files *code_images_files(struct code_images *images);
void code_images_lock(struct code_images *images);
void code_images_unlock(struct code_images *images);

/* What code a mapping has. */
struct mapped_code {
	enum walk_loss loss;       /* LOSS_NONE: it has code */
	const struct image *image; /* stays as long as the images */
	uint32_t number;           /* of the image: two of the same are one */
	uint64_t base;             /* run-time address - vaddr */
};

/* By any thread.  machine: that the trace is of.  LOSS_NO_FILE, too, where memory does not suffice.
 */
struct mapped_code code_images_find(struct code_images *images, const struct mapping *mapping,
				    enum machine machine);

/* The number of a given binary; UINT32_MAX: it is none. */
uint32_t code_images_given(const struct code_images *images, const struct image *image);

#endif
