/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/yaml.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/emit.h"
#include "src/base/sort.h"
#include "src/code/blocks.h"
#include "src/profile/yaml_text.h"

/* ---- pseudo-probes: docs/conversion.md, "Pseudo-probes" ---- */

/*
 * The numbers by which a YAML profile names GUIDs and hashes of functions: the most frequent first,
 * of equally frequent ones the larger first.  GUIDs are counted in the trees of functions that the
 * samples touched, hashes in .pseudo_probe_desc.
 */
struct counted_number {
	uint64_t value;
	uint64_t count;
};
DEFINE_VEC(counted_number_vec, struct counted_number);

struct value_number {
	uint64_t value;
	uint32_t number;
};
DEFINE_VEC(value_number_vec, struct value_number);

struct probe_numbers {
	struct counted_number_vec guids;  /* by number */
	struct counted_number_vec hashes; /* by number */
	struct value_number_vec of_guid;  /* by GUID */
	struct value_number_vec of_hash;  /* by hash */
};

/* A call probe of the present block. */
struct call_probe {
	uint32_t offset, index, node;
	size_t order; /* of two at one offset the last one counts */
	bool indirect, used;
};
DEFINE_VEC(call_probe_vec, struct call_probe);

/* Block probes of one node in the present block: so many indices from there on. */
struct probe_list {
	uint32_t node;
	const uint32_t *at;
	size_t count;
};
DEFINE_VEC(probe_list_vec, struct probe_list);
DEFINE_VEC(probe_index_vec, uint32_t);

struct yaml_probes {
	const struct probe_source *source; /* NULL: none are written */
	struct probe_numbers numbers;
	struct function_probes function; /* of the present function; */
	size_t next; /* the first of its probes that is in no block before the present one */
	struct call_probe_vec calls;   /* of the present block, by offset */
	struct block_probe_vec sorted; /* what follows is of the present block, too */
	struct probe_index_vec indices;
	struct probe_list_vec lists;
};

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

/* The number of the hash of a GUID's function. */
static uint32_t probe_hash_number(const struct probe_numbers *numbers,
				  const struct placed_probes *placed, uint64_t guid)
{
	return number_of(&numbers->of_hash, probe_function_find(&placed->section, guid)->hash);
}

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

/* source: NULL, or without probes: nothing is written.  touched: functions of the profile's binary
 * that a sample touched.  This and the next two steps return false when out of memory. */
static bool yaml_probes_open(const struct probe_source *source, const struct profile *profile,
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

static void yaml_probes_close(struct yaml_probes *probes)
{
	probe_numbers_free(&probes->numbers);
	function_probes_free(&probes->function);
	call_probe_vec_free(&probes->calls);
	block_probe_vec_free(&probes->sorted);
	probe_index_vec_free(&probes->indices);
	probe_list_vec_free(&probes->lists);
}

static bool yaml_probes_function(struct yaml_probes *p, const struct function *function,
				 const struct input_function *blocks,
				 const struct block_source *parts)
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

/* Block probes by node, each node's by index; one node's are in a list. */
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

/* Blocks of a function come in their order, not all of them. */
static bool yaml_probes_block(struct yaml_probes *p, uint32_t block)
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

/* What shows a call its probe, within its braces. */
static void yaml_probes_call(struct yaml_probes *p, struct emit *out, uint32_t offset)
{
	size_t below = calls_below(p->calls.at, p->calls.len, offset);

	if (below == p->calls.len || p->calls.at[below].offset != offset)
		return;
	p->calls.at[below].used = true;
	write_call_probe(out, &p->calls.at[below]);
}

/* Writes the call probes of the block that belong to no call which was written, as calls without a
 * count.  Returns whether there was one.  first: no call was written before. */
static bool yaml_probes_uncalled(struct yaml_probes *p, struct emit *out, bool first)
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

/* A key of a mapping, with `, ` before all but the first. */
static void write_key(struct emit *out, const char *key, bool *any)
{
	emit_string(out, *any ? ", " : " ");
	emit_string(out, key);
	*any = true;
}

static void write_number(struct emit *out, const char *key, uint64_t number, bool *any)
{
	write_key(out, key, any);
	emit_dec(out, number);
}

/* Equal lists are one group, and what every reader assumes is left out: index 1, node 0. */
static void write_group(struct emit *out, const struct probe_list *lists, size_t count)
{
	bool any = false;

	emit_string(out, "{");
	if (lists->count != 1 || lists->at[0] != 1) {
		write_key(out, "blk: [", &any);
		for (size_t i = 0; i < lists->count; i++) {
			emit_string(out, i ? ", " : " ");
			emit_dec(out, lists->at[i]);
		}
		emit_string(out, " ]");
	}
	if (count != 1 || lists->node) {
		write_key(out, "ids: [", &any);
		for (size_t i = 0; i < count; i++) {
			emit_string(out, i ? ", " : " ");
			emit_dec(out, lists[i].node);
		}
		emit_string(out, " ]");
	}
	emit_string(out, any ? " }" : "  }");
}

static void yaml_probes_write_block(struct yaml_probes *p, struct emit *out)
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

static void yaml_probes_write_tree(const struct yaml_probes *p, struct emit *out)
{
	uint32_t last_guid = 0, last_parent = 0;

	for (size_t i = 0; p->source && i < p->function.tree.len; i++) {
		const struct tree_node *node = &p->function.tree.at[i];
		uint32_t guid = number_of(&p->numbers.of_guid, node->guid);
		bool any = false;
		emit_string(out, i ? ", {" : "\n    inline_tree:     [ {");
		if (guid != last_guid)
			write_number(out, "g: ", guid, &any);
		if (node->parent != last_parent)
			write_number(out, "p: ", node->parent - last_parent, &any);
		if (node->site)
			write_number(out, "cs: ", node->site, &any);
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

static void yaml_probes_write_end(const struct yaml_probes *p, struct emit *out)
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

/* ---- functions ---- */

struct writer {
	const struct profile *profile;
	struct emit out;
	struct block_source blocks;
	struct entry_vec entries;
	struct input_function function; /* the present one */
	bool *reached; /* per block of it: a branch within the function leads there; room for room
			*/
	size_t room;
	struct yaml_probes probes;
	bool leave_out_unsited, reached_of_bat, external;
	struct yaml_report *report;
};

/* Functions are numbered as they are in the binary; 0 is for unknown ones. */
static uint64_t function_id(const struct writer *w, const struct function *function)
{
	return (uint64_t)(function - w->profile->binary->functions.at) + 1;
}

/* false: out of memory */
static bool write_header(struct emit *out, const struct profile *profile,
			 const struct yaml_header *header)
{
	const struct yaml_head head = {
		.binary_name = header->binary_name,
		.id = &profile->binary->image.build_id,
		.plain = profile->basic,
		.origin = profile->of_input ? PROFILE_ORIGIN "; " PROFILE_INFERRED : PROFILE_ORIGIN,
		.events = header->events,
		.event_count = profile->basic ? header->event_count : 0,
		.hash_func = "xxh3"};

	if (!yaml_write_head(&head, out))
		return false;
	yaml_write_begin(out);
	return true;
}

static void write_call(struct writer *w, const struct record *record, uint32_t block_offset)
{
	struct yaml_call call = {.off = record->from.offset - block_offset,
				 .cnt = record->count,
				 .mis = record->mispredicted};

	if (record->to.function) {
		call.fid = function_id(w, record->to.function);
		call.disc = blocks_entry_id(&w->blocks, record->to);
	}
	yaml_write_call(&call, &w->out);
	yaml_probes_call(&w->probes, &w->out, record->from.offset - block_offset);
	yaml_end_row(&w->out);
}

static void write_successor(struct writer *w, const struct record *record)
{
	const struct yaml_successor successor = {
		.bid = blocks_find(&w->function, record->to.offset)->index,
		.cnt = record->count,
		.mis = record->mispredicted};

	yaml_write_successor(&successor, &w->out);
	yaml_end_row(&w->out);
}

/* A jump to the function's own beginning is a loop, not recursion. */
static bool is_internal(const struct writer *w, const struct record *record)
{
	if (record_is_internal(record))
		return true;
	const struct input_block *block = blocks_find(&w->function, record->from.offset);
	return record->to.function == record->from.function && block->jump == record->from.offset;
}

/* For a call's count what comes from locations where the input has a call.  Where it has none at
 * all, llvm-bolt drops the whole function. */
static uint64_t sited_count(const struct writer *w, const struct record *record)
{
	return w->leave_out_unsited ? record->count - record->unsited : record->count;
}

/* A branch to before the first block, or to a block of BOLT's own, has no successor to name. */
static bool is_listed(const struct writer *w, const struct record *record, bool internal)
{
	if (record->kind != RECORD_BRANCH || is_internal(w, record) != internal)
		return false;
	if (!internal && !sited_count(w, record))
		return false;
	const struct input_block *to =
		internal ? blocks_find(&w->function, record->to.offset) : NULL;
	return !internal || (to && (to->offset == record->to.offset ||
				    !made_blocks_have(&w->blocks.made, record->to)));
}

/* Calls of a block that sited_count() leaves out. */
static uint64_t unsited_in(const struct writer *w, size_t from, size_t to)
{
	uint64_t count = 0;

	for (size_t i = from; w->leave_out_unsited && i < to; i++) {
		struct record record = profile_record(w->profile, i);
		if (record.kind == RECORD_BRANCH && !is_internal(w, &record))
			count += record.unsited;
	}
	return count;
}

/* Internal branches of a block that is_listed() leaves out. */
static uint64_t unnamed_in(const struct writer *w, size_t from, size_t to)
{
	uint64_t count = 0;

	for (size_t i = from; !w->profile->basic && i < to; i++) {
		struct record record = profile_record(w->profile, i);
		if (record.kind == RECORD_BRANCH && is_internal(w, &record) &&
		    !is_listed(w, &record, true))
			count += record.count;
	}
	return count;
}

/* Records [from, to) that are internal branches, or those that are not. */
static void write_list(struct writer *w, size_t from, size_t to, bool internal,
		       uint32_t block_offset)
{
	enum yaml_list list = internal ? YAML_SUCCESSORS : YAML_CALLS;
	size_t written = 0;

	for (size_t i = from; i < to; i++) {
		struct record record = profile_record(w->profile, i);
		if (!is_listed(w, &record, internal))
			continue;
		yaml_begin_row(list, !written++, &w->out);
		if (internal) {
			write_successor(w, &record);
			continue;
		}
		record.count = sited_count(w, &record);
		if (record.mispredicted > record.count)
			record.mispredicted = record.count;
		write_call(w, &record, block_offset);
	}
	if (!internal && yaml_probes_uncalled(&w->probes, &w->out, !written))
		written++;
	if (written)
		yaml_end_list(&w->out);
}

static uint64_t samples_in(const struct profile *profile, size_t from, size_t to)
{
	uint64_t count = 0;

	for (size_t i = from; profile->basic && i < to; i++)
		count = count_add_saturating(count, profile_record(profile, i).count);
	return count;
}

/* The counts of a block: its records [from, to), and the entries at its beginning. */
static void write_block(struct writer *w, const struct input_block *block, size_t from, size_t to,
			uint64_t entered, bool first)
{
	const struct yaml_block lines = {.bid = block->index,
					 .insns = block->insns,
					 .hash = block->hash,
					 .exec = entered,
					 .events = samples_in(w->profile, from, to)};

	yaml_write_block(&lines, first, &w->out);
	write_list(w, from, to, false, block->offset);
	write_list(w, from, to, true, block->offset);
	yaml_probes_write_block(&w->probes, &w->out);
	w->report->unnamed += unnamed_in(w, from, to);
	w->report->unsited += unsited_in(w, from, to);
}

/* Records and entries of one function, both by offset. */
struct function_records {
	size_t record, record_end;
	const struct entry *entry, *entry_end;
};

static void lose_before(struct writer *w, struct function_records *share, uint32_t offset)
{
	for (; share->record < share->record_end; share->record++) {
		struct record record = profile_record(w->profile, share->record);
		if (record.kind == RECORD_ENTRY || record.from.offset >= offset)
			return;
		w->report->lost += record.count;
	}
}

static bool make_room(struct writer *w, size_t blocks)
{
	if (blocks <= w->room)
		return true;
	bool *larger = realloc(w->reached, 2 * blocks);
	if (!larger)
		return false;
	w->reached = larger;
	w->room = 2 * blocks;
	return true;
}

/* Notes which blocks a branch within the function leads to.  They are written without a count of
 * their own, too: llvm-bolt gives a jump its count in a changed function only if it finds both
 * blocks again.  Returns false when out of memory. */
static bool find_reached(struct writer *w, const struct function_records *share)
{
	const struct input_block_vec *blocks = &w->function.blocks;

	if (!make_room(w, blocks->len))
		return false;
	for (size_t i = 0; i < blocks->len; i++)
		w->reached[i] = blocks->at[i].entry && !w->profile->basic;
	if (w->profile->basic || !(w->function.has_code || w->reached_of_bat))
		return true;
	for (size_t i = share->record; i < share->record_end; i++) {
		struct record record = profile_record(w->profile, i);
		const struct input_block *from = blocks_find(&w->function, record.from.offset);
		if (record.count && record.kind == RECORD_BRANCH && from &&
		    is_listed(w, &record, true))
			w->reached[blocks_find(&w->function, record.to.offset) - blocks->at] = true;
	}
	return true;
}

/* Returns false when out of memory. */
static bool write_blocks(struct writer *w, struct function_records share)
{
	const struct input_block_vec *blocks = &w->function.blocks;
	bool any = false;

	if (!find_reached(w, &share))
		return false;
	lose_before(w, &share, blocks->len ? blocks->at[0].offset : UINT32_MAX);
	for (size_t i = 0; i < blocks->len; i++) {
		uint64_t end = i + 1 < blocks->len ? blocks->at[i + 1].offset : UINT64_MAX;
		size_t first = share.record;
		uint64_t entered = 0;
		while (share.record < share.record_end &&
		       profile_record(w->profile, share.record).from.offset < end)
			share.record++;
		for (; share.entry < share.entry_end && share.entry->offset < end; share.entry++)
			if (share.entry->offset == blocks->at[i].offset && blocks->at[i].entered)
				entered = share.entry->count;
		if (share.record == first && !entered && !w->reached[i])
			continue;
		if (!yaml_probes_block(&w->probes, (uint32_t)i))
			return false;
		write_block(w, &blocks->at[i], first, share.record, entered, !any);
		any = true;
	}
	return true;
}

/* Only entries at a function's first byte count as its executions.  Returns false when out of
 * memory. */
static bool write_function(struct writer *w, const struct function *function,
			   struct function_records share)
{
	const struct entry *first = share.entry;
	bool executed = first < share.entry_end && !first->offset;
	const struct yaml_function lines = {.fid = function_id(w, function),
					    .hash = w->function.hash,
					    .exec = executed ? first->count : 0,
					    .external =
						    executed && w->external ? first->external : 0,
					    .nblocks = w->function.block_count};

	yaml_write_function(function->printed, &lines, &w->out);
	if (!write_blocks(w, share))
		return false;
	yaml_probes_write_tree(&w->probes, &w->out);
	return true;
}

static bool has_count(const struct function_records *share)
{
	return share->record < share->record_end || share->entry < share->entry_end;
}

static uint64_t count_of(const struct writer *w, const struct function_records *share)
{
	uint64_t count = 0;

	for (size_t i = share->record; i < share->record_end; i++)
		count = count_add_saturating(count, profile_record(w->profile, i).count);
	return count;
}

/* PLT entries need no hash: they have no blocks in llvm-bolt either. */
static void count_function(struct writer *w, const struct function *function,
			   const struct function_records *share)
{
	struct yaml_report *report = w->report;
	uint64_t count = count_of(w, share);

	report->functions++;
	report->count = count_add_saturating(report->count, count);
	if (w->function.hashed || function->kind == FUNCTION_PLT)
		return;
	report->unhashed_count = count_add_saturating(report->unhashed_count, count);
	w->report->unhashed++;
	w->report->blockless += !w->function.blocks.len;
}

/* Functions in the profile's order; *record: the first of the function's. */
static bool write_next(struct writer *w, size_t owner, size_t *record)
{
	const struct profile *profile = w->profile;
	uint32_t index = profile->by_name[owner].v;
	const struct function *function = &profile->binary->functions.at[index];
	struct function_records share = {.record = *record};
	size_t entries = entries_of(&w->entries, index, &share.entry);

	share.entry_end = share.entry + entries;
	while (*record < profile->record_count && profile_owner(profile, *record) == owner)
		++*record;
	share.record_end = *record;
	while (share.record_end > share.record &&
	       profile_record(profile, share.record_end - 1).kind == RECORD_ENTRY)
		share.record_end--; /* they are among the entries */
	if (!has_count(&share))
		return true;
	if (!blocks_of(&w->blocks, function, &w->function) ||
	    !yaml_probes_function(&w->probes, function, &w->function, &w->blocks))
		return false;
	count_function(w, function, &share);
	return write_function(w, function, share);
}

static bool write_functions(struct writer *w)
{
	size_t record = 0;

	if (!entries_collect(w->profile, &w->entries))
		return false;
	for (size_t owner = 0; owner < w->profile->function_count; owner++)
		if (!write_next(w, owner, &record))
			return false;
	if (!w->report->functions)
		emit_string(&w->out, "\n  []");
	yaml_probes_write_end(&w->probes, &w->out);
	yaml_write_end(&w->out);
	emit_flush(&w->out);
	return true;
}

bool yaml_write(const struct profile *profile, const struct yaml_header *header, FILE *file,
		struct yaml_report *report, struct bc_error *err)
{
	struct writer w = {.profile = profile,
			   .leave_out_unsited = header->leave_out_unsited,
			   .external = header->external,
			   .reached_of_bat = header->reached,
			   .report = report};

	*report = (struct yaml_report){0};
	emit_init(&w.out, file);
	if (!blocks_open(profile->binary, header->hashes, header->graphs, &w.blocks, err))
		return err->code == BC_FORMAT && bc_fail_prefix(err, header->binary_name);
	bool ok = yaml_probes_open(header->probes, profile, header->touched, &w.probes) &&
		  write_header(&w.out, profile, header) && write_functions(&w);
	yaml_probes_close(&w.probes);
	blocks_close(&w.blocks);
	entry_vec_free(&w.entries);
	input_block_vec_free(&w.function.blocks);
	free(w.reached);
	return ok || bc_fail_nomem(err);
}
