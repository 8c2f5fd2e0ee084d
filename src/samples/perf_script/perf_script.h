/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The text that perf script prints: samples, one a line, and among them the
 * PERF_RECORD_ lines of --show-mmap-events and --show-task-events.
 *
 * Kinds of lines and their fields are recognized by their text, so that every
 * list of fields (perf script -F) can be read that has ip or brstack:
 *
 *   30335      7f1f2b1403b0 0x7f1f2b1403c3/0x7f1f2b1403b0/P/-/-/0/  0x...
 *   my app 30335/30336 [001]  2752.373629:  199 cycles:u:  7f1f2b1403b0 f+0x1 (/lib/x)
 *   30335 PERF_RECORD_MMAP2 30335/30335: [0x56508320b000(0xeb000) @ 0xb000 <id>]: r-xp /bin/x
 *
 * Call chains follow a sample in lines that begin with a tab, or where that was lost with
 * blanks or nothing; their first word is
 * the address, of user code in some releases the offset in the file at the end of the line.
 * Where there is a call chain, perf prints no other address unless it is asked to.
 *
 * Lines become events here, one by one or of a whole text.
 */
#ifndef SAMPLES_PERF_SCRIPT_PERF_SCRIPT_H
#define SAMPLES_PERF_SCRIPT_PERF_SCRIPT_H

#include "src/base/lines.h"
#include "src/base/map.h"
#include "src/base/text.h"
#include "src/base/vec.h"
#include "src/samples/event.h"
#include "src/samples/perf_script/script_record.h"
#include "src/samples/read_options.h"

/*
 * Which process a sample is of, in text that names none (perf script --show-mmap-events
 * -F ip,brstack, as llvm-profgen asks for it): of the one that mapped what is at the addresses of
 * the sample.
 */

/* A process that mapped something. */
struct mapping_process {
	uint32_t pid;
	uint32_t programs; /* that it executed before */
};
DEFINE_VEC(mapping_process_vec, struct mapping_process);

/* A part of a file in a process: the addresses from `start` to `last`. */
struct process_part {
	uint64_t start, last;
	uint64_t most_last;   /* of all that are before in `parts`, and of itself */
	uint64_t path, begin; /* which file, and where its first byte would be */
	uint32_t process;     /* index */
	uint32_t program;     /* the number of the program that mapped it */
	uint64_t order;       /* in which it was mapped */
};
DEFINE_VEC(process_part_vec, struct process_part);

/* Zeroed means empty. */
struct script_processes {
	struct mapping_process_vec all;
	struct map by_pid; /* indices of them */
	struct process_part_vec parts;
	bool sorted; /* by their starts */
	uint64_t work;
};

void script_processes_free(struct script_processes *processes);

/* Take what a record says.  Return false when out of memory. */
BC_MUST_USE bool script_processes_map(struct script_processes *processes,
				      const struct map_event *map);
void script_processes_exec(struct script_processes *processes, uint32_t pid);

enum process_found {
	PROCESS_FOUND,
	PROCESS_NONE,    /* no process mapped anything */
	PROCESS_SEVERAL, /* at the only addresses that are mapped, processes have different files */
	PROCESS_WORK,    /* it takes too long to find out */
};

/* If one process mapped anything, every sample is of that.  For several it is the one that was last
 * to map what is at an address of the sample: a child has all that its parent mapped before.
 * Addresses where processes have different files do not count. */
enum process_found script_processes_find(struct script_processes *processes,
					 const struct sample *sample, uint32_t *pid);

/*
 * Which process a thread belongs to.  perf script prints only the tid of a
 * sample unless it is asked for the pid, so it is learned from the records of
 * threads, which have both.
 */

struct thread {
	uint32_t tid, pid;
};
DEFINE_VEC(thread_vec, struct thread);

/* Zeroed means empty. */
struct thread_table {
	struct thread_vec all;
	struct map by_tid; /* indices of them */
};

void threads_free(struct thread_table *table);

/* From now on `tid` is a thread of `pid`.  Returns false when out of memory. */
BC_MUST_USE bool threads_learn(struct thread_table *table, uint32_t pid, uint32_t tid);

/* The process of a thread.  A number that is not known is a process's own. */
uint32_t threads_pid(const struct thread_table *table, uint32_t tid);

/* Event names are kept between the lines of one sample; longer ones are cut. */
#define EVENT_NAME_MAX 256

DEFINE_VEC(callchain_vec, uint64_t);
DEFINE_VEC(file_vec, struct text);
DEFINE_VEC(path_vec, char);

struct perf_script {
	const struct event_sink *sink; /* borrowed */
	struct reader_report *report;  /* borrowed */
	struct thread_table threads;
	struct script_processes processes; /* for samples without a process */
	bool names_processes;              /* a sample named its process, as then all do */
	struct branch_vec branches;        /* of the sample at hand */
	struct callchain_vec callchain;    /* of the sample at hand */
	bool callchain_has_ip;             /* the sample's address is in it only ... */
	size_t inlined;                    /* ... after so many inlined functions */
	struct file_vec files; /* of the call chain: texts in `paths`, once it is whole */
	struct path_vec paths;
	struct sample sample;        /* not delivered yet if open.lines is OPEN_SAMPLE */
	uint64_t time;               /* of it */
	struct event_memory *memory; /* of its branches, or NULL */
	const char *file;            /* in which `sample` is ... */
	uint64_t number;             /* ... in this line */
	bool no_pid;                 /* `sample` does not name its process */
	struct script_open open;
	char event[EVENT_NAME_MAX]; /* of `sample` */
};

/* The branch stack of a line that was read before. */
struct read_stack {
	const struct branch *branches;
	size_t count;
	struct event_memory *memory; /* that the branches are in */
};

void perf_script_init(struct perf_script *script, const struct event_sink *sink,
		      struct reader_report *report);
void perf_script_fini(struct perf_script *script);

/* Take one line, whose stack begins at byte `stack`.
 *
 * read  its branch stack, if that was read before; else NULL
 *
 * BC_FORMAT, BC_UNSUPPORTED (symbolic branch stacks, a sample of which no process is known),
 * BC_NOMEM or what the sink said */
BC_MUST_USE bool perf_script_line(struct perf_script *script, const struct line *line, size_t stack,
				  const struct read_stack *read, struct bc_error *err);

/* At the end of the text: deliver the last sample. */
BC_MUST_USE bool perf_script_end(struct perf_script *script, struct bc_error *err);

/*
 * The text that perf2bolt 23 makes with --profile-format=perfscript and reads
 * with -ps: what several runs of perf script printed, one after the other,
 * with a head that says how long each is, in hexadecimal:
 *
 *   PERFTEXT;BUILDIDS=12c;MMAP=937f1;MAIN=5aec9a;TASK=9350a;MEM=0;
 *
 * MMAP and TASK have the records of mappings and processes with their times, and
 * samples among them, which are not used.  MAIN has the samples, without times.
 */

#define PERF_TEXT_MAGIC "PERFTEXT;"

/* Read such a text to its end: first all records, by time, then the samples.
 * Those are held until then, as the records of processes are after them.
 *
 * BC_FORMAT: a head that cannot be read, or what perf_script_line() finds
 * BC_NOMEM, BC_IO */
BC_MUST_USE bool perf_text_lines(struct perf_script *script, struct lines *lines,
				 struct bc_error *err);

/*
 * Text of perf script -D (or perf report -D): each record as bytes, then as words.
 *
 *   0x490@perf.data [0x40]: event: 9
 *   . ... raw event: size 64 bytes
 *   1 14697900391567 0x490 [0x40]: PERF_RECORD_SAMPLE(IP, 0x2): 7/7: 0x7fb3e215e120 period: 1 addr:
 *   0
 *
 * It is no input: what perf prints without -D is between the dumps.
 */

/* The message: what the input is, and what to give instead. */
#define PERF_DUMP_WHY                                                                              \
	"perf script -D printed this, a dump of records: give the recording itself, or what "      \
	"perf script --show-mmap-events prints"

/* Is a line one of such a dump, and of nothing else? */
bool perf_dump_fits(struct text line);

/* The reader of what perf script prints: a text of its own, or the parts of a PERFTEXT. */

/* A reader, see reader.h. */
BC_MUST_USE bool perf_script_read(struct lines *lines, const struct reader_options *options,
				  const struct event_sink *sink, struct reader_report *report,
				  struct bc_error *err);

#endif
