/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What several commands print in the same way. */
#ifndef CLI_PRINT_H
#define CLI_PRINT_H

#include <stdio.h>

#include "src/base/text.h"
#include "src/elf/image.h"
#include "src/base/json.h"

/* A number as a string, "0x1f": JSON's own numbers end at 2^53. */
void json_hex(struct json *json, const char *key, uint64_t value);

/* Hexadecimal bytes; an empty text is left out. */
void json_bytes(struct json *json, const char *key, struct text bytes);

/* Hexadecimal bytes. */
void print_bytes(struct text bytes, FILE *out);

/* "batconv: WHY", or what the adviser says in its place (operands.h), and the exit code. */
int fail(const struct bc_error *err);

/* The same of a file: "batconv: FILE: WHY". */
int fail_file(const char *file, const struct bc_error *err);

#endif
