/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Raw addresses -> library, offset, function; after the sampling, not during it.
 *
 * A resolver opens each library once and keeps what it learns of a map.  One thread at a
 * time may use a resolver, and its snapshots while it does.  Between two calls snapshots can be
 * added to.
 */
#ifndef BATCONV_RESOLVE_H
#define BATCONV_RESOLVE_H

#include "batconv/maps.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Set to 0 before it is filled in. */
struct batconv_raw_stack {
	uint64_t time; /* ns */
	uint32_t pid;
	uint32_t map;                             /* id, or BATCONV_MAP_BY_TIME */
	const struct batconv_run_addr *addresses; /* innermost first; those after it
						     are return addresses */
	size_t count;
	uint64_t reserved[2]; /* 0 */
};
#define BATCONV_MAP_BY_TIME UINT32_MAX /* a map that has this id is found by its time alone */

struct batconv_frame {
	struct batconv_run_addr raw; /* as given */
	bool has_map;                /* the snapshots have a map for the stack: ... */
	uint32_t pid, map;           /* ... the map with this id, of this process */
	const char *library;         /* the path that is mapped there; "[unknown]" if
					nothing is, "[kernel]"; "[impossible]"
					for what is no address */
	bool has_offset;
	struct batconv_file_off offset; /* in the library's file */
	bool has_vaddr;                 /* the library's file could be opened */
	struct batconv_vaddr vaddr;
	const char *function;     /* NULL: not known, or not asked for */
	uint64_t function_offset; /* bytes from its beginning */
	const char *file;         /* of the source; NULL: not known, or not asked for */
	uint32_t line; /* where the function is, or where it calls what was inlined; 0: not known */
	size_t inlined;       /* calls that were inlined there, by batconv_frame_inlined() */
	const void *calls;    /* for batconv_frame_inlined() */
	uint64_t reserved[2]; /* 0 */
};

/* A function that was inlined into another one, and where in it the address is. */
struct batconv_inlined {
	const char *function; /* NULL: DWARF has no name for it */
	const char *file;     /* NULL: not known */
	uint32_t line;        /* 0: not known */
	uint64_t reserved[2]; /* 0 */
};

/* What to look for. */
enum batconv_lookup {
	BATCONV_LOOKUP_FUNCTIONS = 1, /* functions, in the files that were mapped too */
	BATCONV_LOOKUP_INPUT = 2,     /* functions of the input binary, where there is a BAT */
	BATCONV_LOOKUP_LINES = 4,     /* functions, and files and lines of the source, from DWARF */
	BATCONV_LOOKUP_INLINES =
		8, /* functions, and the calls that were inlined, with their lines */
};
/* DWARF is read by libdw, which is loaded when it is first needed; without it resolving fails
 * with BATCONV_ERROR_UNSUPPORTED.  Out of memory, libdw can end the program, or
 * leave lines out.  libdw asks the servers in DEBUGINFOD_URLS for debug files that are
 * not here: unset it to stay offline. */

struct batconv_resolver;

/* Make a resolver that uses the snapshots until it is closed: they must not be freed before.
 *
 * lookup   BATCONV_LOOKUP_FUNCTIONS | ..., or 0: libraries and offsets alone
 *
 * BATCONV_ERROR_ARGUMENT  a bit that this release does not know
 * BATCONV_ERROR_NOMEM */
BATCONV_API BATCONV_MUST_USE bool batconv_resolver_open(struct batconv_snapshots *snapshots,
							uint32_t lookup,
							struct batconv_resolver **out,
							struct batconv_error *err);
BATCONV_API void batconv_resolver_close(struct batconv_resolver *resolver);

/* Use this file as the binary that is mapped under its name or with its build-id.  Call it
 * before the first stack is resolved.  Errors as of batconv_image_open(). */
BATCONV_API BATCONV_MUST_USE bool batconv_resolver_add(struct batconv_resolver *resolver,
						       const char *path, struct batconv_error *err);

/* Resolve stacks: the frames of all, one stack after the other, in out[].  Every address gets a
 * frame. Strings live as long as the resolver.  For a return address the call is looked up, one
 * byte before.
 *
 * most   room in out[], in frames: no less than the addresses of all stacks
 *
 * BATCONV_ERROR_ARGUMENT     too little room; a reserved member of a stack that is not 0
 * BATCONV_ERROR_UNSUPPORTED  lines without libdw
 * BATCONV_ERROR_NOMEM
 *
 * Where it fails out[] is not to be used, and the same call can be made again. */
BATCONV_API BATCONV_MUST_USE bool batconv_resolve_stacks(struct batconv_resolver *resolver,
							 const struct batconv_raw_stack *stacks,
							 size_t count, struct batconv_frame *out,
							 size_t most, struct batconv_error *err);

/* A single address of a process at a time, as a stack of one. */
BATCONV_API BATCONV_MUST_USE bool batconv_resolve(struct batconv_resolver *resolver, uint32_t pid,
						  uint64_t time, struct batconv_run_addr at,
						  struct batconv_frame *out,
						  struct batconv_error *err);

/* The calls that were inlined where a frame's address is: number 0 is the innermost one.  False:
 * there are no more.  Strings live as long as the resolver. */
BATCONV_API bool batconv_frame_inlined(const struct batconv_frame *frame, size_t number,
				       struct batconv_inlined *out);

#ifdef __cplusplus
}
#endif

#endif
