/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Scalars of YAML. */
#ifndef OUTPUT_YAML_TEXT_H
#define OUTPUT_YAML_TEXT_H

#include "src/base/emit.h"

/* A string of any bytes, quoted where a reader could take it for something else. */
void yaml_scalar(struct emit *out, const char *string);

/* The strings as one, with blanks between; '' for none. */
void yaml_joined(struct emit *out, const char *const *strings, size_t count);

void yaml_hex(struct emit *out, uint64_t value); /* upper case, with 0x */

/* KEY and the value, nothing if that is 0. */
void yaml_hex_field(struct emit *out, const char *key, uint64_t value);
void yaml_dec_field(struct emit *out, const char *key, uint64_t value);

#endif
