/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The file that a process has mapped, opened for reading: by its mapping, which works for deleted
 * and replaced files and in any mount namespace, but takes CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE;
 * else as the program of the process; else by its path, as the process sees it and as this program
 * does.  Whatever a path leads to must be the file of the mapping.
 */
#ifndef RECORD_PROC_FILES_H
#define RECORD_PROC_FILES_H

#include <limits.h>
#include <sys/types.h>

#include "src/base/build_id.h"
#include "src/base/error.h"
#include "src/base/vec.h"
#include "src/record/perf_open.h"
#include "src/record/recorder.h"

/* A binary that is asked for. */
struct wanted_file {
	const char *path; /* borrowed */
	dev_t device;
	ino_t inode;
	struct build_id build_id; /* size 0: it has none */
};
DEFINE_VEC(wanted_file_vec, struct wanted_file);

struct proc_files {
	const char *root; /* PROC_ROOT, except for tests */
	bool replayed; /* of processes that are gone, maybe of another host: `wanted` by the names
			  of their files, others by their paths */
	struct wanted_file_vec wanted; /* all, if there are none: of these files, or of copies with
					  their build-id */
	const char *const *patterns;   /* of paths (fnmatch()), likewise */
	size_t pattern_count;
};

/* Adds a binary that is asked for.  BC_IO, BC_FORMAT, BC_NOMEM */
BC_MUST_USE bool proc_files_want(struct proc_files *files, const char *path, struct bc_error *err);
void proc_files_free(struct proc_files *files);

/* A file_opener: ctx is a struct proc_files. */
enum file_answer proc_files_open(void *ctx, const struct map_event *mapping, int *fd);

/* The user who runs a process, by its real number; NO_USER: it is gone.  ctx likewise. */
uint32_t proc_files_user(void *ctx, uint32_t pid);

/* ---- processes and threads ---- */

/*
 * Which processes and threads there are, from /proc.  What begins or ends while the directories
 * are read is missed or listed although it is gone; who opens it learns that from the kernel.
 */

#define PROC_ROOT "/proc" /* `root` of the functions below, except for tests */

/* Adds the ids of all processes.  BC_IO, BC_NOMEM */
BC_MUST_USE bool proc_processes(const char *root, struct task_vec *out, struct bc_error *err);

/* Adds the children of these processes, their children and so on to the list; of processes that it
 * may not see it knows none.  Errors as above. */
BC_MUST_USE bool proc_add_descendants(const char *root, struct task_vec *processes,
				      struct bc_error *err);

/* The directory of a cgroup: as it is named, of cgroup v2 (next to version 1 it is elsewhere), or
 * of the hierarchy that version 1 has for this.  BC_NOTFOUND */
BC_MUST_USE bool proc_cgroup_folder(const char *name, char path[PATH_MAX], struct bc_error *err);

/* Adds the processes of a cgroup, by its directory, and of those below it.  BC_NOMEM */
BC_MUST_USE bool proc_cgroup(const char *cgroup, struct task_vec *out, struct bc_error *err);

/* Adds the ids of the threads of a process.  BC_NOTFOUND: there is no such process, or it has
 * ended; BC_IO, BC_NOMEM */
BC_MUST_USE bool proc_threads(const char *root, int process, struct task_vec *out,
			      struct bc_error *err);

/* Its name, as the kernel has it, of at most 15 bytes; empty if it is gone. */
void proc_name(const char *root, int process, char name[16]);

/* Is this program in a pid namespace of its own, so that the kernel shows it nothing but 0 of
 * processes outside? */
bool proc_is_in_namespace(const char *root);

#endif
