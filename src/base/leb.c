/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/leb.h"

void leb_fail(struct leb_reader *r, const char *wrong)
{
	if (!r->wrong)
		r->wrong = wrong;
}

uint64_t leb_u(struct leb_reader *r)
{
	uint64_t value = 0;
	const uint8_t *at = r->at;

	for (unsigned shift = 0; shift < 64 && !r->wrong; shift += 7) {
		if (at == r->end) {
			leb_fail(r, "the data ends in a number");
			return 0;
		}
		uint64_t bits = *at & 0x7f;
		if (shift == 63 && bits > 1)
			break;
		value |= bits << shift;
		if (*at++ < 0x80) {
			r->at = at;
			return value;
		}
	}
	leb_fail(r, "a number of more than 64 bits");
	return 0;
}

/* The sign is the lowest bit ("zigzag"): small differences are short. */
int64_t leb_s(struct leb_reader *r)
{
	uint64_t value = leb_u(r);

	return (int64_t)(value >> 1 ^ -(value & 1));
}

uint64_t leb_u_below(struct leb_reader *r, uint64_t most)
{
	uint64_t value = leb_u(r);

	if (value <= most)
		return value;
	leb_fail(r, "a number that is too large");
	return 0;
}

size_t leb_count(struct leb_reader *r, size_t least)
{
	uint64_t count = leb_u(r);

	if (count <= (size_t)(r->end - r->at) / least)
		return r->wrong ? 0 : (size_t)count;
	leb_fail(r, "a count that is larger than the data");
	return 0;
}

struct bytes leb_bytes(struct leb_reader *r, uint64_t size)
{
	if (r->wrong || size > (size_t)(r->end - r->at)) {
		leb_fail(r, "the data ends in a string");
		return (struct bytes){NULL, 0};
	}
	struct bytes bytes = {r->at, (size_t)size};
	r->at += size;
	return bytes;
}

bool leb_put_u(struct byte_vec *out, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		if (!byte_vec_push(out, (uint8_t)(value | 0x80)))
			return false;
	return byte_vec_push(out, (uint8_t)value);
}

bool leb_put_s(struct byte_vec *out, int64_t value)
{
	uint64_t bits = (uint64_t)value << 1;

	return leb_put_u(out, value < 0 ? ~bits : bits);
}
