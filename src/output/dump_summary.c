/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/print_name.h"
#include "src/check/section_order.h"
#include "src/output/dump.h"
#include "src/output/json.h"

#define KINDS 24   /* more than any layout has fields */
#define LARGEST 10 /* functions to name */

struct kind {
	const char *name;
	uint64_t fields, bytes;
};

struct summary {
	const struct dump *dump;
	const struct section_order *order;
	struct kind kinds[KINDS]; /* in the order of their first field */
	size_t kind_count;
	uint64_t *bytes;          /* per fragment, cold ones' at their parent's */
	uint64_t hashes;          /* bytes of what BAT_HASHED adds              */
	uint32_t largest[LARGEST];
	size_t largest_count;
};

static struct kind *kind_of(struct summary *s, const char *name)
{
	for (size_t i = 0; i < s->kind_count; i++)
		if (!strcmp(s->kinds[i].name, name))
			return &s->kinds[i];
	s->kinds[s->kind_count].name = name;
	return &s->kinds[s->kind_count++];
}

static bool is_hash(const char *name)
{
	return !strcmp(name, "FuncHash") || !strcmp(name, "BBHash") || !strcmp(name, "BBIdx") ||
	       !strcmp(name, "NumBlocks");
}

static bool add_field(void *ctx, const struct bat_field *f)
{
	struct summary *s = ctx;
	uint32_t fragment = section_order_fragment(s->order, f);
	struct kind *kind = kind_of(s, f->name);

	kind->fields++;
	kind->bytes += f->size;
	s->hashes += is_hash(f->name) ? f->size : 0;
	if (fragment == NO_INDEX)
		return true;
	uint32_t parent = s->dump->subject->bat.fragments[fragment].parent;
	s->bytes[parent == BAT_NO_PARENT ? fragment : parent] += f->size;
	return true;
}

/* Insertion into a list of ten. */
static void rank(struct summary *s, uint32_t fragment)
{
	size_t at = s->largest_count;

	while (at && s->bytes[s->largest[at - 1]] < s->bytes[fragment])
		at--;
	if (at == LARGEST)
		return;
	if (s->largest_count < LARGEST)
		s->largest_count++;
	memmove(&s->largest[at + 1], &s->largest[at], (s->largest_count - at - 1) * sizeof(*s->largest));
	s->largest[at] = fragment;
}

static double per_entry(const struct summary *s)
{
	uint32_t entries = s->dump->subject->bat.entry_count;

	return entries ? (double)s->dump->subject->desc.size / entries : 0;
}

static void write_kinds(struct json *json, const struct summary *s)
{
	json_open(json, "fields", '[');
	for (size_t i = 0; i < s->kind_count; i++) {
		json_open(json, NULL, '{');
		json_string(json, "field", s->kinds[i].name);
		json_number(json, "count", s->kinds[i].fields);
		json_number(json, "bytes", s->kinds[i].bytes);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void write_json(const struct summary *s, FILE *out)
{
	const struct bat_table *bat = &s->dump->subject->bat;
	struct json json = {.out = out};

	json_open(&json, NULL, '{');
	json_string(&json, "format", "batconv-bat-summary");
	json_number(&json, "version", 1);
	json_string(&json, "layout", bat_layout_name(bat->layout));
	json_number(&json, "bytes", s->dump->subject->desc.size);
	json_number(&json, "hot", bat->hot_count);
	json_number(&json, "cold", bat->fragment_count - bat->hot_count);
	json_number(&json, "entries", bat->entry_count);
	json_number(&json, "entry_points", bat->secondary_count);
	json_real(&json, "bytes_per_entry", per_entry(s));
	json_number(&json, "hash_bytes", s->hashes);
	write_kinds(&json, s);
	json_open(&json, "largest", '[');
	for (size_t i = 0; i < s->largest_count; i++) {
		json_open(&json, NULL, '{');
		json_string(&json, "function", dump_name(s->dump, s->largest[i]));
		json_number(&json, "bytes", s->bytes[s->largest[i]]);
		json_close(&json, '}');
	}
	json_close(&json, ']');
	json_close(&json, '}');
	putc('\n', out);
}

static void write_text(const struct summary *s, FILE *out)
{
	const struct bat_table *bat = &s->dump->subject->bat;
	double size = s->dump->subject->desc.size ? (double)s->dump->subject->desc.size : 1;

	fprintf(out, "layout        %s\nsize          %zu bytes, %.2f per entry\n",
		bat_layout_name(bat->layout), s->dump->subject->desc.size, per_entry(s));
	fprintf(out, "fragments     %" PRIu32 " hot, %" PRIu32 " cold\n", bat->hot_count,
		bat->fragment_count - bat->hot_count);
	fprintf(out, "entries       %" PRIu32 "\nentry points  %" PRIu32 "\n", bat->entry_count,
		bat->secondary_count);
	if (bat->layout == BAT_HASHED)
		fprintf(out, "hashes cost   %" PRIu64 " bytes, %.1f %%: FuncHash, NumBlocks, BBHash, BBIdx\n",
			s->hashes, 100.0 * (double)s->hashes / size);
	fputs("\nfield                 count       bytes\n", out);
	for (size_t i = 0; i < s->kind_count; i++)
		fprintf(out, "%-17s %9" PRIu64 "  %10" PRIu64 "  %5.1f %%\n", s->kinds[i].name,
			s->kinds[i].fields, s->kinds[i].bytes, 100.0 * (double)s->kinds[i].bytes / size);
	fputs("\nbytes of the largest functions\n", out);
	for (size_t i = 0; i < s->largest_count; i++) {
		fprintf(out, "%10" PRIu64 "  ", s->bytes[s->largest[i]]);
		print_name(text_of(dump_name(s->dump, s->largest[i])), out);
		putc('\n', out);
	}
}

static bool summarise(const struct dump *dump, void (*write)(const struct summary *, FILE *), FILE *out)
{
	BC_AUTO(section_order_free) struct section_order order = {0};
	const struct bat_table *bat = &dump->subject->bat;
	struct summary s = {.dump = dump, .order = &order};
	struct bat_error err;

	s.bytes = calloc(bat->fragment_count + (size_t)1, sizeof(*s.bytes));
	bool ok = s.bytes && section_order_make(bat, &order) &&
		  bat_fields(bat->layout, dump->subject->desc.data, dump->subject->desc.size, add_field,
			     &s, &err);
	for (uint32_t i = 0; ok && i < bat->fragment_count; i++)
		if (s.bytes[i])
			rank(&s, i);
	if (ok)
		write(&s, out);
	free(s.bytes);
	return ok;
}

bool dump_summary_text(const struct dump *dump, FILE *out)
{
	return summarise(dump, write_text, out);
}

bool dump_summary_json(const struct dump *dump, FILE *out)
{
	return summarise(dump, write_json, out);
}
