/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/output/fdata.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/emit.h"
#include "src/base/pool.h"

/* Most records name the functions that the one before named. */
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

static void emit_record(struct emit *out, const struct record *record, struct last_name last[2])
{
	emit_place(out, record->from, &last[0]);
	if (record->kind != RECORD_SAMPLE) {
		emit_place(out, record->to, &last[1]);
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

/* Records are formatted in chunks by all threads, and written in order meanwhile. */
#define CHUNK_RECORDS ((size_t)2048)
#define CHUNKS_EACH 3 /* for each thread */

struct chunk {
	struct task task;
	const struct profile *profile;
	size_t first; /* record */
	struct emit text;
};

static void format_chunk(struct task *task, unsigned thread)
{
	struct chunk *chunk = (struct chunk *)(void *)task; /* its first member */
	const struct profile *profile = chunk->profile;
	size_t left = profile->record_count - chunk->first;
	size_t end = chunk->first + (left < CHUNK_RECORDS ? left : CHUNK_RECORDS);
	struct last_name last[2] = {0};

	(void)thread;
	for (size_t i = chunk->first; i < end; i++) {
		struct record record = profile_record(profile, i);
		emit_record(&chunk->text, &record, last);
	}
}

/* The chunks go round: each is written and then formats what comes next. */
static bool write_records(const struct profile *profile, struct chunk *chunks, size_t count,
			  struct pool *pool, FILE *file)
{
	size_t begun = 0, total = (profile->record_count + CHUNK_RECORDS - 1) / CHUNK_RECORDS;
	bool ok = true;

	for (size_t done = 0; done < begun || (ok && done < total); done++) {
		for (; ok && begun < total && begun < done + count; begun++) {
			struct chunk *chunk = &chunks[begun % count];
			chunk->first = begun * CHUNK_RECORDS;
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

static bool format_records(const struct profile *profile, unsigned threads, FILE *file)
{
	struct pool *pool = threads > 1 ? pool_start(threads) : NULL;
	size_t count = CHUNKS_EACH * (size_t)pool_threads(pool);
	struct chunk *chunks = malloc(count * sizeof(*chunks));
	bool ok = chunks && (pool || threads < 2);

	for (size_t i = 0; ok && i < count; i++) {
		chunks[i].task.run = format_chunk;
		chunks[i].profile = profile;
		emit_init(&chunks[i].text, NULL);
	}
	bool written = ok && write_records(profile, chunks, count, pool, file);
	for (size_t i = 0; ok && i < count; i++)
		emit_free(&chunks[i].text);
	free(chunks);
	pool_stop(pool);
	return written;
}

bool fdata_write(const struct profile *profile, const struct fdata_header *header,
		 unsigned threads, FILE *file, struct bc_error *err)
{
	struct emit out;

	emit_init(&out, file);
	emit_header(&out, profile, header);
	emit_flush(&out);
	if (profile->record_count && !format_records(profile, threads, file))
		return bc_fail_nomem(err);
	for (size_t i = 0; i < profile->accesses.len; i++)
		emit_access(&out, &profile->accesses.at[i]);
	emit_flush(&out);
	return true;
}
