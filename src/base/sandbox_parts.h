/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The two halves of sandbox_enter(), after no_new_privs. */
#ifndef BASE_SANDBOX_PARTS_H
#define BASE_SANDBOX_PARTS_H

#include "src/base/sandbox.h"

/* Landlock: which files can be written, made and removed.  Returns its version, or 0. */
unsigned sandbox_landlock(const char *const *outputs, size_t count);

/* seccomp: which calls there are.
 * writes  files will be opened for writing, renamed and removed, not only read */
enum sandbox_calls sandbox_calls(bool writes);

#endif
