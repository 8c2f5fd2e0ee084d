/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/aux/spe.h"

#include "src/base/attr.h"

enum {
	HEADER_PADDING = 0x00,
	HEADER_END = 0x01,
	HEADER_EXTENDED = 0x20,
	HEADER_TIME = 0x71,
	HEADER_OPERATION = 0x48, /* .. 4b */
	HEADER_CONTEXT = 0x64,   /* .. 67 */
	HEADER_EVENTS = 0x42,    /* 52, 62, 72 */
	HEADER_SOURCE = 0x43,    /* 53, 63, 73 */
	HEADER_COUNTER = 0x98,   /* .. 9f */
	HEADER_ADDRESS = 0xb0,   /* .. b7 */
};

/* Headers below it show no size. */
#define SIZED_HEADERS 0x40

#define OPERATION_BRANCH 2

enum { ADDRESS_PC = 0, ADDRESS_TARGET = 1, ADDRESS_BEFORE = 4 };

/* Bits 55:0 of an address are reported.  Above them are the security state (63) and the exception
 * level (62:61): in a kernel or hypervisor that is not of the secure world they are ones, else
 * zeros. */
static uint64_t address_of(uint64_t payload)
{
	const uint64_t high = UINT64_C(0xff) << 56;
	unsigned level = payload >> 61 & 3;

	return payload >> 63 && (level == 1 || level == 2) ? payload | high : payload & ~high;
}

static uint64_t payload_of(const uint8_t *at, unsigned size)
{
	switch (size) {
	case 1: return *at;
	case 2: return le16(at);
	case 4: return le32(at);
	default: return le64(at);
	}
}

static void take_address(struct spe_record *record, unsigned number, uint64_t payload)
{
	switch (number) {
	case ADDRESS_PC: record->pc = address_of(payload); break;
	case ADDRESS_TARGET: record->target = address_of(payload); break;
	case ADDRESS_BEFORE: record->before = address_of(payload); break;
	default: break; /* of data */
	}
}

static void spoil(struct spe_decoder *decoder)
{
	decoder->bad_bytes++;
	decoder->open = decoder->spoiled = true;
}

/* A packet with a payload.  high: bits of its number that the header before it gave. */
static void take_packet(struct spe_decoder *decoder, uint8_t header, unsigned high,
			uint64_t payload)
{
	struct spe_record *record = &decoder->record;

	if ((header & 0xf8) == HEADER_ADDRESS) {
		take_address(record, (header & 7) | high << 3, payload);
	} else if ((header & 0xf8) == HEADER_COUNTER || (header & 0xcf) == HEADER_SOURCE) {
		/* latencies, and where data came from */
	} else if ((header & 0xcf) == HEADER_EVENTS) {
		record->events = payload;
	} else if ((header & 0xfc) == HEADER_OPERATION) {
		record->is_branch = (header & 3) == OPERATION_BRANCH;
	} else if ((header & 0xfc) == HEADER_CONTEXT) {
		record->context = (uint32_t)payload;
		record->has_context = true;
	} else if (decoder->doubt) {
		spoil(decoder);
	} else {
		decoder->unknown_packets++;
	}
}

/* What an alignment packet drops, with its own bytes. */
static uint64_t to_alignment(uint8_t header, uint64_t at)
{
	uint64_t multiple = UINT64_C(2) << (header & 15);

	return multiple - at % multiple;
}

/* Drops what alignment still drops of what is there. */
static const uint8_t *skip_some(struct spe_decoder *decoder, const uint8_t *p, const uint8_t *end)
{
	uint64_t left = (uint64_t)(end - p), now = decoder->skip < left ? decoder->skip : left;

	decoder->skip -= now;
	return p + now;
}

/* A record has ended. */
static bool close_record(struct spe_decoder *decoder)
{
	bool whole = decoder->open && !decoder->spoiled && decoder->doubt < 2;

	decoder->spoiled_records += decoder->open && !whole;
	if (decoder->doubt && (whole || decoder->doubt == 2))
		decoder->doubt--;
	decoder->open = decoder->spoiled = false;
	decoder->given = true;
	return whole;
}

bool spe_next(struct spe_decoder *decoder, struct bytes *rest, uint64_t at)
{
	if (!rest->size)
		return false;
	const uint8_t *p = rest->data, *const begin = p, *end = p + rest->size;
	if (decoder->skip)
		p = skip_some(decoder, p, end);
	while (p < end) {
		uint8_t header = *p;
		unsigned high = 0, skip = 1;
		if (header == HEADER_PADDING) {
			p++;
			continue;
		}
		if (decoder->given) {
			decoder->record = (struct spe_record){0};
			decoder->given = false;
		}
		if (header == HEADER_END) {
			p++;
			if (!close_record(decoder))
				continue;
			*rest = (struct bytes){p, (size_t)(end - p)};
			return true;
		}
		if ((header & 0xf0) == HEADER_EXTENDED) {
			if (end - p < 2)
				break;
			if (p[1] == HEADER_PADDING) {
				decoder->skip = to_alignment(header, at + (uint64_t)(p - begin));
				p = skip_some(decoder, p, end);
				continue;
			}
			if (header > HEADER_EXTENDED + 3) {
				spoil(decoder);
				p++;
				continue;
			}
			high = header & 3;
			header = p[1];
			skip = 2;
		}
		if (header < SIZED_HEADERS) {
			spoil(decoder);
			p++;
			continue;
		}
		unsigned size = 1u << (header >> 4 & 3);
		if ((size_t)(end - p) < skip + size)
			break;
		uint64_t payload = payload_of(p + skip, size);
		p += skip + size;
		decoder->open = true;
		if (header == HEADER_TIME && skip == 1) {
			decoder->record.ticks = payload;
			if (!close_record(decoder))
				continue;
			*rest = (struct bytes){p, (size_t)(end - p)};
			return true;
		}
		take_packet(decoder, header, high, payload);
	}
	*rest = p < end ? (struct bytes){p, (size_t)(end - p)} : (struct bytes){NULL, 0};
	return false;
}

bool spe_cut(struct spe_decoder *decoder, bool within)
{
	bool was_open = decoder->open;

	decoder->record = (struct spe_record){0};
	decoder->spoiled = decoder->given = false;
	decoder->skip = 0;
	decoder->open = within;
	decoder->doubt = within ? 2 : 0;
	return was_open;
}
