/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * From raw addresses to frames: which library, where in its file, and, if it can be
 * opened, which function of it or of the input binary that BOLT read.
 *
 * The innermost address is that of an instruction.  The others are return
 * addresses: they point after the call, at the next line, block or even function,
 * so they are looked up one byte before.  What is known of a frame is said of the
 * address as it was given.  Nothing is dropped: an address in no mapping is a frame of
 * the library "[unknown]", one of the kernel of "[kernel]", and what no address can be, which
 * is found where there are no frame pointers, of "[impossible]".
 */
#ifndef ADDRESS_FRAMES_H
#define ADDRESS_FRAMES_H

#include "src/address/debug_lines.h"
#include "src/elf/binary.h"
#include "src/samples/loads.h"
#include "src/samples/processes.h"
#include "src/samples/snapshots.h"

/*
 * The files that frames lie in, each opened once: for bases, functions and BAT.
 */

struct library {
	bool opened;      /* else nothing is known of it */
	const char *path; /* of the file that was opened */
	const struct binary *binary;
	struct binary own;          /* unless it was given */
	bool source_asked;          /* for lines: */
	struct debug_lines *source; /* NULL: it has none that are right */
};

/* A file that the user names for what is mapped under its name or build-id. */
struct given_binary {
	const char *path;
	struct binary binary;
};

struct libraries {
	const struct mapped_files *files; /* borrowed: of the maps */
	struct given_binary *given;       /* borrowed */
	size_t given_count;
	bool open_mapped; /* open files under the path that was mapped */
	const struct debug_dirs
		*dirs;       /* where debug files are looked for, too; NULL: nowhere else */
	bool inlines;        /* sources show inlined calls, too */
	struct library **at; /* by the number of the file; NULL: not asked for yet */
	size_t len;
};

void libraries_free(struct libraries *libraries);

/* The library of a mapped file: a given one, or the file of its path if that is wanted,
 * is still there, and has the build-id that was recorded.  NULL: out of memory. */
struct library *libraries_of(struct libraries *libraries, uint32_t file);

/* A debug file of a library that was found and is of another build, in words; NULL: none. */
const char *library_refused(const struct library *library);

/* Is the DWARF of a binary that of its own code?  What BOLT wrote has that of its input, unless it
 * was asked to rewrite it
 * (-update-debug-sections). */
bool libraries_has_lines(const struct binary *binary);

/* The source of an opened library, to *out; NULL if it has no DWARF of its own code, or none
 * that libdw takes.
 *
 * BC_UNSUPPORTED  there is no libdw
 * BC_NOMEM */
BC_MUST_USE bool libraries_source(const struct libraries *libraries, struct library *library,
				  struct debug_lines **out, struct bc_error *err);

#define FRAME_UNKNOWN    "[unknown]"
#define FRAME_KERNEL     "[kernel]"
#define FRAME_IMPOSSIBLE "[impossible]"
#define FRAME_INLINED    "[inlined]" /* a function that DWARF has no name for */

struct frame {
	struct run_addr raw;           /* as given */
	bool is_return;                /* raw - 1 was looked up */
	const struct mapping *mapping; /* NULL: in none */
	struct text library;           /* the mapping's path, "[anon]" for none */
	struct file_off offset;        /* of `raw` in the library's file */
	bool has_vaddr;                /* the library is known and the mapping part of it */
	struct vaddr vaddr;            /* of `raw` */
	const char *function;          /* NULL: not known */
	uint64_t function_offset;      /* of `raw` */
	struct source_places places;   /* innermost first; .count 0: none, or not asked for */
	const struct library *file;    /* that was opened for it, or NULL */
};

/* One map with what was found out about its mappings so far. */
struct view {
	struct map_set *set; /* a share of it */
	/* Once a file of it was opened: all of it in order, as the base of one mapping takes the
	 * others. */
	struct maps maps;
	struct view_mapping *known; /* one per mapping; NULL: not yet */
};

void view_init(struct view *view, struct map_set *set);
void view_free(struct view *view);

struct frame_options {
	bool functions; /* look for functions */
	bool input;     /* of the input binary: translate by BAT */
	bool lines;     /* look for lines, and inlined calls if the libraries have them */
};

/* The function that the code of a frame belongs to: by its binary, else by DWARF; NULL: not known.
 */
const char *frame_function(const struct frame *frame);

/* The location of its own in the source: where it calls what was inlined; NULL: not known. */
const struct source_place *frame_place(const struct frame *frame);

/* Resolve a stack: `count` addresses, innermost first, into out[0 .. count).
 *
 * view  NULL: no map is known for it, all is unknown
 *
 * BC_UNSUPPORTED  lines without libdw
 * BC_NOMEM */
BC_MUST_USE bool frames_resolve(struct libraries *libraries, struct view *view,
				const struct frame_options *options, const uint64_t *addresses,
				size_t count, struct frame *out, struct bc_error *err);

#endif
