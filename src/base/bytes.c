/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/bytes.h"

void leb_fail(struct leb_reader *r, const char *wrong)
{
	if (!r->wrong)
		r->wrong = wrong;
}

/* Do seven more bits, of which the lowest is bit number `shift`, change a value of 64 bits?  From
 * the 64th bit on they are zeros, or of a signed number repeat its sign. */
static bool is_wide(uint64_t value, unsigned shift, uint64_t bits, bool is_signed)
{
	if (shift < 63)
		return false;
	if (!is_signed)
		return bits > (shift == 63);
	if (shift == 63)
		return bits != 0 && bits != 0x7f;
	return bits != (value >> 63 ? 0x7f : 0);
}

enum leb128 leb128_read(const uint8_t **at, const uint8_t *end, bool is_signed, uint64_t *out)
{
	uint64_t value = 0;
	unsigned shift = 0;

	for (const uint8_t *p = *at; p < end; p++) {
		uint64_t bits = *p & 0x7fu;
		if (is_wide(value, shift, bits, is_signed))
			return LEB128_WIDE;
		if (shift < 64) {
			value |= bits << shift;
			shift += 7;
		}
		if (*p >= 0x80)
			continue;
		if (is_signed && shift < 64 && bits & 0x40)
			value |= UINT64_MAX << shift;
		*at = p + 1;
		*out = value;
		return LEB128_READ;
	}
	return LEB128_CUT;
}

uint64_t leb_u(struct leb_reader *r)
{
	uint64_t value = 0;

	if (r->wrong)
		return 0;
	switch (leb128_read(&r->at, r->end, false, &value)) {
	case LEB128_READ: break;
	case LEB128_CUT: leb_fail(r, "the data ends in a number"); break;
	case LEB128_WIDE: leb_fail(r, "a number of more than 64 bits"); break;
	}
	return value;
}

int64_t leb_zigzag(struct leb_reader *r)
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

bool leb_put_zigzag(struct byte_vec *out, int64_t value)
{
	uint64_t bits = (uint64_t)value << 1;

	return leb_put_u(out, value < 0 ? ~bits : bits);
}
