/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/cells.h"

DEFINE_VEC(letter_vec, char);

/* Bytes that become base64 as they come. */
struct base64 {
	struct letter_vec letters;
	uint32_t bits; /* that are no letter yet */
	unsigned count;
};

static bool put_byte(struct base64 *out, uint8_t byte)
{
	static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	out->bits = out->bits << 8 | byte;
	out->count += 8;
	while (out->count >= 6) {
		out->count -= 6;
		if (!letter_vec_push(&out->letters, alphabet[out->bits >> out->count & 63]))
			return false;
	}
	return true;
}

static bool put_number(struct base64 *out, uint64_t value)
{
	while (value > 127) {
		if (!put_byte(out, (uint8_t)(value | 128)))
			return false;
		value >>= 7;
	}
	return put_byte(out, (uint8_t)value);
}

/* Ends the last letter, and fills its group of four. */
static bool put_end(struct base64 *out)
{
	unsigned missing = out->count ? 6 - out->count : 0;
	size_t letters = out->letters.len;

	if (missing && !put_byte(out, 0))
		return false;
	out->letters.len = letters + !!missing; /* one byte was more than the letter needs */
	while (out->letters.len % 4)
		if (!letter_vec_push(&out->letters, '='))
			return false;
	return true;
}

static bool put_run(struct base64 *out, const struct heat_run *run, uint64_t gap)
{
	bool many = run->count > 1;

	return put_number(out, gap << 1 | many) && (!many || put_number(out, run->count)) && put_number(out, run->hits);
}

/* Encodes cells until they are too many.  Returns false when out of memory. */
static bool encode(const struct heat *heat, size_t room, struct base64 *out, bool *fits)
{
	uint64_t at = heat->runs.len ? heat->runs.at[0].first : 0;

	*out = (struct base64){.letters = out->letters};
	out->letters.len = 0;
	for (size_t i = 0; i < heat->runs.len && out->letters.len + 4 <= room; i++) {
		const struct heat_run *run = &heat->runs.at[i];
		if (!put_run(out, run, run->first - at))
			return false;
		at = run->first + run->count;
	}
	*fits = out->letters.len + 4 <= room;
	return put_end(out);
}

static void write_object(struct json *json, const char *key, const struct heat *heat, const struct letter_vec *letters)
{
	const struct heat_run *first = heat->runs.at, *last = first + heat->runs.len - !!heat->runs.len;
	uint64_t most = 0;

	for (size_t i = 0; i < heat->runs.len; i++)
		most = heat->runs.at[i].hits > most ? heat->runs.at[i].hits : most;
	json_open(json, key, '{');
	json_number(json, "cell", heat->bucket);
	json_number(json, "wanted", CELL_WANTED);
	json_based(json, "begin", heat->runs.len ? first->first * heat->bucket : 0);
	json_based(json, "end", heat->runs.len ? heat_product(last->first + last->count, heat->bucket) : 0);
	json_number(json, "cells", heat->buckets);
	json_number(json, "sum", heat->hits);
	json_number(json, "max", most);
	json_letters(json, "data", (struct text){letters->at, letters->len});
	json_close(json, '}');
}

bool cells_write(struct json *json, const char *key, const struct heat *heat, size_t room)
{
	BC_AUTO(heat_free) struct heat cells = {0};
	struct base64 text = {0};
	bool fits = false;

	bool ok = heat_zoom(heat, CELL_WANTED, &cells) && encode(&cells, room, &text, &fits);
	while (ok && !fits && cells.bucket < UINT64_MAX / 4) {
		struct heat finer = cells;
		ok = heat_zoom(&finer, 2 * finer.bucket, &cells) && encode(&cells, room, &text, &fits);
		heat_free(&finer);
	}
	if (ok)
		write_object(json, key, &cells, &text.letters);
	letter_vec_free(&text.letters);
	return ok;
}
