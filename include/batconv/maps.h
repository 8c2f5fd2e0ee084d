/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What is mapped where in a process, at one moment (struct batconv_maps) or over
 * time and in several processes (struct batconv_snapshots).
 *
 * Threads and memory: as address.h says.
 */
#ifndef BATCONV_MAPS_H
#define BATCONV_MAPS_H

#include "batconv/address.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that the program runs with, as BATCONV_VERSION_NUMBER. */
BATCONV_API uint32_t batconv_version(void);

/* Flags of a region. */
enum batconv_region_flags {
	BATCONV_REGION_READ = 1,
	BATCONV_REGION_WRITE = 2,
	BATCONV_REGION_EXEC = 4,
	BATCONV_REGION_SHARED = 8,
};

struct batconv_region {
	struct batconv_run_addr start, end; /* [start, end) */
	struct batconv_file_off offset;     /* of `start` in the file */
	uint32_t flags;                     /* BATCONV_REGION_READ | ... */
	/* Strings are those of the snapshots that the map belongs to. */
	const char *path;        /* NULL: anonymous memory; can have any bytes but NUL, and
				    " (deleted)" at its end */
	const uint8_t *build_id; /* GNU's, as recorded; NULL: not */
	size_t build_id_size;    /* bytes; 0: not recorded */
	const char *go_build_id; /* Go's, as recorded where there is no GNU one; NULL: not */
	uint64_t reserved[2];    /* 0 */
};

/* Many maps over time.  Strings of their regions live as long as the snapshots. */
struct batconv_snapshots;

/* One map, prepared for lookups, which nothing changes.  It uses strings of its snapshots:
 * close it before them.  Adding to the snapshots changes no map that was made before, but
 * batconv_maps_region() may not be called for one of their maps meanwhile. */
struct batconv_maps;

/* NULL: out of memory. */
BATCONV_API BATCONV_MUST_USE struct batconv_snapshots *batconv_snapshots_new(void);
BATCONV_API void batconv_snapshots_free(struct batconv_snapshots *snapshots);

/* A call that fails leaves the snapshots as they were.
 *
 * Add the text of a /proc/PID/maps.  id: not used before for this pid; time in ns.
 *
 * BATCONV_ERROR_FORMAT    a line that cannot be read, or begins another map
 * BATCONV_ERROR_ARGUMENT  this process has a map of this id
 * BATCONV_ERROR_UNSUPPORTED, BATCONV_ERROR_NOMEM */
BATCONV_API BATCONV_MUST_USE bool
batconv_snapshots_add_text(struct batconv_snapshots *snapshots, uint32_t pid, uint32_t id,
			   uint64_t time, const char *text, size_t size, struct batconv_error *err);

/* Add the maps of a running process as they are now, with the build-ids that its
 * memory has.  BATCONV_ERROR_NOTFOUND, BATCONV_ERROR_IO, BATCONV_ERROR_NOMEM. */
BATCONV_API BATCONV_MUST_USE bool batconv_snapshots_add_process(struct batconv_snapshots *snapshots,
								uint32_t pid,
								struct batconv_error *err);

/* Add all of a file: .bcmaps, text of batconv_capture_maps(), perf.data or the text of
 * perf script.  The text of the error names the file.
 *
 * partial   whether the file was cut, or has parts that could not be read: what is whole was added
 *           then.  Can be NULL
 *
 * A map whose id its process has already gets the next one that is free, or where none is above,
 * the lowest.
 *
 * BATCONV_ERROR_FORMAT, BATCONV_ERROR_UNSUPPORTED, BATCONV_ERROR_IO, BATCONV_ERROR_NOMEM
 *
 * Each file is read by itself: of the later parts of a recording (perf record --switch-output),
 * which do not show what the processes had mapped before, there is what they show alone.  `batconv
 * maps --add` takes the parts together, and its file can be added here. */
BATCONV_API BATCONV_MUST_USE bool batconv_snapshots_add_file(struct batconv_snapshots *snapshots,
							     const char *path, bool *partial,
							     struct batconv_error *err);

/* Write them as .bcmaps, instead of what is at the path, when all is written.  BATCONV_ERROR_IO,
 * BATCONV_ERROR_NOMEM. */
BATCONV_API BATCONV_MUST_USE bool batconv_snapshots_write(const struct batconv_snapshots *snapshots,
							  const char *path,
							  struct batconv_error *err);

struct batconv_snapshot {
	uint32_t pid, id;
	uint64_t time; /* ns */
	size_t regions;
	uint64_t reserved[2]; /* 0 */
};

/* In the order in which they were added.  False: there are no more. */
BATCONV_API bool batconv_snapshots_get(const struct batconv_snapshots *snapshots, size_t number,
				       struct batconv_snapshot *out);

/* The map of a process at a time in ns (the latest one not after it), or of an id.
 * BATCONV_ERROR_NOTFOUND: there is none.  BATCONV_ERROR_NOMEM. */
BATCONV_API BATCONV_MUST_USE bool batconv_maps_open_at(const struct batconv_snapshots *snapshots,
						       uint32_t pid, uint64_t time,
						       struct batconv_maps **out,
						       struct batconv_error *err);
BATCONV_API BATCONV_MUST_USE bool batconv_maps_open_id(const struct batconv_snapshots *snapshots,
						       uint32_t pid, uint32_t id,
						       struct batconv_maps **out,
						       struct batconv_error *err);
BATCONV_API void batconv_maps_close(struct batconv_maps *maps);

/* A region of a map, by ascending address.  False: there are no more. */
BATCONV_API bool batconv_maps_region(const struct batconv_maps *maps, size_t number,
				     struct batconv_region *out);

/* The number of the region that holds an address, or BATCONV_NOWHERE.  A binary
 * search: O(log regions). */
#define BATCONV_NOWHERE UINT32_MAX
BATCONV_API uint32_t batconv_maps_find(const struct batconv_maps *maps, struct batconv_run_addr at);

/* The same for many addresses: out[i] is the number for at[i].  Ascending addresses are
 * found faster than others. */
BATCONV_API void batconv_maps_find_all(const struct batconv_maps *maps,
				       const struct batconv_run_addr *at, size_t count,
				       uint32_t *out);

#ifdef __cplusplus
}
#endif

#endif
