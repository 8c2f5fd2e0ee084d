/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/heat.h"

#include <ctype.h>
#include <elf.h>
#include <inttypes.h>
#include <math.h>

#include "src/base/counts.h"
#include "src/base/sort.h"
#include "src/base/text.h"

#define HEAT_LONGEST_FALL_THROUGH UINT64_C(65536) /* bytes; longer ones are left out */

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
	if (image_segment_at(t->options->image, (struct vaddr){address}) ||
	    (!address && t->options->zero_counts))
		return true;
	t->out->elsewhere = count_add_saturating(t->out->elsewhere, count);
	return false;
}

bool heat_add(struct heat_edge_vec *edges, uint64_t bucket, uint64_t from, uint64_t to,
	      uint64_t hits)
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
	if (known && !is_outside(t, from) && from <= to && to - from <= HEAT_LONGEST_FALL_THROUGH)
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
	sort_edges(edges->at, edges->len);
	return sweep(edges, out);
}

bool heat_take(const struct aggregate *aggregate, bool basic, const struct heat_options *options,
	       struct heat *out, struct bc_error *err)
{
	const struct totals *totals = &aggregate->totals;
	struct taking t = {.options = options, .out = out};

	*out = (struct heat){0};
	bool ok = basic ? add_all(&t, &totals->basic, add_address) :
			  add_all(&t, &totals->traces, add_trace) &&
				  add_all(&t, &totals->ends, add_address);
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

	*out = (struct heat){.bucket = bucket,
			     .invalid = heat->invalid,
			     .raw = heat->raw,
			     .elsewhere = heat->elsewhere};
	for (size_t i = 0; i < heat->runs.len; i++) {
		struct heat_run rest = heat->runs.at[i];
		while (rest.count) {
			uint64_t at = rest.first * heat->bucket / bucket;
			uint64_t next = ((at + 1) * bucket + heat->bucket - 1) / heat->bucket;
			uint64_t part =
				next - rest.first < rest.count ? next - rest.first : rest.count;
			if (last.count && last.first != at && !push_run(out, last))
				return false;
			last = (struct heat_run){at, 1,
						 (last.count && last.first == at ? last.hits : 0) +
							 part * rest.hits};
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
		uint64_t part = needed < (double)run->count ?
					(uint64_t)needed + (needed > (double)(uint64_t)needed) :
					run->count;
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
		bool code = s->flags & SHF_ALLOC && s->flags & SHF_EXECINSTR && s->size &&
			    s->addr + s->size > s->addr;
		if (code && !heat_section_vec_push(&out->at,
						   (struct heat_section){s->name, s->addr,
									 s->addr + s->size, 0, 0}))
			return false;
	}
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
	uint64_t part = to <= rest->first              ? 0 :
			to - rest->first < rest->count ? to - rest->first :
							 rest->count;

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
static void spread(const struct heat *heat, struct heat_run rest, size_t *section,
		   struct heat_sections *out)
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

bool heat_sections_take(const struct heat *heat, const struct function_table *functions,
			struct heat_sections *out)
{
	const struct symbol_table *symbols = &functions->symbols;
	size_t section = 0;

	*out = (struct heat_sections){0};
	if (symbols->hot_end > symbols->hot_start)
		out->hot = (struct heat_section){text_of("[hot text]"), symbols->hot_start,
						 symbols->hot_end, 0, 0};
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

/* ---- as llvm-bolt-heatmap 22 writes it ---- */

#define STEPS       6
#define EMPTY_LINES 32 /* more empty lines in a row become one */
#define WHITE       7

struct writer {
	const struct heat *heat;
	const struct heat_picture *how;
	FILE *out;
	uint64_t steps[STEPS];
	uint64_t line, column; /* of the next cell */
	size_t section;
	int color;
	bool begun;
};

/* Writes a color if it differs from the last one. */
static void set_color(struct writer *w, int color)
{
	if (w->color != color)
		fprintf(w->out, "\033[0;3%dm", color);
	w->color = color;
}

static void make_steps(struct writer *w)
{
	uint64_t most = 0;

	for (size_t i = 0; i < w->heat->runs.len; i++)
		most = w->heat->runs.at[i].hits > most ? w->heat->runs.at[i].hits : most;
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t step =
			i + 1 == STEPS ? most : (uint64_t)pow((double)most, (i + 1.0) / STEPS);
		w->steps[i] = step > i + 1 ? step : i + 1;
	}
}

/* Writes a letter in upper case if the bucket is hotter than the first step. */
static void put_hits(struct writer *w, uint64_t hits, char letter)
{
	static const int colors[STEPS] = {WHITE, WHITE, 6, 2, 3, 1};

	for (unsigned i = 0; i < STEPS; i++)
		if (hits <= w->steps[i]) {
			set_color(w, colors[i]);
			break;
		}
	putc(hits <= w->steps[0] ? letter : toupper(letter), w->out);
}

static void put_address(struct writer *w, uint64_t address)
{
	fprintf(w->out, "0x%0*" PRIx64, w->how->wide ? 16 : 8, address);
}

static void write_legend(struct writer *w)
{
	uint64_t below = 0;

	fputs("Legend:\n\nRanges:\n", w->out);
	for (unsigned i = 0; i < STEPS; i++) {
		fputs("  ", w->out);
		put_hits(w, w->steps[i], 'o');
		set_color(w, WHITE);
		fprintf(w->out, " : (%" PRIu64 ", %" PRIu64 "]\n", below, w->steps[i]);
		below = w->steps[i];
	}
}

static void write_mappings(struct writer *w)
{
	const struct heat_section_vec *sections = &w->how->sections->at;

	fputs("\nSections:\n", w->out);
	for (size_t i = 0; i < sections->len; i++) {
		const struct heat_section *s = &sections->at[i];
		char letter = (char)('a' + i % 26);
		fprintf(w->out, "  %c/%c : ", letter, toupper(letter));
		print_name(s->name, w->out);
		fprintf(w->out, "%*s ", s->name.len < 10 ? 10 - (int)s->name.len : 0, "");
		put_address(w, s->begin);
		putc('-', w->out);
		put_address(w, s->end);
		putc('\n', w->out);
	}
	putc('\n', w->out);
}

/* Writes the digits of the addresses in a line, from top to bottom, where they change. */
static void write_header(struct writer *w)
{
	for (unsigned digit = 5; digit > 0; digit--) {
		uint64_t before = UINT64_MAX;
		fprintf(w->out, "%*s", w->how->wide ? 20 : 12, "");
		for (unsigned i = 0; i < w->how->line; i++) {
			uint64_t value = (i * w->heat->bucket & ((UINT64_C(1) << 4 * digit) - 1)) >>
					 4 * (digit - 1);
			if (value != before)
				fprintf(w->out, "%" PRIx64, value);
			else
				putc(' ', w->out);
			before = value;
		}
		putc('\n', w->out);
	}
}

static void fill(struct writer *w, uint64_t column)
{
	static const char dots[] =
		"................................................................";

	if (w->column < column)
		set_color(w, WHITE);
	while (w->column < column) {
		size_t part = column - w->column < sizeof(dots) - 1 ? (size_t)(column - w->column) :
								      sizeof(dots) - 1;
		fwrite(dots, 1, part, w->out);
		w->column += part;
	}
}

static void begin_line(struct writer *w, uint64_t line)
{
	set_color(w, WHITE);
	put_address(w, line * w->how->line * w->heat->bucket);
	fputs(": ", w->out);
	w->line = line;
	w->column = 0;
}

static void end_line(struct writer *w)
{
	set_color(w, WHITE);
	fill(w, w->how->line);
	putc('\n', w->out);
}

static void go_to(struct writer *w, uint64_t bucket)
{
	uint64_t line = bucket / w->how->line;

	if (!w->begun)
		begin_line(w, line);
	w->begun = true;
	if (line != w->line) {
		end_line(w);
		if (line - w->line - 1 > EMPTY_LINES)
			putc('\n', w->out);
		else
			for (uint64_t empty = w->line + 1; empty < line; empty++) {
				begin_line(w, empty);
				end_line(w);
			}
		begin_line(w, line);
	}
	fill(w, bucket % w->how->line);
}

/* The letter of the section that holds the bucket's first byte. */
static char letter_of(struct writer *w, uint64_t address)
{
	const struct heat_section_vec *sections = &w->how->sections->at;

	while (w->section < sections->len && address >= sections->at[w->section].end)
		w->section++;
	if (w->section == sections->len || address < sections->at[w->section].begin)
		return 'o';
	return (char)('a' + w->section % 26);
}

uint64_t heat_picture_cells(const struct heat *heat, unsigned line)
{
	uint64_t lines = 0, next = 0; /* next: the line after the last one that is drawn */

	for (size_t i = 0; i < heat->runs.len; i++) {
		const struct heat_run *run = &heat->runs.at[i];
		uint64_t first = run->first / line,
			 behind = (run->first + run->count - 1) / line + 1;
		if (lines && first > next && first - next <= EMPTY_LINES)
			lines += first - next;
		if (!lines || first > next)
			next = first;
		lines += behind > next ? behind - next : 0;
		next = behind;
	}
	return lines * line;
}

void heat_write_picture(const struct heat *heat, const struct heat_picture *how, FILE *out)
{
	struct writer w = {.heat = heat, .how = how, .out = out, .color = -1};

	make_steps(&w);
	fputs("\033[0;40m", out);
	set_color(&w, WHITE);
	write_legend(&w);
	if (how->mappings)
		write_mappings(&w);
	write_header(&w);
	for (size_t i = 0; i < heat->runs.len; i++)
		for (uint64_t k = 0; k < heat->runs.at[i].count; k++) {
			uint64_t bucket = heat->runs.at[i].first + k;
			go_to(&w, bucket);
			put_hits(&w, heat->runs.at[i].hits, letter_of(&w, bucket * heat->bucket));
			w.column++;
		}
	if (w.begun)
		end_line(&w);
}

void heat_write_buckets(const struct heat *heat, const struct heat_run_vec *hottest, FILE *out)
{
	double kilobytes = (double)heat->bucket / 1024,
	       percent = heat->hits ? 100.0 / (double)heat->hits : 0;
	uint64_t buckets = 0, hits = 0;

	fputs("Bucket counts, Size (KB), CDF (%)\n", out);
	for (size_t i = 0; i < hottest->len; i++)
		for (uint64_t k = 0; k < hottest->at[i].count; k++) {
			hits += hottest->at[i].hits;
			buckets++;
			fprintf(out, "%" PRIu64 ", %.4f, %.4f\n", buckets,
				kilobytes * (double)buckets, percent * (double)hits);
		}
}

/* A share as llvm-bolt-heatmap has it, in a float, so that the last digit is the same. */
static float share(double part, double whole)
{
	return whole > 0 ? (float)(part / whole) : 0;
}

static void write_section_row(const struct heat *heat, const struct heat_section *s,
			      uint64_t unmapped, FILE *out)
{
	float hotness = share((double)s->hits, (double)heat->hits);
	float mapped = share((double)s->hits, (double)(heat->hits - unmapped));
	float used = share((double)s->touched, (double)heat_section_buckets(heat, s));
	float score = mapped * used;

	fwrite(s->name.at, 1, s->name.len, out);
	fprintf(out, ", 0x%" PRIx64 ", 0x%" PRIx64 ", %.4f, %.4f, %.4f\n", s->begin, s->end,
		100. * (double)hotness, 100. * (double)used, (double)score);
}

void heat_write_sections(const struct heat *heat, const struct heat_sections *sections, FILE *out)
{
	fputs("Section Name, Begin Address, End Address, Percentage Hotness, Utilization Pct, Partition Score\n",
	      out);
	for (size_t i = 0; i < sections->at.len; i++)
		write_section_row(heat, &sections->at.at[i], sections->unmapped, out);
	if (sections->hot.end)
		write_section_row(heat, &sections->hot, sections->unmapped, out);
	if (sections->unmapped)
		fprintf(out, "[unmapped], 0x0, 0x0, %.4f, 0, 0\n",
			100.0 * (double)sections->unmapped / (double)heat->hits);
}
