/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opening a binary: how much of it is read, and what will do, depends on the purpose. */
#ifndef ELF_BINARY_OPEN_H
#define ELF_BINARY_OPEN_H

#include "src/base/file.h"
#include "src/elf/binary.h"

/* Finish all with binary_close().
 *
 * BC_NOTFOUND     there is no BAT, and the purpose needs one
 * BC_FORMAT       not ELF, or damaged: headers, symbols, .eh_frame, the note, the BAT
 * BC_UNSUPPORTED  as of image_open()
 * BC_IO, BC_NOMEM
 * The text has the path. */

/* To convert: BINARY_BOLTED and BINARY_UNTOUCHED will do.  bat.blocks, most of a large
 * BAT, is left out. */
BC_MUST_USE bool binary_open(const char *path, struct binary *out, struct bc_error *err);

/* The same with bat.blocks, the hashes and numbers of blocks, if asked for; with local
 * functions numbered as perf2bolt has it; and with the names of a binary without symbols out of its debug
 * file (debug_symbols.h), if there is one: binary->debug tells whether there was. */
struct binary_parts {
	bool blocks;
	bool numbers_by_address;
	const struct debug_dirs *debug; /* NULL: none is looked for */
};
BC_MUST_USE bool binary_open_parts(const char *path, const struct binary_parts *parts, struct binary *out,
				   struct bc_error *err);

/* As binary_open(), for addresses: BINARY_LOST will do, too. */
BC_MUST_USE bool binary_open_any(const char *path, struct binary *out, struct bc_error *err);

/* The same, and as binary_map() below, of a file that an input names (named_file.h). */
BC_MUST_USE bool binary_open_named(const char *path, enum named_by by, struct binary *out,
				   struct bc_error *err);
BC_MUST_USE bool binary_map_named(const char *path, enum named_by by, struct binary *out,
				  struct bc_error *err);

/* Both with the names of a binary without symbols out of its debug file, if there is one. */
BC_MUST_USE bool binary_open_debug(const char *path, const struct debug_dirs *dirs, struct binary *out,
				   struct bc_error *err);
BC_MUST_USE bool binary_open_named_debug(const char *path, enum named_by by, const struct debug_dirs *dirs,
					 struct binary *out, struct bc_error *err);

/* To look at the BAT itself: BINARY_BOLTED and BINARY_SECTION will do.  Everything in it
 * is decoded, and stored_parents are kept. */
BC_MUST_USE bool binary_open_table(const char *path, struct binary *out, struct bc_error *err);

/* To copy the BAT or to check it step by step (src/elf/binary.h): kind, file, image.
 * Whether there is a BAT is not asked: all kinds will do. */
BC_MUST_USE bool binary_map(const char *path, struct binary *out, struct bc_error *err);

/* binary_open() and binary_map() of bytes in memory, which must outlive the binary.  The
 * text has no path. */
BC_MUST_USE bool binary_open_bytes(struct bytes file, struct binary *out, struct bc_error *err);
BC_MUST_USE bool binary_map_bytes(struct bytes file, struct binary *out, struct bc_error *err);

/* Of a file in a directory.  *has: it is an ELF file with a BAT section that is a sound note.
 * BC_IO, BC_NOMEM */
BC_MUST_USE bool binary_has_bat(const char *path, bool *has, struct bc_error *err);

#endif
