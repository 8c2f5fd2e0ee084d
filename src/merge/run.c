/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/merge/run.h"

/* A number takes up to ten bytes, seven bits each, the lowest first. */
#define NUMBER_MOST 10
/* How much of the last key, how many bytes behind it, what is counted; then the bytes. */
#define HEAD_MOST ((size_t)6 * NUMBER_MOST)
#define BUFFER ((size_t)64 << 10)

bool run_begin(struct run_writer *writer, struct temporary *file)
{
	*writer = (struct run_writer){.run = {file, file->size, file->size}, .buffer = malloc(BUFFER)};
	return writer->buffer;
}

void run_abandon(struct run_writer *writer)
{
	key_free(&writer->last);
	free(writer->buffer);
	*writer = (struct run_writer){0};
}

static bool flush(struct run_writer *writer, struct bc_error *err)
{
	bool ok = !writer->used || temporary_append(writer->run.file, writer->buffer, writer->used, err);

	writer->run.end += writer->used;
	writer->used = 0;
	return ok;
}

static size_t put_number(uint8_t *to, uint64_t number)
{
	size_t size = 0;

	for (; number >= 0x80; number >>= 7)
		to[size++] = (uint8_t)(number | 0x80);
	to[size++] = (uint8_t)number;
	return size;
}

static size_t common(const struct key *last, const struct profile_item *item)
{
	size_t most = last->size < item->size ? last->size : item->size, size = 0;
	uint64_t x, y;

	for (; most - size >= sizeof(x); size += sizeof(x)) {
		memcpy(&x, last->at + size, sizeof(x));
		memcpy(&y, item->key + size, sizeof(y));
		if (x != y)
			break;
	}
	while (size < most && last->at[size] == item->key[size])
		size++;
	return size;
}

/* Long keys go past the buffer. */
static bool put_bytes(struct run_writer *writer, const uint8_t *at, size_t size, struct bc_error *err)
{
	if (size > BUFFER - writer->used && !flush(writer, err))
		return false;
	if (size > BUFFER) {
		writer->run.end += size;
		return temporary_append(writer->run.file, at, size, err);
	}
	memcpy(writer->buffer + writer->used, at, size);
	writer->used += size;
	return true;
}

bool run_put(struct run_writer *writer, const struct profile_item *item, struct bc_error *err)
{
	size_t shared = common(&writer->last, item);
	const uint64_t numbers[] = {shared, item->size - shared, item->sum[0], item->sum[1], item->same[0], item->same[1]};

	if (HEAD_MOST > BUFFER - writer->used && !flush(writer, err))
		return false;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		writer->used += put_number(writer->buffer + writer->used, numbers[i]);
	writer->last.size = shared;
	if (!key_reserve(&writer->last, item->size - shared))
		return bc_fail_nomem(err);
	memcpy(writer->last.at + shared, item->key + shared, item->size - shared);
	writer->last.size = item->size;
	return put_bytes(writer, item->key + shared, item->size - shared, err);
}

bool run_end(struct run_writer *writer, struct run *out, struct bc_error *err)
{
	bool ok = flush(writer, err);

	*out = writer->run;
	run_abandon(writer);
	return ok;
}

struct reader {
	struct source source;
	struct run left; /* what is not in the buffer yet */
	struct key key;
	size_t at, end;
	uint8_t buffer[BUFFER];
};

static bool refill(struct reader *r, struct bc_error *err)
{
	size_t have = r->end - r->at, room = BUFFER - have;
	uint64_t left = r->left.end - r->left.begin;

	memmove(r->buffer, r->buffer + r->at, have);
	r->at = 0;
	r->end = have;
	if (room > left)
		room = (size_t)left;
	if (!temporary_read(r->left.file, r->left.begin, r->buffer + have, room, err))
		return false;
	r->left.begin += room;
	r->end += room;
	return true;
}

static uint64_t take_number(struct reader *r)
{
	uint64_t number = 0;

	for (unsigned shift = 0;; shift += 7) {
		uint8_t byte = r->buffer[r->at++];
		number |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return number;
	}
}

static bool take_bytes(struct reader *r, size_t size, struct bc_error *err)
{
	if (!key_reserve(&r->key, size))
		return bc_fail_nomem(err);
	while (size) {
		if (r->at == r->end && !refill(r, err))
			return false;
		size_t some = size < r->end - r->at ? size : r->end - r->at;
		memcpy(r->key.at + r->key.size, r->buffer + r->at, some);
		r->key.size += some;
		r->at += some;
		size -= some;
	}
	return true;
}

static bool reader_next(struct source *source, struct profile_item *out, struct bc_error *err)
{
	struct reader *r = (struct reader *)(void *)source; /* its first member */

	err->code = BC_OK;
	if (r->end - r->at < HEAD_MOST && r->left.begin < r->left.end && !refill(r, err))
		return false;
	if (r->at == r->end)
		return false;
	r->key.size = (size_t)take_number(r);
	size_t more = (size_t)take_number(r);
	for (int i = 0; i < 2; i++)
		out->sum[i] = take_number(r);
	for (int i = 0; i < 2; i++)
		out->same[i] = take_number(r);
	if (!take_bytes(r, more, err))
		return false;
	out->key = r->key.at;
	out->size = r->key.size;
	return true;
}

static void reader_close(struct source *source)
{
	struct reader *r = (struct reader *)(void *)source;

	key_free(&r->key);
	free(r);
}

struct source *run_open(struct run run, struct bc_error *err)
{
	struct reader *r = malloc(sizeof(*r));

	if (!r) {
		bc_fail_nomem(err);
		return NULL;
	}
	r->source = (struct source){reader_next, reader_close};
	r->left = run;
	r->key = (struct key){0};
	r->at = r->end = 0;
	return &r->source;
}
