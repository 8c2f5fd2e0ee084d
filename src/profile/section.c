/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/section.h"

#include <inttypes.h>

#include "src/base/bytes.h"
#include "src/base/sort.h"

enum { HAS_SENTINEL = 2, HAS_DISCRIMINATOR = 4 }; /* attributes */
#define NODE_LEAST ((size_t)10) /* bytes: GUID and two counts */
#define PROBE_LEAST ((size_t)3) /* index, kind, difference */

/* A node of which not all children were read. */
struct open_node {
	uint32_t node;
	uint64_t children; /* that follow */
};
DEFINE_VEC(open_node_vec, struct open_node);

struct parser {
	struct leb_reader in;
	struct probe_section *out;
	struct open_node_vec open; /* the way down to the present node */
	uint64_t base_guid;        /* for the next probe that is a difference */
	uint32_t base;             /* its base, or NO_BASE if none was made yet */
	uint64_t address;          /* of the last probe, from its base on */
	bool absolute;             /* an address was told: bases of records no longer count */
	bool no_memory;
};
#define NO_BASE UINT32_MAX

/* The next so many bytes; NULL: there are not so many. */
static const uint8_t *take_field(struct leb_reader *in, size_t size)
{
	if ((size_t)(in->end - in->at) < size)
		leb_fail(in, "the section ends in a field");
	return in->wrong ? NULL : leb_bytes(in, size).data;
}

static uint64_t take_u64(struct leb_reader *in)
{
	const uint8_t *field = take_field(in, 8);

	return field ? le64(field) : 0;
}

static uint8_t take_u8(struct leb_reader *in)
{
	const uint8_t *field = take_field(in, 1);

	return field ? *field : 0;
}

static uint64_t take_difference(struct leb_reader *in)
{
	uint64_t value = 0;

	if (!in->wrong && leb128_read(&in->at, in->end, true, &value) != LEB128_READ)
		leb_fail(in, "a difference that is cut off or has more than 64 bits");
	return value;
}

/* The number of the base of what follows, which is made when its first probe comes. */
static uint32_t present_base(struct parser *p)
{
	if (p->base == NO_BASE) {
		p->base = (uint32_t)p->out->bases.len;
		p->no_memory |= !probe_base_vec_push(&p->out->bases, (struct probe_base){p->base_guid, p->absolute});
	}
	return p->base;
}

static void begin_base(struct parser *p, uint64_t guid)
{
	p->base_guid = guid;
	p->base = NO_BASE;
	p->address = 0;
}

/* The address of a probe; of a sentinel, which is none, the base of those that follow. */
static void take_address(struct parser *p, uint8_t kind, unsigned attributes)
{
	if (kind & 0x80) {
		p->address += take_difference(&p->in);
		return;
	}
	uint64_t number = take_u64(&p->in);
	if (attributes & HAS_SENTINEL) {
		begin_base(p, number);
		return;
	}
	if (!p->absolute) {
		p->absolute = true;
		begin_base(p, 0);
	}
	p->address = number;
}

static void take_probe(struct parser *p, uint32_t node)
{
	uint64_t index = leb_u_below(&p->in, UINT32_MAX);
	uint8_t kind = take_u8(&p->in);
	unsigned attributes = kind >> 4 & 7;

	take_address(p, kind, attributes);
	if (attributes & HAS_DISCRIMINATOR)
		(void)leb_u_below(&p->in, UINT32_MAX);
	if ((kind & 15) > PROBE_DIRECT_CALL)
		leb_fail(&p->in, "a probe of an unknown kind");
	if (p->in.wrong || attributes & HAS_SENTINEL)
		return;
	struct probe probe = {p->address, present_base(p), node, (uint32_t)index, (enum probe_kind)(kind & 15)};
	p->no_memory |= !probe_vec_push(&p->out->probes, probe);
}

static void take_node(struct parser *p)
{
	struct open_node *parent = p->open.len ? &p->open.at[p->open.len - 1] : NULL;
	uint32_t number = (uint32_t)p->out->nodes.len;
	struct probe_node node = {.root = number, .parent = NO_PROBE_NODE};

	if (parent) {
		parent->children--;
		node.root = p->out->nodes.at[parent->node].root;
		node.parent = parent->node;
		node.site = (uint32_t)leb_u_below(&p->in, UINT32_MAX);
	}
	node.guid = take_u64(&p->in);
	uint64_t probes = leb_count(&p->in, PROBE_LEAST);
	uint64_t children = leb_count(&p->in, NODE_LEAST + 1);
	if (!p->in.wrong && !probe_function_find(p->out, node.guid))
		leb_fail(&p->in, "a function that .pseudo_probe_desc does not list");
	p->no_memory |= number == NO_PROBE_NODE || !probe_node_vec_push(&p->out->nodes, node);
	if (!parent && !p->absolute)
		begin_base(p, node.guid);
	for (uint64_t i = 0; i < probes && !p->in.wrong && !p->no_memory; i++)
		take_probe(p, number);
	p->no_memory |= children && !open_node_vec_push(&p->open, (struct open_node){number, children});
}

static bool fail_at(const struct parser *p, const char *section, struct bc_error *err)
{
	if (p->no_memory)
		return bc_fail_nomem(err);
	return bc_fail(err, BC_FORMAT, "%s, byte %zu: %s", section, (size_t)(p->in.at - p->in.begin), p->in.wrong);
}

static struct leb_reader reader_of(struct bytes bytes)
{
	return bytes.size ? (struct leb_reader){bytes.data, bytes.data, bytes.data + bytes.size, NULL}
			  : (struct leb_reader){0};
}

static bool parse_probes(struct bytes bytes, struct probe_section *out, struct bc_error *err)
{
	struct parser p = {.in = reader_of(bytes), .out = out, .base = NO_BASE};

	while (!p.in.wrong && !p.no_memory && (p.in.at < p.in.end || p.open.len)) {
		if (p.open.len && !p.open.at[p.open.len - 1].children)
			p.open.len--;
		else
			take_node(&p);
	}
	open_node_vec_free(&p.open);
	return !(p.in.wrong || p.no_memory) || fail_at(&p, ".pseudo_probe", err);
}

static bool function_less(const struct probe_function *a, const struct probe_function *b)
{
	return a->guid != b->guid ? a->guid < b->guid : a->hash < b->hash;
}
DEFINE_SORT(sort_functions, struct probe_function, function_less)
DEFINE_SEARCH(functions_below, struct probe_function, uint64_t, item->guid < key)

static bool parse_functions(struct bytes bytes, struct probe_section *out, struct bc_error *err)
{
	struct parser p = {.in = reader_of(bytes)};

	while (p.in.at < p.in.end && !p.in.wrong && !p.no_memory) {
		struct probe_function function = {take_u64(&p.in), 0};
		function.hash = take_u64(&p.in);
		(void)leb_bytes(&p.in, leb_u(&p.in));
		if (!p.in.wrong)
			p.no_memory |= !probe_function_vec_push(&out->functions, function);
	}
	sort_functions(out->functions.at, out->functions.len);
	return !(p.in.wrong || p.no_memory) || fail_at(&p, ".pseudo_probe_desc", err);
}

bool probe_section_parse(struct bytes desc, struct bytes probes, struct probe_section *out, struct bc_error *err)
{
	*out = (struct probe_section){0};
	return parse_functions(desc, out, err) && parse_probes(probes, out, err);
}

void probe_section_free(struct probe_section *section)
{
	probe_function_vec_free(&section->functions);
	probe_node_vec_free(&section->nodes);
	probe_base_vec_free(&section->bases);
	probe_vec_free(&section->probes);
}

const struct probe_function *probe_function_find(const struct probe_section *section, uint64_t guid)
{
	const struct probe_function_vec *all = &section->functions;
	size_t below = functions_below(all->at, all->len, guid);

	return below < all->len && all->at[below].guid == guid ? &all->at[below] : NULL;
}
