/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/heat_write.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>

#include "src/base/text.h"

/* ---- pictures ---- */

#define STEPS 6
#define EMPTY_LINES 32 /* more empty lines in a row become one */
#define WHITE 7

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
		uint64_t step = i + 1 == STEPS ? most : (uint64_t)pow((double)most, (i + 1.0) / STEPS);
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
			uint64_t value = (i * w->heat->bucket & ((UINT64_C(1) << 4 * digit) - 1)) >> 4 * (digit - 1);
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
	static const char dots[] = "................................................................";

	if (w->column < column)
		set_color(w, WHITE);
	while (w->column < column) {
		size_t part = column - w->column < sizeof(dots) - 1 ? (size_t)(column - w->column) : sizeof(dots) - 1;
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
	uint64_t lines = 0, next = 0; /* next: the line behind the last one that is drawn */

	for (size_t i = 0; i < heat->runs.len; i++) {
		const struct heat_run *run = &heat->runs.at[i];
		uint64_t first = run->first / line, behind = (run->first + run->count - 1) / line + 1;
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

/* ---- tables ---- */

void heat_write_buckets(const struct heat *heat, const struct heat_run_vec *hottest, FILE *out)
{
	double kilobytes = (double)heat->bucket / 1024, percent = heat->hits ? 100.0 / (double)heat->hits : 0;
	uint64_t buckets = 0, hits = 0;

	fputs("Bucket counts, Size (KB), CDF (%)\n", out);
	for (size_t i = 0; i < hottest->len; i++)
		for (uint64_t k = 0; k < hottest->at[i].count; k++) {
			hits += hottest->at[i].hits;
			buckets++;
			fprintf(out, "%" PRIu64 ", %.4f, %.4f\n", buckets, kilobytes * (double)buckets, percent * (double)hits);
		}
}

/* A share as llvm-bolt-heatmap has it, in a float, so that the last digit is the same. */
static float share(double part, double whole)
{
	return whole > 0 ? (float)(part / whole) : 0;
}

static void write_section(const struct heat *heat, const struct heat_section *s, uint64_t unmapped, FILE *out)
{
	float hotness = share((double)s->hits, (double)heat->hits);
	float mapped = share((double)s->hits, (double)(heat->hits - unmapped));
	float used = share((double)s->touched, (double)heat_section_buckets(heat, s));
	float score = mapped * used;

	fwrite(s->name.at, 1, s->name.len, out);
	fprintf(out, ", 0x%" PRIx64 ", 0x%" PRIx64 ", %.4f, %.4f, %.4f\n", s->begin, s->end, 100. * (double)hotness,
		100. * (double)used, (double)score);
}

void heat_write_sections(const struct heat *heat, const struct heat_sections *sections, FILE *out)
{
	fputs("Section Name, Begin Address, End Address, Percentage Hotness, Utilization Pct, Partition Score\n", out);
	for (size_t i = 0; i < sections->at.len; i++)
		write_section(heat, &sections->at.at[i], sections->unmapped, out);
	if (sections->hot.end)
		write_section(heat, &sections->hot, sections->unmapped, out);
	if (sections->unmapped)
		fprintf(out, "[unmapped], 0x0, 0x0, %.4f, 0, 0\n", 100.0 * (double)sections->unmapped / (double)heat->hits);
}
