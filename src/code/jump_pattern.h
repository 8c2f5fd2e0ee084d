/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The instructions before an indirect jump that tell which table it uses. */
#ifndef CODE_JUMP_PATTERN_H
#define CODE_JUMP_PATTERN_H

#include "src/isa/decoder.h"
#include "src/elf/functions.h"

struct table_ref {
	uint64_t address;
	bool relative; /* 4-byte distances from the table, else 8-byte addresses */
};

/* The table that the indirect jump insns->at[jump] would use.  False: no pattern
 * that BOLT knows. */
bool jump_pattern(const struct image *image, const struct function *function,
		  const struct insn_vec *insns, size_t jump, struct table_ref *out);

#endif
