/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/verification.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "src/base/text.h"
#include "src/figures/figure_table.h"

/* ---- text ---- */

/* Why the instructions were not checked, or "yes". */
static const char *code_state_text(enum code_state state)
{
	switch (state) {
	case CODE_CHECKED: return "yes";
	case CODE_NOT_ASKED: return "no: not asked for";
	case CODE_PARTLY: return "partly: libLLVM is not installed";
	case CODE_ABSENT: return "no: " IMAGE_NO_CODE;
	case CODE_NONE: break;
	}
	return "no: there is nothing to check";
}

static void print_location(const struct finding_location *location, FILE *out)
{
	if (location->function) {
		fputs(", ", out);
		print_name(text_of(location->function), out);
	}
	if (location->entry != NO_INDEX)
		fprintf(out, ", entry %" PRIu32, location->entry);
	if (location->address != NO_OFFSET)
		fprintf(out, ", 0x%" PRIx64, location->address);
	if (location->byte != NO_OFFSET)
		fprintf(out, ", byte %" PRIu64, location->byte);
}

static void print_findings(const struct verification *found, FILE *out)
{
	const struct findings *findings = &found->verify->findings;

	for (size_t i = 0; i < findings->len; i++) {
		const struct finding *f = &findings->at[i];
		const struct finding_info *info = &finding_infos[f->kind];
		print_name(text_of(found->binary), out);
		fprintf(out, ": %s: %s", severity_name(info->severity), info->id);
		print_location(&f->location, out);
		fprintf(out, ": %s; ", info->what);
		print_name(text_of(f->text), out);
		putc('\n', out);
	}
}

static void print_remedies(const struct findings *findings, FILE *out)
{
	for (size_t kind = 0; kind < FINDING_KIND_COUNT; kind++) {
		if (!findings->counts[kind])
			continue;
		fprintf(out, "%s: %" PRIu64, finding_infos[kind].id, findings->counts[kind]);
		if (findings->counts[kind] > findings->kept[kind])
			fprintf(out, " (%zu shown)", findings->kept[kind]);
		fprintf(out, ".  %s\n", finding_infos[kind].remedy);
	}
}

FIGURE_READER(layout_of, struct verify_report,
	      figure_string(bat_layout_name(it->subject.bat.layout)))

static const struct figure_row table_rows[] = {
	{"layout",
	 "layout: {}, {bytes} byte{bytes:s}, {fragments} fragment{fragments:s}, {entries} entr{entries:ies}\n",
	 .read = layout_of},
	{"bytes", NULL, VALUE(struct verify_report, subject.desc.size)},
	{"fragments", NULL, VALUE(struct verify_report, subject.bat.fragment_count)},
	{"hot", NULL, VALUE(struct verify_report, subject.bat.hot_count)},
	{"entries", NULL, VALUE(struct verify_report, subject.bat.entry_count)},
	{0},
};

/* How many functions of one kind the table does not map, and why. */
static void write_unmapped(struct json *json, const struct figure_row *row, const void *coverage)
{
	const struct table_coverage *c = coverage;

	json_open(json, row->key, '{');
	for (size_t i = 0; i < UNMAPPED_COUNT; i++) {
		json_open(json, unmapped_infos[i].key, '{');
		json_number(json, "functions", c->unmapped[i].functions);
		json_number(json, "bytes", c->unmapped[i].bytes);
		json_string(json, "reason", unmapped_infos[i].why);
		json_close(json, '}');
	}
	json_close(json, '}');
}

static void print_unmapped(const struct figure_row *row, const void *coverage, FILE *out)
{
	const struct table_coverage *c = coverage;

	(void)row;
	for (size_t i = 0; i < UNMAPPED_COUNT; i++)
		if (c->unmapped[i].functions)
			fprintf(out, "unmapped: %" PRIu64 " function%s of %" PRIu64 " byte%s: %s\n",
				c->unmapped[i].functions, plural(c->unmapped[i].functions),
				c->unmapped[i].bytes, plural(c->unmapped[i].bytes),
				unmapped_infos[i].why);
}

static const struct figure_row coverage_rows[] = {
	{"executable_bytes",
	 "coverage: {fragments} fragment{fragments:s} of {mapped_functions} function{mapped_functions:s}: {mapped_bytes} byte{mapped_bytes:s}, "
	 "{mapped_bytes/executable_bytes:.1} % of all code",
	 VALUE(struct table_coverage, executable)},
	{"rewritten_bytes", " and {mapped_bytes/rewritten_bytes:.1} % of what BOLT wrote",
	 VALUE(struct table_coverage, rewritten), .any = true},
	{.text = "\n"},
	{"mapped_bytes", NULL, VALUE(struct table_coverage, mapped)},
	FIGURES(struct table_coverage, , mapped_functions, fragments),
	{"unmapped", .write = write_unmapped, .print = print_unmapped},
	{0},
};

static const struct figure_row symbols_rows[] = {
	{"symbols",
	 "symbols: {} of the input; {same} where they were, {moved} moved with their code, {wrong} wrong, {lost} lost\n",
	 VALUE(struct symbols_summary, symbols)},
	FIGURES(struct symbols_summary, , same, moved, wrong, lost),
	{"displaced",
	 "symbols: {:12} label{:s} within code that moved {:are} elsewhere than in the input\n",
	 VALUE(struct symbols_summary, displaced), .any = true},
	{"dropped", "symbols: {:12} label{:s} within code that moved {:are} left out\n",
	 VALUE(struct symbols_summary, dropped), .any = true},
	{"not_compared", BEGIN},
	{"labels", "symbols: {:12} not compared: local labels of the assembler\n",
	 VALUE(struct symbols_summary, labels), .any = true},
	{"own", "symbols: {:12} not compared: set by llvm-bolt itself\n",
	 VALUE(struct symbols_summary, own), .any = true},
	{"unmapped", "symbols: {:12} not compared: within code that the table has nothing of\n",
	 VALUE(struct symbols_summary, no_map), .any = true},
	{"reordered", "symbols: {:12} not compared: of sections that BOLT reordered\n",
	 VALUE(struct symbols_summary, ordered), .any = true},
	{"stripped", "symbols: {:12} not compared: the output has no such symbol table\n",
	 VALUE(struct symbols_summary, no_table), .any = true},
	{END},
	{"sizes", "symbols: {} sizes compared, those of code that BOLT moved\n",
	 VALUE(struct symbols_summary, sizes), .any = true},
	{0},
};

static const struct figure_row unwind_rows[] = {
	{"instructions",
	 "unwinding: {} instruction{:s}; {equal} as in the input, {explained} right by the code, {different} wrong\n",
	 VALUE(struct unwind_summary, instructions)},
	FIGURES(struct unwind_summary, , equal, explained, different),
	{"not_compared", BEGIN},
	{"inserted", "unwinding: {:12} not compared: in blocks that BOLT made\n",
	 VALUE(struct unwind_summary, untied.inserted), .any = true},
	{"changed", "unwinding: {:12} not compared: BOLT inserted, inlined or changed them\n",
	 VALUE(struct unwind_summary, untied.changed), .any = true},
	{"padding", "unwinding: {:12} not compared: padding\n",
	 VALUE(struct unwind_summary, untied.padding), .any = true},
	{"unmapped", "unwinding: {:12} not compared: the table has nothing of them\n",
	 VALUE(struct unwind_summary, untied.unmapped), .any = true},
	{"no_function",
	 "unwinding: {:12} not compared: of functions that are not known in the input\n",
	 VALUE(struct unwind_summary, no_function), .any = true},
	{"no_rules", "unwinding: {:12} not compared: the input has no rules there\n",
	 VALUE(struct unwind_summary, no_rules), .any = true},
	{"undetermined",
	 "unwinding: {:12} not compared: BOLT changed the frame, and the code does not show what is right\n",
	 VALUE(struct unwind_summary, undetermined), .any = true},
	{"input_wrong", "unwinding: {:12} not compared: the input's rules are wrong there, too\n",
	 VALUE(struct unwind_summary, input_wrong), .any = true},
	{END},
	{"calls", "unwinding: the exceptions of {} call{:s} compared\n",
	 VALUE(struct unwind_summary, calls), .any = true},
	{"ignored", BEGIN},
	{"functions",
	 "unwinding: {} function{:s} {:are} not in the table; {compared} of them compared, as the input has them at the same address\n",
	 VALUE(struct unwind_summary, left), .any = true},
	{"compared", NULL, VALUE(struct unwind_summary, left_compared)},
	{"no_rules",
	 "unwinding: {:12} of them not compared: the input has no rules at that address\n",
	 VALUE(struct unwind_summary, left_no_rules), .any = true},
	{"elsewhere",
	 "unwinding: {:12} of them not compared: the input has no function of that name at that address\n",
	 VALUE(struct unwind_summary, left_other), .any = true},
	{END},
	FIGURE(struct unwind_summary, , fdes),
	{0},
};

static const struct figure_row lines_rows[] = {
	{"instructions",
	 "lines: {} instruction{:s}; {equal} as in the input, {wrong} of another line or file, {lost} without a line that the input has, "
	 "{detail} of another column, discriminator or statement mark\n",
	 VALUE(struct lines_summary, instructions)},
	FIGURES(struct lines_summary, , equal, wrong, lost, detail),
	{"not_compared", BEGIN},
	{"inserted", "lines: {:12} not compared: in blocks that BOLT made\n",
	 VALUE(struct lines_summary, untied.inserted), .any = true},
	{"changed", "lines: {:12} not compared: BOLT inserted, inlined or changed them\n",
	 VALUE(struct lines_summary, untied.changed), .any = true},
	{"padding", "lines: {:12} not compared: padding\n",
	 VALUE(struct lines_summary, untied.padding), .any = true},
	{"unmapped", "lines: {:12} not compared: the table has nothing of them\n",
	 VALUE(struct lines_summary, untied.unmapped), .any = true},
	{"no_function", "lines: {:12} not compared: of functions that are not known in the input\n",
	 VALUE(struct lines_summary, no_function), .any = true},
	{"no_line", "lines: {:12} not compared: the input has no line there\n",
	 VALUE(struct lines_summary, no_line), .any = true},
	{"jumps",
	 "lines: {:12} not compared: jumps that BOLT rewrote, which have the line before them\n",
	 VALUE(struct lines_summary, jumps), .any = true},
	{"folded",
	 "lines: {:12} not compared: folded by BOLT, and the functions have several sizes\n",
	 VALUE(struct lines_summary, folded), .any = true},
	{"stale",
	 "lines: {:12} not compared: the output has no line table of its own code that can be read\n",
	 VALUE(struct lines_summary, stale), .any = true},
	{END},
	{"ignored", "lines: {} function{:s} compared that BOLT left where they were\n",
	 VALUE(struct lines_summary, left), .any = true},
	{"files", "lines: {} number{:s} of files in .debug_info compared\n",
	 VALUE(struct lines_summary, files), .any = true},
	{0},
};

static const struct figure_row scopes_rows[] = {
	{"entries",
	 "scopes: {} entr{:ies} of .debug_info compared, {different} with another attribute\n",
	 VALUE(struct scopes_summary, entries)},
	{"different", NULL, VALUE(struct scopes_summary, entries_different)},
	{"unmatched",
	 "scopes: {:12} entr{:ies} not compared: their unit has others than the input's\n",
	 VALUE(struct scopes_summary, entries_alone), .any = true},
	{"code", BEGIN},
	{"entries", "scopes: {} of them cover code; {equal} the input's, {different} other code\n",
	 VALUE(struct scopes_summary, scopes)},
	{"equal", NULL, VALUE(struct scopes_summary, scopes_equal)},
	{"different", NULL, VALUE(struct scopes_summary, scopes_different)},
	{"folded", "scopes: {:12} not compared: BOLT folded their code\n",
	 VALUE(struct scopes_summary, scopes_folded), .any = true},
	{"removed", "scopes: {:12} not compared: the output has nothing of their code\n",
	 VALUE(struct scopes_summary, scopes_gone), .any = true},
	{END},
	{"addresses", BEGIN},
	{"compared",
	 "scopes: {} address{:es} of calls, entry points and labels; {equal} lead where they do in the input, {wrong} elsewhere\n",
	 VALUE(struct scopes_summary, addresses), .any = true},
	{"equal", NULL, VALUE(struct scopes_summary, addresses_equal)},
	{"wrong", NULL, VALUE(struct scopes_summary, addresses_wrong)},
	{"folded", "scopes: {:12} not compared: BOLT folded their code\n",
	 VALUE(struct scopes_summary, addresses_folded), .any = true},
	{"removed", "scopes: {:12} not compared: the output has nothing of their code\n",
	 VALUE(struct scopes_summary, addresses_gone), .any = true},
	{END},
	{"locations", BEGIN},
	{"lists",
	 "scopes: {} location list{:s}; {equal} as in the input, {wrong} with another location of the variable, {lost} with none where the input has one\n",
	 VALUE(struct scopes_summary, lists), .any = true},
	{"equal", NULL, VALUE(struct scopes_summary, lists_equal)},
	{"wrong", NULL, VALUE(struct scopes_summary, lists_wrong)},
	{"lost", NULL, VALUE(struct scopes_summary, lists_lost)},
	{"removed",
	 "scopes: {:12} not compared: the output has nothing of their code, or BOLT folded it\n",
	 VALUE(struct scopes_summary, lists_gone), .any = true},
	{END},
	{"split",
	 "scopes: {} unit{:s} not compared beyond the first entry: split DWARF, in .dwo and .dwp files, is not read\n",
	 VALUE(struct scopes_summary, units_split), .any = true},
	{"unit_ranges", "scopes: {} unit{:s} of .debug_aranges compared\n",
	 VALUE(struct scopes_summary, unit_ranges), .any = true},
	{0},
};

static const struct figure_row sample_rows[] = {
	{"addresses", "sample: {} address{:es} translated in two ways, {differ} differ\n",
	 VALUE(struct sample_result, addresses)},
	FIGURE(struct sample_result, , differ),
	{"compared",
	 "sample: {same} of {} instruction{:s} ({same/compared:.1} %) the same in the input binary; {added} more added by BOLT\n",
	 VALUE(struct sample_result, compared), .any = true},
	FIGURES(struct sample_result, , same, added),
	{0},
};

static void write_finding(struct json *json, const struct finding *f)
{
	const struct finding_info *info = &finding_infos[f->kind];

	json_open(json, NULL, '{');
	json_string(json, "id", info->id);
	json_string(json, "severity", severity_name(info->severity));
	json_string(json, "what", info->what);
	json_string(json, "detail", f->text);
	if (f->location.function)
		json_string(json, "function", f->location.function);
	if (f->location.address != NO_OFFSET)
		json_hex_string(json, "address", f->location.address);
	if (f->location.entry != NO_INDEX)
		json_number(json, "entry", f->location.entry);
	if (f->location.byte != NO_OFFSET)
		json_number(json, "byte", f->location.byte);
	json_string(json, "remedy", info->remedy);
	json_close(json, '}');
	putc('\n', json->out);
}

static void write_counts(struct json *json, const struct figure_row *row, const void *of)
{
	const struct findings *findings = of;

	json_open(json, row->key, '{');
	for (size_t kind = 0; kind < FINDING_KIND_COUNT; kind++)
		if (findings->counts[kind])
			json_number(json, finding_infos[kind].id, findings->counts[kind]);
	json_close(json, '}');
}

static void write_findings(struct json *json, const struct figure_row *row, const void *of)
{
	const struct findings *findings = of;

	json_open(json, row->key, '[');
	for (size_t i = 0; i < findings->len; i++)
		write_finding(json, &findings->at[i]);
	json_close(json, ']');
}

FIGURE_READER(input_of, struct verification, it->input ? figure_string(it->input) : figure_lacks())
FIGURE_READER(code_of, struct verify_report, figure_string(code_state_text(it->code)))

#define FOUND THROUGH(struct verification, verify)
#define PART(key, field, known)                                                                    \
	{key, .at = offsetof(struct verify_report, field), .rows = field##_rows, FOUND,            \
	 IF(struct verify_report, known)}
static const struct figure_row verification_rows[] = {
	FORMAT_ROWS("batconv-verify"),
	FIGURE(struct verification, , binary),
	{"input", .read = input_of},
	{"instructions_checked", .read = code_of, FOUND},
	{"bat", .rows = table_rows, FOUND, IF(struct verify_report, decoded)},
	PART("coverage", coverage, linked),
	{.text = "instructions checked: {}\n",
	 .read = code_of,
	 FOUND,
	 IF(struct verify_report, decoded)},
	PART("symbols", symbols, named),
	PART("unwind", unwind, unwound),
	PART("lines", lines, lined),
	PART("scopes", scopes, scoped),
	{"sample", .rows = sample_rows, THROUGH(struct verification, sample)},
	{"counts", .at = offsetof(struct verify_report, findings), .write = write_counts, FOUND},
	{"findings", .at = offsetof(struct verify_report, findings), .write = write_findings,
	 FOUND},
	{0},
};

void verification_text(const struct verification *found, bool quiet, FILE *out)
{
	const struct verify_report *v = found->verify;

	print_findings(found, out);
	if (quiet)
		return;
	print_remedies(&v->findings, out);
	figures_text(verification_rows, found, false, "", out);
	print_name(text_of(found->binary), out);
	uint64_t errors = findings_at_least(&v->findings, SEVERITY_ERROR);
	uint64_t warnings = findings_at_least(&v->findings, SEVERITY_WARNING) - errors;
	uint64_t notes = findings_at_least(&v->findings, SEVERITY_NOTE) - errors - warnings;
	fprintf(out, ": %" PRIu64 " error%s, %" PRIu64 " warning%s, %" PRIu64 " note%s\n", errors,
		plural(errors), warnings, plural(warnings), notes, plural(notes));
}

void verification_json(const struct verification *found, FILE *out)
{
	figures_json_document(verification_rows, found, out);
}

/* ---- SARIF ---- */

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"
/* For the program whose tables are checked. */
#define INFORMATION "https://github.com/llvm/llvm-project/tree/main/bolt"

static void write_sarif_text(struct json *json, const char *key, const char *text)
{
	json_open(json, key, '{');
	json_string(json, "text", text);
	json_close(json, '}');
}

/* What a rule finds, and what to do, as one text. */
static void write_description(struct json *json, const struct finding_info *info)
{
	char text[1024];

	snprintf(text, sizeof(text), "%s. %s", info->what, info->remedy);
	write_sarif_text(json, "fullDescription", text);
}

static void write_rules(struct json *json)
{
	json_open(json, "rules", '[');
	for (size_t kind = 0; kind < FINDING_KIND_COUNT; kind++) {
		const struct finding_info *info = &finding_infos[kind];
		json_open(json, NULL, '{');
		json_string(json, "id", info->id);
		write_sarif_text(json, "shortDescription", info->what);
		write_description(json, info);
		write_sarif_text(json, "help", info->remedy);
		json_open(json, "defaultConfiguration", '{');
		json_string(json, "level", severity_name(info->severity));
		json_close(json, '}');
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void write_driver(struct json *json, const char *version)
{
	json_open(json, "tool", '{');
	json_open(json, "driver", '{');
	json_string(json, "name", "batconv");
	json_string(json, "version", version);
	json_string(json, "informationUri", INFORMATION);
	write_rules(json);
	json_close(json, '}');
	json_close(json, '}');
}

/* Tools that show code want a line; the byte is the file's, not the descriptor's. */
static void write_region(struct json *json)
{
	json_open(json, "region", '{');
	json_number(json, "startLine", 1);
	json_close(json, '}');
}

static void write_byte(struct json *json, const struct verify_report *v, uint64_t byte)
{
	if (byte == NO_OFFSET || !v->subject.desc.data)
		return;
	json_open(json, "properties", '{');
	json_number(json, "byteOffset",
		    (uint64_t)(v->subject.desc.data - v->subject.file.data) + byte);
	json_close(json, '}');
}

static void write_function(struct json *json, const struct finding_location *location)
{
	if (!location->function && location->address == NO_OFFSET)
		return;
	json_open(json, "logicalLocations", '[');
	json_open(json, NULL, '{');
	if (location->function)
		json_string(json, "fullyQualifiedName", location->function);
	json_string(json, "kind", "function");
	json_close(json, '}');
	json_close(json, ']');
}

/* A path as a URI; a relative one stays relative. */
static void write_uri(struct json *json, const char *path)
{
	static const char kept[] = "/-._~ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "abcdefghijklmnopqrstuvwxyz0123456789";
	char uri[3 * PATH_MAX + 8];
	size_t length = (size_t)snprintf(uri, sizeof(uri), "%s", *path == '/' ? "file://" : "");

	for (const char *c = path; *c && length + 4 <= sizeof(uri); c++)
		length += (size_t)snprintf(uri + length, sizeof(uri) - length,
					   strchr(kept, *c) ? "%c" : "%%%02X", (uint8_t)*c);
	json_string(json, "uri", uri);
}

static void write_sarif_location(struct json *json, const struct verification *found,
				 const struct finding_location *location)
{
	json_open(json, "locations", '[');
	json_open(json, NULL, '{');
	json_open(json, "physicalLocation", '{');
	json_open(json, "artifactLocation", '{');
	write_uri(json, found->binary);
	json_close(json, '}');
	write_region(json);
	if (location->address != NO_OFFSET) {
		json_open(json, "address", '{');
		json_number(json, "absoluteAddress", location->address);
		json_close(json, '}');
	}
	json_close(json, '}');
	write_function(json, location);
	json_close(json, '}');
	json_close(json, ']');
}

static void write_result(struct json *json, const struct verification *found,
			 const struct finding *f)
{
	const struct finding_info *info = &finding_infos[f->kind];
	char message[512];

	snprintf(message, sizeof(message), "%s: %s. %s", info->what, f->text, info->remedy);
	json_open(json, NULL, '{');
	json_string(json, "ruleId", info->id);
	json_number(json, "ruleIndex", (uint64_t)f->kind);
	json_string(json, "level", severity_name(info->severity));
	write_sarif_text(json, "message", message);
	write_sarif_location(json, found, &f->location);
	write_byte(json, found->verify, f->location.byte);
	json_close(json, '}');
	putc('\n', json->out);
}

void verification_sarif(const struct verification *found, FILE *out)
{
	const struct findings *findings = &found->verify->findings;
	struct json json = {.out = out};

	json_open(&json, NULL, '{');
	json_string(&json, "$schema", SCHEMA);
	json_string(&json, "version", "2.1.0");
	json_open(&json, "runs", '[');
	json_open(&json, NULL, '{');
	write_driver(&json, found->version);
	json_open(&json, "results", '[');
	for (size_t i = 0; i < findings->len; i++)
		write_result(&json, found, &findings->at[i]);
	json_close(&json, ']');
	json_close(&json, '}');
	json_close(&json, ']');
	json_close(&json, '}');
	putc('\n', out);
}
