/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Questions about one ELF file: what is in it and where it is loaded.
 *
 * Takes bytes, never trusts an offset or count in them, and keeps pointers
 * into them: the bytes must outlive the image.  Immutable after opening.
 */
#ifndef ELF_IMAGE_H
#define ELF_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "src/base/address.h"
#include "src/base/build_id.h"
#include "src/base/bytes.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/text.h"
#include "src/base/work.h"
#include "src/isa/insn.h"

/* A loadable segment (PT_LOAD). */
struct segment {
	uint64_t vaddr, offset; /* p_vaddr, p_offset                        */
	uint64_t memsz, filesz; /* p_memsz, p_filesz; file part inside file */
	uint64_t align;         /* p_align                                  */
	bool executable;
};

struct section {
	struct text name;
	uint32_t index; /* in the section header table */
	uint32_t type, link, info;
	uint64_t flags, addr, offset, size, align, entsize;
};

/* Vaddrs from `start` up to the next part's are of one section. */
struct section_part {
	uint64_t start;
	uint32_t section; /* index in image->sections, or NO_SECTION_THERE */
};
#define NO_SECTION_THERE UINT32_MAX

struct image {
	struct bytes file; /* borrowed */
	struct work *work; /* what reading it took so far */
	bool head;         /* only what opening it takes is there (binary_read_head()) */
	enum machine machine;
	bool position_independent; /* ET_DYN: a PIE or a shared library */
	struct segment *segments;  /* all PT_LOAD by ascending vaddr */
	size_t segment_count;
	struct section *sections; /* in header order, without the null section */
	size_t section_count;
	struct section_part *parts; /* of memory, by ascending vaddr: see image_section_at() */
	size_t part_count;
	struct build_id build_id; /* GNU's */
	struct text go_build_id;  /* Go's, of which there can be both; empty if none */
};

/* Linux runs no program with more than 64 KiB of them (fs/binfmt_elf.c). */
#define IMAGE_HEADERS_MOST (65536 / 56)

/* Open an image and check its headers: every segment's and section's bytes lie
 * in the file, no two segments overlap in memory, and addresses and offsets of
 * executable segments agree (segment_agrees()).  At most IMAGE_HEADERS_MOST program
 * headers, and what is read of sections, segments and names is within the limits of work.h.
 *
 * BC_FORMAT       damaged, or not ELF
 * BC_UNSUPPORTED  32-bit, big-endian, another machine, not an executable or
 *                 shared library; the text says which
 * BC_NOMEM */
BC_MUST_USE bool image_open(struct bytes file, struct image *out, struct bc_error *err);

/* The same without segments, for a file that has only sections.  The image has no build-id but
 * that of a section. */
BC_MUST_USE bool image_open_sections(struct bytes file, struct image *out, struct bc_error *err);

/* The same of a mapped file: of a side file, and of a head, the limits are those of what it holds.
 */
BC_MUST_USE bool image_open_map(const struct file_map *map, struct image *out,
				struct bc_error *err);
void image_close(struct image *image);

/* Do p_vaddr and p_offset agree modulo p_align?  For a program of type EXEC, which
 * is at its own addresses, Linux asks for whole pages only: llvm-bolt aligns its
 * segment to 2 MiB in the file, wherever the program begins in memory. */
bool segment_agrees(const struct segment *segment, bool position_independent);

/* The first section of a name or type (SHT_...), or NULL. */
const struct section *image_section(const struct image *image, const char *name);
const struct section *image_section_of_type(const struct image *image, uint32_t type);

/* The section of an index in the section header table, or NULL. */
const struct section *image_section_of_index(const struct image *image, uint64_t index);

/* The non-empty allocated section that holds a vaddr, the first in header order, or NULL.
 * O(log n). */
const struct section *image_section_at(const struct image *image, struct vaddr at);

/* A section's bytes; empty for SHT_NOBITS. */
struct bytes image_section_bytes(const struct image *image, const struct section *section);

/* The file's bytes that are loaded at a vaddr, to the end of the file part of
 * their segment; empty if there are none. */
struct bytes image_bytes_at(const struct image *image, struct vaddr at);

/* False: its code was left out of the file, as objcopy --only-keep-debug does. */
bool image_has_code(const struct image *image);
#define IMAGE_NO_CODE "its code is not in the file (objcopy --only-keep-debug leaves it out)"

/* Whether its code runs where only a kernel's can: with the top bit set.  No process
 * maps it, and its vaddrs are what is sampled. */
bool image_is_kernel(const struct image *image);

/* The segment that holds a vaddr in memory, or NULL. */
const struct segment *image_segment_at(const struct image *image, struct vaddr at);

/* vaddr <-> file offset, by the segment that holds it.  False: in none. */
bool image_to_offset(const struct image *image, struct vaddr at, struct file_off *out);
bool image_to_vaddr(const struct image *image, struct file_off at, struct vaddr *out);

/* What llvm-bolt did to a binary, by the sections that it leaves. */
enum bolt_trace {
	BOLT_NONE,         /* nothing */
	BOLT_TABLE,        /* it wrote a BAT: what follows has none */
	BOLT_NO_TABLE,     /* it ran without --enable-bat */
	BOLT_INSTRUMENTED, /* it ran with -instrument, which writes no BAT */
	BOLT_STRIPPED,     /* its notes were removed since */
};
enum bolt_trace image_bolt_trace(const struct image *image);

/* Why a binary has no BAT, and what to do; of BOLT_TABLE NULL. */
const char *bolt_trace_remedy(enum bolt_trace trace);

/* The descriptor of the BAT note.
 *
 * BC_NOTFOUND: no such section.  BC_FORMAT: the section is no such note, or
 * there are several. */
BC_MUST_USE bool image_bat_note(const struct image *image, struct bytes *desc,
				struct bc_error *err);

/* Which section each address belongs to, for image_section_at(). */

/* Fill image->parts from its sections.  Where several lie over each other the first in
 * header order counts.  O(n log n).  False when out of memory. */
BC_MUST_USE bool section_parts_find(struct image *image);

#endif
