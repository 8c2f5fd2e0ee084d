/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A binary as llvm-bolt left it: its file, its image, its functions and its BAT.
 * Conversions, checks, dumps and addresses all look at this; where there is no BAT,
 * or a BAT without a binary, its kind says so.
 *
 * It is opened in steps, or by one function for each purpose;
 * and there is the way from a vaddr in it to the input binary.
 */
#ifndef ELF_BINARY_H
#define ELF_BINARY_H

#include "include/bat/bat.h"
#include "src/base/attr.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/vec.h"
#include "src/elf/code_digest.h"
#include "src/elf/debug_file.h"
#include "src/elf/functions.h"

enum binary_kind {
	BINARY_BOLTED,    /* llvm-bolt wrote it, with a BAT */
	BINARY_UNTOUCHED, /* llvm-bolt did not write it: it is its own input binary, and
			     its functions are printed by their primary names */
	BINARY_LOST,      /* llvm-bolt wrote it without a BAT: its addresses cannot be translated */
	BINARY_SECTION,   /* the section of a BAT alone: no image, so no functions */
};

#define NO_FRAGMENT UINT32_MAX
#define NO_FUNCTION UINT32_MAX

/* Immutable once it is open.  What it does not have is all zero. */
struct binary {
	enum binary_kind kind;
	bool numbers_by_address; /* local functions are numbered as perf2bolt has it: symbols.c */
	struct file_map map;     /* of the file, if it was mapped here */
	struct bytes file;       /* all of it; of bytes in memory borrowed */
	struct image image;
	struct bytes section;       /* the note, its header included */
	struct bytes desc;          /* what the BAT is decoded from */
	struct bat_table bat;       /* with parents repaired */
	struct bat_parents parents; /* what became of the cold fragments' parents */
	uint32_t *stored_parents;   /* per fragment: before that; NULL: not kept */
	struct debug_symbols debug; /* of a stripped file, if they were looked for and found */
	struct function_table functions;
	uint32_t *fragment_of; /* per function: the first fragment that begins where it
				  does, or NO_FRAGMENT */
	uint32_t *function_of; /* per fragment: the function that begins where it does, or
				  NO_FUNCTION */
};

void binary_close(struct binary *binary);

/* The function at the beginning of a fragment, or NULL. */
const struct function *binary_fragment_function(const struct binary *binary, uint32_t fragment);

/* The name of the input function that a fragment came from, as profiles have it;
 * NULL: not known. */
const char *binary_fragment_owner(const struct binary *binary, uint32_t fragment);

/* A fragment under the name of its function. */
struct named_fragment {
	const char *name;  /* borrowed */
	uint32_t fragment; /* its number */
	uint32_t parent,
		part; /* part: set by named_fragments_sort(), 0 for the first of its name */
	bool cold;
};

/* By name, then by parent, hot before cold, by number. */
void named_fragments_sort(struct named_fragment *rows, size_t count);

/* The size of a fragment in bytes; 0: not known. */
uint64_t binary_fragment_size(const struct binary *binary, uint32_t fragment);

/*
 * The steps of opening, in their order.  The texts of their errors have no path.
 */

/* section and desc.  BC_NOTFOUND: no BAT section.  BC_FORMAT: a damaged one. */
BC_MUST_USE bool binary_find_note(struct binary *binary, struct bc_error *err);

/* Functions, of which a BINARY_SECTION has none.  Errors as of functions_build().  Needs
 * neither the note nor `bat`, which the caller decodes from desc: one can be done while
 * the other is. */
BC_MUST_USE bool binary_build_functions(struct binary *binary, struct bc_error *err);

/* stored_parents, from `bat`: for checks.  BC_NOMEM */
BC_MUST_USE bool binary_keep_parents(struct binary *binary, struct bc_error *err);

/* Last, from `bat` and functions: parents, fragment_of, function_of, and which name is
 * printed.  BC_NOMEM */
BC_MUST_USE bool binary_settle(struct binary *binary, struct bc_error *err);

/* Opening a binary: how much of it is read, and what will do, depends on the purpose. */

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
 * functions numbered as perf2bolt has it; and with the names of a binary without symbols out of its
 * debug file (debug_file.h), if there is one: binary->debug shows whether there was. */
struct binary_parts {
	bool blocks;
	bool numbers_by_address;
	const struct debug_dirs *debug; /* NULL: none is looked for */
};
BC_MUST_USE bool binary_open_parts(const char *path, const struct binary_parts *parts,
				   struct binary *out, struct bc_error *err);

/* As binary_open(), for addresses: BINARY_LOST will do, too. */
BC_MUST_USE bool binary_open_any(const char *path, struct binary *out, struct bc_error *err);

/* The same as binary_map() below, of a file that an input names (file.h). */
BC_MUST_USE bool binary_map_named(const char *path, enum named_by by, struct binary *out,
				  struct bc_error *err);

/* Both with the names of a binary without symbols out of its debug file, if there is one. */
BC_MUST_USE bool binary_open_debug(const char *path, const struct debug_dirs *dirs,
				   struct binary *out, struct bc_error *err);
BC_MUST_USE bool binary_open_named_debug(const char *path, enum named_by by,
					 const struct debug_dirs *dirs, struct binary *out,
					 struct bc_error *err);

/* To look at the BAT itself: BINARY_BOLTED and BINARY_SECTION will do.  Everything in it
 * is decoded, and stored_parents are kept. */
BC_MUST_USE bool binary_open_table(const char *path, struct binary *out, struct bc_error *err);

/* To copy the BAT or to check it step by step (src/elf/binary.h): kind, file, image.
 * Whether there is a BAT is not asked: all kinds will do. */
BC_MUST_USE bool binary_map(const char *path, struct binary *out, struct bc_error *err);

/* The same of a file that is open for reading, whatever its path leads to by now.  Takes the
 * descriptor. */
BC_MUST_USE bool binary_map_opened(int fd, const char *path, struct binary *out,
				   struct bc_error *err);

/* The same of any file, which can change meanwhile: only what shows what it is is read, so
 * that it is neither unpacked nor has its code.  Leaves the descriptor open. */
BC_MUST_USE bool binary_read_head(int fd, const char *path, struct binary *out,
				  struct bc_error *err);

/* binary_open() and binary_map() of bytes in memory, which must outlive the binary.  The
 * text has no path. */
BC_MUST_USE bool binary_open_bytes(struct bytes file, struct binary *out, struct bc_error *err);
BC_MUST_USE bool binary_map_bytes(struct bytes file, struct binary *out, struct bc_error *err);

/*
 * The way from a vaddr in a binary that BOLT wrote to a location in its input binary:
 *
 *   vaddr -> struct output_place (function + offset, fragment) -> struct input_place
 */

/* Where a vaddr of the optimized binary lies. */
struct output_place {
	const struct function *function;     /* NULL: in none                    */
	const struct bat_fragment *fragment; /* NULL: BOLT did not touch it      */
	uint32_t offset;                     /* from the beginning of `function` */
};

/* near: a function that may well hold it, or NULL. */
struct output_place binary_place(const struct binary *binary, struct vaddr at,
				 const struct function *near);

/* The location at an offset of a function, by its number in binary->functions.at. */
static inline struct output_place binary_place_in(const struct binary *binary, uint32_t function,
						  uint32_t offset)
{
	uint32_t fragment = binary->fragment_of[function];

	return (struct output_place){
		&binary->functions.at[function],
		fragment == NO_FRAGMENT ? NULL : &binary->bat.fragments[fragment], offset};
}

/* Where it lies in the input binary. */
struct input_place {
	const struct function *function; /* that has the input function's name;
					    NULL: none                         */
	uint32_t offset;                 /* in the input function; 0 for none  */
};

/* Translate a location.  is_source: the address of a branch instruction.
 * False: in a cold fragment whose parent is not known, or of a BINARY_LOST. */
bool binary_translate(const struct binary *binary, struct output_place place, bool is_source,
		      struct input_place *out);

/* The function that represents a location in the input binary: of a cold fragment
 * the parent.  NULL: in none, or of unknown parent. */
const struct function *binary_owner(const struct binary *binary, struct output_place place);

/* The digest of its code (code_digest.h), which a side file has.  Size 0: it is not known, as the
 * code is not there: of a BAT section alone, of a head, and of a side file that has no digest. */
struct build_id code_digest(const struct binary *binary);

/* The fragments of each function: the hot one, with which it begins, and the cold ones that
 * llvm-bolt split off. */

struct fragments_by_function {
	uint32_t *at;    /* numbers of fragments, by hot one, then ascending */
	uint32_t *first; /* by fragment: where those that it is the hot one of begin; one more than
			    there are fragments */
};

/* Cold ones of which the hot one is not known are left out.  False: out of memory; nothing is to be
 * freed then */
BC_MUST_USE bool fragments_by_function_list(const struct bat_table *bat,
					    struct fragments_by_function *out);
void fragments_by_function_free(struct fragments_by_function *fragments);

/* The fragment whose function a fragment is of: itself if it is hot; BAT_NO_PARENT: not known. */
static inline uint32_t fragment_hot_one(const struct bat_table *bat, uint32_t fragment)
{
	return bat->fragments[fragment].cold ? bat->fragments[fragment].parent : fragment;
}

/* The fragments of the function that begins with `fragment`, which is also alone if it is cold and
 * its hot one is not known.  Returns how many there are; 0: it belongs to another one. */
static inline uint32_t fragments_of(const struct fragments_by_function *fragments,
				    const struct bat_table *bat, const uint32_t *fragment,
				    const uint32_t **out)
{
	uint32_t first = fragments->first[*fragment],
		 count = fragments->first[*fragment + 1] - first;
	bool orphan = fragment_hot_one(bat, *fragment) == BAT_NO_PARENT;

	*out = orphan ? fragment : &fragments->at[first];
	return orphan ? 1 : count;
}

/* ---- the binaries of a directory ---- */

/*
 * Several binaries: files that are named, and all BOLTed ones below a directory.
 */

struct named_binary {
	char *path;
	char *name; /* of its profile, without suffix; no two are alike */
	bool found; /* it was found in a directory, not named: perhaps it never ran */
};
DEFINE_VEC(binary_vec, struct named_binary);

/* Adds a file, or what is below a directory: of that the regular files with a BAT, by
 * name.  Files are named by their last part, those of directories by all of their path
 * below it, with dashes.
 *
 * BC_MISMATCH  a name is there already
 * BC_IO, BC_NOMEM */
BC_MUST_USE bool binaries_add(struct binary_vec *list, const char *path, struct bc_error *err);
void binaries_free(struct binary_vec *list);

#endif
