/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/ranges.h"

#include <stdlib.h>

#include "src/base/emit.h"
#include "src/base/sort.h"
#include "src/base/vec.h"

#define X(name, key, kind, text) {key, DROP_##kind, text},
const struct ledger_words range_words = {
	"ranges", "ranges for llvm-profgen", RANGE_DROP_COUNT, {RANGE_DROPS(X)}};
const struct ledger_words step_words = {
	"branches", "branches for llvm-profgen", STEP_DROP_COUNT, {STEP_DROPS(X)}};
#undef X

/* ---- the walk ---- */

static void add(struct range_walker *w, uint64_t what, uint64_t from, uint64_t to, uint64_t count)
{
	const uint64_t key[COUNT_KEY_WORDS] = {what, from, to};

	if (count && !count_table_add(&w->counts, key, count, 0))
		w->no_memory = true;
}

static void add_insns(struct range_walker *w, const struct code *code, uint32_t first,
		      uint32_t last, uint64_t count)
{
	if (last + 1 > first && first < code->insns->len)
		add(w, COUNTED_RANGE, code_address(code, first), code_address(code, last), count);
}

/* Counts the jump at the end of a block, if it leads to the next block that ran.  Else that was
 * reached by falling through. */
static void add_jump(struct range_walker *w, const struct code *code, uint32_t last, uint32_t block,
		     uint64_t count)
{
	const struct insn *insn = &code->insns->at[last];
	uint64_t to = code_address(code, code_first(code, block));
	bool direct = insn_jumps(*insn);

	if (insn->kind == INSN_JUMP_INDIRECT || (direct && insn->target == to))
		add(w, COUNTED_BRANCH, code_address(code, last), to, count);
}

static void add_way(struct range_walker *w, const struct code *code, uint32_t last,
		    const uint32_t *blocks, uint32_t count, uint32_t to, uint64_t times)
{
	for (uint32_t i = 0; i < count; i++) {
		add_jump(w, code, last, blocks[i], times);
		last = code_end(code, blocks[i]) - 1;
		add_insns(w, code, code_first(code, blocks[i]), last, times);
	}
	add_jump(w, code, last, to, times);
}

/* Where one end of a trace lies. */
struct walk_end {
	struct out_function *f; /* NULL: nowhere, or in a PLT entry */
	uint32_t insn; /* of the function; NO_INSN: it is within one, or after what can be read */
	struct old_place old; /* the input's own code at its location */
	bool walked;          /* its blocks are known: search the location */
};

static struct walk_end walk_end_at(const struct range_walker *w, struct output_place place,
				   struct old_place old)
{
	struct walk_end end = {.insn = NO_INSN, .old = old};

	if (old.input)
		return end;
	end.f = out_function_of(w->functions, place.function);
	if (!end.f)
		return end;
	end.insn = insns_at(&end.f->insns, place.offset);
	end.walked = end.f->blocks.len;
	return end;
}

/* For an end that is not walked: returns where the input has the instruction; 0: nowhere. */
static uint64_t same_place(const struct walk_end *end, struct trace_end at)
{
	const struct out_function *f = end->f;
	uint64_t vaddr = trace_end_vaddr(at).v;

	if (end->old.input)
		return vaddr;
	if (!f || f->fragment || !f->input || end->insn == NO_INSN)
		return 0;
	return f->input->address + (vaddr - f->output->address);
}

/* ---- fall-throughs ---- */

/* Counts all instructions from one to another, which may lie in a later block. */
static void add_blocks(struct range_walker *w, struct out_function *f, struct entry_site from,
		       const struct exit_site *to, uint64_t count)
{
	const struct out_block *blocks = f->blocks.at;

	if (from.out_block >= to->out_block) {
		add_insns(w, f->code, from.start, to->last, count);
		return;
	}
	bool whole = from.start == blocks[from.out_block].start;
	if (!whole)
		add_insns(w, f->code, from.start, blocks[from.out_block].end, count);
	atomic_fetch_add_explicit(&f->whole[from.out_block + !whole], count, memory_order_relaxed);
	atomic_fetch_sub_explicit(&f->whole[to->out_block], count, memory_order_relaxed);
	atomic_fetch_add_explicit(&f->beyond[from.out_block], count, memory_order_relaxed);
	atomic_fetch_sub_explicit(&f->beyond[to->out_block], count, memory_order_relaxed);
	add_insns(w, f->code, blocks[to->out_block].start, to->last, count);
}

/* Counts the first block of a function, if llvm-bolt removed it: a call, or a jump from elsewhere,
 * enters it all the same in the input. */
static void add_taken_out(struct range_walker *w, const struct out_function *f,
			  const struct out_block *out_block, uint64_t count)
{
	const struct code *code = f->code;
	struct way way;

	if (out_block->first_input || !out_block->input || !out_block->block)
		return;
	uint32_t end = code_end_towards(code, 0, out_block->block, &way);
	if (end == NO_INSN)
		return;
	add_insns(w, code, 0, end, count);
	add_way(w, code, end, way.blocks, way.count, out_block->block, count);
}

static enum range_drop walk_blocks(struct range_walker *w, struct walk_end *from,
				   const struct walk_end *to, const struct entry_site *enter,
				   bool enters, uint64_t count)
{
	struct out_function *f = from->f;

	if (enters && !f->fragment->cold && !f->insns.at[from->insn].offset)
		add_taken_out(w, f, &f->blocks.at[0], count);
	struct exit_site leave = find_exit(w->functions->binary, f, to->insn);
	add_blocks(w, f, *enter, &leave, count);
	return RANGE_DROP_COUNT;
}

/* Walks a fall-through.  Returns why it was dropped, or RANGE_DROP_COUNT: it is counted. */
static enum range_drop take_line(struct range_walker *w, const struct located_trace *t,
				 struct walk_end *from, const struct walk_end *to,
				 const struct entry_site *enter, bool enters)
{
	const struct trace *trace = &t->trace;
	uint64_t count = t->row->count;

	if ((!from->f && !from->old.input) || (!to->f && !to->old.input))
		return RANGE_OUTSIDE;
	if (from->f != to->f || from->old.input != to->old.input)
		return RANGE_TWO_FUNCTIONS;
	if (trace_end_vaddr(trace->from).v > trace_end_vaddr(trace->to).v)
		return RANGE_BACKWARDS;
	if (from->f && (from->insn == NO_INSN || to->insn == NO_INSN ||
			!out_runs(from->f, from->insn, to->insn)))
		return RANGE_INVALID;
	if (from->walked)
		return walk_blocks(w, from, to, enter, enters, count);
	uint64_t first = same_place(from, trace->from), last = same_place(to, trace->to);
	if (!first || !last)
		return RANGE_NO_CODE;
	add(w, COUNTED_RANGE, first, last, count);
	return RANGE_DROP_COUNT;
}

/* ---- taken branches ---- */

static uint64_t block_address(const struct code *code, uint32_t block)
{
	return code_address(code, code_first(code, block));
}

/* Counts a branch within a function, through blocks that llvm-bolt removed. */
static void step_within(struct range_walker *w, const struct code *code, uint32_t last, uint32_t to,
			uint64_t count)
{
	struct way way = {.count = 0};

	if (code_end_towards(code, code_block_of(code, last), to, &way) == NO_INSN) {
		if (insn_is_branch(
			    code->insns->at[last])) /* else it is a step of llvm-bolt's own */
			add(w, COUNTED_BRANCH, code_address(code, last), block_address(code, to),
			    count);
		return;
	}
	add_way(w, code, last, way.blocks, way.count, to, count);
}

/* Does the input leave the function at an instruction as the output did?  returns: by a return;
 * else to the address `to`. */
static bool leaves_there(const struct insn *insn, bool returns, uint64_t to)
{
	return returns ? insn->kind == INSN_RETURN :
			 insn->kind != INSN_NEXT && !(insn_jumps(*insn) && insn->target != to);
}

/* Finds where the input leaves the function, if llvm-bolt left out the jumps on the path there. */
static bool find_way_out(const struct range_walker *w, const struct code *code, uint32_t last,
			 bool returns, uint64_t to, struct way_out *out)
{
	const struct pair *pair = w->facts->pair;
	const struct function *callee = functions_at(&pair->functions, to);
	uint32_t block = code_block_of(code, last);

	if (returns)
		return code_way_to_return(code, block, out);
	return callee &&
	       pair_way_out(pair, code, block, pair->body_of[callee - pair->functions.at], out);
}

/* Counts a branch to another function, or back from one.  Returns why it was dropped, or
 * STEP_DROP_COUNT: it is counted. */
static enum step_drop step_out(struct range_walker *w, const struct code *code, uint32_t last,
			       bool returns, uint64_t to, uint64_t count)
{
	struct way_out out;

	if (!leaves_there(&code->insns->at[last], returns, to) &&
	    find_way_out(w, code, last, returns, to, &out)) {
		uint32_t passed = out.way.count, first = last + 1;
		if (passed) {
			add_way(w, code, last, out.way.blocks, passed - 1,
				out.way.blocks[passed - 1], count);
			first = code_first(code, out.way.blocks[passed - 1]);
		}
		add_insns(w, code, first, out.insn, count);
		last = out.insn;
	}
	bool stays = to != code->input->address && to - code->input->address < code->input->size;
	if ((returns || stays) &&
	    !insn_is_branch(code->insns->at[last])) /* all others are those of the profile */
		return STEP_NO_BRANCH;
	add(w, COUNTED_BRANCH, code_address(code, last), to, count);
	return STEP_DROP_COUNT;
}

/* Returns the address to which a branch leads in the input; 0: unknown. */
static uint64_t address_of(const struct walk_end *target, const struct entry_site *enter,
			   struct trace_end at, bool enters)
{
	const struct out_function *f = target->f;

	if (!target->walked)
		return same_place(target, at);
	if (target->insn == NO_INSN || enter->start >= f->code->insns->len)
		return 0;
	if (enters && !f->fragment->cold && !f->insns.at[target->insn].offset)
		return f->input->address;
	return code_address(f->code, enter->start);
}

/* Counts the way to a jump of another block that llvm-bolt joined with the jump of this one.
 * Returns the jump of the other block. */
static uint32_t step_to_tail(struct range_walker *w, const struct code *code,
			     const struct exit_site *leave, uint64_t count)
{
	uint32_t block = code_block_of(code, leave->tail);

	step_within(w, code, leave->last, block, count);
	add_insns(w, code, code_first(code, block), leave->tail, count);
	return leave->tail;
}

/* Likewise for one from code that is known. */
static enum step_drop step_from_code(struct range_walker *w, const struct walk_end *source,
				     const struct walk_end *target, const struct entry_site *enter,
				     struct trace_end at, uint64_t count)
{
	const struct out_function *f = source->f;
	const struct code *code = f->code;
	struct exit_site leave = find_exit(w->functions->binary, f, source->insn);
	const struct insn *insn = &f->insns.at[source->insn];
	bool jumps = insn_jumps(*insn) || insn->kind == INSN_JUMP_INDIRECT;
	bool within = jumps && target->walked && target->f->code == code;
	uint64_t to = address_of(target, enter, at, !within && insn->kind != INSN_RETURN);

	if (!to || leave.last >= code->insns->len)
		return STEP_NO_CODE;
	if (leave.tail != NO_INSN)
		leave.last = step_to_tail(w, code, &leave, count);
	uint32_t block = code_block_of(code, leave.last);
	uint32_t next = within ? code_block_of(code, enter->start) : NO_BLOCK;
	bool begins = within && code_first(code, next) == enter->start;
	if (begins && (leave.sited || leave.leads || next != block))
		step_within(w, code, leave.last, next, count);
	return within ? STEP_DROP_COUNT :
			step_out(w, code, leave.last, insn->kind == INSN_RETURN, to, count);
}

static const struct function_table *input_functions(const struct range_walker *w)
{
	return w->facts->pair ? &w->facts->pair->functions : &w->functions->binary->functions;
}

/* ---- traces ---- */

/* Did a return lead to this location, from the call that ends there?  From outside, an exception
 * counts as one. */
static bool returned(const struct located_trace *t, const struct walk_end *source,
		     const struct walk_end *target)
{
	const struct out_function *f = target->f;

	if (!target->walked || target->insn == NO_INSN || !out_follows_call(f, target->insn))
		return false;
	if (t->returns || (source->f && source->insn != NO_INSN))
		return t->returns;
	const struct out_block *out_block =
		&f->blocks.at[out_block_at(f, f->insns.at[target->insn].offset)];
	bool pad = out_block->first == target->insn && f->code->graph->blocks[out_block->block].pad;
	return !trace_end_is(t->trace.branch, TRACE_END_NONE) && !pad;
}

/* Does a branch come from another function, or is it a call? */
static bool enters(const struct located_trace *t, const struct walk_end *source,
		   const struct walk_end *target)
{
	if (trace_end_is(t->trace.branch, TRACE_END_NONE))
		return false;
	if (!source->f || !target->f || source->f->owner != target->f->owner)
		return true;
	return source->insn != NO_INSN && insn_is_call(source->f->insns.at[source->insn]);
}

/* Counts a taken branch.  Calls from outside are those of the profile: ranges_take_calls(). Returns
 * as above. */
static enum step_drop take_step(struct range_walker *w, const struct located_trace *t,
				const struct walk_end *source, const struct walk_end *target,
				const struct entry_site *enter)
{
	struct trace_end at = t->trace.from, branch = t->trace.branch;
	uint64_t count = t->row->count;

	if (!target->f && !target->old.input)
		return STEP_OUTSIDE;
	if (source->walked && source->insn != NO_INSN)
		return step_from_code(w, source, target, enter, at, count);
	uint64_t from = source->walked ? 0 : same_place(source, branch);
	uint64_t to = address_of(target, enter, at, true);
	if (!to)
		return STEP_NO_CODE;
	if (from && !insn_is_branch(t->insn))
		return STEP_NO_BRANCH;
	if (from || trace_end_is(branch, TRACE_END_FT_RETURN) ||
	    !functions_code_at(input_functions(w), to))
		add(w, COUNTED_BRANCH, from ? from : RANGE_FROM_OUTSIDE, to, count);
	return STEP_DROP_COUNT;
}

static void count_in(struct ledger *ledger, uint64_t count, unsigned why, unsigned kept)
{
	ledger->read += count;
	*(why == kept ? &ledger->kept : &ledger->dropped[why]) += count;
}

void range_walker_take(struct range_walker *w, const struct located_trace *t)
{
	struct walk_end source = walk_end_at(w, t->source, t->old_source),
			target = walk_end_at(w, t->from, t->old_from);
	struct entry_site enter = {0};

	if (target.walked && target.insn != NO_INSN)
		enter = find_entry(w->functions->binary, target.f, target.insn,
				   returned(t, &source, &target));
	/* A return from outside has no branch to count, and the jump of a thunk is a part of the
	 * call. */
	if (!t->of_thunk &&
	    (trace_has_branch(&t->trace) || trace_end_is(t->trace.branch, TRACE_END_FT_RETURN)))
		count_in(&w->steps, t->row->count, take_step(w, t, &source, &target, &enter),
			 STEP_DROP_COUNT);
	if (t->into_thunk || !trace_has_fall_through(&t->trace))
		return;
	struct walk_end to = walk_end_at(w, t->to, t->old_to);
	count_in(&w->runs, t->row->count,
		 take_line(w, t, &target, &to, &enter, enters(t, &source, &target)),
		 RANGE_DROP_COUNT);
}

void range_walker_sums(struct range_walker *w, const struct out_function *f)
{
	const struct code *code = f->code;
	uint64_t whole = 0, beyond = 0;

	for (size_t i = 0; code && i + 1 < f->blocks.len; i++) {
		const struct out_block *out_block = &f->blocks.at[i];
		whole += f->whole[i];
		beyond += f->beyond[i];
		if (whole)
			add_insns(w, code, out_block->start, out_block->end, whole);
		if (beyond && out_block[1].block != out_block->block &&
		    out_block->end < code->insns->len)
			add_way(w, code, out_block->end,
				out_block->passed_count ? f->passed.at + out_block->passed : NULL,
				out_block->passed_count, out_block[1].block, beyond);
	}
}

/* ---- rows of all threads ---- */

/* Lists the rows of all tables in order, each key once: ranges before branches. */
static bool list_rows(const struct count_table *counts, unsigned tables, struct count_rows *rows,
		      size_t *count)
{
	struct count_rows spare = {0};
	size_t all = 0;

	for (unsigned i = 0; i < tables; i++)
		all += counts[i].used;
	*rows = (struct count_rows){malloc((all + 1) * sizeof(*rows->at)), all + 1};
	*count = 0;
	for (unsigned i = 0; rows->at && i < tables; i++)
		for (size_t k = 0; k < counts[i].capacity; k++)
			if (counts[i].rows[k].count)
				rows->at[(*count)++] = counts[i].rows[k];
	if (rows->at)
		*count = count_rows_unify(rows, *count, &spare);
	free(spare.at);
	return rows->at;
}

bool ranges_gather(const struct count_table *counts, unsigned tables, struct ranges *out)
{
	struct count_rows rows;
	size_t count;

	if (!list_rows(counts, tables, &rows, &count))
		return false;
	out->at = malloc((count + 1) * sizeof(*out->at));
	for (size_t i = 0; out->at && i < count; i++) {
		bool range = rows.at[i].key[0] == COUNTED_RANGE;
		out->at[i] = (struct counted_range){rows.at[i].key[1], rows.at[i].key[2],
						    rows.at[i].count};
		out->range_count += range;
		out->branch_count += !range;
	}
	free(rows.at);
	return out->at;
}

uint64_t ranges_base(const struct image *image)
{
	for (size_t i = 0; i < image->segment_count; i++)
		if (image->segments[i].executable)
			return image->segments[i].vaddr & ~UINT64_C(0xfff);
	return 0;
}

void ranges_free(struct ranges *ranges)
{
	free(ranges->at);
	*ranges = (struct ranges){0};
}
/* ---- calls ---- */

/* The profile knows more of calls than a walk of the traces: the callee of a call that llvm-bolt
 * inlined or folded. */
DEFINE_VEC(range_vec, struct counted_range);

static bool range_less(const struct counted_range *a, const struct counted_range *b)
{
	return a->from != b->from ? a->from < b->from : a->to < b->to;
}
DEFINE_SORT(sort_ranges, struct counted_range, range_less)

/* The function of the input, or NULL: not known, or a PLT entry, which is outside for llvm-profgen.
 */
static const struct function *input_function(const struct pair *pair, const struct function *f)
{
	const struct function *in = f && pair ? pair_input_of(pair, f) : f;

	return in && in->kind == FUNCTION_CODE ? in : NULL;
}

/* Adds a record that leads to the beginning of a function, or from one function to another. */
static bool add_call(const struct pair *pair, const struct record *record, struct range_vec *out)
{
	const struct function *to =
		record->kind == RECORD_SAMPLE ? NULL : input_function(pair, record->to.function);
	const struct function *from =
		record->kind == RECORD_BRANCH ? input_function(pair, record->from.function) : NULL;

	if (!to || !record->count || (record->to.offset && (!from || from == to)))
		return true;
	uint64_t source = from ? from->address + record->from.offset : RANGE_FROM_OUTSIDE;
	return range_vec_push(out, (struct counted_range){source, to->address + record->to.offset,
							  record->count});
}

/* Is it one that the profile has, too?  A return from outside to the beginning of a function is no
 * call. */
static bool is_call(const struct image *image, const struct function_table *functions,
		    const struct counted_range *branch)
{
	struct vaddr from = {branch->from}, to = {branch->to};

	if (branch->from == RANGE_FROM_OUTSIDE)
		return false;
	return functions_code_at(functions, branch->to) ||
	       (functions_find(functions, from) != functions_find(functions, to) &&
		insn_branch(image->machine, image_bytes_at(image, from), from.v).kind !=
			INSN_RETURN);
}

DEFINE_UNIFY(unify, struct counted_range, last->from == item->from && last->to == item->to,
	     last->count = count_add_saturating(last->count, item->count))

bool ranges_take_calls(const struct profile *profile, const struct pair *pair,
		       struct ranges *ranges, struct bc_error *err)
{
	const struct function_table *functions =
		pair ? &pair->functions : &profile->binary->functions;
	const struct image *image = pair ? &pair->image : &profile->binary->image;
	struct range_vec all = {0};
	bool ok = true;

	for (size_t i = 0; ok && i < ranges->range_count + ranges->branch_count; i++)
		if (i < ranges->range_count || !is_call(image, functions, &ranges->at[i]))
			ok = range_vec_push(&all, ranges->at[i]);
	for (size_t i = 0; ok && i < profile->record_count; i++) {
		struct record record = profile_record(profile, i);
		ok = add_call(pair, &record, &all);
	}
	if (!ok) {
		range_vec_free(&all);
		return bc_fail_nomem(err);
	}
	size_t branches = all.len - ranges->range_count;
	if (branches)
		sort_ranges(all.at + ranges->range_count, branches);
	ranges->branch_count = branches ? unify(all.at + ranges->range_count, branches) : 0;
	free(ranges->at);
	ranges->at = all.at;
	return true;
}

/* ---- the file ---- */

/* Addresses are counted from the first page of code, modulo 2^64: what is outside is below it. */
static void emit_list(struct emit *out, const struct ranges *ranges, size_t begin, size_t count,
		      const char *between)
{
	emit_dec(out, count);
	emit_char(out, '\n');
	for (size_t i = begin; i < begin + count; i++) {
		emit_hex(out, ranges->at[i].from - ranges->base);
		emit_string(out, between);
		emit_hex(out, ranges->at[i].to - ranges->base);
		emit_char(out, ':');
		emit_dec(out, ranges->at[i].count);
		emit_char(out, '\n');
	}
}

void profgen_write(const struct ranges *ranges, FILE *file)
{
	struct emit out;

	emit_init(&out, file);
	emit_list(&out, ranges, 0, ranges->range_count, "-");
	emit_list(&out, ranges, ranges->range_count, ranges->branch_count, "->");
	emit_flush(&out);
}
