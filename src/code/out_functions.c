/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/code/out_functions.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/parallel.h"
#include "src/base/sort.h"
#include "src/elf/binary.h"
#include "src/isa/decoder.h"

/* ---- one function ---- */

static bool count_stops(struct out_function *f)
{
	size_t count = f->insns.len;
	uint32_t sum = 0;

	f->real = count_real(&f->insns);
	f->stops = malloc((count + 1) * sizeof(*f->stops));
	if (!f->real || !f->stops)
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct insn *insn = &f->insns.at[i];
		f->stops[i] = sum;
		sum += insn_is_call(*insn) || insn_ends_way(*insn);
	}
	f->stops[count] = sum;
	return true;
}

DEFINE_SEARCH(blocks_to, struct out_block, uint32_t, item->output <= key)

uint32_t out_insn_before(const struct out_function *f, uint64_t offset)
{
	size_t before = insns_before(f->insns.at, f->insns.len, offset);

	return before ? (uint32_t)before - 1 : NO_INSN;
}

uint32_t out_block_at(const struct out_function *f, uint32_t offset)
{
	size_t above = blocks_to(f->blocks.at, f->blocks.len, offset);

	return above ? (uint32_t)above - 1 : NO_OUT_BLOCK;
}

/* Is it a conditional jump that the input does not have? */
static bool is_new_jump(const struct bat_table *bat, const struct out_function *f, uint32_t insn)
{
	if (insn >= f->insns.len || f->insns.at[insn].kind != INSN_CONDITIONAL)
		return false;
	const struct bat_entry *entry = bat_entry_at(bat, f->fragment, f->insns.at[insn].offset);
	return !entry || entry->output != f->insns.at[insn].offset || !bat_entry_is_branch(*entry);
}

/* Finds the kind of a block that llvm-bolt made, for an instruction before which it added a
 * comparison. */
static enum out_block_kind kind_of_made(const struct bat_table *bat, const struct out_function *f,
					const struct out_block *out_block)
{
	const struct insn *insn = &f->insns.at[out_block->first];

	if (insn_is_call(*insn) || insn->kind == INSN_JUMP_INDIRECT)
		return OUT_BLOCK_CALL;
	bool checks =
		is_new_jump(bat, f, out_block->first) || is_new_jump(bat, f, out_block->first + 1);
	return checks ? OUT_BLOCK_CHECK : OUT_BLOCK_AFTER;
}

/* Finds the block in the code.  False: it is not there. */
static bool place_block(const struct bat_table *bat, const struct out_function *f,
			struct out_block *out_block)
{
	const struct code *code = f->code;

	out_block->first = insns_at(&f->insns, out_block->output);
	out_block->start = insns_at(code->insns, out_block->input);
	if (out_block->first == NO_INSN || out_block->start == NO_INSN)
		return false;
	if (code_block_from(code, out_block->input) == NO_BLOCK)
		out_block->kind = kind_of_made(bat, f, out_block);
	out_block->block = code_block_of(code, out_block->start);
	if (out_block->kind == OUT_BLOCK_AFTER &&
	    out_block->start + 1 < code_end(code, out_block->block))
		out_block->start++;
	return true;
}

static bool list_blocks(const struct bat_table *bat, struct out_function *f)
{
	const struct bat_entry *entries = bat->entries + f->fragment->first_entry;
	struct out_block out_block = {0};
	bool open = false;

	for (uint32_t i = 0; i < f->fragment->entry_count; i++) {
		if (bat_entry_is_branch(entries[i]) || entries[i].output >= f->output->size)
			continue;
		if (!open || out_block.output != entries[i].output) {
			if (open && place_block(bat, f, &out_block) &&
			    !out_block_vec_push(&f->blocks, out_block))
				return false;
			out_block = (struct out_block){.output = entries[i].output,
						       .first_input = bat_entry_input(entries[i])};
			open = true;
		}
		out_block.input = bat_entry_input(entries[i]);
	}
	return !open || !place_block(bat, f, &out_block) ||
	       out_block_vec_push(&f->blocks, out_block);
}

/* Finds the last instruction of the input by counting those of the output, up to the end of the
 * block. */
static uint32_t end_by_count(const struct out_function *f, const struct out_block *out_block,
			     uint32_t next)
{
	uint32_t count = f->real[next] - f->real[out_block->first];

	return count ? code_count_on(f->code, out_block->start, count - 1) : out_block->start - 1;
}

/* Finds what the input runs between a block and the next one. */
static bool link_blocks(struct out_function *f, struct out_block *out_block,
			const struct out_block *next)
{
	const struct code *code = f->code;
	struct way way = {.count = 0};

	if (out_block->block == next->block && next->start >= out_block->start) {
		out_block->end = next->start - 1;
		return true;
	}
	bool begins = code_first(code, next->block) == next->start;
	uint32_t end =
		begins ? code_end_towards(code, out_block->block, next->block, &way) : NO_INSN;
	if (end == NO_INSN || end + 1 < out_block->start)
		end = end_by_count(f, out_block, next->first);
	out_block->end = end;
	out_block->passed = (uint32_t)f->passed.len;
	out_block->passed_count = way.count;
	for (uint32_t i = 0; i < way.count; i++)
		if (!passed_vec_push(&f->passed, way.blocks[i]))
			return false;
	return true;
}

static bool read_blocks(const struct bat_table *bat, struct out_function *f)
{
	if (!list_blocks(bat, f))
		return false;
	size_t count = f->blocks.len;
	if (!count || f->blocks.at[0].output) {
		f->blocks.len = 0;
		return true;
	}
	f->whole = calloc(count + 1, sizeof(*f->whole));
	f->beyond = calloc(count + 1, sizeof(*f->beyond));
	if (!f->whole || !f->beyond)
		return false;
	for (size_t i = 0; i + 1 < count; i++)
		if (!link_blocks(f, &f->blocks.at[i], &f->blocks.at[i + 1]))
			return false;
	return true;
}

static bool read_function(const struct out_functions *all, struct decoder *decoder,
			  struct out_function *f)
{
	struct vaddr at = {f->output->address};

	/* Where an instruction cannot be decoded the function ends: nothing after that ran. */
	return decoder_read(decoder,
			    bytes_first(image_bytes_at(&all->binary->image, at), f->output->size),
			    at.v, &f->insns) &&
	       (!all->walked ||
		(count_stops(f) && (!f->code || read_blocks(&all->binary->bat, f))));
}

static void out_function_free(struct out_function *f)
{
	insn_vec_free(&f->insns);
	free(f->real);
	free(f->stops);
	out_block_vec_free(&f->blocks);
	passed_vec_free(&f->passed);
	free(f->whole);
	free(f->beyond);
}

/* ---- all functions ---- */

/* Marks all fragments of each function whose code ran, at its original location or its new one:
 * what they call is asked of all of them together. */
static void mark_fragments(const struct pair *pair, const atomic_bool *ran, atomic_bool *entered)
{
	const struct binary *binary = pair->output;

	for (size_t i = 0; i < pair->functions.count; i++)
		if (ran[i] && pair->functions.at[i].kind == FUNCTION_CODE &&
		    pair->body_of[i] != NO_FUNCTION)
			entered[pair->body_of[i]] = true;
	for (uint32_t i = 0; i < binary->bat.fragment_count; i++) {
		uint32_t hot = fragment_hot_one(&binary->bat, i),
			 function = hot == BAT_NO_PARENT ? NO_FUNCTION : binary->function_of[hot];
		if (function != NO_FUNCTION && entered[function] &&
		    binary->function_of[i] != NO_FUNCTION)
			entered[binary->function_of[i]] = true;
	}
}

/* Makes one for each function that was entered. */
static bool list_functions(struct out_functions *all, const atomic_bool *entered)
{
	const struct binary *binary = all->binary;
	size_t named = functions_named(&binary->functions) + 1;

	for (size_t i = 0; i < binary->functions.count; i++)
		all->count += entered[i];
	all->at = calloc(all->count + 1, sizeof(*all->at));
	all->of = malloc(named * sizeof(*all->of));
	if (!all->at || !all->of)
		return false;
	memset(all->of, 0xff, named * sizeof(*all->of)); /* NO_OUT_FUNCTION */
	for (size_t i = 0, k = 0; i < binary->functions.count; i++) {
		if (!entered[i])
			continue;
		uint32_t fragment = binary->fragment_of[i];
		struct out_function *f = &all->at[k];
		f->output = &binary->functions.at[i];
		f->fragment = fragment == NO_FRAGMENT ? NULL : &binary->bat.fragments[fragment];
		f->owner = binary_owner(binary, (struct output_place){f->output, f->fragment, 0});
		if (f->owner)
			f->input = all->pair ? pair_input_of(all->pair, f->owner) : f->owner;
		all->of[i] = (uint32_t)k++;
	}
	return true;
}

struct reading {
	struct out_functions *all;
	struct decoder *decoders;
	atomic_bool no_memory;
};

static void read_one(void *ctx, size_t number, unsigned worker)
{
	struct reading *r = ctx;
	struct out_functions *all = r->all;
	struct out_function *f = &all->at[number];
	const struct code *code = all->pair && f->fragment ? pair_code(all->pair, f->input) : NULL;

	f->code = code && code->count ? code : NULL;
	if (!read_function(all, &r->decoders[worker], f))
		r->no_memory = true;
}

static bool read_all(struct out_functions *all, unsigned threads)
{
	struct reading r = {all, calloc(threads, sizeof(*r.decoders)), false};

	if (!r.decoders)
		return false;
	for (unsigned i = 0; i < threads; i++)
		decoder_open(all->binary->image.machine, &r.decoders[i]);
	parallel_for(threads, all->count, read_one, &r);
	for (unsigned i = 0; i < threads; i++)
		decoder_close(&r.decoders[i]);
	free(r.decoders);
	return !r.no_memory;
}

bool out_functions_open(const struct binary *binary, const struct pair *pair,
			const atomic_bool *ran, atomic_bool *entered, bool walked, unsigned threads,
			struct out_functions *out)
{
	*out = (struct out_functions){.binary = binary, .pair = pair, .walked = walked};
	if (pair)
		mark_fragments(pair, ran, entered);
	return list_functions(out, entered) && read_all(out, threads);
}

void out_functions_close(struct out_functions *all)
{
	for (size_t i = 0; all->at && i < all->count; i++)
		out_function_free(&all->at[i]);
	free(all->at);
	free(all->of);
	*all = (struct out_functions){0};
}

/* ---- locations in the code of the input ---- */

/* Finds the instruction of the input for one of the output: counts from the nearest entry on,
 * because llvm-bolt changes the lengths of instructions.  For a comparison that llvm-bolt added, it
 * is the instruction before. */
static uint32_t count_to(const struct binary *binary, const struct out_function *f, uint32_t insn,
			 uint32_t (*count)(const struct code *code, uint32_t from, uint32_t count))
{
	uint32_t offset = f->insns.at[insn].offset;
	const struct out_block *out_block = &f->blocks.at[out_block_at(f, offset)];
	const struct bat_entry *entry = bat_entry_at(&binary->bat, f->fragment, offset);

	if (entry && bat_entry_is_branch(*entry)) {
		uint32_t from = insns_at(&f->insns, entry->output),
			 at = insns_at(f->code->insns, bat_entry_input(*entry));
		if (from != NO_INSN && at != NO_INSN)
			return count(f->code, at, f->real[insn] - f->real[from]);
	}
	if (out_block->kind == OUT_BLOCK_CHECK)
		return out_block->start - 1;
	return count(f->code, out_block->start, f->real[insn] - f->real[out_block->first]);
}

static bool leaves_block(const struct insn *insn)
{
	return insn_is_direct(*insn) || !insn_goes_on(*insn) || insn_is_call(*insn);
}

/* The branch of the input that an entry names: its own, or the first instruction of a block. */
static uint32_t named_by_entry(const struct binary *binary, const struct out_function *f,
			       uint32_t insn, const struct out_block *out_block)
{
	const struct code *code = f->code;
	uint32_t offset = f->insns.at[insn].offset;
	const struct bat_entry *entry = bat_entry_at(&binary->bat, f->fragment, offset);

	if (entry && entry->output == offset && bat_entry_is_branch(*entry))
		return insns_at(code->insns, bat_entry_input(*entry));
	if (out_block->first != insn || out_block->kind == OUT_BLOCK_CHECK)
		return NO_INSN;
	uint32_t first = code_count_on(code, out_block->start, 0);
	return leaves_block(&code->insns->at[first]) ? first : NO_INSN;
}

/* The instruction that a direct jump of the output leads to within the input function; NO_INSN:
 * none of it. */
static uint32_t jumped_to(const struct binary *binary, const struct out_function *f,
			  const struct insn *insn)
{
	struct input_place to;

	if (!insn_jumps(*insn))
		return NO_INSN;
	struct output_place place = binary_place(binary, (struct vaddr){insn->target}, f->output);
	if (!binary_translate(binary, place, false, &to) || to.function != f->owner)
		return NO_INSN;
	return insns_at(f->code->insns, to.offset);
}

/* Finds the last instruction that runs before a jump that llvm-bolt added.  Before a call that it
 * promotes, it adds comparisons, and all its blocks there begin at that call. */
static uint32_t count_up_to(const struct out_function *f, const struct out_block *out_block,
			    uint32_t insn, uint32_t to)
{
	const struct out_block *next =
		out_block + 1 < f->blocks.at + f->blocks.len ? out_block + 1 : NULL;
	uint32_t count = f->real[insn] - f->real[out_block->first];
	uint32_t last = out_block->start - 1;

	if (out_block->kind != OUT_BLOCK_CHECK && count)
		last = code_count_on(f->code, out_block->start, count - 1);
	if (next && next->block == out_block->block && next->start > out_block->start &&
	    last + 1 > next->start)
		last = next->start - 1;
	if (to > out_block->start && last + 1 > to &&
	    code_block_of(f->code, to) == out_block->block)
		last = to - 1;
	return last;
}

/* Separates a conditional jump from the tail call that llvm-bolt joined with it.  Its entry has the
 * location of the tail call, which is in another block: the way to that block leaves by the
 * conditional jump itself. */
static void split_tail(const struct out_function *f, const struct out_block *out_block,
		       struct exit_site *leave)
{
	uint32_t block = leave->sited ? code_block_of(f->code, leave->last) : out_block->block;
	struct way way;
	uint32_t end = block == out_block->block ?
			       NO_INSN :
			       code_end_towards(f->code, out_block->block, block, &way);

	if (end == NO_INSN)
		return;
	leave->tail = leave->last;
	leave->last = end;
}

struct exit_site find_exit(const struct binary *binary, const struct out_function *f,
			   uint32_t number)
{
	const struct insn *insn = &f->insns.at[number];
	struct exit_site leave = {.out_block = out_block_at(f, insn->offset), .tail = NO_INSN};
	const struct out_block *out_block = &f->blocks.at[leave.out_block];
	struct way way;

	leave.last = named_by_entry(binary, f, number, out_block);
	leave.sited = leave.last != NO_INSN;
	uint32_t block = leave.sited ? code_block_of(f->code, leave.last) : out_block->block;
	/* llvm-bolt can invert the condition, and remove or add the jump after it. */
	uint32_t to = jumped_to(binary, f, insn),
		 next = to == NO_INSN ? NO_BLOCK : code_block_of(f->code, to);
	bool begins = next != NO_BLOCK && code_first(f->code, next) == to;
	uint32_t end = begins && out_block->kind != OUT_BLOCK_CHECK ?
			       code_end_towards(f->code, block, next, &way) :
			       NO_INSN;
	leave.leads = end != NO_INSN;
	if (leave.leads)
		leave.last = end;
	else if (!leave.sited && to != NO_INSN)
		leave.last = count_up_to(f, out_block, number, to);
	else if (!leave.sited)
		leave.last = count_to(binary, f, number, code_count_on);
	else if (insn->kind == INSN_CONDITIONAL)
		split_tail(f, out_block, &leave);
	return leave;
}

struct entry_site find_entry(const struct binary *binary, const struct out_function *f,
			     uint32_t insn, bool after_call)
{
	uint32_t out_block = out_block_at(f, f->insns.at[insn].offset);

	if (after_call) {
		struct exit_site call = find_exit(binary, f, insn - 1);
		return (struct entry_site){call.out_block, call.last + 1};
	}
	if (f->blocks.at[out_block].first == insn)
		return (struct entry_site){out_block, f->blocks.at[out_block].start};
	if (out_follows_call(f, insn))
		return (struct entry_site){out_block,
					   count_to(binary, f, insn - 1, code_count_on) + 1};
	return (struct entry_site){out_block, count_to(binary, f, insn, code_count_past)};
}
