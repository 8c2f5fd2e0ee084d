/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <inttypes.h>

#include "src/base/output.h"
#include "src/base/text.h"
#include "src/verify/compare.h"
#include "src/cli/commands.h"
#include "src/cli/operands.h"
#include "src/elf/binary.h"
#include "src/base/json.h"

static void print_entry(const char *sign, const struct bat_table *t, const struct bat_fragment *f,
			uint32_t entry, FILE *out)
{
	if (entry >= f->entry_count)
		return;
	struct bat_entry e = t->entries[f->first_entry + entry];
	fprintf(out, "    %s entry %" PRIu32 ": 0x%" PRIx32 " -> 0x%" PRIx32 "%s\n", sign, entry, e.output,
		bat_entry_input(e), bat_entry_is_branch(e) ? ", branch" : "");
}

static void print_changed(const struct difference *d, const struct binary *a,
			  const struct binary *b, FILE *out)
{
	const struct bat_fragment *f = &a->bat.fragments[d->a], *g = &b->bat.fragments[d->b];

	if (d->entries)
		fprintf(out, ": %" PRIu32 " entr%s of %" PRIu32 " and %" PRIu32, d->entries, plural_of(d->entries, "y differs", "ies differ"),
			f->entry_count, g->entry_count);
	if (d->hashes)
		fprintf(out, "; %" PRIu32 " block%s another hash or index", d->hashes, plural_of(d->hashes, " has", "s have"));
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

static void print_summary(const struct comparison *c, const struct binary *a, const struct binary *b, FILE *out)
{
	if (a->bat.layout != b->bat.layout)
		fprintf(out, "layout %s -> %s\n", bat_layout_name(a->bat.layout),
			bat_layout_name(b->bat.layout));
	for (int i = CHANGE_NONE; i < CHANGE_COUNT; i++)
		fprintf(out, "%s%" PRIu64 " %s", i ? ", " : "", c->counts[i], change_name((enum change)i));
	putc('\n', out);
}

static void difference_text(const struct comparison *c, const struct binary *a,
		     const struct binary *b, bool summary_only, FILE *out)
{
	print_summary(c, a, b, out);
	for (size_t i = 0; !summary_only && i < c->count; i++)
		if (c->at[i].change)
			print_difference(&c->at[i], a, b, out);
}

static void write_difference(struct json *json, const struct difference *d,
			     const struct binary *a, const struct binary *b)
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

static void difference_json(const struct comparison *c, const struct binary *a,
		     const struct binary *b, bool summary_only, FILE *out)
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

/* ---- the command ---- */

struct arguments {
	bool json, stat;
	const char *output;
};

static const struct option_row rows[] = {
	{0, "json", NULL, NO_FILE, "print JSON", INTO(json)},
	{0, "stat", NULL, NO_FILE, "print only the summary", INTO(stat)},
	{'o', "output", "FILE", FILE_WRITTEN, "write to FILE (default: stdout)", INTO(output)},
	SANDBOX_ROW,
	HELP_ROW,
};

static bool differs(const struct comparison *c)
{
	return c->counts[CHANGE_NONE] != c->count;
}

static int compare(const struct arguments *args, const struct binary *a, const struct binary *b)
{
	struct comparison comparison;
	struct output output;
	struct bc_error err;

	if (!compare_tables(a, b, &comparison, &err))
		return fail(&err);
	bool ok = output_open(args->output, &output, &err);
	if (ok) {
		(args->json ? difference_json : difference_text)(&comparison, a, b, args->stat, output.file);
		ok = output_commit(&output, &err);
	}
	int code = !ok ? fail(&err)
		   : differs(&comparison) || a->bat.layout != b->bat.layout ? EXIT_WANTING : EXIT_DONE;
	comparison_free(&comparison);
	return code;
}

static int run_diff(struct command_line *line)
{
	BC_AUTO(binary_close) struct binary a = {0}, b = {0};
	struct bc_error err;

	if (!binary_open_table(line->operands.at[0], &a, &err) || !binary_open_table(line->operands.at[1], &b, &err))
		return fail(&err);
	return compare(line->arguments, &a, &b);
}

const struct command diff_command = {
	.name = "diff", .args = "[OPTION]... A B",
	.help = "compare the BAT sections of two binaries by function\n\n"
	"Prints a summary, then the differences, the largest first.\n"
	"Exit code 3: they differ.",
	COMMAND_OPTIONS(rows), .operands = FILE_READ, .places = {PLACE_TABLE, PLACE_TABLE}, .count = {2, 2, "two binaries are needed", "two binaries are enough, not also"},
	.size = sizeof(struct arguments), .run = run_diff,
};
