/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * From the bytes of the kernel's ring buffers to counts, one table a file, and to shards
 * (profile/shard.h): all of `batconv record` that makes no system call of the recording.
 *
 *   recorder_open()     knows the event; binaries need not be known
 *   recorder_process()  what /proc says of processes that began before
 *   recorder_ring()     bytes that were copied out of a ring, of all rings in turn, and then
 *   recorder_round()    ends the round: what is older than the round before is counted
 *   recorder_flush()    now and then: hands over what was counted, binary by binary
 *   recorder_drain()    at the end: what waits is counted, too
 *
 * One thread.  A file is what the kernel says of it: device, inode, generation and path; not
 * its build-id, which several outputs of llvm-bolt share.  Addresses are counted as offsets in
 * the file; what was counted for files with the same code (code_digest()) is one binary's.  A
 * branch from one file to another counts for both: "from here out", and "from outside in".
 */
#ifndef RECORD_RECORDER_H
#define RECORD_RECORDER_H

#include <stdio.h>

#include "src/base/bytes.h"
#include "src/count/ledger.h"
#include "src/samples/event.h"
#include "src/record/rings_file.h"

struct recorder;

/* What may be kept in memory, as a rule: tables, records that wait, files, processes. */
#define RECORDER_MEMORY ((uint64_t)64 << 20)

/* Files with executable mappings, at a time; what is mapped of others is counted as dropped. */
#define RECORDER_FILES_MOST 4096

/* The file of a mapping, asked for when the first sample falls in it.  The process may have ended,
 * and the path may be of another mount namespace, or name another file by now: what is opened must
 * have the inode of the mapping (map_event.node), if one is known. */
enum file_answer {
	FILE_OPENED,   /* *fd is for reading; the recorder closes it */
	FILE_LEFT_OUT, /* it is none of those that are wanted */
	FILE_GONE,     /* it cannot be opened (any more) */
};

struct file_opener {
	void *ctx;
	enum file_answer (*open)(void *ctx, const struct map_event *mapping, int *fd);
	/* Who runs a process, a number of a user or NO_USER (shares.h); NULL: nobody knows. */
	uint32_t (*user)(void *ctx, uint32_t pid);
	bool unpacks; /* what it opens is a user's own, which can be compressed or a side file and
			 is read at once; not what a process has mapped, which can change meanwhile
		       */
	bool hangs;   /* any call about what it opens can hang: they are made by threads, which
			 call open(), too */
};

struct recorder_options {
	struct bytes attr; /* the event's struct perf_event_attr, as the kernel got it.  It must
			      have TIME, TID and sample_id_all */
	uint32_t rings;    /* how many there are, at least one */
	uint64_t memory;   /* bytes; 0: RECORDER_MEMORY */
	struct file_opener files;
	FILE *save; /* all that comes is written here, too, after rings_begin(); or NULL */
};

/* Copies what it needs of the options.
 *
 * BC_FORMAT       attr is none
 * BC_UNSUPPORTED  the event records no times or processes
 * BC_NOMEM */
BC_MUST_USE bool recorder_open(const struct recorder_options *options, struct recorder **out,
			       struct bc_error *err);

/* False: a thread hangs in a call about a file, and works with what opens files: end the program
 * without freeing that. */
bool recorder_free(struct recorder *recorder);

/* Take bytes of a ring, in its order; a record can continue in the next call.
 *
 * BC_FORMAT  a damaged record; the text has the ring, and the byte of it since the beginning
 * BC_NOMEM */
BC_MUST_USE bool recorder_ring(struct recorder *recorder, uint32_t ring, struct bytes bytes,
			       struct bc_error *err);

/*
 * What /proc says of processes: at the beginning, and again after records were lost.  Read the
 * clock of the rings first, then /proc, and give that time to all of it: what the rings say of the
 * meantime comes later, and stays. Errors as above.
 */

/* A process lives.  What was known of it is forgotten: it has one thread, and the mappings that are
 * reported next. */
BC_MUST_USE bool recorder_process(struct recorder *recorder, uint32_t pid, uint64_t time,
				  struct bc_error *err);

/* Its executable mappings, as /proc/PID/maps has them, and a thread in addition to the first one
 * (tid != pid). */
BC_MUST_USE bool recorder_maps(struct recorder *recorder, uint32_t pid, struct text maps,
			       uint64_t time, struct bc_error *err);
BC_MUST_USE bool recorder_thread(struct recorder *recorder, uint32_t pid, uint32_t tid,
				 uint64_t time, struct bc_error *err);

/* Not all of its mappings were reported so far, or they are by now: samples in none that is known
 * are of those that were not. */
BC_MUST_USE bool recorder_unread(struct recorder *recorder, uint32_t pid, bool unread,
				 uint64_t time, struct bc_error *err);

/* All processes that live were reported with this time: others have ended. */
BC_MUST_USE bool recorder_scanned(struct recorder *recorder, uint64_t time, struct bc_error *err);

/* Who runs a process: a number of the shares, of which each user has one. */
uint32_t recorder_user(struct recorder *recorder, uint32_t pid);

/* Is there room for one more mapping of a user? */
bool recorder_may_map(const struct recorder *recorder, uint32_t user);
struct shares *recorder_shares(struct recorder *recorder);

/* As run_files_calls(). */
struct file_calls *recorder_calls(struct recorder *recorder);

/* All rings were read. */
BC_MUST_USE bool recorder_round(struct recorder *recorder, struct bc_error *err);

/* No more bytes come. */
BC_MUST_USE bool recorder_drain(struct recorder *recorder, struct bc_error *err);

/* For a file of saved rings, the next round, instead of recorder_ring() and recorder_round();
 * *ended: it was the last one, and recorder_drain() was done. */
BC_MUST_USE bool recorder_replay(struct recorder *recorder, struct rings_reader *reader,
				 bool *ended, struct bc_error *err);

/* Nothing is handed over any more: what was counted and was not taken is dropped as unfinished. */
void recorder_give_up(struct recorder *recorder);

/* What the kernel itself says of all that was lost: what is lost last, no record in the rings shows
 * of.  0: it does not say. */
void recorder_lost(struct recorder *recorder, uint64_t records);

/* Must it be flushed soon, because of its memory?  To be asked after each round. */
bool recorder_is_full(const struct recorder *recorder);

/* A binary, and what was counted for it since it was handed over last. */
struct recorded {
	const char *path;               /* where it was mapped first */
	struct build_id digest;         /* code_digest() */
	struct build_id build_id;       /* GNU's; size 0: it has none */
	bool bolted;                    /* it has a table of llvm-bolt's */
	bool plain;                     /* what was counted are basic samples, not branches */
	uint64_t samples;               /* that were taken in it */
	uint64_t branches;              /* from or to it; 0 if plain */
	struct recorded_counts *counts; /* a taker that keeps them sets NULL, and frees them by
					   recorded_counts_free() */
};

/* The counts as a shard (profile/shard.h).  Errors of the file are the caller's to check; BC_NOMEM,
 * BC_IO */
BC_MUST_USE bool recorded_shard(const struct recorded *recorded, FILE *to, struct bc_error *err);

/* The same as events: BEGIN, NAME, TRACES or ADDRESSES, END.  For a conversion of the binary
 * (flow/conversion.h) they are delivered to conversion->aggregate after conversion_open(), with no
 * files of samples; then come conversion_count() and conversion_convert().  What the sink says. */
BC_MUST_USE bool recorded_deliver(const struct recorded_counts *counts,
				  const struct event_sink *sink, struct bc_error *err);

/* A copy of what was counted so far for files with this code (code_digest()): it stays counted, and
 * is handed over later.  Branches that wait for their types are as far as these are known.  *out
 * NULL: there is nothing, or the digests of its files are not read yet.  *samples: as in struct
 * recorded.  BC_NOMEM */
BC_MUST_USE bool recorder_counts(const struct recorder *recorder, const struct build_id *digest,
				 struct recorded_counts **out, uint64_t *samples,
				 struct bc_error *err);

/* NULL is fine. */
void recorded_counts_free(struct recorded_counts *counts);

/* Reads a little more of the digests of files with so many samples: what is handed over are files
 * whose digests are known.  At most some ms.  False: there is nothing to read. */
bool recorder_look(struct recorder *recorder, uint64_t least);
bool recorder_looks(const struct recorder *recorder, uint64_t least); /* is there? */

/* ns of processor time of other threads for that so far. */
uint64_t recorder_others_cpu(const struct recorder *recorder);

/* For opening files that users other than root and oneself run there is so much processor time, in
 * ns, until that is said again; UINT64_MAX, as at first: no limit.  What was spent on it so far. */
void recorder_limit_opens(struct recorder *recorder, uint64_t ns);
uint64_t recorder_opens_cpu(const struct recorder *recorder);

/* How many files have so many samples. */
size_t recorder_pending(const struct recorder *recorder, uint64_t least);

/* Takes one binary after the other, that with most samples first.  True: its counts are forgotten.
 * False: they stay and are handed over the next time again, with what is counted until then;
 * err->code BC_OK if that is no failure (too few samples for a file of their own). */
struct recorded_taker {
	void *ctx;
	bool (*take)(void *ctx, struct recorded *recorded, struct bc_error *err);
	uint64_t least; /* files with fewer samples are not even looked into, and stay as above; 0:
			   all are handed over */
	/* The last time: nothing stays.  What was not looked at, or is refused without an error, is
	 * dropped as unfinished, and files with fewer samples are counted by few(). */
	bool last;
	void (*few)(void *ctx, uint64_t samples);
};

/* Hand over what was counted.  After a failure of the taker it continues with the next binary; then
 * the first error is returned.  BC_NOMEM.  Files that nothing maps any more are forgotten with
 * their counts. */
BC_MUST_USE bool recorder_flush(struct recorder *recorder, const struct recorded_taker *to,
				struct bc_error *err);

/* X(NAME, key for machines, EXCLUDED or LOST, text for people) */
#define RECORDED_DROPS(X)                                                                          \
	X(LATE, "late", LOST, "out of order: older than a process event that was read before")     \
	X(GUEST, "guest", EXCLUDED, "of virtual machines")                                         \
	X(NO_PROCESS, "no_process", LOST, "of processes whose mappings are not known")             \
	X(NO_STACK, "no_branch_stack", LOST, "without a branch stack")                             \
	X(KERNEL, "kernel", EXCLUDED, "in the kernel")                                             \
	X(NO_FILE, "no_file", EXCLUDED, "in code without a file (JIT, vdso)")                      \
	X(LEFT_OUT, "excluded", EXCLUDED, "in files that were not asked for")                      \
	X(PAST_FILES, "file_limit", LOST, "in files beyond the most that are kept at a time")      \
	X(NO_ROOM, "memory_limit", LOST, "for which the memory did not suffice")                   \
	X(UNREAD, "unread", LOST, "in mappings that were not read yet, or not in time")            \
	X(GONE, "unreadable", LOST, "in files that could not be opened at their paths")            \
	X(NO_PROGRAM, "no_program", EXCLUDED,                                                      \
	  "in files that are no program or library of this kind")                                  \
	X(NO_RESPONSE, "no_response", LOST, "in files whose file system did not respond in time")  \
	X(UNFINISHED, "unfinished", LOST,                                                          \
	  "for which the time did not suffice (--max-overhead, --stop-timeout)")                   \
	X(LARGE, "large", LOST, "in files with more than 512 MiB of code, or with holes in it")    \
	X(PADDING, "padding", EXCLUDED, "in a file, but in none of its executable segments")       \
	X(TOO_FEW, "too_few", LOST, "in files that nothing maps any more, too few for a shard")

#define X(name, key, kind, text) RECORDED_DROP_##name,
enum recorded_drop { RECORDED_DROPS(X) RECORDED_KEPT, RECORDED_DROP_COUNT = RECORDED_KEPT };
#undef X

struct recorder_stats {
	struct ledger samples;  /* dropped by enum recorded_drop */
	struct ledger branches; /* entries of branch stacks; dropped by enum branch_drop */
	uint64_t dropped_later; /* of the samples that were dropped: those that had been kept */
	uint64_t lost; /* records of any kind that the kernel had no room for: mappings may be among
			  them */
	uint64_t lost_samples; /* that were dropped before */
	uint64_t throttled;    /* how often the kernel held sampling back */
	uint64_t rounds;
	uint64_t programs; /* processes that had a sample: a number for each program that one ran */
	uint64_t files;    /* that had a sample */
	size_t processes, mapped_files; /* that are known now */
	uint64_t memory;                /* bytes in use */
};

/* The words of .samples; those of .branches are branch_words. */
extern const struct ledger_words recorded_words;

/* Samples that were kept are dropped after all. */
void recorder_drop_later(struct recorder_stats *stats, enum recorded_drop why, uint64_t samples);

/* So far.  A sample is kept when it was counted for a file; when that turns out to be none, it is
 * dropped after all. */
struct recorder_stats recorder_stats(const struct recorder *recorder);

/* The path of the file with most samples of those that nobody asked for; NULL: there is none. Valid
 * until the recorder takes more. */
const char *recorder_left_out(const struct recorder *recorder);

#endif
