/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/restore.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/attr.h"
#include "src/flow/restore_pass.h"

/* ---- copies of blocks ---- */

/*
 * A copy of a block: with -tail-duplication llvm-bolt puts it where a jump led to the block, after
 * the one that jumped.  The table has no entry of its own for the copy.  What shows it is a branch
 * in it, which has the offset that it has in the copied block, or a return, if the block in front
 * continues in the input.  Each execution of the block in front went on to the copied one.
 */

/* Finds the copies in a fragment by their branches, and where the code of each block is. */
static void find_copies_in(struct pass *pass, uint32_t number)
{
	const struct code *code = pass->code;
	const struct binary *binary = pass->binary;
	const struct bat_fragment *fragment = &binary->bat.fragments[number];
	const struct out_function *function =
		out_function_of(pass->how->out_functions, binary_fragment_function(binary, number));
	struct copy *begun = NULL;
	uint32_t block = NO_BLOCK;

	for (uint32_t i = fragment->first_entry; i < fragment->first_entry + fragment->entry_count;
	     i++) {
		struct bat_entry entry = binary->bat.entries[i];
		if (!bat_entry_is_branch(entry)) {
			block = code_block_from(code, bat_entry_input(entry));
			if (begun)
				begun->end = entry.output;
			begun = block == NO_BLOCK ? NULL : &pass->copies[block];
			if (begun) {
				begun->function = function;
				begun->begin = entry.output;
			}
			continue;
		}
		uint32_t other = code_block_at(code, bat_entry_input(entry));
		if (block == NO_BLOCK || other == block)
			continue;
		bool goes = other != NO_BLOCK && code_only_successor(code, block) == other;
		if (goes)
			pass->copies[block].of = other;
		block = goes ? other : NO_BLOCK;
	}
	if (begun)
		begun->end = binary_fragment_size(binary, number);
}

static bool copies_find(struct pass *pass)
{
	size_t blocks = pass->code->count;
	uint32_t hot = pass->binary->fragment_of[pass->function - pass->binary->functions.at];

	free(pass->copies);
	pass->copies = calloc(blocks + 1, sizeof(*pass->copies));
	if (!pass->copies)
		return false;
	for (size_t i = 0; i < blocks; i++)
		pass->copies[i].of = NO_BLOCK;
	if (!blocks || hot == NO_FRAGMENT)
		return true;
	find_copies_in(pass, hot);
	for (uint32_t i = pass->fragments.first[hot]; i < pass->fragments.first[hot + 1]; i++)
		if (pass->fragments.at[i] != hot)
			find_copies_in(pass, pass->fragments.at[i]);
	return true;
}

static uint32_t copies_source(const struct pass *pass, uint32_t from, uint32_t to)
{
	for (uint32_t steps = 0; steps < WAY_MOST && pass->copies[from].of != NO_BLOCK; steps++) {
		from = pass->copies[from].of;
		if (code_leads(pass->code, from, to))
			return from;
	}
	return NO_BLOCK;
}

/* ---- the way of each record ---- */

static uint32_t output_index(const struct pass *pass, const struct function *output)
{
	return (uint32_t)(output - pass->binary->functions.at);
}

/* Returns the function that the input's instruction at a location names, or NO_TARGET. */
static uint32_t named_at(struct pass *pass, struct input_place place)
{
	const struct pair *pair = pass->how->pair;
	const struct function *in = pair_input_of(pair, place.function);
	struct insn insn;

	if (!in || place.offset >= in->extent)
		return NO_TARGET;
	uint64_t at = in->address + place.offset;
	struct bytes code = bytes_first(image_bytes_at(&pair->image, (struct vaddr){at}), 16);
	if (!decoder_next(pass->calls->decoder, code, at, &insn))
		return NO_TARGET;
	insn.offset = place.offset;
	return targets_beyond(pass->input, in, &insn);
}

/* Returns the function that the input's instruction names, if the record calls a body that several
 * functions share; else NULL. */
static const struct function *unfolded(struct pass *pass, const struct record *record)
{
	const struct pair *pair = pass->how->pair;

	if (record->to.offset || !record->to.function)
		return NULL;
	uint32_t body = output_index(pass, record->to.function);
	if (!pass->shared[body])
		return NULL;
	uint32_t callee = named_at(pass, record->from);
	if (callee == NO_TARGET)
		pass_count_guarded(pass, GUARD_FOLDED, record->count);
	if (callee == NO_TARGET || pair->body_of[callee] != body || pair->output_of[callee] == body)
		return NULL;
	return &pass->binary->functions.at[pair->output_of[callee]];
}

static void add_way(struct pass *pass, const struct record *record, const struct way *way)
{
	const struct code *code = pass->code;
	uint32_t from = record->from.offset;
	uint64_t mispredicted = record->mispredicted;

	for (uint32_t i = 0; i < way->count; i++) {
		pass_add_edge(pass, from, code_start(code, way->blocks[i]), record->count,
			      mispredicted);
		from = code_last(code, way->blocks[i]);
		mispredicted = 0;
	}
	pass_add_edge(pass, from, record->to.offset, record->count, mispredicted);
	pass_count(pass, RESTORE_REMOVED, record->count);
}

/* Is the function in the table?  All records of other functions are those of the input's own code.
 */
static bool has_table(const struct pass *pass)
{
	const struct binary *binary = pass->binary;

	return binary->fragment_of[pass->function - binary->functions.at] != NO_FRAGMENT;
}

/* A block of the input that leads to one of two is looked for among all blocks of a function. */
static uint32_t find_before(struct pass *pass, uint32_t one, uint32_t other)
{
	bool may = known_calls_spend(pass->calls,
				     pass->code->count +
					     pass->code->graph->code.first_next[pass->code->count]);

	return may ? code_block_before(pass->code, one, other) : NO_BLOCK;
}

/* Expresses a step out of a block that does not lead there by one from the block before, which
 * does. The steps from there to the block are as many less. */
static void take_displaced(struct pass *pass, const struct record *record, uint32_t before,
			   uint32_t source, uint32_t target)
{
	const struct code *code = pass->code;
	struct displaced *last =
		pass->displaced.len ? &pass->displaced.at[pass->displaced.len - 1] : NULL;

	pass_add_edge(pass, code->insns->at[code_jump(code, before, target)].offset,
		      record->to.offset, record->count, record->mispredicted);
	if (last && last->function == pass->function && last->before == before &&
	    last->block == source)
		last->count = count_add_saturating(last->count, record->count);
	else if (!displaced_vec_push(&pass->displaced, (struct displaced){pass->function, before,
									  source, record->count}))
		pass->out_of_memory = true;
}

/* Expresses a step that is no edge of the input by edges that are.  llvm-bolt made it
 * - past a block that is nothing but a condition, as it asked that before the one of the block in
 *   front (-three-way-branch);
 * - from a block that has no code of its own any more, as a conditional tail call or a condition
 *   is in for it at the end of the block in front.
 * What else there is would make llvm-bolt drop the profile of the whole function, and is left out:
 * so is a step to a landing pad, which an unwinder in the binary entered by a return. */
static bool take_no_edge(struct pass *pass, const struct record *record)
{
	const struct code *code = pass->code;
	uint32_t source = code_block_at(code, record->from.offset),
		 target = code_block_from(code, record->to.offset), other;

	pass_count(pass, RESTORE_EDGES, record->count);
	if (source == NO_BLOCK || target == NO_BLOCK || code->graph->blocks[target].pad)
		return true;
	if ((other = code_condition_between(code, source, target)) != NO_BLOCK) {
		pass_add_edge(pass, record->from.offset, code_start(code, other), record->count,
			      record->mispredicted);
		pass_add_edge(pass, code_last(code, other), record->to.offset, record->count, 0);
	} else if ((other = find_before(pass, source, target)) != NO_BLOCK) {
		take_displaced(pass, record, other, source, target);
	}
	return true;
}

/* Expresses a step out of a copy, which the output has as one out of the block that the copy
 * follows, by the block that was copied. */
static bool leaves_copy(struct pass *pass, const struct record *record)
{
	const struct code *code = pass->code;
	uint32_t source = code_block_at(code, record->from.offset),
		 target = code_block_from(code, record->to.offset);

	if (source == NO_BLOCK || target == NO_BLOCK)
		return false;
	uint32_t copied = copies_source(pass, source, target);
	if (copied == NO_BLOCK)
		return false;
	pass_add_edge(pass, code->insns->at[code_jump(code, copied, target)].offset,
		      record->to.offset, record->count, record->mispredicted);
	return true;
}

static void unfold(struct pass *pass, struct record *record)
{
	const struct function *callee =
		record->kind == RECORD_BRANCH ? unfolded(pass, record) : NULL;

	if (callee) {
		record->to.function = callee;
		pass_count(pass, RESTORE_FOLDED, record->count);
	}
}

/* ---- what only sums show ---- */

static void add_to_block(uint64_t *counts, uint32_t block, uint64_t count)
{
	if (block != NO_BLOCK)
		counts[block] = count_add_saturating(counts[block], count);
}

static void count_records(const struct pass *pass, struct flows *flows)
{
	for (size_t i = pass->begin; i < pass->end; i++) {
		struct record record = pass_record(pass, i);
		if (record.kind != RECORD_BRANCH)
			continue;
		uint32_t source = code_block_at(pass->code, record.from.offset);
		add_to_block(flows->out, source, record.count);
		if (!record_is_internal(&record))
			continue;
		add_to_block(flows->on, source, record.count);
		add_to_block(flows->in, code_block_from(pass->code, record.to.offset),
			     record.count);
	}
}

static void count_entries(const struct pass *pass, struct flows *flows)
{
	uint32_t function = (uint32_t)(pass->function - pass->binary->functions.at);
	const struct entry *entry;

	for (size_t left = entries_of(&pass->entries, function, &entry); left; left--, entry++)
		add_to_block(flows->in, code_block_from(pass->code, entry->offset), entry->count);
}

static void flows_free(struct flows *flows)
{
	free(flows->in);
	free(flows->out);
	free(flows->on);
	*flows = (struct flows){0};
}

static bool flows_count(const struct pass *pass, struct flows *out)
{
	size_t blocks = pass->code->count;

	*out = (struct flows){calloc(blocks, sizeof(*out->in)), calloc(blocks, sizeof(*out->out)),
			      calloc(blocks, sizeof(*out->on))};
	if (!out->in || !out->out || !out->on) {
		flows_free(out);
		return false;
	}
	count_records(pass, out);
	count_entries(pass, out);
	return true;
}

static bool returns(const struct code *code, uint32_t block)
{
	return code->insns->at[code_end(code, block) - 1].kind == INSN_RETURN;
}

/* Does the code of the output end with a return? */
static bool ends_with_return(const struct copy *copy)
{
	uint32_t insn = copy->function ? out_insn_before(copy->function, copy->end) : NO_INSN;

	while (insn != NO_INSN && insn && copy->function->insns.at[insn].nop)
		insn--;
	if (insn == NO_INSN)
		return false;
	const struct insn *last = &copy->function->insns.at[insn];
	return last->offset >= copy->begin && last->kind == INSN_RETURN;
}

/* Notes the copies of all blocks up to that which returns, if the block at hand leads to them only
 * and ends with a return in the output. */
static void find_return(struct pass *pass, uint32_t block)
{
	const struct code *code = pass->code;
	uint32_t last = block;

	for (uint32_t steps = 0; steps < WAY_MOST && last != NO_BLOCK && !returns(code, last);
	     steps++)
		last = code_only_successor(code, last);
	if (last == NO_BLOCK || last == block || !returns(code, last) ||
	    !ends_with_return(&pass->copies[block]))
		return;
	for (uint32_t next; block != last; block = next) {
		next = code_only_successor(code, block);
		pass->copies[block].of = next;
	}
}

/* Each block of a chain of copies is left for the next as often as it was entered and left for no
 * other. */
static bool copies_restore(struct pass *pass, struct flows *flows, bool *replaced)
{
	const struct code *code = pass->code;

	(void)replaced;

	for (uint32_t i = 0; i < code->count; i++) {
		if (pass->copies[i].of == NO_BLOCK && flows->in[i] > flows->on[i])
			find_return(pass, i);
		uint32_t from = i, to;
		for (uint32_t steps = 0;
		     steps < WAY_MOST && (to = pass->copies[from].of) != NO_BLOCK;
		     steps++, from = to) {
			if (flows->in[from] <= flows->on[from])
				break;
			uint64_t count = flows->in[from] - flows->on[from];
			pass_add_edge(pass, code->insns->at[code_jump(code, from, to)].offset,
				      code_start(code, to), count, 0);
			pass_count(pass, RESTORE_DUPLICATED, count);
			flows->out[from] = count_add_saturating(flows->out[from], count);
			flows->on[from] += count;
			flows->in[to] = count_add_saturating(flows->in[to], count);
		}
	}
	return true;
}

/* Adds the edge that leaves the first block, if llvm-bolt removed that: control entered it and went
 * on to the next one. */
static bool leave_first_block(struct pass *pass, struct flows *flows, bool *replaced)
{
	const struct code *code = pass->code;
	uint32_t block = 0;

	(void)replaced;
	for (uint32_t steps = 0; steps < WAY_MOST && code_removes(code, block); steps++) {
		struct successors successors = code_successors(code, block);
		if (successors.count != 1 || flows->in[block] <= flows->out[block])
			break;
		uint64_t count = flows->in[block] - flows->out[block];
		uint32_t next = successors.at[0];
		pass_add_edge(pass, code_last(code, block), code_start(code, next), count, 0);
		pass_count(pass, RESTORE_REMOVED, count);
		flows->out[block] += count;
		flows->in[next] += count;
		block = next;
	}
	return true;
}

/* Makes a step to a condition one less for each that did not go through it. */
static void take_back(struct pass *pass, struct displaced *displaced, struct flows *flows,
		      bool *replaced)
{
	const struct code *code = pass->code;

	for (size_t i = pass->begin; i < pass->end && displaced->count; i++) {
		struct record record = pass_record(pass, i);
		if (replaced[i - pass->begin] || !record_is_internal(&record) ||
		    record.to.offset != code_start(code, displaced->block) ||
		    code_block_at(code, record.from.offset) != displaced->before)
			continue;
		uint64_t less = record.count < displaced->count ? record.count : displaced->count;
		replaced[i - pass->begin] = true;
		record.count -= less;
		displaced->count -= less;
		flows->in[displaced->block] -= less;
		flows->on[displaced->before] -= less;
		flows->out[displaced->before] -= less;
		pass_add(pass, record);
	}
}

static bool take_all_back(struct pass *pass, struct flows *flows, bool *replaced)
{
	const struct displaced_vec *displaced = &pass->displaced;

	for (; pass->first_displaced < displaced->len &&
	       displaced->at[pass->first_displaced].function == pass->function;
	     pass->first_displaced++)
		take_back(pass, &displaced->at[pass->first_displaced], flows, replaced);
	return true;
}

/* ---- twins ---- */

/* Names each function whose code ran as that of another one, and that no record names: llvm-bolt
 * does not look at functions without a record, would not fold it again, and would leave it as cold
 * code that runs. */
static bool name_twins(struct pass *pass)
{
	const struct pair *pair = pass->how->pair;
	const struct function *output = pair->output->functions.at;

	for (size_t i = 0; i < pair->functions.count; i++)
		if (pair->body_of[i] != NO_FUNCTION && pair->output_of[i] != NO_FUNCTION &&
		    pass->named[pair->output_of[i]])
			pass->named[pair->body_of[i]] = true;
	for (size_t i = 0; i < pair->functions.count; i++) {
		uint32_t twin = pair->output_of[i], body = pair->body_of[i];
		if (twin == NO_FUNCTION || body == NO_FUNCTION || twin == body ||
		    !pass->named[body] || pass->named[twin])
			continue;
		pass_add(pass, (struct record){RECORD_ENTRY, {0}, {&output[twin], 0}, 1, 0, 0});
		pass_count(pass, RESTORE_UNCALLED, 1);
	}
	return true;
}

/* ---- the rules ---- */

/*
 * What each rule of --restore= does, in the order in which it is done.  A rule that is not among
 * these needs no input, or changes where the ends of a trace lie (old_place_by_rules), which is
 * decided before: flow/records.c, or when the profile is written.
 */
struct rule_pass {
	unsigned rules; /* bits: done if all of them are chosen */
	/* First pass, for each record.  A call of a body that several functions share: whom the
	 * input calls.  A step within a function that is no edge of the input, and no path through
	 * removed blocks; true: it was reported. */
	void (*call)(struct pass *pass, struct record *record);
	bool (*step)(struct pass *pass, const struct record *record);
	/* Second pass, for each function: what only the sums of its counts show.  *replaced[i]:
	 * record begin + i is not to be added any more.  False: out of memory */
	bool (*sums)(struct pass *pass, struct flows *flows, bool *replaced);
	/* When all functions are done.  False: out of memory */
	bool (*last)(struct pass *pass);
};
static const struct rule_pass rule_passes[] = {
	{RESTORE_BIT(RESTORE_FOLDED), .call = unfold},
	{RESTORE_BIT(RESTORE_DUPLICATED), .step = leaves_copy},
	{RESTORE_BIT(RESTORE_EDGES), .step = take_no_edge, .sums = take_all_back},
	{RESTORE_BIT(RESTORE_REMOVED) | RESTORE_BIT(RESTORE_ENTRIES), .sums = leave_first_block},
	{RESTORE_BIT(RESTORE_DUPLICATED), .sums = copies_restore},
	{RESTORE_BIT(RESTORE_INLINED), .sums = inlined_restore, .last = inlined_restore_nested},
	{RESTORE_BIT(RESTORE_UNCALLED), .last = name_twins},
};

/* The next one that is chosen, from one on; NULL: none is left. */
static const struct rule_pass *chosen_rule(const struct pass *pass, const struct rule_pass *rule)
{
	while (rule < rule_passes + BC_COUNT(rule_passes) &&
	       (pass->how->rules.restore & rule->rules) != rule->rules)
		rule++;
	return rule < rule_passes + BC_COUNT(rule_passes) ? rule : NULL;
}

/* Leaves a step as the output has it. */
static void leave(struct pass *pass, const struct record *record, enum restore_guard guard)
{
	pass_count_guarded(pass, guard, record->count);
	pass_add(pass, *record);
}

static void take_step(struct pass *pass, const struct record *record)
{
	for (const struct rule_pass *rule = rule_passes; (rule = chosen_rule(pass, rule)); rule++)
		if (rule->step && rule->step(pass, record))
			return;
	leave(pass, record, GUARD_NO_PATH);
}

static void take_internal(struct pass *pass, struct record *record)
{
	struct way way;

	if (!pass_does(pass, RESTORE_REMOVED)) {
		pass_add(pass, *record);
		return;
	}
	if (!pass->code->count) {
		if (has_table(pass))
			leave(pass, record, pass->code->misfits ? GUARD_OFFSETS : GUARD_NO_CFG);
		else
			pass_add(pass, *record);
		return;
	}
	record->from.offset = code_source(pass->code, record->from.offset);
	switch (code_way(pass->code, record->from.offset, record->to.offset, &way)) {
	case WAY_AS_IS: pass_add(pass, *record); break;
	case WAY_NONE: take_step(pass, record); break;
	case WAY_ANY: leave(pass, record, GUARD_ANY_TARGET); break;
	case WAY_WITHIN: pass_count(pass, RESTORE_INSERTED, record->count); break;
	case WAY_FOUND: add_way(pass, record, &way); break;
	}
}

static void take_call(struct pass *pass, struct record *record)
{
	for (const struct rule_pass *rule = rule_passes; (rule = chosen_rule(pass, rule)); rule++)
		if (rule->call)
			rule->call(pass, record);
	pass_add(pass, *record);
}

/* Walks the way of each record, one by one. */
static void take_ways(struct pass *pass)
{
	for (size_t i = pass->begin; i < pass->end; i++) {
		struct record record = pass_record(pass, i);
		(record_is_internal(&record) ? take_internal : take_call)(pass, &record);
	}
}

/* Restores what only the sum of all counts of a function shows. */
static bool take_sums(struct pass *pass)
{
	bool *replaced = calloc(pass->end - pass->begin + 1, sizeof(*replaced));
	struct flows flows = {0};
	bool ok = replaced;

	if (ok && pass->code->count) {
		ok = flows_count(pass, &flows);
		for (const struct rule_pass *rule = rule_passes;
		     ok && (rule = chosen_rule(pass, rule)); rule++)
			ok = !rule->sums || rule->sums(pass, &flows, replaced);
		flows_free(&flows);
	}
	for (size_t i = pass->begin; ok && i < pass->end; i++)
		if (!replaced[i - pass->begin])
			pass_add(pass, pass_record(pass, i));
	free(replaced);
	return ok;
}

/* ---- all functions ---- */

static bool begin_group(struct pass *pass, const struct record_group *group)
{
	pass->begin = group->begin;
	pass->end = group->end;
	pass->function = group->function;
	pass->code = pair_code(pass->how->pair, pair_input_of(pass->how->pair, pass->function));
	return copies_find(pass);
}

/* The first pass: the records of each function are replaced. */
static bool take_all_ways(struct pass *pass)
{
	struct record_vec *out = &pass->out->records;

	for (size_t i = 0; i < pass->groups.count && !pass->out_of_memory; i++) {
		struct record_group *group = &pass->groups.at[i];
		size_t first = out->len;
		if (!begin_group(pass, group))
			return false;
		take_ways(pass);
		if (out->len > first)
			out->len = first + records_unify(out->at + first, out->len - first);
		group->begin = first;
		group->end = out->len;
	}
	free(pass->groups.records);
	pass->groups.records = out->at;
	*out = (struct record_vec){0};
	return !pass->out_of_memory;
}

/* What enters a function whose code is another one's enters that: its counts are there. */
static void enter_bodies(struct pass *pass)
{
	const struct pair *pair = pass->how->pair;

	for (size_t i = 0; i < pass->entries.len; i++) {
		uint32_t input = pair->input_of[pass->entries.at[i].function];
		uint32_t body = input == NO_FUNCTION ? NO_FUNCTION : pair->body_of[input];
		if (body != NO_FUNCTION)
			pass->entries.at[i].function = body;
	}
}

static bool collect_entries(struct pass *pass)
{
	for (size_t i = 0; i < pass->groups.count; i++)
		for (size_t k = pass->groups.at[i].begin; k < pass->groups.at[i].end; k++) {
			struct record record = pass_record(pass, k);
			if (!entries_add(pass->binary, &record, &pass->entries))
				return false;
		}
	enter_bodies(pass);
	entries_sort(&pass->entries);
	return true;
}

/* The next function that has records or that is entered; *group and *entry: how many of each are
 * after it. */
static bool next_function(const struct pass *pass, size_t *group, size_t *entry,
			  struct record_group *out)
{
	const struct record_group *groups = pass->groups.at;
	const struct entry_vec *entries = &pass->entries;
	uint32_t listed = *group < pass->groups.count ?
				  output_index(pass, groups[*group].function) :
				  NO_FUNCTION;
	uint32_t entered = *entry < entries->len ? entries->at[*entry].function : NO_FUNCTION;

	if (listed == NO_FUNCTION && entered == NO_FUNCTION)
		return false;
	*out = listed <= entered ?
		       groups[(*group)++] :
		       (struct record_group){&pass->binary->functions.at[entered], 0, 0};
	while (*entry < entries->len &&
	       entries->at[*entry].function <= output_index(pass, out->function))
		++*entry;
	return true;
}

/* The second pass; it adds calls to functions that were inlined, which are others' records. */
static bool take_all_sums(struct pass *pass)
{
	struct record_group next;

	memset(pass->named, 0, functions_named(&pass->binary->functions) * sizeof(*pass->named));
	for (size_t group = 0, entry = 0;
	     !pass->out_of_memory && next_function(pass, &group, &entry, &next);)
		if (!begin_group(pass, &next) || !take_sums(pass))
			return false;
	for (const struct rule_pass *rule = rule_passes; (rule = chosen_rule(pass, rule)); rule++)
		if (rule->last && !rule->last(pass))
			return false;
	return !pass->out_of_memory;
}

/* ---- what cannot be ---- */

/* Does a record lead out of the input's code where that has no branch, call or return? */
static bool has_no_branch(const struct pair *pair, const struct record *record)
{
	const struct function *in = record->kind == RECORD_BRANCH && !record_is_internal(record) ?
					    pair_input_of(pair, record->from.function) :
					    NULL;

	if (!in || in->kind != FUNCTION_CODE)
		return false;
	struct vaddr at = {in->address + record->from.offset};
	return !insn_is_branch(
		insn_branch(pair->image.machine, image_bytes_at(&pair->image, at), at.v));
}

/* Leaves out each of these: it would report a call that the input does not have. */
static void leave_out(struct pass *pass)
{
	struct record_vec *records = &pass->out->records;
	struct ledger *branches = pass->how->branches;
	size_t left = 0;

	for (size_t i = 0; i < records->len; i++) {
		struct record record = record_unpack(&records->at[i], pass->binary, false);
		if (!has_no_branch(pass->how->pair, &record)) {
			records->at[left++] = records->at[i];
			continue;
		}
		uint64_t count = record.count < branches->kept ? record.count : branches->kept;
		branches->kept -= count;
		branches->dropped[BRANCH_DROP_NO_BRANCH] += count;
	}
	records->len = left;
}

static bool find_shared(struct pass *pass)
{
	const struct pair *pair = pass->how->pair;
	const struct function_table *output = &pair->output->functions;

	pass->shared = calloc(output->count + output->extra + 1, sizeof(*pass->shared));
	pass->named = calloc(output->count + output->extra + 1, sizeof(*pass->named));
	if (!pass->shared || !pass->named)
		return false;
	for (size_t i = 0; i < pair->functions.count; i++)
		if (pair->body_of[i] != NO_FUNCTION && pair->output_of[i] != pair->body_of[i])
			pass->shared[pair->body_of[i]] = true;
	return true;
}

static bool open_pass(struct pass *pass)
{
	const struct pair *pair = pass->how->pair;

	pass->calls = pass->how->calls;
	pass->input = pass->calls->targets;
	pass->output = pass->how->output_targets;
	pass->out = calloc(1, sizeof(*pass->out));
	return pass->out && fragments_by_function_list(&pair->output->bat, &pass->fragments) &&
	       find_shared(pass);
}

static void close_pass(struct pass *pass)
{
	if (pass->out)
		record_vec_free(&pass->out->records);
	free(pass->out);
	record_groups_free(&pass->groups);
	entry_vec_free(&pass->entries);
	fragments_by_function_free(&pass->fragments);
	free(pass->copies);
	displaced_vec_free(&pass->displaced);
	body_count_vec_free(&pass->copied_runs);
	body_count_vec_free(&pass->copied_calls);
	free(pass->shared);
	free(pass->named);
}

bool restore_records(const struct restoration *how, struct record_vec *batches, size_t batch_count,
		     struct record_vec *out, struct bc_error *err)
{
	struct pass pass = {.how = how, .binary = how->pair->output};

	bool ok =
		open_pass(&pass) &&
		record_groups_make(pass.binary, batches, batch_count, how->threads, &pass.groups) &&
		take_all_ways(&pass) && collect_entries(&pass) && take_all_sums(&pass);
	for (size_t i = 0; i < batch_count; i++)
		record_vec_free(&batches[i]);
	if (ok && how->rules.restore)
		leave_out(&pass);
	*out = ok ? pass.out->records : (struct record_vec){0};
	if (ok)
		pass.out->records = (struct record_vec){0};
	close_pass(&pass);
	return ok || bc_fail_nomem(err);
}
