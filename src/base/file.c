/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* madvise, SEEK_DATA, MAP_ANONYMOUS */
#include "src/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/bytes.h"
#include "src/base/shard_frames.h"
#include "src/base/sparse.h"
#include "src/base/text.h"

/* What names the file, in words: of the message, and of the list in docs/security.md. */
static const char *named_by_words(enum named_by by)
{
	static const char *const words[NAMED_BY_COUNT] = {
		[NAMED_BY_MAPPING] = "a mapping",
		[NAMED_BY_BUILD_ID] = "a build-id",
		[NAMED_BY_INPUT_ID] = "the build-id of an input",
		[NAMED_BY_DEBUGLINK] = ".gnu_debuglink",
		[NAMED_BY_ALTLINK] = ".gnu_debugaltlink",
		[NAMED_BY_FOLDER] = "a directory",
	};

	return words[by];
}

static bool refuse(const char *path, enum named_by by, struct bc_error *err)
{
	return bc_fail(err, BC_UNSUPPORTED,
		       "%s: is not a regular file, and %s names it: not opened", path,
		       named_by_words(by));
}

bool named_file_open(const char *path, enum named_by by, int *fd, struct bc_error *err)
{
	struct stat st;

	/* Opening a device can have effects already: so look at it first. */
	if (stat(path, &st) != 0)
		return bc_fail_errno(err, "%s: cannot open", path);
	if (!S_ISREG(st.st_mode))
		return refuse(path, by, err);
	do
		*fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	while (*fd < 0 && errno == EINTR);
	if (*fd < 0)
		return bc_fail_errno(err, "%s: cannot open", path);
	/* Another file can have got the name since stat(). */
	if (fstat(*fd, &st) == 0 && S_ISREG(st.st_mode))
		return true;
	close(*fd);
	return refuse(path, by, err);
}

/* Mapped files, for file_mapped_at().  Files beyond this number are not known there. */
enum { MOST_MAPPED = 256, NAME_SIZE = 256 };

static struct mapped {
	const uint8_t *volatile data;
	size_t size;
	char name[NAME_SIZE]; /* cut if longer */
} mapped[MOST_MAPPED];

static pthread_mutex_t mapped_lock = PTHREAD_MUTEX_INITIALIZER;

static void remember(const struct file_map *map, const char *path)
{
	pthread_mutex_lock(&mapped_lock);
	for (size_t i = 0; map->data && i < MOST_MAPPED; i++) {
		if (mapped[i].data)
			continue;
		snprintf(mapped[i].name, NAME_SIZE, "%s", path);
		make_printable(mapped[i].name);
		mapped[i].size = map->size;
		mapped[i].data = map->data;
		break;
	}
	pthread_mutex_unlock(&mapped_lock);
}

static void forget(const struct file_map *map)
{
	pthread_mutex_lock(&mapped_lock);
	for (size_t i = 0; i < MOST_MAPPED; i++)
		if (mapped[i].data == map->data)
			mapped[i].data = NULL;
	pthread_mutex_unlock(&mapped_lock);
}

const char *file_mapped_at(const void *address)
{
	for (size_t i = 0; i < MOST_MAPPED; i++) {
		const uint8_t *data = mapped[i].data;
		if (data && (uintptr_t)address - (uintptr_t)data < mapped[i].size)
			return mapped[i].name;
	}
	return NULL;
}

static bool open_input(const char *path, int *fd, struct stat *st, struct bc_error *err)
{
	do
		*fd = open(path, O_RDONLY | O_CLOEXEC);
	while (*fd < 0 && errno == EINTR);
	if (*fd < 0)
		return bc_fail_errno(err, "%s: cannot open", path);
	if (fstat(*fd, st) == 0 && !S_ISDIR(st->st_mode))
		return true;
	if (S_ISDIR(st->st_mode)) {
		bc_fail(err, BC_IO, "%s: is a directory", path);
		bc_hint(err, "name the files in it");
	} else {
		bc_fail_errno(err, "%s: cannot stat", path);
	}
	close(*fd);
	return false;
}

bool file_is_anothers(const struct stat *st)
{
	return (st->st_uid != 0 && st->st_uid != geteuid()) || st->st_mode & (S_IWGRP | S_IWOTH);
}

bool file_extent_next(int fd, uint64_t from, uint64_t end, struct file_extent *out)
{
	off_t begin = from < end ? lseek(fd, (off_t)from, SEEK_DATA) : -1;

	if (from >= end || (begin < 0 && errno == ENXIO) || (begin >= 0 && (uint64_t)begin >= end))
		return false;
	*out = (struct file_extent){from, end}; /* a file system that knows of no holes has none */
	if (begin < 0)
		return true;
	off_t stop = lseek(fd, begin, SEEK_HOLE);
	out->begin = (uint64_t)begin > from ? (uint64_t)begin : from;
	if (stop > begin && (uint64_t)stop < end)
		out->end = (uint64_t)stop;
	return out->begin < out->end;
}

ssize_t file_read_at(int fd, void *to, size_t size, uint64_t offset)
{
	size_t done = 0;

	while (done < size) {
		ssize_t got = pread(fd, (uint8_t *)to + done, size - done, (off_t)(offset + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (!got)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

bool file_copy_begin(uint64_t size, struct file_map *out, struct bc_error *err)
{
	*out = (struct file_map){.size = (size_t)size};
	if (!size)
		return true;
	/* Memory that cannot be written to is not counted against any limit but the size of the
	 * address space. */
	void *data = mmap(NULL, out->size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (data == MAP_FAILED)
		return bc_fail_nomem(err);
	out->data = data;
	return true;
}

static bool read_extent(int fd, const char *name, struct file_map *copy, struct file_extent part,
			struct bc_error *err)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uint8_t *to = (uint8_t *)(uintptr_t)copy->data + part.begin;
	uint8_t *first = to - (uintptr_t)to % page;
	size_t size = (size_t)(part.end - part.begin), whole = (size_t)(to - first) + size;

	if (mprotect(first, whole, PROT_READ | PROT_WRITE) != 0)
		return bc_fail_nomem(err);
	ssize_t got = file_read_at(fd, to, size, part.begin);
	(void)mprotect(first, whole, PROT_READ);
	if (got < 0)
		return bc_fail_errno(err, "%s: cannot read", name);
	copy->present += (uint64_t)got;
	return true;
}

bool file_copy_read(int fd, const char *name, struct file_map *copy, uint64_t offset, uint64_t size,
		    struct bc_error *err)
{
	struct file_extent part = {offset, offset};
	uint64_t end = offset + size;

	while (file_extent_next(fd, part.end, end, &part))
		if (!read_extent(fd, name, copy, part, err))
			return false;
	return true;
}

static bool copy_fd(int fd, const char *path, const struct stat *st, struct file_map *out,
		    struct bc_error *err)
{
	if (!file_copy_begin((uint64_t)st->st_size, out, err))
		return false;
	if (file_copy_read(fd, path, out, 0, out->size, err)) {
		out->present = out->size; /* holes are as good as zeros */
		return true;
	}
	file_unmap(out);
	return false;
}

static bool map_fd(int fd, const char *path, const struct stat *st, struct file_map *out,
		   struct bc_error *err)
{
	if (!S_ISREG(st->st_mode))
		return bc_fail(err, BC_IO, "%s: is not a regular file", path);
	if (file_is_anothers(st))
		return copy_fd(fd, path, st, out, err);
	struct file_map map = {.size = (size_t)st->st_size, .present = (uint64_t)st->st_size};
	if (map.size) {
		void *data = mmap(NULL, map.size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (data == MAP_FAILED)
			return bc_fail_errno(err, "%s: cannot map", path);
		map.data = data;
	}
	*out = map;
	remember(out, path);
	return true;
}

/* Replace the mapping of a compressed file by its decompressed content. */
static bool map_unpacked(enum packing packing, const char *path, struct file_map *map,
			 struct bc_error *err)
{
	struct file_map large = {0};
	bool ok = unpack_map(packing, map->data, map->size, &large.data, &large.size, err) ||
		  bc_fail_prefix(err, path);

	large.present = large.size;
	file_unmap(map);
	if (ok)
		*map = large;
	return ok;
}

/* Replace the mapping of a side file by the file that it represents. */
static bool map_parts(const char *path, struct file_map *map, struct bc_error *err)
{
	struct file_map large;
	bool ok = sparse_map(map->data, map->size, &large, err) || bc_fail_prefix(err, path);

	file_unmap(map);
	if (ok)
		*map = large;
	return ok;
}

/* Takes the descriptor. */
static bool map_opened(int fd, const char *path, const struct stat *st, struct file_map *out,
		       struct bc_error *err)
{
	bool ok = map_fd(fd, path, st, out, err);

	close(fd);
	enum packing packing = ok ? packing_of(out->data, out->size) : PACKING_NONE;
	ok = ok && (packing == PACKING_NONE || map_unpacked(packing, path, out, err));
	return ok && (!sparse_is(out->data, out->size) || map_parts(path, out, err));
}

bool file_map(const char *path, struct file_map *out, struct bc_error *err)
{
	struct stat st = {0};
	int fd;

	return open_input(path, &fd, &st, err) && map_opened(fd, path, &st, out, err);
}

/* The file that named_file_open() opened. */
static bool stat_opened(int fd, const char *path, struct stat *st, struct bc_error *err)
{
	if (fstat(fd, st) == 0)
		return true;
	bc_fail_errno(err, "%s: cannot stat", path);
	close(fd);
	return false;
}

bool file_map_opened(int fd, const char *path, struct file_map *out, struct bc_error *err)
{
	struct stat st = {0};

	return stat_opened(fd, path, &st, err) && map_opened(fd, path, &st, out, err);
}

bool file_map_named(const char *path, enum named_by by, struct file_map *out, struct bc_error *err)
{
	int fd;

	return named_file_open(path, by, &fd, err) && file_map_opened(fd, path, out, err);
}

void file_unmap(struct file_map *map)
{
	if (map->data)
		forget(map);
	if (map->data)
		munmap((void *)(uintptr_t)map->data, map->size);
	*map = (struct file_map){0};
}

/* Release whole pages only.  They can be read again from the file, as a mapping is read-only. */
void file_release(const void *part, size_t size)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t begin = ((uintptr_t)part + page - 1) / page * page;
	uintptr_t end = ((uintptr_t)part + size) / page * page;

	pthread_mutex_lock(&mapped_lock); /* others may open files */
	bool mapped_there = file_mapped_at(part);
	pthread_mutex_unlock(&mapped_lock);
	if (begin < end && mapped_there)
		madvise((void *)begin, end - begin, MADV_DONTNEED);
}

const char *input_name(const char *path)
{
	return strcmp(path, "-") ? path : "<stdin>";
}

bool stream_open(const char *path, struct file_stream *out, struct bc_error *err)
{
	struct stat st = {0};

	if (!strcmp(path, "-")) {
		*out = (struct file_stream){.name = "<stdin>", .fd = STDIN_FILENO};
		return true;
	}
	*out = (struct file_stream){.name = input_name(path)};
	if (!open_input(path, &out->fd, &st, err))
		return false;
	out->size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	return true;
}

bool stream_open_named(const char *path, enum named_by by, struct file_stream *out,
		       struct bc_error *err)
{
	struct stat st = {0};

	*out = (struct file_stream){.name = path};
	if (!named_file_open(path, by, &out->fd, err) || !stat_opened(out->fd, path, &st, err))
		return false;
	out->size = (uint64_t)st.st_size;
	return true;
}

/* What decompresses a file that is read from front to back. */
struct packed {
	struct unpack *unpack;
	struct unpack_step step; /* step.in: what of `buffer` is not decompressed yet */
	struct shard_check shard;
	size_t capacity; /* of the buffer */
	uint8_t buffer[];
};

#define PACKED_BUFFER ((size_t)64 << 10)

/* NULL: BC_NOMEM */
static struct packed *packed_open(enum packing packing, const void *head, size_t size,
				  struct bc_error *err)
{
	/* No memory is needed for all of the content, so that this limit only bounds time. */
	static const struct unpack_limit limit = {UINT64_C(64) << 20, 1024};
	size_t capacity = size > PACKED_BUFFER ? size : PACKED_BUFFER;
	struct packed *packed = malloc(sizeof(*packed) + capacity);
	struct unpack *unpack = packed ? unpack_create(packing, limit, err) : NULL;

	if (!unpack) {
		free(packed);
		bc_fail_nomem(err);
		return NULL;
	}
	*packed = (struct packed){.unpack = unpack,
				  .step = {.in = packed->buffer, .in_size = size},
				  .capacity = capacity};
	memcpy(packed->buffer, head, size);
	shard_check_take(&packed->shard, packed->buffer, size);
	return packed;
}

void stream_close(struct file_stream *stream)
{
	if (stream->packed)
		unpack_destroy(stream->packed->unpack);
	free(stream->packed);
	stream->packed = NULL;
	if (stream->fd > STDIN_FILENO)
		close(stream->fd);
	stream->fd = -1;
}

/* Bytes of the file itself; fewer than `size` only at its end. */
static bool read_fully(struct file_stream *stream, void *buffer, size_t size, size_t *out,
		       struct bc_error *err)
{
	size_t done = 0;

	if (stream->memory) {
		done = size < stream->size - stream->done ? size :
							    (size_t)(stream->size - stream->done);
		memcpy(buffer, stream->memory + stream->done, done);
	}
	while (done < size && !stream->memory) {
		ssize_t got = read(stream->fd, (char *)buffer + done, size - done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return bc_fail_errno(err, "%s: cannot read", stream->name);
		if (got == 0)
			break;
		done += (size_t)got;
	}
	stream->done += done;
	*out = done;
	return true;
}

enum packing stream_packing(const struct file_stream *stream, uint64_t *taken)
{
	*taken = stream->packed ? unpack_taken(stream->packed->unpack) : 0;
	return stream->packed ? unpack_packing(stream->packed->unpack) : PACKING_NONE;
}

size_t stream_memory(const struct file_stream *stream)
{
	return stream->packed ? stream->packed->capacity + unpack_memory(stream->packed->unpack) :
				0;
}

const struct build_id *stream_shard_identity(const struct file_stream *stream)
{
	const struct build_id *identity = stream->packed ? &stream->packed->shard.identity : NULL;

	return identity && identity->size ? identity : NULL;
}

bool stream_fail_cut(const struct file_stream *stream, struct bc_error *err)
{
	return unpack_fail_cut(stream->packed->unpack, err) || bc_fail_prefix(err, stream->name);
}

/* At the end of the file: is the compressed data complete?  A shard is whole, or is not used. */
static bool end_packed(struct file_stream *stream, struct bc_error *err)
{
	if (!shard_check_end(&stream->packed->shard, err))
		return bc_fail_prefix(err, stream->name);
	if (unpack_is_whole(stream->packed->unpack))
		return true;
	stream->cut = true;
	return stream->cut_will_do || stream_fail_cut(stream, err);
}

static bool read_packed(struct file_stream *stream, void *buffer, size_t size, size_t *out,
			struct bc_error *err)
{
	struct packed *packed = stream->packed;
	struct unpack_step *step = &packed->step;

	*out = step->got = 0;
	step->out = buffer;
	for (step->capacity = size; step->got < size;) {
		if (!unpack_step(packed->unpack, step, err))
			return bc_fail_prefix(err, stream->name);
		*out = step->got;
		if (*out == size)
			break;
		if (step->in_size || step->last)
			return end_packed(stream, err);
		if (!read_fully(stream, packed->buffer, packed->capacity, &step->in_size, err))
			return false;
		step->in = packed->buffer;
		step->last = !step->in_size;
		shard_check_take(&packed->shard, packed->buffer, step->in_size);
	}
	return true;
}

/* The first bytes show whether the file is compressed.  If it is, they are not returned but
 * decompressed. */
static bool read_first(struct file_stream *stream, void *buffer, size_t size, size_t *out,
		       struct bc_error *err)
{
	if (!read_fully(stream, buffer, size, out, err))
		return false;
	enum packing packing = packing_of(buffer, *out);
	if (packing == PACKING_NONE)
		return true;
	stream->packed = packed_open(packing, buffer, *out, err);
	return stream->packed && read_packed(stream, buffer, size, out, err);
}

bool stream_read(struct file_stream *stream, void *buffer, size_t size, size_t *out,
		 struct bc_error *err)
{
	bool ok = stream->packed ? read_packed(stream, buffer, size, out, err) :
		  stream->done   ? read_fully(stream, buffer, size, out, err) :
				   read_first(stream, buffer, size, out, err);

	if (ok && stream->on_read)
		stream->on_read(stream->ctx, stream);
	stream->told = stream->done;
	return ok;
}

/* Less than that is read faster than passed over. */
#define SKIP_LEAST 65536

/* Moves the descriptor of a regular file, not after its end.  Returns how far. */
static size_t seek_past(struct file_stream *stream, size_t size)
{
	if (size < SKIP_LEAST || !stream->done || stream->packed || stream->memory || !stream->size)
		return 0;
	off_t here = lseek(stream->fd, 0, SEEK_CUR);
	if (here < 0 || (uint64_t)here >= stream->size)
		return 0;
	uint64_t left = stream->size - (uint64_t)here, past = size < left ? size : left;
	if (lseek(stream->fd, (off_t)past, SEEK_CUR) < 0)
		return 0;
	stream->done += past;
	return (size_t)past;
}

/* Makes room for more of a text of *size bytes and its zero byte. */
static bool grow(char **text, size_t size, size_t *room, struct bc_error *err)
{
	if (size + 1 < *room)
		return true;
	char *more = realloc(*text, *room ? 2 * *room : 65536);
	if (!more)
		return bc_fail_nomem(err);
	*text = more;
	*room = *room ? 2 * *room : 65536;
	return true;
}

char *file_read_text(const char *path, size_t most, size_t *size, struct bc_error *err)
{
	struct file_stream stream;
	char *text = NULL;
	size_t room = 0, got = 1;

	*size = 0;
	if (!stream_open(path, &stream, err))
		return NULL;
	bool ok = true;
	while (ok && got) {
		ok = grow(&text, *size, &room, err) &&
		     stream_read(&stream, text + *size, room - *size - 1, &got, err);
		*size += ok ? got : 0;
		if (ok && *size > most)
			ok = bc_fail(err, BC_UNSUPPORTED, "%s: more than %zu MiB", stream.name,
				     most >> 20);
	}
	stream_close(&stream);
	if (ok) {
		text[*size] = '\0';
		return text;
	}
	free(text);
	return NULL;
}

bool stream_skip(struct file_stream *stream, size_t size, size_t *out, struct bc_error *err)
{
	uint8_t scratch[4096];

	*out = seek_past(stream, size);
	while (*out < size) {
		size_t want = size - *out, got = 0;
		want = want < sizeof(scratch) ? want : sizeof(scratch);
		if (!stream_read(stream, scratch, want, &got, err))
			return false;
		*out += got;
		if (got < want)
			break;
	}
	return true;
}

int64_t stream_position(const struct file_stream *stream)
{
	return stream->packed ? -1 : lseek(stream->fd, 0, SEEK_CUR);
}

bool file_peek(const char *path, void *buffer, size_t size, size_t *out, struct bc_error *err)
{
	struct file_stream stream = {.name = path,
				     .cut_will_do = true}; /* whoever reads it all shows */
	struct stat st = {0};

	*out = 0;
	if (!open_input(path, &stream.fd, &st, err))
		return false;
	bool ok = !S_ISREG(st.st_mode) || stream_read(&stream, buffer, size, out, err);
	stream_close(&stream);
	return ok;
}
