/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/verify/compare.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/json.h"
#include "src/base/text.h"

#define NUMBER_SIZE 20 /* of "0x", 16 digits and a NUL */

/* Rows of a side, sorted; `numbers` has room for NUMBER_SIZE bytes a fragment. */
static void list_side(const struct binary *t, struct named_fragment *rows, char *numbers)
{
	uint32_t count = t->bat.fragment_count;

	for (uint32_t i = 0; i < count; i++) {
		const struct bat_fragment *f = &t->bat.fragments[i];
		const char *name = binary_fragment_owner(t, i);
		uint64_t address = f->parent == BAT_NO_PARENT ? f->address :
								t->bat.fragments[f->parent].address;
		snprintf(numbers, NUMBER_SIZE, "0x%" PRIx64, address);
		rows[i] = (struct named_fragment){.name = name ? name : numbers,
						  .fragment = i,
						  .parent = f->parent,
						  .cold = f->cold};
		numbers += NUMBER_SIZE;
	}
	named_fragments_sort(rows, count);
}

static void compare_entries(const struct bat_table *a, const struct bat_fragment *f,
			    const struct bat_table *b, const struct bat_fragment *g,
			    struct difference *d)
{
	uint32_t common = f->entry_count < g->entry_count ? f->entry_count : g->entry_count;
	uint32_t most = f->entry_count < g->entry_count ? g->entry_count : f->entry_count;

	d->first = common;
	d->entries = most - common;
	for (uint32_t k = common; k-- > 0;) {
		uint32_t i = f->first_entry + k, j = g->first_entry + k;
		if (a->entries[i].output != b->entries[j].output ||
		    a->entries[i].input != b->entries[j].input) {
			d->entries++;
			d->first = k;
		}
		d->hashes += a->blocks && b->blocks &&
			     (a->blocks[i].hash != b->blocks[j].hash ||
			      a->blocks[i].index != b->blocks[j].index);
	}
}

static bool same_function(const struct bat_table *a, const struct bat_fragment *f,
			  const struct bat_table *b, const struct bat_fragment *g)
{
	if (f->cold != g->cold)
		return false;
	if (f->cold || !a->blocks || !b->blocks)
		return true;
	return f->hash == g->hash && f->block_count == g->block_count &&
	       f->secondary_count == g->secondary_count &&
	       !memcmp(a->secondary + f->first_secondary, b->secondary + g->first_secondary,
		       f->secondary_count * sizeof(*a->secondary));
}

static void compare_fragments(const struct bat_table *a, const struct bat_table *b,
			      struct difference *d)
{
	const struct bat_fragment *f = &a->fragments[d->a], *g = &b->fragments[d->b];

	compare_entries(a, f, b, g, d);
	d->function_differs = !same_function(a, f, b, g);
	if (d->entries || d->hashes || d->function_differs)
		d->change = CHANGE_CHANGED;
	else if (f->address != g->address)
		d->change = CHANGE_MOVED;
}

static int pair_order(const struct named_fragment *x, const struct named_fragment *y)
{
	int order = strcmp(x->name, y->name);

	return order ? order : (x->part > y->part) - (x->part < y->part);
}

/* Measures a difference: an entry, a hash, and what is the function's own count one each.  A
 * fragment that only one side has counts as one and one for each of its entries. */
static uint64_t size_of(const struct bat_table *a, const struct bat_table *b,
			const struct difference *d)
{
	if (d->change == CHANGE_VANISHED)
		return (uint64_t)a->fragments[d->a].entry_count + 1;
	if (d->change == CHANGE_APPEARED)
		return (uint64_t)b->fragments[d->b].entry_count + 1;
	return (uint64_t)d->entries + d->hashes + d->function_differs;
}

/* Merge the sorted rows of both sides. */
static void pair_rows(const struct binary *a, const struct named_fragment *x,
		      const struct binary *b, const struct named_fragment *y,
		      struct comparison *out)
{
	uint32_t i = 0, k = 0;

	while (i < a->bat.fragment_count || k < b->bat.fragment_count) {
		int order = i == a->bat.fragment_count ? 1 :
			    k == b->bat.fragment_count ? -1 :
							 pair_order(&x[i], &y[k]);
		const struct named_fragment *row = order <= 0 ? &x[i] : &y[k];
		struct difference *d = &out->at[out->count++];
		*d = (struct difference){.name = row->name,
					 .part = row->part,
					 .a = NO_FRAGMENT_HERE,
					 .b = NO_FRAGMENT_HERE};
		if (order <= 0)
			d->a = x[i++].fragment;
		if (order >= 0)
			d->b = y[k++].fragment;
		d->change = order < 0 ? CHANGE_VANISHED : order > 0 ? CHANGE_APPEARED : CHANGE_NONE;
		if (!order)
			compare_fragments(&a->bat, &b->bat, d);
		d->size = size_of(&a->bat, &b->bat, d);
		out->counts[d->change]++;
	}
}

static int by_size(const void *a, const void *b)
{
	const struct difference *x = a, *y = b;

	if (!x->change != !y->change)
		return x->change ? -1 : 1;
	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	int order = strcmp(x->name, y->name);
	return order ? order : (x->part > y->part) - (x->part < y->part);
}

bool compare_tables(const struct binary *a, const struct binary *b, struct comparison *out,
		    struct bc_error *err)
{
	size_t left = a->bat.fragment_count, right = b->bat.fragment_count;
	struct comparison c = {.at = malloc((left + right + 1) * sizeof(*c.at)),
			       .numbers = malloc((left + right + 1) * NUMBER_SIZE)};
	struct named_fragment *rows = malloc((left + right + 1) * sizeof(*rows));

	if (!c.at || !c.numbers || !rows) {
		comparison_free(&c);
		free(rows);
		return bc_fail_nomem(err);
	}
	list_side(a, rows, c.numbers);
	list_side(b, rows + left, c.numbers + left * NUMBER_SIZE);
	pair_rows(a, rows, b, rows + left, &c);
	free(rows);
	qsort(c.at, c.count, sizeof(*c.at), by_size);
	*out = c;
	return true;
}

void comparison_free(struct comparison *comparison)
{
	free(comparison->at);
	free(comparison->numbers);
	*comparison = (struct comparison){0};
}

bool comparison_differs(const struct comparison *c, const struct binary *a, const struct binary *b)
{
	return c->counts[CHANGE_NONE] != c->count || a->bat.layout != b->bat.layout;
}

/* ---- how they are shown ---- */

static const char *change_name(enum change change)
{
	static const char *const names[] = {"same", "vanished", "appeared", "moved", "changed"};

	return names[change];
}

static void print_entry(const char *sign, const struct bat_table *t, const struct bat_fragment *f,
			uint32_t entry, FILE *out)
{
	if (entry >= f->entry_count)
		return;
	struct bat_entry e = t->entries[f->first_entry + entry];
	fprintf(out, "    %s entry %" PRIu32 ": 0x%" PRIx32 " -> 0x%" PRIx32 "%s\n", sign, entry,
		e.output, bat_entry_input(e), bat_entry_is_branch(e) ? ", branch" : "");
}

static void print_changed(const struct difference *d, const struct binary *a,
			  const struct binary *b, FILE *out)
{
	const struct bat_fragment *f = &a->bat.fragments[d->a], *g = &b->bat.fragments[d->b];

	if (d->entries)
		fprintf(out, ": %" PRIu32 " entr%s of %" PRIu32 " and %" PRIu32, d->entries,
			plural_of(d->entries, "y differs", "ies differ"), f->entry_count,
			g->entry_count);
	if (d->hashes)
		fprintf(out, "; %" PRIu32 " block%s another hash or index", d->hashes,
			plural_of(d->hashes, " has", "s have"));
	if (d->function_differs)
		fputs("; the function has another hash, number of blocks or entry points", out);
	putc('\n', out);
	if (!d->entries)
		return;
	print_entry("-", &a->bat, f, d->first, out);
	print_entry("+", &b->bat, g, d->first, out);
}

static void print_difference(const struct difference *d, const struct binary *a,
			     const struct binary *b, FILE *out)
{
	fprintf(out, "%-8s ", change_name(d->change));
	print_name(text_of(d->name), out);
	if (d->part)
		fprintf(out, ", cold part %" PRIu32, d->part);
	if (d->a != NO_FRAGMENT_HERE)
		fprintf(out, ", 0x%" PRIx64, a->bat.fragments[d->a].address);
	if (d->b != NO_FRAGMENT_HERE)
		fprintf(out, "%s0x%" PRIx64, d->a == NO_FRAGMENT_HERE ? ", " : " -> ",
			b->bat.fragments[d->b].address);
	if (d->change == CHANGE_CHANGED)
		print_changed(d, a, b, out);
	else
		putc('\n', out);
}

static void print_summary(const struct comparison *c, const struct binary *a,
			  const struct binary *b, FILE *out)
{
	if (a->bat.layout != b->bat.layout)
		fprintf(out, "layout %s -> %s\n", bat_layout_name(a->bat.layout),
			bat_layout_name(b->bat.layout));
	for (int i = CHANGE_NONE; i < CHANGE_COUNT; i++)
		fprintf(out, "%s%" PRIu64 " %s", i ? ", " : "", c->counts[i],
			change_name((enum change)i));
	putc('\n', out);
}

void comparison_text(const struct comparison *c, const struct binary *a, const struct binary *b,
		     bool summary_only, FILE *out)
{
	print_summary(c, a, b, out);
	for (size_t i = 0; !summary_only && i < c->count; i++)
		if (c->at[i].change)
			print_difference(&c->at[i], a, b, out);
}

static void write_difference(struct json *json, const struct difference *d, const struct binary *a,
			     const struct binary *b)
{
	json_open(json, NULL, '{');
	json_string(json, "change", change_name(d->change));
	json_string(json, "function", d->name);
	json_number(json, "cold_part", d->part);
	if (d->a != NO_FRAGMENT_HERE)
		json_hex_string(json, "from", a->bat.fragments[d->a].address);
	if (d->b != NO_FRAGMENT_HERE)
		json_hex_string(json, "to", b->bat.fragments[d->b].address);
	if (d->change == CHANGE_CHANGED) {
		json_number(json, "entries", d->entries);
		json_number(json, "first_entry", d->first);
		json_number(json, "hashes", d->hashes);
		json_bool(json, "function_differs", d->function_differs);
	}
	json_close(json, '}');
	putc('\n', json->out);
}

static void write_differences(struct json *json, const struct comparison *c, const struct binary *a,
			      const struct binary *b)
{
	json_open(json, "differences", '[');
	for (size_t i = 0; i < c->count; i++)
		if (c->at[i].change)
			write_difference(json, &c->at[i], a, b);
	json_close(json, ']');
}

void comparison_json(const struct comparison *c, const struct binary *a, const struct binary *b,
		     bool summary_only, FILE *out)
{
	struct json json = {.out = out};

	json_open_document(&json, "batconv-diff");
	json_string(&json, "from_layout", bat_layout_name(a->bat.layout));
	json_string(&json, "to_layout", bat_layout_name(b->bat.layout));
	json_open(&json, "counts", '{');
	for (int i = CHANGE_NONE; i < CHANGE_COUNT; i++)
		json_number(&json, change_name((enum change)i), c->counts[i]);
	json_close(&json, '}');
	if (!summary_only)
		write_differences(&json, c, a, b);
	json_close(&json, '}');
	putc('\n', out);
}
