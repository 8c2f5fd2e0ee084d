/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * perf.data as what stands before its records, the records, and what stands behind
 * them.  When records grow, shrink, come or go, the sizes and offsets in the header
 * and in the table of features follow.
 */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "tests/fuzz/support/mutators.h"

enum {
	PIPE_HEADER = 16,
	FILE_HEADER = 104,
	HEADER = 8,      /* of a record: type, misc, size */
	LONGEST = 65528, /* a record */
	SAMPLE = 9,
	ATTR = 64,
	COMPRESSED = 81,
	COMPRESSED2 = 83,
	MOST_PLAIN = 1 << 18, /* of what is decompressed */
};

struct piece {
	uint8_t *data;
	size_t size;
};

struct recording {
	struct growing head, tail;
	struct piece *at;
	size_t count, capacity;
	uint64_t data_size; /* as it was */
	bool is_pipe;
};

static uint64_t get(const uint8_t *at, size_t size)
{
	uint64_t value = 0;

	for (size_t i = size; i-- > 0;)
		value = value << 8 | at[i];
	return value;
}

static void put(uint8_t *at, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static unsigned type_of(const struct piece *p)
{
	return p->size < HEADER ? 0 : (unsigned)get(p->data, 4);
}

/* The size in the header follows, unless the piece is too large for it. */
static void settle(struct piece *p)
{
	if (p->size >= HEADER && p->size <= UINT16_MAX)
		put(p->data + 6, p->size, 2);
}

static void insert(struct recording *r, size_t at, const uint8_t *data, size_t size)
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
	r->at[at] = (struct piece){copy, size};
	r->count++;
}

static void leave_out(struct recording *r, size_t at)
{
	free(r->at[at].data);
	memmove(r->at + at, r->at + at + 1, (r->count - at - 1) * sizeof(*r->at));
	r->count--;
}

/* Cut into records; what cannot be cut stays in one piece. */
static void insert_all(struct recording *r, size_t at, const uint8_t *data, size_t size)
{
	while (size) {
		size_t next = size < HEADER ? size : (size_t)get(data + 6, 2);
		if (next < HEADER || next > size)
			next = size;
		insert(r, at++, data, next);
		data += next;
		size -= next;
	}
}

static bool read_recording(const uint8_t *data, size_t size, struct recording *out)
{
	uint64_t begin = PIPE_HEADER, end = size;

	*out = (struct recording){.is_pipe = true};
	if (size < PIPE_HEADER || memcmp(data, "PERFILE2", 8))
		return false;
	if (get(data + 8, 8) != PIPE_HEADER) {
		if (size < FILE_HEADER)
			return false;
		out->is_pipe = false;
		begin = get(data + 40, 8);
		out->data_size = get(data + 48, 8);
		if (begin < FILE_HEADER || begin > size)
			return false;
		if (out->data_size && out->data_size < size - begin)
			end = begin + out->data_size;
	}
	growing_add(&out->head, data, (size_t)begin);
	insert_all(out, 0, data + begin, (size_t)(end - begin));
	growing_add(&out->tail, data + end, (size_t)(size - end));
	return true;
}

static void move_offset(uint8_t *at, uint64_t from, uint64_t by)
{
	if (get(at, 8) >= from)
		put(at, get(at, 8) + by, 8);
}

/* Sections behind the data moved `by`. */
static void settle_header(struct recording *r, uint64_t by)
{
	uint64_t old_end = get(r->head.data + 40, 8) + r->data_size;

	put(r->head.data + 48, r->data_size + by, 8);
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

static void write_recording(struct recording *r, bool settled, struct growing *out)
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

static void free_recording(struct recording *r)
{
	for (size_t i = 0; i < r->count; i++)
		free(r->at[i].data);
	free(r->at);
	free(r->head.data);
	free(r->tail.data);
}

static struct piece *choose(struct recording *r, struct prng *random)
{
	return &r->at[prng_below(random, r->count)];
}

/* Make room, or close it: `by` bytes at `at`. */
static void grow(struct piece *p, size_t at, size_t by, uint64_t value)
{
	if (at > p->size || p->size + by > LONGEST)
		return;
	p->data = realloc(p->data, p->size + by);
	if (!p->data)
		abort();
	memmove(p->data + at + by, p->data + at, p->size - at);
	for (size_t i = 0; i + 8 <= by; i += 8)
		put(p->data + at + i, value, 8);
	p->size += by;
	settle(p);
}

static void shrink(struct piece *p, size_t at, size_t by)
{
	if (at > p->size || by > p->size - at)
		return;
	memmove(p->data + at, p->data + at + by, p->size - at - by);
	p->size -= by;
	settle(p);
}

/* An attr where one stands: in the header's section, or in a record. */
static uint8_t *attr_at(struct recording *r, size_t number)
{
	if (r->is_pipe) {
		for (size_t i = 0; i < r->count; i++)
			if (type_of(&r->at[i]) == ATTR && r->at[i].size >= HEADER + 64 && !number--)
				return r->at[i].data + HEADER;
		return NULL;
	}
	uint64_t each = get(r->head.data + 16, 8), at = get(r->head.data + 24, 8), size = get(r->head.data + 32, 8);
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

static void change_record(struct piece *p, uint64_t type, bool id_all, unsigned bit, uint64_t value)
{
	bool add = !(type >> bit & 1), found;
	size_t at;

	if (type_of(p) == SAMPLE) {
		at = HEADER + before(front, sizeof(front), type, bit, &found);
		if (!found)
			at = add || p->size < HEADER + 8 ? p->size : p->size - 8;
	} else {
		size_t size = before(trailer, sizeof(trailer), type, 64, &found);
		at = before(trailer, sizeof(trailer), type, bit, &found);
		if (!found || !id_all || type_of(p) >= ATTR || p->size < HEADER + size)
			return;
		at += p->size - size;
	}
	if (add)
		grow(p, at, 8, value);
	else
		shrink(p, at, 8);
}

/* One more field in all samples and trailers, or one less. */
static void change_sample_type(struct recording *r, struct prng *random)
{
	uint8_t *attr = attr_at(r, 0);
	unsigned bit = prng_below(random, 3) ? front[prng_below(random, sizeof(front))]
					     : back[prng_below(random, sizeof(back))];
	uint64_t value = mutate_number(random, 8, 64);

	if (!attr)
		return;
	uint64_t type = get(attr + 24, 8);
	bool id_all = get(attr + 40, 8) >> 18 & 1;
	for (size_t i = 0; i < r->count; i++)
		change_record(&r->at[i], type, id_all, bit, value);
	for (size_t i = 0; (attr = attr_at(r, i)); i++)
		put(attr + 24, get(attr + 24, 8) ^ UINT64_C(1) << bit, 8);
}

/* A field of an attr, without the samples that it describes. */
static void change_attr(struct recording *r, struct prng *random)
{
	static const uint8_t at[] = {0, 4, 8, 24, 32, 40, 72, 80, 96};
	uint8_t *attr = attr_at(r, (size_t)prng_below(random, 3));
	size_t field = at[prng_below(random, sizeof(at))];

	if (attr && field + 8 <= 64)
		put(attr + field, mutate_number(random, get(attr + field, 8), field == 24 ? 25 : 64), 8);
}

static void change_header(struct recording *r, struct prng *random)
{
	if (r->is_pipe)
		return;
	uint8_t *at = r->head.data + 8 + 8 * prng_below(random, 12);
	put(at, mutate_number(random, get(at, 8), 64), 8);
}

/* A row of the table of features, or a number in one. */
static void change_tail(struct recording *r, struct prng *random)
{
	if (r->tail.size < 8)
		return;
	uint8_t *at = r->tail.data + 4 * prng_below(random, r->tail.size / 4 - 1);
	size_t size = prng_below(random, 2) ? 4 : 8;
	put(at, mutate_number(random, get(at, size), 32), size);
}

static void change_type(struct piece *p, struct prng *random)
{
	static const uint32_t types[] = {1, 2, 3, 4, 5, 7, 9, 10, 11, 12, 13, 15, 17, 64, 66, 67, 68, 70,
					 71, 73, 78, 79, 80, 81, 82, 83, 255, 32768, 32770, UINT32_MAX};

	if (p->size >= HEADER)
		put(p->data, types[prng_below(random, sizeof(types) / sizeof(types[0]))], 4);
}

static void change_field(struct recording *r, struct piece *p, struct prng *random)
{
	if (p->size < HEADER + 8)
		return;
	size_t at = HEADER + 4 * (size_t)prng_below(random, (p->size - HEADER - 4) / 4);
	size_t size = prng_below(random, 2) ? 4 : 8;
	const struct piece *other = choose(r, random);
	if (!prng_below(random, 3) && other->size >= at + size)
		memmove(p->data + at, other->data + at, size);
	else
		put(p->data + at, mutate_number(random, get(p->data + at, size), 8 * (unsigned)size), size);
}

static void resize(struct piece *p, struct prng *random)
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

static void add_compressed(struct recording *r, size_t at, const struct growing *payload, bool second)
{
	struct growing record = {0};
	size_t padding = second ? (8 - payload->size % 8) % 8 : 0;

	growing_number(&record, second ? COMPRESSED2 : COMPRESSED, 4);
	growing_number(&record, 0, 4);
	if (second)
		growing_number(&record, payload->size, 8);
	growing_add(&record, payload->data, payload->size);
	growing_number(&record, 0, padding);
	if (record.size <= LONGEST) {
		insert(r, at, record.data, record.size);
		settle(&r->at[at]);
	}
	free(record.data);
}

static void compress_some(ZSTD_CStream *stream, const uint8_t *data, size_t size, struct growing *out)
{
	ZSTD_inBuffer in = {data, size, 0};
	uint8_t room[4096];
	size_t left;

	do {
		ZSTD_outBuffer to = {room, sizeof(room), 0};
		left = ZSTD_compressStream2(stream, &to, &in, ZSTD_e_flush);
		growing_add(out, room, to.pos);
	} while (left && !ZSTD_isError(left));
}

/* A run of records becomes one or two compressed ones, cut anywhere. */
static void compress(struct recording *r, struct prng *random)
{
	size_t begin = (size_t)prng_below(random, r->count), count = 1 + (size_t)prng_below(random, 16);
	struct growing plain = {0}, payload = {0};
	bool second = prng_below(random, 2);
	ZSTD_CStream *stream = ZSTD_createCStream();

	if (!stream)
		abort();
	while (count-- && begin < r->count && type_of(&r->at[begin]) < ATTR) {
		growing_add(&plain, r->at[begin].data, r->at[begin].size);
		leave_out(r, begin);
	}
	if (plain.size) {
		size_t cut = prng_below(random, 2) ? plain.size : (size_t)prng_below(random, plain.size);
		compress_some(stream, plain.data, cut, &payload);
		add_compressed(r, begin, &payload, second);
		payload.size = 0;
		compress_some(stream, plain.data + cut, plain.size - cut, &payload);
		if (cut < plain.size)
			add_compressed(r, begin + 1 < r->count ? begin + 1 : r->count, &payload, second);
	}
	ZSTD_freeCStream(stream);
	free(plain.data);
	free(payload.data);
}

static bool decompress_some(ZSTD_DStream *stream, const uint8_t *data, size_t size, struct growing *out)
{
	ZSTD_inBuffer in = {data, size, 0};
	uint8_t room[4096];

	for (;;) {
		ZSTD_outBuffer to = {room, sizeof(room), 0};
		size_t left = ZSTD_decompressStream(stream, &to, &in);
		growing_add(out, room, to.pos);
		if (ZSTD_isError(left) || out->size > MOST_PLAIN)
			return false;
		if (in.pos == in.size && to.pos < sizeof(room))
			return true;
	}
}

/* All compressed records become what they stand for. */
static void uncompress(struct recording *r)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	struct growing plain = {0};
	size_t first = r->count;
	bool ok = true;

	if (!stream)
		abort();
	for (size_t i = 0; i < r->count && ok; i++) {
		unsigned type = type_of(&r->at[i]);
		size_t skip = type == COMPRESSED2 ? HEADER + 8 : HEADER;
		if ((type != COMPRESSED && type != COMPRESSED2) || r->at[i].size < skip)
			continue;
		if (first == r->count)
			first = i;
		size_t size = r->at[i].size - skip;
		if (type == COMPRESSED2 && get(r->at[i].data + HEADER, 8) < size)
			size = (size_t)get(r->at[i].data + HEADER, 8);
		ok = decompress_some(stream, r->at[i].data + skip, size, &plain);
		leave_out(r, i--);
	}
	insert_all(r, first < r->count ? first : r->count, plain.data, plain.size);
	ZSTD_freeDStream(stream);
	free(plain.data);
}

static void swap(struct piece *a, struct piece *b)
{
	struct piece kept = *a;

	*a = *b;
	*b = kept;
}

static void mutate_records(struct recording *r, struct prng *random)
{
	size_t at = (size_t)prng_below(random, r->count);
	struct piece *p = &r->at[at];

	switch (prng_below(random, 16)) {
	case 0:
		change_type(p, random);
		break;
	case 1:
		if (p->size >= HEADER)
			put(p->data + 4, mutate_number(random, get(p->data + 4, 2), 16), 2);
		break;
	case 2: /* only what the header says */
		if (p->size >= HEADER)
			put(p->data + 6, mutate_number(random, get(p->data + 6, 2), 16), 2);
		break;
	case 3:
	case 4:
		resize(p, random);
		break;
	case 5:
		swap(p, choose(r, random));
		break;
	case 6:
		insert(r, (size_t)prng_below(random, r->count + 1), p->data, p->size);
		break;
	case 7:
		leave_out(r, at);
		break;
	case 8:
		change_sample_type(r, random);
		break;
	case 9:
		change_attr(r, random);
		break;
	case 10:
		compress(r, random);
		break;
	case 11:
		if (prng_below(random, 2))
			uncompress(r);
		else
			change_header(r, random);
		break;
	case 12:
		change_tail(r, random);
		break;
	default:
		change_field(r, p, random);
	}
}

size_t mutate_perf_data(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	struct prng random = {seed};
	struct growing out = {0};
	struct recording r;

	if (prng_below(&random, 4) == 0 || !read_recording(data, size, &r))
		return LLVMFuzzerMutate(data, size, most);
	for (uint64_t i = 1 + prng_below(&random, 3); i && r.count; i--)
		mutate_records(&r, &random);
	write_recording(&r, prng_below(&random, 16) != 0, &out);
	free_recording(&r);
	size = out.size < most ? out.size : most;
	memcpy(data, out.data, size);
	free(out.data);
	return size;
}

size_t cross_perf_data(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size, uint8_t *out, size_t most,
		       unsigned seed)
{
	struct prng random = {seed};
	struct recording first = {0}, second = {0};
	struct growing all = {0};

	if (!read_recording(a, a_size, &first) || !read_recording(b, b_size, &second) || !second.count) {
		free_recording(&first);
		free_recording(&second);
		size_t size = a_size < most ? a_size : most;
		memcpy(out, a, size);
		return size;
	}
	size_t from = (size_t)prng_below(&random, second.count), count = 1 + (size_t)prng_below(&random, 32);
	size_t to = (size_t)prng_below(&random, first.count + 1);
	for (; count && from < second.count; count--, from++)
		insert(&first, to++, second.at[from].data, second.at[from].size);
	write_recording(&first, true, &all);
	free_recording(&first);
	free_recording(&second);
	size_t size = all.size < most ? all.size : most;
	memcpy(out, all.data, size);
	free(all.data);
	return size;
}
