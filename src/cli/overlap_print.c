/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <inttypes.h>

#include "src/base/file.h"
#include "src/cli/overlap.h"
#include "src/cli/print.h"

const char *overlap_key(enum overlap_kind kind)
{
#define X(name, key, text) key,
	static const char *const keys[] = {OVERLAP_KINDS(X)};
#undef X

	return keys[kind];
}

/* By how much a function's share changed; the array begins with the functions that lost most. */
static double moved(const struct overlap_mover *mover)
{
	return mover->b - mover->a;
}

static void print_mover(const struct overlap_mover *mover, FILE *out)
{
	fprintf(out, "  %+8.3f %%  %8.3f %% -> %8.3f %%  ", moved(mover), mover->a, mover->b);
	print_name(mover->name, out);
	putc('\n', out);
}

static void print_movers(const struct overlap_mover_vec *movers, FILE *out)
{
	for (size_t i = 0; i < movers->len && i < OVERLAP_MOVERS && moved(&movers->at[movers->len - 1 - i]) > 0; i++)
		print_mover(&movers->at[movers->len - 1 - i], out);
	for (size_t i = 0; i < movers->len && i < OVERLAP_MOVERS && moved(&movers->at[i]) < 0; i++)
		print_mover(&movers->at[i], out);
}

void overlap_text(const struct overlap_report *report, FILE *out)
{
	for (int i = 0; i < OVERLAP_KIND_COUNT; i++) {
		const struct overlap_share *share = &report->overlap->shares[i];
		if (!share->known)
			fprintf(out, "%-9s not known: these are of different kinds\n", overlap_key((enum overlap_kind)i));
		else
			fprintf(out, "%-9s %6.2f %%; hottest: %" PRIu64 " in A, %" PRIu64 " in B, %" PRIu64 " in both; only in A: %" PRIu64
				", only in B: %" PRIu64 "\n",
				overlap_key((enum overlap_kind)i), share->percent, share->hot_a, share->hot_b, share->hot_both,
				share->only_a, share->only_b);
	}
	print_movers(&report->overlap->movers, out);
}

static void write_share(struct json *json, const char *key, const struct overlap_share *share)
{
	if (!share->known) {
		json_null(json, key);
		return;
	}
	json_open(json, key, '{');
	json_real(json, "percent", share->percent);
	json_number(json, "both", share->both);
	json_number(json, "only_a", share->only_a);
	json_number(json, "only_b", share->only_b);
	json_number(json, "hot_both", share->hot_both);
	json_number(json, "hot_a", share->hot_a);
	json_number(json, "hot_b", share->hot_b);
	json_close(json, '}');
}

static void write_mover(struct json *json, const struct overlap_mover *mover)
{
	json_open(json, NULL, '{');
	json_text(json, "function", mover->name);
	json_real(json, "a_percent", mover->a);
	json_real(json, "b_percent", mover->b);
	json_close(json, '}');
}

static void write_movers(struct json *json, const struct overlap_mover_vec *movers)
{
	json_open(json, "gained", '[');
	for (size_t i = 0; i < movers->len && i < OVERLAP_MOVERS && moved(&movers->at[movers->len - 1 - i]) > 0; i++)
		write_mover(json, &movers->at[movers->len - 1 - i]);
	json_close(json, ']');
	json_open(json, "lost", '[');
	for (size_t i = 0; i < movers->len && i < OVERLAP_MOVERS && moved(&movers->at[i]) < 0; i++)
		write_mover(json, &movers->at[i]);
	json_close(json, ']');
}

void overlap_json_members(const struct overlap_report *report, struct json *json)
{
	json_string(json, "a", report->paths[0]);
	json_string(json, "b", report->paths[1]);
	for (int i = 0; i < OVERLAP_KIND_COUNT; i++)
		write_share(json, overlap_key((enum overlap_kind)i), &report->overlap->shares[i]);
	write_movers(json, &report->overlap->movers);
}

void overlap_json(const struct overlap_report *report, FILE *out)
{
	struct json json = {.out = out};

	json_open(&json, NULL, '{');
	json_string(&json, "format", "batconv-overlap");
	json_number(&json, "version", 1);
	overlap_json_members(report, &json);
	if (report->has_min)
		json_real(&json, "min", report->min);
	json_bool(&json, "wanting", report->wanting);
	json_close(&json, '}');
	putc('\n', out);
}
