/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/verify/checks.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "src/verify/check_input.h"
#include "src/verify/insn_ties.h"
#include "src/elf/binary.h"
#include "src/verify/line_rows.h"

struct checking {
	const struct binary *subject;
	const struct input *input;
	struct strings paths;
	struct line_rows out, in;
	struct fragments_by_function parts;
	struct folded_vec folded;
	bool stale;
	atomic_bool failed; /* no memory, or too much work */
	_Atomic uint64_t counts[sizeof(struct lines_summary) / sizeof(uint64_t)];
};

/* For one kind and one function that many findings are added, the rest is counted. */
#define TOLD_MOST 3

enum line_difference { SAME, WRONG, LOST, DETAIL, DIFFERENCES };

static const enum finding_kind kind_of[DIFFERENCES] = {
	[WRONG] = FINDING_LINE_WRONG, [LOST] = FINDING_LINE_LOST, [DETAIL] = FINDING_LINE_DETAIL};

/* One instruction, or a run of equal ones, in both binaries. */
struct compared {
	enum line_difference difference;
	uint64_t output, input;
	const struct line_row *in, *out;
};

/* One function in the making. */
struct lining {
	const struct checking *c;
	struct findings *findings;
	struct lines_summary sum;
	const char *name;
	struct {
		unsigned told;
		uint64_t rest,
			at; /* instructions that are only counted, and where the first one is ... */
		const char *name; /* ... and in which function */
	} kinds[DIFFERENCES];
	/* The finding that continues from instruction to instruction. */
	struct run {
		enum line_difference difference; /* SAME: there is none */
		uint64_t address, input, count;
		const struct line_row *in, *out;
	} run;
};

/* ---- rows ---- */

static enum line_difference compare_rows(const struct line_row *in, const struct line_row *out)
{
	if (in->line != out->line || in->file != out->file ||
	    (in->flags ^ out->flags) & LINE_BAD_FILE)
		return out->line ? WRONG : LOST;
	bool same = in->column == out->column && in->discriminator == out->discriminator &&
		    !((in->flags ^ out->flags) & LINE_STATEMENT);
	return same ? SAME : DETAIL;
}

/* How many rows of an address are compared: more than one if linkers folded functions. */
#define ROWS_MOST 8

/* The rows of two addresses that differ least.  Returns false if the input has none. */
static bool compare_at(const struct checking *c, uint64_t input, uint64_t output,
		       enum line_difference *difference, const struct line_row **in,
		       const struct line_row **out)
{
	const struct line_row *ins[ROWS_MOST], *outs[ROWS_MOST];
	size_t in_count = line_rows_at(&c->in, input, ins, ROWS_MOST),
	       out_count = line_rows_at(&c->out, output, outs, ROWS_MOST);
	static const unsigned weight[DIFFERENCES] = {
		[SAME] = 0, [DETAIL] = 1, [WRONG] = 2, [LOST] = 3};

	if (!in_count)
		return false;
	*in = ins[0];
	*out = NULL;
	*difference = ins[0]->line ? LOST : SAME; /* to have no line is to have line 0 */
	for (size_t i = 0; i < in_count; i++) {
		for (size_t k = 0; k < out_count; k++) {
			enum line_difference d = compare_rows(ins[i], outs[k]);
			if (*out && weight[d] >= weight[*difference])
				continue;
			*difference = d;
			*in = ins[i];
			*out = outs[k];
		}
	}
	const struct line_row *maybe = out_count ? NULL : line_rows_maybe(&c->out, output);
	for (size_t i = 0; maybe && i < in_count; i++) {
		enum line_difference d = compare_rows(ins[i], maybe);
		if (ins[i]->line == maybe->line && weight[d] < weight[*difference]) {
			*difference = d;
			*in = ins[i];
			*out = maybe;
		}
	}
	return true;
}

/* ---- findings ---- */

/* The end of a path is what distinguishes files. */
static void file_text(const struct checking *c, const struct line_row *row, char *out, size_t size)
{
	struct text path = strings_at(&c->paths, row->file);

	if (row->flags & LINE_BAD_FILE) {
		snprintf(out, size, "file %" PRIu32 " of no name", row->file);
		return;
	}
	size_t skip = path.len > 40 ? path.len - 40 : 0;
	snprintf(out, size, "%s%.*s", skip ? "..." : "", (int)(path.len - skip), path.at + skip);
}

static void row_text(const struct checking *c, const struct line_row *row,
		     const struct line_row *other, char *out, size_t size)
{
	char file[64];

	if (!row || !row->line) {
		snprintf(out, size, "no line");
		return;
	}
	file_text(c, row, file, sizeof(file));
	int at = snprintf(out, size, "%s:%" PRIu32 ":%u", file, row->line, (unsigned)row->column);
	if (other && at > 0 && (size_t)at < size && row->discriminator != other->discriminator)
		at += snprintf(out + at, size - (size_t)at, ", discriminator %" PRIu32,
			       row->discriminator);
	if (other && at > 0 && (size_t)at < size && (row->flags ^ other->flags) & LINE_STATEMENT)
		snprintf(out + at, size - (size_t)at, ", %s",
			 row->flags & LINE_STATEMENT ? "a statement" : "no statement");
}

static void close_run(struct lining *l)
{
	struct run *run = &l->run;

	if (run->difference == SAME)
		return;
	struct finding_location location = NO_LOCATION;
	location.function = l->name;
	location.address = run->address;
	if (l->kinds[run->difference].told++ < TOLD_MOST) {
		char in[100], out[100];
		row_text(l->c, run->in, run->out, in, sizeof(in));
		row_text(l->c, run->out, run->in, out, sizeof(out));
		findings_add(l->findings, kind_of[run->difference], location,
			     "input 0x%" PRIx64 ": %s, output: %s; %" PRIu64 " instruction%s",
			     run->input, in, out, run->count, plural(run->count));
	} else {
		if (!l->kinds[run->difference].rest) {
			l->kinds[run->difference].at = run->address;
			l->kinds[run->difference].name = l->name;
		}
		l->kinds[run->difference].rest += run->count;
	}
	run->difference = SAME;
}

static void close_function(struct lining *l)
{
	close_run(l);
	for (enum line_difference d = WRONG; d < DIFFERENCES; d++) {
		struct finding_location location = NO_LOCATION;
		uint64_t rest = l->kinds[d].rest;
		location.function = l->kinds[d].name;
		location.address = l->kinds[d].at;
		if (rest)
			findings_add(l->findings, kind_of[d], location,
				     "and %" PRIu64 " more instruction%s of this function", rest,
				     plural(rest));
	}
	memset(l->kinds, 0, sizeof(l->kinds));
}

/* Counts instructions of one comparison, and opens or continues a finding. */
static void take(struct lining *l, const struct compared *compared, uint64_t count)
{
	enum line_difference difference = compared->difference;
	const struct line_row *in = compared->in, *out = compared->out;
	uint64_t *const counts[DIFFERENCES] = {&l->sum.equal, &l->sum.wrong, &l->sum.lost,
					       &l->sum.detail};
	struct run *run = &l->run;

	*counts[difference] += count;
	if (difference == SAME || difference != run->difference || in != run->in || out != run->out)
		close_run(l);
	if (difference == SAME)
		return;
	if (run->difference == SAME)
		*run = (struct run){difference, compared->output, compared->input, 0, in, out};
	run->count += count;
}

/* ---- functions ---- */

/* llvm-bolt marks the first row of each fragment as a statement. */
static bool is_on_purpose(enum line_difference difference, const struct line_row *in,
			  const struct line_row *out, uint64_t fragment)
{
	return difference == DETAIL && out->address == fragment && out->flags & LINE_STATEMENT &&
	       in->column == out->column && in->discriminator == out->discriminator;
}

/* One instruction that both have.  `address` is where the input's function is taken to be: a
 * twin's, if BOLT folded functions.  Returns false if the input has no line there. */
static bool compare_tied(const struct checking *c, const struct tied_function *function,
			 const struct tied_fragment *f, uint32_t i, uint64_t address,
			 struct compared *out)
{
	out->output = f->code.address + f->code.insns.at[i].offset;
	out->input = address + function->in.insns.at[f->ties.at[i].input].offset;
	if (!compare_at(c, out->input, out->output, &out->difference, &out->in, &out->out))
		return false;
	if (is_on_purpose(out->difference, out->in, out->out, f->code.address))
		out->difference = SAME;
	return true;
}

/* How many instructions differ if the lines are those of the function at an address. */
static uint64_t count_differences(const struct checking *c, const struct tied_function *function,
				  uint64_t address)
{
	uint64_t count = 0;

	for (uint32_t k = 0; k < function->count; k++) {
		const struct tied_fragment *f = &function->fragments[k];
		for (uint32_t i = 0; i < f->ties.len; i++) {
			struct compared compared;
			count += f->ties.at[i].kind == TIE_SAME &&
				 compare_tied(c, function, f, i, address, &compared) &&
				 compared.difference != SAME;
		}
	}
	return count;
}

#define TWINS_MOST 16

/* The lines of a folded function are those of one of the functions that are one now, and their code
 * is the same: the one that fits best.  Where a twin's size is another, its instructions are
 * elsewhere, and it is not known which lines are right: *undetermined. */
static uint64_t address_of_lines(const struct checking *c, const struct tied_function *function,
				 uint32_t input, bool *undetermined)
{
	uint64_t best = function->in.address, least;
	size_t count;
	const struct folded *folded = folded_of(
		&c->folded, fragment_hot_one(&c->subject->bat, function->fragments[0].fragment),
		&count);

	*undetermined = count > TWINS_MOST;
	if (!count)
		return best;
	least = count_differences(c, function, best);
	for (size_t i = 0; least && i < count && i < TWINS_MOST; i++) {
		const struct function *twin = &c->input->functions.at[folded[i].input];
		uint64_t differ = count_differences(c, function, twin->address);
		*undetermined |= twin->size != c->input->functions.at[input].size;
		if (differ < least) {
			least = differ;
			best = twin->address;
		}
	}
	return best;
}

static void check_fragment(struct lining *l, const struct tied_function *function,
			   const struct tied_fragment *f, uint64_t address, bool undetermined)
{
	for (uint32_t i = 0; i < f->ties.len; i++) {
		struct compared compared;
		if (untied_counts_take(&l->sum.untied, &f->ties.at[i]))
			continue;
		if (f->ties.at[i].kind ==
		    TIE_CARRIED) { /* a jump that BOLT added has no line of its own */
			l->sum.untied.changed++;
			continue;
		}
		if (!compare_tied(l->c, function, f, i, address, &compared))
			l->sum.no_line++;
		else if (compared.difference != SAME && undetermined)
			l->sum.folded++;
		else if (compared.difference != SAME && f->code.insns.at[i].kind == INSN_JUMP)
			l->sum.jumps++;
		else
			take(l, &compared, 1);
	}
	close_run(l);
}

static bool check_function(struct lining *l, struct decoder *decoder, const uint32_t *parts,
			   uint32_t count)
{
	const struct checking *c = l->c;
	struct tied_function function;
	uint32_t input = c->input->of[parts[0]];
	bool ok = insn_ties_make(c->subject, c->input, input, parts, count, decoder, &function);
	bool known = ok && input != NO_FUNCTION && !c->stale, undetermined = false;
	uint64_t address = known ? address_of_lines(c, &function, input, &undetermined) : 0;

	for (uint32_t k = 0; ok && k < function.count; k++) {
		const struct tied_fragment *f = &function.fragments[k];
		l->name = location_of(c->subject, f->fragment, NO_INDEX).function;
		l->sum.instructions += f->ties.len;
		if (input == NO_FUNCTION)
			l->sum.no_function += f->ties.len;
		else if (c->stale)
			l->sum.stale += f->ties.len;
		else
			check_fragment(l, &function, f, address, undetermined);
	}
	close_function(l);
	insn_ties_free(&function);
	return ok;
}

static void check_fragments_of(void *ctx, struct decoder *decoder, uint32_t begin, uint32_t end,
			       struct findings *findings)
{
	struct checking *c = ctx;
	struct lining l = {.c = c, .findings = findings};
	const struct bat_table *bat = &c->subject->bat;
	bool ok = true;

	for (uint32_t i = begin; ok && i < end; i++) {
		const uint32_t *parts;
		uint32_t count = fragments_of(&c->parts, bat, &i, &parts);
		if (count)
			ok = check_function(&l, decoder, parts, count);
	}
	if (!ok)
		atomic_store(&c->failed, true);
	summary_add(c->counts, &l.sum, sizeof(l.sum));
}

/* Functions that BOLT left where they were: from each change of a line on either side to the next.
 */
static void check_left(struct checking *c, struct findings *findings)
{
	struct lining l = {.c = c, .findings = findings};

	for (size_t i = 0; !c->stale && i < c->subject->functions.count; i++) {
		const struct function *f = &c->subject->functions.at[i],
				      *in = input_left(c->subject, c->input, i);
		if (!in)
			continue;
		uint64_t end = f->address + (f->size < in->size ? f->size : in->size);
		l.name = f->primary;
		l.sum.left++;
		struct lines_summary before = l.sum;
		for (uint64_t at = f->address; at < end;) {
			struct compared compared = {.output = at, .input = at};
			uint64_t next =
				line_rows_next(&c->in, at, line_rows_next(&c->out, at, end));
			if (compare_at(c, at, at, &compared.difference, &compared.in,
				       &compared.out))
				take(&l, &compared, 1);
			at = next;
		}
		close_function(&l);
		l.sum = before; /* the counts are of instructions of the table */
	}
	summary_add(c->counts, &l.sum, sizeof(l.sum));
}

/* ---- files that .debug_info names ---- */

static uint32_t path_of(const struct line_rows *rows, uint32_t unit, uint32_t file)
{
	const struct line_unit *u = &rows->units.at[unit];

	return file < u->file_count ? rows->files.at[u->first_file + file] : UINT32_MAX;
}

/* How many numbers of a unit are not reported one by one. */
static void tell_rest(struct findings *findings, unsigned told, uint64_t entry)
{
	unsigned rest = told > TOLD_MOST ? told - TOLD_MOST : 0;

	if (rest)
		findings_add(findings, FINDING_LINE_FILE, NO_LOCATION,
			     ".debug_info, byte %" PRIu64 ": and %u more number%s of this unit",
			     entry, rest, plural(rest));
}

/* Both binaries have the same units: llvm-bolt keeps the numbers of files in .debug_info, and
 * writes the tables that they are numbers of again. */
static void check_files(struct checking *c, const struct unit_order *order,
			struct findings *findings)
{
	const struct line_rows *in = &c->in, *out = &c->out;
	uint64_t compared = 0, rest_at = 0;
	uint32_t told_unit = UINT32_MAX;
	unsigned told = 0;

	bool paired = order->same_units;
	for (size_t i = 0; i < out->uses.len; i++) {
		const struct line_use *use = &out->uses.at[i];
		const struct line_unit *unit = &out->units.at[use->unit];
		uint32_t path = path_of(out, use->unit, use->file),
			 wanted = paired ? path_of(in, unit_of_input(order, use->unit), use->file) :
					   path;
		char text[2][64];
		if (unit->table == NO_LINE_TABLE || !unit->file_count)
			continue;
		compared++;
		if (path == wanted && path != UINT32_MAX)
			continue;
		if (paired && path == UINT32_MAX && wanted == UINT32_MAX)
			continue; /* the compiler's fault */
		if (told_unit != use->unit) {
			tell_rest(findings, told, rest_at);
			told = 0;
		}
		told_unit = use->unit;
		if (told++ >= TOLD_MOST) {
			rest_at = told == TOLD_MOST + 1 ? use->entry : rest_at;
			continue;
		}
		uint32_t paths[] = {wanted, path};
		for (int k = 0; k < 2; k++) {
			struct text p = paths[k] == UINT32_MAX ? text_of("no file") :
								 strings_at(&c->paths, paths[k]);
			size_t skip = p.len > 40 ? p.len - 40 : 0;
			snprintf(text[k], sizeof(text[k]), "%s%.*s", skip ? "..." : "",
				 (int)(p.len - skip), p.at + skip);
		}
		findings_add(findings, FINDING_LINE_FILE, NO_LOCATION,
			     ".debug_info, byte %" PRIu64 ": %s %" PRIu32 ", input: %s, output: %s",
			     use->entry, use->call ? "DW_AT_call_file" : "DW_AT_decl_file",
			     use->file, paired ? text[0] : "units differ", text[1]);
	}
	tell_rest(findings, told, rest_at);
	c->counts[offsetof(struct lines_summary, files) / sizeof(uint64_t)] = compared;
}

/* ---- both binaries ---- */

/* Compressed or not; NULL: there is none. */
static const struct section *lines_of(const struct image *image)
{
	const struct section *plain = image_section(image, ".debug_line");

	return plain ? plain : image_section(image, ".zdebug_line");
}

static bool same_bytes(struct bytes a, struct bytes b)
{
	return a.size == b.size && (!a.size || !memcmp(a.data, b.data, a.size));
}

static bool read_tables(struct checking *c, struct findings *findings, bool *of_input,
			struct bc_error *err)
{
	const struct image *in = &c->input->image, *out = &c->subject->image;
	const struct section *in_lines = lines_of(in), *out_lines = lines_of(out);

	*of_input = true;
	if (!in_lines)
		return bc_fail(err, BC_NOTFOUND,
			       "it has no .debug_line: build it with debug information (-g)");
	if (!line_rows_read(in, &c->paths, &c->in, err))
		return false;
	if (c->in.bad_tables)
		return bc_fail(err, BC_FORMAT, "%s", c->in.bad);
	*of_input = false;
	c->stale = !out_lines || same_bytes(image_section_bytes(in, in_lines),
					    image_section_bytes(out, out_lines));
	if (c->stale) {
		findings_add(
			findings, FINDING_DWARF_STALE, NO_LOCATION, "%s, and nothing is compared",
			out_lines ?
				text_starts(out_lines->name, ".z") ?
				".zdebug_line is the input's, byte by byte: llvm-bolt does not update what is compressed so" :
				".debug_line is the input's, byte by byte, as llvm-bolt leaves it without -update-debug-sections" :
				"there is no .debug_line: llvm-bolt leaves it out without -update-debug-sections");
		return true;
	}
	if (!line_rows_read(out, &c->paths, &c->out, err)) {
		if (err->code != BC_FORMAT)
			return false;
		findings_add(findings, FINDING_DWARF_DAMAGED, NO_LOCATION, "%s", err->text);
		*err = (struct bc_error){0};
		c->stale = true;
		return true;
	}
	if (c->out.bad_tables)
		findings_add(findings, FINDING_DWARF_DAMAGED, NO_LOCATION, "%s; %" PRIu64 " in all",
			     c->out.bad, c->out.bad_tables);
	return true;
}

static bool compare_scopes(const struct checking *c, const struct unit_order *order,
			   unsigned threads, struct scopes_summary *out, struct findings *findings,
			   bool *of_input, struct bc_error *err)
{
	struct scope_files files = {&c->in, &c->out, order};
	struct code_map map;
	bool ok = code_map_make(c->subject, c->input, threads, &map, of_input, err) &&
		  check_scopes(&map, &files, out, findings, of_input, err);

	code_map_free(&map);
	return ok;
}

bool check_lines(const struct binary *subject, const struct input *input, unsigned threads,
		 struct lines_summary *out, struct scopes_summary *scopes, bool *scoped,
		 struct findings *findings, bool *of_input, struct bc_error *err)
{
	struct checking c = {.subject = subject, .input = input};
	struct unit_order order = {0};

	*err = (struct bc_error){0};
	*scoped = false;
	bool ok = fragments_by_function_list(&subject->bat, &c.parts) || bc_fail_nomem(err);
	ok = ok && read_tables(&c, findings, of_input, err);
	if (ok && (!folded_list(subject, input, &c.folded) ||
		   !code_for_fragments(subject, threads, check_fragments_of, &c, findings)))
		ok = bc_fail_nomem(err);
	if (ok && atomic_load(&c.failed)) {
		*of_input = !work_check(input->image.work, err);
		ok = !*of_input && work_fail(subject->image.work, err);
	}
	if (ok) {
		check_left(&c, findings);
		*scoped = !c.stale;
		ok = c.stale || unit_order_find(&c.in, &c.out, &order) || bc_fail_nomem(err);
	}
	if (ok && !c.stale) {
		check_files(&c, &order, findings);
		ok = compare_scopes(&c, &order, threads, scopes, findings, of_input, err);
	}
	summary_read(c.counts, out, sizeof(*out));
	if (c.parts.at)
		fragments_by_function_free(&c.parts);
	unit_order_free(&order);
	line_rows_free(&c.out);
	line_rows_free(&c.in);
	folded_vec_free(&c.folded);
	strings_free(&c.paths);
	return ok;
}
