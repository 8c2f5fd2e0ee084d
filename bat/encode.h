/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The writers of layouts: encode_fixed.c, and encode_leb.c for the other three.
 * bat_encode() calls one of them; they call what is below them, sink.h and holds.h.
 */
#ifndef BATCONV_BAT_ENCODE_H
#define BATCONV_BAT_ENCODE_H

#include "bat/bat.h"
#include "bat/sink.h"

/* Append a table's descriptor.  BAT_UNHELD, BAT_NOMEM; that the sink itself ran
 * out of memory is left to the caller to see. */
BAT_MUST_USE bool bat_write_fixed(struct bat_sink *s,
				  const struct bat_table *table,
				  struct bat_error *err);
BAT_MUST_USE bool bat_write_leb(struct bat_sink *s,
				const struct bat_table *table,
				enum bat_layout layout, struct bat_error *err);

#endif
