/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/lsda.h"

#include "src/base/sort.h"

DEFINE_SEARCH(sites_up_to, struct lsda_site, uint64_t, item->code.address <= key)

void lsda_free(struct lsda *lsda)
{
	lsda_site_vec_free(&lsda->sites);
}

/* 0 is none, wherever it counts from. */
static uint64_t take_or_none(struct eh_cursor *c, uint8_t encoding, bool indirect)
{
	uint64_t here = c->address, value = indirect ? eh_take_place(c, encoding) : eh_take_pointer(c, encoding);

	return (encoding & EH_PE_BASE) == EH_PE_PCREL && value == here ? 0 : value;
}

static bool read_sites(const struct image *image, struct eh_cursor *c, uint64_t function, uint64_t pads, struct lsda *out)
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
	case EH_PE_SDATA2:
		return 2;
	case EH_PE_UDATA4:
	case EH_PE_SDATA4:
		return 4;
	}
	return 8;
}

static uint64_t type_of(const struct image *image, const struct lsda *lsda, uint64_t number, const char **bad)
{
	uint64_t at = lsda->types - number * size_of(lsda->type_encoding);
	struct eh_cursor c = {image_bytes_at(image, (struct vaddr){at}), at, NULL};
	uint64_t type = take_or_none(&c, lsda->type_encoding, true);

	*bad = lsda->types ? c.bad : "types, but no table of types";
	return type;
}

size_t lsda_actions(const struct image *image, const struct lsda *lsda, uint64_t action, uint64_t *out, size_t room, const char **bad)
{
	struct eh_cursor all = lsda->actions, c = all;
	size_t count = 0;

	*bad = NULL;
	for (uint64_t at = action - 1; action && count < room && !*bad;) {
		c = (struct eh_cursor){bytes_from(all.left, at), all.address + at, NULL};
		int64_t filter = (int64_t)eh_take_leb(&c, true);
		uint64_t here = c.address, next = eh_take_leb(&c, true);
		out[count++] = filter > 0 ? 1 : filter < 0 ? 2 : 0; /* catch, exception specification, clean-up */
		if (filter > 0 && count < room) {
			out[count++] = type_of(image, lsda, (uint64_t)filter, bad);
		} else if (filter < 0) {
			uint64_t list = lsda->types + ~(uint64_t)filter;
			struct eh_cursor numbers = {image_bytes_at(image, (struct vaddr){list}), list, NULL};
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
