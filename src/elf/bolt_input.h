/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What llvm-bolt can do with a binary that it is to read: what the binary has of what llvm-bolt
 * needs, and what follows from that.
 */
#ifndef ELF_BOLT_INPUT_H
#define ELF_BOLT_INPUT_H

#include "src/elf/image.h"

struct bolt_input {
	enum machine machine;
	bool code; /* false: a debug file */
	bool kernel;
	bool go; /* its run-time system has tables of its code that llvm-bolt does not know */
	bool relocations; /* of its code: see image_has_code_relocations() */
	enum bolt_symbols {
		BOLT_SYMBOLS_NONE, /* no .symtab: it is stripped */
		BOLT_SYMBOLS_DATA, /* a .symtab without a function */
		BOLT_SYMBOLS_FUNCTIONS,
	} symbols;
	bool build_id;
	enum bolt_debug {
		BOLT_DEBUG_NONE,
		BOLT_DEBUG_PLAIN,
		BOLT_DEBUG_COMPRESSED,
	} debug;
};

/* For a binary that llvm-bolt did not write. */
struct bolt_input bolt_input_of(const struct image *image);

/* Did ld --emit-relocs leave the relocations of the code in the file?  Only with them llvm-bolt
 * moves functions. */
bool image_has_code_relocations(const struct image *image);

/* Is it a Go program? */
bool image_is_of_go(const struct image *image);

/* What llvm-bolt does not do with such a binary, or only in another way: key in JSON, the sentence,
 * and what is after it: the remedy. */
#define BOLT_LIMITS(X)                                                                             \
	X(NO_CODE, "no_code", "no code in this file (objcopy --only-keep-debug)",                  \
	  ": give the binary itself")                                                              \
	X(NO_RELOCATIONS, "no_relocations",                                                        \
	  "no relocations of its code: llvm-bolt cannot reorder its functions",                    \
	  "; link with -Wl,--emit-relocs (-Wl,-q)")                                                \
	X(AARCH64, "aarch64_without_relocations",                                                  \
	  "llvm-bolt does not fully support AArch64 code without relocations", "")                 \
	X(RISCV, "riscv_without_relocations",                                                      \
	  "llvm-bolt cannot split functions of RISC-V code without relocations", "")               \
	X(GO, "go", "a Go program: what llvm-bolt writes of it does not start", "")                \
	X(KERNEL, "kernel", "a kernel: llvm-bolt reorders its blocks, and not its functions", "")  \
	X(STRIPPED, "stripped",                                                                    \
	  "stripped: llvm-bolt 19 and later take it with -allow-stripped only",                    \
	  "; give the file from before strip, or join it with its debug file: eu-unstrip")         \
	X(NO_FUNCTIONS, "no_function_symbols",                                                     \
	  "no function in its symbol table: its profile names functions by address",               \
	  "; give the file from before strip")                                                     \
	X(NO_BUILD_ID, "no_build_id",                                                              \
	  "no build-id: nothing but code shows whether samples are of this build",                 \
	  "; link with -Wl,--build-id")                                                            \
	X(DEBUG_INFO, "debug_info",                                                                \
	  "debug information: llvm-bolt removes it without -update-debug-sections", "")            \
	X(COMPRESSED_DEBUG_INFO, "compressed_debug_info",                                          \
	  "compressed debug information: llvm-bolt removes it",                                    \
	  "; to keep it, run objcopy --decompress-debug-sections, then llvm-bolt with "            \
	  "-update-debug-sections")

#define X(limit, key, text, remedy) BOLT_LIMIT_##limit,
enum bolt_limit { BOLT_LIMITS(X) BOLT_LIMIT_COUNT };
#undef X

/* Is there anything that llvm-bolt can make of it? */
bool bolt_input_will_do(const struct bolt_input *input);

bool bolt_input_has(const struct bolt_input *input, enum bolt_limit limit);
const char *bolt_limit_key(enum bolt_limit limit);
const char *bolt_limit_text(enum bolt_limit limit);   /* with the remedy */
const char *bolt_limit_cause(enum bolt_limit limit);  /* without it */
const char *bolt_limit_remedy(enum bolt_limit limit); /* empty: there is none */

#endif
