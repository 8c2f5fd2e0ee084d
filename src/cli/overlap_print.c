/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <string.h>

#include "src/base/json.h"
#include "src/base/file.h"
#include "src/cli/overlap_print.h"
#include "src/cli/sample_options.h"
#include "src/figures/summary.h"
#include "src/figures/figure_table.h"

const char *overlap_key(enum overlap_kind kind)
{
#define X(name, key, text) key,
	static const char *const keys[] = {OVERLAP_KINDS(X)};
#undef X

	return keys[kind];
}

static const struct figure_row share_rows[] = {
	{"percent", " {:6.2} %; hottest: {hot_a} in A, {hot_b} in B, {hot_both} in both; only in A: {only_a}, only in B: {only_b}\n",
	 VALUE(struct overlap_share, percent)},
	FIGURES(struct overlap_share, , both, only_a, only_b, hot_both, hot_a, hot_b),
	{0},
};

static const struct figure_row mover_rows[] = {
	{"function", NULL, VALUE(struct overlap_mover, name)},
	{"a_percent", NULL, VALUE(struct overlap_mover, a)},
	{"b_percent", NULL, VALUE(struct overlap_mover, b)},
	{0},
};

/* The one of a place among those whose shares grew most, or shrank most; NULL: there is none. */
static const struct overlap_mover *mover_at(const struct overlap_mover_vec *movers, bool gained, size_t place)
{
	if (place >= movers->len || place >= OVERLAP_MOVERS)
		return NULL;
	/* The array begins with the functions that lost most. */
	const struct overlap_mover *mover = &movers->at[gained ? movers->len - 1 - place : place];
	return (gained ? mover->b > mover->a : mover->b < mover->a) ? mover : NULL;
}

void overlap_text(const struct overlap_report *report, FILE *out)
{
	const struct overlap_mover *mover;

	for (int i = 0; i < OVERLAP_KIND_COUNT; i++) {
		const struct overlap_share *share = &report->overlap->shares[i];
		fprintf(out, "%-9s", overlap_key((enum overlap_kind)i));
		if (share->known)
			figures_text(share_rows, share, false, "", out);
		else
			fputs(" not known: these are of different kinds\n", out);
	}
	for (int lost = 0; lost < 2; lost++)
		for (size_t i = 0; (mover = mover_at(&report->overlap->movers, !lost, i)); i++) {
			fprintf(out, "  %+8.3f %%  %8.3f %% -> %8.3f %%  ", mover->b - mover->a, mover->a, mover->b);
			print_name(mover->name, out);
			putc('\n', out);
		}
}

static void write_movers(struct json *json, const char *key, const struct overlap_mover_vec *movers, bool gained)
{
	const struct overlap_mover *mover;

	json_open(json, key, '[');
	for (size_t i = 0; (mover = mover_at(movers, gained, i)); i++)
		figures_json_object(mover_rows, mover, json, NULL);
	json_close(json, ']');
}

void overlap_json_members(const struct overlap_report *report, struct json *json)
{
	json_string(json, "a", report->paths[0]);
	json_string(json, "b", report->paths[1]);
	for (int i = 0; i < OVERLAP_KIND_COUNT; i++)
		if (report->overlap->shares[i].known)
			figures_json_object(share_rows, &report->overlap->shares[i], json, overlap_key((enum overlap_kind)i));
		else
			json_null(json, overlap_key((enum overlap_kind)i));
	write_movers(json, "gained", &report->overlap->movers, true);
	write_movers(json, "lost", &report->overlap->movers, false);
}

void overlap_json(const struct overlap_report *report, FILE *out)
{
	struct json json = {.out = out};

	json_open_document(&json, "batconv-overlap");
	overlap_json_members(report, &json);
	if (report->min.given)
		json_real(&json, "min", report->min.is);
	json_bool(&json, "wanting", report->wanting);
	json_close(&json, '}');
	putc('\n', out);
}
