/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Landing pads: where exceptions continue.  Each FDE of .eh_frame (its form is
 * in src/elf/eh_frame.h) may point to a table of its function's call sites:
 *
 *   u8 encoding, start of the landing pads   (ff: the function's)
 *   u8 encoding, uleb                        of the type table (ff: none)
 *   u8 encoding, uleb size of the call sites
 *   call sites: start, size, landing pad (0: none), uleb action
 */
#include <string.h>

#include "src/cfg/labels.h"

enum {
	PE_ULEB128 = 0x01,
	PE_UDATA2 = 0x02,
	PE_UDATA4 = 0x03,
	PE_SLEB128 = 0x09,
	PE_SDATA2 = 0x0a,
	PE_SDATA4 = 0x0b,
	PE_PCREL = 0x10,
	PE_BASE = 0x70,
	PE_INDIRECT = 0x80,
	PE_OMIT = 0xff,
};

/* Reads bytes that are loaded at `address`; reading past the end gives zeros
 * and is remembered. */
struct cursor {
	struct bytes left;
	uint64_t address;
	bool bad;
};

static uint64_t take(struct cursor *c, size_t size)
{
	uint64_t value = 0;

	if (c->left.size < size) {
		*c = (struct cursor){.bad = true};
		return 0;
	}
	for (size_t i = size < 8 ? size : 8; i-- > 0;)
		value = value << 8 | c->left.data[i];
	c->left = bytes_from(c->left, size);
	c->address += size;
	return value;
}

static uint64_t take_leb(struct cursor *c, bool is_signed)
{
	uint64_t value = 0, byte = 0x80;
	unsigned shift = 0;

	while (byte & 0x80 && !c->bad) {
		byte = take(c, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift += 7;
	}
	if (is_signed && byte & 0x40 && shift < 64)
		value |= UINT64_MAX << shift;
	return value;
}

/* A pointer in a DW_EH_PE_... encoding; 0 is none, wherever it counts from. */
static uint64_t take_pointer(struct cursor *c, uint8_t encoding)
{
	uint64_t here = c->address, value;

	switch (encoding & 0x0f) {
	case PE_ULEB128:
	case PE_SLEB128:
		value = take_leb(c, (encoding & 0x0f) == PE_SLEB128);
		break;
	case PE_UDATA2:
		value = take(c, 2);
		break;
	case PE_SDATA2:
		value = (uint64_t)(int16_t)take(c, 2);
		break;
	case PE_UDATA4:
		value = take(c, 4);
		break;
	case PE_SDATA4:
		value = (uint64_t)(int32_t)take(c, 4);
		break;
	default:
		value = take(c, 8);
	}
	if (encoding & PE_INDIRECT || (encoding & PE_BASE && (encoding & PE_BASE) != PE_PCREL))
		c->bad = true;
	return value && (encoding & PE_BASE) == PE_PCREL ? here + value : value;
}

/* How the FDEs of a CIE write addresses. */
struct encodings {
	uint8_t code, table; /* PE_OMIT: they have no table of call sites */
};

/* The cursor is at the CIE's version. */
static struct encodings read_cie(struct cursor *c)
{
	struct encodings encodings = {0, PE_OMIT};
	uint64_t version = take(c, 1);
	char augmentation[8] = "";

	for (size_t i = 0; i < sizeof(augmentation); i++)
		if (!(augmentation[i] = (char)take(c, 1)))
			break;
	if (augmentation[0] != 'z' || augmentation[sizeof(augmentation) - 1])
		return encodings;
	take_leb(c, false); /* code alignment */
	take_leb(c, true);  /* data alignment */
	if (version == 1)
		take(c, 1); /* return address register */
	else
		take_leb(c, false);
	take_leb(c, false); /* size of what follows */
	for (const char *a = augmentation + 1; *a; a++) {
		if (*a == 'R')
			encodings.code = (uint8_t)take(c, 1);
		else if (*a == 'L')
			encodings.table = (uint8_t)take(c, 1);
		else if (*a == 'P') /* the personality routine: anywhere */
			take_pointer(c, (uint8_t)(take(c, 1) & 0x0f));
	}
	return c->bad ? (struct encodings){0, PE_OMIT} : encodings;
}

static bool read_call_sites(const struct chosen *chosen, struct cursor *c, uint64_t pads,
			    struct label_vec *out)
{
	uint8_t encoding = (uint8_t)take(c, 1);
	struct cursor sites = *c;
	uint64_t size = take_leb(&sites, false);

	sites.left = bytes_first(sites.left, size);
	while (sites.left.size && !sites.bad) {
		take_pointer(&sites, encoding); /* start and size of the call site */
		take_pointer(&sites, encoding);
		uint64_t pad = take_pointer(&sites, encoding);
		take_leb(&sites, false);
		if (pad && !sites.bad && chosen_inside(chosen, pads + pad) &&
		    !label_vec_push(out, (struct label){pads + pad, LABEL_PAD}))
			return false;
	}
	return true;
}

static bool read_table(const struct chosen *chosen, uint64_t table, uint64_t function,
		       struct label_vec *out)
{
	struct cursor c = {image_bytes_at(chosen->image, (struct vaddr){table}), table, false};
	uint8_t encoding = (uint8_t)take(&c, 1);
	uint64_t pads = encoding == PE_OMIT ? function : take_pointer(&c, encoding);

	if (take(&c, 1) != PE_OMIT)
		take_leb(&c, false);
	return c.bad || read_call_sites(chosen, &c, pads, out);
}

/* The cursor is behind the pointer to the CIE. */
static bool read_fde(const struct chosen *chosen, struct cursor *c, struct encodings encodings,
		     struct label_vec *out)
{
	uint64_t function = take_pointer(c, encodings.code);

	take_pointer(c, encodings.code & 0x0f); /* its size */
	take_leb(c, false);                     /* size of the augmentation data */
	uint64_t table = take_pointer(c, encodings.table);
	return c->bad || !table || read_table(chosen, table, function, out);
}

/* Take the next entry; false at the end, and where the section is damaged. */
static bool next_entry(struct cursor *all, struct cursor *entry)
{
	uint64_t size = take(all, 4);

	if (size == UINT32_MAX)
		size = take(all, 8);
	if (!size || size > all->left.size)
		return false;
	*entry = *all;
	entry->left.size = (size_t)size;
	take(all, (size_t)size);
	return true;
}

bool labels_of_landing_pads(const struct chosen *chosen, struct label_vec *out)
{
	const struct section *section = image_section(chosen->image, ".eh_frame");
	struct encodings encodings = {0, PE_OMIT};
	uint64_t known_cie = UINT64_MAX;
	struct cursor entry;

	if (!section)
		return true;
	struct bytes whole = image_section_bytes(chosen->image, section);
	struct cursor all = {whole, section->addr, false};
	while (next_entry(&all, &entry)) {
		uint64_t field = entry.address - section->addr, back = take(&entry, 4);
		if (!back) /* a CIE */
			continue;
		if (field - back != known_cie) {
			struct cursor from = {bytes_from(whole, field - back),
					      section->addr + field - back, false}, cie;
			known_cie = field - back;
			encodings = (struct encodings){0, PE_OMIT};
			if (next_entry(&from, &cie) && !take(&cie, 4))
				encodings = read_cie(&cie);
		}
		if (encodings.table != PE_OMIT && !read_fde(chosen, &entry, encodings, out))
			return false;
	}
	return true;
}
