/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What verify can find.  Ids are stable: scripts and code-scanning tools know
 * them.  docs/man/batconv-verify.1 lists them (a test compares).
 */
#ifndef VERIFY_FINDINGS_H
#define VERIFY_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/attr.h"

enum severity { SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_ERROR };

#define REBUILD                                                                                    \
	"Build the binary again with one llvm-bolt and keep other tools away from "                \
	"the section."
#define REPORT                                                                                     \
	"Report it to BOLT with the input binary; profiles of these functions are "                \
	"not to be trusted."
#define REPAIR                                                                                     \
	"Rewrite the section with batconv transcode, or ignore it: batconv reads it "              \
	"the same way."
#define UNWIND_REPORT                                                                                                  \
	"A stack trace, a profiler or an exception goes wrong there.  Leave out the option of llvm-bolt that does it " \
	"(-frame-opt, -split-strategy=cdsplit), or the function (-skip-funcs), and report it to BOLT with the input binary."

#define SYMBOL_REPORT                                                                                                                      \
	"Debuggers, profilers and programs that look for it by its name find something else there.  If another tool wrote the file after " \
	"llvm-bolt, run it before; else report it to BOLT with the input binary."

#define DWARF_REPORT                                                                                           \
	"A debugger or a profile by lines shows the wrong location there.  docs/verify.md lists known causes " \
	"and what helps (gcc's DWARF 5: build with -gdwarf-4); else report it to BOLT with the input binary."

#define SCOPE_REPORT                                                                               \
	"A debugger shows wrong functions, variables or types there.  Report it to BOLT with the input binary."

/* X(NAME, "id", severity, "what it is", "what to do") */
#define FINDING_KINDS(X)                                                                                                                                           \
	X(SEGMENT_MISALIGNED, "segment-misaligned", ERROR,                                                                                                         \
	  "an executable segment's address and offset differ modulo its alignment (type EXEC: the page size)",                                                     \
	  "The loader refuses or misplaces such a file; build it again.")                                                                                          \
	X(GO_PROGRAM, "go-program", ERROR,                                                                                                                         \
	  "a Go program (.gopclntab), whose own tables of its code llvm-bolt does not change",                                                                     \
	  "It dies at its start (unknown pc): use the program that llvm-bolt read.")                                                                               \
	X(NOTE_DAMAGED, "note-damaged", ERROR, "the section is no ELF note of its size", REBUILD)                                                                  \
	X(NOTE_FOREIGN, "note-foreign", ERROR, "the note is not one of BOLT's",                                                                                    \
	  "Find out what wrote the section: it is no BAT.")                                                                                                        \
	X(NOTE_TWICE, "note-twice", ERROR, "there are two BAT sections",                                                                                           \
	  "Was the binary linked from BOLTed parts, or BOLTed twice?  Build it again.")                                                                            \
	X(NOTE_PADDING, "note-padding", WARNING, "padding bytes are not zero", REBUILD)                                                                            \
	X(NOTE_LOADED, "note-loaded", WARNING, "the section is loaded into memory",                                                                                \
	  "It costs memory in every process; it need not be allocated.")                                                                                           \
	X(DESC_CUT, "desc-cut", ERROR, "the table ends within a field", REBUILD)                                                                                   \
	X(DESC_LEFT, "desc-left-over", ERROR, "bytes follow the table", REBUILD)                                                                                   \
	X(NUMBER_WIDE, "number-wide", ERROR, "a LEB128 number exceeds 64 bits", REBUILD)                                                                           \
	X(COUNT_LARGE, "count-large", ERROR, "a count exceeds what can follow", REBUILD)                                                                           \
	X(EQUAL_RANGE, "equal-elems-range", ERROR, "EqualElems exceeds NumEntries", REBUILD)                                                                       \
	X(HOT_INDEX_RANGE, "hot-index-range", ERROR, "HotIndex names no hot function", REBUILD)                                                                    \
	X(COLD_ADDRESS, "cold-address", ERROR, "ColdAddress names no fragment", REBUILD)                                                                           \
	X(ADDRESS_ORDER, "address-order", ERROR, "fragment addresses do not ascend", REBUILD)                                                                      \
	X(OFFSET_ORDER, "offset-order", ERROR, "OutputOffset decreases", REBUILD)                                                                                  \
	X(LAYOUT_AMBIGUOUS, "layout-ambiguous", ERROR, "two layouts fit and read differently",                                                                     \
	  "Rebuild with a current llvm-bolt, whose layout cannot be mistaken.")                                                                                    \
	X(NUMBER_PADDED, "number-padded", WARNING, "a LEB128 is longer than it must be", REPAIR)                                                                   \
	X(MASK_BITS, "mask-bits", WARNING, "unused bits of BranchEntries are set", REPAIR)                                                                         \
	X(NOT_CANONICAL, "not-canonical", WARNING, "BOLT would have encoded it differently",                                                                       \
	  REPAIR)                                                                                                                                                  \
	X(MAPS_EMPTY, "maps-empty", ERROR, "no fragment has an entry",                                                                                             \
	  "LLVM 15 writes such tables; use 16 or later: nothing can be translated with this.")                                                                     \
	X(MAP_EMPTY, "map-empty", WARNING, "a fragment has no entries", REPORT)                                                                                    \
	X(HOT_START, "hot-start", NOTE, "a hot function does not begin with block 0 at 0",                                                                         \
	  "Fine if its first block was never emitted.")                                                                                                            \
	X(NEVER_EMITTED, "never-emitted", NOTE, "an entry of a block that was never emitted",                                                                      \
	  "Nothing to do: the entry maps no address.")                                                                                                             \
	X(ENTRY_ELSEWHERE, "entry-elsewhere", NOTE, "an entry's code is in another fragment",                                                                      \
	  "Nothing to do: BOLT folded a jump into a branch of that fragment; the entry maps no address.")                                                          \
	X(BLOCK_COPIED, "block-copied", NOTE, "one input block has two entries",                                                                                   \
	  "Nothing to do: BOLT split or copied the block; both translate to it.")                                                                                  \
	X(INPUT_TWICE, "input-twice", ERROR,                                                                                                                       \
	  "two block entries of a function share an input offset", REPORT)                                                                                         \
	X(BRANCH_ASTRAY, "branch-astray", NOTE, "a branch entry came from outside its block",                                                                      \
	  "Fine if BOLT moved the branch, as in a table that LLVM 19 or later wrote first.")                                                                       \
	X(BLOCK_COUNT, "block-count", WARNING, "NumBlocks is not the number of blocks listed",                                                                     \
	  REPORT)                                                                                                                                                  \
	X(BLOCK_DELETED, "block-deleted", NOTE,                                                                                                                    \
	  "a function has input blocks without entry and without code",                                                                                            \
	  "Nothing to do: BOLT deleted blocks that nothing reached.")                                                                                              \
	X(BLOCK_INDEX, "block-index", ERROR, "a block's index is out of range or used twice",                                                                      \
	  REPORT)                                                                                                                                                  \
	X(BLOCK_ORDER, "block-order", ERROR, "block indices and input offsets differ in order",                                                                    \
	  REPORT)                                                                                                                                                  \
	X(BLOCK_HASH, "block-hash", ERROR, "a block's hash was made for another input offset",                                                                     \
	  REPORT)                                                                                                                                                  \
	X(SECONDARY_ORDER, "secondary-order", ERROR, "secondary entry points do not ascend",                                                                       \
	  REPORT)                                                                                                                                                  \
	X(HOT_INDEX_ORDINAL, "hot-index-ordinal", WARNING,                                                                                                         \
	  "HotIndex counts cold fragments (LLVM 18)",                                                                                                              \
	  "perf2bolt 18 credits cold code to wrong functions: convert with batconv, which repairs it.")                                                            \
	X(PARENT_WRONG, "parent-wrong", ERROR,                                                                                                                     \
	  "a cold fragment's parent does not match its symbol", REPORT)                                                                                            \
	X(PARENT_UNKNOWN, "parent-unknown", WARNING, "a cold fragment has no parent",                                                                              \
	  "Its samples are lost; keep the symbol table in the binary.")                                                                                            \
	X(FRAGMENT_NO_CODE, "fragment-no-code", ERROR, "a fragment lies in no executable segment",                                                                 \
	  REBUILD)                                                                                                                                                 \
	X(FRAGMENT_NO_SYMBOL, "fragment-no-symbol", ERROR, "no function begins at a fragment",                                                                     \
	  "The table may belong to another binary.")                                                                                                               \
	X(COLD_MISSING, "cold-missing", ERROR,                                                                                                                     \
	  "a mapped function's cold part is not in the table", REBUILD)                                                                                            \
	X(HOT_MISSING, "hot-missing", WARNING, "a function that BOLT rewrote is not in the table",                                                                 \
	  "Its samples cannot be translated; see coverage.")                                                                                                       \
	X(ENTRY_OUTSIDE, "entry-outside", ERROR, "an entry lies after its fragment's end", REPORT)                                                                 \
	X(CODE_UNDECODABLE, "code-undecodable", WARNING, "code of a fragment cannot be decoded",                                                                   \
	  "If it is data in code, ignore it; else the file is damaged.")                                                                                           \
	X(NO_BRANCH, "no-branch", ERROR, "a branch entry is on no control-flow instruction",                                                                       \
	  REPORT)                                                                                                                                                  \
	X(INSIDE_INSN, "inside-insn", ERROR, "an entry is within an instruction", REPORT)                                                                          \
	X(INPUT_BUILD, "input-build-id", ERROR,                                                                                                                    \
	  "it is not the input binary: the build-ids do not belong together",                                                                                      \
	  "Give the binary that llvm-bolt read: its build-id is this one's with the last bit flipped, "                                                            \
	  "and, if a BOLT later than 23 wrote this one, the first bit.")                                                                                           \
	X(INPUT_OTHER, "input-other", ERROR,                                                                                                                       \
	  "it is not the input binary, or the table is of another one",                                                                                            \
	  "Give the binary that llvm-bolt read.")                                                                                                                  \
	X(INPUT_NO_FUNCTION, "input-no-function", ERROR, "the input binary has no such function",                                                                  \
	  "Give the binary that llvm-bolt read.")                                                                                                                  \
	X(INPUT_OUTSIDE, "input-outside", ERROR, "an input offset lies after its function's end",                                                                  \
	  REPORT)                                                                                                                                                  \
	X(INPUT_NO_BRANCH, "input-no-branch", ERROR,                                                                                                               \
	  "a branch entry's input offset is on no control-flow instruction", REPORT)                                                                               \
	X(INPUT_INSIDE_INSN, "input-inside-insn", ERROR,                                                                                                           \
	  "an input offset is within an instruction", REPORT)                                                                                                      \
	X(SYMBOL_ADDRESS, "symbol-address", ERROR,                                                                                                                 \
	  "a symbol is not where the code or data of the input's is", SYMBOL_REPORT)                                                                               \
	X(SYMBOL_SIZE, "symbol-size", WARNING, "a symbol's size is not that of its code or data",                                                                  \
	  SYMBOL_REPORT)                                                                                                                                           \
	X(SYMBOL_UNEXPORTED, "symbol-unexported", ERROR,                                                                                                           \
	  "a symbol of the input's .dynsym is not in the output's",                                                                                                \
	  "A program that needs it does not start.  If another tool wrote the file after llvm-bolt, run it before; else report it to BOLT with the input binary.") \
	X(SYMBOL_LOST, "symbol-lost", NOTE,                                                                                                                        \
	  "a symbol of the input's .symtab is not in the output's",                                                                                                \
	  "Debuggers and profilers do not know this name.  Nothing, if you stripped the output.")                                                                  \
	X(SYMBOL_LABEL, "symbol-label", NOTE,                                                                                                                      \
	  "a label within code that moved is elsewhere than its instruction",                                                                                      \
	  "Debuggers show it at another instruction.  llvm-bolt 16 puts all labels within a function to its beginning, later ones leave them out.")                \
	X(UNWIND_DAMAGED, "unwind-damaged", ERROR,                                                                                                                 \
	  "call frame information or an exception table cannot be read", UNWIND_REPORT)                                                                            \
	X(UNWIND_MISSING, "unwind-missing", ERROR,                                                                                                                 \
	  "code has no call frame information, and the input's has", UNWIND_REPORT)                                                                                \
	X(UNWIND_CFA, "unwind-cfa", ERROR, "the rule for the caller's frame (CFA) is wrong",                                                                       \
	  UNWIND_REPORT)                                                                                                                                           \
	X(UNWIND_REGISTER, "unwind-register", ERROR, "the rule for a saved register is wrong",                                                                     \
	  UNWIND_REPORT)                                                                                                                                           \
	X(UNWIND_BETWEEN, "unwind-between-calls", WARNING, "the rules are wrong, but at no call",                                                                  \
	  "Stack traces and exceptions do not see it; a profiler or a signal handler that interrupts the program there does.  llvm-bolt does so "                  \
	  "at some jumps and returns of most programs: report it to BOLT if it matters to you.")                                                                   \
	X(UNWIND_OVERLAP, "unwind-overlap", ERROR, "two FDEs describe the same code",                                                                              \
	  UNWIND_REPORT)                                                                                                                                           \
	X(UNWIND_HEADER, "unwind-header", ERROR, ".eh_frame_hdr does not lead to the FDE of code",                                                                 \
	  "Unwinders search this table only.  If another tool wrote the file after llvm-bolt, run it before; else report it to BOLT.")                             \
	X(UNWIND_PERSONALITY, "unwind-personality", ERROR,                                                                                                         \
	  "another personality function than the input's, or none", UNWIND_REPORT)                                                                                 \
	X(UNWIND_CALL_SITE, "unwind-call-site", ERROR,                                                                                                             \
	  "an exception continues elsewhere than in the input", UNWIND_REPORT)                                                                                     \
	X(UNWIND_DEBUG_FRAME, "unwind-debug-frame", NOTE,                                                                                                          \
	  ".debug_frame describes code where the input had it",                                                                                                    \
	  "Debuggers use .eh_frame where it is there; profilers read nothing else.")                                                                               \
	X(DWARF_STALE, "dwarf-stale", NOTE, "debug information is not of this code",                                                                               \
	  "Debuggers and profilers find no lines of this binary, or wrong ones.  Give llvm-bolt -update-debug-sections, or translate addresses with "              \
	  "batconv addr --source and the input binary.")                                                                                                           \
	X(DWARF_DAMAGED, "dwarf-damaged", ERROR, "debug information cannot be read", DWARF_REPORT)                                                                 \
	X(LINE_WRONG, "line-wrong", WARNING,                                                                                                                       \
	  "an instruction is of another line or file than in the input", DWARF_REPORT)                                                                             \
	X(LINE_LOST, "line-lost", NOTE, "an instruction has no line, and the input's has",                                                                         \
	  "Debuggers stop at the line before, or show none.")                                                                                                      \
	X(LINE_DETAIL, "line-detail", NOTE,                                                                                                                        \
	  "another column, discriminator or statement mark than in the input",                                                                                     \
	  "A profile for the compiler credits it to another part of the line (discriminator), a debugger stops elsewhere (statement mark).")                       \
	X(LINE_FILE, "line-file", WARNING,                                                                                                                         \
	  "a file number that names another file than in the input, or none", DWARF_REPORT)                                                                        \
	X(SCOPE_WRONG, "scope-wrong", WARNING,                                                                                                                     \
	  "a function, block or inlined call covers code that it has not in the input",                                                                            \
	  SCOPE_REPORT)                                                                                                                                            \
	X(SCOPE_LOST, "scope-lost", NOTE,                                                                                                                          \
	  "a function, block or inlined call lacks code that it has in the input",                                                                                 \
	  "A debugger does not know which function or variables are there.")                                                                                       \
	X(SCOPE_ADDRESS, "scope-address", WARNING,                                                                                                                 \
	  "an address in debug information leads to other code than in the input", SCOPE_REPORT)                                                                   \
	X(LOCATION_WRONG, "location-wrong", WARNING, "a variable is elsewhere than in the input",                                                                  \
	  SCOPE_REPORT)                                                                                                                                            \
	X(LOCATION_LOST, "location-lost", NOTE,                                                                                                                    \
	  "a variable is nowhere, and the input has it somewhere",                                                                                                 \
	  "A debugger says <optimized out> there.")                                                                                                                \
	X(ENTRY_WRONG, "entry-wrong", WARNING,                                                                                                                     \
	  "an entry of debug information is another than in the input", SCOPE_REPORT)

enum finding_kind {
#define X(name, id, severity, what, remedy) FINDING_##name,
	FINDING_KINDS(X)
#undef X
		FINDING_KIND_COUNT
};

struct finding_info {
	const char *id;
	enum severity severity;
	const char *what, *remedy; /* a sentence each, `what` without its full stop */
};

extern const struct finding_info finding_infos[FINDING_KIND_COUNT];

/* "note", "warning" or "error". */
const char *severity_name(enum severity severity);

#define NO_OFFSET UINT64_MAX
#define NO_INDEX  UINT32_MAX

/* Where it is.  What does not apply is NO_OFFSET, NO_INDEX, NULL. */
struct finding_location {
	const char *function; /* the input function's name; borrowed        */
	uint32_t fragment;    /* index in the table                         */
	uint32_t entry;       /* index in the fragment                      */
	uint64_t address;     /* vaddr in the output binary                 */
	uint64_t byte;        /* in the descriptor                          */
};
#define NO_LOCATION ((struct finding_location){NULL, NO_INDEX, NO_INDEX, NO_OFFSET, NO_OFFSET})

struct finding {
	enum finding_kind kind;
	struct finding_location location;
	char text[200]; /* what exactly */
};

struct findings {
	struct finding *at;
	size_t len, cap;
	uint64_t counts[FINDING_KIND_COUNT]; /* of all, kept or not    */
	size_t kept[FINDING_KIND_COUNT];
	size_t most; /* kept of each kind      */
	bool nomem;  /* some could not be kept */
};

void findings_init(struct findings *findings, size_t most);
void findings_free(struct findings *findings);

/* Add one; beyond `most` of its kind it is only counted. */
BC_PRINTF(4, 5)
void findings_add(struct findings *findings, enum finding_kind kind,
		  struct finding_location location, const char *fmt, ...);

/* Add all of another list after these. */
void findings_append(struct findings *to, const struct findings *from);

/* How many there are of this severity or a worse one. */
uint64_t findings_at_least(const struct findings *findings, enum severity severity);

#endif
