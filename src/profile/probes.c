/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/probes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/bytes.h"
#include "src/base/digest.h"
#include "src/base/sort.h"

enum { HAS_SENTINEL = 2, HAS_DISCRIMINATOR = 4 }; /* attributes */
#define NODE_LEAST  ((size_t)10)                  /* bytes: GUID and two counts */
#define PROBE_LEAST ((size_t)3)                   /* index, kind, difference */

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
	bool absolute;             /* an address was reported: bases of records no longer count */
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
		p->no_memory |= !probe_base_vec_push(
			&p->out->bases, (struct probe_base){p->base_guid, p->absolute});
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
	struct probe probe = {p->address, present_base(p), node, (uint32_t)index,
			      (enum probe_kind)(kind & 15)};
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
	p->no_memory |=
		children && !open_node_vec_push(&p->open, (struct open_node){number, children});
}

static bool fail_at(const struct parser *p, const char *section, struct bc_error *err)
{
	if (p->no_memory)
		return bc_fail_nomem(err);
	return bc_fail(err, BC_FORMAT, "%s, byte %zu: %s", section,
		       (size_t)(p->in.at - p->in.begin), p->in.wrong);
}

static struct leb_reader reader_of(struct bytes bytes)
{
	return bytes.size ?
		       (struct leb_reader){bytes.data, bytes.data, bytes.data + bytes.size, NULL} :
		       (struct leb_reader){0};
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

bool probe_section_parse(struct bytes desc, struct bytes probes, struct probe_section *out,
			 struct bc_error *err)
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

/* ---- functions by GUID ---- */

/* How much of a name, which ends at its first slash, is that of the function it is a part of; all
 * of it if it is none. */
static size_t shortened(struct text name)
{
	static const char *const suffixes[] = {".destroy", ".resume", ".llvm.", ".cold", ".warm"};

	for (size_t i = 0; i < BC_COUNT(suffixes); i++) {
		const char *found = strstr(name.at, suffixes[i]);
		if (found && (size_t)(found - name.at) < name.len)
			return (size_t)(found - name.at);
	}
	return name.len;
}

static bool add_name(uint32_t function, const char *symbol, struct guid_name_vec *out)
{
	struct text name = text_of(symbol);

	name = text_first(name, text_find(name, '/'));
	size_t length = shortened(name);
	if (length < name.len &&
	    !guid_name_vec_push(
		    out, (struct guid_name){md5_guid(text_first(name, length)), function, true}))
		return false;
	return guid_name_vec_push(out, (struct guid_name){md5_guid(name), function, false});
}

/* The names of all functions with code, without the numbers that BOLT gives local ones, and these
 * names up to .cold, .warm, .llvm., .destroy and .resume: in the order of symbols.  false: out of
 * memory */
static bool guid_names_list(const struct function_table *functions, struct guid_name_vec *out)
{
	const struct symbol_table *symbols = &functions->symbols;
	uint32_t function = 0;

	for (size_t i = 0; i < symbols->count; i++) {
		const struct symbol *symbol = &symbols->at[i];
		while (function < functions->count &&
		       functions->at[function].address < symbol->address)
			function++;
		if (function == functions->count)
			break;
		bool named = functions->at[function].address == symbol->address &&
			     !symbol->nameless && functions->at[function].kind == FUNCTION_CODE;
		if (named && !add_name(function, symbol->name, out))
			return false;
	}
	return true;
}

static bool name_less(const struct guid_name *a, const struct guid_name *b)
{
	if (a->guid != b->guid)
		return a->guid < b->guid;
	return a->shortened != b->shortened ? b->shortened : a->function < b->function;
}
DEFINE_SORT(sort_names, struct guid_name, name_less)
DEFINE_UNIFY(unify_names, struct guid_name, !name_less(last, item), (void)0)
DEFINE_SEARCH(names_below, struct guid_name, uint64_t, item->guid < key)
DEFINE_SEARCH(names_up_to, struct guid_name, uint64_t, item->guid <= key)

/* By GUID; of one GUID whole names first, then by address.  None is there twice. */
static void guid_names_sort(struct guid_name_vec *names)
{
	sort_names(names->at, names->len);
	names->len = unify_names(names->at, names->len);
}

/* For sorted ones those of a GUID: from the returned index up to *end. */
static size_t guid_names_of(const struct guid_name_vec *names, uint64_t guid, size_t *end)
{
	*end = names_up_to(names->at, names->len, guid);
	return names_below(names->at, names->len, guid);
}

/* ---- in the code of a binary ---- */

#define DESC_SECTION  ".pseudo_probe_desc"
#define PROBE_SECTION ".pseudo_probe"

/* A base that is the address of a symbol. */
struct symbol_base {
	uint64_t guid;
	uint32_t number;
};
DEFINE_VEC(symbol_base_vec, struct symbol_base);

struct opening {
	const struct image *image;
	uint64_t code_window;
	const struct function_table *functions;
	const struct binary *binary;
	struct placed_probes *out;
	uint64_t *guid_of; /* per function: of its name, if .pseudo_probe_desc lists that; else 0 */
	uint64_t *address; /* per base */
	bool *known;       /* per base */
};

/* Does the file have both sections? */
static bool placed_probes_are_in(const struct image *image)
{
	return image_section(image, DESC_SECTION) && image_section(image, PROBE_SECTION);
}

static bool base_less(const struct symbol_base *a, const struct symbol_base *b)
{
	return a->guid != b->guid ? a->guid < b->guid : a->number < b->number;
}
DEFINE_SORT(sort_bases, struct symbol_base, base_less)

static bool placed_less(const struct placed_probe *a, const struct placed_probe *b)
{
	return a->vaddr != b->vaddr ? a->vaddr < b->vaddr : a->number < b->number;
}
DEFINE_SORT(sort_placed, struct placed_probe, placed_less)

/* Bases of one name. */
static void place_group(struct opening *o, const struct symbol_base *bases, size_t count)
{
	const struct guid_name_vec *names = &o->out->names;
	size_t end, first = guid_names_of(names, bases->guid, &end), last = first;

	while (last < end && names->at[last].shortened == names->at[first].shortened)
		last++;
	if (last - first != count && last - first != 1)
		return;
	for (size_t i = 0; i < count; i++) {
		const struct guid_name *name = &names->at[last - first == 1 ? first : first + i];
		o->address[bases[i].number] = o->functions->at[name->function].address;
		o->known[bases[i].number] = true;
	}
}

static bool place_bases(struct opening *o)
{
	const struct probe_base_vec *all = &o->out->section.bases;
	struct symbol_base_vec by_guid = {0};
	bool ok = true;

	for (uint32_t i = 0; ok && i < all->len; i++) {
		o->known[i] = all->at[i].absolute;
		ok = all->at[i].absolute ||
		     symbol_base_vec_push(&by_guid, (struct symbol_base){all->at[i].guid, i});
	}
	if (ok)
		sort_bases(by_guid.at, by_guid.len);
	for (size_t i = 0, next; ok && i < by_guid.len; i = next) {
		for (next = i + 1;
		     next < by_guid.len && by_guid.at[next].guid == by_guid.at[i].guid;)
			next++;
		place_group(o, &by_guid.at[i], next - i);
	}
	symbol_base_vec_free(&by_guid);
	return ok;
}

/* llvm-bolt cuts the addresses of blocks to 32 bits when it writes them, but not those of calls. */
static uint64_t uncut(const struct opening *o, uint64_t vaddr)
{
	const struct segment *there = image_segment_at(o->image, (struct vaddr){vaddr});

	return there && there->executable ? vaddr : o->code_window | (uint32_t)vaddr;
}

/* Where the first code lies, in steps of 4 GiB. */
static uint64_t code_window(const struct image *image)
{
	for (size_t i = 0; i < image->segment_count; i++)
		if (image->segments[i].executable)
			return image->segments[i].vaddr & ~(uint64_t)UINT32_MAX;
	return 0;
}

static bool place_probes(struct opening *o)
{
	const struct probe_vec *all = &o->out->section.probes;

	for (size_t i = 0; i < all->len; i++) {
		const struct probe *probe = &all->at[i];
		uint64_t vaddr = o->address[probe->base] + probe->address;
		if (o->out->section.bases.at[probe->base].absolute)
			vaddr = uncut(o, vaddr);
		if (!o->known[probe->base])
			o->out->unplaced++;
		else if (!placed_probe_vec_push(&o->out->at, (struct placed_probe){vaddr, i}))
			return false;
	}
	return true;
}

/* The function that counts for a vaddr. */
static const struct function *owner_of(const struct opening *o, uint64_t vaddr)
{
	struct vaddr at = {vaddr};

	return o->binary ? binary_owner(o->binary, binary_place(o->binary, at, NULL)) :
			   functions_find(o->functions, at);
}

/* The function of a record without probes: all its blocks were taken out. */
static uint32_t function_named(const struct opening *o, uint64_t guid)
{
	size_t end, first = guid_names_of(&o->out->names, guid, &end);

	return first < end && !o->out->names.at[first].shortened ?
		       o->out->names.at[first].function :
		       NO_FUNCTION;
}

/* For a function without a name in .pseudo_probe_desc, such as the part foo.cleanup of a coroutine
 * foo, the first record is taken. */
static bool is_of(const struct opening *o, uint32_t function, uint64_t guid)
{
	return o->guid_of[function] ? o->guid_of[function] == guid :
				      o->out->record_of[function] == NO_PROBE_NODE;
}

DEFINE_SEARCH(nodes_up_to, struct probe_node, uint32_t, item->root <= key)

/* One after the last node of a record. */
static size_t placed_record_end(const struct placed_probes *probes, uint32_t root)
{
	return nodes_up_to(probes->section.nodes.at, probes->section.nodes.len, root);
}

/* `at` still is in the order of the section. */
static void find_records(struct opening *o)
{
	const struct probe_section *section = &o->out->section;
	size_t next = 0;

	for (size_t root = 0, end; root < section->nodes.len; root = end) {
		end = placed_record_end(o->out, (uint32_t)root);
		uint64_t guid = section->nodes.at[root].guid;
		uint32_t function = NO_FUNCTION;
		if (next < o->out->at.len &&
		    section->probes.at[o->out->at.at[next].number].node < end) {
			const struct function *owner = owner_of(o, o->out->at.at[next].vaddr);
			function = owner ? (uint32_t)(owner - o->functions->at) : NO_FUNCTION;
		} else {
			function = function_named(o, guid);
		}
		if (function != NO_FUNCTION && is_of(o, function, guid))
			o->out->record_of[function] = (uint32_t)root;
		while (next < o->out->at.len &&
		       section->probes.at[o->out->at.at[next].number].node < end)
			next++;
	}
}

static void find_guids(struct opening *o)
{
	for (size_t i = 0; i < o->out->names.len; i++) {
		const struct guid_name *name = &o->out->names.at[i];
		if (probe_function_find(&o->out->section, name->guid))
			o->guid_of[name->function] = name->guid;
	}
}

static bool settle(struct opening *o)
{
	struct placed_probes *out = o->out;

	out->function_count = o->functions->count;
	out->record_of = malloc((o->functions->count + 1) * sizeof(*out->record_of));
	if (!out->record_of || !guid_names_list(o->functions, &out->names))
		return false;
	for (size_t i = 0; i < o->functions->count; i++)
		out->record_of[i] = NO_PROBE_NODE;
	find_guids(o);
	guid_names_sort(&out->names);
	if (!place_bases(o) || !place_probes(o))
		return false;
	find_records(o);
	sort_placed(out->at.at, out->at.len);
	return true;
}

static struct bytes bytes_of(const struct image *image, const char *name)
{
	return image_section_bytes(image, image_section(image, name));
}

bool placed_probes_open(const struct image *image, const struct function_table *functions,
			const struct binary *binary, struct placed_probes *out,
			struct bc_error *err)
{
	struct opening o = {image, code_window(image), functions, binary, out, NULL, NULL, NULL};

	*out = (struct placed_probes){0};
	if (!probe_section_parse(bytes_of(image, DESC_SECTION), bytes_of(image, PROBE_SECTION),
				 &out->section, err))
		return false;
	o.guid_of = calloc(functions->count + 1, sizeof(*o.guid_of));
	o.address = calloc(out->section.bases.len + 1, sizeof(*o.address));
	o.known = calloc(out->section.bases.len + 1, sizeof(*o.known));
	bool ok = (o.guid_of && o.address && o.known && settle(&o)) || bc_fail_nomem(err);
	free(o.guid_of);
	free(o.address);
	free(o.known);
	return ok;
}

void placed_probes_close(struct placed_probes *probes)
{
	probe_section_free(&probes->section);
	guid_name_vec_free(&probes->names);
	placed_probe_vec_free(&probes->at);
	free(probes->record_of);
	*probes = (struct placed_probes){0};
}

DEFINE_SEARCH(placed_below, struct placed_probe, uint64_t, item->vaddr < key)

/* Those in [from, from + size): from the returned index up to *end. */
static size_t placed_probes_in(const struct placed_probes *probes, uint64_t from, uint64_t size,
			       size_t *end)
{
	*end = placed_below(probes->at.at, probes->at.len, from + size);
	return placed_below(probes->at.at, probes->at.len, from);
}

/* ---- of functions ---- */

/* A function whose probes are looked for. */
struct seeker {
	const struct probe_source *source;
	const struct input_function *blocks;
	struct function_probes *out;
	uint32_t root;
};

bool probe_source_open(const struct binary *binary, const struct pair *pair,
		       struct probe_source *out, struct bc_error *err)
{
	*out = (struct probe_source){.binary = binary};
	if (pair && placed_probes_are_in(&pair->image)) {
		out->pair = pair;
		out->found = true;
		return placed_probes_open(&pair->image, &pair->functions, NULL, &out->placed, err);
	}
	if (!placed_probes_are_in(&binary->image))
		return true;
	out->found = true;
	return placed_probes_open(&binary->image, &binary->functions, binary, &out->placed, err);
}

void probe_source_close(struct probe_source *source)
{
	placed_probes_close(&source->placed);
}

uint32_t probe_source_function(const struct probe_source *source, const struct function *function)
{
	if (source->pair)
		return source->pair->input_of[function - source->binary->functions.at];
	size_t index = (size_t)(function - source->binary->functions.at);
	return index < source->binary->functions.count ? (uint32_t)index : NO_FUNCTION;
}

/* By depth, then as in the section: that is breadth first, as the section has nodes depth first. */
static bool node_less(const struct tree_node *a, const struct tree_node *b)
{
	return a->parent != b->parent ? a->parent < b->parent : a->node < b->node;
}
DEFINE_SORT(sort_nodes, struct tree_node, node_less)

static bool make_room(struct function_probes *out, size_t nodes)
{
	if (nodes <= out->number_room)
		return true;
	uint32_t *more = realloc(out->number_of, nodes * sizeof(*more));
	if (!more)
		return false;
	out->number_of = more;
	out->number_room = nodes;
	return true;
}

/* While the nodes are sorted, `parent` is the depth of each, and so is number_of. */
static bool take_tree(const struct seeker *s)
{
	const struct placed_probes *placed = &s->source->placed;
	const struct probe_node *nodes = placed->section.nodes.at;
	size_t end = placed_record_end(placed, s->root);
	struct function_probes *out = s->out;

	if (!make_room(out, end - s->root))
		return false;
	for (size_t i = s->root; i < end; i++) {
		uint32_t depth = i == s->root ? 0 : out->number_of[nodes[i].parent - s->root] + 1;
		out->number_of[i - s->root] = depth;
		if (!tree_node_vec_push(
			    &out->tree,
			    (struct tree_node){(uint32_t)i, depth, nodes[i].site, nodes[i].guid}))
			return false;
	}
	sort_nodes(out->tree.at, out->tree.len);
	for (size_t i = 0; i < out->tree.len; i++) {
		struct tree_node *node = &out->tree.at[i];
		out->number_of[node->node - s->root] = (uint32_t)i;
		node->parent = i ? out->number_of[nodes[node->node].parent - s->root] : 0;
	}
	return true;
}

/* fragment: whose table translates; NULL: none does */
static bool take_range(const struct seeker *s, uint64_t from, uint64_t size,
		       const struct bat_fragment *fragment)
{
	const struct placed_probes *placed = &s->source->placed;
	size_t end;

	for (size_t i = placed_probes_in(placed, from, size, &end); i < end; i++) {
		const struct probe *probe = &placed->section.probes.at[placed->at.at[i].number];
		uint64_t at = placed->at.at[i].vaddr - from;
		if (placed->section.nodes.at[probe->node].root != s->root || at > UINT32_MAX)
			continue;
		uint32_t offset = fragment ? bat_translate(&s->source->binary->bat, fragment,
							   (uint32_t)at, true) :
					     (uint32_t)at;
		const struct input_block *block = blocks_find(s->blocks, offset);
		struct block_probe found = {.node = s->out->number_of[probe->node - s->root],
					    .index = probe->index,
					    .kind = probe->kind};
		if (!block)
			continue;
		found.block = (uint32_t)(block - s->blocks->blocks.at);
		found.offset = offset - block->offset;
		if (!block_probe_vec_push(&s->out->probes, found))
			return false;
	}
	return true;
}

static bool take_fragment(const struct seeker *s, uint32_t fragment)
{
	const struct function *function = binary_fragment_function(s->source->binary, fragment);

	return !function || take_range(s, function->address, function->size,
				       &s->source->binary->bat.fragments[fragment]);
}

/* The cold fragments come first, as in BOLT: of two call probes of one location the last one
 * counts.
 */
static bool take_fragments(const struct seeker *s, uint32_t hot, const struct block_source *parts)
{
	size_t count;
	const uint32_t *fragments = blocks_fragments(parts, hot, &count);

	for (size_t i = 0; i < count; i++)
		if (fragments[i] != hot && !take_fragment(s, fragments[i]))
			return false;
	return take_fragment(s, hot);
}

/* Stable: within a block the order stays. */
static bool sort_by_block(struct block_probe_vec *probes, size_t blocks)
{
	size_t *start = calloc(blocks + 1, sizeof(*start));
	struct block_probe *sorted = malloc((probes->len + 1) * sizeof(*sorted));
	bool ok = start && sorted;

	for (size_t i = 0; ok && i < probes->len; i++)
		start[probes->at[i].block + 1]++;
	for (size_t i = 1; ok && i <= blocks; i++)
		start[i] += start[i - 1];
	for (size_t i = 0; ok && i < probes->len; i++)
		sorted[start[probes->at[i].block]++] = probes->at[i];
	if (ok && probes->len)
		memcpy(probes->at, sorted, probes->len * sizeof(*sorted));
	free(start);
	free(sorted);
	return ok;
}

bool probe_source_of(const struct probe_source *source, const struct function *function,
		     const struct input_function *blocks, const struct block_source *parts,
		     struct function_probes *out)
{
	struct seeker s = {source, blocks, out, NO_PROBE_NODE};
	uint32_t own = source->found ? probe_source_function(source, function) : NO_FUNCTION;

	out->tree.len = out->probes.len = 0;
	if (own == NO_FUNCTION)
		return true;
	s.root = source->placed.record_of[own];
	if (s.root == NO_PROBE_NODE)
		return true;
	if (!take_tree(&s))
		return false;
	uint32_t hot = source->binary->fragment_of[function - source->binary->functions.at];
	const struct function *it = source->pair ? &source->pair->functions.at[own] : function;
	bool ok = source->pair || hot == NO_FRAGMENT ? take_range(&s, it->address, it->size, NULL) :
						       take_fragments(&s, hot, parts);
	return ok && sort_by_block(&out->probes, blocks->blocks.len);
}

void function_probes_free(struct function_probes *probes)
{
	tree_node_vec_free(&probes->tree);
	block_probe_vec_free(&probes->probes);
	free(probes->number_of);
	*probes = (struct function_probes){0};
}
