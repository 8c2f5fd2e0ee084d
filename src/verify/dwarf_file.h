/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Debug information of one file in the hands of libdw.  What libdw decompresses, and how often it
 * reads tables of abbreviations, is counted before it does.
 */
#ifndef VERIFY_DWARF_FILE_H
#define VERIFY_DWARF_FILE_H

#include "src/elf/image.h"
#include "src/elf/libdw.h"

struct Elf;
struct Dwarf;

struct dwarf_file {
	struct libdw dw;
	struct Dwarf *dwarf;
	struct bytes line, line_strings,
		abbreviations; /* .debug_line, .debug_line_str, .debug_abbrev, decompressed */
	uint64_t entry_work;   /* how much it is to pass over an entry: more than 1 if many of its
				  attributes have no bytes */
	struct Elf *elf;
	void *copy; /* of the file, for libelf to write to */
};

/* Opens the debug information of an image, which must outlive it; `purpose` begins messages about
 * libdw.  counted: of this image all was counted before.
 *
 * BC_UNSUPPORTED  there is no libdw, or a part of it is in another file (dwz)
 * BC_FORMAT       libdw takes no DWARF from it, or to read it is too much work
 * BC_NOMEM
 *
 * Close it either way. */
BC_MUST_USE bool dwarf_file_open(const struct image *image, const char *purpose, bool counted,
				 struct dwarf_file *out, struct bc_error *err);
void dwarf_file_close(struct dwarf_file *file);

#ifdef BATCONV_HAVE_LIBDW

/* How deep entries may be nested: those of C++ programs are 30 deep. */
#define DWARF_DEPTH_MOST 200

/* A walk over the entries of a unit, each before those within it: the last of `at` is the entry
 * that it has reached, the others are those around that. */
struct dwarf_walk {
	Dwarf_Die at[DWARF_DEPTH_MOST];
	size_t depth;
};

/* Continues to the next entry.  False: that was the last one. */
bool dwarf_walk_next(const struct dwarf_file *file, struct dwarf_walk *walk);

/* How much it is to find the next entry.  To find a sibling, libdw passes over everything in an
 * entry: what is passed counts once for each level above. */
static inline uint64_t dwarf_walk_work(const struct dwarf_file *file, const struct dwarf_walk *walk)
{
	return (walk->depth + 1) * file->entry_work;
}

#endif

/* Little-endian numbers one after the other; after the end there are zeros, and `cut` is set. */
struct dwarf_cursor {
	struct bytes rest;
	bool cut;
};

uint64_t dwarf_take(struct dwarf_cursor *cursor, unsigned size);
uint64_t dwarf_take_leb(struct dwarf_cursor *cursor);

#endif
