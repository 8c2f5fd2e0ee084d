/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/yaml_profile.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/emit.h"
#include "src/profile/yaml_probes.h"
#include "src/code/blocks.h"
#include "src/profile/profile.h"

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

/* Functions are numbered as they stand in the binary; 0 is for unknown ones. */
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

/* Of a call's count what comes from places where the input has a call.  Where it has none at all,
 * llvm-bolt drops the whole function. */
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
