/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where encoders put their bytes, and what they need to know about a table. */
#ifndef BATCONV_BAT_ENCODE_H
#define BATCONV_BAT_ENCODE_H

#include "bat/layout.h"

/* A growing buffer.  After running out of memory it takes no more bytes:
 * encoders need not look at `failed` before the end. */
struct bat_sink {
	uint8_t *data;
	size_t size, capacity;
	bool failed;
};

void bat_sink_bytes(struct bat_sink *s, const uint8_t *data, size_t size);
void bat_sink_u32(struct bat_sink *s, uint32_t value);
void bat_sink_u64(struct bat_sink *s, uint64_t value);
void bat_sink_uleb(struct bat_sink *s, uint64_t value);
void bat_sink_sleb(struct bat_sink *s, uint64_t value);

/* Every entry of a fragment in the order of storing, without those that the
 * layout cannot hold: of entries that share an OutputOffset, all layouts but
 * hashed keep one, the last, which is the one that translates. */
static inline bool bat_keeps_entry(const struct bat_features *features,
				   const struct bat_entry *entries,
				   uint32_t count, uint32_t i)
{
	return features->hashed || i + 1 == count ||
	       entries[i].output != entries[i + 1].output;
}

uint32_t bat_kept_entries(const struct bat_features *features,
			  const struct bat_entry *entries, uint32_t count);

BAT_MUST_USE bool bat_write_fixed(struct bat_sink *s,
				  const struct bat_table *table,
				  struct bat_error *err);
BAT_MUST_USE bool bat_write_leb(struct bat_sink *s,
				const struct bat_table *table,
				enum bat_layout layout, struct bat_error *err);

/* BAT_UNHELD: `layout` cannot hold this fragment.  Returns false. */
bool bat_fail_unheld(enum bat_layout layout, const struct bat_fragment *f,
		     const char *why, struct bat_error *err);

#endif
