/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/output/fdata.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/emit.h"
#include "src/base/parallel.h"
#include "src/base/pool.h"

/* A function's printed name: it is written far more often than there are functions. */
struct name {
	const char *text;
	uint32_t length; /* MUST_ESCAPE: that can be copied */
};
#define MUST_ESCAPE UINT32_MAX

/* Blanks and backslashes in a name are escaped: blanks separate fields. */
static void emit_escaped(struct emit *out, const char *name)
{
	for (; *name; name++) {
		if (*name == ' ' || *name == '\\')
			emit_char(out, '\\');
		emit_char(out, *name);
	}
}

static void emit_name(struct emit *out, const struct name *name)
{
	if (name->length != MUST_ESCAPE)
		emit_bytes(out, name->text, name->length);
	else
		emit_escaped(out, name->text);
}

DEFINE_BY_NAME(printed_names, struct name) /* set for those that the profile has */

/* What records are written from. */
struct record_source {
	const struct profile *profile;
	struct printed_names names;
	size_t chunk;       /* records that are formatted at once */
};

/* Records are formatted in chunks by all threads, and written in order meanwhile.  Names that are
 * longer than any compiler's make them shorter, so that their text does not take more memory. */
#define CHUNK_RECORDS ((size_t)512)
#define CHUNK_NAME ((size_t)1024)
#define CHUNKS_EACH 3 /* for each thread */

static void emit_place(struct emit *out, const struct record_source *source, struct input_place place)
{
	if (!place.function) {
		emit_string(out, "0 [unknown] 0 ");
		return;
	}
	emit_string(out, "1 ");
	emit_name(out, printed_names_of(&source->names,
					functions_name_number(&source->profile->binary->functions, place.function)));
	emit_char(out, ' ');
	emit_hex(out, place.offset);
	emit_char(out, ' ');
}

static void emit_record(struct emit *out, const struct record_source *source, const struct record *record)
{
	emit_place(out, source, record->from);
	if (record->kind != RECORD_SAMPLE) {
		emit_place(out, source, record->to);
		emit_dec(out, record->mispredicted);
		emit_char(out, ' ');
	}
	emit_dec(out, record->count);
	emit_char(out, '\n');
}

/* Names lie anywhere in the binary, so each is prefetched so many records before it is read. */
#define NAMES_AHEAD ((size_t)8)
#define NAMES_PART ((size_t)4096)

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
		const char *text = printed_name(profile, i);
		size_t length = strlen(text);
		bool plain = length < MUST_ESCAPE && !memchr(text, ' ', length) && !memchr(text, '\\', length);
		*printed_names_of(&source->names, profile->by_name[i]) =
			(struct name){text, plain ? (uint32_t)length : MUST_ESCAPE};
	}
}

static size_t chunk_records(const struct record_source *source)
{
	size_t longest = CHUNK_NAME;

	for (size_t i = 0; i < source->profile->function_count; i++) {
		const struct name *name = printed_names_of(&source->names, source->profile->by_name[i]);
		size_t length = name->length == MUST_ESCAPE ? 2 * strlen(name->text) : name->length;
		longest = length > longest ? length : longest;
	}
	return 1 + (CHUNK_RECORDS - 1) * CHUNK_NAME / longest;
}

static bool source_init(struct record_source *source, const struct profile *profile, unsigned threads)
{
	size_t parts = (profile->function_count + NAMES_PART - 1) / NAMES_PART;

	*source = (struct record_source){.profile = profile};
	if (!printed_names_make(&source->names, &profile->binary->functions))
		return false;
	parallel_for(threads, parts, note_names, source);
	source->chunk = chunk_records(source);
	return true;
}

/* Event names come from the recording: a newline in one is replaced, so that the line stays one. */
static void emit_event(struct emit *out, const char *name)
{
	for (; *name; name++)
		emit_char(out, *name == '\n' ? '?' : *name);
}

/* perf2bolt begins a basic profile with both lines, which llvm-bolt refuses:
 * it looks for no_lbr first.  merge-fdata refuses them the other way round. */
static void emit_header(struct emit *out, const struct profile *profile,
			const struct fdata_header *header)
{
	if (!profile->basic) {
		if (profile->binary->kind != BINARY_UNTOUCHED && !profile->of_input)
			emit_string(out, "boltedcollection\n");
		return;
	}
	emit_string(out, "no_lbr");
	for (size_t i = 0; i < header->event_count; i++) {
		emit_char(out, ' ');
		emit_event(out, header->events[i]);
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

struct chunk {
	struct task task;
	const struct record_source *source;
	size_t first; /* record */
	struct emit text;
};

/* Records are sorted by the function that they come from; their targets are anywhere in the binary. */
static void prefetch_target(const struct record_source *source, const struct packed_record *record)
{
	if (!record->to)
		return;
	const struct name *name = printed_names_of(&source->names, source->profile->by_name[(record->to >> 32) - 1]);
	__builtin_prefetch(name->text);
	__builtin_prefetch(name->text + 64);
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
		emit_record(&chunk->text, chunk->source, &record);
	}
}

/* Chunks are reused in turn: each is written, and then formats the next records. */
static bool write_records(const struct record_source *source, struct chunk *chunks, size_t count,
			  struct pool *pool, FILE *file)
{
	size_t begun = 0, total = (source->profile->record_count + source->chunk - 1) / source->chunk;
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

static bool write_all(const struct profile *profile, const struct fdata_header *header, unsigned threads,
		      FILE *file, struct bc_error *err)
{
	struct record_source source;
	struct emit out;

	emit_init(&out, file);
	emit_header(&out, profile, header);
	emit_flush(&out);
	bool ok = source_init(&source, profile, threads) &&
		  (!profile->record_count || format_records(&source, threads, file));
	printed_names_free(&source.names);
	if (!ok)
		return bc_fail_nomem(err);
	for (size_t i = 0; i < profile->accesses.len; i++)
		emit_access(&out, &profile->accesses.at[i]);
	emit_flush(&out);
	return true;
}

bool fdata_write(const struct profile *profile, const struct fdata_header *header, unsigned threads,
		 FILE *file, struct bc_error *err)
{
	struct packed_record *own;
	struct profile text;

	bool ok = profile_one_by_name(profile, &text, &own, err) && write_all(&text, header, threads, file, err);
	free(own);
	return ok;
}

void fdata_write_names(const struct profile *profile, FILE *file)
{
	struct emit out;

	emit_init(&out, file);
	for (size_t i = 0; i < profile->function_count; i++) {
		const struct function *function = &profile->binary->functions.at[profile->by_name[i].v];
		if (function->kind != FUNCTION_CODE || strchr(function->printed, '\n'))
			continue;
		emit_string(&out, "0 [unknown] 0 1 ");
		emit_escaped(&out, function->printed);
		emit_string(&out, " 0 0 1\n");
	}
	emit_flush(&out);
}
