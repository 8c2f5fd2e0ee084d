/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* memrchr() */
#include "src/base/hex.h"
#include "src/merge/preagg.h"
#include "src/merge/preagg_shape.h"

bool preagg_can_be(struct text start)
{
	static const char letters[] = "ESTRBFfr";

	while (start.len) {
		size_t end = text_find(start, '\n');
		struct text line = text_first(start, end), word = text_word(&line);
		if (word.len && !text_starts(word, "#") && !text_starts(word, "//"))
			return word.len == 1 && *word.at && strchr(letters, *word.at);
		start = text_from(start, end < start.len ? end + 1 : end);
	}
	return true;
}

/* The next word; empty at the end, or where a comment begins. */
static struct text next_word(struct text *rest)
{
	struct text word = text_word(rest);

	return text_starts(word, "#") || text_starts(word, "//") ? (struct text){word.at, 0} : word;
}

static bool is_id(struct text file)
{
	for (size_t i = 0; i < file.len; i++)
		if (!strchr("0123456789abcdefABCDEF", file.at[i]) || !file.at[i])
			return false;
	return file.len && file.len % 2 == 0 && file.len <= 2 * BUILD_ID_MAX;
}

static bool parse_location(struct text word, struct location *out)
{
	size_t colon = text_find(word, ':');
	struct text at = word;

	out->file = (struct text){"", 0};
	if (colon < word.len) {
		out->file = text_first(word, colon);
		at = text_behind(word, colon);
		if (text_starts(out->file, "0x"))
			out->file = text_from(out->file, 2);
		if (!text_is(out->file, OUTSIDE) && !is_id(out->file))
			return false;
	}
	if (at.len == 2 && at.at[0] == '-' && at.at[1] >= '1' && at.at[1] <= '3')
		out->at = 0 - (uint64_t)(at.at[1] - '0');
	else if (!text_hex(at, &out->at))
		return false;
	/* The marks are no place in any file. */
	if (out->at >= RUN_RETURN && !text_is(out->file, OUTSIDE))
		out->file = (struct text){"", 0};
	return true;
}

/* A number behind one blank, as nearly all are. */
static bool take_plain(struct text *rest, struct location *out)
{
	size_t blank = rest->len && *rest->at == ' ';
	const char *at = rest->at + blank, *end = rest->at + rest->len;
	size_t digits = hex_read(at, end, &out->at);

	if (!digits || digits > 16 || at + digits == end || at[digits] != ' ')
		return false;
	out->file = (struct text){"", 0};
	*rest = (struct text){at + digits, (size_t)(end - at) - digits};
	return true;
}

static bool take_location(struct text *rest, struct location *out)
{
	return take_plain(rest, out) || parse_location(next_word(rest), out);
}

/* Ids are written in lower case, so that one is one. */
static void key_file(struct key *key, struct text file)
{
	size_t first = key->size;

	key_name(key, file);
	if (text_is(file, OUTSIDE))
		return;
	for (size_t i = first; i < key->size; i++)
		key->at[i] |= key->at[i] >= 'A' && key->at[i] <= 'F' ? 0x20 : 0;
}

static void key_locations(struct key *key, const struct location places[PLACES])
{
	static const uint8_t order[] = {FROM, BRANCH, TO};
	bool named = places[BRANCH].file.len || places[FROM].file.len || places[TO].file.len;

	key->size = 0;
	for (size_t i = 0; i < PLACES; i++)
		key_number(key, places[order[i]].at);
	for (size_t i = 0; named && i < PLACES; i++)
		key_file(key, places[order[i]].file);
}

static bool take_counts(struct text rest, bool mispredictions, struct profile_item *item, const char **why)
{
	struct text word = next_word(&rest);

	*why = "expected a count, a decimal number below 2^64";
	if (!text_dec(word, &item->sum[0]))
		return false;
	word = next_word(&rest);
	if (mispredictions && word.len) {
		*why = "expected the mispredictions, a decimal number below 2^64";
		if (!text_dec(word, &item->sum[1]))
			return false;
		word = next_word(&rest);
	}
	*why = "expected the end of the line";
	return !word.len;
}

static bool take_mode(struct profile_head *head, enum profile_mode mode, const char **why)
{
	*why = "plain samples (E and S) and traces in one file";
	if (head->mode && head->mode != mode)
		return false;
	head->mode = mode;
	return true;
}

/* The key has ids in lower case. */
static struct text branch_file(const struct key *key)
{
	const char *file = (const char *)key->at + PLACES * sizeof(uint64_t);

	return key->size > PLACES * sizeof(uint64_t) ? text_of(file + strlen(file) + 1) : (struct text){"", 0};
}

static bool take_trace(struct text rest, const struct shape *shape, struct preagg_returns *returns, struct key *key,
		       struct profile_item *item, const char **why)
{
	struct location places[PLACES] = {{shape->branch, {"", 0}}, {0, {"", 0}}, {BRANCH_ONLY, {"", 0}}};

	*why = "expected a location: hexadecimal digits, or such behind a build-id or X and a colon";
	for (size_t i = shape->first; i <= shape->last; i++)
		if (!take_location(&rest, &places[i]))
			return false;
	if (!take_counts(rest, shape->mispredictions, item, why))
		return false;
	bool outside = text_is(places[BRANCH].file, OUTSIDE);
	/* A return from outside is what an r record says. */
	if (shape->returns && outside)
		places[BRANCH] = (struct location){RUN_RETURN, {"", 0}};
	key_locations(key, places);
	*why = NULL;
	if (key->failed || !shape->returns || !returns || places[BRANCH].at >= RUN_RETURN)
		return !key->failed;
	if (returns->room > PREAGG_RETURNS_FILES)
		*why = "R records of too many files";
	return !*why && preagg_returns_add(returns, branch_file(key), places[BRANCH].at);
}

static bool take_sample(struct text rest, struct key *key, struct profile_item *item, const char **why)
{
	struct location place;

	*why = "expected an address in hexadecimal digits";
	if (!take_location(&rest, &place) || !take_counts(rest, false, item, why))
		return false;
	key->size = 0;
	key_number(key, place.at);
	if (place.file.len)
		key_file(key, place.file);
	*why = NULL;
	return !key->failed;
}

static bool take_event(struct text rest, struct profile_head *head, const char **why)
{
	struct text name = text_trim(rest);
	uint32_t ignored;

	*why = "expected an event name";
	if (!name.len || text_is_numbers(name))
		return false;
	*why = NULL;
	return strings_intern(&head->events, name, &ignored);
}

/* A number and the blank behind it. */
static inline bool read_place(const char **at, uint64_t *out)
{
	unsigned digits = hex_open(*at, out);

	*at += digits + 1;
	return digits && (*at)[-1] == ' ';
}

/* A count below 10^18; behind it stands what ends it. */
static inline bool read_count(const char **at, uint64_t *out)
{
	const char *first = *at, *p = first;
	uint64_t sum = 0;

	for (; (unsigned char)(*p - '0') < 10; p++)
		sum = sum * 10 + (uint64_t)(*p - '0');
	*out = sum;
	*at = p;
	return p > first && p - first < 19;
}

/* Places that are numbers alone, single blanks, no comment. */
bool preagg_take_record(const char **line, const struct preagg_returns *returns, struct key *key, struct profile_item *item)
{
	const char *at = *line + 2;
	const struct shape *shape = at[-2] != '\n' && at[-1] == ' ' ? shape_of(at[-2]) : NULL;

	if (!shape || (shape->returns && returns))
		return false;
	uint64_t places[PLACES] = {shape->branch, 0, BRANCH_ONLY};
	for (unsigned i = shape->first; i <= shape->last; i++)
		if (!read_place(&at, &places[i]))
			return false;
	*item = (struct profile_item){0};
	if (!read_count(&at, &item->sum[0]))
		return false;
	if (*at == ' ' && (!shape->mispredictions || (at++, !read_count(&at, &item->sum[1]))))
		return false;
	key->size = 0;
	if (*at != '\n' || !key_reserve(key, sizeof(places)))
		return false;
	key_put_number(key_put_number(key_put_number(key->at, places[FROM]), places[BRANCH]), places[TO]);
	item->key = key->at;
	item->size = key->size = sizeof(places);
	*line = at + 1;
	return true;
}

bool preagg_take(struct text line, struct profile_head *head, struct preagg_returns *returns, struct key *key,
		 struct profile_item *item, bool *is_record, const char **why)
{
	const char *at = line.at;

	*is_record = head->mode == MODE_BRANCHES && preagg_take_record(&at, returns, key, item);
	if (*is_record)
		return true;
	*item = (struct profile_item){0};
	struct text letter = next_word(&line);
	if (!letter.len)
		return true;
	if (text_is(letter, "E"))
		return take_mode(head, MODE_PLAIN, why) && take_event(line, head, why);
	const struct shape *shape = letter.len == 1 ? shape_of(*letter.at) : NULL;
	*why = "expected a record, which begins with one of E S T R B F f r";
	if (!shape && !text_is(letter, "S"))
		return false;
	if (!take_mode(head, shape ? MODE_BRANCHES : MODE_PLAIN, why) ||
	    !(shape ? take_trace(line, shape, returns, key, item, why) : take_sample(line, key, item, why)))
		return false;
	*is_record = true;
	item->key = key->at;
	item->size = key->size;
	return true;
}

/* Every R record has this letter, and other lines have it hardly ever. */
bool preagg_take_returns(struct text lines, struct preagg_returns *returns, struct key *key)
{
	const char *at = lines.at, *end = lines.at + lines.len;
	struct profile_head head = {0};
	bool ok = true, ignored;

	for (const char *letter; ok && (letter = memchr(at, 'R', (size_t)(end - at)));) {
		struct profile_item item;
		const char *why, *first = memrchr(at, '\n', (size_t)(letter - at)), *last = memchr(letter, '\n', (size_t)(end - letter));
		first = first ? first + 1 : at;
		ok = last && preagg_take((struct text){first, (size_t)(last - first)}, &head, returns, key, &item, &ignored, &why);
		at = last ? last + 1 : end;
	}
	profile_head_free(&head);
	return ok;
}
