/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/quality.h"

#include <stdlib.h>

#include "src/base/counts.h"
#include "src/base/sort.h"
#include "src/base/vec.h"

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

/* Basic samples have no flow, but blocks that can be shown. */
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

static bool measure_layouts(const struct conversion *c, const struct quality_sources *sources,
			    struct quality *out, struct bc_error *err)
{
	out->has_stability = c->has_halves;
	return gain_of_halves(c, &sources->code, &out->stability, &out->gain, err);
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

bool quality_of_opened(const struct quality_options *how, struct conversion *c,
		       struct quality_sources *sources, struct quality *out, struct bc_error *err)
{
	*out = (struct quality){.of_samples = !c->options.from_compiler,
				.of_compiler = c->options.from_compiler,
				.says_inferred = c->options.from_compiler};
	if (!conversion_count(c, err) || !kernel_check(c, err))
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
	return measure_profile(c, how, sources, out, err) && measure_layouts(c, sources, out, err);
}

bool quality_of_samples(const struct quality_options *how, struct conversion *c,
			struct quality_sources *sources, struct quality *out, struct bc_error *err)
{
	*out = (struct quality){0};
	return conversion_open(c, err) && quality_of_opened(how, c, sources, out, err);
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
