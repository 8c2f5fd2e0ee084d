/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/output/fdata.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/emit.h"
#include "src/base/parallel.h"
#include "src/base/sink.h"

/* Most records name the function that the one before named. */
struct last_name {
	const struct function *function;
	size_t length, plain; /* of the name, and up to what must be escaped */
};

/* Blanks and backslashes in a name are escaped: blanks separate fields. */
static void emit_escaped(struct emit *out, const char *name)
{
	for (; *name; name++) {
		if (*name == ' ' || *name == '\\')
			emit_char(out, '\\');
		emit_char(out, *name);
	}
}

static void emit_name(struct emit *out, const struct function *function, struct last_name *last)
{
	if (function != last->function)
		*last = (struct last_name){function, strlen(function->printed),
					   strcspn(function->printed, " \\")};
	emit_bytes(out, function->printed, last->plain);
	if (last->plain < last->length)
		emit_escaped(out, function->printed + last->plain);
}

static void emit_place(struct emit *out, struct input_place place, struct last_name *last)
{
	if (!place.function) {
		emit_string(out, "0 [unknown] 0 ");
		return;
	}
	emit_string(out, "1 ");
	emit_name(out, place.function, last);
	emit_char(out, ' ');
	emit_hex(out, place.offset);
	emit_char(out, ' ');
}

static void emit_record(struct emit *out, const struct record *record, struct last_name *last)
{
	emit_place(out, record->from, last);
	if (record->kind != RECORD_SAMPLE) {
		emit_place(out, record->to, last);
		emit_dec(out, record->mispredicted);
		emit_char(out, ' ');
	}
	emit_dec(out, record->count);
	emit_char(out, '\n');
}

/* perf2bolt begins a basic profile with both lines, which llvm-bolt refuses:
 * it looks for no_lbr first.  merge-fdata refuses them the other way round. */
static void emit_header(struct emit *out, const struct profile *profile,
			const struct fdata_header *header)
{
	if (!profile->basic) {
		if (!profile->binary->plain)
			emit_string(out, "boltedcollection\n");
		return;
	}
	emit_string(out, "no_lbr");
	for (size_t i = 0; i < header->event_count; i++) {
		emit_char(out, ' ');
		emit_string(out, header->events[i]);
	}
	emit_char(out, '\n');
}

/* Both places have a name. */
static void emit_access(struct emit *out, const struct access *access)
{
	emit_string(out, "4 ");
	emit_escaped(out, access->function->printed);
	emit_char(out, ' ');
	emit_hex(out, access->offset);
	emit_string(out, " 4 ");
	emit_escaped(out, access->data->name);
	if (access->data->local) {
		emit_char(out, '/');
		emit_dec(out, access->data->number);
	}
	emit_char(out, ' ');
	emit_hex(out, access->data_offset);
	emit_char(out, ' ');
	emit_dec(out, access->count);
	emit_char(out, '\n');
}

/* Records are formatted in chunks, several at a time, and written in order. */
#define CHUNK_RECORDS ((size_t)8192)
#define CHUNKS_AT_ONCE 16


struct formatting {
	const struct profile *profile;
	size_t first; /* record of the first chunk */
	struct memory_sink chunks[CHUNKS_AT_ONCE];
};

static void emit_records(const struct profile *profile, size_t first, FILE *file)
{
	size_t end = first + CHUNK_RECORDS;
	struct emit out = {.file = file};
	struct last_name last = {0};

	for (size_t i = first; i < end && i < profile->record_count; i++) {
		struct record record = profile_record(profile, i);
		emit_record(&out, &record, &last);
	}
	emit_flush(&out);
}

static void format_chunk(void *ctx, size_t index, unsigned worker)
{
	struct formatting *f = ctx;
	struct memory_sink *chunk = &f->chunks[index];
	FILE *file = sink_memory(chunk);

	(void)worker;
	if (file)
		emit_records(f->profile, f->first + index * CHUNK_RECORDS, file);
	chunk->failed |= !file || fclose(file) != 0;
}

static bool write_chunks(struct formatting *f, size_t count, FILE *file)
{
	bool ok = true;

	for (size_t i = 0; i < count; i++) {
		struct memory_sink *chunk = &f->chunks[i];
		ok = ok && !chunk->failed;
		if (ok)
			fwrite(chunk->at, 1, chunk->len, file);
		free(chunk->at);
		*chunk = (struct memory_sink){0};
	}
	return ok;
}

bool fdata_write(const struct profile *profile, const struct fdata_header *header,
		 unsigned threads, FILE *file, struct bc_error *err)
{
	struct formatting f = {.profile = profile};
	struct emit out = {.file = file};

	emit_header(&out, profile, header);
	emit_flush(&out);
	while (f.first < profile->record_count) {
		size_t left = profile->record_count - f.first;
		size_t count = (left + CHUNK_RECORDS - 1) / CHUNK_RECORDS;
		if (count > CHUNKS_AT_ONCE)
			count = CHUNKS_AT_ONCE;
		parallel_for(threads, count, format_chunk, &f);
		if (!write_chunks(&f, count, file))
			return bc_fail_nomem(err);
		f.first += count * CHUNK_RECORDS;
	}
	for (size_t i = 0; i < profile->accesses.len; i++)
		emit_access(&out, &profile->accesses.at[i]);
	emit_flush(&out);
	return true;
}
