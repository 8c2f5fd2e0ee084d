/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/piece.h"

#include <stdlib.h>

#include "src/base/search.h"

/* Decodes the code of a piece.  Where an instruction cannot be decoded the piece ends: nothing
 * behind it ran. */
static bool decode(const struct binary *binary, struct decoder *decoder, struct piece *piece)
{
	const struct function *f = piece->output;
	struct bytes code = bytes_first(image_bytes_at(&binary->image, (struct vaddr){f->address}), f->size);
	struct insn insn;

	for (uint32_t at = 0; at < code.size && code.size <= UINT32_MAX; at += insn.size) {
		if (!decoder_next(decoder, bytes_from(code, at), f->address + at, &insn))
			break;
		insn.offset = at;
		if (!insn_vec_push(&piece->insns, insn))
			return false;
	}
	return true;
}

static bool count_stops(struct piece *piece)
{
	size_t count = piece->insns.len;
	uint32_t sum = 0;

	piece->real = count_real(&piece->insns);
	piece->stops = malloc((count + 1) * sizeof(*piece->stops));
	if (!piece->real || !piece->stops)
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct insn *insn = &piece->insns.at[i];
		piece->stops[i] = sum;
		sum += insn_is_call(*insn) || (insn->kind != INSN_CONDITIONAL && !insn_goes_on(*insn));
	}
	piece->stops[count] = sum;
	return true;
}

DEFINE_SEARCH(insns_before, struct insn, uint32_t, item->offset < key)
DEFINE_SEARCH(groups_to, struct group, uint32_t, item->output <= key)

uint32_t piece_insn(const struct piece *piece, uint32_t offset)
{
	size_t i = insns_before(piece->insns.at, piece->insns.len, offset);

	return i < piece->insns.len && piece->insns.at[i].offset == offset ? (uint32_t)i : NO_INSN;
}

uint32_t piece_group(const struct piece *piece, uint32_t offset)
{
	size_t above = groups_to(piece->groups.at, piece->groups.len, offset);

	return above ? (uint32_t)above - 1 : NO_GROUP;
}

/* Is it a conditional jump that the input does not have? */
static bool is_new_jump(const struct bat_table *bat, const struct piece *piece, uint32_t insn)
{
	if (insn >= piece->insns.len || piece->insns.at[insn].kind != INSN_CONDITIONAL)
		return false;
	const struct bat_entry *entry = bat_entry_at(bat, piece->fragment, piece->insns.at[insn].offset);
	return !entry || entry->output != piece->insns.at[insn].offset || !bat_entry_is_branch(*entry);
}

/* Finds the kind of a group that llvm-bolt made, for an instruction before which it added a
 * comparison. */
static enum group_kind kind_of_made(const struct bat_table *bat, const struct piece *piece, const struct group *group)
{
	const struct insn *insn = &piece->insns.at[group->first];

	if (insn_is_call(*insn) || insn->kind == INSN_JUMP_INDIRECT)
		return GROUP_CALL;
	bool checks = is_new_jump(bat, piece, group->first) || is_new_jump(bat, piece, group->first + 1);
	return checks ? GROUP_CHECK : GROUP_AFTER;
}

/* Finds the group in the code.  False: it is not there. */
static bool place_group(const struct bat_table *bat, const struct piece *piece, struct group *group)
{
	const struct code *code = piece->code;

	group->first = piece_insn(piece, group->output);
	group->start = code_insn_at(code, group->input);
	if (group->first == NO_INSN || group->start == NO_INSN)
		return false;
	if (code_block_from(code, group->input) == NO_BLOCK)
		group->kind = kind_of_made(bat, piece, group);
	group->block = code_block_of(code, group->start);
	if (group->kind == GROUP_AFTER && group->start + 1 < code->blocks.at[group->block].end)
		group->start++;
	return true;
}

static bool list_groups(const struct bat_table *bat, struct piece *piece)
{
	const struct bat_entry *entries = bat->entries + piece->fragment->first_entry;
	struct group group = {0};
	bool open = false;

	for (uint32_t i = 0; i < piece->fragment->entry_count; i++) {
		if (bat_entry_is_branch(entries[i]) || entries[i].output >= piece->output->size)
			continue;
		if (!open || group.output != entries[i].output) {
			if (open && place_group(bat, piece, &group) && !group_vec_push(&piece->groups, group))
				return false;
			group = (struct group){.output = entries[i].output, .first_input = bat_entry_input(entries[i])};
			open = true;
		}
		group.input = bat_entry_input(entries[i]);
	}
	return !open || !place_group(bat, piece, &group) || group_vec_push(&piece->groups, group);
}

/* Finds the last instruction of the input by counting those of the output, up to the end of the
 * block. */
static uint32_t end_by_count(const struct piece *piece, const struct group *group, uint32_t next)
{
	uint32_t count = piece->real[next] - piece->real[group->first];

	return count ? code_count_on(piece->code, group->start, count - 1) : group->start - 1;
}

/* Finds what the input runs between a group and the next one. */
static bool link_groups(struct piece *piece, struct group *group, const struct group *next)
{
	const struct code *code = piece->code;
	struct way way = {.count = 0};

	if (group->block == next->block && next->start >= group->start) {
		group->end = next->start - 1;
		return true;
	}
	bool begins = code->blocks.at[next->block].first == next->start;
	uint32_t end = begins ? code_end_towards(code, group->block, next->block, &way) : NO_INSN;
	if (end == NO_INSN || end + 1 < group->start)
		end = end_by_count(piece, group, next->first);
	group->end = end;
	group->passed = (uint32_t)piece->passed.len;
	group->passed_count = way.count;
	for (uint32_t i = 0; i < way.count; i++)
		if (!passed_vec_push(&piece->passed, way.blocks[i]))
			return false;
	return true;
}

static bool read_groups(const struct bat_table *bat, struct piece *piece)
{
	if (!list_groups(bat, piece))
		return false;
	size_t count = piece->groups.len;
	if (!count || piece->groups.at[0].output) {
		piece->code = NULL;
		return true;
	}
	piece->whole = calloc(count + 1, sizeof(*piece->whole));
	piece->beyond = calloc(count + 1, sizeof(*piece->beyond));
	if (!piece->whole || !piece->beyond)
		return false;
	for (size_t i = 0; i + 1 < count; i++)
		if (!link_groups(piece, &piece->groups.at[i], &piece->groups.at[i + 1]))
			return false;
	return true;
}

bool piece_read(const struct binary *binary, struct decoder *decoder, struct piece *piece)
{
	return decode(binary, decoder, piece) && count_stops(piece) &&
	       (!piece->code || read_groups(&binary->bat, piece));
}

void piece_free(struct piece *piece)
{
	insn_vec_free(&piece->insns);
	free(piece->real);
	free(piece->stops);
	group_vec_free(&piece->groups);
	passed_vec_free(&piece->passed);
	free(piece->whole);
	free(piece->beyond);
}
