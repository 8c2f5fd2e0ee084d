/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The processes of a recording and what was mapped where in them, at the moment
 * up to which events were given: run-time address -> vaddr.
 *
 * Only process_map(), _exec(), _fork() and _exit() change anything.  Between
 * two of them any number of threads can look up.
 *
 * A process is stored in a few words until it maps the binary; only then is
 * what else it maps kept too, to name what lies outside the binary.
 */
#ifndef ADDRSPACE_PROCESS_H
#define ADDRSPACE_PROCESS_H

#include "src/base/number_set.h"
#include "src/event/event.h"
#include "src/addrspace/file_places.h"
#include "src/addrspace/image_match.h"
#include "src/addrspace/map_set.h"
#include "src/addrspace/mapped_files.h"

struct process {
	uint32_t pid;
	uint32_t threads;     /* that live, without the first one */
	bool used;            /* the row of the table holds a process */
	bool first_ended;     /* its first thread has ended */
	bool has_image;       /* it mapped the binary since it began or exec'd */
	bool maps_forgotten;  /* it mapped something else before that */
	uint64_t base;        /* of the binary's mapping that came last */
	uint64_t elsewhere;   /* where something else was mapped last since then; or 0 */
	struct map_set *maps; /* NULL: none */
};

/* What was seen, for messages and the summary. */
struct locate_report {
	uint64_t executable;  /* executable mappings of anything */
	uint64_t mappings;    /* of the binary that are used */
	uint64_t processes;   /* lives of processes in which the binary was mapped,
	                         by themselves or before they forked */
	uint64_t mistaken;    /* of those: of another build, as build-ids said later */
	uint64_t rebased;     /* mappings of the binary at another base than the
	                         one before in the same process */
	uint64_t misfits;     /* not used: no executable segment is there in the
	                         file, or a static binary's is elsewhere */
	uint64_t other_build; /* not used: the name, but another build-id */
	struct build_id other_build_id; /* of the first of those */
	char *other_build_path;
	char *renamed; /* a file that turned out too late to have the binary's build-id; or NULL */
};

struct process_maps {
	struct image_match match;
	struct process *rows; /* hashed by pid */
	size_t capacity;      /* 0 or a power of two */
	size_t used;
	struct mapped_files files;
	/* Of the recording that is being read, for build-ids that come late: */
	uint64_t processes_before; /* report.processes */
	struct number_set unidentified; /* hashes of paths that were mapped without one */
	char *identified; /* the first file of the binary's name that was mapped with its, or NULL */
	struct file_places places; /* of the binary */
	struct locate_report report;
	uint64_t changes;     /* how often anything changed that a view shows */
	struct map_set *kernel; /* the binary is a kernel: in all processes; else NULL */
};

/* `image` and the strings in `options` are borrowed. */
BC_MUST_USE bool process_maps_init(struct process_maps *maps, const struct image *image,
				   const struct image_match_options *options,
				   struct bc_error *err);
void process_maps_fini(struct process_maps *maps);

/* Forget all processes: what follows is of another recording.  The report goes
 * on, and so does what was found of the binary's name. */
void process_maps_forget(struct process_maps *maps);

/* Something was mapped, and replaces what was mapped there.  A process that has
 * ended begins anew.
 *
 * BC_MISMATCH  two files of different names have the binary's build-id and its
 *              segments: BOLTed builds of one input share their build-id */
BC_MUST_USE bool process_map(struct process_maps *maps, const struct map_event *event,
			     struct bc_error *err);

/* Everything that was mapped is gone. */
BC_MUST_USE bool process_exec(struct process_maps *maps, uint32_t pid, struct bc_error *err);

/* child != parent: a process that has what its parent has mapped; else a thread
 * of the parent.  A child that is known already is a new process. */
BC_MUST_USE bool process_fork(struct process_maps *maps, uint32_t parent, uint32_t child,
			      struct bc_error *err);

/* A thread ended; with the last one the process.  What it had mapped can still
 * be looked up, for samples that come late. */
void process_exit(struct process_maps *maps, uint32_t pid, uint32_t tid);

/* Was code of this file mapped, and used or of another name, when its build-id was not known
 * and might come? */
bool process_maps_unidentified(const struct process_maps *maps, struct text path);

enum located {
	LOCATED_IMAGE,      /* in a mapping of the binary */
	LOCATED_OTHER,      /* in something else that is mapped */
	LOCATED_UNKNOWN,    /* in nothing that is known */
	LOCATED_KERNEL,     /* the top bit is set */
	LOCATED_NO_PROCESS, /* the process has not mapped the binary, whatever
	                       the address; or it is not known at all */
};

/* Two mappings of the binary, to find most addresses in without a search: a BOLTed
 * binary has two that are run. */
struct near_image {
	uint64_t start[2], size[2]; /* those not known yet are of size 0 */
	uint64_t base;              /* of both */
	uint64_t all_start, all_size; /* all mappings of the binary lie in there */
};

/* What one process has mapped at a moment.  Valid until the next change of the
 * maps (process_maps.changes), and beyond that while the reader owns a share of `maps` (map_set_share);
 * each thread has its own, as it remembers where it last found something. */
struct process_view {
	struct map_set *maps; /* borrowed */
	bool has_image;       /* false: nothing can be found */
	bool is_kernel;       /* the binary is one */
	bool maps_forgotten;
	const struct mapping *last;
	struct near_image near;
};

/* Of a process, and of maps that the binary is in. */
struct process_view process_view(const struct process_maps *maps, uint32_t pid);
struct process_view process_view_of(struct map_set *maps);

/* The mapping was not the last one. */
enum located process_view_search(struct process_view *view, struct run_addr at, struct vaddr *out);

/* *out is set for LOCATED_IMAGE only.  O(log mappings), O(1) if it lies in the
 * same mapping as the address before. */
static inline enum located process_view_locate(struct process_view *view, struct run_addr at,
					       struct vaddr *out)
{
	const struct mapping *m = view->last;

	if (!m || at.v - m->start >= m->end - m->start)
		return process_view_search(view, at, out);
	out->v = at.v - m->base;
	return m->is_image ? LOCATED_IMAGE : LOCATED_OTHER;
}

/* The vaddr of an address that is LOCATED_IMAGE, else `outside`, where view->near does not
 * tell; it does the next time. */
uint64_t process_view_far(struct process_view *view, uint64_t run, uint64_t outside);

/* The same where `near` tells: *out is set then.  Without branches that depend on the
 * address. */
static inline bool near_image_find(const struct near_image *near, uint64_t run,
				   uint64_t outside, uint64_t *out)
{
	bool first = run - near->start[0] < near->size[0];
	bool second = run - near->start[1] < near->size[1];
	bool between = run - near->all_start < near->all_size;

	*out = (first | second) ? run - near->base : outside;
	return first | second | !between;
}

/* process_view_locate() for a single address. */
enum located process_locate(const struct process_maps *maps, uint32_t pid, struct run_addr at,
			    struct vaddr *out);

/* A place in a file as perf script prints it in call chains: some releases print the offset
 * in the file, others the run-time address.  Where it could be either, which only a binary
 * that is at a fixed address allows, it is what those before were.  *out is its run-time
 * address if the file is the binary and was mapped there; false if not. */
bool process_find_place(struct process_maps *maps, uint32_t pid, struct text file, uint64_t place,
			struct run_addr *out);

/* A run-time address of something that is not the binary, for places in other files: of
 * another file if one is known, else one where nothing is ever mapped. */
struct run_addr process_elsewhere(const struct process_maps *maps, uint32_t pid);

/* Fails with BC_MISMATCH and a text that says what was mapped, to be used when
 * report.processes is 0. */
bool process_maps_fail_unmapped(const struct process_maps *maps, struct bc_error *err);

/* The same where all that has the binary's name is of another build, such as this file. */
bool process_maps_fail_other_build(const struct process_maps *maps, const struct file_id *other,
				   struct bc_error *err);

#endif
