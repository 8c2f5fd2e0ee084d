/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a file that batconv, perf or BOLT reads or writes is: its kind, what is in it, and what to
 * do with it. */
#ifndef FIGURES_INSPECT_H
#define FIGURES_INSPECT_H

#include "src/base/counts.h"
#include "src/base/file.h"
#include "src/base/strings.h"
#include "src/elf/binary.h"
#include "src/profile/shard.h"
#include "src/samples/file_kind.h"
#include "src/samples/history.h"
#include "src/samples/reader.h"

/* ---- a recording: what was recorded, how, when, and in which processes and files ---- */

/* One of several events, files or processes, and its part of the samples; of a file and a process,
 * of the addresses of traces, too. */
struct share {
	uint64_t of; /* an index of names, the number of a file, or a pid */
	uint64_t samples;
	uint64_t addresses; /* of these, such of traces */
};
DEFINE_VEC(share_vec, struct share);
DEFINE_VEC(event_name_vec, char *);

/* What is in `files` for samples of no file. */
#define SHARE_KERNEL  UINT64_MAX       /* the upper half of the addresses, without modules */
#define SHARE_UNKNOWN (UINT64_MAX - 1) /* no known mapping contains the address */

struct recording {
	struct reader_report report;
	struct mapped_files mapped;
	struct history history;
	struct carried *carried; /* while it is read; or NULL */

	uint64_t samples; /* of perf.data and text; or pre-aggregated counts of basic samples */
	uint64_t branches, fall_throughs; /* pre-aggregated: what the records count */
	uint64_t addresses;               /* that traces of the path through the code show */
	uint64_t with_stack, with_chain, without_address;
	uint64_t entries;     /* of all branch stacks */
	size_t max_depth;     /* stack */
	uint64_t first, last; /* ns, time of samples; 0: not known */

	struct event_name_vec names;
	struct share_vec events; /* by name; all three are sorted by samples, most first, when the
				    file is read */
	struct share_vec files;
	struct share_vec processes;
	struct count_table by_file, by_pid; /* while it is read */
	size_t last_event;
};

/* The program of a process: the executable file that is mapped lowest, except for shared libraries
 * by their names, which can lie lower in old recordings that do not say of exec(); of nothing but
 * libraries the lowest.  Empty if none is known. */
struct text recording_program(const struct recording *recording, uint32_t pid);

/* ---- a profile of BOLT: what it says of itself ---- */

struct profile_facts {
	bool basic;  /* counts of addresses, no branches */
	bool bolted; /* fdata: of the input binary, by way of a BAT */
	uint64_t functions;
	uint64_t records; /* fdata: lines that count; YAML: blocks */
	uint64_t count; /* sum of the records' counts; of YAML: how often functions were entered */
	uint64_t mispredicted; /* fdata */
	char events[256], binary[256], build_id[48],
		origin[64]; /* what the head says; cut if longer */
};

/* ---- any file ---- */

/* What a file that a recording names is here and now. */
enum local_file {
	LOCAL_NONE,  /* not here, or no ELF file */
	LOCAL_OTHER, /* another build: build-ids differ */
	LOCAL_PLAIN, /* not BOLTed */
	LOCAL_LOST,  /* BOLTed, without a BAT */
	LOCAL_BAT,
};

/* So many processes and files are reported. */
#define INSPECT_LISTED ((size_t)10)

struct inspected {
	const char *path;
	bool seeks_input; /* set by the caller: `next` names the input binary where its build-id
			     finds it */
	enum file_kind kind;
	const struct foreign *foreign; /* FILE_FOREIGN */
	enum packing packing;          /* of files; of samples report.packing */
	bool is_shard;                 /* `shard` is what it says of itself */
	struct shard shard;
	struct binary binary;       /* FILE_BINARY, FILE_SIDE, FILE_NOTE */
	struct recording recording; /* FILE_SAMPLES, also those that only all of it shows */
	enum local_file local[INSPECT_LISTED]; /* of recording.files */
	struct profile_facts profile;          /* FILE_FDATA, FILE_YAML */
	char json_format[64]; /* FILE_JSON: the value of its "format" or "schema", or empty */
	char bat_wrong[768];  /* why the BAT cannot be read; else empty */
};

/* Zeroed before, except for .seeks_input; inspected_free() it in any case.
 *
 * carried  of several files: a later part of the recording before continues from there; or NULL
 *
 * BC_FORMAT  also: nothing that is known here
 * BC_IO, BC_NOMEM, BC_UNSUPPORTED */
BC_MUST_USE bool inspect_file(const char *path, struct input_progress progress,
			      struct carried *carried, struct inspected *out, struct bc_error *err);
void inspected_free(struct inspected *inspected);

/* All of it, and what to do with the file. */
void inspect_text(const struct inspected *found, FILE *out);
void inspect_json(const struct inspected *found, FILE *out);

#endif
