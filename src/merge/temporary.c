/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* O_TMPFILE, mkostemp(), fopencookie() */
#include "src/merge/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

	return temporary_append(c->file, data, size, c->why) ? (ssize_t)size : 0;
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
