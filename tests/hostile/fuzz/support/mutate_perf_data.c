/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Changes of perf.data record by record, and two recordings in one. */
#include <stdlib.h>
#include <string.h>

#include "tests/hostile/fuzz/support/perf_pieces.h"

enum { SAMPLE = 9 };

static struct perf_piece *choose(struct perf_pieces *r, struct prng *random)
{
	return &r->at[prng_below(random, r->count)];
}

/* Make room, or close it: `by` bytes at `at`. */
static void grow(struct perf_piece *p, size_t at, size_t by, uint64_t value)
{
	if (at > p->size || p->size + by > LONGEST)
		return;
	p->data = realloc(p->data, p->size + by);
	if (!p->data)
		abort();
	memmove(p->data + at + by, p->data + at, p->size - at);
	for (size_t i = 0; i + 8 <= by; i += 8)
		perf_piece_put(p->data + at + i, value, 8);
	p->size += by;
	perf_piece_settle(p);
}

static void shrink(struct perf_piece *p, size_t at, size_t by)
{
	if (at > p->size || by > p->size - at)
		return;
	memmove(p->data + at, p->data + at + by, p->size - at - by);
	p->size -= by;
	perf_piece_settle(p);
}

/* An attr where one is: in the header's section, or in a record. */
static uint8_t *attr_at(struct perf_pieces *r, size_t number)
{
	if (r->is_pipe) {
		for (size_t i = 0; i < r->count; i++)
			if (perf_piece_type(&r->at[i]) == ATTR && r->at[i].size >= HEADER + 64 &&
			    !number--)
				return r->at[i].data + HEADER;
		return NULL;
	}
	uint64_t each = perf_piece_get(r->head.data + 16, 8);
	uint64_t at = perf_piece_get(r->head.data + 24, 8),
		 size = perf_piece_get(r->head.data + 32, 8);
	if (each < 64 || each > r->head.size || number >= size / each || at > r->head.size ||
	    (number + 1) * each > r->head.size - at)
		return NULL;
	return r->head.data + at + number * each;
}

/* Fields of eight bytes at the front of a sample, and in the trailer of all others,
 * by the bit of sample_type. */
static const uint8_t front[] = {16, 0, 1, 2, 3, 6, 9, 7, 8};
static const uint8_t trailer[] = {1, 2, 6, 9, 7, 16};
/* And some at a sample's end. */
static const uint8_t back[] = {14, 15, 17, 19, 21, 22, 23};

static size_t before(const uint8_t *order, size_t count, uint64_t type, unsigned bit, bool *found)
{
	size_t at = 0;

	*found = false;
	for (size_t i = 0; i < count && !*found; i++) {
		*found = order[i] == bit;
		at += !*found && type >> order[i] & 1 ? 8 : 0;
	}
	return at;
}

static void change_record(struct perf_piece *p, uint64_t type, bool id_all, unsigned bit,
			  uint64_t value)
{
	bool add = !(type >> bit & 1), found;
	size_t at;

	if (perf_piece_type(p) == SAMPLE) {
		at = HEADER + before(front, sizeof(front), type, bit, &found);
		if (!found)
			at = add || p->size < HEADER + 8 ? p->size : p->size - 8;
	} else {
		size_t size = before(trailer, sizeof(trailer), type, 64, &found);
		at = before(trailer, sizeof(trailer), type, bit, &found);
		if (!found || !id_all || perf_piece_type(p) >= ATTR || p->size < HEADER + size)
			return;
		at += p->size - size;
	}
	if (add)
		grow(p, at, 8, value);
	else
		shrink(p, at, 8);
}

/* One more field in all samples and trailers, or one less. */
static void change_sample_type(struct perf_pieces *r, struct prng *random)
{
	uint8_t *attr = attr_at(r, 0);
	unsigned bit = prng_below(random, 3) ? front[prng_below(random, sizeof(front))] :
					       back[prng_below(random, sizeof(back))];
	uint64_t value = mutate_number(random, 8, 64);

	if (!attr)
		return;
	uint64_t type = perf_piece_get(attr + 24, 8);
	bool id_all = perf_piece_get(attr + 40, 8) >> 18 & 1;
	for (size_t i = 0; i < r->count; i++)
		change_record(&r->at[i], type, id_all, bit, value);
	for (size_t i = 0; (attr = attr_at(r, i)); i++)
		perf_piece_put(attr + 24, perf_piece_get(attr + 24, 8) ^ UINT64_C(1) << bit, 8);
}

/* A field of an attr, without the samples that it describes. */
static void change_attr(struct perf_pieces *r, struct prng *random)
{
	static const uint8_t at[] = {0, 4, 8, 24, 32, 40, 72, 80, 96};
	uint8_t *attr = attr_at(r, (size_t)prng_below(random, 3));
	size_t field = at[prng_below(random, sizeof(at))];

	if (attr && field + 8 <= 64)
		perf_piece_put(attr + field,
			       mutate_number(random, perf_piece_get(attr + field, 8),
					     field == 24 ? 25 : 64),
			       8);
}

static void change_header(struct perf_pieces *r, struct prng *random)
{
	if (r->is_pipe)
		return;
	uint8_t *at = r->head.data + 8 + 8 * prng_below(random, 12);
	perf_piece_put(at, mutate_number(random, perf_piece_get(at, 8), 64), 8);
}

/* A row of the table of features, or a number in one. */
static void change_tail(struct perf_pieces *r, struct prng *random)
{
	if (r->tail.size < 8)
		return;
	uint8_t *at = r->tail.data + 4 * prng_below(random, r->tail.size / 4 - 1);
	size_t size = prng_below(random, 2) ? 4 : 8;
	perf_piece_put(at, mutate_number(random, perf_piece_get(at, size), 32), size);
}

static void change_type(struct perf_piece *p, struct prng *random)
{
	static const uint32_t types[] = {1,  2,  3,  4,  5,  7,  9,   10,    11,    12,
					 13, 15, 17, 64, 66, 67, 68,  70,    71,    73,
					 78, 79, 80, 81, 82, 83, 255, 32768, 32770, UINT32_MAX};

	if (p->size >= HEADER)
		perf_piece_put(p->data, types[prng_below(random, sizeof(types) / sizeof(types[0]))],
			       4);
}

static void change_field(struct perf_pieces *r, struct perf_piece *p, struct prng *random)
{
	if (p->size < HEADER + 8)
		return;
	size_t at = HEADER + 4 * (size_t)prng_below(random, (p->size - HEADER - 4) / 4);
	size_t size = prng_below(random, 2) ? 4 : 8;
	const struct perf_piece *other = choose(r, random);
	if (!prng_below(random, 3) && other->size >= at + size)
		memmove(p->data + at, other->data + at, size);
	else
		perf_piece_put(p->data + at,
			       mutate_number(random, perf_piece_get(p->data + at, size),
					     8 * (unsigned)size),
			       size);
}

static void resize(struct perf_piece *p, struct prng *random)
{
	static const uint8_t sizes[] = {1, 4, 8, 8, 16, 24};
	size_t by = sizes[prng_below(random, sizeof(sizes))];

	if (p->size < HEADER + by)
		return;
	size_t at = HEADER + (size_t)prng_below(random, (p->size - HEADER) / 8 + 1) * 8;
	if (prng_below(random, 2))
		grow(p, at, by, prng_next(random) >> prng_below(random, 64));
	else
		shrink(p, at, by);
}

static void swap(struct perf_piece *a, struct perf_piece *b)
{
	struct perf_piece kept = *a;

	*a = *b;
	*b = kept;
}

static void mutate_records(struct perf_pieces *r, struct prng *random)
{
	size_t at = (size_t)prng_below(random, r->count);
	struct perf_piece *p = &r->at[at];

	switch (prng_below(random, 16)) {
	case 0: change_type(p, random); break;
	case 1:
		if (p->size >= HEADER)
			perf_piece_put(p->data + 4,
				       mutate_number(random, perf_piece_get(p->data + 4, 2), 16),
				       2);
		break;
	case 2: /* only what the header says */
		if (p->size >= HEADER)
			perf_piece_put(p->data + 6,
				       mutate_number(random, perf_piece_get(p->data + 6, 2), 16),
				       2);
		break;
	case 3:
	case 4: resize(p, random); break;
	case 5: swap(p, choose(r, random)); break;
	case 6:
		perf_pieces_insert(r, (size_t)prng_below(random, r->count + 1), p->data, p->size);
		break;
	case 7: perf_pieces_leave_out(r, at); break;
	case 8: change_sample_type(r, random); break;
	case 9: change_attr(r, random); break;
	case 10: perf_pieces_compress(r, random); break;
	case 11:
		if (prng_below(random, 2))
			perf_pieces_uncompress(r);
		else
			change_header(r, random);
		break;
	case 12: change_tail(r, random); break;
	default: change_field(r, p, random);
	}
}

size_t mutate_perf_data(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	struct prng random = {seed};
	struct growing out = {0};
	struct perf_pieces r;

	if (prng_below(&random, 4) == 0 || !perf_pieces_read(data, size, &r))
		return LLVMFuzzerMutate(data, size, most);
	for (uint64_t i = 1 + prng_below(&random, 3); i && r.count; i--)
		mutate_records(&r, &random);
	perf_pieces_write(&r, prng_below(&random, 16) != 0, &out);
	perf_pieces_free(&r);
	size = out.size < most ? out.size : most;
	memcpy(data, out.data, size);
	free(out.data);
	return size;
}

size_t cross_perf_data(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
		       uint8_t *out, size_t most, unsigned seed)
{
	struct prng random = {seed};
	struct perf_pieces first = {0}, second = {0};
	struct growing all = {0};

	if (!perf_pieces_read(a, a_size, &first) || !perf_pieces_read(b, b_size, &second) ||
	    !second.count) {
		perf_pieces_free(&first);
		perf_pieces_free(&second);
		size_t size = a_size < most ? a_size : most;
		memcpy(out, a, size);
		return size;
	}
	size_t from = (size_t)prng_below(&random, second.count),
	       count = 1 + (size_t)prng_below(&random, 32);
	size_t to = (size_t)prng_below(&random, first.count + 1);
	for (; count && from < second.count; count--, from++)
		perf_pieces_insert(&first, to++, second.at[from].data, second.at[from].size);
	perf_pieces_write(&first, true, &all);
	perf_pieces_free(&first);
	perf_pieces_free(&second);
	size_t size = all.size < most ? all.size : most;
	memcpy(out, all.data, size);
	free(all.data);
	return size;
}
