/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Many maps over time, of one process or of several: a program that opens and
 * closes libraries uses an address for one library now and for another later.
 *
 * What two snapshots of a process, or of a process and one that it forked, have in
 * common is stored once: they share their sets.
 */
#ifndef SAMPLES_SNAPSHOTS_H
#define SAMPLES_SNAPSHOTS_H

#include "src/base/build_id.h"
#include "src/base/error.h"
#include "src/base/map.h"
#include "src/base/strings.h"
#include "src/base/vec.h"
#include "src/elf/image.h"
#include "src/samples/map_set.h"

/*
 * The files that are mapped, each kept once and named by a number: in a recording or
 * in the maps of a process they repeat in every mapping.
 */

/* What of the same path has another inode or build-id is another file. */
struct mapped_file {
	uint64_t inode;        /* 0: none, or not known */
	uint32_t major, minor; /* of the device         */
	uint32_t path;         /* text: as the kernel shows it, with " (deleted)",
				  [vdso] and the like; 0: anonymous */
	uint32_t build_id;     /* text: the bytes, or MAPPED_GO_ID and Go's; 0: not recorded */
};

/* What is no GNU build-id but Go's begins with this. */
#define MAPPED_GO_ID "Go build-id: "

/* Zeroed means empty. */
struct mapped_files {
	struct strings texts; /* paths and build-ids */
	struct strings files; /* the bytes of a struct mapped_file */
};

void mapped_files_free(struct mapped_files *files);

/* The number of a file, which is kept if it is new; 0 is the file of which nothing is known.
 * False when out of memory. */
BC_MUST_USE bool mapped_files_intern(struct mapped_files *files, const struct mapped_file *file,
				     uint32_t *out);

/* The numbers that the files of another set have in this one, where they are kept if they are new,
 * by their numbers there.  To be freed; NULL: out of memory. */
uint32_t *mapped_files_translate(const struct mapped_files *from, struct mapped_files *into);

/* The file of a number, its path (NUL-terminated), GNU build-id and Go build-id, of which at most
 * one was recorded; empty for unknown numbers. */
const struct mapped_file *mapped_files_at(const struct mapped_files *files, uint32_t number);
struct text mapped_files_path(const struct mapped_files *files, uint32_t number);
struct text mapped_files_build_id(const struct mapped_files *files, uint32_t number);
struct text mapped_files_go_id(const struct mapped_files *files, uint32_t number);

/* The GNU build-id; of size 0 if it was not recorded, or is longer than any. */
struct build_id mapped_files_id(const struct mapped_files *files, uint32_t number);

/* What a path represents. */
enum path_kind {
	PATH_NONE,    /* anonymous memory */
	PATH_FILE,    /* begins with a slash, deleted or not */
	PATH_SPECIAL, /* [heap], [vdso], [vsyscall], [anon:...], //anon, memfd ... */
};
enum path_kind path_kind_of(struct text path);

/* Without " (deleted)". */
struct text path_without_deleted(struct text path);

/* Is the name that of a shared library: libc-2.15.so, libm.so.6? */
bool path_is_library(struct text path);

/* Is a file the build that was mapped, by its GNU build-id or Go's?  Who maps files by name asks
 * this first. */
enum recorded_build {
	BUILD_NOT_TOLD, /* no id was recorded */
	BUILD_SAME,
	BUILD_OTHER, /* another id was recorded, or the image has none */
};

enum recorded_build build_judge(const struct build_id *id, struct text go_id,
				const struct image *image);
enum recorded_build build_of(const struct mapped_files *files, uint32_t file,
			     const struct image *image);

/* The most mappings that the snapshots of a .bcmaps file do not share, 512 MiB: a small damaged
 * file can ask for any amount. */
#define SNAPSHOTS_MAPPINGS_MOST (UINT32_C(1) << 24)

/* The most snapshots. */
#define SNAPSHOTS_MOST (UINT32_C(1) << 20)

struct snapshot {
	uint32_t pid;
	uint32_t id;          /* unique in its process */
	uint64_t time;        /* ns since when it holds, of the clock of the samples */
	struct map_set *maps; /* a share of it; mapping.file is a number of snapshots->files */
};

DEFINE_VEC(snapshot_vec, struct snapshot);

/* Zeroed means empty. */
struct snapshots {
	struct mapped_files files; /* of all mappings */
	struct snapshot_vec all;   /* in the order in which they were added */
	uint32_t *by_time, *by_id; /* indices, sorted; NULL: never made */
	size_t indexed;            /* of how many snapshots: those that look-ups know */
};

void snapshots_free(struct snapshots *snapshots);

/* How much there is of them. */
struct snapshots_mark {
	size_t snapshots;
	uint32_t texts, files;
};

/* Before something is added that can fail, and after it failed: what was there and indexed is as
 * it was. */
struct snapshots_mark snapshots_mark(const struct snapshots *snapshots);
void snapshots_restore(struct snapshots *snapshots, struct snapshots_mark mark);

/* Add a map, whose files are in snapshots->files; takes a share of the set.  Look-ups do not know
 * it before snapshots_index().
 *
 * BC_UNSUPPORTED  SNAPSHOTS_MOST
 * BC_NOMEM */
BC_MUST_USE bool snapshots_add(struct snapshots *snapshots, uint32_t pid, uint32_t id,
			       uint64_t time, struct map_set *maps, struct bc_error *err);

/* Add all of `from`, and index.  A snapshot whose id its process has already gets the next
 * free one.  Errors as of snapshots_add(), after which `into` is as it was. */
BC_MUST_USE bool snapshots_merge(struct snapshots *into, const struct snapshots *from,
				 struct bc_error *err);

/* The snapshot of an id, or NULL. */
const struct snapshot *snapshots_of_id(const struct snapshots *snapshots, uint32_t pid,
				       uint32_t id);

/* The process's latest snapshot at a time: the last one added of those that are
 * not later.  NULL: none that early, or no such process. */
const struct snapshot *snapshots_at(const struct snapshots *snapshots, uint32_t pid, uint64_t time);

/* The same, where a time of 0 is not known: then it is the last one; else the process's first one;
 * else, if there is one of process 0, which is what maps without a head are of, that. */
const struct snapshot *snapshots_near(const struct snapshots *snapshots, uint32_t pid,
				      uint64_t time);

/* Sort for the look-ups above, which need it after the last addition.  After an error they know
 * what they knew before.
 *
 * BC_FORMAT  a process has two snapshots of one id
 * BC_NOMEM */
BC_MUST_USE bool snapshots_index(struct snapshots *snapshots, struct bc_error *err);

/* The last snapshot of each process, while they are gone through in their order. */

struct last_snapshots {
	struct map by_pid; /* indices of snapshots */
};

/* For at most so many processes.  False when out of memory. */
BC_MUST_USE bool last_snapshots_init(struct last_snapshots *lasts, size_t count);
void last_snapshots_free(struct last_snapshots *lasts);

/* The index of a process's last snapshot.  False: there is none yet. */
bool last_snapshot_find(const struct last_snapshots *lasts, const struct snapshots *snapshots,
			uint32_t pid, uint32_t *number);

/* From now on the snapshot with this index is the last one of its process. */
void last_snapshot_set(struct last_snapshots *lasts, const struct snapshots *snapshots,
		       uint32_t number);

/* The same maps with their executable mappings alone, as samples need no others, and no files but
 * theirs, in *out, which is indexed.  BC_NOMEM */
BC_MUST_USE bool snapshots_executable(const struct snapshots *from, struct snapshots *out,
				      struct bc_error *err);

#endif
