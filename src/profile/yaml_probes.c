/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/yaml_probes.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/sort.h"
#include "src/profile/yaml.h"
#include "src/profile/yaml_text.h"

/* ---- numbers ---- */

static bool value_less(const struct counted_number *a, const struct counted_number *b)
{
	return a->value < b->value;
}
DEFINE_SORT(sort_values, struct counted_number, value_less)
DEFINE_UNIFY(count_values, struct counted_number, last->value == item->value, last->count++)

static bool more_frequent(const struct counted_number *a, const struct counted_number *b)
{
	return a->count != b->count ? a->count > b->count : a->value > b->value;
}
DEFINE_SORT(sort_by_count, struct counted_number, more_frequent)

static bool value_number_less(const struct value_number *a, const struct value_number *b)
{
	return a->value < b->value;
}
DEFINE_SORT(sort_value_numbers, struct value_number, value_number_less)
DEFINE_SEARCH(values_below, struct value_number, uint64_t, item->value < key)

/* Values of count 1 each become different ones, numbered by how often they are there. */
static bool number_values(struct counted_number_vec *values, struct value_number_vec *by_value)
{
	sort_values(values->at, values->len);
	values->len = count_values(values->at, values->len);
	sort_by_count(values->at, values->len);
	for (size_t i = 0; i < values->len; i++)
		if (!value_number_vec_push(by_value,
					   (struct value_number){values->at[i].value, (uint32_t)i}))
			return false;
	sort_value_numbers(by_value->at, by_value->len);
	return true;
}

/* The GUIDs of all names of functions that are wanted, ascending.  *out is empty if none is. */
static bool list_guids(const struct placed_probes *placed, const bool *wanted,
		       struct value_number_vec *out)
{
	for (size_t i = 0; i < placed->names.len; i++) {
		const struct guid_name *name = &placed->names.at[i];
		if (wanted[name->function] &&
		    !value_number_vec_push(out, (struct value_number){name->guid, 0}))
			return false;
	}
	return true;
}

static bool has_value(const struct value_number_vec *numbers, uint64_t guid)
{
	size_t below = values_below(numbers->at, numbers->len, guid);

	return below < numbers->len && numbers->at[below].value == guid;
}

static bool count_guids(const struct placed_probes *placed, const bool *wanted,
			struct probe_numbers *out)
{
	const struct probe_node_vec *nodes = &placed->section.nodes;
	struct value_number_vec filter = {0};
	bool ok = list_guids(placed, wanted, &filter), all = !filter.len, counts = true;

	for (size_t i = 0; ok && i < nodes->len; i++) {
		if (nodes->at[i].root == i)
			counts = all || has_value(&filter, nodes->at[i].guid);
		if (counts)
			ok = counted_number_vec_push(&out->guids,
						     (struct counted_number){nodes->at[i].guid, 1});
	}
	value_number_vec_free(&filter);
	return ok && number_values(&out->guids, &out->of_guid);
}

/* wanted: per function of the probes' own table, its tree is counted; if none is, all are.  false:
 * out of memory */
static bool probe_numbers_make(const struct placed_probes *placed, const bool *wanted,
			       struct probe_numbers *out)
{
	const struct probe_function_vec *functions = &placed->section.functions;

	*out = (struct probe_numbers){0};
	for (size_t i = 0; i < functions->len; i++)
		if (!counted_number_vec_push(&out->hashes,
					     (struct counted_number){functions->at[i].hash, 1}))
			return false;
	return number_values(&out->hashes, &out->of_hash) && count_guids(placed, wanted, out);
}

static void probe_numbers_free(struct probe_numbers *numbers)
{
	counted_number_vec_free(&numbers->guids);
	counted_number_vec_free(&numbers->hashes);
	value_number_vec_free(&numbers->of_guid);
	value_number_vec_free(&numbers->of_hash);
}

static uint32_t number_of(const struct value_number_vec *numbers, uint64_t value)
{
	return numbers->at[values_below(numbers->at, numbers->len, value)].number;
}

static uint32_t probe_guid_number(const struct probe_numbers *numbers, uint64_t guid)
{
	return number_of(&numbers->of_guid, guid);
}

/* The number of the hash of a GUID's function. */
static uint32_t probe_hash_number(const struct probe_numbers *numbers,
				  const struct placed_probes *placed, uint64_t guid)
{
	return number_of(&numbers->of_hash, probe_function_find(&placed->section, guid)->hash);
}

/* ---- what is written ---- */

/* Functions of the probes' own table that a sample touched, or that the profile has. */
static bool *list_wanted(const struct probe_source *source, const struct profile *profile,
			 struct code_marks touched)
{
	const struct function_table *functions = &profile->binary->functions;
	bool *wanted = calloc(source->placed.function_count + 1, sizeof(*wanted));
	uint32_t own;

	for (uint32_t i = 0; wanted && touched.at && i < functions->count; i++)
		if (*code_marks_of(&touched, (struct code_number){i}) &&
		    (own = probe_source_function(source, &functions->at[i])) != NO_FUNCTION)
			wanted[own] = true;
	for (size_t i = 0; wanted && i < profile->function_count; i++)
		if ((own = probe_source_function(source, &functions->at[profile->by_name[i].v])) !=
		    NO_FUNCTION)
			wanted[own] = true;
	return wanted;
}

bool yaml_probes_open(const struct probe_source *source, const struct profile *profile,
		      struct code_marks touched, struct yaml_probes *out)
{
	*out = (struct yaml_probes){0};
	if (!source || !source->found)
		return true;
	out->source = source;
	bool *wanted = list_wanted(source, profile, touched);
	bool ok = wanted && probe_numbers_make(&source->placed, wanted, &out->numbers);
	free(wanted);
	return ok;
}

void yaml_probes_close(struct yaml_probes *probes)
{
	probe_numbers_free(&probes->numbers);
	function_probes_free(&probes->function);
	call_probe_vec_free(&probes->calls);
	block_probe_vec_free(&probes->sorted);
	probe_index_vec_free(&probes->indices);
	probe_list_vec_free(&probes->lists);
}

bool yaml_probes_function(struct yaml_probes *p, const struct function *function,
			  const struct input_function *blocks, const struct block_source *parts)
{
	p->next = 0;
	return !p->source || probe_source_of(p->source, function, blocks, parts, &p->function);
}

static bool call_less(const struct call_probe *a, const struct call_probe *b)
{
	return a->offset != b->offset ? a->offset < b->offset : a->order < b->order;
}
DEFINE_SORT(sort_calls, struct call_probe, call_less)
DEFINE_SEARCH(calls_below, struct call_probe, uint32_t, item->offset < key)

static bool probe_less(const struct block_probe *a, const struct block_probe *b)
{
	return a->node != b->node ? a->node < b->node : a->index < b->index;
}
DEFINE_SORT(sort_probes, struct block_probe, probe_less)

/* By their indices, then by node. */
static bool list_less(const struct probe_list *a, const struct probe_list *b)
{
	size_t shorter = a->count < b->count ? a->count : b->count;

	for (size_t i = 0; i < shorter; i++)
		if (a->at[i] != b->at[i])
			return a->at[i] < b->at[i];
	return a->count != b->count ? a->count < b->count : a->node < b->node;
}
DEFINE_SORT(sort_lists, struct probe_list, list_less)

static bool equal_lists(const struct probe_list *a, const struct probe_list *b)
{
	return a->count == b->count && !memcmp(a->at, b->at, a->count * sizeof(*a->at));
}

DEFINE_UNIFY(keep_last_calls, struct call_probe, last->offset == item->offset, *last = *item)

/* Block probes by node, each node's by index; one node's stand in a list. */
static bool list_probes(struct yaml_probes *p)
{
	sort_probes(p->sorted.at, p->sorted.len);
	for (size_t i = 0; i < p->sorted.len; i++)
		if (!probe_index_vec_push(&p->indices, p->sorted.at[i].index))
			return false;
	for (size_t i = 0, end; i < p->sorted.len; i = end) {
		for (end = i + 1;
		     end < p->sorted.len && p->sorted.at[end].node == p->sorted.at[i].node;)
			end++;
		struct probe_list list = {p->sorted.at[i].node, &p->indices.at[i], end - i};
		if (!probe_list_vec_push(&p->lists, list))
			return false;
	}
	sort_lists(p->lists.at, p->lists.len);
	return true;
}

bool yaml_probes_block(struct yaml_probes *p, uint32_t block)
{
	const struct block_probe_vec *all = &p->function.probes;

	p->calls.len = p->sorted.len = p->indices.len = p->lists.len = 0;
	while (p->next < all->len && all->at[p->next].block < block)
		p->next++;
	for (; p->next < all->len && all->at[p->next].block == block; p->next++) {
		const struct block_probe *probe = &all->at[p->next];
		struct call_probe call = {.offset = probe->offset,
					  .index = probe->index,
					  .node = probe->node,
					  .order = p->next,
					  .indirect = probe->kind == PROBE_INDIRECT_CALL};
		bool ok = probe->kind == PROBE_BLOCK ? block_probe_vec_push(&p->sorted, *probe) :
						       call_probe_vec_push(&p->calls, call);
		if (!ok)
			return false;
	}
	sort_calls(p->calls.at, p->calls.len);
	p->calls.len = keep_last_calls(p->calls.at, p->calls.len);
	return list_probes(p);
}

static void write_call_probe(struct emit *out, const struct call_probe *call)
{
	yaml_dec_field(out, ", pp: ", call->index);
	yaml_dec_field(out, ", ppn: ", call->node);
	if (call->indirect)
		emit_string(out, ", ind: true");
}

void yaml_probes_call(struct yaml_probes *p, struct emit *out, uint32_t offset)
{
	size_t below = calls_below(p->calls.at, p->calls.len, offset);

	if (below == p->calls.len || p->calls.at[below].offset != offset)
		return;
	p->calls.at[below].used = true;
	write_call_probe(out, &p->calls.at[below]);
}

bool yaml_probes_uncalled(struct yaml_probes *p, struct emit *out, bool first)
{
	bool any = false;

	for (size_t i = 0; i < p->calls.len; i++) {
		const struct call_probe *probe = &p->calls.at[i];
		if (probe->used)
			continue;
		yaml_begin_row(YAML_CALLS, first && !any, out);
		yaml_write_call(&(struct yaml_call){.off = probe->offset}, out);
		write_call_probe(out, probe);
		yaml_end_row(out);
		any = true;
	}
	return any;
}

/* `, ` before all items but the first. */
static void separate(struct emit *out, bool *any)
{
	emit_string(out, *any ? ", " : " ");
	*any = true;
}

/* Equal lists are one group, and what every reader assumes is left out: index 1, node 0. */
static void write_group(struct emit *out, const struct probe_list *lists, size_t count)
{
	bool any = false;

	emit_string(out, "{");
	if (lists->count != 1 || lists->at[0] != 1) {
		separate(out, &any);
		emit_string(out, "blk: [");
		for (size_t i = 0; i < lists->count; i++) {
			emit_string(out, i ? ", " : " ");
			emit_dec(out, lists->at[i]);
		}
		emit_string(out, " ]");
	}
	if (count != 1 || lists->node) {
		separate(out, &any);
		emit_string(out, "ids: [");
		for (size_t i = 0; i < count; i++) {
			emit_string(out, i ? ", " : " ");
			emit_dec(out, lists[i].node);
		}
		emit_string(out, " ]");
	}
	emit_string(out, any ? " }" : "  }");
}

void yaml_probes_write_block(struct yaml_probes *p, struct emit *out)
{
	for (size_t i = 0, end; i < p->lists.len; i = end) {
		for (end = i + 1;
		     end < p->lists.len && equal_lists(&p->lists.at[i], &p->lists.at[end]);)
			end++;
		emit_string(out, i ? ", " : "\n        probes:          [ ");
		write_group(out, &p->lists.at[i], end - i);
	}
	if (p->lists.len)
		emit_string(out, " ]");
}

void yaml_probes_write_tree(const struct yaml_probes *p, struct emit *out)
{
	uint32_t last_guid = 0, last_parent = 0;

	for (size_t i = 0; p->source && i < p->function.tree.len; i++) {
		const struct tree_node *node = &p->function.tree.at[i];
		uint32_t guid = probe_guid_number(&p->numbers, node->guid);
		bool any = false;
		emit_string(out, i ? ", {" : "\n    inline_tree:     [ {");
		if (guid != last_guid) {
			separate(out, &any);
			emit_string(out, "g: ");
			emit_dec(out, guid);
		}
		if (node->parent != last_parent) {
			separate(out, &any);
			emit_string(out, "p: ");
			emit_dec(out, node->parent - last_parent);
		}
		if (node->site) {
			separate(out, &any);
			emit_string(out, "cs: ");
			emit_dec(out, node->site);
		}
		emit_string(out, any ? " }" : "  }");
		last_guid = guid;
		last_parent = node->parent;
	}
	if (p->source && p->function.tree.len)
		emit_string(out, " ]");
}

static void write_values(struct emit *out, const char *key, const struct counted_number_vec *values)
{
	for (size_t i = 0; i < values->len; i++) {
		emit_string(out, i ? ", " : key);
		yaml_hex(out, values->at[i].value);
	}
	if (values->len)
		emit_string(out, " ]");
}

void yaml_probes_write_end(const struct yaml_probes *p, struct emit *out)
{
	const struct probe_numbers *numbers = &p->numbers;

	if (!p->source || !(numbers->guids.len || numbers->hashes.len))
		return;
	emit_string(out, "\npseudo_probe_desc:");
	write_values(out, "\n  gs:              [ ", &numbers->guids);
	for (size_t i = 0; i < numbers->guids.len; i++) {
		emit_string(out, i ? ", " : "\n  gh:              [ ");
		emit_dec(out, probe_hash_number(numbers, &p->source->placed,
						numbers->guids.at[i].value));
	}
	if (numbers->guids.len)
		emit_string(out, " ]");
	write_values(out, "\n  hs:              [ ", &numbers->hashes);
}
