/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/traces.h"

#include <stdlib.h>

#include "src/base/sort.h"

/* ---- where instructions begin ---- */

#define WORD_BITS 64
#define LONGEST   15 /* bytes of an instruction */

bool insn_starts_open(struct insn_starts *starts, const struct binary *binary, struct bc_error *err)
{
	*starts = (struct insn_starts){.binary = binary};
	return start_bits_make(&starts->of, &binary->functions) || bc_fail_nomem(err);
}

void insn_starts_share(struct insn_starts *starts, const struct cfg *graphs)
{
	starts->graphs = graphs;
	for (uint32_t i = 0; graphs->of && i < graphs->functions->count; i++)
		if (graphs->of[i])
			atomic_store_explicit(start_bits_of(&starts->of, (struct code_number){i}),
					      graphs->of[i]->starts, memory_order_relaxed);
}

void insn_starts_close(struct insn_starts *starts)
{
	for (uint32_t i = 0; starts->of.at && i < starts->binary->functions.count; i++) {
		const struct graph *graph =
			starts->graphs ?
				cfg_find(starts->graphs, &starts->binary->functions.at[i]) :
				NULL;
		uint64_t *bits = atomic_load_explicit(
			start_bits_of(&starts->of, (struct code_number){i}), memory_order_relaxed);
		if (!graph || bits != graph->starts)
			free(bits);
	}
	start_bits_free(&starts->of);
	*starts = (struct insn_starts){0};
}

static bool has_bit(const uint64_t *bits, uint32_t at)
{
	return bits[at / WORD_BITS] >> at % WORD_BITS & 1;
}

/* The function's bytes as far as they are there. */
static struct bytes code_of(const struct binary *binary, const struct function *function)
{
	uint64_t size = function->size < UINT32_MAX ? function->size : UINT32_MAX;

	return bytes_first(image_bytes_at(&binary->image, (struct vaddr){function->address}), size);
}

/* From a known beginning to the next one.  `decoder` is asked where a length is not known, if it is
 * not NULL. */
static void read_run(enum machine machine, struct decoder *decoder, struct bytes code, size_t at,
		     size_t end, uint64_t *bits)
{
	struct insn insn;

	for (size_t length = 1; length && at < end; at += length) {
		bits[at / WORD_BITS] |= UINT64_C(1) << at % WORD_BITS;
		if (!decoder)
			insn = insn_decode(machine, bytes_from(code, at), 0);
		else if (!decoder_next(decoder, bytes_from(code, at), 0, &insn))
			insn.size = 0;
		length = insn.size;
	}
}

/* Entries are in ascending order, except for those of blocks that were never emitted. */
static void read_fragment(const struct binary *binary, const struct bat_fragment *fragment,
			  struct bytes code, uint64_t *bits)
{
	const struct bat_entry *entries = binary->bat.entries + fragment->first_entry;
	size_t at = 0;

	for (uint32_t i = 0; i < fragment->entry_count; i++) {
		size_t next = entries[i].output;
		if (next <= at || next >= code.size)
			continue;
		read_run(binary->image.machine, NULL, code, at, next, bits);
		at = next;
	}
	read_run(binary->image.machine, NULL, code, at, code.size, bits);
}

static uint64_t *read_function(const struct binary *binary, struct decoder *decoder,
			       const struct function *function)
{
	struct bytes code = code_of(binary, function);
	uint64_t *bits = calloc(code.size / WORD_BITS + 1, sizeof(*bits));
	uint32_t fragment = binary->fragment_of[function - binary->functions.at];

	if (!bits)
		return NULL;
	if (fragment == NO_FRAGMENT)
		read_run(binary->image.machine, decoder, code, 0, code.size, bits);
	else
		read_fragment(binary, &binary->bat.fragments[fragment], code, bits);
	return bits;
}

/* Two threads may read one function: the first one's bits stay.  NULL: out of memory. */
static const uint64_t *bits_of(struct insn_starts *starts, struct decoder *decoder,
			       const struct function *function)
{
	_Atomic(uint64_t *) *place = start_bits_of(
		&starts->of, functions_code_number(&starts->binary->functions, function));
	uint64_t *known = atomic_load_explicit(place, memory_order_acquire);

	if (known)
		return known;
	uint64_t *bits = read_function(starts->binary, decoder, function);
	if (!bits || atomic_compare_exchange_strong(place, &known, bits))
		return bits;
	free(bits);
	return known;
}

/* The last beginning in front of `at` from which an instruction could reach it. */
static bool beginning_before(const uint64_t *bits, uint32_t at, uint32_t *out)
{
	for (uint32_t back = 1; back <= LONGEST && back <= at; back++)
		if (has_bit(bits, at - back)) {
			*out = at - back;
			return true;
		}
	return false;
}

enum insn_verdict insn_begins(struct insn_starts *starts, struct decoder *decoder,
			      struct output_place place)
{
	struct bytes code = code_of(starts->binary, place.function);
	uint32_t before;

	if (place.function->kind == FUNCTION_PLT || place.offset >= code.size)
		return INSN_UNSURE;
	const uint64_t *bits = bits_of(starts, decoder, place.function);
	if (!bits)
		return INSN_NO_MEMORY;
	if (has_bit(bits, place.offset))
		return INSN_YES;
	if (!beginning_before(bits, place.offset, &before))
		return INSN_UNSURE;
	struct insn insn;
	if (!decoder_next(decoder, bytes_from(code, before), 0, &insn))
		return INSN_UNSURE;
	return place.offset - before < insn.size ? INSN_NO : INSN_UNSURE;
}

enum insn_verdict insn_is_return(struct insn_starts *starts, struct decoder *decoder,
				 struct output_place place, struct insn insn)
{
	if (!place.function || insn.kind != INSN_RETURN)
		return INSN_NO;
	enum insn_verdict begins = place.fragment ? INSN_YES : insn_begins(starts, decoder, place);
	return begins == INSN_UNSURE ? INSN_YES : begins;
}

enum insn_verdict insn_follows_call(struct insn_starts *starts, struct decoder *decoder,
				    struct output_place place)
{
	struct bytes code = code_of(starts->binary, place.function);
	struct insn insn;
	uint32_t before;

	if (place.function->kind == FUNCTION_PLT || !place.offset || place.offset >= code.size)
		return INSN_NO;
	const uint64_t *bits = bits_of(starts, decoder, place.function);
	if (!bits)
		return INSN_NO_MEMORY;
	if (!beginning_before(bits, place.offset, &before) ||
	    !decoder_next(decoder, bytes_from(code, before), place.function->address + before,
			  &insn) ||
	    before + insn.size < place.offset)
		return INSN_UNSURE;
	return insn_is_call(insn) && before + insn.size == place.offset ? INSN_YES : INSN_NO;
}

static bool follows_call(struct return_places *places, struct output_place at)
{
	if (!at.function)
		return false;
	enum insn_verdict verdict = insn_follows_call(places->starts, places->decoder, at);
	places->no_memory |= verdict == INSN_NO_MEMORY;
	return verdict == INSN_YES;
}

bool return_places_has(struct return_places *places, struct trace trace, struct output_place from)
{
	if (!return_places_may_have(places, trace) || !from.function)
		return false;
	if (!trace_end_equal(trace.from, places->last)) {
		places->last = trace.from;
		places->last_has = follows_call(places, from) &&
				   !labels_have(places->pads, trace_end_vaddr(trace.from).v);
	}
	return places->last_has;
}

/* ---- the walk ---- */

/* For each function the offset of the last entry of its fragment; UINT32_MAX: it has none.  Both
 * ends of each row ask this, and they lie anywhere: the table itself would not be in the cache. */
static bool list_last_entries(const struct binary *binary, uint32_t **out, struct bc_error *err)
{
	size_t count = binary->functions.count;
	uint32_t *last = malloc((count + 1) * sizeof(*last));

	*out = last;
	if (!last)
		return bc_fail_nomem(err);
	for (size_t i = 0; i < count; i++) {
		const struct bat_fragment *f = binary_place_in(binary, (uint32_t)i, 0).fragment;
		last[i] = f && f->entry_count ?
				  binary->bat.entries[f->first_entry + f->entry_count - 1].output :
				  UINT32_MAX;
	}
	return true;
}

bool trace_facts_open(struct located_counts *located, const struct pair *pair,
		      const struct aggregate *aggregate, struct trace_facts *out,
		      struct bc_error *err)
{
	*out = (struct trace_facts){.located = located,
				    .pair = pair,
				    .returns = &aggregate->returns,
				    .typed = &aggregate->counter.types.inside,
				    .rules = aggregate->options.rules,
				    .imputes = aggregate->options.impute};
	const struct binary *binary = located->binary;
	out->passes = binary->kind == BINARY_BOLTED && rules_restore(&out->rules, RESTORE_INSERTED);
	return insn_starts_open(&out->starts, binary, err) &&
	       (!out->passes ||
		(thunks_read(&binary->image, &binary->functions.symbols, &out->thunks, err) &&
		 list_last_entries(binary, &out->last_entries, err)));
}

void trace_facts_close(struct trace_facts *facts)
{
	insn_starts_close(&facts->starts);
	thunks_free(&facts->thunks);
	label_vec_free(&facts->pads);
	free(facts->last_entries);
}

void trace_walk_open(struct trace_walk *walk, struct trace_facts *facts)
{
	*walk = (struct trace_walk){.facts = facts,
				    .places = {.starts = &facts->starts,
					       .decoder = &walk->decoder,
					       .pads = &facts->pads,
					       .used = facts->rules.returns_by_place,
					       .last = trace_end_of(TRACE_END_EXTERNAL)}};
	decoder_open(facts->located->binary->image.machine, &walk->decoder);
}

void trace_walk_close(struct trace_walk *walk)
{
	decoder_close(&walk->decoder);
}

/* ---- is a branch a return? ---- */

/* Does an instruction of the input end right there, which is a call? */
static bool follows_old_call(const struct pair *pair, struct old_place at)
{
	const struct graph *graph = cfg_find(&pair->graphs, at.input);
	size_t count =
		graph ? insns_before(graph->code.insns.at, graph->code.insns.len, at.offset) : 0;
	const struct insn *before = count ? &graph->code.insns.at[count - 1] : NULL;

	return before && insn_is_call(*before) && before->offset + before->size == at.offset;
}

static bool is_old_return(const struct trace_walk *walk, const struct located_trace *t)
{
	const struct trace_facts *facts = walk->facts;
	struct old_place target = old_place_by_rules(&facts->rules, t->old_from);

	if (old_place_by_rules(&facts->rules, t->old_source).input)
		return t->insn.kind == INSN_RETURN;
	return target.input && return_places_may_have(&walk->places, t->trace) &&
	       follows_old_call(facts->pair, target);
}

static bool is_return(struct trace_walk *walk, const struct located_trace *t)
{
	const struct trace_facts *facts = walk->facts;
	struct trace_end branch = t->trace.branch;
	enum insn_verdict by_insn =
		trace_end_is(branch, TRACE_END_FT_RETURN) ?
			INSN_YES :
			insn_is_return(&walk->facts->starts, &walk->decoder, t->source, t->insn);

	walk->no_memory |= by_insn == INSN_NO_MEMORY;
	if (by_insn == INSN_YES || is_old_return(walk, t))
		return true;
	if (returns_has(facts->returns, branch)) {
		walk->found.by_type +=
			number_set_has(facts->typed, branch.word) ? t->row->count : 0;
		return true;
	}
	if (!return_places_has(&walk->places, t->trace, t->from))
		return false;
	walk->found.by_address += trace_end_is(branch, TRACE_END_EXTERNAL) ? t->row->count : 0;
	return true;
}

/* ---- where the ends lie ---- */

/* Where a trace ends; rows come as they are sorted. */
static struct trace_end end_of(struct trace_walk *walk, const struct count_row *row,
			       struct output_place from)
{
	return walk->facts->imputes ?
		       impute_end(&walk->impute, walk->facts->located->binary, row, from) :
		       trace_of(row->key).to;
}

/* Where that lies; `at`: the locations of the row. */
static struct output_place place_of_end(const struct trace_facts *facts, const struct location *at,
					struct output_place from, struct trace_end end)
{
	if (trace_end_is(end, TRACE_END_NONE))
		return (struct output_place){0};
	return facts->imputes ?
		       binary_place(facts->located->binary, trace_end_vaddr(end), from.function) :
		       located_place(facts->located, at[END_TO]);
}

static void find_old_places(const struct pair *pair, struct located_trace *t)
{
	t->old_from = pair_old_place(pair, trace_end_vaddr(t->trace.from).v);
	if (trace_end_is(t->trace.branch, TRACE_END_VADDR))
		t->old_source = pair_old_place(pair, trace_end_vaddr(t->trace.branch).v);
	if (!trace_end_is(t->end, TRACE_END_NONE))
		t->old_to = pair_old_place(pair, trace_end_vaddr(t->end).v);
}

static struct located_trace locate(struct trace_walk *walk, const struct count_row *row,
				   const struct location *at, struct output_place source)
{
	const struct trace_facts *facts = walk->facts;
	struct located_trace t = {.row = row,
				  .trace = trace_of(row->key),
				  .source = source,
				  .from = located_place(facts->located, at[END_FROM])};

	t.end = end_of(walk, row, t.from);
	t.to = place_of_end(facts, at, t.from, t.end);
	t.insn = build_check_insn(&facts->located->binary->image, trace_end_vaddr(t.trace.branch));
	if (facts->pair)
		find_old_places(facts->pair, &t);
	t.returns = is_return(walk, &t);
	return t;
}

/* ---- jumps that llvm-bolt made ---- */

/* Where a jump after all blocks of its fragment leads, to another fragment of the function; else 0.
 * With -split-eh llvm-bolt puts one there for each landing pad that calls of the fragment have in
 * another one, and it is their landing pad then. */
static uint64_t leads_across(const struct binary *binary, struct output_place place)
{
	const struct bat_table *bat = &binary->bat;
	struct insn insn = build_check_insn(&binary->image,
					    (struct vaddr){place.function->address + place.offset});
	const struct bat_fragment *other =
		insn.kind == INSN_JUMP && insn_is_direct(insn) ? bat_find(bat, insn.target) : NULL;

	return other && other != place.fragment && other->parent == place.fragment->parent ?
		       insn.target :
		       0;
}

/* Does the location come after all that the table has of its fragment? */
static bool is_after_blocks(const struct trace_facts *facts, struct location at)
{
	return at.function != LOCATION_NONE && at.offset > facts->last_entries[at.function];
}

/* Where llvm-bolt's own code leads on to that is no code of the input: a thunk, or a jump to a
 * landing pad; else 0. */
static uint64_t made_way(const struct trace_facts *facts, struct trace_end end,
			 struct output_place place)
{
	const struct binary *binary = facts->located->binary;

	if (!trace_end_is(end, TRACE_END_VADDR))
		return 0;
	uint64_t address = trace_end_vaddr(end).v;
	const struct thunk *thunk = thunks_find(&facts->thunks, address);
	if (thunk)
		return thunk->target;
	if (!place.function || !labels_have(&facts->pads, address))
		return 0;
	struct location at = {(uint32_t)(place.function - binary->functions.at), place.offset};
	return is_after_blocks(facts, at) ? leads_across(binary, place) : 0;
}

/* A call through a thunk is one call, and an exception continues at the landing pad. */
static void pass_made(const struct trace_facts *facts, struct located_trace *t)
{
	uint64_t target = made_way(facts, t->trace.from, t->from);

	t->of_thunk = made_way(facts, t->trace.branch, t->source);
	if (!target)
		return;
	t->into_thunk = true;
	t->trace.from = trace_end_at((struct vaddr){target});
	t->from = binary_place(facts->located->binary, (struct vaddr){target}, NULL);
	if (facts->pair)
		find_old_places(facts->pair, t);
}

/* ---- notes ---- */

static void mark(atomic_bool *marks, uint32_t number)
{
	atomic_store_explicit(&marks[number], true, memory_order_relaxed);
}

/* Notes the function of the input whose code ran at one end. */
static void note_input(const struct trace_facts *facts, struct trace_end end, struct location at,
		       atomic_bool *ran)
{
	const struct pair *pair = facts->pair;
	const struct function *input =
		old_place_by_rules(&facts->rules, pair_old_place(pair, trace_end_vaddr(end).v))
			.input;

	if (!input) {
		struct output_place place = located_place(facts->located, at);
		const struct function *owner =
			place.fragment ? binary_owner(pair->output, place) : NULL;
		input = owner ? pair_input_of(pair, owner) : NULL;
	}
	if (input)
		mark(ran, (uint32_t)(input - pair->functions.at));
}

static void note_output(const struct trace_facts *facts, struct location at, atomic_bool *entered)
{
	if (at.function != LOCATION_NONE &&
	    facts->located->binary->functions.at[at.function].kind == FUNCTION_CODE)
		mark(entered, at.function);
}

/* Notes the graph that a line is walked through, and where something from outside led. */
static void note_line(struct trace_walk *walk, const struct count_row *row,
		      const struct location *at, const struct trace_notes *notes)
{
	const struct trace_facts *facts = walk->facts;
	struct trace trace = trace_of(row->key);
	bool entered = return_places_may_have(&walk->places, trace),
	     line = trace_has_fall_through(&trace) || facts->imputes;

	if (!line && !entered)
		return;
	struct output_place from = located_place(facts->located, at[END_FROM]);
	if (entered && from.function && from.offset)
		mark(notes->behind, at[END_FROM].function);
	if (!line)
		return;
	struct trace_end end = end_of(walk, row, from);
	if (from.function && !from.fragment && from.function->kind != FUNCTION_PLT &&
	    place_of_end(facts, at, from, end).function == from.function)
		mark(notes->walked, at[END_FROM].function);
}

/* Notes a function of which the landing pads have to be known, for jumps to some of them. */
static void note_pads(const struct trace_facts *facts, struct location at,
		      const struct trace_notes *notes)
{
	if (is_after_blocks(facts, at) &&
	    leads_across(facts->located->binary, located_place(facts->located, at)))
		mark(notes->behind, at.function);
}

void traces_note(struct trace_walk *walk, size_t shard, const struct trace_notes *notes)
{
	const struct trace_facts *facts = walk->facts;
	const struct count_table *table = located_rows(facts->located, shard);

	walk->impute = (struct impute){0};
	for (size_t i = 0; i < table->used; i++) {
		const struct count_row *row = &table->rows[i];
		const struct location *at = located_row(facts->located, shard, i);
		struct trace trace = trace_of(row->key);
		note_line(walk, row, at, notes);
		note_output(facts, at[END_FROM], notes->entered);
		note_output(facts, at[END_BRANCH], notes->entered);
		if (facts->passes) {
			note_pads(facts, at[END_FROM], notes);
			note_pads(facts, at[END_BRANCH], notes);
		}
		if (notes->ran) {
			note_input(facts, trace.from, at[END_FROM], notes->ran);
			if (trace_end_is(trace.branch, TRACE_END_VADDR))
				note_input(facts, trace.branch, at[END_BRANCH], notes->ran);
		}
	}
}

/* ---- the walk ---- */

/* Rows that are looked up together. */
#define ROWS_AHEAD ((size_t)32)

/* For most fragments all entries, of large ones those where a search begins. */
#define ENTRIES_LINE  ((uint32_t)(64 / sizeof(struct bat_entry)))
#define ENTRIES_ASKED (8 * ENTRIES_LINE)

static void prefetch_entries(const struct bat_table *bat, const struct bat_fragment *f)
{
	const struct bat_entry *entries = bat->entries + f->first_entry;
	uint32_t step = f->entry_count > ENTRIES_ASKED ? f->entry_count / 8 : ENTRIES_LINE;

	for (uint32_t i = 0; i < f->entry_count; i += step)
		__builtin_prefetch(&entries[i]);
}

/* Branches come from anywhere in the binary: ask for the memory of all of some
 * rows before the first is needed. */
static void prefetch_sources(const struct trace_facts *facts, const struct count_row *rows,
			     const struct location *at, size_t count, struct output_place *sources)
{
	const struct binary *binary = facts->located->binary;

	for (size_t i = 0; i < count; i++) {
		struct trace_end branch = trace_of(rows[i].key).branch;
		uint32_t source = at[i * END_COUNT + END_BRANCH].function;
		__builtin_prefetch(image_bytes_at(&binary->image, trace_end_vaddr(branch)).data);
		if (source != LOCATION_NONE)
			__builtin_prefetch(&binary->fragment_of[source]);
		returns_prefetch(facts->returns, branch);
	}
	for (size_t i = 0; i < count; i++) {
		sources[i] = located_place(facts->located, at[i * END_COUNT + END_BRANCH]);
		__builtin_prefetch(sources[i].fragment);
	}
	for (size_t i = 0; i < count; i++)
		if (sources[i].fragment)
			prefetch_entries(&binary->bat, sources[i].fragment);
}

void traces_walk(struct trace_walk *walk, size_t shard, trace_fn *take, void *ctx)
{
	struct located_counts *located = walk->facts->located;
	const struct count_table *table = located_rows(located, shard);
	struct output_place sources[ROWS_AHEAD];

	walk->impute = (struct impute){0};
	for (size_t i = 0; i < table->used; i += ROWS_AHEAD) {
		size_t count = table->used - i < ROWS_AHEAD ? table->used - i : ROWS_AHEAD;
		const struct location *at = located_row(located, shard, i);
		prefetch_sources(walk->facts, table->rows + i, at, count, sources);
		for (size_t k = 0; k < count; k++) {
			struct located_trace t =
				locate(walk, &table->rows[i + k], &at[k * END_COUNT], sources[k]);
			build_check_trace(&located->binary->image, &t.trace, t.insn, t.row->count,
					  &walk->check);
			if (walk->facts->passes)
				pass_made(walk->facts, &t);
			take(ctx, &t);
		}
	}
}
