/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* batconv inspect: what was found, as text and as JSON. */
#ifndef CLI_INSPECT_H
#define CLI_INSPECT_H

#include <stdio.h>

#include "src/inspect/inspect.h"

/* Writes the command that a user may want to run on the file, or the program that reads it: one
 * line without its end. */
void inspect_next(const struct inspected *found, char *line, size_t size);

void inspect_text(const struct inspected *found, FILE *out);
void inspect_json(const struct inspected *found, FILE *out);

/* "program", "shared library", ... */
const char *inspect_image_kind(const struct image *image);

/* "BOLTed", "not BOLTed", ... */
const char *inspect_binary_kind(const struct inspected *found);

const char *inspect_local(enum local_file local);

#endif
