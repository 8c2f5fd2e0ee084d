/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * libbat - BOLT Address Translation tables.
 *
 * llvm-bolt --enable-bat leaves a note section, .note.bolt_bat, in the binary
 * it writes.  The note's descriptor maps offsets in the functions of that
 * output binary back to offsets in the functions of the input binary.  This
 * library decodes the descriptor in every layout that was ever released,
 * translates with it, and writes it again.
 *
 *   bat_decode()        bytes -> table; recognizes the layout
 *   bat_fix_parents()   cold fragments find their functions again (LLVM 18, 19)
 *   bat_find()          output address -> fragment
 *   bat_translate()     fragment + offset -> offset in the input function
 *   bat_fallthroughs()  two offsets of a trace -> edges of the input function
 *   bat_encode()        table -> bytes
 *   bat_fields()        bytes -> one stored field after the other
 *
 * The library needs libc only, reads no files and prints nothing.
 *
 * Memory: the functions of bat_decode() make a table that the caller owns and
 * frees with bat_free(); bat_encode() makes bytes that the caller frees with
 * free().  Where they fail, the table is zeroed and the bytes are NULL, so that
 * both can be freed.  bat_fix_parents() takes memory while it runs.  No other
 * function allocates, and none keeps a pointer that it was given.
 *
 * Results and errors: a function that can fail returns false then, and fills the
 * caller's struct bat_error, for which NULL can be given.  One that looks for
 * something returns NULL where there is none.  All other pointers must not be
 * NULL, but those to arrays and bytes of which there are 0.
 *
 * Threads: the library has no state.  Any number of threads can call any function
 * at once, and can use one table at once, as only bat_fix_parents() and
 * bat_free() change one: while these run, no other thread may use that table.
 *
 * Versions: programs that were linked with a release run with all later releases
 * of the same major version.  Within it
 *   - structs only grow by what is `reserved` in them, which is 0 until then.
 *     struct bat_field, which only the library makes, can grow at its end.  Those
 *     without `reserved` (bat_entry, bat_block, bat_fragment, bat_symbol) are
 *     final: what a later layout has in addition gets an array of its own;
 *   - enums can get new members at their end, whose numbers an older program
 *     meets in results: a layout of a later LLVM, another cause.  Nothing
 *     may be indexed by them without a check.  In the other direction, a number that
 *     the library does not know is refused (BAT_ERROR_ARGUMENT);
 *   - functions are only added, under a new version of their symbols.
 *
 * Words: an "output" address or offset belongs to the binary that BOLT wrote,
 * an "input" offset to the binary that BOLT read.  A fragment is contiguous
 * code of one function: the hot part or one of its cold parts.
 * A branch entry marks an instruction that can leave its basic block.
 *
 * The layouts were read off BOLT's BoltAddressTranslation.cpp (releases 14 to
 * 23) and off sections that those releases wrote; docs/bat-format.md describes
 * them byte by byte.
 */
#ifndef BAT_BAT_H
#define BAT_BAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The version of this header, and as one number that can be compared. */
#define BAT_VERSION_MAJOR 1
#define BAT_VERSION_MINOR 0
#define BAT_VERSION_PATCH 0
#define BAT_VERSION_NUMBER                                                                         \
	(BAT_VERSION_MAJOR * 1000000 + BAT_VERSION_MINOR * 1000 + BAT_VERSION_PATCH)

#if defined(__GNUC__)
#define BAT_API      __attribute__((visibility("default")))
#define BAT_MUST_USE __attribute__((warn_unused_result))
#else
#define BAT_API
#define BAT_MUST_USE
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that the program runs with, as
 * BAT_VERSION_NUMBER. */
BAT_API uint32_t bat_version(void);

/* The note that carries a table: an ELF note of this section, owner and type.  Its
 * descriptor, which the functions below take, is the n_descsz bytes after the
 * note's three numbers and its owner: from byte 20 of the section on, and without
 * the zero bytes that can be after it (libelf's gelf_getnote() finds both). */
#define BAT_SECTION_NAME ".note.bolt_bat"
#define BAT_NOTE_OWNER   "BOLT"
#define BAT_NOTE_TYPE    1u

enum bat_layout {
	BAT_LAYOUT_FIXED = 0,  /* LLVM 14 to 17: fixed-width integers            */
	BAT_LAYOUT_DELTA = 1,  /* LLVM 18: LEB128 deltas                         */
	BAT_LAYOUT_EQUAL = 2,  /* development branch, early 2024: delta with
				  EqualElems                                    */
	BAT_LAYOUT_HASHED = 3, /* LLVM 19 to 23: equal with hashes, blocks,
				  entry points                                  */
};

/* "fixed", "delta", "equal", "hashed": static text; NULL for a number that is no
 * layout of this library.  Layouts are numbered from 0 on without a gap. */
BAT_API const char *bat_layout_name(enum bat_layout layout);

/* "LLVM 19 to 23": the releases that write the layout; NULL as above. */
BAT_API const char *bat_layout_releases(enum bat_layout layout);

/* What some layouts have and others do not. */
enum bat_feature {
	BAT_FEATURE_BLOCKS = 0,        /* hashes of functions and blocks, numbers of
					  blocks, secondary entry points        */
	BAT_FEATURE_HOT_ADDRESSES = 1, /* stored_hot is the address of the hot
					  fragment, else an index; the section
					  has one list for hot and cold         */
};

/* Does a layout have it?  False for a number that is no layout or no feature of this
 * library. */
BAT_API bool bat_layout_has(enum bat_layout layout, enum bat_feature feature);

enum bat_code {
	BAT_OK = 0,
	BAT_ERROR_NOMEM = 1,       /* out of memory                              */
	BAT_ERROR_FORMAT = 2,      /* the bytes are no table (of the layout asked
				      for)                                      */
	BAT_ERROR_AMBIGUOUS = 3,   /* the bytes are a table under two layouts that
				      differ                                    */
	BAT_ERROR_UNENCODABLE = 4, /* the layout cannot store something of the
				      table                                     */
	BAT_ERROR_ARGUMENT = 5,    /* the number of a layout that this library
				      does not know                             */
};

/* What is wrong with a field, for BAT_ERROR_FORMAT. */
enum bat_cause {
	BAT_CAUSE_END = 0,   /* the descriptor ends before the field does           */
	BAT_CAUSE_WIDE = 1,  /* a LEB128 that does not fit into 64 bits             */
	BAT_CAUSE_COUNT = 2, /* more items than the bytes that are left can hold    */
	BAT_CAUSE_RANGE = 3, /* it refers to something that is not there            */
	BAT_CAUSE_ORDER = 4, /* it must not be below the one before                 */
	BAT_CAUSE_LEFT = 5,  /* bytes after the last field                         */
};

/* What went wrong.  The caller owns it, and need not set it before a call; a
 * function fills it when it returns false, and may have written to it when it does
 * not.  (In libbatconv it becomes a struct batconv_error of code
 * BATCONV_ERROR_FORMAT or BATCONV_ERROR_NOMEM, with its text.) */
struct bat_error {
	enum bat_code code;
	uint64_t byte;          /* offset in the descriptor where the field begins;
				   0 unless the code is BAT_ERROR_FORMAT               */
	const char *field;      /* static, as docs/bat-format.md names it, or ""    */
	enum bat_cause cause;   /* BAT_ERROR_FORMAT                               */
	enum bat_layout layout; /* BAT_ERROR_FORMAT: under which layout; of all of
				   them, the one that got furthest             */
	char text[512];         /* one line without newline, as English text for people;
				   repeats byte and field                          */
	uint64_t reserved[2];   /* 0                                             */
};

/* One translation: code of the output fragment from `output` on is code of the
 * input function from `input` on. */
struct bat_entry {
	uint32_t output; /* offset in the fragment.  As BOLT has it, modulo
			    2^32: a block that was never emitted has a huge one
			    and maps nothing; one equal to the fragment's size
			    is a block that BOLT deleted                       */
	uint32_t input;  /* offset in the input function << 1 | branch entry    */
};

static inline uint32_t bat_entry_input(struct bat_entry e)
{
	return e.input >> 1;
}

static inline bool bat_entry_is_branch(struct bat_entry e)
{
	return e.input & 1;
}

/* What BAT_LAYOUT_HASHED says about a basic block; all zero for branch entries. */
struct bat_block {
	uint64_t hash;  /* BOLT's hash of the input block                       */
	uint32_t index; /* position of the block in the input function's layout */
};

#define BAT_NO_PARENT UINT32_MAX

struct bat_fragment {
	uint64_t address; /* vaddr of the fragment in the output binary         */
	union {
		uint64_t hash;       /* hot, BAT_LAYOUT_HASHED: of the input function  */
		uint64_t stored_hot; /* cold: which hot fragment the section
					names: a HotIndex, or in BAT_LAYOUT_FIXED a
					HotAddress.  Right or wrong, it is what
					the same layout is encoded with         */
	};
	uint32_t first_entry; /* its entries: entries[first_entry ...]      */
	uint32_t entry_count;
	uint32_t first_secondary; /* hot, BAT_LAYOUT_HASHED: secondary entry points,   */
	uint32_t secondary_count; /* secondary[first_secondary ...]             */
	uint32_t block_count;     /* hot, BAT_LAYOUT_HASHED: blocks of input function  */
	uint32_t parent;          /* cold: index of the hot fragment whose input
				     function this is, or BAT_NO_PARENT if
				     stored_hot names none; LLVM 18 and 19 can
				     name a wrong one: see bat_fix_parents().
				     hot: its own index                         */
	bool cold;
};

struct bat_table {
	enum bat_layout layout;

	/* All fragments by ascending address; a hot one is before a cold
	 * one of the same address. */
	struct bat_fragment *fragments;
	uint32_t fragment_count;
	uint32_t hot_count;

	struct bat_entry *entries; /* of all fragments, in stored order         */
	struct bat_block *blocks;  /* one per entry; NULL unless BAT_LAYOUT_HASHED     */
	uint32_t entry_count;
	uint32_t unhashed_count; /* BAT_LAYOUT_HASHED: block entries whose hash is 0,
				    which are of blocks that BOLT made itself  */

	uint32_t *secondary; /* input offsets of secondary entry points         */
	uint32_t secondary_count;

	uint64_t reserved[4]; /* 0                                              */
};

/* Decode the descriptor of a BAT note, of whichever layout it is.
 *
 * A layout fits if the descriptor decodes under it to the last byte and what
 * comes out is possible: see docs/bat-format.md, "Recognition".  If two fit,
 * the one under which more hot functions begin with a block entry 0 -> 0 wins.
 *
 * desc, size   the descriptor; not used after the call
 * out          free it with bat_free(); zeroed where it fails
 *
 * BAT_ERROR_FORMAT  no layout fits; err->text says how far each got, err->byte
 *                and err->field show where the one that got furthest failed
 * BAT_ERROR_AMBIGUOUS  two layouts fit equally well and read differently
 * BAT_ERROR_NOMEM      memory for the table, which is at most 32 times `size`
 */
BAT_API BAT_MUST_USE bool bat_decode(const uint8_t *desc, size_t size, struct bat_table *out,
				     struct bat_error *err);

/* The same without the blocks' hashes and indices, which are most of a large
 * table and not needed to translate: out->blocks is NULL. */
BAT_API BAT_MUST_USE bool bat_decode_offsets(const uint8_t *desc, size_t size,
					     struct bat_table *out, struct bat_error *err);

/* The same for a layout that the caller knows; never BAT_ERROR_AMBIGUOUS, but
 * BAT_ERROR_ARGUMENT for a layout that the library does not know. */
BAT_API BAT_MUST_USE bool bat_decode_as(enum bat_layout layout, const uint8_t *desc, size_t size,
					struct bat_table *out, struct bat_error *err);

/* Free what a table owns and zero it.  A zeroed table and NULL can be freed, too. */
BAT_API void bat_free(struct bat_table *table);

/* The fragment with the greatest address at or below `address`, or NULL; where
 * a hot and a cold one begin at one address, the cold one.  It is a part of the
 * table.  A table does not have the sizes of fragments: the caller checks, by the
 * symbol, whether the address lies in the fragment.  O(log n). */
BAT_API const struct bat_fragment *bat_find(const struct bat_table *table, uint64_t address);

/* The same, but NULL unless it begins at exactly `address`.  O(log n). */
BAT_API const struct bat_fragment *bat_find_exact(const struct bat_table *table, uint64_t address);

/* The entry that translates `offset`: the last stored one among those with the
 * greatest output offset at or below it, or NULL.  It is a part of the table.
 * O(log n). */
BAT_API const struct bat_entry *bat_entry_at(const struct bat_table *table,
					     const struct bat_fragment *fragment, uint32_t offset);

/* Translate an offset in a fragment to one in the input function.
 *
 * is_source   the address of a branch instruction: becomes the entry's input
 *             offset itself.  Anything else (a branch target, a basic sample)
 *             keeps its distance from the entry.
 *
 * An offset before the first entry is returned unchanged, as BOLT does. */
BAT_API uint32_t bat_translate(const struct bat_table *table, const struct bat_fragment *fragment,
			       uint32_t offset, bool is_source);

/* The blocks of a trace, which is code that ran between two taken branches: the
 * block entry *first, the block entry *last, and all block entries between them.
 * Both count from the fragment's first entry.  from, to: as for
 * bat_fallthroughs().  Returns the number of fall-through edges between the
 * blocks; if that is 0, *first and *last are not set. */
BAT_API uint32_t bat_trace_blocks(const struct bat_table *table,
				  const struct bat_fragment *fragment, uint32_t from, uint32_t to,
				  uint32_t *first, uint32_t *last);

/* Receives one edge: fall-through from the input block that begins at offset
 * `from` to the one that begins at `to`. */
typedef void bat_edge_fn(void *ctx, uint32_t from, uint32_t to);

/* The fall-through edges between two offsets of a fragment: `from`, where a
 * trace begins (a taken branch's target), and `to`, where it ends (the next
 * taken branch's source).  Where the trace begins after a return, give the
 * offset minus one, so that the block that made the call is included.
 *
 * Calls `edge` once per edge in order and returns how many; zero if
 * from >= to or both lie in one block. */
BAT_API uint32_t bat_fallthroughs(const struct bat_table *table,
				  const struct bat_fragment *fragment, uint32_t from, uint32_t to,
				  bat_edge_fn *edge, void *ctx);

/* A symbol of the output binary, for bat_fix_parents(). */
struct bat_symbol {
	uint64_t address;
	const char *name; /* borrowed for the call only                         */
	uint32_t order;   /* position in the symbol table                       */
	uint32_t file;    /* which FILE symbol it is under: any number but
			     0, which is for none and for global symbols       */
};

struct bat_parents {
	uint32_t cold;        /* cold fragments: the sum of the next four         */
	uint32_t agreed;      /* stored parent confirmed by the symbols           */
	uint32_t repaired;    /* stored parent replaced                           */
	uint32_t unchecked;   /* no usable symbol, stored parent kept             */
	uint32_t unknown;     /* in doubt: parent is BAT_NO_PARENT                */
	bool ordinal;         /* HotIndex is 0, 1, 2 ... as LLVM 18 wrote it      */
	uint32_t reserved[4]; /* 0                                              */
};

/* Check every cold fragment's parent against the symbols at its address, and
 * repair what LLVM 18 (the cold fragment's own ordinal) and LLVM 19 (an index
 * into hot and cold together) stored wrongly.
 *
 * The fragment at symbol f.cold, f.cold.N or f.warm belongs to the hot
 * fragment at a symbol f.  For several f, one under the same FILE symbol is
 * preferred, then a global one, then the nearest in the symbol table; and a
 * parent is only taken if no input offset of emitted code, and no number N, is
 * claimed by two fragments of one function.  Without a usable symbol a stored
 * parent stays, unless `ordinal` says that it means nothing: then it becomes
 * BAT_NO_PARENT.  (LLVM 18 also stores fragments that were never emitted, at
 * address 0: they stay unknown.)
 *
 * symbols   function symbols in any order; may include any others
 * out       set on success only
 *
 * BAT_ERROR_NOMEM  the table is unchanged
 *
 * O(n log n) in symbols and entries.  Call it before the table is shared
 * between threads. */
BAT_API BAT_MUST_USE bool bat_fix_parents(struct bat_table *table, const struct bat_symbol *symbols,
					  size_t count, struct bat_parents *out,
					  struct bat_error *err);

/* Encode a table as the given layout, canonically: byte for byte as BOLT
 * would.  Encoding what was decoded from a section that BOLT wrote, in its own
 * layout, gives the section's descriptor again (before bat_fix_parents() or
 * after it: in the table's own layout stored_hot is written as it is, in another
 * one the parent's index or address).
 *
 * table        one that bat_decode() made, or whose arrays are as described above:
 *              indices in it are not checked
 * data, size   the caller frees data with free(); NULL and 0 where it fails
 *
 * BAT_ERROR_UNENCODABLE  the layout cannot store a value, such as a cold fragment
 *                  without a parent.  What a layout leaves out (hashes, indices,
 *                  entry points) is no error
 * BAT_ERROR_ARGUMENT, BAT_ERROR_NOMEM */
BAT_API BAT_MUST_USE bool bat_encode(const struct bat_table *table, enum bat_layout layout,
				     uint8_t **data, size_t *size, struct bat_error *err);

enum bat_encoding {
	BAT_ENCODING_U32 = 0,
	BAT_ENCODING_U64 = 1,
	BAT_ENCODING_ULEB = 2, /* unsigned LEB128                                            */
	BAT_ENCODING_SLEB = 3, /* signed LEB128                                              */
	BAT_ENCODING_BITS = 4, /* a mask                                                     */
};

#define BAT_NO_INDEX UINT32_MAX

/* One field of a descriptor, as it is stored.  In BAT_LAYOUT_FIXED, the pairs of addresses
 * of a cold fragment and of its hot one count as the cold table. */
struct bat_field {
	const char *name; /* static, as docs/bat-format.md names it             */
	enum bat_encoding encoding;
	bool cold;         /* it is in the cold table, not in the hot one        */
	uint32_t fragment; /* the number of its fragment in that table, or
			      BAT_NO_INDEX: the field belongs to no fragment     */
	uint32_t entry;    /* the number of its entry, secondary entry point or
			      pair, in stored order; BAT_NO_INDEX: of none       */
	uint64_t byte;     /* where in the descriptor it begins ...              */
	uint64_t size;     /* ... and how many bytes it takes                    */
	uint64_t stored;   /* the number there; 0 for BAT_ENCODING_BITS                   */
	uint64_t value;    /* where the stored number is a difference: the sum
			      with what it is a difference to.  An address, an
			      OutputOffset counted from the fragment's beginning,
			      an InputOffset as in struct bat_entry              */
};

/* Receives a field, which is valid during the call.  Return false to end the walk. */
typedef bool bat_field_fn(void *ctx, const struct bat_field *field);

/* Call `visit` for each field of a descriptor, in their order, in the calling
 * thread and in constant memory.  Values are not checked: of a damaged table all
 * fields are visited up to the one that cannot be read.  Returns true if all
 * fields were visited, or if `visit` ended the walk.
 *
 * BAT_ERROR_FORMAT    BAT_CAUSE_END, _WIDE or _LEFT
 * BAT_ERROR_ARGUMENT  unknown layout */
BAT_API BAT_MUST_USE bool bat_fields(enum bat_layout layout, const uint8_t *desc, size_t size,
				     bat_field_fn *visit, void *ctx, struct bat_error *err);

#ifdef __cplusplus
}
#endif

#endif
