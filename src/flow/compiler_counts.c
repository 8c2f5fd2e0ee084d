/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/compiler_counts.h"

#include <inttypes.h>
#include <stdatomic.h>

#include "src/base/parallel.h"
#include "src/base/counts.h"
#include "src/base/sort.h"
#include "src/elf/block_map.h"
#include "src/flow/probabilities.h"

/* A branch that was taken, or a fall-through from one instruction to another, so many times. */
struct step {
	uint64_t from, to;
	double count;
	enum step_kind { STEP_BRANCH, STEP_CALL, STEP_LINE } kind;
};
DEFINE_VEC(step_vec, struct step);

/* A function that is counted. */
struct counted {
	struct block_map at; /* where it is */
	const struct function *function;
	double entries;
	double called; /* by the direct calls of counted functions */
	struct step_vec steps;
	bool no_code, unsolved;
};
DEFINE_VEC(counted_vec, struct counted);
DEFINE_VEC(chosen_vec, uint32_t);

/* A block's number by its id. */
struct block_id {
	uint32_t id, block;
};
DEFINE_VEC(block_id_vec, struct block_id);
static bool is_lower_id(const struct block_id *a, const struct block_id *b)
{
	return a->id != b->id ? a->id < b->id : a->block < b->block;
}
DEFINE_SORT(sort_ids, struct block_id, is_lower_id)
DEFINE_SEARCH(ids_below, struct block_id, uint32_t, item->id < key)

/* What one thread uses again. */
struct scratch {
	struct map_function function;
	struct block_id_vec ids;
	struct probable_edge_vec edges;
	double *runs;
	size_t run_room;
};

struct reading {
	const struct compiler_job *job;
	struct compiler_counts *figures;
	struct counted_vec counted; /* by the address of the function, once all are known */
	struct chosen_vec chosen;   /* functions of the binary that their ranges are in */
	struct scratch *scratch;    /* one a thread */
	atomic_bool no_memory, too_large;
};

#define NO_BLOCK_OF_MAP UINT32_MAX

/* ---- which functions have counts ---- */

static const struct function *function_of(const struct reading *r, uint64_t address)
{
	const struct function *f =
		functions_find(&r->job->binary->functions, (struct vaddr){address});

	return f && f->kind == FUNCTION_CODE ? f : NULL;
}

/* One without a count is taken to be entered COMPILER_ENTRIES times. */
static bool add_counted(struct reading *r, const struct block_map *at,
			const struct map_function *function, const struct function *code)
{
	double entries = function->entry_count ? (double)function->entry_count : COMPILER_ENTRIES;
	const struct function_table *functions = &r->job->binary->functions;

	for (size_t i = 0; i < function->ranges.len; i++) {
		const struct function *part = function_of(r, function->ranges.at[i].address);
		if (part && !chosen_vec_push(&r->chosen, functions_code_number(functions, part).v))
			return false;
	}
	return counted_vec_push(&r->counted,
				(struct counted){.at = *at, .function = code, .entries = entries});
}

/* What was found while the map was read. */
struct found_code {
	struct code_marks functions; /* by the function that a function of the map begins with */
	struct code_marks mapped;    /* of functions in which a range of the map begins */
};

static bool *mark_of(const struct reading *r, struct code_marks *marks, const struct function *code)
{
	return code_marks_of(marks, functions_code_number(&r->job->binary->functions, code));
}

/* Notes a function of the map, of which one without code or a second one for the same code does not
 * count.  Functions without a count are listed, if they are to be forced, only until there is one
 * with a count. */
static bool note(struct reading *r, const struct block_map *at, const struct map_function *function,
		 struct found_code *found)
{
	enum { COUNTABLE = MAP_ENTRY_COUNT | MAP_PROBABILITIES };
	const struct function *code = function_of(r, function->ranges.at[0].address);
	bool countable = (function->features & COUNTABLE) == COUNTABLE && function->blocks.len;

	if (!code || code->address != function->ranges.at[0].address)
		return true;
	bool *mark = mark_of(r, &found->functions, code);
	if (*mark)
		return true;
	*mark = true;
	for (size_t i = 0; i < function->ranges.len; i++) {
		const struct function *part = function_of(r, function->ranges.at[i].address);
		if (part)
			*mark_of(r, &found->mapped, part) = true;
	}
	r->figures->mapped++;
	r->figures->countable += countable;
	if (!countable || (!function->entry_count && (!r->job->force || r->figures->counted)))
		return true;
	if (function->entry_count && !r->figures->counted++)
		r->counted.len = r->chosen.len = 0;
	return add_counted(r, at, function, code);
}

static bool note_section(struct reading *r, const struct section *section, struct found_code *found,
			 struct bc_error *err)
{
	struct map_function *function = &r->scratch[0].function;
	struct block_map map, at;

	if (!block_map_open(&r->job->binary->image, section, &map, err))
		return false;
	for (at = map; block_map_next(&map, function); at = map)
		if (!note(r, &at, function, found))
			return bc_fail_nomem(err);
	return block_map_check(&map, err);
}

static void count_code(struct reading *r, struct code_marks *mapped)
{
	const struct function_table *functions = &r->job->binary->functions;

	for (uint32_t i = 0; i < functions->count; i++) {
		const struct function *f = &functions->at[i];
		if (f->kind != FUNCTION_CODE)
			continue;
		r->figures->functions++;
		r->figures->code_bytes += f->size;
		if (!*code_marks_of(mapped, (struct code_number){i}))
			r->figures->unmapped_bytes += f->size;
	}
}

static bool is_lower(const struct counted *a, const struct counted *b)
{
	return a->function->address < b->function->address;
}
DEFINE_SORT(sort_counted, struct counted, is_lower)
DEFINE_SEARCH(counted_below, struct counted, uint64_t, item->function->address < key)

#define REBUILD                                                                                    \
	"build with clang 19 or newer with -fbasic-block-address-map -mllvm -pgo-analysis-map=all (clang 19: =func-entry-count,bb-freq,br-prob)"

static bool fail_uncounted(const struct compiler_counts *f, struct bc_error *err)
{
	if (!f->mapped)
		return bc_fail(
			err, BC_MISMATCH,
			"no function of the binary begins where the compiler's map has one: the map is empty, or of another file");
	if (!f->countable)
		return bc_fail(err, BC_MISMATCH,
			       "the compiler's map has no entry counts and probabilities of any function") ||
		       bc_hint(err, REBUILD);
	return bc_fail(err, BC_MISMATCH,
		       "none of the %" PRIu64
		       " functions of the compiler's map has a count: the compiler had no profile, or none that fits",
		       f->mapped) ||
	       bc_hint(err,
		       "build with -fprofile-use or -fprofile-sample-use of a new recording; --force-map takes the compiler's guesses");
}

/* Finds the functions that count, sets the figures, and forces counts where there are none. */
static bool find_counted(struct reading *r, struct bc_error *err)
{
	const struct compiler_job *job = r->job;
	const struct section *section = block_map_section(&job->binary->image, NULL);
	struct found_code found = {0};
	bool ok = section ||
		  bc_fail(err, BC_NOTFOUND, "has no map of the compiler (.llvm_bb_addr_map)") ||
		  bc_hint(err, REBUILD);

	ok = ok && ((code_marks_make(&found.functions, &job->binary->functions) &&
		     code_marks_make(&found.mapped, &job->binary->functions)) ||
		    bc_fail_nomem(err));
	for (; ok && section; section = block_map_section(&job->binary->image, section))
		ok = note_section(r, section, &found, err);
	if (ok) {
		count_code(r, &found.mapped);
		r->figures->forced = !r->figures->counted && r->counted.len;
		ok = r->counted.len || fail_uncounted(r->figures, err);
	}
	code_marks_free(&found.functions);
	code_marks_free(&found.mapped);
	sort_counted(r->counted.at, r->counted.len);
	return ok;
}

/* ---- how often each block of one function ran ---- */

static uint32_t block_of(const struct scratch *s, uint32_t id)
{
	size_t below = ids_below(s->ids.at, s->ids.len, id);

	return below < s->ids.len && s->ids.at[below].id == id ? s->ids.at[below].block :
								 NO_BLOCK_OF_MAP;
}

static bool list_ids(struct scratch *s)
{
	s->ids.len = 0;
	for (uint32_t i = 0; i < s->function.blocks.len; i++)
		if (!block_id_vec_push(&s->ids, (struct block_id){s->function.blocks.at[i].id, i}))
			return false;
	sort_ids(s->ids.at, s->ids.len);
	return true;
}

/* The sum of the probabilities of the successors that exist.  It is one except for rounding; where
 * part of it is missing, control does not come back, or the compiler lost track of it. */
static double sum_of(const struct scratch *s, const struct map_block *block)
{
	double sum = 0;

	for (uint32_t i = 0; i < block->successors; i++) {
		const struct map_successor *to =
			&s->function.successors.at[block->first_successor + i];
		if (block_of(s, to->id) != NO_BLOCK_OF_MAP)
			sum += to->probability;
	}
	return sum;
}

static bool list_edges(struct scratch *s)
{
	s->edges.len = 0;
	for (uint32_t i = 0; i < s->function.blocks.len; i++) {
		const struct map_block *block = &s->function.blocks.at[i];
		double sum = sum_of(s, block);
		for (uint32_t k = 0; k < block->successors; k++) {
			const struct map_successor *to =
				&s->function.successors.at[block->first_successor + k];
			uint32_t target = block_of(s, to->id);
			if (target == NO_BLOCK_OF_MAP || !to->probability)
				continue;
			if (!probable_edge_vec_push(
				    &s->edges,
				    (struct probable_edge){i, target, to->probability / sum}))
				return false;
		}
	}
	return true;
}

/* By the compiler's frequencies, which are 0 if the map has none. */
static void take_frequencies(struct scratch *s)
{
	const struct map_block_vec *blocks = &s->function.blocks;
	double first = blocks->at[0].frequency ? (double)blocks->at[0].frequency : 1;

	for (size_t i = 0; i < blocks->len; i++)
		s->runs[i] = (double)blocks->at[i].frequency / first;
	s->runs[0] = 1;
}

static bool solve(struct scratch *s, bool *unsolved)
{
	size_t blocks = s->function.blocks.len;

	if (s->run_room < blocks) {
		free(s->runs);
		s->runs = malloc(blocks * sizeof(*s->runs));
		s->run_room = s->runs ? blocks : 0;
	}
	if (!s->runs || !list_ids(s) || !list_edges(s))
		return false;
	enum probabilities_result result =
		probabilities_solve(s->edges.at, s->edges.len, (uint32_t)blocks, s->runs);
	*unsolved = result == PROBABILITIES_TOO_MUCH;
	if (*unsolved)
		take_frequencies(s);
	return result != PROBABILITIES_NO_MEMORY;
}

/* ---- what that means for its code ---- */

/* The instructions of a block. */
struct body {
	const struct function *function;
	const struct insn_vec *insns;
	size_t first, end; /* nops at the end left out, unless there is nothing else */
	size_t behind;     /* the first after the block */
};

/* What is written of an instruction has more bytes than it: code counts as work several times. */
#define WORK_OF_CODE 4

/* More jumps than this at the end of one block no compiler writes; of a longer row the first ones
 * are not looked at. */
#define JUMPS_MOST 8

/* The ways out of a block: its jumps, and where it falls through to. */
struct exits {
	size_t jumps[JUMPS_MOST]; /* instructions, ascending */
	double taken[JUMPS_MOST];
	size_t count;
	const struct map_block *next; /* that it falls through to; NULL: none */
	double falls;
};

/* A fall-through that has not come to a branch yet. */
struct open_line {
	uint64_t from;
	double count;
};
#define LINES_MOST 16

struct writer {
	struct reading *reading;
	const struct scratch *scratch;
	struct counted *of;
	struct open_line lines[LINES_MOST];
	size_t line_count;
	double carried;               /* the sum of them */
	const struct map_block *next; /* that they lead to */
	bool no_memory;
};

static void add_step(struct writer *w, enum step_kind kind, uint64_t from, uint64_t to,
		     double count)
{
	if (count > 0 && !step_vec_push(&w->of->steps, (struct step){from, to, count, kind}))
		w->no_memory = true;
}

static uint64_t address_of(const struct body *body, size_t insn)
{
	return body->function->address + body->insns->at[insn].offset;
}

/* Finds the instructions of a block.  False: its code is not known, or none of it begins where the
 * block does. */
static bool find_body(struct writer *w, const struct map_block *block, struct body *out)
{
	const struct compiler_job *job = w->reading->job;
	const struct function *f = function_of(w->reading, block->address);
	const struct graph *graph = f ? cfg_find(job->graphs, f) : NULL;

	if (!graph || !graph->count || !graph->code.first_insn)
		return false;
	if (!work_spend(job->binary->image.work, WORK_BLOCK_MAP,
			(uint64_t)WORK_OF_CODE * block->size)) {
		atomic_store(&w->reading->too_large, true);
		return false;
	}
	uint64_t start = block->address - f->address, most = f->size;
	const struct insn_vec *insns = &graph->code.insns;
	*out = (struct body){.function = f, .insns = insns};
	out->first = insns_before(insns->at, insns->len, start);
	out->behind = out->end = insns_before(
		insns->at, insns->len, start + block->size < most ? start + block->size : most);
	if (out->first == out->end || insns->at[out->first].offset != start)
		return false;
	while (out->end - out->first > 1 && insns->at[out->end - 1].nop)
		out->end--;
	return true;
}

/* The block that runs instead of an emptied one; NULL: not known. */
static const struct map_block *not_empty(const struct scratch *s, uint32_t number)
{
	enum { ROW_MOST = 20 };

	for (int i = 0; number != NO_BLOCK_OF_MAP && i <= ROW_MOST; i++) {
		const struct map_block *block = &s->function.blocks.at[number];
		if (block->size)
			return block;
		number = block->successors ?
				 block_of(s, s->function.successors.at[block->first_successor].id) :
				 NO_BLOCK_OF_MAP;
	}
	return NULL;
}

/* Is nothing but a few nops between the end of a block and an address? */
static bool falls_to(const struct body *body, uint64_t to)
{
	enum { NOPS_MOST = 64 };
	size_t at = body->behind;

	for (int i = 0; at < body->insns->len && i < NOPS_MOST && address_of(body, at) != to &&
			body->insns->at[at].nop;
	     i++)
		at++;
	return at < body->insns->len && address_of(body, at) == to;
}

static void find_jumps(const struct body *body, struct exits *out)
{
	*out = (struct exits){0};
	for (size_t i = body->end; i-- > body->first && out->count < JUMPS_MOST;)
		if (insn_jumps(body->insns->at[i]))
			out->jumps[out->count++] = i;
	for (size_t i = 0; i < out->count / 2; i++) {
		size_t first = out->jumps[i];
		out->jumps[i] = out->jumps[out->count - 1 - i];
		out->jumps[out->count - 1 - i] = first;
	}
}

/* Finds how a block leads to a successor. */
static void take_successor(struct writer *w, const struct body *body, const struct map_block *to,
			   double count, struct exits *exits)
{
	const struct insn *last = &body->insns->at[body->end - 1];

	for (size_t i = 0; i < exits->count; i++)
		if (body->insns->at[exits->jumps[i]].target == to->address) {
			exits->taken[i] += count;
			return;
		}
	if (to->is & MAP_LANDING_PAD)
		return; /* by an exception */
	if (last->kind == INSN_JUMP_INDIRECT) {
		add_step(w, STEP_BRANCH, address_of(body, body->end - 1), to->address, count);
	} else if (last->kind != INSN_JUMP && (!exits->next || exits->next == to) &&
		   falls_to(body, to->address)) {
		exits->next = to;
		exits->falls += count;
	}
}

/* ---- fall-throughs: up to the next branch, as a processor records them ---- */

static void end_lines(struct writer *w, uint64_t at)
{
	for (size_t i = 0; i < w->line_count; i++)
		add_step(w, STEP_LINE, w->lines[i].from, at, w->lines[i].count);
	w->line_count = 0;
	w->carried = 0;
}

/* Begins a line at the end of a block, of what falls through to the next one; what came there by
 * lines that did not end is part of that. */
static void begin_line(struct writer *w, uint64_t from, const struct map_block *next, double count)
{
	count -= w->carried;
	w->next = next;
	if (!(count > 0))
		return;
	w->lines[w->line_count++] = (struct open_line){from, count};
	w->carried += count;
}

/* Ends the lines that lead to a block, unless it has no branch and they continue; the instructions
 * are known if `body` is not NULL. */
static void pass_lines(struct writer *w, const struct map_block *block, const struct body *body)
{
	if (w->line_count && w->next != block)
		end_lines(w, w->next->address);
	for (size_t i = body ? body->first : 0; body && i < body->end; i++)
		if (insn_is_branch(body->insns->at[i])) {
			end_lines(w, address_of(body, i));
			return;
		}
	if (!body || w->line_count == LINES_MOST)
		end_lines(w, block->address);
}

/* llvm-bolt ends a block after each conditional jump: what is left continues from one to the next.
 * A jump right after one is in its block. */
static void write_exits(struct writer *w, const struct body *body, const struct exits *exits,
			double count)
{
	for (size_t i = 0; i < exits->count; i++) {
		size_t jump = exits->jumps[i];
		add_step(w, STEP_BRANCH, address_of(body, jump), body->insns->at[jump].target,
			 exits->taken[i]);
		count -= exits->taken[i];
		if (i + 1 < exits->count && body->insns->at[jump + 1].kind != INSN_JUMP)
			add_step(w, STEP_LINE, address_of(body, jump),
				 address_of(body, exits->jumps[i + 1]), count);
	}
}

static void write_calls(struct writer *w, const struct body *body, double count)
{
	for (size_t i = body->first; i < body->end; i++)
		if (body->insns->at[i].kind == INSN_CALL)
			add_step(w, STEP_CALL, address_of(body, i), body->insns->at[i].target,
				 count);
}

static void write_block(struct writer *w, uint32_t number)
{
	const struct scratch *s = w->scratch;
	const struct map_block *block = &s->function.blocks.at[number];
	double count = s->runs[number] * w->of->entries;
	struct exits exits;
	struct body body;

	if (!block->size)
		return;
	bool known = count > 0 && find_body(w, block, &body);
	pass_lines(w, block, known ? &body : NULL);
	if (!known) {
		w->of->no_code |= count > 0;
		return;
	}
	const struct insn *last = &body.insns->at[body.end - 1];
	double sum = sum_of(s, block);
	write_calls(w, &body, count);
	if (!block->successors && last->kind == INSN_JUMP &&
	    function_of(w->reading, last->target) != body.function) {
		add_step(w, STEP_CALL, address_of(&body, body.end - 1), last->target, count);
		return;
	}
	find_jumps(&body, &exits);
	for (uint32_t i = 0; i < block->successors; i++) {
		const struct map_successor *next =
			&s->function.successors.at[block->first_successor + i];
		const struct map_block *to = not_empty(s, block_of(s, next->id));
		if (to && next->probability)
			take_successor(w, &body, to, count * next->probability / sum, &exits);
	}
	write_exits(w, &body, &exits, count);
	if (exits.next)
		begin_line(w, address_of(&body, body.end - 1), exits.next, exits.falls);
	else
		end_lines(w, block->address);
}

static void count_function(void *ctx, size_t index, unsigned worker)
{
	struct reading *r = ctx;
	struct scratch *s = &r->scratch[worker];
	struct counted *of = &r->counted.at[index];
	struct block_map map = of->at;
	struct writer w = {.reading = r, .scratch = s, .of = of};

	bool ok = block_map_next(&map, &s->function) && solve(s, &of->unsolved);
	for (uint32_t i = 0; ok && i < s->function.blocks.len && !w.no_memory; i++)
		write_block(&w, i);
	if (w.line_count)
		end_lines(&w, w.next->address);
	if (!ok || w.no_memory)
		atomic_store(&r->no_memory,
			     true); /* the same bytes were read before: nothing else can be wrong */
}

/* ---- all of them ---- */

static struct counted *called_by(struct reading *r, const struct step *call)
{
	size_t below = call->kind == STEP_CALL ?
			       counted_below(r->counted.at, r->counted.len, call->to) :
			       r->counted.len;

	return below < r->counted.len && r->counted.at[below].function->address == call->to ?
		       &r->counted.at[below] :
		       NULL;
}

static void sum_calls(struct reading *r)
{
	for (size_t i = 0; i < r->counted.len; i++) {
		const struct step_vec *steps = &r->counted.at[i].steps;
		for (size_t k = 0; k < steps->len; k++) {
			struct counted *callee = called_by(r, &steps->at[k]);
			if (callee)
				callee->called += steps->at[k].count;
		}
	}
	for (size_t i = 0; i < r->counted.len; i++) {
		const struct counted *f = &r->counted.at[i];
		r->figures->undercounted +=
			!r->figures->forced && f->called > COMPILER_CALLS_MOST * f->entries;
		r->figures->no_code += f->no_code;
		r->figures->unsolved += f->unsolved;
	}
}

/* Records that are on their way to the sink. */
struct delivery {
	const struct event_sink *sink;
	struct trace_record records[256];
	size_t count;
};

static bool deliver(struct delivery *d, struct bc_error *err)
{
	const struct event event = {.kind = EVENT_TRACES, .traces = {d->records, d->count}};

	d->count = 0;
	return !event.traces.count || event_deliver(d->sink, &event, err);
}

static bool add_record(struct delivery *d, struct trace trace, double count, struct bc_error *err)
{
	if (!(count >= 0.5))
		return true;
	d->records[d->count++] = (struct trace_record){
		.trace = trace,
		.count = count < 0x1p62 ? (uint64_t)(count + 0.5) : (uint64_t)1 << 62};
	return d->count < BC_COUNT(d->records) || deliver(d, err);
}

/* Where more calls of a function are known than it was entered, each is taken for less.  Calls of a
 * function that has no count are left out: by them alone llvm-bolt would lay its blocks out, of
 * which nothing is known. */
static bool add_steps(struct reading *r, const struct counted *f, struct delivery *d,
		      struct bc_error *err)
{
	for (size_t i = 0; i < f->steps.len; i++) {
		const struct step *step = &f->steps.at[i];
		const struct counted *callee = called_by(r, step);
		if (step->kind == STEP_CALL && !callee && function_of(r, step->to))
			continue;
		double share = callee && callee->called > callee->entries ?
				       callee->entries / callee->called :
				       1;
		struct trace trace = step->kind == STEP_LINE ?
					     trace_of_words(TRACE_FT_ONLY, step->from, step->to) :
					     trace_of_words(step->from, step->to, TRACE_BR_ONLY);
		if (!add_record(d, trace, step->count * share, err))
			return false;
	}
	return add_record(d, trace_of_words(TRACE_EXTERNAL, f->function->address, TRACE_BR_ONLY),
			  f->entries - f->called, err);
}

static bool deliver_all(struct reading *r, const struct event_sink *sink, struct bc_error *err)
{
	struct delivery d = {.sink = sink};
	bool ok = event_deliver(sink, &(struct event){.kind = EVENT_BEGIN}, err);

	for (size_t i = 0; ok && i < r->counted.len; i++)
		ok = add_steps(r, &r->counted.at[i], &d, err);
	return event_end(sink, ok && deliver(&d, err), err);
}

static bool count_all(struct reading *r, const struct event_sink *sink, struct bc_error *err)
{
	const struct compiler_job *job = r->job;
	const struct binary *binary = job->binary;

	if (!find_counted(r, err) ||
	    !cfg_build_code(&binary->image, &binary->functions, r->chosen.at, r->chosen.len,
			    job->threads, job->graphs, err))
		return false;
	parallel_for(job->threads, r->counted.len, count_function, r);
	if (atomic_load(&r->too_large))
		return work_fail(binary->image.work, err);
	if (atomic_load(&r->no_memory))
		return bc_fail_nomem(err);
	sum_calls(r);
	return deliver_all(r, sink, err);
}

bool compiler_counts_read(const struct compiler_job *wanted, const struct event_sink *sink,
			  struct compiler_counts *out, struct bc_error *err)
{
	struct compiler_job job = *wanted;
	struct reading r = {.job = &job, .figures = out};

	*out = (struct compiler_counts){0};
	job.threads = job.threads < PARALLEL_MOST ? job.threads : PARALLEL_MOST;
	r.scratch = calloc(job.threads, sizeof(*r.scratch));
	bool ok = r.scratch ? count_all(&r, sink, err) : bc_fail_nomem(err);
	for (unsigned i = 0; r.scratch && i < job.threads; i++) {
		map_function_free(&r.scratch[i].function);
		block_id_vec_free(&r.scratch[i].ids);
		probable_edge_vec_free(&r.scratch[i].edges);
		free(r.scratch[i].runs);
	}
	free(r.scratch);
	for (size_t i = 0; i < r.counted.len; i++)
		step_vec_free(&r.counted.at[i].steps);
	counted_vec_free(&r.counted);
	chosen_vec_free(&r.chosen);
	return ok;
}

double compiler_counted_percent(const struct compiler_counts *f)
{
	return percent_of(f->counted, f->mapped);
}

double compiler_undercounted_percent(const struct compiler_counts *f)
{
	return percent_of(f->undercounted, f->counted);
}

bool compiler_counts_few(const struct compiler_counts *f)
{
	return !f->forced && compiler_counted_percent(f) < COMPILER_COUNTED_LEAST;
}

bool compiler_counts_older(const struct compiler_counts *f)
{
	return f->counted >= COMPILER_CONTRADICTED_OF &&
	       compiler_undercounted_percent(f) > COMPILER_CONTRADICTED_MOST;
}
