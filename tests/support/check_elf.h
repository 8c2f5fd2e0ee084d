/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks what must be true of every file, damaged or not. */
#ifndef TESTS_SUPPORT_CHECK_ELF_H
#define TESTS_SUPPORT_CHECK_ELF_H

#include "src/elf/image.h"

/* Aborts unless: an error has a fitting code and a text; segments ascend, and an
 * offset becomes an address and again the same offset; functions ascend, do not
 * overlap, lie in their section and have names; functions_find() finds what a
 * linear search finds.  Returns whether the file was read to the end. */
bool check_elf(struct bytes file);

#endif
