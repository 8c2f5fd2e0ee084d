/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/print_name.h"
#include "src/output/dump.h"

/* Fragments in the order of printing. */
struct row {
	char *name;
	uint32_t fragment, parent;
	bool cold;
};

static int by_name(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (order)
		return order;
	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->cold != y->cold)
		return x->cold ? 1 : -1;
	return (x->fragment > y->fragment) - (x->fragment < y->fragment);
}

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
		fprintf(out, ", %" PRIu64 " bytes", binary_fragment_size(dump->subject, i));
	fprintf(out, ", %" PRIu32 " entries", f->entry_count);
	if (f->cold && f->parent != dump->subject->stored_parents[i])
		fputs(", parent repaired", out);
	if (!f->cold && bat->layout == BAT_HASHED)
		fprintf(out, ", hash 0x%016" PRIx64 ", %" PRIu32 " blocks", f->hash, f->block_count);
	print_secondary(bat, f, out);
	putc('\n', out);
	for (uint32_t k = 0; k < f->entry_count; k++)
		print_entry(bat, f->first_entry + k, out);
}

static void print_rows(const struct dump *dump, const struct row *rows, size_t count, FILE *out)
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
	struct row *rows = malloc((bat->fragment_count + (size_t)1) * sizeof(*rows));
	size_t count = 0;
	bool ok = rows;

	for (uint32_t i = 0; ok && i < bat->fragment_count; i++) {
		if (!dump_shows(dump, i))
			continue;
		char *name = strdup(dump_name(dump, i));
		rows[count] = (struct row){name, i, bat->fragments[i].parent, bat->fragments[i].cold};
		count += name != NULL;
		ok = name;
	}
	if (ok && count) {
		qsort(rows, count, sizeof(*rows), by_name);
		fprintf(out, "layout %s: output offset, input offset\n", bat_layout_name(bat->layout));
		print_rows(dump, rows, count, out);
	}
	for (size_t i = 0; i < count; i++)
		free(rows[i].name);
	free(rows);
	return ok;
}
