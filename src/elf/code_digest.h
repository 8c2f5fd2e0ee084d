/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which optimised binary addresses are of.  A build-id names BOLT's input; what tells what BOLT made of it is
 * the code: SHA-256 of class, machine, and address, size and bytes of every executable segment.  Neither
 * stripping nor another form of the table changes it, and a side file has it, too.
 */
#ifndef ELF_CODE_DIGEST_H
#define ELF_CODE_DIGEST_H

#include "src/elf/image.h"

/* 32 bytes; about 3 ms a megabyte of code. */
struct build_id code_digest(const struct image *image);

#endif
