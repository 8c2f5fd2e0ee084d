/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/overlap.h"

#include <stdio.h>
#include <stdlib.h>

#include "src/base/counts.h"
#include "src/base/say.h"
#include "src/base/sort.h"
#include "src/base/text.h"
#include "src/figures/figure_table.h"

/* ---- which function of one profile is which of the other ---- */

#define TWO_FUNCTIONS (UINT32_MAX - 1)

DEFINE_VEC(number_vec, uint32_t);

/* All names of the binary's functions. */
struct known_names {
	struct strings names;
	struct number_vec function; /* by number of the name: a name_number, or TWO_FUNCTIONS: it
				       shows none */
};

static void known_free(struct known_names *known)
{
	strings_free(&known->names);
	number_vec_free(&known->function);
}

static bool know(struct known_names *known, const char *name, uint32_t function)
{
	uint32_t number;

	if (!name || !*name)
		return true;
	if (!strings_intern(&known->names, text_of(name), &number))
		return false;
	while (known->function.len <= number)
		if (!number_vec_push(&known->function, NO_NAME))
			return false;
	uint32_t *is = &known->function.at[number];
	*is = *is == NO_NAME || *is == function ? function : TWO_FUNCTIONS;
	return true;
}

/* Adds all names of each function of a table.  of: the names' functions in the binary, or NULL:
 * they are the same. */
static bool know_table(struct known_names *known, const struct function_table *table,
		       const uint32_t *of)
{
	for (uint32_t i = 0; i < functions_named(table); i++) {
		uint32_t function = of ? of[i] : i;
		if (function == NO_FUNCTION)
			continue;
		if (!know(known, table->at[i].printed, function) ||
		    !know(known, table->at[i].primary, function) ||
		    !know(known, table->at[i].told, function))
			return false;
	}
	return true;
}

static uint32_t binary_number(const struct known_names *known, struct text name)
{
	uint32_t number;

	if (!strings_find(&known->names, name, &number) || number >= known->function.len)
		return NO_NAME;
	return known->function.at[number] < TWO_FUNCTIONS ? known->function.at[number] : NO_NAME;
}

/* The number in the binary, of which the first profile's functions may have it already. */
static uint32_t number_of(const struct known_names *known, const struct flat_profile *first,
			  uint32_t i)
{
	return first->numbered ? first->functions.at[i].number.v :
				 binary_number(known, strings_at(&first->names, i));
}

static bool fill(const struct known_names *known, const struct function_table *table,
		 const struct flat_profile *first, const struct flat_profile *second,
		 struct same_names *out)
{
	struct flat_numbers own;
	bool ok = flat_numbers_make(&own, table);

	for (uint32_t i = 1; ok && i < first->functions.len; i++) {
		uint32_t number = number_of(known, first, i);
		if (number != NO_NAME)
			*flat_numbers_of(&own, (struct name_number){number}) = i;
	}
	for (uint32_t i = 1; ok && i < second->functions.len; i++) {
		struct text name = strings_at(&second->names, i);
		bool equal = strings_find(&first->names, name, &out->own[i]) &&
			     out->own[i] < first->functions.len;
		out->binary[i] =
			equal ? number_of(known, first, out->own[i]) : binary_number(known, name);
		if (!equal)
			out->own[i] = out->binary[i] == NO_NAME ?
					      FLAT_OUTSIDE :
					      *flat_numbers_of(
						      &own, (struct name_number){out->binary[i]});
	}
	flat_numbers_free(&own);
	return ok;
}

bool same_names_take(const struct binary *binary, const struct pair *pair,
		     const struct flat_profile *first, const struct flat_profile *second,
		     struct same_names *out)
{
	struct known_names known = {0};
	const struct function_table *table = &binary->functions;

	*out = (struct same_names){calloc(second->functions.len + 1, sizeof(uint32_t)),
				   calloc(second->functions.len + 1, sizeof(uint32_t))};
	bool ok = out->own && out->binary &&
		  (pair ? know_table(&known, &pair->functions, pair->output_of) :
			  know_table(&known, table, NULL)) &&
		  fill(&known, table, first, second, out);
	known_free(&known);
	if (!ok)
		same_names_free(out);
	return ok;
}

static bool has_function(const struct flat_profile *profile, struct text name)
{
	uint32_t number;

	return strings_find(&profile->names, name, &number) && number < profile->functions.len;
}

/* f/1 for f/FILE/N: the file can be a path.  false: the name has no file */
static bool without_file(struct text name, char *out, size_t size, struct text *short_name)
{
	size_t slash = text_find(name, '/');
	struct text number = text_behind(name, slash);

	if (text_find(number, '/') == number.len || slash + 2 >= size)
		return false;
	int length = snprintf(out, size, "%.*s/1", (int)slash, name.at);
	*short_name = (struct text){out, (size_t)length};
	return true;
}

size_t same_names_likely(const struct flat_profile *first, const struct flat_profile *second,
			 struct text of[2])
{
	const struct flat_profile *const both[] = {first, second};
	char text[512];
	struct text short_name;
	size_t likely = 0;

	for (int k = 0; k < 2; k++)
		for (uint32_t i = 1; i < both[k]->functions.len; i++) {
			struct text name = strings_at(&both[k]->names, i);
			uint32_t number;
			if (!without_file(name, text, sizeof(text), &short_name) ||
			    has_function(both[!k], name) || has_function(both[k], short_name) ||
			    !has_function(both[!k], short_name))
				continue;
			if (!likely++ && strings_find(&both[!k]->names, short_name, &number)) {
				of[0] = name;
				of[1] = strings_at(&both[!k]->names, number);
			}
		}
	return likely;
}

void same_names_free(struct same_names *same)
{
	free(same->own);
	free(same->binary);
	*same = (struct same_names){0};
}

/* ---- what both have in common ---- */

#define OVERLAP_HOT_PERCENT 90
#define OVERLAP_MOVERS      10 /* that are shown, in each direction */

/* A thing that is counted, and its counts in both. */
struct counted {
	uint32_t function, other; /* in numbers of both: overlap_names */
	uint64_t at;
	uint64_t counts[2];
	bool hot[2];
};
DEFINE_VEC(counted_vec, struct counted);

static int compare(const struct counted *a, const struct counted *b)
{
	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	if (a->other != b->other)
		return a->other < b->other ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

static bool counted_less(const struct counted *a, const struct counted *b)
{
	return compare(a, b) < 0;
}
DEFINE_SORT(sort_counted, struct counted, counted_less)

static bool more_in_a(const struct counted *a, const struct counted *b)
{
	return a->counts[0] != b->counts[0] ? a->counts[0] > b->counts[0] : compare(a, b) < 0;
}
DEFINE_SORT(sort_by_a, struct counted, more_in_a)

static bool more_in_b(const struct counted *a, const struct counted *b)
{
	return a->counts[1] != b->counts[1] ? a->counts[1] > b->counts[1] : compare(a, b) < 0;
}
DEFINE_SORT(sort_by_b, struct counted, more_in_b)

/* Numbers for the functions of both profiles: those of the first, and after them functions that
 * only the second one has. */
struct joint {
	const struct flat_profile *profiles[2];
	uint32_t *numbers; /* of the second's */
};

static bool join_names(struct joint *joint, const uint32_t *same)
{
	const struct flat_profile *a = joint->profiles[0], *b = joint->profiles[1];

	joint->numbers = calloc(b->functions.len + 1, sizeof(*joint->numbers));
	for (uint32_t i = 1; joint->numbers && i < b->functions.len; i++)
		if (same && same[i] != FLAT_OUTSIDE)
			joint->numbers[i] = same[i];
		else if (same ||
			 !strings_find(&a->names, strings_at(&b->names, i), &joint->numbers[i]))
			joint->numbers[i] = (uint32_t)a->functions.len + i;
	return joint->numbers;
}

static uint32_t number_in(const struct joint *joint, int which, uint32_t function)
{
	return which ? joint->numbers[function] : function;
}

static struct text name_of(const struct joint *joint, uint32_t number)
{
	const struct flat_profile *a = joint->profiles[0];

	return number < a->functions.len ?
		       strings_at(&a->names, number) :
		       strings_at(&joint->profiles[1]->names, number - (uint32_t)a->functions.len);
}

/* ---- what is counted ---- */

static bool push(struct counted_vec *out, const struct joint *joint, int which,
		 const struct flat_record *record, enum overlap_kind kind)
{
	struct counted counted = {.function = number_in(joint, which, record->from)};

	counted.counts[which] = record->count;
	if (kind == OVERLAP_CALLS)
		counted.other = number_in(joint, which, record->to);
	else if (record->kind == FLAT_SAMPLE)
		counted.at = record->from_at;
	else
		counted.at = record->to_at;
	return counted_vec_push(out, counted);
}

static bool is_of(const struct flat_record *record, enum overlap_kind kind)
{
	if (kind == OVERLAP_CALLS)
		return record->kind == FLAT_CALL || record->kind == FLAT_ENTRY;
	return record->kind == FLAT_EDGE || record->kind == FLAT_SAMPLE;
}

static bool list_records(const struct joint *joint, int which, enum overlap_kind kind,
			 struct counted_vec *out)
{
	const struct flat_record_vec *records = &joint->profiles[which]->records;

	for (size_t i = 0; i < records->len; i++)
		if (is_of(&records->at[i], kind) && !push(out, joint, which, &records->at[i], kind))
			return false;
	return true;
}

static bool list_functions(const struct joint *joint, int which, struct counted_vec *out)
{
	const struct flat_function_vec *functions = &joint->profiles[which]->functions;

	for (uint32_t i = 1; i < functions->len; i++) {
		struct counted counted = {.function = number_in(joint, which, i)};
		counted.counts[which] = functions->at[i].samples;
		if (counted.counts[which] && !counted_vec_push(out, counted))
			return false;
	}
	return true;
}

static void add_counts(struct counted *to, const struct counted *counted)
{
	for (int k = 0; k < 2; k++)
		to->counts[k] = count_add_saturating(to->counts[k], counted->counts[k]);
}
DEFINE_UNIFY(unify, struct counted, !compare(last, item), add_counts(last, item))

/* ---- what they have in common ---- */

static void sum_up(const struct counted_vec *all, double sums[2])
{
	sums[0] = sums[1] = 0;
	for (size_t i = 0; i < all->len; i++)
		for (int k = 0; k < 2; k++)
			sums[k] += (double)all->at[i].counts[k];
}

/* Marks the fewest things that hold OVERLAP_HOT_PERCENT of the sum.  Leaves `all` in another order.
 */
static uint64_t mark_hot(struct counted_vec *all, int which, double sum)
{
	double seen = 0;
	uint64_t hot = 0;

	(which ? sort_by_b : sort_by_a)(all->at, all->len);
	while (hot < all->len && seen < sum * OVERLAP_HOT_PERCENT / 100) {
		seen += (double)all->at[hot].counts[which];
		all->at[hot++].hot[which] = true;
	}
	return hot;
}

static struct overlap_share share_of(struct counted_vec *all)
{
	struct overlap_share share = {0};
	double sums[2], beyond = 0;

	sum_up(all, sums);
	share.hot_a = mark_hot(all, 0, sums[0]);
	share.hot_b = mark_hot(all, 1, sums[1]);
	sort_counted(all->at, all->len);
	for (size_t i = 0; i < all->len; i++) {
		const struct counted *c = &all->at[i];
		double a = sums[0] > 0 ? (double)c->counts[0] / sums[0] : 0,
		       b = sums[1] > 0 ? (double)c->counts[1] / sums[1] : 0;
		beyond += a > b ? a - b : 0;
		share.only_a += c->counts[0] && !c->counts[1];
		share.only_b += c->counts[1] && !c->counts[0];
		share.both += c->counts[0] && c->counts[1];
		share.hot_both += c->hot[0] && c->hot[1];
	}
	/* The sum of the smaller shares is 1 - beyond: so written no rounding keeps equal profiles,
	 * of which two empty ones are, below 100 %. */
	bool one_empty = sums[0] > 0 ? !(sums[1] > 0) : sums[1] > 0;
	share.percent = one_empty || beyond > 1 ? 0 : 100 * (1 - beyond);
	return share;
}

static bool lost_more(const struct overlap_mover *a, const struct overlap_mover *b)
{
	double left = a->b - a->a, right = b->b - b->a;

	if (left < right || right < left)
		return left < right;
	return text_compare(a->name, b->name) < 0;
}
DEFINE_SORT(sort_movers, struct overlap_mover, lost_more)

static bool list_movers(const struct joint *joint, const struct counted_vec *functions,
			struct overlap *out)
{
	double sums[2];

	sum_up(functions, sums);
	for (size_t i = 0; i < functions->len; i++) {
		const struct counted *c = &functions->at[i];
		struct overlap_mover mover = {
			name_of(joint, c->function),
			sums[0] > 0 ? 100 * (double)c->counts[0] / sums[0] : 0,
			sums[1] > 0 ? 100 * (double)c->counts[1] / sums[1] : 0};
		if (!overlap_mover_vec_push(&out->movers, mover))
			return false;
	}
	sort_movers(out->movers.at, out->movers.len);
	return true;
}

/* Why both profiles cannot be compared, or NULL: offsets cannot be with numbers of blocks, nor
 * branches with basic samples. */
static const char *why_not(const struct joint *joint, enum overlap_kind kind)
{
	const struct flat_profile *a = joint->profiles[0], *b = joint->profiles[1];

	if (kind == OVERLAP_FUNCTIONS)
		return NULL;
	if (a->plain != b->plain)
		return a->plain ? "A has no branches (basic samples)" :
				  "B has no branches (basic samples)";
	if (kind == OVERLAP_CALLS)
		return a->plain ? "neither has branches (basic samples)" : NULL;
	if (a->by_block != b->by_block)
		return a->by_block ? "A counts blocks, B offsets" : "A counts offsets, B blocks";
	return NULL;
}

static bool take_kind(const struct joint *joint, enum overlap_kind kind, struct overlap *out)
{
	struct counted_vec all = {0};
	bool ok = true;

	out->shares[kind].why_not = why_not(joint, kind);
	if (out->shares[kind].why_not)
		return true;
	for (int which = 0; ok && which < 2; which++)
		ok = kind == OVERLAP_FUNCTIONS ? list_functions(joint, which, &all) :
						 list_records(joint, which, kind, &all);
	if (ok) {
		sort_counted(all.at, all.len);
		all.len = unify(all.at, all.len);
		out->shares[kind] = share_of(&all);
		ok = kind != OVERLAP_FUNCTIONS || list_movers(joint, &all, out);
	}
	counted_vec_free(&all);
	return ok;
}

bool overlap_take(const struct flat_profile *a, const struct flat_profile *b, const uint32_t *same,
		  struct overlap *out, struct bc_error *err)
{
	struct joint joint = {.profiles = {a, b}};

	*out = (struct overlap){0};
	bool ok = join_names(&joint, same);
	for (int kind = 0; ok && kind < OVERLAP_KIND_COUNT; kind++)
		ok = take_kind(&joint, (enum overlap_kind)kind, out);
	free(joint.numbers);
	return ok || bc_fail_nomem(err);
}

void overlap_free(struct overlap *overlap)
{
	overlap_mover_vec_free(&overlap->movers);
}

/* ---- what is said of it ---- */

static const char *overlap_key(enum overlap_kind kind)
{
#define X(name, key, text) key,
	static const char *const keys[] = {OVERLAP_KINDS(X)};
#undef X

	return keys[kind];
}

static const struct figure_row share_rows[] = {
	{"percent",
	 " {:6.1} % overlap; hottest: {hot_a} of A, {hot_b} of B, {hot_both} of both; only in A: {only_a}, only in B: {only_b}\n",
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

/* The one of a location among those whose shares grew most, or shrank most; NULL: there is none. */
static const struct overlap_mover *mover_at(const struct overlap_mover_vec *movers, bool gained,
					    size_t place)
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

	for (int i = 0; i < 2; i++) {
		fprintf(out, "%-9s ", i ? "B" : "A");
		print_name(text_of(report->paths[i]), out);
		putc('\n', out);
	}
	for (int i = 0; i < OVERLAP_KIND_COUNT; i++) {
		const struct overlap_share *share = &report->overlap->shares[i];
		fprintf(out, "%-9s", overlap_key((enum overlap_kind)i));
		if (!share->why_not)
			figures_text(share_rows, share, false, "", out);
		else
			fprintf(out, " not compared: %s\n", share->why_not);
	}
	for (int lost = 0; lost < 2; lost++)
		for (size_t i = 0; (mover = mover_at(&report->overlap->movers, !lost, i)); i++) {
			fprintf(out, "  %+6.1f %%  %6.1f %% -> %6.1f %%  ", mover->b - mover->a,
				mover->a, mover->b);
			print_name(mover->name, out);
			putc('\n', out);
		}
}

static void write_movers(struct json *json, const char *key, const struct overlap_mover_vec *movers,
			 bool gained)
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
		if (!report->overlap->shares[i].why_not)
			figures_json_object(share_rows, &report->overlap->shares[i], json,
					    overlap_key((enum overlap_kind)i));
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
	if (report->has_min)
		json_real(&json, "min", report->min);
	json_bool(&json, "failed", report->failed);
	json_close(&json, '}');
	putc('\n', out);
}

static bool is_below_limit(const struct overlap_report *report, const struct overlap_share *share)
{
	return report->has_min && !share->why_not && share->percent < report->min;
}

void overlap_judge(struct overlap_report *report)
{
	for (int i = 0; i < OVERLAP_KIND_COUNT; i++)
		report->failed |= is_below_limit(report, &report->overlap->shares[i]);
}

void overlap_tell_min(const struct overlap_report *report, FILE *out)
{
	for (int i = 0; i < OVERLAP_KIND_COUNT; i++) {
		const struct overlap_share *share = &report->overlap->shares[i];
		if (is_below_limit(report, share))
			say_error(out, "overlap of %s is %.*f %%, and --min=%g was asked for",
				  overlap_key((enum overlap_kind)i),
				  figure_digits(share->percent, report->min), share->percent,
				  report->min);
	}
}
