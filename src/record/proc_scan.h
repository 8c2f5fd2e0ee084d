/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which processes and threads there are, from /proc.  What begins or ends while the directories are
 * read is missed or listed although it is gone; who opens it is told so by the kernel.
 */
#ifndef RECORD_PROC_SCAN_H
#define RECORD_PROC_SCAN_H

#include "src/base/error.h"
#include "src/record/perf_open.h"

#define PROC_ROOT "/proc" /* `root` of the functions below, but for tests */

/* Adds the ids of all processes.  BC_IO, BC_NOMEM */
BC_MUST_USE bool proc_processes(const char *root, struct task_vec *out, struct bc_error *err);

/* Adds the children of these processes, their children and so on to the list.  Errors as above. */
BC_MUST_USE bool proc_add_descendants(const char *root, struct task_vec *processes,
				      struct bc_error *err);

/* Adds the ids of the threads of a process.  BC_NOTFOUND: there is no such process, or it has
 * ended; BC_NOMEM */
BC_MUST_USE bool proc_threads(const char *root, int process, struct task_vec *out,
			      struct bc_error *err);

/* Its name, as the kernel has it, of at most 15 bytes; empty if it is gone. */
void proc_name(const char *root, int process, char name[16]);

/* Is this program in a pid namespace of its own, so that the kernel tells it nothing but 0 of
 * processes outside? */
bool proc_is_in_namespace(const char *root);

#endif
