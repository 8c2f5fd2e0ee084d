/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A table from JSON, as docs/schema/bat.schema.json describes it. */
#ifndef VERIFY_TABLE_JSON_H
#define VERIFY_TABLE_JSON_H

#include "include/bat/bat.h"
#include "src/base/json.h"

/* Fragments may be in any order, entries of one in that of their output offsets.
 * Where a cold one has no "hot_index" or "hot_address", "parent" gives it.
 *
 * BC_FORMAT  no JSON, not of that schema, or a table that cannot be
 * BC_IO, BC_NOMEM.  The text has the stream's name. */
BC_MUST_USE bool table_json_read(struct file_stream *stream, struct bat_table *out,
				 struct bc_error *err);

#endif
