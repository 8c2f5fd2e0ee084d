/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* libdw, which is loaded when first needed and found where it is installed. */
#ifndef ELF_LIBDW_H
#define ELF_LIBDW_H

#include <stddef.h>

#include "src/base/error.h"

#define LIBDW_LIBRARY "libdw.so.1"

/* A function of libdw, and where its pointer stands in a struct of such pointers. */
struct libdw_function {
	const char *name;
	size_t offset;
};

/* Loads the library; `purpose` begins the message.  BC_UNSUPPORTED: it is not installed */
BC_MUST_USE bool libdw_load(const char *purpose, void **library, struct bc_error *err);

/* In place of both, of a build without libdw's headers: says so, or that a static program loads no libraries.  Returns false, BC_UNSUPPORTED */
BC_MUST_USE bool libdw_left_out(const char *purpose, struct bc_error *err);

/* Finds functions in it, and writes their pointers into *out.  BC_UNSUPPORTED: it lacks one */
BC_MUST_USE bool libdw_find(void *library, const char *purpose, const struct libdw_function *functions, size_t count, void *out,
			    struct bc_error *err);

#endif
