/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Scalars of YAML. */
#ifndef OUTPUT_YAML_TEXT_H
#define OUTPUT_YAML_TEXT_H

#include <stdbool.h>

#include "src/base/attr.h"
#include "src/base/emit.h"

/* A string of any bytes, quoted where a reader could take it for something else.  What is
 * no UTF-8, which YAML cannot hold, becomes U+FFFD. */
void yaml_scalar(struct emit *out, const char *string);

/* The strings as one, with blanks between, always quoted; '' for none.  Returns false when
 * out of memory. */
BC_MUST_USE bool yaml_joined(struct emit *out, const char *const *strings, size_t count);

void yaml_hex(struct emit *out, uint64_t value); /* upper case, with 0x */

/* KEY and the value, nothing if that is 0. */
void yaml_hex_field(struct emit *out, const char *key, uint64_t value);
void yaml_dec_field(struct emit *out, const char *key, uint64_t value);

#endif
