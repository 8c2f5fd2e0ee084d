/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Where the binary is in the processes of a recording: run-time address -> vaddr.
 *
 * Events alone change anything.  Between two of them any number of threads can look up.
 *
 * A process is stored in a few words until it maps the binary; only then is
 * what else it maps kept too, to name what lies outside the binary.
 */
#ifndef SAMPLES_IMAGE_SPACE_H
#define SAMPLES_IMAGE_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/samples/image_match.h"
#include "src/samples/kernel_space.h"
#include "src/samples/processes.h"
#include "src/base/attr.h"
#include "src/base/map.h"
#include "src/base/text.h"
#include "src/base/vec.h"

/*
 * Which programs were mapped how often, to show a user whose binary was not
 * among them.  Shared libraries do not count: they are in every process.
 */

/* Programs beyond this number are not remembered: it is for a message only. */
#define MOST_MAPPED_MAX 256

struct counted_program {
	char *path;
	uint64_t count;
	struct build_id id; /* size 0 if it is not known */
};

DEFINE_VEC(counted_program_vec, struct counted_program);

/* Zeroed means empty. */
struct most_mapped {
	struct counted_program_vec all;
	size_t last; /* counted last: mappings of one file come in a row */
};

void most_mapped_free(struct most_mapped *files);

/* Returns false when out of memory. */
BC_MUST_USE bool most_mapped_count(struct most_mapped *files, struct text path,
				   const struct build_id *id);

/* The file that was mapped most, or NULL. */
const struct counted_program *most_mapped_first(const struct most_mapped *files);

/* The names of those that were mapped most, with commas; "none" if empty. */
void most_mapped_names(const struct most_mapped *files, char *out, size_t size);

/*
 * Which offsets in the binary's file were mapped as which vaddrs.  The mappings say so, in
 * every process the same, also where the profiled binary had its segments elsewhere in the file.
 */

/* A binary has two or three; more than these are not remembered. */
#define FILE_PLACES_MOST 64

struct file_place {
	uint64_t offset, size; /* in the file */
	uint64_t vaddr;        /* of its beginning */
};

/* Zeroed means empty. */
struct file_places {
	struct file_place at[FILE_PLACES_MOST];
	size_t len;
	/* How often a location could be an offset only, and a run-time address only: a recording
	 * has one of the two throughout. */
	uint64_t offsets, addresses;
};

void file_places_note(struct file_places *places, struct file_place place);

/* The vaddr of an offset.  False: it was not mapped. */
bool file_places_find(const struct file_places *places, uint64_t offset, uint64_t *vaddr);

/* What was seen, for messages and the summary. */
struct image_report {
	uint64_t executable;            /* executable mappings of anything */
	uint64_t mappings;              /* of the binary that are used */
	uint64_t identified;            /* of those: with its build-id */
	uint64_t processes;             /* lives of processes in which the binary was mapped,
					   by themselves or before they forked */
	uint64_t mistaken;              /* of those: of another build, as build-ids said later */
	uint64_t rebased;               /* mappings of the binary at another base than the
					   one before in the same process */
	uint64_t misfits;               /* not used: no executable segment is there in the
					   file, or a static binary's is elsewhere */
	uint64_t other_build;           /* not used: the name, but another build-id */
	struct build_id other_build_id; /* of the first of those */
	char *other_build_path;
	char *bolted;  /* a file that llvm-bolt made of the binary, by their build-ids; or NULL */
	char *renamed; /* a file that turned out too late to have the binary's build-id; or NULL */
};

struct image_given; /* image_given.h */

struct image_process {
	struct process process;
	uint64_t base;       /* of the binary's mapping that came last */
	uint64_t since;      /* ns: that it runs this program, as the recording shows; or 0 */
	uint32_t snapshot;   /* that it has from outside, by its number from 1; or 0 */
	bool given;          /* the binary's mapping is of that (image_given.h) */
	bool follows;        /* all of it, of the one that is of the time of a sample */
	bool begun;          /* the recording shows how this program began */
	bool mapped;         /* it mapped the binary since it began or exec'd */
	bool maps_forgotten; /* it mapped something else before that */
};

/* The tables of a space have no other processes than image_process. */
extern const struct process_owner image_owner;

struct image_space {
	struct image_match match;
	struct processes processes;
	struct processes before; /* those of the recording before, until this one has reported a
	time */
	struct most_mapped files;
	/* For the recording that is being read, for build-ids that come late: */
	uint64_t processes_before;      /* report.processes */
	struct number_set unidentified; /* hashes of paths that were mapped without one */
	char *identified; /* the first file of the binary's name that was mapped with its, or NULL
			   */
	struct file_places places; /* of the binary */
	struct image_report report;
	uint64_t path_seed;         /* of the hashes in `unidentified` */
	uint64_t changes;           /* how often anything changed that a view shows */
	struct image_given *given;  /* maps from outside, or NULL */
	struct kernel_space kernel; /* the binary is a kernel: in all processes */
};

/* `image` and the strings in `options` are borrowed. */
BC_MUST_USE bool image_space_init(struct image_space *space, const struct image *image,
				  const struct image_match_options *options, struct bc_error *err);
void image_space_fini(struct image_space *space);

/* Forget all processes: what follows is of another recording, unless EVENT_CONTINUES comes.  Its
 * counts continue, and so does what was found of the binary's name. */
void image_space_forget(struct image_space *space);

/* Take any event: what it says of processes.  A mapping replaces what was mapped there; a process
 * that has ended begins.
 *
 * BC_MISMATCH  two files of different names have the binary's build-id and its
 *              segments: BOLTed builds of one input share their build-id
 * BC_NOMEM */
BC_MUST_USE bool image_space_event(struct image_space *space, const struct event *event,
				   struct bc_error *err);

/* Was code of this file mapped, and used or of another name, when its build-id was not known
 * and might come? */
bool image_space_unidentified(const struct image_space *space, struct text path);

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
	uint64_t start[2], size[2];   /* those not known yet are of size 0 */
	uint64_t base;                /* of both: run-time address - vaddr */
	uint64_t all_start, all_size; /* all mappings of the binary lie in there */
};

/* What one process has mapped at a moment.  Valid until the next change of the
 * space (image_space.changes), and beyond that while the reader owns a share of `maps`
 * (map_set_share); each thread has its own, as it remembers where it last found something. */
struct process_view {
	struct map_set *maps; /* borrowed */
	bool has_image;       /* false: nothing can be found */
	bool is_kernel;       /* the binary is one */
	bool given; /* no mapping of the binary was recorded: what is known of it was given */
	bool maps_forgotten;
	const struct mapping *last;
	struct near_image near;
};

/* For a process, and of maps that the binary is in. */
struct process_view process_view(const struct image_space *space, uint32_t pid);
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
	out->v = at.v - m->start + m->offset;
	return m->file == FILE_IMAGE ? LOCATED_IMAGE : LOCATED_OTHER;
}

/* The vaddr of an address that is LOCATED_IMAGE, else `outside`, where view->near does not
 * show; it does the next time. */
struct trace_end process_view_far(struct process_view *view, struct run_addr run,
				  struct trace_end outside);

/* The same where `near` shows: *out is set then.  Without branches that depend on the
 * address. */
static inline bool near_image_find(const struct near_image *near, struct run_addr run,
				   struct trace_end outside, struct trace_end *out)
{
	bool first = run.v - near->start[0] < near->size[0];
	bool second = run.v - near->start[1] < near->size[1];
	bool between = run.v - near->all_start < near->all_size;

	out->word = (first | second) ? run.v - near->base : outside.word;
	return first | second | !between;
}

/* The run-time address of a location in a file as perf script prints it in call chains: some
 * releases print the offset in the file, others the run-time address.  Where it could be either,
 * which only a binary that is at a fixed address allows, it is what those before were.  For
 * another file than the binary: an address where that, or nothing, is mapped. */
struct run_addr image_space_find_place(struct image_space *space, uint32_t pid, struct text file,
				       uint64_t place);

/* Fails with BC_MISMATCH and a text that says what was mapped, to be used when
 * report.processes is 0. */
bool image_space_fail_unmapped(const struct image_space *space, struct bc_error *err);

/* The same where all that has the binary's name is of another build, such as this file. */
bool image_space_fail_other_build(const struct image_space *space, const struct file_id *other,
				  struct bc_error *err);

/* Decides which mappings are the binary's, and counts the others. */

/* Find out what an executable mapping is and count it; *out, which has its range, gets FILE_IMAGE
 * and its vaddr if it is the binary's.
 *
 * near  base of the binary's mapping before in this process, or NULL
 *
 * Errors as of image_match(). */
BC_MUST_USE bool image_judge(struct image_space *space, const uint64_t *near,
			     const struct map_event *event, struct mapping *out,
			     struct bc_error *err);

/*
 * Build-ids that are known only when mappings were given and matched by name: do they
 * say the same?
 */

/* Compare those of files that were mapped when their build-id was not known yet.  What was counted
 * cannot be taken back, and what was not is gone.  A file of another name that has the binary's
 * build-id, next to one that has both, is only counted: BOLTed builds of one input share their
 * build-id.
 *
 * BC_MISMATCH  a file of the binary's name is of another build, or one of another name
 *              is the binary; the text says which
 * BC_NOMEM */
BC_MUST_USE bool late_build_ids_check(struct image_space *space, const struct file_id *files,
				      size_t count, struct bc_error *err);

#endif
