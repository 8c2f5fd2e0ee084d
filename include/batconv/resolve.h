/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Raw addresses -> library, offset, function; after the sampling, not during it.
 *
 * A resolver opens each library once and keeps what it learns of a map.  It is not
 * to be used by two threads at once.
 */
#ifndef BATCONV_RESOLVE_H
#define BATCONV_RESOLVE_H

#include "batconv/maps.h"

#ifdef __cplusplus
extern "C" {
#endif

struct batconv_raw_stack {
	uint64_t time;           /* ns */
	uint32_t pid;
	uint32_t map;            /* id, or BATCONV_MAP_BY_TIME */
	const struct batconv_run_addr *addresses; /* innermost first; those behind it
	                                             are return addresses */
	size_t count;
};
#define BATCONV_MAP_BY_TIME UINT32_MAX

struct batconv_frame {
	struct batconv_run_addr raw; /* as given */
	bool has_map;                /* the snapshots have a map for the stack, */
	uint32_t pid, map;           /* of this process, and of this id: it was looked in */
	const char *library;         /* the path that is mapped there; "[unknown]" if
	                                nothing is, "[kernel]" */
	bool has_offset;
	struct batconv_file_off offset; /* in the library's file */
	bool has_vaddr;              /* the library's file could be opened */
	struct batconv_vaddr vaddr;
	const char *function;        /* NULL: not known, or not asked for */
	uint64_t function_offset;
};

enum {
	BATCONV_FUNCTIONS = 1, /* look for functions, in the files that were mapped too */
	BATCONV_INPUT = 2,     /* functions of the input binary, where there is a BAT */
};

struct batconv_resolver;

/* The snapshots must outlive the resolver, and not change while it is used.
 * NULL: out of memory. */
BATCONV_API struct batconv_resolver *batconv_resolver_new(struct batconv_snapshots *snapshots,
							  unsigned options);
BATCONV_API void batconv_resolver_free(struct batconv_resolver *resolver);

/* Take this file for what is mapped under its name or build-id; before the first
 * stack.  Errors as of batconv_image_open(). */
BATCONV_API BATCONV_MUST_USE bool batconv_resolver_add(struct batconv_resolver *resolver,
						       const char *path, struct batconv_error *err);

/* Resolve one stack into out[0 .. stack->count).  Every address gets a frame.  Strings
 * live as long as the resolver.  Of a return address the call is looked up, one byte
 * before.  BATCONV_NOMEM: out[] says nothing then; the same call can be made again. */
BATCONV_API BATCONV_MUST_USE bool batconv_resolve_stack(struct batconv_resolver *resolver,
							const struct batconv_raw_stack *stack,
							struct batconv_frame *out,
							struct batconv_error *err);

/* A single address of a process at a time. */
BATCONV_API BATCONV_MUST_USE bool batconv_resolve(struct batconv_resolver *resolver, uint32_t pid,
						  uint64_t time, struct batconv_run_addr at,
						  struct batconv_frame *out,
						  struct batconv_error *err);

/* Many stacks: the frames of all, one stack behind the other, in out[]. */
BATCONV_API BATCONV_MUST_USE bool batconv_resolve_batch(struct batconv_resolver *resolver,
							const struct batconv_raw_stack *stacks,
							size_t count, struct batconv_frame *out,
							struct batconv_error *err);

#ifdef __cplusplus
}
#endif

#endif
