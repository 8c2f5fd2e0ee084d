/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/dump.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/text.h"
#include "src/verify/section_order.h"
#include "src/address/demangle.h"
#include "src/base/json.h"

/* What names a fragment's input function: profiles' name, or "0x<address>" of the hot
 * fragment without one, or "?".  Valid until the next call. */
static const char *dump_name(const struct dump *dump, uint32_t fragment)
{
	static char number[24];
	const struct bat_table *bat = &dump->subject->bat;
	const char *name = binary_fragment_owner(dump->subject, fragment);
	uint32_t parent = bat->fragments[fragment].parent;

	if (name)
		return dump->demangled ? demangle(name) : name;
	if (parent == BAT_NO_PARENT)
		return "?";
	snprintf(number, sizeof(number), "0x%" PRIx64, bat->fragments[parent].address);
	return number;
}

static bool holds(const struct dump *dump, uint32_t fragment)
{
	uint64_t distance = dump->address - dump->subject->bat.fragments[fragment].address;

	return !distance || distance < binary_fragment_size(dump->subject, fragment);
}

/* name/file.c/1 and name are what `name` asks for. */
static bool is_called(const char *name, const char *wanted)
{
	size_t size = strlen(wanted);

	return name && !strncmp(name, wanted, size) && (!name[size] || name[size] == '/');
}

/* A function is shown with all its fragments, whichever holds the address. */
bool dump_shows(const struct dump *dump, uint32_t fragment)
{
	const struct bat_table *bat = &dump->subject->bat;

	if (dump->only)
		return is_called(binary_fragment_owner(dump->subject, fragment), dump->only);
	if (!dump->has_address)
		return true;
	const struct bat_fragment *found = bat_find(bat, dump->address);
	uint32_t i = found ? (uint32_t)(found - bat->fragments) : 0;
	return found && holds(dump, i) &&
	       (i == fragment || (bat->fragments[i].parent != BAT_NO_PARENT &&
				  bat->fragments[i].parent == bat->fragments[fragment].parent));
}

bool dump_translate(const struct dump *dump, uint64_t address, FILE *out)
{
	const struct bat_table *bat = &dump->subject->bat;
	const struct bat_fragment *f = bat_find(bat, address);
	struct dump at = *dump;

	at.address = address;
	fprintf(out, "0x%" PRIx64 " -> ", address);
	if (!f || (dump->subject->kind != BINARY_SECTION &&
		   !holds(&at, (uint32_t)(f - bat->fragments)))) {
		fputs("not mapped\n", out);
		return false;
	}
	print_name(text_of(dump_name(dump, (uint32_t)(f - bat->fragments))), out);
	fprintf(out, " + 0x%" PRIx32 "\n",
		bat_translate(bat, f, (uint32_t)(address - f->address), false));
	return true;
}

/* ---- functions as text ---- */

static void print_entry(const struct bat_table *bat, uint32_t index, FILE *out)
{
	struct bat_entry e = bat->entries[index];

	fprintf(out, "    0x%-8" PRIx32 " 0x%-8" PRIx32, e.output, bat_entry_input(e));
	if (bat_entry_is_branch(e))
		fputs(" branch", out);
	else if (bat->blocks)
		fprintf(out, " block %-4" PRIu32 " hash 0x%016" PRIx64, bat->blocks[index].index,
			bat->blocks[index].hash);
	else
		fputs(" block", out);
	putc('\n', out);
}

static void print_secondary(const struct bat_table *bat, const struct bat_fragment *f, FILE *out)
{
	for (uint32_t i = 0; i < f->secondary_count; i++)
		fprintf(out, "%s0x%" PRIx32, i ? " " : ", entry points ",
			bat->secondary[f->first_secondary + i]);
}

static void print_fragment(const struct dump *dump, uint32_t i, FILE *out)
{
	const struct bat_table *bat = &dump->subject->bat;
	const struct bat_fragment *f = &bat->fragments[i];

	fprintf(out, "  %s 0x%" PRIx64, f->cold ? "cold" : "hot ", f->address);
	if (dump->subject->kind != BINARY_SECTION)
		fprintf(out, ", %" PRIu64 " byte%s", binary_fragment_size(dump->subject, i),
			plural(binary_fragment_size(dump->subject, i)));
	fprintf(out, ", %" PRIu32 " entr%s", f->entry_count, plural_of(f->entry_count, "y", "ies"));
	if (f->cold && f->parent != dump->subject->stored_parents[i])
		fputs(", parent repaired", out);
	if (!f->cold && bat_layout_has(bat->layout, BAT_FEATURE_BLOCKS))
		fprintf(out, ", hash 0x%016" PRIx64 ", %" PRIu32 " block%s", f->hash,
			f->block_count, plural(f->block_count));
	print_secondary(bat, f, out);
	putc('\n', out);
	for (uint32_t k = 0; k < f->entry_count; k++)
		print_entry(bat, f->first_entry + k, out);
}

static void print_rows(const struct dump *dump, const struct named_fragment *rows, size_t count,
		       FILE *out)
{
	for (size_t i = 0; i < count; i++) {
		if (!i || rows[i].parent == BAT_NO_PARENT || rows[i].parent != rows[i - 1].parent) {
			print_name(text_of(rows[i].name), out);
			putc('\n', out);
		}
		print_fragment(dump, rows[i].fragment, out);
	}
}

bool dump_text(const struct dump *dump, FILE *out)
{
	const struct bat_table *bat = &dump->subject->bat;
	struct named_fragment *rows = malloc((bat->fragment_count + (size_t)1) * sizeof(*rows));
	size_t count = 0;
	bool ok = rows;

	for (uint32_t i = 0; ok && i < bat->fragment_count; i++) {
		if (!dump_shows(dump, i))
			continue;
		char *name = strdup(dump_name(dump, i));
		rows[count] = (struct named_fragment){.name = name,
						      .fragment = i,
						      .parent = bat->fragments[i].parent,
						      .cold = bat->fragments[i].cold};
		count += name != NULL;
		ok = name;
	}
	if (ok && count) {
		named_fragments_sort(rows, count);
		fprintf(out, "layout %s: output offset, input offset\n",
			bat_layout_name(bat->layout));
		print_rows(dump, rows, count, out);
	}
	for (size_t i = 0; i < count; i++)
		free((char *)rows[i].name);
	free(rows);
	return ok;
}

/* ---- the table as JSON ---- */

/* Names are for people: encode ignores them. */
static void write_names(struct json *json, const struct dump *dump, uint32_t i)
{
	const struct function *f = binary_fragment_function(dump->subject, i);

	json_string(json, "function", dump_name(dump, i));
	if (!f)
		return;
	json_string(json, "symbol", f->printed);
	json_number(json, "size", f->size);
}

static void write_hot(struct json *json, const struct bat_table *bat, const struct bat_fragment *f)
{
	if (!bat_layout_has(bat->layout, BAT_FEATURE_BLOCKS))
		return;
	json_hex_string(json, "hash", f->hash);
	json_number(json, "blocks", f->block_count);
	json_open(json, "entry_points", '[');
	for (uint32_t i = 0; i < f->secondary_count; i++)
		json_number(json, NULL, bat->secondary[f->first_secondary + i]);
	json_close(json, ']');
}

static void write_cold(struct json *json, const struct bat_table *bat, const struct bat_fragment *f)
{
	if (f->parent == BAT_NO_PARENT)
		json_null(json, "parent");
	else
		json_hex_string(json, "parent", bat->fragments[f->parent].address);
	if (bat_layout_has(bat->layout, BAT_FEATURE_HOT_ADDRESSES))
		json_hex_string(json, "hot_address", f->stored_hot);
	else
		json_number(json, "hot_index", f->stored_hot);
}

static void write_entry(struct json *json, const struct bat_table *bat, uint32_t index)
{
	struct bat_entry e = bat->entries[index];

	json_open(json, NULL, '{');
	json_number(json, "output", e.output);
	json_number(json, "input", bat_entry_input(e));
	json_bool(json, "branch", bat_entry_is_branch(e));
	if (bat->blocks && !bat_entry_is_branch(e)) {
		json_hex_string(json, "hash", bat->blocks[index].hash);
		json_number(json, "block", bat->blocks[index].index);
	}
	json_close(json, '}');
}

static void write_fragment(struct json *json, const struct dump *dump, uint32_t i)
{
	const struct bat_table *bat = &dump->subject->bat;
	const struct bat_fragment *f = &bat->fragments[i];

	json_open(json, NULL, '{');
	json_hex_string(json, "address", f->address);
	json_string(json, "part", f->cold ? "cold" : "hot");
	write_names(json, dump, i);
	if (f->cold)
		write_cold(json, bat, f);
	else
		write_hot(json, bat, f);
	json_open(json, "entries", '[');
	for (uint32_t k = 0; k < f->entry_count; k++)
		write_entry(json, bat, f->first_entry + k);
	json_close(json, ']');
	json_close(json, '}');
	putc('\n', json->out);
}

void dump_json(const struct dump *dump, FILE *out)
{
	const struct bat_table *bat = &dump->subject->bat;
	struct json json = {.out = out};

	json_open_document(&json, "batconv-bat");
	json_string(&json, "layout", bat_layout_name(bat->layout));
	json_open(&json, "fragments", '[');
	for (uint32_t i = 0; i < bat->fragment_count; i++)
		if (dump_shows(dump, i))
			write_fragment(&json, dump, i);
	json_close(&json, ']');
	json_close(&json, '}');
	putc('\n', out);
}

/* ---- stored fields ---- */

struct raw {
	const struct dump *dump;
	const struct section_order *order;
	FILE *out;
};

static const char *encoding_name(enum bat_encoding encoding)
{
	static const char *const names[] = {"u32", "u64", "uleb", "sleb", "bits"};

	return names[encoding];
}

static void print_bits(const struct bytes desc, const struct bat_field *f, FILE *out)
{
	for (uint64_t i = 0; i < f->size; i++)
		fprintf(out, "%02x", desc.data[f->byte + i]);
}

static bool print_field(void *ctx, const struct bat_field *f)
{
	struct raw *r = ctx;
	uint32_t fragment = section_order_fragment(r->order, f);

	if (fragment != NO_INDEX && !dump_shows(r->dump, fragment))
		return true;
	if (!strcmp(f->name, "Address") || !strcmp(f->name, "OutputAddress")) {
		fprintf(r->out, "%s %" PRIu32 ", ", f->cold ? "cold" : "fragment", f->fragment);
		print_name(text_of(dump_name(r->dump, fragment)), r->out);
		putc('\n', r->out);
	}
	fprintf(r->out, "%10" PRIu64 " %3" PRIu64 " %-4s %-17s ", f->byte, f->size,
		encoding_name(f->encoding), f->name);
	if (f->entry != BAT_NO_INDEX)
		fprintf(r->out, "%6" PRIu32 "  ", f->entry);
	else
		fputs("        ", r->out);
	if (f->encoding == BAT_ENCODING_BITS)
		print_bits(r->dump->subject->desc, f, r->out);
	else
		fprintf(r->out, "0x%" PRIx64, f->value);
	if (f->stored != f->value)
		fprintf(r->out, "  stored 0x%" PRIx64, f->stored);
	putc('\n', r->out);
	return true;
}

bool dump_raw(const struct dump *dump, FILE *out)
{
	BC_AUTO(section_order_free) struct section_order order = {0};
	struct raw raw = {dump, &order, out};
	struct bat_error err;

	if (!section_order_make(&dump->subject->bat, &order))
		return false;
	fputs("      byte  size encoding field   entry  value\n", out);
	return bat_fields(dump->subject->bat.layout, dump->subject->desc.data,
			  dump->subject->desc.size, print_field, &raw, &err);
}

/* ---- a summary ---- */

#define KINDS   24 /* more than any layout has fields */
#define LARGEST 10 /* functions to name */

struct kind {
	const char *name;
	uint64_t fields, bytes;
};

struct dump_summary {
	const struct dump *dump;
	const struct section_order *order;
	struct kind kinds[KINDS]; /* in the order of their first field */
	size_t kind_count;
	uint64_t *bytes; /* per fragment, cold ones' at their parent's */
	uint64_t hashes; /* bytes of BAT_FEATURE_BLOCKS                         */
	uint32_t largest[LARGEST];
	size_t largest_count;
};

static struct kind *kind_of(struct dump_summary *s, const char *name)
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
	struct dump_summary *s = ctx;
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
static void rank(struct dump_summary *s, uint32_t fragment)
{
	size_t at = s->largest_count;

	while (at && s->bytes[s->largest[at - 1]] < s->bytes[fragment])
		at--;
	if (at == LARGEST)
		return;
	if (s->largest_count < LARGEST)
		s->largest_count++;
	memmove(&s->largest[at + 1], &s->largest[at],
		(s->largest_count - at - 1) * sizeof(*s->largest));
	s->largest[at] = fragment;
}

static double per_entry(const struct dump_summary *s)
{
	uint32_t entries = s->dump->subject->bat.entry_count;

	return entries ? (double)s->dump->subject->desc.size / entries : 0;
}

static void write_kinds(struct json *json, const struct dump_summary *s)
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

static void summary_json(const struct dump_summary *s, FILE *out)
{
	const struct bat_table *bat = &s->dump->subject->bat;
	struct json json = {.out = out};

	json_open_document(&json, "batconv-bat-summary");
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

static void summary_text(const struct dump_summary *s, FILE *out)
{
	const struct bat_table *bat = &s->dump->subject->bat;
	double size = s->dump->subject->desc.size ? (double)s->dump->subject->desc.size : 1;

	fprintf(out, "layout        %s\nsize          %zu bytes, %.1f per entry\n",
		bat_layout_name(bat->layout), s->dump->subject->desc.size, per_entry(s));
	fprintf(out, "fragments     %" PRIu32 " hot, %" PRIu32 " cold\n", bat->hot_count,
		bat->fragment_count - bat->hot_count);
	fprintf(out, "entries       %" PRIu32 "\nentry points  %" PRIu32 "\n", bat->entry_count,
		bat->secondary_count);
	if (bat_layout_has(bat->layout, BAT_FEATURE_BLOCKS))
		fprintf(out,
			"hashes cost   %" PRIu64
			" bytes, %.1f %%: FuncHash, NumBlocks, BBHash, BBIdx\n",
			s->hashes, 100.0 * (double)s->hashes / size);
	fputs("\nfield                 count       bytes\n", out);
	for (size_t i = 0; i < s->kind_count; i++)
		fprintf(out, "%-17s %9" PRIu64 "  %10" PRIu64 "  %5.1f %%\n", s->kinds[i].name,
			s->kinds[i].fields, s->kinds[i].bytes,
			100.0 * (double)s->kinds[i].bytes / size);
	fputs("\nbytes of the largest functions\n", out);
	for (size_t i = 0; i < s->largest_count; i++) {
		fprintf(out, "%10" PRIu64 "  ", s->bytes[s->largest[i]]);
		print_name(text_of(dump_name(s->dump, s->largest[i])), out);
		putc('\n', out);
	}
}

static bool summarize(const struct dump *dump, void (*write)(const struct dump_summary *, FILE *),
		      FILE *out)
{
	BC_AUTO(section_order_free) struct section_order order = {0};
	const struct bat_table *bat = &dump->subject->bat;
	struct dump_summary s = {.dump = dump, .order = &order};
	struct bat_error err;

	s.bytes = calloc(bat->fragment_count + (size_t)1, sizeof(*s.bytes));
	bool ok = s.bytes && section_order_make(bat, &order) &&
		  bat_fields(bat->layout, dump->subject->desc.data, dump->subject->desc.size,
			     add_field, &s, &err);
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
	return summarize(dump, summary_text, out);
}

bool dump_summary_json(const struct dump *dump, FILE *out)
{
	return summarize(dump, summary_json, out);
}
