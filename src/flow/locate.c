/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/locate.h"

/* Finds the instruction of the input for one of the output: counts from the nearest entry on,
 * because llvm-bolt changes the lengths of instructions.  For a comparison that llvm-bolt added, it
 * is the instruction before. */
static uint32_t count_to(const struct binary *binary, const struct piece *piece, uint32_t insn,
			 uint32_t (*count)(const struct code *code, uint32_t from, uint32_t count))
{
	uint32_t offset = piece->insns.at[insn].offset;
	const struct group *group = &piece->groups.at[piece_group(piece, offset)];
	const struct bat_entry *entry = bat_entry_at(&binary->bat, piece->fragment, offset);

	if (entry && bat_entry_is_branch(*entry)) {
		uint32_t from = piece_insn(piece, entry->output), at = code_insn_at(piece->code, bat_entry_input(*entry));
		if (from != NO_INSN && at != NO_INSN)
			return count(piece->code, at, piece->real[insn] - piece->real[from]);
	}
	if (group->kind == GROUP_CHECK)
		return group->start - 1;
	return count(piece->code, group->start, piece->real[insn] - piece->real[group->first]);
}

static bool leaves_block(const struct insn *insn)
{
	return insn_is_direct(*insn) || !insn_goes_on(*insn) || insn_is_call(*insn);
}

/* The branch of the input that an entry names: its own, or the first instruction of a block. */
static uint32_t named_by_entry(const struct binary *binary, const struct piece *piece, uint32_t insn,
			       const struct group *group)
{
	const struct code *code = piece->code;
	uint32_t offset = piece->insns.at[insn].offset;
	const struct bat_entry *entry = bat_entry_at(&binary->bat, piece->fragment, offset);

	if (entry && entry->output == offset && bat_entry_is_branch(*entry))
		return code_insn_at(code, bat_entry_input(*entry));
	if (group->first != insn || group->kind == GROUP_CHECK)
		return NO_INSN;
	uint32_t first = code_count_on(code, group->start, 0);
	return leaves_block(&code->insns->at[first]) ? first : NO_INSN;
}

/* The instruction that a direct jump of the output leads to within the input function; NO_INSN: none of it. */
static uint32_t jumped_to(const struct binary *binary, const struct piece *piece, const struct insn *insn)
{
	struct input_place to;

	if (!insn_jumps(*insn))
		return NO_INSN;
	struct output_place place = binary_place(binary, (struct vaddr){insn->target}, piece->output);
	if (!binary_translate(binary, place, false, &to) || to.function != piece->owner)
		return NO_INSN;
	return code_insn_at(piece->code, to.offset);
}

/* Finds the last instruction that runs before a jump that llvm-bolt added.  Before a call that it
 * promotes, it adds comparisons, and all its blocks there begin at that call. */
static uint32_t count_up_to(const struct piece *piece, const struct group *group, uint32_t insn, uint32_t to)
{
	const struct group *next = group + 1 < piece->groups.at + piece->groups.len ? group + 1 : NULL;
	uint32_t count = piece->real[insn] - piece->real[group->first];
	uint32_t last = group->start - 1;

	if (group->kind != GROUP_CHECK && count)
		last = code_count_on(piece->code, group->start, count - 1);
	if (next && next->block == group->block && next->start > group->start && last + 1 > next->start)
		last = next->start - 1;
	if (to > group->start && last + 1 > to && code_block_of(piece->code, to) == group->block)
		last = to - 1;
	return last;
}

/* Separates a conditional jump from the tail call that llvm-bolt joined with it.  Its entry has the
 * place of the tail call, which stands in another block: the way to that block leaves by the
 * conditional jump itself. */
static void split_tail(const struct piece *piece, const struct group *group, struct leave *leave)
{
	uint32_t block = leave->sited ? code_block_of(piece->code, leave->last) : group->block;
	struct way way;
	uint32_t end = block == group->block ? NO_INSN : code_end_towards(piece->code, group->block, block, &way);

	if (end == NO_INSN)
		return;
	leave->tail = leave->last;
	leave->last = end;
}

struct leave locate_leave(const struct binary *binary, const struct piece *piece, uint32_t number)
{
	const struct insn *insn = &piece->insns.at[number];
	struct leave leave = {.group = piece_group(piece, insn->offset), .tail = NO_INSN};
	const struct group *group = &piece->groups.at[leave.group];
	struct way way;

	leave.last = named_by_entry(binary, piece, number, group);
	leave.sited = leave.last != NO_INSN;
	uint32_t block = leave.sited ? code_block_of(piece->code, leave.last) : group->block;
	/* llvm-bolt can invert the condition, and remove or add the jump behind it. */
	uint32_t to = jumped_to(binary, piece, insn), next = to == NO_INSN ? NO_BLOCK : code_block_of(piece->code, to);
	bool begins = next != NO_BLOCK && piece->code->blocks.at[next].first == to;
	uint32_t end = begins && group->kind != GROUP_CHECK ? code_end_towards(piece->code, block, next, &way) : NO_INSN;
	if (end != NO_INSN)
		leave.last = end;
	else if (!leave.sited && to != NO_INSN)
		leave.last = count_up_to(piece, group, number, to);
	else if (!leave.sited)
		leave.last = count_to(binary, piece, number, code_count_on);
	else if (insn->kind == INSN_CONDITIONAL)
		split_tail(piece, group, &leave);
	return leave;
}

struct enter locate_enter(const struct binary *binary, const struct piece *piece, uint32_t insn, bool after_call)
{
	uint32_t group = piece_group(piece, piece->insns.at[insn].offset);

	if (after_call) {
		struct leave call = locate_leave(binary, piece, insn - 1);
		return (struct enter){call.group, call.last + 1};
	}
	if (piece->groups.at[group].first == insn)
		return (struct enter){group, piece->groups.at[group].start};
	if (piece_follows_call(piece, insn))
		return (struct enter){group, count_to(binary, piece, insn - 1, code_count_on) + 1};
	return (struct enter){group, count_to(binary, piece, insn, code_count_past)};
}
