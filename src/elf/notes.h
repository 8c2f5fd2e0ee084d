/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * ELF notes: a sequence of
 *
 *   u32 namesz, u32 descsz, u32 type, owner's name with its NUL, descriptor
 *
 * where the descriptor and the next note begin at multiples of 4, or of 8 where
 * the segment or section says so (only .note.gnu.property does).
 */
#ifndef ELF_NOTES_H
#define ELF_NOTES_H

#include "src/elf/image.h"

struct note {
	struct text owner; /* without its NUL */
	uint32_t type;
	struct bytes desc;
};

/* Take the next note off the front of *rest.  False at the end and where the
 * bytes are no note. */
bool note_next(struct bytes *rest, uint64_t align, struct note *out);

/* Whether a file is no binary but a note of BOLT alone: what objcopy -O binary or
 * "batconv extract --note" writes of a BAT section.  Looks at its beginning only. */
bool bat_note_is_bare(struct bytes file);

/* The descriptor of such a note.  BC_FORMAT: it is not as large as the file. */
BC_MUST_USE bool bat_note_bare(struct bytes file, struct bytes *desc, struct bc_error *err);

/* The first GNU build-id among notes; *out stays if it is set or if there is
 * none of 1 to BUILD_ID_MAX bytes. */
void notes_build_id(struct bytes notes, uint64_t align, struct build_id *out);

/* Notes that are looked through for what names a build: those of one section or segment, and all of
 * a file.  That of a BAT can be larger. */
#define NOTES_READ ((uint64_t)64 << 10)
#define NOTES_ALL  ((uint64_t)1 << 20)

/* Takes notes of a size off what of NOTES_ALL is left.  False: they are not looked through. */
bool notes_take(uint64_t *left, uint64_t size);

/* What the sections of an ELF file say, without a look at anything else of it; all zero of another
 * file. */
struct file_notes {
	struct build_id id;
	bool has_code;  /* which a debug file has not */
	bool has_table; /* of llvm-bolt */
};
struct file_notes notes_of_file(int fd);
struct file_notes notes_of_bytes(struct bytes file);

/* The first build-id that Go's linker left among notes (owner "Go", with one NUL
 * or more after it, type 4: text of four parts with slashes; cmd/link, internal/ld/elf.go),
 * empty if none. */
struct text notes_go_build_id(struct bytes notes, uint64_t align);

/* The same of an image, from its note sections and segments; image_open() keeps it. */
struct text image_find_go_build_id(const struct image *image);

#endif
