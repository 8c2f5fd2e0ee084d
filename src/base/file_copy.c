/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* SEEK_DATA, MAP_ANONYMOUS */
#include "src/base/file_copy.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "src/base/bytes.h"

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
