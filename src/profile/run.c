/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* O_TMPFILE, fopencookie(), mkostemp() */
#include "src/profile/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/output.h"

/* ---- bytes ---- */

#define MEMORY_MOST ((size_t)4 << 20)

void temporary_close(struct temporary *file)
{
	if (file->folder && file->fd >= 0)
		close(file->fd);
	free(file->memory);
	*file = temporary_in(file->folder);
}

/* Not every file system makes files without a name: there it has one for a moment. */
static int open_named(const char *folder)
{
	size_t size = strlen(folder) + sizeof("/.batconv.XXXXXX");
	char *path = malloc(size);
	int fd = -1;

	if (path) {
		snprintf(path, size, "%s/.batconv.XXXXXX", folder);
		fd = mkostemp(path, O_CLOEXEC);
	}
	if (fd >= 0)
		unlink(path);
	free(path);
	return fd;
}

static bool write_all(struct temporary *file, const void *data, size_t size, uint64_t at, struct bc_error *err)
{
	for (size_t done = 0; done < size;) {
		ssize_t put = pwrite(file->fd, (const char *)data + done, size - done, (off_t)(at + done));
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return bc_fail_errno(err, "%s: cannot write a temporary file", file->folder);
		done += (size_t)put;
	}
	return true;
}

static bool make(struct temporary *file, struct bc_error *err)
{
	int fd = open(file->folder, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);

	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))
		fd = open_named(file->folder);
	file->fd = fd;
	if (fd < 0)
		return bc_fail_errno(err, "%s: cannot make a temporary file there (--tmpdir)", file->folder);
	if (!write_all(file, file->memory, (size_t)file->size, 0, err))
		return false;
	free(file->memory);
	file->memory = NULL;
	file->room = 0;
	return true;
}

static bool grow(struct temporary *file, size_t size)
{
	size_t room = 2 * file->room + size;
	uint8_t *memory = size <= file->room - (size_t)file->size ? file->memory : realloc(file->memory, room);

	if (!memory)
		return false;
	if (memory != file->memory || size > file->room - (size_t)file->size)
		file->room = room;
	file->memory = memory;
	return true;
}

static bool append(struct temporary *file, const void *data, size_t size, struct bc_error *err)
{
	if (!size)
		return true;
	if (file->fd < 0 && file->size + size <= MEMORY_MOST) {
		if (!grow(file, size))
			return bc_fail_nomem(err);
		memcpy(file->memory + file->size, data, size);
		return true;
	}
	return (file->fd >= 0 || make(file, err)) && write_all(file, data, size, file->size, err);
}

bool temporary_append(struct temporary *file, const void *data, size_t size, struct bc_error *err)
{
	if (!append(file, data, size, err)) {
		file->failed = true;
		return false;
	}
	file->size += size;
	return true;
}

bool temporary_read(const struct temporary *file, uint64_t at, void *to, size_t size, struct bc_error *err)
{
	if (file->fd < 0) {
		if (size)
			memcpy(to, file->memory + at, size);
		return true;
	}
	for (size_t done = 0; done < size;) {
		ssize_t got = pread(file->fd, (char *)to + done, size - done, (off_t)(at + done));
		if (got < 0 && errno == EINTR)
			continue;
		errno = got == 0 ? EIO : errno;
		if (got <= 0)
			return bc_fail_errno(err, "%s: cannot read a temporary file", file->folder);
		done += (size_t)got;
	}
	return true;
}

struct cookie {
	struct temporary *file;
	struct bc_error *why;
};

static ssize_t cookie_write(void *cookie, const char *data, size_t size)
{
	struct cookie *c = cookie;

	return temporary_append(c->file, data, size, c->why) ? (ssize_t)size : COOKIE_FAILED(0);
}

static int cookie_close(void *cookie)
{
	free(cookie);
	return 0;
}

FILE *temporary_stream(struct temporary *file, struct bc_error *why)
{
	struct cookie *cookie = malloc(sizeof(*cookie));

	if (!cookie)
		return NULL;
	*cookie = (struct cookie){file, why};
	why->code = BC_OK;
	FILE *stream = fopencookie(cookie, "w", (cookie_io_functions_t){.write = cookie_write, .close = cookie_close});
	if (!stream)
		free(cookie);
	return stream;
}

/* ---- runs ---- */

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
