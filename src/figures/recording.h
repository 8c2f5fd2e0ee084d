/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a file of samples is: what was recorded, how, when, and in which processes and files.
 * One pass; memory grows with the processes and mappings, not with the samples.
 */
#ifndef FIGURES_RECORDING_H
#define FIGURES_RECORDING_H

#include "src/samples/history.h"
#include "src/base/counts.h"
#include "src/samples/reader.h"

/* One of several events, files or processes, and its part of the samples; of a file and a process, of the addresses of traces, too. */
struct share {
	uint64_t of; /* an index of names, the number of a file, or a pid */
	uint64_t samples;
	uint64_t addresses; /* of these, such of traces */
};
DEFINE_VEC(share_vec, struct share);
DEFINE_VEC(event_name_vec, char *);

/* What stands in `files` for samples of no file. */
#define SHARE_KERNEL UINT64_MAX        /* the upper half of the addresses, without modules */
#define SHARE_UNKNOWN (UINT64_MAX - 1) /* no known mapping contains the address */

struct recording {
	struct reader_report report;
	struct mapped_files mapped;
	struct history history;
	struct carried *carried; /* while it is read; or NULL */

	uint64_t samples; /* of perf.data and text; or pre-aggregated counts of plain samples */
	uint64_t branches, fall_throughs; /* pre-aggregated: what the records count */
	uint64_t addresses; /* that traces of the way through the code tell */
	uint64_t with_stack, with_chain, without_address;
	uint64_t entries; /* of all branch stacks */
	size_t deepest;   /* stack */
	uint64_t first, last; /* ns, time of samples; 0: not known */

	struct event_name_vec names;
	struct share_vec events; /* by name; all three are sorted by samples, most first, when the file is read */
	struct share_vec files;
	struct share_vec processes;
	struct count_table by_file, by_pid; /* while it is read */
	size_t last_event;
};

/* `recording` is zeroed before; recording_free() it in any case.  Errors as of input_run().
 *
 * carried  a later part of the recording before goes on from there; NULL: none does */
BC_MUST_USE bool recording_read(const char *path, struct input_progress progress, struct carried *carried,
				struct recording *recording, struct bc_error *err);
void recording_free(struct recording *recording);

/* Was anything counted?  Also after an error. */
bool recording_has_any(const struct recording *recording);

/* The program of a process: the executable file that is mapped lowest, but for shared libraries by
 * their names, which can lie lower in old recordings that do not tell of exec(); of nothing but
 * libraries the lowest.  Empty if none is known. */
struct text recording_program(const struct recording *recording, uint32_t pid);

#endif
