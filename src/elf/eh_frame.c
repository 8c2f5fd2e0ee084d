/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/eh_frame.h"

#include <inttypes.h>
#include <stdlib.h>

#include "src/base/vec.h"
#include "src/elf/sort.h"

/* Pointer encodings (DW_EH_PE_...): the low four bits give the format, the next
 * three what the value is relative to. */
enum {
	PE_ABSPTR = 0x00,
	PE_ULEB128 = 0x01,
	PE_UDATA2 = 0x02,
	PE_UDATA4 = 0x03,
	PE_UDATA8 = 0x04,
	PE_SLEB128 = 0x09,
	PE_SDATA2 = 0x0a,
	PE_SDATA4 = 0x0b,
	PE_SDATA8 = 0x0c,
	PE_FORMAT = 0x0f,
	PE_PCREL = 0x10,
	PE_BASE = 0x70,
	PE_INDIRECT = 0x80,
	PE_OMIT = 0xff,
};

/* Reads bytes of the section; `bad` says what went wrong first. */
struct cursor {
	const uint8_t *begin, *pos, *end;
	uint64_t address; /* vaddr of `begin` */
	const char *bad;
};

DEFINE_VEC(range_vec, struct code_range);

/* `size` bytes, or NULL. */
static const uint8_t *take(struct cursor *c, uint64_t size)
{
	if (c->bad)
		return NULL;
	if (size > (uint64_t)(c->end - c->pos)) {
		c->bad = "the entry ends too early";
		return NULL;
	}
	c->pos += size;
	return c->pos - size;
}

static uint8_t take_byte(struct cursor *c)
{
	const uint8_t *p = take(c, 1);

	return p ? *p : 0;
}

static uint64_t take_leb(struct cursor *c, bool is_signed)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte = 0x80;

	while (byte & 0x80 && !c->bad) {
		byte = take_byte(c);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	}
	if (is_signed && byte & 0x40 && shift < 64)
		value |= UINT64_MAX << shift;
	return value;
}

static uint64_t take_number(struct cursor *c, uint8_t format)
{
	const uint8_t *p;

	switch (format) {
	case PE_ULEB128:
	case PE_SLEB128:
		return take_leb(c, format == PE_SLEB128);
	case PE_UDATA2:
		return (p = take(c, 2)) ? le16(p) : 0;
	case PE_SDATA2:
		return (p = take(c, 2)) ? (uint64_t)(int16_t)le16(p) : 0;
	case PE_UDATA4:
		return (p = take(c, 4)) ? le32(p) : 0;
	case PE_SDATA4:
		return (p = take(c, 4)) ? (uint64_t)(int32_t)le32(p) : 0;
	case PE_ABSPTR:
	case PE_UDATA8:
	case PE_SDATA8:
		return (p = take(c, 8)) ? le64(p) : 0;
	}
	c->bad = "unknown pointer format";
	return 0;
}

static uint64_t take_pointer(struct cursor *c, uint8_t encoding)
{
	uint64_t here = c->address + (uint64_t)(c->pos - c->begin);
	uint64_t value = take_number(c, encoding & PE_FORMAT);

	if (encoding & PE_INDIRECT || (encoding & PE_BASE && (encoding & PE_BASE) != PE_PCREL))
		c->bad = "a code address that is neither absolute nor relative to itself";
	return (encoding & PE_BASE) == PE_PCREL ? here + value : value;
}

/* Skip what a CIE has before its augmentation data; returns the string. */
static const char *take_augmentation(struct cursor *c)
{
	uint8_t version = take_byte(c);
	const char *string = (const char *)c->pos;

	while (take_byte(c))
		;
	if (version != 1 && version != 3)
		c->bad = c->bad ? c->bad : "unknown version of a CIE";
	take_leb(c, false); /* code alignment */
	take_leb(c, true);  /* data alignment */
	if (version == 1)
		take_byte(c); /* return address register */
	else
		take_leb(c, false);
	return string;
}

/* How the FDEs of the CIE behind the cursor (at its version) write addresses. */
static uint8_t cie_encoding(struct cursor *c)
{
	const char *augmentation = take_augmentation(c);
	uint8_t encoding = PE_ABSPTR;

	if (c->bad || !*augmentation)
		return encoding;
	if (*augmentation != 'z') {
		c->bad = "unknown augmentation of a CIE";
		return encoding;
	}
	take_leb(c, false); /* size of the augmentation data */
	for (const char *a = augmentation + 1; *a && !c->bad; a++) {
		uint8_t personality;
		switch (*a) {
		case 'R':
			encoding = take_byte(c);
			break;
		case 'L': /* encoding of the pointer to the LSDA */
			take_byte(c);
			break;
		case 'P':
			personality = take_byte(c);
			if (personality != PE_OMIT)
				take_number(c, personality & PE_FORMAT);
			break;
		case 'S': /* signal frame */
		case 'B': /* AArch64: return addresses are signed with key B */
		case 'G': /* AArch64: tagged stack */
			break;
		default:
			c->bad = "unknown augmentation of a CIE";
		}
	}
	return encoding;
}

/* Limit the cursor to the next entry; false at the end. */
static bool next_entry(struct cursor *all, struct cursor *entry)
{
	uint64_t length = all->pos == all->end ? 0 : take_number(all, PE_UDATA4);

	if (length == UINT32_MAX)
		length = take_number(all, PE_UDATA8);
	if (!length)
		return false;
	*entry = *all;
	if (!take(all, length))
		return false;
	entry->end = all->pos;
	return true;
}

/* The cursor behind the header of the CIE that begins at `at`. */
static struct cursor cie_at(const struct cursor *all, const uint8_t *at)
{
	struct cursor from = *all, cie = *all;

	from.pos = at;
	if (!next_entry(&from, &cie) || take_number(&cie, PE_UDATA4))
		cie.bad = "an FDE without a CIE";
	return cie;
}

/* An entry's encoding by its CIE; entries of one CIE mostly follow each other. */
struct known_cie {
	const uint8_t *at;
	uint8_t encoding;
};

static void read_fde(struct cursor *fde, const struct cursor *all, struct known_cie *known,
		     struct code_range *out)
{
	const uint8_t *field = fde->pos;
	uint32_t back = (uint32_t)take_number(fde, PE_UDATA4);

	if (fde->bad)
		return;
	if (back > (uint64_t)(field - all->begin)) {
		fde->bad = "an FDE without a CIE";
		return;
	}
	if (known->at != field - back) {
		struct cursor cie = cie_at(all, field - back);
		*known = (struct known_cie){field - back, 0};
		if (!cie.bad)
			known->encoding = cie_encoding(&cie);
		fde->bad = cie.bad;
	}
	if (fde->bad)
		return;
	out->address = take_pointer(fde, known->encoding);
	out->size = take_number(fde, known->encoding & PE_FORMAT);
}

static bool read_entries(struct cursor *all, struct range_vec *out, struct bc_error *err)
{
	struct known_cie known = {NULL, 0};
	struct cursor entry;

	while (next_entry(all, &entry)) {
		struct code_range range;
		bool is_cie = entry.end - entry.pos >= 4 && !le32(entry.pos);
		if (is_cie)
			continue;
		read_fde(&entry, all, &known, &range);
		if (entry.bad)
			return bc_fail(err, BC_FORMAT, ".eh_frame, byte %td of the section: %s",
				       entry.pos - all->begin, entry.bad);
		if (!range_vec_push(out, range))
			return bc_fail_nomem(err);
	}
	return !all->bad || bc_fail(err, BC_FORMAT, ".eh_frame, byte %td of the section: %s",
				    all->pos - all->begin, all->bad);
}

/* Sort by address; FDEs at one address keep their order. */
static bool sort_ranges(const struct range_vec *ranges, struct code_range *sorted)
{
	struct keyed *keys = calloc(ranges->len + 1, sizeof(*keys));

	if (!keys)
		return false;
	for (size_t i = 0; i < ranges->len; i++)
		keys[i] = (struct keyed){ranges->at[i].address, i};
	bool done = sort_keyed(keys, ranges->len);
	for (size_t i = 0; i < ranges->len; i++)
		sorted[i] = ranges->at[keys[i].index];
	free(keys);
	return done;
}

/* Keep one range per address. */
static void unify(struct code_ranges *ranges)
{
	size_t kept = 0;

	for (size_t i = 0; i < ranges->count; i++) {
		struct code_range *last = kept ? &ranges->at[kept - 1] : NULL;
		/* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): what is kept was sorted into it */
		if (!last || last->address != ranges->at[i].address)
			ranges->at[kept++] = ranges->at[i];
		else if (!last->size)
			last->size = ranges->at[i].size;
	}
	ranges->count = kept;
}

bool eh_frame_ranges(const struct image *image, struct code_ranges *out, struct bc_error *err)
{
	const struct section *section = image_section(image, ".eh_frame");
	struct bytes bytes = section ? image_section_bytes(image, section) : (struct bytes){0};
	BC_AUTO(range_vec_free) struct range_vec ranges = {0};
	BC_AUTO(code_ranges_free) struct code_ranges sorted = {0};

	if (bytes.size) {
		struct cursor all = {bytes.data, bytes.data, bytes.data + bytes.size,
				     section->addr, NULL};
		if (!read_entries(&all, &ranges, err))
			return false;
	}
	sorted = (struct code_ranges){calloc(ranges.len + 1, sizeof(*sorted.at)), ranges.len};
	if (!sorted.at || !sort_ranges(&ranges, sorted.at))
		return bc_fail_nomem(err);
	unify(&sorted);
	*out = sorted;
	sorted = (struct code_ranges){0};
	return true;
}

void code_ranges_free(struct code_ranges *ranges)
{
	free(ranges->at);
	*ranges = (struct code_ranges){0};
}
