/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The encoders of the layouts: encode_fixed.c for BAT_LAYOUT_FIXED, encode_leb.c for the
 * other three.  bat_encode() calls one of them.
 */
#ifndef BATCONV_BAT_ENCODE_H
#define BATCONV_BAT_ENCODE_H

#include "bat/bat.h"
#include "bat/buffer.h"

/* Append a table's descriptor.  BAT_ERROR_UNENCODABLE, BAT_ERROR_NOMEM.  They do not
 * check whether the buffer ran out of memory: the caller does. */
BAT_MUST_USE bool bat_write_fixed(struct bat_buffer *s,
				  const struct bat_table *table,
				  struct bat_error *err);
BAT_MUST_USE bool bat_write_leb(struct bat_buffer *s,
				const struct bat_table *table,
				enum bat_layout layout, struct bat_error *err);

#endif
