/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/eh_frame.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>

#include "src/base/bytes.h"
#include "src/base/sort.h"
#include "src/elf/load.h"

const uint8_t *eh_take(struct eh_cursor *c, uint64_t size)
{
	const uint8_t *taken = c->left.data;

	if (c->bad)
		return NULL;
	if (size > c->left.size) {
		c->bad = "the entry ends too early";
		return NULL;
	}
	c->left = bytes_from(c->left, size);
	c->address += size;
	return taken;
}

uint8_t eh_take_byte(struct eh_cursor *c)
{
	const uint8_t *p = eh_take(c, 1);

	return p ? *p : 0;
}

uint64_t eh_take_leb(struct eh_cursor *c, bool is_signed)
{
	const uint8_t *at = c->left.data;
	uint64_t value = 0;

	if (c->bad)
		return 0;
	switch (c->left.size ? leb128_read(&at, at + c->left.size, is_signed, &value) :
			       LEB128_CUT) {
	case LEB128_READ: eh_take(c, (uint64_t)(at - c->left.data)); break;
	case LEB128_CUT: c->bad = "the entry ends too early"; break;
	case LEB128_WIDE: c->bad = "a number of more than 64 bits"; break;
	}
	return value;
}

uint64_t eh_take_number(struct eh_cursor *c, uint8_t encoding)
{
	uint8_t format = encoding & EH_PE_FORMAT;
	const uint8_t *p;

	switch (format) {
	case EH_PE_ULEB128:
	case EH_PE_SLEB128: return eh_take_leb(c, format == EH_PE_SLEB128);
	case EH_PE_UDATA2: return (p = eh_take(c, 2)) ? le16(p) : 0;
	case EH_PE_SDATA2: return (p = eh_take(c, 2)) ? (uint64_t)(int16_t)le16(p) : 0;
	case EH_PE_UDATA4: return (p = eh_take(c, 4)) ? le32(p) : 0;
	case EH_PE_SDATA4: return (p = eh_take(c, 4)) ? (uint64_t)(int32_t)le32(p) : 0;
	case EH_PE_ABSPTR:
	case EH_PE_UDATA8:
	case EH_PE_SDATA8: return (p = eh_take(c, 8)) ? le64(p) : 0;
	}
	c->bad = "unknown pointer format";
	return 0;
}

/* A pointer that is absolute or relative to itself; others are bad, except for EH_PE_INDIRECT,
 * where it leads to the value. */
static uint64_t eh_take_place(struct eh_cursor *c, uint8_t encoding)
{
	uint64_t here = c->address, value = eh_take_number(c, encoding);

	if (encoding & EH_PE_BASE && (encoding & EH_PE_BASE) != EH_PE_PCREL)
		c->bad = "a code address that is neither absolute nor relative to itself";
	return (encoding & EH_PE_BASE) == EH_PE_PCREL ? here + value : value;
}

uint64_t eh_take_pointer(struct eh_cursor *c, uint8_t encoding)
{
	uint64_t value = eh_take_place(c, encoding);

	if (encoding & EH_PE_INDIRECT)
		c->bad = "a code address that is neither absolute nor relative to itself";
	return value;
}

DEFINE_VEC(range_vec, struct code_range);

static struct eh_frame begin(const struct image *image, const struct section *section, bool debug)
{
	struct bytes whole = section ? image_section_bytes(image, section) : (struct bytes){0};
	uint64_t address = section && !debug ? section->addr : 0;

	return (struct eh_frame){whole, address, debug, {whole, address, NULL}, {.at = UINT64_MAX}};
}

struct eh_frame eh_frame_begin(const struct image *image)
{
	return begin(image, image_section(image, ".eh_frame"), false);
}

struct eh_frame debug_frame_begin(const struct image *image)
{
	const struct section *section = image_section(image, ".debug_frame");

	return begin(image, section && section->flags & SHF_COMPRESSED ? NULL : section, true);
}

/* Read what a CIE has before its augmentation data; returns the string. */
static const char *take_augmentation(struct eh_cursor *c, bool debug, struct eh_frame_cie *out)
{
	uint8_t version = eh_take_byte(c);
	const char *string = (const char *)c->left.data;

	while (eh_take_byte(c))
		;
	if (version != 1 && version != 3 && !(debug && version == 4))
		c->bad = c->bad ? c->bad : "unknown version of a CIE";
	if (version == 4 && (eh_take_byte(c) != 8 || eh_take_byte(c)))
		c->bad = c->bad ? c->bad : "addresses that are not of 64 bits";
	out->code_factor = eh_take_leb(c, false);
	out->data_factor = (int64_t)eh_take_leb(c, true);
	out->return_register = (uint32_t)(version == 1 ? eh_take_byte(c) : eh_take_leb(c, false));
	return string;
}

/* The cursor is at the CIE's version. */
static void read_cie(struct eh_cursor *c, bool debug, struct eh_frame_cie *out)
{
	const char *augmentation = take_augmentation(c, debug, out);

	if (!c->bad && *augmentation && *augmentation != 'z')
		c->bad = "unknown augmentation of a CIE";
	if (c->bad)
		return;
	out->program = c->left;
	if (!*augmentation)
		return;
	out->augmented = true;
	uint64_t size = eh_take_leb(c, false); /* of the augmentation data */
	out->program = bytes_from(c->left, size);
	for (const char *a = augmentation + 1; *a && !c->bad; a++) {
		switch (*a) {
		case 'R': out->code = eh_take_byte(c); break;
		case 'L': out->call_sites = eh_take_byte(c); break;
		case 'P':
			out->personality_encoding = eh_take_byte(c);
			if (out->personality_encoding != EH_PE_OMIT)
				out->personality = eh_take_place(c, out->personality_encoding);
			break;
		case 'S': /* of a frame that a signal interrupted */
		case 'B': /* AArch64: return addresses are signed with key B */
		case 'G': /* AArch64: tagged stack */ break;
		default: c->bad = "unknown augmentation of a CIE";
		}
	}
}

/* Limit the cursor to the next entry; false at the end. */
static bool next_entry(struct eh_cursor *all, bool *wide, struct eh_cursor *entry)
{
	uint64_t length = all->left.size ? eh_take_number(all, EH_PE_UDATA4) : 0;

	*wide = length == UINT32_MAX;
	if (*wide)
		length = eh_take_number(all, EH_PE_UDATA8);
	if (!length)
		return false;
	*entry = *all;
	if (!eh_take(all, length))
		return false;
	entry->left = bytes_first(entry->left, length);
	return true;
}

/* Reads the id.  Returns true for a CIE; else *cie is the byte at which its own begins. */
static bool take_id(const struct eh_frame *frame, struct eh_cursor *entry, bool wide, uint64_t *cie)
{
	uint64_t field = entry->address - frame->address;
	uint64_t id = eh_take_number(entry, frame->debug && wide ? EH_PE_UDATA8 : EH_PE_UDATA4);

	if (frame->debug) {
		*cie = id;
		return id == (wide ? UINT64_MAX : UINT32_MAX);
	}
	*cie = id <= field ? field - id : UINT64_MAX;
	return !id;
}

/* Reads no more of a CIE than this: a real one needs some 40 bytes, and FDEs that alternate
 * between CIEs have each read again. */
#define CIE_MOST 256

/* The cursor after the header of the CIE that begins at byte `at`. */
static struct eh_cursor cie_at(const struct eh_frame *frame, uint64_t at)
{
	struct eh_cursor from = {bytes_from(frame->whole, at), frame->address + at, NULL},
			 cie = from;
	uint64_t unused;
	bool wide;

	if (!next_entry(&from, &wide, &cie) || !take_id(frame, &cie, wide, &unused))
		cie.bad = "an FDE without a CIE";
	cie.left = bytes_first(cie.left, CIE_MOST);
	return cie;
}

/* The cursor is after the id. */
static void read_fde(struct eh_frame *frame, struct eh_cursor *c, uint64_t cie_byte,
		     struct eh_frame_fde *out)
{
	if (c->bad)
		return;
	if (cie_byte == UINT64_MAX) {
		c->bad = "an FDE without a CIE";
		return;
	}
	if (frame->cie.at != cie_byte) {
		struct eh_cursor cie = cie_at(frame, cie_byte);
		frame->cie = (struct eh_frame_cie){.at = cie_byte,
						   .code = EH_PE_ABSPTR,
						   .call_sites = EH_PE_OMIT,
						   .personality_encoding = EH_PE_OMIT};
		if (!cie.bad)
			read_cie(&cie, frame->debug, &frame->cie);
		c->bad = cie.bad;
		if (cie.bad)
			frame->cie.at = UINT64_MAX; /* not half of it for the next FDE */
	}
	if (c->bad)
		return;
	out->code.address = eh_take_pointer(c, frame->cie.code);
	out->code.size = eh_take_number(c, frame->cie.code);
	out->call_sites = frame->cie.call_sites;
	out->augmented = frame->cie.augmented;
	out->rest = *c;
}

uint64_t eh_frame_take_lsda(struct eh_frame_fde *fde)
{
	uint64_t size = fde->augmented ? eh_take_leb(&fde->rest, false) : 0;
	struct eh_cursor data = fde->rest;

	data.left = bytes_first(data.left, size);
	if (!eh_take(&fde->rest, size) || fde->call_sites == EH_PE_OMIT || !size)
		return 0;
	uint64_t here = data.address, to = eh_take_pointer(&data, fde->call_sites);
	bool is_null = (fde->call_sites & EH_PE_BASE) == EH_PE_PCREL && to == here;
	fde->rest.bad = data.bad;
	return is_null || data.bad ? 0 : to;
}

bool eh_frame_next(struct eh_frame *frame, struct eh_frame_fde *out)
{
	struct eh_cursor entry;
	uint64_t cie, at = frame->left.address - frame->address;
	bool wide;

	while (next_entry(&frame->left, &wide, &entry)) {
		if (take_id(frame, &entry, wide, &cie) && !entry.bad) {
			at = frame->left.address - frame->address;
			continue;
		}
		out->at = at;
		read_fde(frame, &entry, cie, out);
		if (entry.bad)
			frame->left = entry; /* where the damage is */
		return !entry.bad;
	}
	return false;
}

bool eh_frame_at(struct eh_frame *frame, uint64_t byte, struct eh_frame_fde *out)
{
	struct eh_cursor all = {bytes_from(frame->whole, byte), frame->address + byte, NULL}, entry;
	uint64_t cie;
	bool wide;

	if (!next_entry(&all, &wide, &entry) || take_id(frame, &entry, wide, &cie))
		return false;
	out->at = byte;
	read_fde(frame, &entry, cie, out);
	return !entry.bad;
}

static bool read_ranges(const struct image *image, struct range_vec *out, struct bc_error *err)
{
	struct eh_frame frame = eh_frame_begin(image);
	struct eh_frame_fde fde;

	while (eh_frame_next(&frame, &fde))
		if (!range_vec_push(out, fde.code))
			return bc_fail_nomem(err);
	return !frame.left.bad ||
	       bc_fail(err, BC_FORMAT, ".eh_frame, byte %" PRIu64 " of the section: %s",
		       frame.left.address - frame.address, frame.left.bad);
}

/* Sort by address; FDEs at one address keep their order. */
static bool sort_ranges(const struct range_vec *ranges, struct code_range *sorted)
{
	struct keyed *keys = malloc((ranges->len + 1) * sizeof(*keys));

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

static bool are_sorted(const struct range_vec *ranges)
{
	for (size_t i = 1; i < ranges->len; i++)
		if (ranges->at[i].address < ranges->at[i - 1].address)
			return false;
	return true;
}

/* The ranges by address, one array instead of the other. */
static bool in_order(struct range_vec *ranges)
{
	if (are_sorted(ranges)) /* as most linkers write them */
		return true;
	struct code_range *sorted = malloc((ranges->len + 1) * sizeof(*sorted));
	if (!sorted || !sort_ranges(ranges, sorted)) {
		free(sorted);
		return false;
	}
	free(ranges->at);
	ranges->at = sorted;
	return true;
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
	BC_AUTO(range_vec_free) struct range_vec ranges = {0};

	if (!read_ranges(image, &ranges, err))
		return false;
	if (!in_order(&ranges))
		return bc_fail_nomem(err);
	*out = (struct code_ranges){ranges.at, ranges.len};
	ranges = (struct range_vec){0};
	unify(out);
	return true;
}

void code_ranges_free(struct code_ranges *ranges)
{
	free(ranges->at);
	*ranges = (struct code_ranges){0};
}

/* ---- .eh_frame_hdr ---- */

void eh_frame_hdr_free(struct eh_frame_hdr *header)
{
	eh_frame_hdr_vec_free(&header->entries);
}

/* Finds the segment.  False: there is none. */
static bool find_segment(const struct image *image, struct eh_cursor *out)
{
	Elf64_Phdr segment;

	for (size_t i = 0; image_program_header(image, i, &segment); i++)
		if (segment.p_type == PT_GNU_EH_FRAME) {
			*out = (struct eh_cursor){
				bytes_first(image_bytes_at(image, (struct vaddr){segment.p_vaddr}),
					    segment.p_memsz),
				segment.p_vaddr, NULL};
			return true;
		}
	return false;
}

/* A value that is absolute, relative to itself or to the header. */
static uint64_t take_value(struct eh_cursor *c, uint8_t encoding, uint64_t header)
{
	if ((encoding & EH_PE_BASE) == EH_PE_DATAREL)
		return header + eh_take_number(c, encoding);
	return eh_take_pointer(c, encoding);
}

static bool read_table(struct eh_cursor *c, uint8_t encoding, uint64_t count,
		       struct eh_frame_hdr *out)
{
	for (uint64_t i = 0; i < count; i++) {
		struct eh_frame_hdr_entry entry;
		entry.code = take_value(c, encoding, out->address);
		entry.fde = take_value(c, encoding, out->address);
		if (c->bad)
			return true;
		if (!eh_frame_hdr_vec_push(&out->entries, entry))
			return false;
	}
	return true;
}

bool eh_frame_hdr_read(const struct image *image, struct eh_frame_hdr *out)
{
	struct eh_cursor c;

	*out = (struct eh_frame_hdr){.present = find_segment(image, &c)};
	if (!out->present)
		return true;
	out->address = c.address;
	uint8_t version = eh_take_byte(&c), pointer = eh_take_byte(&c), counts = eh_take_byte(&c),
		table = eh_take_byte(&c);
	if (!c.bad && version != 1)
		c.bad = "a version that is not 1";
	if (pointer != EH_PE_OMIT)
		out->eh_frame = take_value(&c, pointer, out->address);
	uint64_t count = counts == EH_PE_OMIT ? 0 : take_value(&c, counts, out->address);
	out->has_table = !c.bad && counts != EH_PE_OMIT && table != EH_PE_OMIT;
	bool ok = !out->has_table || read_table(&c, table, count, out);
	out->bad = c.bad;
	return ok;
}

DEFINE_SEARCH(sites_up_to, struct lsda_site, uint64_t, item->code.address <= key)

void lsda_free(struct lsda *lsda)
{
	lsda_site_vec_free(&lsda->sites);
}

/* 0 is none, wherever it counts from. */
static uint64_t take_or_none(struct eh_cursor *c, uint8_t encoding, bool indirect)
{
	uint64_t here = c->address,
		 value = indirect ? eh_take_place(c, encoding) : eh_take_pointer(c, encoding);

	return (encoding & EH_PE_BASE) == EH_PE_PCREL && value == here ? 0 : value;
}

static bool read_sites(const struct image *image, struct eh_cursor *c, uint64_t function,
		       uint64_t pads, struct lsda *out)
{
	uint8_t encoding = eh_take_byte(c);
	uint64_t size = eh_take_leb(c, false);
	struct eh_cursor sites = *c;

	sites.left = bytes_first(sites.left, size);
	if (!work_spend(image->work, WORK_CALL_SITES, sites.left.size))
		return false;
	while (sites.left.size && !sites.bad) {
		struct lsda_site site = {{0}, 0, 0};
		site.code.address = function + take_or_none(&sites, encoding, false);
		site.code.size = take_or_none(&sites, encoding, false);
		uint64_t pad = take_or_none(&sites, encoding, false);
		site.action = eh_take_leb(&sites, false);
		site.pad = pad ? pads + pad : 0;
		if (!sites.bad && !lsda_site_vec_push(&out->sites, site))
			return false;
	}
	eh_take(c, size);
	out->bad = sites.bad;
	return true;
}

bool lsda_read(const struct image *image, uint64_t table, uint64_t function, struct lsda *out)
{
	struct eh_cursor c = {image_bytes_at(image, (struct vaddr){table}), table, NULL};
	uint8_t encoding = eh_take_byte(&c);
	uint64_t pads = encoding == EH_PE_OMIT ? function : take_or_none(&c, encoding, false);

	*out = (struct lsda){.type_encoding = eh_take_byte(&c)};
	if (out->type_encoding != EH_PE_OMIT) {
		uint64_t distance = eh_take_leb(&c, false);
		out->types = c.address + distance;
	}
	if (!c.bad && !read_sites(image, &c, function, pads, out))
		return false;
	out->bad = c.bad ? c.bad : out->bad;
	out->actions = c;
	return true;
}

bool lsda_ascends(const struct lsda *lsda)
{
	for (size_t i = 1; i < lsda->sites.len; i++)
		if (lsda->sites.at[i].code.address < lsda->sites.at[i - 1].code.address)
			return false;
	return true;
}

const struct lsda_site *lsda_site_at(const struct lsda *lsda, uint64_t address)
{
	size_t i = sites_up_to(lsda->sites.at, lsda->sites.len, address);
	const struct lsda_site *site = i ? &lsda->sites.at[i - 1] : NULL;

	return site && address - site->code.address < site->code.size ? site : NULL;
}

static uint64_t size_of(uint8_t encoding)
{
	switch (encoding & EH_PE_FORMAT) {
	case EH_PE_UDATA2:
	case EH_PE_SDATA2: return 2;
	case EH_PE_UDATA4:
	case EH_PE_SDATA4: return 4;
	}
	return 8;
}

static uint64_t type_of(const struct image *image, const struct lsda *lsda, uint64_t number,
			const char **bad)
{
	uint64_t at = lsda->types - number * size_of(lsda->type_encoding);
	struct eh_cursor c = {image_bytes_at(image, (struct vaddr){at}), at, NULL};
	uint64_t type = take_or_none(&c, lsda->type_encoding, true);

	*bad = lsda->types ? c.bad : "types, but no table of types";
	return type;
}

size_t lsda_actions(const struct image *image, const struct lsda *lsda, uint64_t action,
		    uint64_t *out, size_t room, const char **bad)
{
	struct eh_cursor all = lsda->actions, c = all;
	size_t count = 0;

	*bad = NULL;
	for (uint64_t at = action - 1; action && count < room && !*bad;) {
		c = (struct eh_cursor){bytes_from(all.left, at), all.address + at, NULL};
		int64_t filter = (int64_t)eh_take_leb(&c, true);
		uint64_t here = c.address, next = eh_take_leb(&c, true);
		out[count++] = filter > 0 ? 1 :
			       filter < 0 ? 2 :
					    0; /* catch, exception specification, clean-up */
		if (filter > 0 && count < room) {
			out[count++] = type_of(image, lsda, (uint64_t)filter, bad);
		} else if (filter < 0) {
			uint64_t list = lsda->types + ~(uint64_t)filter;
			struct eh_cursor numbers = {image_bytes_at(image, (struct vaddr){list}),
						    list, NULL};
			uint64_t number;
			while (count < room && !*bad && (number = eh_take_leb(&numbers, false)))
				out[count++] = type_of(image, lsda, number, bad);
			*bad = *bad ? *bad : numbers.bad;
		}
		*bad = *bad ? *bad : c.bad;
		if (!next)
			break;
		at = here + next - all.address;
	}
	return count;
}
