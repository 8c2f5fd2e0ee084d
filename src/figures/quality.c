/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/quality.h"

#include <stdlib.h>

#include "src/base/counts.h"
#include "src/base/sort.h"
#include "src/base/vec.h"
#include "src/flow/conversion.h"

/* ---- stability ---- */

#define NO_BLOCK  UINT32_MAX
#define HOT_SHARE 0.9 /* the fewest blocks that hold so much are hot */

/* A block begins where control arrived in one of the halves, and at the beginning of its function.
 */
struct place {
	uint32_t function; /* its number, by name, in the binary */
	uint32_t at;
	uint64_t counts[2]; /* how often control arrived there */
	uint64_t key;       /* the one of both that places are sorted by */
	bool hot[2];
};
DEFINE_VEC(place_vec, struct place);

/* From a block to another, and how often in each half. */
struct block_edge {
	uint32_t from, to; /* numbers of places */
	uint64_t counts[2];
	uint64_t key; /* the one of both that edges are sorted by */
};
DEFINE_VEC(block_edge_vec, struct block_edge);

/* The layout of a half: chains of blocks, each of which falls through to the next. */
struct chains {
	uint32_t *next, *before; /* by place; NO_BLOCK: none */
	uint32_t *head; /* by place: a place that is nearer to the first of its chain, or that
			   itself */
	bool *seen;     /* by place: the half has counts of what it led to */
};

struct taking {
	struct place_vec places; /* by function, then by offset */
	struct block_edge_vec edges;
	double calls[2]; /* which are taken in every layout, and return */
};

static bool place_less(const struct place *a, const struct place *b)
{
	return a->function != b->function ? a->function < b->function : a->at < b->at;
}
DEFINE_SORT(sort_places, struct place, place_less)
DEFINE_UNIFY(unify_places, struct place, !place_less(last, item), (void)0)

static bool edge_less(const struct block_edge *a, const struct block_edge *b)
{
	return a->from != b->from ? a->from < b->from : a->to < b->to;
}
DEFINE_SORT(sort_edges, struct block_edge, edge_less)

static void add_counts(uint64_t to[2], const uint64_t counts[2])
{
	for (int k = 0; k < 2; k++)
		to[k] = count_add_saturating(to[k], counts[k]);
}
DEFINE_UNIFY(unify_edges, struct block_edge, !edge_less(last, item),
	     add_counts(last->counts, item->counts))

/* ---- blocks ---- */

/* Within a function, but not to its first block: before that nothing falls through. */
static bool is_way(const struct record *record)
{
	return record->kind == RECORD_BRANCH && record->from.function == record->to.function &&
	       record->to.offset;
}

static uint32_t number_of(const struct profile *profile, const struct function *function)
{
	return (uint32_t)functions_name_number(&profile->binary->functions, function).v;
}

static bool list_places(const struct profile *half, struct place_vec *out)
{
	bool ok = true;

	for (size_t i = 0; ok && i < half->record_count; i++) {
		const struct record record = profile_record(half, i);
		if (!is_way(&record))
			continue;
		uint32_t function = number_of(half, record.from.function);
		ok = place_vec_push(out, (struct place){.function = function}) &&
		     place_vec_push(out,
				    (struct place){.function = function, .at = record.to.offset});
	}
	return ok;
}

DEFINE_SEARCH(place_behind, struct place, const struct place *, !place_less(key, item))

/* The block that holds an offset of a function that has blocks. */
static uint32_t block_at(const struct place_vec *places, uint32_t function, uint32_t at)
{
	const struct place wanted = {.function = function, .at = at};

	return (uint32_t)(place_behind(places->at, places->len, &wanted) - 1);
}

/* ---- edges ---- */

static bool list_edges(struct taking *t, const struct profile *half, int which)
{
	bool ok = true;

	for (size_t i = 0; ok && i < half->record_count; i++) {
		const struct record record = profile_record(half, i);
		if (!is_way(&record)) {
			t->calls[which] += record.kind == RECORD_BRANCH ? (double)record.count : 0;
			continue;
		}
		uint32_t function = number_of(half, record.from.function);
		struct block_edge edge = {block_at(&t->places, function, record.from.offset),
					  block_at(&t->places, function, record.to.offset),
					  {0},
					  0};
		edge.counts[which] = record.count;
		struct place *to = &t->places.at[edge.to];
		to->counts[which] = count_add_saturating(to->counts[which], record.count);
		ok = block_edge_vec_push(&t->edges, edge);
	}
	return ok;
}

/* ---- layouts ---- */

static uint32_t head_of(const struct chains *chains, uint32_t place)
{
	while (chains->head[place] != place) {
		chains->head[place] = chains->head[chains->head[place]];
		place = chains->head[place];
	}
	return place;
}

static bool chains_make(size_t places, struct chains *out)
{
	out->next = malloc((places + 1) * sizeof(*out->next));
	out->before = malloc((places + 1) * sizeof(*out->before));
	out->head = malloc((places + 1) * sizeof(*out->head));
	out->seen = calloc(places + 1, sizeof(*out->seen));
	if (!out->next || !out->before || !out->head || !out->seen)
		return false;
	for (uint32_t i = 0; i < places; i++) {
		out->next[i] = out->before[i] = NO_BLOCK;
		out->head[i] = i;
	}
	return true;
}

static void chains_free(struct chains *chains)
{
	free(chains->next);
	free(chains->before);
	free(chains->head);
	free(chains->seen);
}

static bool taken_more(const struct block_edge *a, const struct block_edge *b)
{
	return a->key != b->key ? a->key > b->key : edge_less(a, b);
}
DEFINE_SORT(sort_by_count, struct block_edge, taken_more)

/* Lays a half out: the edge with the highest count first, a block is put after another one if
 * nothing is between them yet. */
static void lay_out(struct block_edge_vec *edges, int which, struct chains *out)
{
	for (size_t i = 0; i < edges->len; i++)
		edges->at[i].key = edges->at[i].counts[which];
	sort_by_count(edges->at, edges->len);
	for (size_t i = 0; i < edges->len && edges->at[i].counts[which]; i++) {
		const struct block_edge *edge = &edges->at[i];
		uint32_t head = head_of(out, edge->from);
		out->seen[edge->from] = true;
		if (out->next[edge->from] != NO_BLOCK || out->before[edge->to] != NO_BLOCK ||
		    head == edge->to)
			continue;
		out->next[edge->from] = edge->to;
		out->before[edge->to] = edge->from;
		out->head[edge->to] = head;
	}
}

/* Taken branches of a half in a layout.  A block that the layout's half has not seen is
 * anywhere: every second of its branches is taken. */
static double taken(const struct taking *t, int which, const struct chains *layout)
{
	double sum = 2 * t->calls[which];

	for (size_t i = 0; i < t->edges.len; i++) {
		const struct block_edge *edge = &t->edges.at[i];
		double count = (double)edge->counts[which];
		if (!layout->seen[edge->from])
			sum += count / 2;
		else if (layout->next[edge->from] != edge->to)
			sum += count;
	}
	return sum;
}

static bool compare_layouts(struct taking *t, struct stability *out)
{
	struct chains layouts[2] = {0};
	bool ok =
		chains_make(t->places.len, &layouts[0]) && chains_make(t->places.len, &layouts[1]);

	for (int which = 0; ok && which < 2; which++)
		lay_out(&t->edges, which, &layouts[which]);
	for (int which = 0; ok && which < 2; which++) {
		double others = taken(t, which, &layouts[!which]);
		out->layout += others > 0 ? 50 * taken(t, which, &layouts[which]) / others : 0;
	}
	out->layout =
		out->layout > 100 ? 100 : out->layout; /* a layout is made step by step, so that
							  another one can be better by chance */
	chains_free(&layouts[0]);
	chains_free(&layouts[1]);
	return ok;
}

/* ---- counts of blocks ---- */

static bool hotter(const struct place *a, const struct place *b)
{
	return a->key != b->key ? a->key > b->key : place_less(a, b);
}
DEFINE_SORT(sort_hot, struct place, hotter)

static double sum_of(const struct place_vec *places, int which)
{
	double sum = 0;

	for (size_t i = 0; i < places->len; i++)
		sum += (double)places->at[i].counts[which];
	return sum;
}

/* Marks what is hot.  Leaves the places in another order. */
static void mark_hot(struct place_vec *places, int which, double sum)
{
	double seen = 0;

	for (size_t i = 0; i < places->len; i++)
		places->at[i].key = places->at[i].counts[which];
	sort_hot(places->at, places->len);
	for (size_t i = 0; i < places->len && seen < sum * HOT_SHARE; i++) {
		seen += (double)places->at[i].counts[which];
		places->at[i].hot[which] = true;
	}
}

static void compare_counts(struct place_vec *places, struct stability *out)
{
	const double sums[2] = {sum_of(places, 0), sum_of(places, 1)};

	if (!(sums[0] > 0) || !(sums[1] > 0)) {
		out->hot_differ = 100;
		return;
	}
	for (int which = 0; which < 2; which++)
		mark_hot(places, which, sums[which]);
	for (size_t i = 0; i < places->len; i++) {
		const struct place *p = &places->at[i];
		double shares[2] = {100 * (double)p->counts[0] / sums[0],
				    100 * (double)p->counts[1] / sums[1]};
		out->overlap += shares[0] < shares[1] ? shares[0] : shares[1];
		for (int which = 0; which < 2; which++)
			if (p->hot[which] && !p->hot[!which])
				out->hot_differ += shares[which] / 2;
	}
	out->overlap = out->overlap > 100 ? 100 : out->overlap; /* rounding */
}

bool stability_take(const struct profile halves[2], double moved, struct stability *out,
		    struct bc_error *err)
{
	struct taking t = {0};

	*out = (struct stability){0};
	bool ok = list_places(&halves[0], &t.places) && list_places(&halves[1], &t.places);
	sort_places(t.places.at, t.places.len);
	t.places.len = unify_places(t.places.at, t.places.len);
	ok = ok && list_edges(&t, &halves[0], 0) && list_edges(&t, &halves[1], 1);
	sort_edges(t.edges.at, t.edges.len);
	t.edges.len = unify_edges(t.edges.at, t.edges.len);
	ok = ok && compare_layouts(&t, out);
	if (ok)
		compare_counts(&t.places, out);
	out->percent = out->layout * (1 - moved / 100);
	place_vec_free(&t.places);
	block_edge_vec_free(&t.edges);
	return ok || bc_fail_nomem(err);
}

#define HOTTEST_PERCENT 90

/* ---- in which kind of code the program ran ---- */

struct placed {
	uint64_t address, count;
	enum code_place place;
};
DEFINE_VEC(placed_vec, struct placed);

static bool more_often(const struct placed *a, const struct placed *b)
{
	return a->count != b->count ? a->count > b->count : a->address < b->address;
}
DEFINE_SORT(sort_placed, struct placed, more_often)

const char *code_place_key(enum code_place place)
{
#define X(name, key, text) key,
	static const char *const keys[] = {CODE_PLACES(X)};
#undef X

	return keys[place];
}

enum code_place code_place_of(const struct binary *binary, struct output_place place)
{
	if (!place.function)
		return PLACE_NONE;
	if (place.function->kind == FUNCTION_PLT)
		return PLACE_PLT;
	if (place.fragment)
		return place.fragment->cold ? PLACE_COLD : PLACE_HOT;
	bool old = text_is(binary->image.sections[place.function->section].name, ".bolt.org.text");
	bool moved = binary->kind == BINARY_BOLTED && old;
	return moved ? PLACE_ORIGINAL : PLACE_IGNORED;
}

/* Lists the addresses that were counted, with the sum of each.  Rows of one address are next to
 * each other. */
static bool list_addresses(struct located_counts *located, struct placed_vec *out)
{
	for (size_t shard = 0; shard < COUNTS_SHARDS; shard++) {
		const struct count_table *table = located_rows(located, shard);
		for (size_t i = 0; i < table->used; i++) {
			uint64_t address = table->rows[i].key[0];
			struct placed *last = out->len ? &out->at[out->len - 1] : NULL;
			if (!located->basic &&
			    !trace_end_is((struct trace_end){address}, TRACE_END_VADDR))
				continue;
			if (last && last->address == address) {
				last->count =
					count_add_saturating(last->count, table->rows[i].count);
				continue;
			}
			struct output_place place =
				located_place(located, *located_row(located, shard, i));
			if (!placed_vec_push(
				    out, (struct placed){address, table->rows[i].count,
							 code_place_of(located->binary, place)}))
				return false;
		}
	}
	return true;
}

static bool code_places_take(struct located_counts *located, struct code_places *out,
			     struct bc_error *err)
{
	struct placed_vec placed = {0};

	*out = (struct code_places){0};
	if (!list_addresses(located, &placed)) {
		placed_vec_free(&placed);
		return bc_fail_nomem(err);
	}
	sort_placed(placed.at, placed.len);
	for (size_t i = 0; i < placed.len; i++)
		out->sum = count_add_saturating(out->sum, placed.at[i].count);
	uint64_t wanted = out->sum / 100 * HOTTEST_PERCENT + out->sum % 100 * HOTTEST_PERCENT / 100;
	for (size_t i = 0; i < placed.len; i++) {
		const struct placed *p = &placed.at[i];
		out->all[p->place] = count_add_saturating(out->all[p->place], p->count);
		if (out->hottest_sum >= wanted)
			continue;
		out->hottest[p->place] = count_add_saturating(out->hottest[p->place], p->count);
		out->hottest_sum = count_add_saturating(out->hottest_sum, p->count);
	}
	placed_vec_free(&placed);
	return true;
}

/* ---- how much of the samples is in the profile ---- */

static void add_ledger(const struct ledger_words *words, const struct ledger *ledger,
		       uint64_t *kept, uint64_t *of)
{
	*kept = count_add_saturating(*kept, ledger->kept);
	*of = count_add_saturating(*of, ledger->kept);
	for (size_t i = 0; i < words->reason_count; i++)
		if (words->reasons[i].kind == DROP_LOST)
			*of = count_add_saturating(*of, ledger->dropped[i]);
}

/* How much of the samples is in the profile, of what could be: `kept`. */
static void count_kept(const struct conversion *c, struct quality *out)
{
	uint64_t kept = 0, of = 0;

	if (c->basic) {
		add_ledger(&sample_words, &c->ledgers.samples, &kept, &of);
	} else {
		add_ledger(&branch_words, &c->ledgers.branches, &kept, &of);
		add_ledger(&trace_words, &c->ledgers.traces, &kept, &of);
	}
	out->has_kept = true;
	out->kept = percent_of(kept, of);
	out->kept_of = of;
}

/* ---- all figures ---- */

const double held_levels[HELD_LEVELS] = {50, 90, 99};

double quality_times_more(const struct quality *quality)
{
	double density = quality->density.density;

	return quality->has_density && density > 0 && density < quality->threshold ?
		       quality->threshold / density :
		       0;
}

/* ---- coverage ---- */

DEFINE_VEC(samples_vec, uint64_t);

static bool samples_more(const uint64_t *a, const uint64_t *b)
{
	return *a > *b;
}
DEFINE_SORT(sort_samples, uint64_t, samples_more)

/* How many things, the first ones first, hold a share of the sum. */
static uint64_t holding(const struct samples_vec *samples, double sum, double percent)
{
	double seen = 0;
	uint64_t count = 0;

	while (count < samples->len && seen < sum * percent / 100)
		seen += (double)samples->at[count++];
	return count;
}

static bool cover_functions(const struct flat_profile *profile, struct coverage *out)
{
	struct samples_vec samples = {0};
	double sum = 0;
	bool ok = true;

	for (size_t i = 1; ok && i < profile->functions.len; i++) {
		uint64_t own = profile->functions.at[i].samples;
		ok = !own || samples_vec_push(&samples, own);
		sum += (double)own;
		out->samples = count_add_saturating(out->samples, own);
	}
	sort_samples(samples.at, samples.len);
	out->functions = samples.len;
	for (size_t i = 0; i < HELD_LEVELS; i++)
		out->held_functions[i] = holding(&samples, sum, held_levels[i]);
	samples_vec_free(&samples);
	return ok;
}

static bool cover_bytes(const struct conversion *conversion, struct quality_sources *sources,
			struct coverage *out, struct bc_error *err)
{
	const struct image *image = &conversion_binary(conversion)->image;
	const struct heat_options bytes = {1, image, 0, UINT64_MAX, false};
	const struct heat_options how = {HEAT_BUCKET, image, 0, UINT64_MAX, false};
	const struct heat *heat = &sources->heat;
	struct heat_run_vec runs = {0};

	bool ok = heat_take(&conversion->aggregate, conversion->basic, &how, &sources->heat, err) &&
		  (!sources->by_byte || heat_take(&conversion->aggregate, conversion->basic, &bytes,
						  &sources->bytes, err));
	ok = ok && (heat_hottest(heat, &runs) || bc_fail_nomem(err));
	for (size_t i = 0; ok && i < HELD_LEVELS; i++)
		out->held_bytes[i] = heat_working_set(heat, &runs, held_levels[i]) * HEAT_BUCKET;
	out->has_bytes = ok;
	out->bytes = heat->buckets * HEAT_BUCKET;
	heat_run_vec_free(&runs);
	return ok;
}

/* ---- flow ---- */

DEFINE_VEC(number_list, uint32_t);

/* Opens the code of the profile, from which the blocks are known.  Without the input, and without a
 * table that has the blocks, only the profile shows them. */
static bool open_code(struct conversion *c, struct flow_code *code, struct block_source *blocks,
		      struct bc_error *err)
{
	const struct binary *binary = conversion_binary(c);
	const struct pair *pair = conversion_pair(c);
	const struct function_table *table = pair ? &pair->functions : &binary->functions;
	struct cfg *graphs = pair ? &c->pair.graphs : &c->graphs;
	struct number_list chosen = {0};
	bool ok = true;

	code->binary = binary;
	code->pair = pair;
	for (size_t i = 0;
	     ok && (pair || binary->kind == BINARY_UNTOUCHED) && i < c->profile.function_count;
	     i++) {
		const struct function *own = &binary->functions.at[c->profile.by_name[i].v];
		const struct function *function = pair ? pair_input_of(pair, own) : own;
		if (function && function->kind == FUNCTION_CODE)
			ok = number_list_push(&chosen, (uint32_t)(function - table->at)) ||
			     bc_fail_nomem(err);
	}
	ok = ok && cfg_build_code(pair ? &pair->image : &binary->image, table, chosen.at,
				  chosen.len, c->threads, graphs, err);
	number_list_free(&chosen);
	if (!ok)
		return false;
	code->graphs = pair || binary->kind == BINARY_UNTOUCHED ? graphs : NULL;
	if (!binary->bat.blocks && binary->kind != BINARY_UNTOUCHED)
		return true;
	if (!blocks_build_graphs(c->profile.binary, c->profile.by_name, c->profile.function_count,
				 &c->graphs, c->threads, err) ||
	    !blocks_open(c->profile.binary, NULL, &c->graphs, blocks, err))
		return false;
	code->blocks = blocks;
	return true;
}

/* Plain samples have no flow, but blocks that can be shown. */
static bool measure_flow(struct conversion *c, struct quality_sources *sources, struct quality *out,
			 struct bc_error *err)
{
	if (c->basic && !sources->by_byte)
		return true;
	sources->code.left_out = sources->non_simple;
	if (!open_code(c, &sources->code, &sources->blocks, err))
		return false;
	if (c->basic)
		return true;
	out->has_flow = flow_take(&sources->flat, &sources->code, &sources->calls, &out->flow, err);
	return out->has_flow;
}

static bool measure_density(struct conversion *c, const struct quality_options *how,
			    struct name_marks *non_simple, struct quality *out,
			    struct bc_error *err)
{
	const struct density_options options = {
		how->density_cutoff,
		c->left_out,
		image_section(&conversion_binary(c)->image, ".rela.text"),
		&c->graphs,
		c->threads,
		non_simple};

	out->density_cutoff = how->density_cutoff;
	out->threshold = how->threshold;
	bool ok = density_measure(&c->profile, &c->executed, &options, &out->density, err);
	out->has_density = ok && out->of_samples;
	return ok;
}

static bool measure_stability(const struct conversion *c, struct quality *out, struct bc_error *err)
{
	out->has_stability =
		c->has_halves && stability_take(c->halves, inferred_moved_percent(&c->inferred),
						&out->stability, err);
	return out->has_stability || !c->has_halves;
}

/* ---- all of it ---- */

static bool measure_profile(struct conversion *c, const struct quality_options *how,
			    struct quality_sources *sources, struct quality *out,
			    struct bc_error *err)
{
	return (name_marks_make(&sources->non_simple, &conversion_binary(c)->functions) ||
		bc_fail_nomem(err)) &&
	       measure_density(c, how, &sources->non_simple, out, err) &&
	       flat_take(&c->profile, &sources->flat, err) &&
	       (cover_functions(&sources->flat, &out->coverage) || bc_fail_nomem(err)) &&
	       measure_flow(c, sources, out, err);
}

bool quality_of_samples(const struct quality_options *how, struct conversion *c,
			struct quality_sources *sources, struct quality *out, struct bc_error *err)
{
	*out = (struct quality){.of_samples = !c->options.from_compiler,
				.of_compiler = c->options.from_compiler,
				.says_inferred = c->options.from_compiler};
	if (!conversion_open(c, err) || !conversion_count(c, err) || !kernel_check(c, err))
		return false;
	out->basic = c->basic;
	if (!code_places_take(&c->located, &out->places, err) ||
	    !cover_bytes(c, sources, &out->coverage, err) || !conversion_convert(c, err))
		return false;
	count_kept(c, out);
	if (c->basic && !conversion_measure_inference(c, err))
		return false;
	out->has_inferred = conversion_can_infer(c) && !c->not_inferred.code;
	out->inferred = c->inferred;
	return measure_stability(c, out, err) && measure_profile(c, how, sources, out, err);
}

void quality_sources_free(struct quality_sources *sources)
{
	heat_free(&sources->bytes);
	heat_free(&sources->heat);
	flow_calls_free(&sources->calls);
	if (sources->code.blocks)
		blocks_close(&sources->blocks);
	flat_free(&sources->flat);
	name_marks_free(&sources->non_simple);
	*sources = (struct quality_sources){0};
}

bool quality_of_profile(const char *path, struct quality *out, bool *mine, struct bc_error *err)
{
	const struct flow_code nothing = {0};
	struct flow_calls calls = {0};
	struct flat_profile flat;

	*out = (struct quality){0};
	bool ok = flat_read(path, &flat, mine, err) &&
		  (cover_functions(&flat, &out->coverage) || bc_fail_nomem(err));
	out->basic = flat.plain;
	out->says_inferred = flat.inferred;
	out->has_flow = ok && !flat.plain;
	ok = ok && (flat.plain || flow_take(&flat, &nothing, &calls, &out->flow, err));
	flow_calls_free(&calls);
	flat_free(&flat);
	return ok;
}
