/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/pieces.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/parallel.h"
#include "src/base/search.h"

/* ---- one piece ---- */

bool function_decode(const struct image *image, const struct function *f, struct decoder *decoder, struct insn_vec *out)
{
	struct bytes code = bytes_first(image_bytes_at(image, (struct vaddr){f->address}), f->size);
	struct insn insn;

	for (uint32_t at = 0; at < code.size && code.size <= UINT32_MAX; at += insn.size) {
		if (!decoder_next(decoder, bytes_from(code, at), f->address + at, &insn))
			break;
		insn.offset = at;
		if (!insn_vec_push(out, insn))
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

static bool piece_read(const struct binary *binary, struct decoder *decoder, struct piece *piece)
{
	return function_decode(&binary->image, piece->output, decoder, &piece->insns) && count_stops(piece) &&
	       (!piece->code || read_groups(&binary->bat, piece));
}

static void piece_free(struct piece *piece)
{
	insn_vec_free(&piece->insns);
	free(piece->real);
	free(piece->stops);
	group_vec_free(&piece->groups);
	passed_vec_free(&piece->passed);
	free(piece->whole);
	free(piece->beyond);
}

/* ---- all pieces ---- */

static const struct function *owner_of(const struct binary *binary, const struct function *f,
				       const struct bat_fragment *fragment)
{
	return binary_owner(binary, (struct output_place){f, fragment, 0});
}

/* Makes a piece for each function that was entered. */
static bool list_pieces(struct pieces *pieces, const atomic_bool *entered)
{
	const struct binary *binary = pieces->binary;

	for (size_t i = 0; i < binary->functions.count; i++)
		pieces->count += entered[i];
	pieces->at = calloc(pieces->count + 1, sizeof(*pieces->at));
	pieces->of = malloc((functions_named(&binary->functions) + 1) * sizeof(*pieces->of));
	if (!pieces->at || !pieces->of)
		return false;
	memset(pieces->of, 0xff, (functions_named(&binary->functions) + 1) * sizeof(*pieces->of)); /* NO_PIECE */
	for (size_t i = 0, k = 0; i < binary->functions.count; i++) {
		if (!entered[i])
			continue;
		uint32_t fragment = binary->fragment_of[i];
		struct piece *piece = &pieces->at[k];
		piece->output = &binary->functions.at[i];
		piece->fragment = fragment == NO_FRAGMENT ? NULL : &binary->bat.fragments[fragment];
		piece->owner = owner_of(binary, piece->output, piece->fragment);
		if (piece->owner)
			piece->input = pieces->pair ? pair_input_of(pieces->pair, piece->owner) : piece->owner;
		pieces->of[i] = (uint32_t)k++;
	}
	return true;
}

struct reading {
	struct pieces *pieces;
	struct decoder *decoders;
	atomic_bool no_memory;
};

static void read_piece(void *ctx, size_t number, unsigned worker)
{
	struct reading *r = ctx;
	struct pieces *pieces = r->pieces;
	struct piece *piece = &pieces->at[number];
	const struct code *code = pieces->pair && piece->fragment ? pair_code(pieces->pair, piece->input) : NULL;

	piece->code = code && code->blocks.len ? code : NULL;
	if (!piece_read(pieces->binary, &r->decoders[worker], piece))
		r->no_memory = true;
}

static bool read_all(struct pieces *pieces, unsigned threads)
{
	struct reading r = {pieces, calloc(threads, sizeof(*r.decoders)), false};

	if (!r.decoders)
		return false;
	for (unsigned i = 0; i < threads; i++)
		decoder_open(pieces->binary->image.machine, &r.decoders[i]);
	parallel_for(threads, pieces->count, read_piece, &r);
	for (unsigned i = 0; i < threads; i++)
		decoder_close(&r.decoders[i]);
	free(r.decoders);
	return !r.no_memory;
}

bool pieces_open(const struct binary *binary, const struct pair *pair, const atomic_bool *entered, unsigned threads, struct pieces *out)
{
	*out = (struct pieces){.binary = binary, .pair = pair};
	return list_pieces(out, entered) && read_all(out, threads);
}

void pieces_close(struct pieces *pieces)
{
	for (size_t i = 0; i < pieces->count; i++)
		piece_free(&pieces->at[i]);
	free(pieces->at);
	free(pieces->of);
	*pieces = (struct pieces){0};
}

/* ---- places in the code of the input ---- */

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
	leave.leads = end != NO_INSN;
	if (leave.leads)
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
