/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* memrchr() */
#include "src/profile/preagg.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/hex.h"
#include "src/count/stack.h"
#include "src/profile/shard.h"

enum { BRANCH = PREAGG_BRANCH, FROM = PREAGG_FROM, TO = PREAGG_TO, PLACES = PREAGG_PLACES };

/* ---- returns ---- */

void preagg_returns_free(struct preagg_returns *returns)
{
	for (size_t i = 0; i < returns->room; i++)
		number_set_free(&returns->at[i]);
	free(returns->at);
	strings_free(&returns->files);
	*returns = (struct preagg_returns){0};
}

bool preagg_returns_add(struct preagg_returns *returns, struct text file, uint64_t at)
{
	uint32_t number;

	if (!strings_intern(&returns->files, file, &number))
		return false;
	if (number >= returns->room) {
		size_t room = 2 * (size_t)number + 1;
		struct number_set *sets = realloc(returns->at, room * sizeof(*sets));
		if (!sets)
			return false;
		memset(sets + returns->room, 0, (room - returns->room) * sizeof(*sets));
		returns->at = sets;
		returns->room = room;
	}
	return number_set_add(&returns->at[number], at);
}

bool preagg_returns_join(struct preagg_returns *to, const struct preagg_returns *from)
{
	for (size_t file = 0; file < from->room && file < (from->files.len ? from->files.len : 1);
	     file++) {
		const struct number_set *set = &from->at[file];
		struct text name = strings_at(&from->files, (uint32_t)file);
		if (set->has_zero && !preagg_returns_add(to, name, 0))
			return false;
		for (size_t i = 0; i < set->capacity; i++)
			if (set->at[i] && !preagg_returns_add(to, name, set->at[i]))
				return false;
	}
	return true;
}

bool preagg_returns_have(const struct preagg_returns *returns, struct text file, uint64_t at)
{
	for (uint32_t i = file.len ? 1 : 0; i < returns->room && i < returns->files.len; i++)
		if (text_equal(strings_at(&returns->files, i), file))
			return number_set_has(&returns->at[i], at);
	return !file.len && returns->room && number_set_has(&returns->at[0], at);
}

/* ---- writing ---- */

static void write_place(const struct preagg_place *place, struct emit *out)
{
	if (place->file.len) {
		emit_bytes(out, place->file.at, place->file.len);
		emit_char(out, ':');
	}
	emit_hex(out, place->at);
	emit_char(out, ' ');
}

/* Locations that are numbers alone, as nearly all are.  false: there is no room */
static bool write_numbers(const struct preagg_record *record, unsigned first, unsigned last,
			  struct emit *out)
{
	if (!emit_room(out, 2 + PLACES * (HEX_MOST + 1)))
		return false;
	char *at = out->at + out->used;
	*at++ = record->letter;
	*at++ = ' ';
	for (unsigned i = first; i <= last; i++) {
		at += hex_write(at, record->places[i].at);
		*at++ = ' ';
	}
	out->used = (size_t)(at - out->at);
	return true;
}

void preagg_write(const struct preagg_record *record, struct emit *out)
{
	const struct preagg_shape *shape = preagg_shape_of(record->letter);
	unsigned first = shape ? shape->first : 0, last = shape ? shape->last : 0;
	bool numbers = true;

	for (unsigned i = first; i <= last; i++)
		numbers &= !record->places[i].file.len;
	if (!numbers || !write_numbers(record, first, last, out)) {
		emit_char(out, record->letter);
		emit_char(out, ' ');
		for (unsigned i = first; i <= last; i++)
			write_place(&record->places[i], out);
	}
	emit_dec(out, record->count);
	if (shape && (record->mispredicted || record->letter == 'B')) {
		emit_char(out, ' ');
		emit_dec(out, record->mispredicted);
	}
	emit_char(out, '\n');
}

void preagg_write_event(struct text name, struct emit *out)
{
	emit_string(out, "E ");
	emit_bytes(out, name.at, name.len);
	emit_char(out, '\n');
}

/* ---- reading items ----
 * Keys of traces are (from, branch, to), as unsigned numbers, then what is before their colons;
 * basic samples are ordered by their address.
 *
 *   sum[0] count   sum[1] mispredictions */

/* Ids are written in lower case, so that one is one. */
static void key_file(struct key *key, struct text file)
{
	size_t first = key->size;

	key_name(key, file);
	if (text_is(file, PREAGG_OUTSIDE))
		return;
	for (size_t i = first; i < key->size; i++)
		key->at[i] |= key->at[i] >= 'A' && key->at[i] <= 'F' ? 0x20 : 0;
}

static void key_locations(struct key *key, const struct preagg_place places[PLACES])
{
	static const uint8_t order[] = {FROM, BRANCH, TO};
	bool named = places[BRANCH].file.len || places[FROM].file.len || places[TO].file.len;

	key->size = 0;
	for (size_t i = 0; i < PLACES; i++)
		key_number(key, places[order[i]].at);
	for (size_t i = 0; named && i < PLACES; i++)
		key_file(key, places[order[i]].file);
}

static bool take_mode(struct profile_head *head, enum profile_mode mode, const char **why)
{
	*why = "basic samples (E and S) and traces in one file";
	if (head->mode && head->mode != mode)
		return false;
	head->mode = mode;
	return true;
}

/* The key has ids in lower case. */
static struct text branch_file(const struct key *key)
{
	const char *file = (const char *)key->at + PLACES * sizeof(uint64_t);

	return key->size > PLACES * sizeof(uint64_t) ? text_of(file + strlen(file) + 1) :
						       (struct text){"", 0};
}

static bool take_trace(struct preagg_record *record, const struct preagg_shape *shape,
		       struct preagg_returns *returns, struct key *key, const char **why)
{
	struct preagg_place *branch = &record->places[BRANCH];

	/* A return from outside is what an r record says. */
	if (shape->returns && preagg_is_outside(branch))
		*branch = (struct preagg_place){TRACE_FT_RETURN, {"", 0}};
	key_locations(key, record->places);
	*why = NULL;
	if (key->failed || !shape->returns || !returns || branch->at >= TRACE_FT_RETURN)
		return !key->failed;
	if (returns->room > PREAGG_RETURNS_FILES)
		*why = "R records of too many files";
	return !*why && preagg_returns_add(returns, branch_file(key), branch->at);
}

static bool take_sample(const struct preagg_place *place, struct key *key, const char **why)
{
	key->size = 0;
	key_number(key, place->at);
	if (place->file.len)
		key_file(key, place->file);
	*why = NULL;
	return !key->failed;
}

static bool take_event(struct text name, struct profile_head *head, const char **why)
{
	uint32_t ignored;

	*why = NULL;
	return strings_intern(&head->events, name, &ignored);
}

bool preagg_take_record(const char **line, const struct preagg_returns *returns, struct key *key,
			struct profile_item *item)
{
	struct preagg_numbers record;
	const char *at = *line;

	if (!preagg_take_numbers(&at, &record) || (record.shape->returns && returns))
		return false;
	key->size = 0;
	if (!key_reserve(key, sizeof(record.places)))
		return false;
	uint8_t *end = key_put_number(key->at, record.places[FROM]);
	key_put_number(key_put_number(end, record.places[BRANCH]), record.places[TO]);
	key->size = sizeof(record.places);
	*item = (struct profile_item){
		.key = key->at, .size = key->size, .sum = {record.count, record.mispredicted}};
	*line = at;
	return true;
}

bool preagg_take(struct text line, struct profile_head *head, struct preagg_returns *returns,
		 struct key *key, struct profile_item *item, bool *is_record, const char **why)
{
	const char *at = line.at;

	*is_record = head->mode == MODE_BRANCHES && preagg_take_record(&at, returns, key, item);
	if (*is_record)
		return true;
	struct preagg_record record;
	struct preagg_fault fault = {0};
	bool ok = preagg_parse(line, &record, &fault);
	*why = fault.why;
	if (!ok || !record.letter)
		return ok;
	if (record.letter == 'E')
		return take_mode(head, MODE_PLAIN, why) && take_event(record.event, head, why);
	const struct preagg_shape *shape = preagg_shape_of(record.letter);
	if (!take_mode(head, shape ? MODE_BRANCHES : MODE_PLAIN, why) ||
	    !(shape ? take_trace(&record, shape, returns, key, why) :
		      take_sample(&record.places[0], key, why)))
		return false;
	*is_record = true;
	*item = (struct profile_item){
		.key = key->at, .size = key->size, .sum = {record.count, record.mispredicted}};
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
		const char *why, *first = memrchr(at, '\n', (size_t)(letter - at)),
				 *last = memchr(letter, '\n', (size_t)(end - letter));
		first = first ? first + 1 : at;
		ok = last && preagg_take((struct text){first, (size_t)(last - first)}, &head,
					 returns, key, &item, &ignored, &why);
		at = last ? last + 1 : end;
	}
	profile_head_free(&head);
	return ok;
}

/* ---- records of items ---- */

/* For a fall-through alone only T can show mispredictions. */
static char letter_of(const struct preagg_place *branch, bool branch_only, uint64_t mispredictions,
		      const struct preagg_returns *returns)
{
	if (branch->at >= TRACE_FT_RETURN)
		return mispredictions                  ? 'T' :
		       branch->at == TRACE_FT_ONLY     ? 'F' :
		       branch->at == TRACE_FT_EXTERNAL ? 'f' :
							 'r';
	if (!preagg_is_outside(branch) && preagg_returns_have(returns, branch->file, branch->at))
		return 'R';
	return branch_only ? 'B' : 'T';
}

struct preagg_record preagg_of_item(const struct profile_item *item, enum profile_mode mode,
				    const struct preagg_returns *returns)
{
	static const uint8_t order[] = {FROM, BRANCH, TO};
	struct preagg_record record = {
		.letter = 'S', .count = item->sum[0], .mispredicted = item->sum[1]};
	struct key_parts key = key_parts(item);

	if (mode == MODE_PLAIN) {
		record.places[0].at = key_take_number(&key);
		if (key.at < key.end)
			record.places[0].file = key_take_name(&key);
		return record;
	}
	for (size_t i = 0; i < PLACES; i++)
		record.places[order[i]] = (struct preagg_place){key_take_number(&key), {"", 0}};
	for (size_t i = 0; key.at < key.end && i < PLACES; i++)
		record.places[order[i]].file = key_take_name(&key);
	bool branch_only = record.places[TO].at == TRACE_BR_ONLY;
	record.letter = letter_of(&record.places[BRANCH], branch_only, item->sum[1], returns);
	return record;
}

/* ---- counts of a conversion ---- */

struct row_writer {
	struct emit out;
	const struct preagg_profile *profile;
	char id[2 * BUILD_ID_MAX + 1]; /* to be before addresses; empty: nothing */
};

static struct preagg_place place_of(const struct row_writer *w, struct trace_end end)
{
	enum trace_end_kind kind = trace_end_kind(end);

	return (struct preagg_place){end.word, text_of(kind == TRACE_END_EXTERNAL ? PREAGG_OUTSIDE :
						       kind == TRACE_END_VADDR    ? w->id :
										    "")};
}

static bool is_return(const struct preagg_profile *profile, const struct trace *trace)
{
	return returns_has(profile->returns, trace->branch);
}

/* A fall-through without its branch has a letter that says how it was reached. */
static char letter_of_trace(const struct preagg_profile *profile, const struct trace *trace)
{
	if (!trace_has_branch(trace))
		return trace_end_is(trace->branch, TRACE_END_NONE)        ? 'F' :
		       trace_end_is(trace->branch, TRACE_END_FT_EXTERNAL) ? 'f' :
									    'r';
	return is_return(profile, trace) ? 'R' : trace_has_fall_through(trace) ? 'T' : 'B';
}

/* perf2bolt 22 must have mispredictions on B, and refuses them on T and R.  A fall-through alone
 * has none. */
static uint64_t mispredictions(const struct preagg_profile *profile, size_t row)
{
	struct trace trace = trace_of(profile->rows[row].key);

	if (profile->basic || !trace_has_branch(&trace))
		return 0;
	return profile->whole || letter_of_trace(profile, &trace) == 'B' ?
		       profile->rows[row].extra :
		       0;
}

static void write_row(struct row_writer *w, size_t row)
{
	const struct count_row *at = &w->profile->rows[row];
	struct preagg_record record = {
		.letter = 'S', .count = at->count, .mispredicted = mispredictions(w->profile, row)};
	struct trace trace = trace_of(at->key);

	if (w->profile->basic) {
		record.places[0] = place_of(w, (struct trace_end){at->key[0]});
	} else {
		record.letter = letter_of_trace(w->profile, &trace);
		record.places[BRANCH] = place_of(w, trace.branch);
		record.places[FROM] = place_of(w, trace.from);
		record.places[TO] = place_of(w, trace.to);
	}
	preagg_write(&record, &w->out);
}

void preagg_write_profile(const struct preagg_profile *profile, FILE *file)
{
	struct row_writer w = {.profile = profile};

	emit_init(&w.out, file);
	if (profile->file)
		build_id_format(profile->file, w.id);
	for (size_t i = 0; profile->basic && i < profile->event_count; i++)
		preagg_write_event(text_of(profile->events[i]), &w.out);
	for (size_t i = 0; i < profile->count; i++)
		write_row(&w, i);
	emit_flush(&w.out);
}

/* A shard without a record can be merged with shards of both modes. */
static enum profile_mode mode_of(const struct preagg_profile *profile)
{
	if (!profile->count)
		return MODE_OPEN;
	return profile->basic ? MODE_PLAIN : MODE_BRANCHES;
}

bool preagg_write_shard(const struct preagg_profile *profile, struct build_id digest, FILE *file,
			struct bc_error *err)
{
	struct shard shard = {.kind = KIND_PREAGG,
			      .mode = mode_of(profile),
			      .id = digest,
			      .records = profile->count};
	FILE *text = shard_begin(&shard, file);

	if (!text)
		return bc_fail_nomem(err);
	preagg_write_profile(profile, text);
	if (fclose(text) != 0)
		return bc_fail_errno(err, "cannot write the shard");
	for (size_t i = 0; i < profile->count; i++) {
		shard.sums[0] += profile->rows[i].count;
		shard.sums[1] += mispredictions(profile, i);
	}
	shard_end(&shard, file);
	return true;
}
