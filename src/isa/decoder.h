/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Instructions one after the other: of x86-64 LLVM is asked for the lengths that the
 * bytes do not show for certain.
 */
#ifndef ISA_DECODER_H
#define ISA_DECODER_H

#include "src/base/attr.h"
#include "src/isa/insn.h"
#include "src/isa/llvm.h"

/* Decodes instructions of one machine; for one thread at a time. */
struct decoder {
	enum machine machine;
	struct llvm_context llvm; /* opened when first needed */
	bool llvm_missing;        /* it was needed, and there is none */
};

void decoder_open(enum machine machine, struct decoder *out);
void decoder_close(struct decoder *decoder);

/* Decode the instruction that begins at `code` and is loaded at `at`.  False: there is
 * none, or without libLLVM it is not known. */
bool decoder_next(struct decoder *decoder, struct bytes code, uint64_t at, struct insn *out);

/* Adds the instructions of code that is loaded at `at`, up to its end or to what cannot be decoded.
 * Offsets count from its beginning; code of 4 GiB or more has none.  Returns false when out of
 * memory. */
BC_MUST_USE bool decoder_read(struct decoder *decoder, struct bytes code, uint64_t at,
			      struct insn_vec *out);

#endif
