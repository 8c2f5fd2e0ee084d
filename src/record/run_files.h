/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The files that are mapped to be run: each has a number while anything maps it, what is known of
 * it, and what was counted for it.
 */
#ifndef RECORD_RUN_FILES_H
#define RECORD_RUN_FILES_H

#include "src/samples/processes.h"
#include "src/base/counts.h"
#include "src/base/map.h"
#include "src/count/returns.h"
#include "src/elf/binary.h"
#include "src/elf/code_digest.h"
#include "src/record/digest_cache.h"
#include "src/record/file_calls.h"
#include "src/record/recorder.h"
#include "src/record/shares.h"

/* Rows of a table at first: what is counted for most files is little. */
#define RUN_FILE_ROWS 64

/* Files are open until their digests are read, but no more than so many. */
#define RUN_FILES_HELD 512

/* What became of it. */
enum run_file_state {
	RUN_FILE_NEW,      /* nobody asked for it yet */
	RUN_FILE_ASKED,    /* there is no reply yet */
	RUN_FILE_COUNTED,  /* it is a program or library */
	RUN_FILE_LEFT_OUT, /* as enum file_answer */
	RUN_FILE_GONE,
	RUN_FILE_NO_PROGRAM, /* it cannot be read, or is none of those that are handled */
	RUN_FILE_LARGE,      /* it has more code than is digested */
};

/* What a file says of itself. */
struct program_facts {
	bool bolted, library;
	bool erratum; /* the rule is for such a file (count/stack.h) */
	struct build_id build_id;
	struct code_segment *code;
	size_t code_count;
};

/* A file is asked for, and then its digest is read, in chunks: one call after the other, which only
 * the thread of the call uses as long as it is under way. */
struct file_reading {
	struct file_call call;
	struct file_opener opener;
	struct map_event map; /* its path is `path` */
	char *path;
	int fd;                    /* -1: none, or no longer */
	enum run_file_state state; /* what became of it */
	bool no_memory;
	struct program_facts facts; /* the code is the file's when it is read */
	struct build_id digest;
	struct code_digester digester;
	enum code_digest_step step;
	/* The thread that counts uses: */
	bool busy;      /* a call is under way */
	uint64_t since; /* ns of CLOCK_MONOTONIC: then it was made */
};

struct run_file {
	/* What the kernel says of it. */
	struct file_node node;
	struct build_id recorded_id; /* of recordings that have it instead of the node */
	char *path;                  /* NULL: the number is free */

	uint32_t user; /* whose share it is of: who mapped it first, or run_file_claim()ed it */
	enum run_file_state state;
	bool mapped;  /* by some process, when run_files_mark() asked */
	bool put_off; /* RUN_FILE_NEW: there was no time to open it */

	/* RUN_FILE_COUNTED: */
	struct file_reading *reading; /* also RUN_FILE_ASKED; NULL: `digest` is known */
	struct build_id digest;
	struct program_facts facts;
	bool erratum_seen; /* there was such a stack (count/stack.h) */

	/* Counts: addresses are offsets in the file. */
	struct count_table traces;  /* trace_key(), count, mispredictions */
	struct count_table plain;   /* key: the offset */
	struct branch_types types;  /* locations outside the file are numbers of the recorder's */
	uint64_t samples, branches; /* as in struct recorded */
	uint64_t offered;  /* how many samples there were when they were handed over in vain */
	uint64_t left_out; /* samples in it: RUN_FILE_LEFT_OUT */
	uint64_t stamp;    /* of the sample that it was met in last */
};

/* Why samples in a file are dropped that is in this state. */
enum recorded_drop recorded_drop_of(const struct run_file *file);

/* Zeroed except for `opener` and `opens_left` means empty.  The file of a number:
 * at[number - 1]. */
struct run_files {
	struct file_opener opener;
	struct run_file *at; /* RECORDER_FILES_MOST of them, or NULL */
	uint32_t len;        /* numbers that were used so far */
	uint32_t used;       /* of these, those that are not free */
	struct map by_key;
	uint32_t held; /* how many are open, until their digests are read */
	struct shares shares;
	struct digest_cache *digests;
	uint64_t turn;            /* what the user had whose digests were read last, or more */
	struct file_calls *calls; /* NULL: none was made yet, or they cannot hang */
	uint64_t began;           /* ns of CLOCK_MONOTONIC: when the first one was */
	uint32_t busy;            /* calls that are under way */
	uint64_t others_cpu;      /* ns of processor time of their threads */
	uint64_t opens_left;      /* ns for opening files of users other than root; UINT64_MAX: no
				     limit */
	uint64_t opens_cpu;       /* ns that this took so far, with a limit or without */
	uint64_t looked; /* how much run_files_mark() had to look at the last time: processes and
			    mappings */
};

/* False: as recorder_free(). */
bool run_files_free(struct run_files *files);

/* Who runs a process: a number of the shares.  *known: that plus 1, or 0 before it was asked for
 * first.  To ask reads /proc, and is repeated until it is a user other than root: who stays the
 * same as long as the program does. */
uint32_t run_files_user(struct run_files *files, uint32_t pid, uint32_t *known);

/* The number of the file of a mapping, a new one if it is new; 0: there are RECORDER_FILES_MOST
 * others.  One that could not be opened is asked for again.  known: as above, of the process.
 * False when out of memory. */
BC_MUST_USE bool run_files_intern(struct run_files *files, const struct map_event *map,
				  uint32_t *known, uint32_t *out);

static inline struct run_file *run_files_at(const struct run_files *files, uint32_t number)
{
	return &files->at[number - 1];
}

/* A user runs a file, of which it is not known yet what it is, or of which the digest is read: from
 * now on it is of this one's share rather, if that has more left.  Else whoever maps the files of
 * others first could have them wait for its own. */
void run_file_claim(struct run_files *files, struct run_file *file, uint32_t user);

/* For calls that can hang; NULL: they cannot, or there is no memory for it. */
struct file_calls *run_files_calls(struct run_files *files);

/* Asks for a file that is RUN_FILE_NEW, by a mapping of it; it stays so if too many are open, or
 * there is no time to open more.  As long as there is no reply, which is waited for a little, it is
 * RUN_FILE_ASKED: then this looks for the reply.  BC_NOMEM */
BC_MUST_USE bool run_file_ask(struct run_files *files, struct run_file *file,
			      const struct map_event *map, struct bc_error *err);

/* Reads a little more of the digest of one file: of those with so many samples, of the user for
 * whom least was read since all of them have waited, that with most samples for its code.  A file
 * that became another one meanwhile is RUN_FILE_GONE then, one with too much code RUN_FILE_LARGE,
 * and what was counted for it is dropped.  False: there is nothing to read. */
bool run_files_look(struct run_files *files, uint64_t least, struct recorder_stats *stats);

/* A call about it has been under way for so long that it is not waited for. */
bool run_file_hangs(const struct run_file *file);

/* Is there something to read? */
bool run_files_wait(const struct run_files *files, uint64_t least);

/* Drops what was counted for a file after all, and says why in the ledgers. */
void run_file_drop(struct run_files *files, struct run_file *file, enum recorded_drop why,
		   struct recorder_stats *stats);

/* The vaddr of an offset that was run.  False: it lies in no executable segment, widened to whole
 * pages. */
bool run_file_vaddr(const struct run_file *file, uint64_t offset, struct vaddr *out);

/* Forgets what was counted. */
void run_file_clear(struct run_file *file);

/* Sets `mapped` of each.  False when out of memory. */
BC_MUST_USE bool run_files_mark(struct run_files *files, const struct processes *processes);

/* Forgets the files that no process maps and nothing was counted for.  False when out of memory:
 * none was. */
BC_MUST_USE bool run_files_sweep(struct run_files *files, const struct processes *processes);

/* Bytes of its counts. */
uint64_t run_file_memory(const struct run_file *file);

#endif
