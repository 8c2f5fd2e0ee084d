/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/fdata.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/hex.h"
#include "src/base/parallel.h"
#include "src/profile/text_input.h"

#define OUTSIDE_KIND '0'
#define MEMORY_KIND  '3'          /* and above: addresses of accesses to memory */
#define PUT_EACH     ((size_t)16) /* bytes of a name that are copied at a time */

bool fdata_is_memory(const struct fdata_line *line)
{
	return line->from.kind >= MEMORY_KIND;
}

/* ---- the head ---- */

/* A line of a head: what it says is put into *head, and *is_head is set.  false: out of memory */
static bool fdata_head(struct text line, struct profile_head *head, bool *is_head)
{
	*is_head = true;
	if (text_is(line, "boltedcollection")) {
		head->bolted = true;
		return true;
	}
	*is_head = text_is(line, "no_lbr") || text_starts(line, "no_lbr ");
	if (!*is_head)
		return true;
	head->mode = MODE_PLAIN;
	return profile_set_add_words(&head->events, text_from(line, 6), " ");
}

void fdata_write_head(bool plain, bool bolted, const struct text *events, size_t event_count,
		      struct emit *out)
{
	if (plain) {
		emit_string(out, "no_lbr");
		for (size_t i = 0; i < event_count; i++) {
			emit_char(out, ' ');
			for (size_t k = 0; k < events[i].len; k++)
				emit_char(out, events[i].at[k] == '\n' ? '?' : events[i].at[k]);
		}
		emit_char(out, '\n');
	}
	if (bolted)
		emit_string(out, "boltedcollection\n");
}

/* ---- reading a line ----
 * After a line is its newline, and TEXT_AFTER bytes more can be read: so nothing below
 * looks for the end of the line but where it takes a byte of it. */

/* How many bytes are before the first blank, backslash or newline. */
static inline size_t plain_length(const char *at)
{
	size_t i = 0;

#ifdef __SSE2__
	for (;; i += 16) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(at + i));
		__m128i blank = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')),
					     _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n')));
		unsigned mask = (unsigned)_mm_movemask_epi8(
			_mm_or_si128(blank, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))));
		if (mask)
			return i + (unsigned)__builtin_ctz(mask);
	}
#else
	while (at[i] != ' ' && at[i] != '\n' && at[i] != '\\')
		i++;
	return i;
#endif
}

/* The name without its backslashes, which goes to `names`: it has room, so that no name there
 * moves. */
static struct text unescaped(struct text name, struct key *names)
{
	char *to = (char *)names->at + names->size;
	struct text out = {to, 0};

	for (size_t i = 0; i < name.len; i++) {
		i += name.at[i] == '\\'; /* what it escapes follows */
		*to++ = name.at[i];
	}
	out.len = (size_t)(to - out.at);
	names->size += out.len;
	return out;
}

/* Take a name with backslashes, of which `plain` bytes are before the first. */
static bool take_escaped(const char **rest, size_t plain, struct key *names,
			 struct fdata_place *out)
{
	const char *at = *rest + plain;
	bool odd = false;

	while (*at == '\\') {
		odd |= at[1] != ' ' && at[1] != '\\';
		at += at[1] == '\n' ? 1 : 2;
		at += plain_length(at);
	}
	out->name = (struct text){*rest, (size_t)(at - *rest)};
	out->as_it_stands = odd;
	*rest = at + 1;
	if (*at != ' ')
		return false;
	if (odd)
		return true;
	/* Room for both names of the line, with the bytes that fdata_item() reads after them. */
	if (!names->size && !key_reserve(names, out->name.len + strcspn(at, "\n") + 2 * PUT_EACH))
		return false;
	out->name = unescaped(out->name, names);
	return true;
}

/* Take the bytes up to the next blank, which is taken, too; a backslash takes a blank its meaning.
 */
static inline bool take_name(const char **rest, struct key *names, struct fdata_place *out)
{
	size_t length = plain_length(*rest);
	const char *end = *rest + length;

	if (*end == '\\')
		return take_escaped(rest, length, names, out);
	out->name = (struct text){*rest, length};
	out->as_it_stands = false;
	*rest = end + 1;
	return *end == ' ' && length;
}

static inline bool take_place(const char **rest, struct key *names, struct fdata_place *out,
			      const char **why)
{
	const char *at = *rest;

	*why = "expected a location: its kind (0 to 5), a name, and an offset in hexadecimal digits";
	if (at[0] < '0' || at[0] > '5' || at[1] != ' ')
		return false;
	out->kind = (uint8_t)at[0];
	*rest += 2;
	if (!take_name(rest, names, out))
		return false;
	unsigned digits = hex_open(*rest, &out->offset);
	*rest += digits + 1;
	return digits && (*rest)[-1] == ' ';
}

/* A decimal number and the blank after it, or the end of the line. */
static inline bool take_count(const char **rest, char end, uint64_t *out)
{
	const char *at = *rest;
	uint64_t sum = 0;

	for (; (unsigned char)(*at - '0') < 10; at++)
		sum = sum * 10 + (uint64_t)(*at - '0');
	*out = sum;
	struct text digits = {*rest, (size_t)(at - *rest)};
	*rest = at + 1;
	return *at == end && digits.len && (digits.len < 20 || text_dec(digits, out));
}

static inline bool take_counts(const char **rest, struct fdata_line *line, const char **why)
{
	*why = "expected the mispredictions and the count, two decimal numbers below 2^64, and nothing after them";
	if (line->from.kind < MEMORY_KIND && line->to.kind < MEMORY_KIND)
		return take_count(rest, ' ', &line->mispredicted) &&
		       take_count(rest, '\n', &line->count);
	*why = "expected two locations of memory and a count, a decimal number below 2^64";
	return line->from.kind >= MEMORY_KIND && line->to.kind >= MEMORY_KIND &&
	       take_count(rest, '\n', &line->count);
}

bool fdata_read(const char **line, enum profile_mode mode, struct key *names,
		struct fdata_line *out, const char **why)
{
	const char *rest = *line;

	names->size = 0;
	out->mispredicted = 0;
	out->sampled = false;
	if (!take_place(&rest, names, &out->from, why))
		return false;
	if (mode == MODE_PLAIN && out->from.kind < MEMORY_KIND) {
		*why = "expected the count of a basic sample, a decimal number below 2^64";
		out->sampled = true;
		if (!take_count(&rest, '\n', &out->count))
			return false;
	} else if (!take_place(&rest, names, &out->to, why) || !take_counts(&rest, out, why)) {
		return false;
	}
	*line = rest;
	return true;
}

/* ---- writing a line ---- */

#ifdef __SSE2__
static inline bool any_special(const char *at)
{
	__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);

	return _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')),
					      _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))));
}
#endif

/* Blanks separate fields: those within a name are escaped. */
static inline bool must_escape(struct text name)
{
	bool found = false;

#ifdef __SSE2__
	if (name.len >= 16) {
		for (size_t i = 0; i < name.len - 16; i += 16)
			found |= any_special(name.at + i);
		return found | any_special(name.at + name.len - 16);
	}
#endif
	for (size_t i = 0; i < name.len; i++)
		found |= name.at[i] == ' ' || name.at[i] == '\\';
	return found;
}

static void write_escaped(struct text name, struct emit *out)
{
	for (size_t i = 0; i < name.len; i++) {
		if (name.at[i] == ' ' || name.at[i] == '\\')
			emit_char(out, '\\');
		emit_char(out, name.at[i]);
	}
}

/* A location and the blank after it, with a name that needs no backslash.  false: there is no
 * room */
static inline bool write_plain(const struct fdata_place *place, struct emit *out)
{
	struct text name = place->name;

	if (name.len > EMIT_BUFFER / 2 || !emit_room(out, name.len + HEX_MOST + 4))
		return false;
	char *at = out->at + out->used;
	*at++ = (char)place->kind;
	*at++ = ' ';
	memcpy(at, name.at, name.len);
	at += name.len;
	*at++ = ' ';
	at += hex_write(at, place->offset);
	*at++ = ' ';
	out->used = (size_t)(at - out->at);
	return true;
}

static inline void write_place(const struct fdata_place *place, struct emit *out)
{
	bool escape = !place->as_it_stands && must_escape(place->name);

	if (!escape && write_plain(place, out))
		return;
	emit_char(out, (char)place->kind);
	emit_char(out, ' ');
	if (escape)
		write_escaped(place->name, out);
	else
		emit_bytes(out, place->name.at, place->name.len);
	emit_char(out, ' ');
	emit_hex(out, place->offset);
	emit_char(out, ' ');
}

/* For the line that is there.  false: *why it is none, or out of memory (why is NULL) */
static bool input_take(struct fdata_input *input, struct text line, struct fdata_line *out,
		       bool *is_head, const char **why)
{
	*why = NULL;
	*is_head = false;
	if (!input->records && !fdata_head(line, &input->head, is_head))
		return false;
	if (*is_head)
		return true;
	input->records = true;
	if (fdata_read(&line.at, input->head.mode, &input->names, out, why))
		return true;
	*why = input->names.failed ? NULL : *why;
	return false;
}

bool fdata_input_next(struct fdata_input *input, struct fdata_line *out, struct bc_error *err)
{
	struct text line;
	const char *why;

	for (bool is_head = true; is_head;) {
		if (!text_input_line(input->in, &line, err))
			return false;
		if (!input_take(input, line, out, &is_head, &why))
			return why ? text_input_fail(input->in, why, err) : bc_fail_nomem(err);
	}
	return true;
}

void fdata_input_free(struct fdata_input *input)
{
	profile_head_free(&input->head);
	key_free(&input->names);
}

void fdata_write(const struct fdata_line *line, struct emit *out)
{
	write_place(&line->from, out);
	if (!line->sampled)
		write_place(&line->to, out);
	if (!line->sampled && !fdata_is_memory(line)) {
		emit_dec(out, line->mispredicted);
		emit_char(out, ' ');
	}
	emit_dec(out, line->count);
	emit_char(out, '\n');
}

/* ---- items ----
 * A key:
 *
 *   a byte: 1 of memory, else 0; the name that the line is listed under, which is not named again;
 *       a byte: LISTED_...;
 *   of each location the digit of its kind, its name, its offset.  A name that is as it is has
 *   AS_IT_STANDS added to its kind.
 *   sum[0] count   sum[1] mispredictions */

#define AS_IT_STANDS 0x80
enum { LISTED_OWN, LISTED_ENTRY }; /* under the name of the first location, or of the second */

/* There is room after it where it goes to, as after a line. */
static inline uint8_t *put_name(uint8_t *to, struct text name)
{
	for (size_t i = 0; i < name.len; i += PUT_EACH)
		memcpy(to + i, name.at + i, PUT_EACH);
	to[name.len] = 0;
	return to + name.len + 1;
}

static bool is_symbol(const struct fdata_place *place)
{
	return place->kind != OUTSIDE_KIND && place->kind != MEMORY_KIND;
}

static inline uint8_t *put_place(uint8_t *to, const struct fdata_place *place, bool named)
{
	*to++ = place->as_it_stands ? place->kind | AS_IT_STANDS : place->kind;
	return key_put_number(named ? to : put_name(to, place->name), place->offset);
}

bool fdata_item(const struct fdata_line *line, struct key *key, struct profile_item *out)
{
	bool entry = !line->sampled && !is_symbol(&line->from) && is_symbol(&line->to);
	size_t names = line->from.name.len + (line->sampled ? 0 : line->to.name.len);

	key->size = 0;
	/* Each name and its end; what is no name; and what put_name() writes after it. */
	if (!key_reserve(key, names + 2 + 2 * (1 + sizeof(uint64_t)) + 2 + PUT_EACH))
		return false;
	uint8_t *at = key->at;
	*at++ = fdata_is_memory(line);
	at = put_name(at, entry ? line->to.name : line->from.name);
	*at++ = entry ? LISTED_ENTRY : LISTED_OWN;
	at = put_place(at, &line->from, !entry);
	if (!line->sampled)
		at = put_place(at, &line->to, entry);
	key->size = (size_t)(at - key->at);
	*out = (struct profile_item){
		.key = key->at, .size = key->size, .sum = {line->count, line->mispredicted}};
	return true;
}

static inline struct fdata_place key_take_place(struct key_parts *key, const struct text *listed)
{
	uint8_t kind = key_take_byte(key);
	struct fdata_place place = {.kind = kind & (AS_IT_STANDS - 1),
				    .as_it_stands = kind & AS_IT_STANDS};

	place.name = listed ? *listed : key_take_name(key);
	place.offset = key_take_number(key);
	return place;
}

struct fdata_line fdata_of_item(const struct profile_item *item)
{
	struct fdata_line line = {.mispredicted = item->sum[1], .count = item->sum[0]};
	struct key_parts key = key_parts(item);

	key_take_byte(&key); /* the kinds say it */
	struct text listed = key_take_name(&key);
	bool entry = key_take_byte(&key) == LISTED_ENTRY;
	line.from = key_take_place(&key, entry ? NULL : &listed);
	line.sampled = key.at == key.end;
	if (!line.sampled)
		line.to = key_take_place(&key, entry ? &listed : NULL);
	return line;
}

/* ---- profiles that were converted ---- */

DEFINE_BY_NAME(printed_names, struct text) /* set for those that the profile has: a name is written
					      far more often than there are functions */

/* What records are written from. */
struct record_source {
	const struct profile *profile;
	struct printed_names names;
	size_t chunk; /* records that are formatted at once */
};

/* Records are formatted in chunks by all threads, and written in order meanwhile.  Names that are
 * longer than any compiler's make them shorter, so that their text does not take more memory. */
#define CHUNK_RECORDS ((size_t)512)
#define CHUNK_NAME    ((size_t)1024)
#define CHUNKS_EACH   3 /* for each thread */

static struct fdata_place place_of(const struct record_source *source, struct input_place place)
{
	if (!place.function)
		return (struct fdata_place){.kind = OUTSIDE_KIND, .name = {"[unknown]", 9}};
	struct name_number number =
		functions_name_number(&source->profile->binary->functions, place.function);
	return (struct fdata_place){.kind = '1',
				    .name = *printed_names_of(&source->names, number),
				    .offset = place.offset};
}

static void write_record(const struct record_source *source, const struct record *record,
			 struct emit *out)
{
	struct fdata_line line = {.from = place_of(source, record->from),
				  .sampled = record->kind == RECORD_SAMPLE,
				  .mispredicted = record->mispredicted,
				  .count = record->count};

	if (!line.sampled)
		line.to = place_of(source, record->to);
	fdata_write(&line, out);
}

/* Names lie anywhere in the binary, so each is prefetched so many records before it is read. */
#define NAMES_AHEAD ((size_t)8)
#define NAMES_PART  ((size_t)4096)

static const char *printed_name(const struct profile *profile, size_t place)
{
	return profile->binary->functions.at[profile->by_name[place].v].printed;
}

static void note_names(void *ctx, size_t part, unsigned worker)
{
	const struct record_source *source = ctx;
	const struct profile *profile = source->profile;
	size_t first = part * NAMES_PART, left = profile->function_count - first;
	size_t end = first + (left < NAMES_PART ? left : NAMES_PART);

	(void)worker;
	for (size_t i = first; i < end; i++) {
		if (end - i > NAMES_AHEAD)
			__builtin_prefetch(printed_name(profile, i + NAMES_AHEAD));
		*printed_names_of(&source->names, profile->by_name[i]) =
			text_of(printed_name(profile, i));
	}
}

static size_t chunk_records(const struct record_source *source)
{
	size_t longest = CHUNK_NAME;

	for (size_t i = 0; i < source->profile->function_count; i++) {
		struct text name = *printed_names_of(&source->names, source->profile->by_name[i]);
		size_t length = must_escape(name) ? 2 * name.len : name.len;
		longest = length > longest ? length : longest;
	}
	return 1 + (CHUNK_RECORDS - 1) * CHUNK_NAME / longest;
}

static bool source_init(struct record_source *source, const struct profile *profile,
			unsigned threads)
{
	size_t parts = (profile->function_count + NAMES_PART - 1) / NAMES_PART;

	*source = (struct record_source){.profile = profile};
	if (!printed_names_make(&source->names, &profile->binary->functions))
		return false;
	parallel_for(threads, parts, note_names, source);
	source->chunk = chunk_records(source);
	return true;
}

/* perf2bolt begins a basic profile with both lines of a head, which llvm-bolt refuses: it looks for
 * no_lbr first.  merge-fdata refuses them the other way round. */
static bool write_head_of(const struct profile *profile, const struct fdata_header *header,
			  struct emit *out)
{
	bool bolted =
		!profile->basic && profile->binary->kind != BINARY_UNTOUCHED && !profile->of_input;
	struct text *events = malloc((header->event_count + 1) * sizeof(*events));

	for (size_t i = 0; events && i < header->event_count; i++)
		events[i] = text_of(header->events[i]);
	if (events)
		fdata_write_head(profile->basic, bolted, events, header->event_count, out);
	bool ok = events;
	free(events);
	return ok;
}

/* Both locations have a name.  false: out of memory */
static bool write_access(const struct access *access, struct key *room, struct emit *out)
{
	struct text data = text_of(access->data->name);

	if (access->data->local) {
		char number[24];
		room->size = 0;
		snprintf(number, sizeof(number), "/%u", access->data->number);
		key_bytes(room, data.at, data.len);
		key_bytes(room, number, strlen(number));
		data = (struct text){(const char *)room->at, room->size};
	}
	struct fdata_line line = {.from = {.kind = '4',
					   .name = text_of(access->function->printed),
					   .offset = access->offset},
				  .to = {.kind = '4', .name = data, .offset = access->data_offset},
				  .count = access->count};
	fdata_write(&line, out);
	return !room->failed;
}

struct chunk {
	struct task task;
	const struct record_source *source;
	size_t first; /* record */
	struct emit text;
};

/* Records are sorted by the function that they come from; their targets are anywhere in the binary.
 */
static void prefetch_target(const struct record_source *source, const struct packed_record *record)
{
	if (!record->to)
		return;
	const struct text *name =
		printed_names_of(&source->names, source->profile->by_name[(record->to >> 32) - 1]);
	__builtin_prefetch(name->at);
	__builtin_prefetch(name->at + 64);
}

static void format_chunk(struct task *task, unsigned thread)
{
	struct chunk *chunk = (struct chunk *)(void *)task; /* its first member */
	const struct profile *profile = chunk->source->profile;
	size_t left = profile->record_count - chunk->first;
	size_t most = chunk->source->chunk, end = chunk->first + (left < most ? left : most);

	(void)thread;
	for (size_t i = chunk->first; i < end; i++) {
		if (end - i > NAMES_AHEAD)
			prefetch_target(chunk->source, &profile->records[i + NAMES_AHEAD]);
		struct record record = profile_record(profile, i);
		write_record(chunk->source, &record, &chunk->text);
	}
}

/* Chunks are reused in turn: each is written, and then formats the next records. */
static bool write_records(const struct record_source *source, struct chunk *chunks, size_t count,
			  struct pool *pool, FILE *file)
{
	size_t begun = 0,
	       total = (source->profile->record_count + source->chunk - 1) / source->chunk;
	bool ok = true;

	for (size_t done = 0; done < begun || (ok && done < total); done++) {
		for (; ok && begun < total && begun < done + count; begun++) {
			struct chunk *chunk = &chunks[begun % count];
			chunk->first = begun * source->chunk;
			chunk->text.used = 0;
			pool_submit(pool, &chunk->task);
		}
		struct chunk *chunk = &chunks[done % count];
		pool_wait(pool, &chunk->task);
		ok = ok && !chunk->text.failed;
		if (ok)
			fwrite(chunk->text.at, 1, chunk->text.used, file);
	}
	return ok;
}

static bool format_records(const struct record_source *source, unsigned threads, FILE *file)
{
	struct pool *pool = threads > 1 ? pool_start(threads) : NULL;
	size_t count = CHUNKS_EACH * (size_t)pool_threads(pool);
	struct chunk *chunks = malloc(count * sizeof(*chunks));
	bool ok = chunks && (pool || threads < 2);

	for (size_t i = 0; ok && i < count; i++) {
		chunks[i].task.run = format_chunk;
		chunks[i].source = source;
		emit_init(&chunks[i].text, NULL);
	}
	bool written = ok && write_records(source, chunks, count, pool, file);
	for (size_t i = 0; ok && i < count; i++)
		emit_free(&chunks[i].text);
	free(chunks);
	pool_stop(pool);
	return written;
}

static bool write_all(const struct profile *profile, const struct fdata_header *header,
		      unsigned threads, FILE *file, struct bc_error *err)
{
	struct record_source source = {0};
	struct key room = {0};
	struct emit out;

	emit_init(&out, file);
	bool ok = write_head_of(profile, header, &out);
	emit_flush(&out);
	ok = ok && source_init(&source, profile, threads) &&
	     (!profile->record_count || format_records(&source, threads, file));
	printed_names_free(&source.names);
	for (size_t i = 0; ok && i < profile->accesses.len; i++)
		ok = write_access(&profile->accesses.at[i], &room, &out);
	emit_flush(&out);
	key_free(&room);
	return ok || bc_fail_nomem(err);
}

bool fdata_write_profile(const struct profile *profile, const struct fdata_header *header,
			 unsigned threads, FILE *file, struct bc_error *err)
{
	struct packed_record *own;
	struct profile text;

	bool ok = profile_one_by_name(profile, &text, &own, err) &&
		  write_all(&text, header, threads, file, err);
	free(own);
	return ok;
}

void fdata_write_names(const struct profile *profile, FILE *file)
{
	struct fdata_line line = {.from = {.kind = OUTSIDE_KIND, .name = {"[unknown]", 9}},
				  .to = {.kind = '1'},
				  .count = 1};
	struct emit out;

	emit_init(&out, file);
	for (size_t i = 0; i < profile->function_count; i++) {
		const struct function *function =
			&profile->binary->functions.at[profile->by_name[i].v];
		if (function->kind != FUNCTION_CODE || strchr(function->printed, '\n'))
			continue;
		line.to.name = text_of(function->printed);
		fdata_write(&line, &out);
	}
	emit_flush(&out);
}
