/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/placed.h"

#include <stdlib.h>

#include "src/base/sort.h"
#include "src/elf/binary.h"

#define DESC_SECTION ".pseudo_probe_desc"
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

bool placed_probes_are_in(const struct image *image)
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
		ok = all->at[i].absolute || symbol_base_vec_push(&by_guid, (struct symbol_base){all->at[i].guid, i});
	}
	if (ok)
		sort_bases(by_guid.at, by_guid.len);
	for (size_t i = 0, next; ok && i < by_guid.len; i = next) {
		for (next = i + 1; next < by_guid.len && by_guid.at[next].guid == by_guid.at[i].guid;)
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

	return o->binary ? binary_owner(o->binary, binary_place(o->binary, at, NULL)) : functions_find(o->functions, at);
}

/* The function of a record without probes: all its blocks were taken out. */
static uint32_t function_named(const struct opening *o, uint64_t guid)
{
	size_t end, first = guid_names_of(&o->out->names, guid, &end);

	return first < end && !o->out->names.at[first].shortened ? o->out->names.at[first].function : NO_FUNCTION;
}

/* Of a function without a name in .pseudo_probe_desc, such as the part foo.cleanup of a coroutine foo, the first record is taken. */
static bool is_of(const struct opening *o, uint32_t function, uint64_t guid)
{
	return o->guid_of[function] ? o->guid_of[function] == guid : o->out->record_of[function] == NO_PROBE_NODE;
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
		if (next < o->out->at.len && section->probes.at[o->out->at.at[next].number].node < end) {
			const struct function *owner = owner_of(o, o->out->at.at[next].vaddr);
			function = owner ? (uint32_t)(owner - o->functions->at) : NO_FUNCTION;
		} else {
			function = function_named(o, guid);
		}
		if (function != NO_FUNCTION && is_of(o, function, guid))
			o->out->record_of[function] = (uint32_t)root;
		while (next < o->out->at.len && section->probes.at[o->out->at.at[next].number].node < end)
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
			const struct binary *binary, struct placed_probes *out, struct bc_error *err)
{
	struct opening o = {image, code_window(image), functions, binary, out, NULL, NULL, NULL};

	*out = (struct placed_probes){0};
	if (!probe_section_parse(bytes_of(image, DESC_SECTION), bytes_of(image, PROBE_SECTION), &out->section, err))
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
DEFINE_SEARCH(nodes_up_to, struct probe_node, uint32_t, item->root <= key)

size_t placed_probes_in(const struct placed_probes *probes, uint64_t from, uint64_t size, size_t *end)
{
	*end = placed_below(probes->at.at, probes->at.len, from + size);
	return placed_below(probes->at.at, probes->at.len, from);
}

size_t placed_record_end(const struct placed_probes *probes, uint32_t root)
{
	return nodes_up_to(probes->section.nodes.at, probes->section.nodes.len, root);
}
