/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Libraries that are loaded when they are first needed, and found where they are installed: what
 * most runs do not need is no dependency of the package.  A statically linked program
 * (BATCONV_STATIC) loads none: a library would bring a second C library along.
 */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include "src/base/error.h"

/* Loads a library, which stays loaded.
 *
 * BC_UNSUPPORTED  it is not installed, or this program loads none.  The text says why, without the
 *                 name's own */
BC_MUST_USE bool library_load(const char *name, void **out, struct bc_error *err);

/* Why this program loads none; NULL: it loads them. */
const char *library_none(void);

/* Writes the address of a function of it to the pointer to a function at `out`.  False: it lacks
 * one of this name. */
BC_MUST_USE bool library_function(void *library, const char *name, void *out);

#endif
