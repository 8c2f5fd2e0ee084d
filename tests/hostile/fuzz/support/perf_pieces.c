/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/hostile/fuzz/support/perf_pieces.h"

#include <stdlib.h>
#include <string.h>

enum { PIPE_HEADER = 16, FILE_HEADER = 104 };

uint64_t perf_piece_get(const uint8_t *at, size_t size)
{
	uint64_t value = 0;

	for (size_t i = size; i-- > 0;)
		value = value << 8 | at[i];
	return value;
}

void perf_piece_put(uint8_t *at, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

unsigned perf_piece_type(const struct perf_piece *p)
{
	return p->size < HEADER ? 0 : (unsigned)perf_piece_get(p->data, 4);
}

void perf_piece_settle(struct perf_piece *p)
{
	if (p->size >= HEADER && p->size <= UINT16_MAX)
		perf_piece_put(p->data + 6, p->size, 2);
}

void perf_pieces_insert(struct perf_pieces *r, size_t at, const uint8_t *data, size_t size)
{
	if (r->count == r->capacity) {
		r->capacity = 2 * r->capacity + 64;
		r->at = realloc(r->at, r->capacity * sizeof(*r->at));
	}
	uint8_t *copy = malloc(size + 1);
	if (!r->at || !copy)
		abort();
	memcpy(copy, data, size);
	memmove(r->at + at + 1, r->at + at, (r->count - at) * sizeof(*r->at));
	r->at[at] = (struct perf_piece){copy, size};
	r->count++;
}

void perf_pieces_leave_out(struct perf_pieces *r, size_t at)
{
	free(r->at[at].data);
	memmove(r->at + at, r->at + at + 1, (r->count - at - 1) * sizeof(*r->at));
	r->count--;
}

void perf_pieces_insert_all(struct perf_pieces *r, size_t at, const uint8_t *data, size_t size)
{
	while (size) {
		size_t next = size < HEADER ? size : (size_t)perf_piece_get(data + 6, 2);
		if (next < HEADER || next > size)
			next = size;
		perf_pieces_insert(r, at++, data, next);
		data += next;
		size -= next;
	}
}

bool perf_pieces_read(const uint8_t *data, size_t size, struct perf_pieces *out)
{
	uint64_t begin = PIPE_HEADER, end = size;

	*out = (struct perf_pieces){.is_pipe = true};
	if (size < PIPE_HEADER || memcmp(data, "PERFILE2", 8))
		return false;
	if (perf_piece_get(data + 8, 8) != PIPE_HEADER) {
		if (size < FILE_HEADER)
			return false;
		out->is_pipe = false;
		begin = perf_piece_get(data + 40, 8);
		out->data_size = perf_piece_get(data + 48, 8);
		if (begin < FILE_HEADER || begin > size)
			return false;
		if (out->data_size && out->data_size < size - begin)
			end = begin + out->data_size;
	}
	growing_add(&out->head, data, (size_t)begin);
	perf_pieces_insert_all(out, 0, data + begin, (size_t)(end - begin));
	growing_add(&out->tail, data + end, (size_t)(size - end));
	return true;
}

static void move_offset(uint8_t *at, uint64_t from, uint64_t by)
{
	if (perf_piece_get(at, 8) >= from)
		perf_piece_put(at, perf_piece_get(at, 8) + by, 8);
}

/* Sections after the data moved `by`. */
static void settle_header(struct perf_pieces *r, uint64_t by)
{
	uint64_t old_end = perf_piece_get(r->head.data + 40, 8) + r->data_size;

	perf_piece_put(r->head.data + 48, r->data_size + by, 8);
	move_offset(r->head.data + 24, old_end, by);
	move_offset(r->head.data + 56, old_end, by);
	size_t row = 0;
	for (unsigned bit = 0; bit < 256; bit++)
		if (r->head.data[72 + bit / 8] >> bit % 8 & 1) {
			if (row + 16 > r->tail.size)
				break;
			move_offset(r->tail.data + row, old_end, by);
			row += 16;
		}
}

void perf_pieces_write(struct perf_pieces *r, bool settled, struct growing *out)
{
	uint64_t size = 0;

	for (size_t i = 0; i < r->count; i++)
		size += r->at[i].size;
	if (!r->is_pipe && r->data_size && settled)
		settle_header(r, size - r->data_size);
	growing_add(out, r->head.data, r->head.size);
	for (size_t i = 0; i < r->count; i++)
		growing_add(out, r->at[i].data, r->at[i].size);
	growing_add(out, r->tail.data, r->tail.size);
}

void perf_pieces_free(struct perf_pieces *r)
{
	for (size_t i = 0; i < r->count; i++)
		free(r->at[i].data);
	free(r->at);
	free(r->head.data);
	free(r->tail.data);
}
