/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where a kernel was, and what ran in its modules. */
#ifndef CLI_KERNEL_SUMMARY_H
#define CLI_KERNEL_SUMMARY_H

#include <stdio.h>

#include "src/cli/say.h"
#include "src/flow/conversion.h"

/* How far the kernel of an input moved: "0x1c400000", "-0x200000". */
#define MOVED_SIZE 20
const char *kernel_moved(const struct conversion *conversion, size_t number, char text[MOVED_SIZE]);

/* What an input told of it: "no kernel", "recorded", "hidden" or "not recorded". */
const char *kernel_told(const struct conversion *conversion, size_t number);

/* Modules by name, most samples first; to be freed.  Out of memory: none. */
struct kernel_module_vec kernel_modules(const struct conversion *conversion);

/* For people: how far it moved; what ran in modules. */
void print_kernel(const char *path, const struct conversion *conversion, size_t number, FILE *out);
void print_modules(const struct conversion *conversion, FILE *out);

/* The kernel was taken to be where its file says, as the input does not tell. */
void warn_of_kernel(const struct conversion *conversion, size_t number, const struct warnings *to);

/* The same to stderr. */
void tell_kernel(const struct conversion *conversion, size_t number);

#endif
