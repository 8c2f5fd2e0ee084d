/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/heat.h"

#include <elf.h>

#include "src/base/counts.h"
#include "src/base/sort.h"

static bool edge_less(const struct heat_edge *a, const struct heat_edge *b)
{
	return a->bucket < b->bucket;
}
DEFINE_SORT(sort_edges, struct heat_edge, edge_less)

void heat_free(struct heat *heat)
{
	heat_run_vec_free(&heat->runs);
	*heat = (struct heat){0};
}

struct taking {
	const struct heat_options *options;
	struct heat *out;
	struct heat_edge_vec edges;
};

static bool is_outside(const struct taking *t, uint64_t address)
{
	return address < t->options->min || address > t->options->max;
}

/* Whether something of the binary can be there; counts what is left out. */
static bool is_of_binary(struct taking *t, uint64_t address, uint64_t count)
{
	if (image_segment_at(t->options->image, (struct vaddr){address}) || (!address && t->options->zero_counts))
		return true;
	t->out->elsewhere = count_add_saturating(t->out->elsewhere, count);
	return false;
}

bool heat_add(struct heat_edge_vec *edges, uint64_t bucket, uint64_t from, uint64_t to, uint64_t hits)
{
	struct heat_edge begin = {from / bucket, hits, false};
	struct heat_edge end = {to / bucket + (to / bucket < UINT64_MAX), hits, true};

	return heat_edge_vec_push(edges, begin) && heat_edge_vec_push(edges, end);
}

static bool add_range(struct taking *t, uint64_t from, uint64_t to, uint64_t hits)
{
	return heat_add(&t->edges, t->options->bucket, from, to, hits);
}

static bool add_trace(struct taking *t, const struct count_row *row)
{
	struct trace trace = trace_of(row->key);

	uint64_t from = trace_end_vaddr(trace.from).v, to = trace_end_vaddr(trace.to).v;

	if (!trace_has_fall_through(&trace) || !row->count)
		return true;
	bool known = t->options->zero_counts || trace_end_is(trace.from, TRACE_END_VADDR);
	if (known && !is_outside(t, from) && from <= to &&
	    to - from <= HEAT_LONGEST_FALL_THROUGH)
		return !is_of_binary(t, from, row->count) || add_range(t, from, to, row->count);
	t->out->invalid++;
	return true;
}

static bool add_address(struct taking *t, const struct count_row *row)
{
	if (is_outside(t, row->key[0]) || !row->count || !is_of_binary(t, row->key[0], row->count))
		return true;
	return add_range(t, row->key[0], row->key[0], row->count);
}

static bool add_all(struct taking *t, const struct counts *counts,
		    bool (*add)(struct taking *, const struct count_row *))
{
	for (size_t shard = 0; shard < COUNTS_SHARDS; shard++)
		for (size_t i = 0; i < counts->shards[shard].used; i++)
			if (!add(t, &counts->shards[shard].rows[i]))
				return false;
	return true;
}

static bool push_run(struct heat *heat, struct heat_run run)
{
	struct heat_run *last = heat->runs.len ? &heat->runs.at[heat->runs.len - 1] : NULL;

	heat->buckets += run.count;
	heat->hits = count_add_saturating(heat->hits, heat_product(run.count, run.hits));
	if (last && last->first + last->count == run.first && last->hits == run.hits) {
		last->count += run.count;
		return true;
	}
	return heat_run_vec_push(&heat->runs, run);
}

/* Makes runs of buckets.  Between two edges the same ranges are open, so all buckets there have the
 * same hits. */
static bool sweep(const struct heat_edge_vec *edges, struct heat *out)
{
	uint64_t open = 0, hits = 0, at = 0;

	for (size_t i = 0; i < edges->len; i++) {
		const struct heat_edge *edge = &edges->at[i];
		struct heat_run run = {at, edge->bucket - at, hits};
		if (open && run.count && !push_run(out, run))
			return false;
		at = edge->bucket;
		open += edge->ends ? UINT64_MAX : 1;
		hits += edge->ends ? -edge->hits : edge->hits;
	}
	return true;
}

bool heat_of_edges(struct heat_edge_vec *edges, uint64_t bucket, struct heat *out)
{
	*out = (struct heat){.bucket = bucket};
	if (edges->len)
		sort_edges(edges->at, edges->len);
	return sweep(edges, out);
}

bool heat_take(const struct aggregate *aggregate, bool basic, const struct heat_options *options, struct heat *out,
	       struct bc_error *err)
{
	const struct totals *totals = &aggregate->totals;
	struct taking t = {.options = options, .out = out};

	*out = (struct heat){0};
	bool ok = basic ? add_all(&t, &totals->basic, add_address)
			: add_all(&t, &totals->traces, add_trace) && add_all(&t, &totals->ends, add_address);
	uint64_t invalid = out->invalid, elsewhere = out->elsewhere;
	ok = ok && heat_of_edges(&t.edges, options->bucket, out);
	out->invalid = invalid;
	out->raw = options->zero_counts;
	out->elsewhere = elsewhere;
	heat_edge_vec_free(&t.edges);
	return ok || bc_fail_nomem(err);
}

/* ---- larger buckets ---- */

bool heat_zoom(const struct heat *heat, uint64_t bucket, struct heat *out)
{
	struct heat_run last = {0};

	*out = (struct heat){.bucket = bucket, .invalid = heat->invalid, .raw = heat->raw, .elsewhere = heat->elsewhere};
	for (size_t i = 0; i < heat->runs.len; i++) {
		struct heat_run rest = heat->runs.at[i];
		while (rest.count) {
			uint64_t at = rest.first * heat->bucket / bucket;
			uint64_t next = ((at + 1) * bucket + heat->bucket - 1) / heat->bucket;
			uint64_t part = next - rest.first < rest.count ? next - rest.first : rest.count;
			if (last.count && last.first != at && !push_run(out, last))
				return false;
			last = (struct heat_run){at, 1, (last.count && last.first == at ? last.hits : 0) + part * rest.hits};
			rest.first += part;
			rest.count -= part;
		}
	}
	return !last.count || push_run(out, last);
}

/* ---- the hottest ---- */

static bool run_hotter(const struct heat_run *a, const struct heat_run *b)
{
	return a->hits != b->hits ? a->hits > b->hits : a->first < b->first;
}
DEFINE_SORT(sort_hottest, struct heat_run, run_hotter)

bool heat_hottest(const struct heat *heat, struct heat_run_vec *out)
{
	*out = (struct heat_run_vec){0};
	for (size_t i = 0; i < heat->runs.len; i++)
		if (!heat_run_vec_push(out, heat->runs.at[i]))
			return false;
	if (out->len)
		sort_hottest(out->at, out->len);
	return true;
}

uint64_t heat_working_set(const struct heat *heat, const struct heat_run_vec *runs, double percent)
{
	double wanted = percent / 100 * (double)heat->hits, seen = 0;
	uint64_t buckets = 0;

	for (size_t i = 0; i < runs->len && seen < wanted; i++) {
		const struct heat_run *run = &runs->at[i];
		double needed = (wanted - seen) / (double)run->hits;
		uint64_t part = needed < (double)run->count ? (uint64_t)needed + (needed > (double)(uint64_t)needed) : run->count;
		buckets += part;
		seen += (double)part * (double)run->hits;
	}
	return buckets;
}

/* ---- sections ---- */

static bool section_less(const struct heat_section *a, const struct heat_section *b)
{
	return a->begin != b->begin ? a->begin < b->begin : a->end < b->end;
}
DEFINE_SORT(sort_sections, struct heat_section, section_less)

void heat_sections_free(struct heat_sections *sections)
{
	heat_section_vec_free(&sections->at);
}

static bool list_sections(const struct image *image, struct heat_sections *out)
{
	for (size_t i = 0; i < image->section_count; i++) {
		const struct section *s = &image->sections[i];
		bool code = s->flags & SHF_ALLOC && s->flags & SHF_EXECINSTR && s->size && s->addr + s->size > s->addr;
		if (code && !heat_section_vec_push(&out->at, (struct heat_section){s->name, s->addr, s->addr + s->size, 0, 0}))
			return false;
	}
	if (out->at.len)
		sort_sections(out->at.at, out->at.len);
	return true;
}

static void add(struct heat_section *section, uint64_t buckets, uint64_t hits)
{
	section->touched += buckets;
	section->hits = count_add_saturating(section->hits, heat_product(buckets, hits));
}

static uint64_t up(uint64_t address, uint64_t bucket)
{
	return address / bucket + !!(address % bucket);
}

/* Takes the buckets below `to` out of a run, and returns how many they are. */
static uint64_t cut(struct heat_run *rest, uint64_t to)
{
	uint64_t part = to <= rest->first ? 0 : to - rest->first < rest->count ? to - rest->first : rest->count;

	rest->first += part;
	rest->count -= part;
	return part;
}

static void add_nowhere(struct heat_sections *out, uint64_t buckets, uint64_t hits)
{
	out->unmapped = count_add_saturating(out->unmapped, heat_product(buckets, hits));
}

/* Spreads the buckets of a run over the sections.  Buckets before the first byte of a section are
 * unmapped, and those that begin before its end belong to it.  So does one that ends where the
 * section begins, as it does in llvm-bolt-heatmap. */
static void spread(const struct heat *heat, struct heat_run rest, size_t *section, struct heat_sections *out)
{
	while (rest.count && *section < out->at.len) {
		struct heat_section *s = &out->at.at[*section];
		uint64_t before = up(s->begin, heat->bucket);
		uint64_t first = before ? before - 1 : 0;
		add_nowhere(out, cut(&rest, first), rest.hits);
		add(s, cut(&rest, up(s->end, heat->bucket)), rest.hits);
		*section += rest.count != 0;
	}
	add_nowhere(out, rest.count, rest.hits);
}

/* Adds the buckets that begin in the hot code to it; they count in their section, too. */
static void add_hot(const struct heat *heat, struct heat_run rest, struct heat_section *hot)
{
	cut(&rest, up(hot->begin, heat->bucket));
	add(hot, cut(&rest, up(hot->end, heat->bucket)), rest.hits);
}

bool heat_sections_take(const struct heat *heat, const struct function_table *functions, struct heat_sections *out)
{
	const struct symbol_table *symbols = &functions->symbols;
	size_t section = 0;

	*out = (struct heat_sections){0};
	if (symbols->hot_end > symbols->hot_start)
		out->hot = (struct heat_section){text_of("[hot text]"), symbols->hot_start, symbols->hot_end, 0, 0};
	if (!list_sections(&functions->image, out))
		return false;
	for (size_t i = 0; i < heat->runs.len; i++) {
		spread(heat, heat->runs.at[i], &section, out);
		if (out->hot.end)
			add_hot(heat, heat->runs.at[i], &out->hot);
	}
	return true;
}

uint64_t heat_section_buckets(const struct heat *heat, const struct heat_section *section)
{
	return up(section->end, heat->bucket) - section->begin / heat->bucket;
}
