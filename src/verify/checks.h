/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The checks.  Each adds findings in the order of the table and
 * changes nothing else; docs/bat-format.md, "Invariants", is what they check.
 */
#ifndef VERIFY_CHECKS_H
#define VERIFY_CHECKS_H

#include "src/code/block_places.h"
#include "src/verify/check_input.h"
#include "src/verify/code_map.h"
#include "src/verify/findings.h"
#include "src/verify/insn_ties.h"
#include "src/verify/line_rows.h"

/* verify.c: the file's executable segments.  It reads the bytes of the file, as a file with a
 * misaligned segment cannot be opened as an image.  False: it has one. */
bool check_segments(struct bytes file, struct findings *findings);

/* section_order.c: is it encoded as BOLT encodes?  False when out of memory. */
bool check_canonical(const struct binary *subject, struct findings *findings);

/* check_table.c: fragments and entries in themselves.  False: all maps are empty, and
 * there is nothing more to check. */
bool check_structure(const struct binary *subject, struct findings *findings);

/* check_table.c: hashes, indices and input offsets of each function's blocks.  code: where
 * some are missing, look for their instructions.  False when out of memory. */
bool check_blocks(const struct binary *subject, const struct block_starts *starts, bool code,
		  struct findings *findings);

/* check_table.c: cold fragments and the symbols. */
void check_parents(const struct binary *subject, struct findings *findings);

/* check_table.c: fragments against symbols and segments. */
void check_fragments(const struct binary *subject, struct findings *findings);

/* The location of a fragment or of one of its entries (NO_INDEX: the fragment). */
struct finding_location location_of(const struct binary *subject, uint32_t fragment,
				    uint32_t entry);

/* An entry of a block that was never emitted: its offset is the difference to
 * address 0. */
bool entry_never_emitted(const struct bat_fragment *f, struct bat_entry e);

/*
 * Does debug information show the same of the output's code as of the input's: which functions,
 * blocks, inlined calls and call sites an address is of, and where each variable is?  llvm-bolt
 * keeps the entries of a unit in their order, not always the units (struct unit_order), so that
 * both binaries' are compared one by one: the addresses that they cover and lead to through
 * code_map.h, location lists at each instruction, all other attributes by their values.
 */

struct scopes_summary {
	uint64_t entries; /* that both have, compared by their attributes */
	uint64_t entries_different;
	uint64_t entries_alone; /* of units that are not the same in both, and not compared */
	/* Entries with code. */
	uint64_t scopes, scopes_equal, scopes_different;
	uint64_t scopes_folded, scopes_gone; /* not compared: BOLT folded the code, or the output
						has nothing of it */
	/* Addresses that an attribute leads to. */
	uint64_t addresses, addresses_equal, addresses_wrong;
	uint64_t addresses_folded, addresses_gone; /* not compared, as above */
	/* Location lists. */
	uint64_t lists, lists_equal, lists_wrong, lists_lost;
	uint64_t lists_gone;  /* not compared: the output has nothing of the code, or BOLT folded it
			       */
	uint64_t unit_ranges; /* units of .debug_aranges */
	uint64_t units_split; /* units whose entries are in a file of their own (split DWARF), which
				 is not read */
};

/* The line tables of both binaries, for numbers of files, and which unit is which. */
struct scope_files {
	const struct line_rows *in, *out;
	const struct unit_order *order;
};

/* Adds findings, and fills the summary.  *of_input: the error is the input's.
 *
 * BC_UNSUPPORTED  there is no libdw
 * BC_FORMAT       debug information of the input is damaged, or that of one of them is too much
 *                 work
 * BC_NOMEM */
BC_MUST_USE bool check_scopes(const struct code_map *map, const struct scope_files *files,
			      struct scopes_summary *out, struct findings *findings, bool *of_input,
			      struct bc_error *err);

/*
 * Does debug information show the same source lines of the output's instructions as of the input's?
 * Each instruction that both have is looked up in both line tables.  llvm-bolt writes the tables
 * again with -update-debug-sections; without it they stay the input's, which is one finding.
 */

struct lines_summary {
	/* Instructions of the output in fragments of the table. */
	uint64_t instructions;
	uint64_t equal;  /* the same file, line, column, statement mark and discriminator */
	uint64_t wrong;  /* another file or line */
	uint64_t lost;   /* no line, and the input has one */
	uint64_t detail; /* the same line, and something else differs */
	/* Not comparable: */
	struct untied_counts untied;
	uint64_t no_function; /* of functions that are not known in the input */
	uint64_t no_line;     /* the input has none there */
	uint64_t jumps;       /* made again at the end of a block: they have the line before them */
	uint64_t folded;      /* of functions of several sizes that BOLT folded */
	uint64_t stale;       /* the output's tables are those of the input, or cannot be read */
	/* Others. */
	uint64_t left;  /* functions that BOLT left where they were, compared by their rows */
	uint64_t files; /* numbers of files in .debug_info, compared */
};

/* Adds findings, and fills the summary.  Then compares scopes, unless there is nothing of the
 * output's code to compare: *scoped. *of_input: the error is the input's.
 *
 * BC_NOTFOUND     the input has no line table
 * BC_UNSUPPORTED  there is no libdw
 * BC_FORMAT       the input's debug information is damaged, or to read one of them is too much work
 * BC_NOMEM */
BC_MUST_USE bool check_lines(const struct binary *subject, const struct input *input,
			     unsigned threads, struct lines_summary *out,
			     struct scopes_summary *scopes, bool *scoped, struct findings *findings,
			     bool *of_input, struct bc_error *err);

/*
 * Are the output's symbols where the code and data of the input's are?  Each symbol of .symtab and
 * .dynsym is found in the output by its name, binding, type and visibility, the Nth by the Nth.  If
 * its code moved, its address is translated by the table; all others stay.  Sizes of code that
 * moved are held against .eh_frame, which is written of the code itself.
 */

struct symbols_summary {
	/* Symbols of the input's tables that name something.  Each is in one of: */
	uint64_t symbols;
	uint64_t same;      /* where the input has them, and so is what they name */
	uint64_t moved;     /* with their code */
	uint64_t wrong;     /* findings */
	uint64_t displaced; /* labels within code that moved that are elsewhere: findings, too */
	uint64_t lost;      /* likewise */
	uint64_t dropped;   /* local labels within code that moved, which llvm-bolt leaves out since
			       release 19 */
	/* Not comparable: */
	uint64_t own;      /* llvm-bolt sets them again: _end, __hot_start, ... */
	uint64_t labels;   /* of the assembler: .L..., $x */
	uint64_t no_map;   /* within code that moved and of which the table has nothing */
	uint64_t ordered;  /* of sections of data that BOLT wrote again (-reorder-data) */
	uint64_t no_table; /* the output has no such table: it was stripped */
	/* Others. */
	uint64_t sizes; /* of fragments, compared */
};

/* Adds findings, and fills the summary.  input->of is known.  *of_input: the error is the input's.
 * BC_FORMAT: a damaged table, or too much work. BC_NOMEM */
BC_MUST_USE bool check_symbols(const struct binary *subject, const struct input *input,
			       struct symbols_summary *out, struct findings *findings,
			       bool *of_input, struct bc_error *err);

/*
 * Does the output unwind as the input does?  At each instruction that both have, the rules for the
 * caller's frame and registers are compared; where BOLT changed the frame, they are held against
 * the code (frame_flow.h).  Exceptions must find the same landing pads, and an unwinder every FDE.
 */

struct unwind_summary {
	/* Instructions of the output in fragments of the table. */
	uint64_t instructions;
	uint64_t equal;     /* the same rules */
	uint64_t explained; /* other ones, as BOLT changed the frame; the code says that they are
			       right */
	uint64_t different; /* findings */
	/* Not comparable: */
	struct untied_counts untied;
	uint64_t no_function; /* of functions that are not known in the input */
	uint64_t no_rules;    /* the input has none there */
	/* Their rules are not the input's, as BOLT changed the frame of the function, and following
	 * its code does not show whether they are right: the stack pointer was rounded, a register
	 * was loaded from memory of which nothing is known. */
	uint64_t undetermined;
	uint64_t input_wrong; /* the input's rules do not match its code there, too */
	/* Others. */
	uint64_t calls; /* whose exceptions were compared */
	uint64_t fdes;  /* of the output that an unwinder can find */
	/* Functions of the output that the table has nothing of: each is in one of the three. */
	uint64_t left;
	uint64_t left_compared; /* by their rows: BOLT left them where they were */
	uint64_t left_no_rules; /* the input has none where they begin */
	uint64_t left_other;    /* the input has no function of this name there */
};

/* Adds findings, and fills the summary.  input->of is known.  BC_FORMAT: the input's .eh_frame is
 * damaged, or too much work.  BC_NOMEM */
BC_MUST_USE bool check_unwind(const struct binary *subject, const struct input *input,
			      unsigned threads, struct unwind_summary *out,
			      struct findings *findings, struct bc_error *err);

/*
 * How faithful is the table?  Random addresses of mapped code are translated in two
 * ways that share no code: by libbat's table, and by a plain scan of the stored
 * fields.  With the input binary, the instructions on both sides are compared.
 */

struct sample_result {
	uint64_t addresses; /* translated in both ways           */
	uint64_t differ;    /* to two results                    */
	uint64_t compared;  /* instructions at them, on both sides */
	uint64_t same;      /* alike except for what they refer to  */
	uint64_t added;     /* not compared: jumps that BOLT inserted */
};

/* count: of addresses, at beginnings of instructions.  The same seed takes the same
 * ones.  input: may be NULL.  False: no memory. */
bool sample_check(const struct binary *subject, struct input *input, uint64_t count, uint64_t seed,
		  struct sample_result *out, struct findings *findings);

#endif
