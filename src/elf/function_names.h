/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* All names of the functions of a binary: of one that llvm-bolt reads, those that a profile can
 * know them by. */
#ifndef ELF_FUNCTION_NAMES_H
#define ELF_FUNCTION_NAMES_H

#include "src/base/text.h"
#include "src/elf/functions.h"

/* Calls name() for each name of each function, by number, and for some twice; local ones have all
 * that llvm-bolt gives them: NAME/N, and NAME/FILE/N.  Ends, and returns false, when name() does,
 * or out of memory. */
BC_MUST_USE bool function_names_each(const struct function_table *functions,
				     bool (*name)(void *ctx, uint32_t function, struct text name),
				     void *ctx);

/* A longer name of Rust keeps the hashes of its crates. */
#define NAME_STEM_ROOM 512

/* A name without what a compiler or link-time optimization added to it as it made the function from
 * another one: f of f.llvm.1234, f.constprop.0 and f/file.c/1; and without the hashes of Rust,
 * which each version of a crate changes: _ZN1f17h0123456789abcdefE and _RNvCs1a2b_1c1f
 * (doc.rust-lang.org/rustc/symbol-mangling).  Is a part of the name, or lies in the room. */
struct text function_name_stem(struct text name, char room[NAME_STEM_ROOM]);

#endif
