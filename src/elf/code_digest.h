/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which optimised binary addresses are of.  A build-id names BOLT's input; what tells what BOLT made of it is
 * the code: SHA-256 of class, machine, and address, size and bytes of every executable segment.  Neither
 * stripping nor another form of the table changes it.
 */
#ifndef ELF_CODE_DIGEST_H
#define ELF_CODE_DIGEST_H

#include "src/elf/binary.h"

/* 32 bytes; about 3 ms a megabyte of code, and no time of a side file, which has it. */
struct build_id code_digest(const struct binary *binary);

#endif
