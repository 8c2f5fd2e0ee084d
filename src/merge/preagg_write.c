/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/hex.h"
#include "src/merge/preagg.h"
#include "src/merge/preagg_shape.h"

bool preagg_write_head(const struct profile_head *head, struct emit *out)
{
	struct text *events = profile_set_sorted(&head->events);

	for (size_t i = 0; events && i < profile_set_size(&head->events); i++) {
		emit_string(out, "E ");
		emit_bytes(out, events[i].at, events[i].len);
		emit_char(out, '\n');
	}
	bool ok = events;
	free(events);
	return ok;
}

static void write_location(struct emit *out, const struct location *place)
{
	emit_char(out, ' ');
	if (place->file.len) {
		emit_bytes(out, place->file.at, place->file.len);
		emit_char(out, ':');
	}
	emit_hex(out, place->at);
}

/* Of a fall-through alone only T can tell mispredictions. */
static char letter_of(const struct location *branch, bool branch_only, uint64_t mispredictions,
		      const struct preagg_returns *returns)
{
	if (branch->at >= RUN_RETURN && !branch->file.len)
		return mispredictions ? 'T' : branch->at == RUN_ONLY ? 'F' : branch->at == RUN_EXTERNAL ? 'f' : 'r';
	if (!text_is(branch->file, OUTSIDE) && preagg_returns_have(returns, branch->file, branch->at))
		return 'R';
	return branch_only ? 'B' : 'T';
}

static void write_counts(char letter, const struct profile_item *item, struct emit *out)
{
	emit_dec(out, item->sum[0]);
	if (item->sum[1] || letter == 'B') {
		emit_char(out, ' ');
		emit_dec(out, item->sum[1]);
	}
	emit_char(out, '\n');
}

/* Numbers alone, which is nearly all.  false: there is no room */
static bool write_numbers(const struct profile_item *item, const struct preagg_returns *returns, struct emit *out)
{
	struct key_parts key = key_parts(item);
	uint64_t places[PLACES] = {0};

	if (!emit_room(out, 2 + PLACES * (HEX_MOST + 1)))
		return false;
	places[FROM] = key_take_number(&key);
	places[BRANCH] = key_take_number(&key);
	places[TO] = key_take_number(&key);
	char letter = letter_of(&(struct location){places[BRANCH], {"", 0}}, places[TO] == BRANCH_ONLY, item->sum[1], returns);
	const struct shape *shape = shape_of(letter);
	char *at = out->at + out->used;
	*at++ = letter;
	for (unsigned i = shape->first; i <= shape->last; i++) {
		*at++ = ' ';
		at += hex_write(at, places[i]);
	}
	*at++ = ' ';
	out->used = (size_t)(at - out->at);
	write_counts(letter, item, out);
	return true;
}

static void write_trace(const struct profile_item *item, const struct preagg_returns *returns, struct emit *out)
{
	static const uint8_t order[] = {FROM, BRANCH, TO};
	struct key_parts key = key_parts(item);
	struct location places[PLACES];

	if (item->size == PLACES * sizeof(uint64_t) && write_numbers(item, returns, out))
		return;
	for (size_t i = 0; i < PLACES; i++)
		places[order[i]] = (struct location){key_take_number(&key), {"", 0}};
	for (size_t i = 0; key.at < key.end && i < PLACES; i++)
		places[order[i]].file = key_take_name(&key);
	bool branch_only = places[TO].at == BRANCH_ONLY && !places[TO].file.len;
	char letter = letter_of(&places[BRANCH], branch_only, item->sum[1], returns);
	const struct shape *shape = shape_of(letter);
	emit_char(out, letter);
	for (size_t i = shape->first; i <= shape->last; i++)
		write_location(out, &places[i]);
	emit_char(out, ' ');
	write_counts(letter, item, out);
}

void preagg_write_item(const struct profile_item *item, enum profile_mode mode, const struct preagg_returns *returns,
		       struct emit *out)
{
	if (mode != MODE_PLAIN) {
		write_trace(item, returns, out);
		return;
	}
	struct key_parts key = key_parts(item);
	struct location place = {key_take_number(&key), {"", 0}};
	if (key.at < key.end)
		place.file = key_take_name(&key);
	emit_char(out, 'S');
	write_location(out, &place);
	emit_char(out, ' ');
	emit_dec(out, item->sum[0]);
	emit_char(out, '\n');
}
