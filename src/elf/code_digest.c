/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/code_digest.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/file.h"

static void add_number(struct sha256 *sha, uint64_t number)
{
	uint8_t bytes[8];

	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(number >> 8 * i);
	sha256_add(sha, bytes, sizeof(bytes));
}

static void begin(struct sha256 *sha, const struct image *image)
{
	sha256_begin(sha);
	sha256_add(sha, image->file.data + 4, 1);  /* EI_CLASS */
	sha256_add(sha, image->file.data + 18, 2); /* e_machine */
}

static void begin_part(struct sha256 *sha, uint64_t vaddr, uint64_t size)
{
	add_number(sha, vaddr);
	add_number(sha, size);
}

struct code_segment *code_segments_of(const struct image *image, size_t *count)
{
	struct code_segment *parts = calloc(image->segment_count + 1, sizeof(*parts));

	*count = 0;
	for (size_t i = 0; parts && i < image->segment_count; i++) {
		const struct segment *s = &image->segments[i];
		if (s->executable)
			parts[(*count)++] = (struct code_segment){s->offset, s->filesz, s->vaddr};
	}
	return parts;
}

struct build_id code_digest_of(const struct image *image)
{
	struct build_id id = {.size = SHA256_SIZE};
	struct sha256 sha;

	begin(&sha, image);
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct segment *s = &image->segments[i];
		if (!s->executable)
			continue;
		begin_part(&sha, s->vaddr, s->filesz);
		sha256_add(&sha, image->file.data + s->offset, s->filesz);
	}
	sha256_end(&sha, id.data);
	return id;
}

/* ---- in steps ---- */

bool code_digest_begin(struct code_digester *digester, int fd, const struct image *image,
		       const struct code_segment *parts, size_t count)
{
	*digester = (struct code_digester){.fd = fd, .parts = parts, .count = count};
	begin(&digester->sha, image);
	return fstat(fd, &digester->before) == 0;
}

static bool is_same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static bool is_unchanged(const struct code_digester *d)
{
	struct stat now;

	return fstat(d->fd, &now) == 0 && d->before.st_size == now.st_size &&
	       is_same_time(&d->before.st_mtim, &now.st_mtim) &&
	       is_same_time(&d->before.st_ctim, &now.st_ctim);
}

uint64_t code_digest_left(const struct code_digester *digester)
{
	uint64_t left = 1;

	for (size_t i = digester->part; i < digester->count; i++)
		left += digester->parts[i].size < CODE_DIGEST_MOST ? digester->parts[i].size :
								     CODE_DIGEST_MOST;
	return left - digester->done;
}

static bool is_large(const struct code_digester *d)
{
	uint64_t size = 0;

	for (size_t i = 0; i < d->count; i++) {
		if (d->parts[i].size > CODE_DIGEST_MOST - size)
			return true;
		size += d->parts[i].size;
	}
	return false;
}

/* Bytes of the file into a buffer, with zeros where there are holes.  False: they are not there. */
static bool read_piece(struct code_digester *d, uint64_t at, uint8_t *to, size_t size)
{
	struct file_extent there = {at, at};
	uint64_t end = at + size, present = 0;

	memset(to, 0, size);
	while (file_extent_next(d->fd, there.end, end, &there)) {
		size_t part = (size_t)(there.end - there.begin);
		if (file_read_at(d->fd, to + (there.begin - at), part, there.begin) !=
		    (ssize_t)part)
			return false;
		present += part;
	}
	d->holes += size - present;
	return true;
}

enum code_digest_step code_digest_step(struct code_digester *digester, struct build_id *out)
{
	struct code_digester *d = digester;

	if (!d->part && !d->done && is_large(d))
		return CODE_DIGEST_LARGE;
	if (d->part < d->count) {
		const struct code_segment *part = &d->parts[d->part];
		uint8_t piece[CODE_DIGEST_PIECE];
		uint64_t left = part->size - d->done;
		size_t size = left < sizeof(piece) ? (size_t)left : sizeof(piece);
		if (!d->done)
			begin_part(&d->sha, part->vaddr, part->size);
		if (!read_piece(d, part->offset + d->done, piece, size))
			return CODE_DIGEST_CHANGED;
		if (d->holes > CODE_DIGEST_HOLES)
			return CODE_DIGEST_LARGE;
		sha256_add(&d->sha, piece, size);
		d->done += size;
		if (d->done < part->size)
			return CODE_DIGEST_MORE;
		d->part++;
		d->done = 0;
		if (d->part < d->count)
			return CODE_DIGEST_MORE;
	}
	if (!is_unchanged(d))
		return CODE_DIGEST_CHANGED;
	out->size = SHA256_SIZE;
	sha256_end(&d->sha, out->data);
	return CODE_DIGEST_DONE;
}
