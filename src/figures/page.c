/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/page.h"

#include <math.h>

#include "src/figures/page_heat.h"

/* ---- the page, and lists of its data ---- */

#define ROOM_SPARE ((size_t)4000) /* of what is around values */

/* Made of src/figures/page.html by cmake/embed.cmake. */
extern const unsigned char report_page[];
extern const size_t report_page_size;

struct text page_template(void)
{
	return (struct text){(const char *)report_page, report_page_size};
}

static size_t find_placeholder(struct text page)
{
	size_t at = 0;

	while (at < page.len && !text_starts(text_from(page, at), PAGE_PLACEHOLDER))
		at++;
	return at;
}

void page_begin(FILE *out)
{
	struct text page = page_template();

	fwrite(page.at, 1, find_placeholder(page), out);
}

void page_end(FILE *out)
{
	struct text page = page_template();
	struct text rest = text_from(page, find_placeholder(page) + strlen(PAGE_PLACEHOLDER));

	fwrite(rest.at, 1, rest.len, out);
}

void page_write(struct text data, FILE *out)
{
	page_begin(out);
	fwrite(data.at, 1, data.len, out);
	page_end(out);
}

bool part_begin(struct page_part *part)
{
	part->json = (struct json){
		.out = open_memstream(&part->text, &part->size), .base = part->base, .page = true};
	return part->json.out;
}

bool part_end(struct page_part *part, size_t more, struct json *list, bool *added)
{
	bool ok = !ferror(part->json.out);

	ok &= !fclose(part->json.out);
	*added = ok && part->size + 1 + more <= part->room; /* 1: a comma */
	if (*added) {
		json_raw(list, NULL, (struct text){part->text, part->size});
		part->room -= part->size + 1 + more;
	}
	free(part->text);
	return ok;
}

size_t page_room_left(const struct json *json)
{
	long written = fflush(json->out) ? -1 : ftell(json->out);
	size_t most = PAGE_DATA_MOST - ROOM_SPARE;

	return written < 0 || (size_t)written > most ? 0 : most - (size_t)written;
}

/* Bytes of the page for each part. */
#define ROOM_MOVERS   ((size_t)30000)
#define ROOM_FINDINGS ((size_t)60000)
#define SAMPLES_SHOWN 20

/* ---- what it is of ---- */

static void write_path(struct json *json, const char *key, const char *path)
{
	if (path)
		json_string(json, key, path);
	else
		json_null(json, key);
}

static uint64_t lower(uint64_t address, const struct function_table *functions)
{
	return functions->count && functions->at[0].address < address ? functions->at[0].address :
									address;
}

/* What addresses are counted from: those of kernels are too large for a browser. */
static uint64_t base_of(const struct report_data *data)
{
	const struct conversion *c = data->quality->conversion;
	const struct heat *bytes = &data->sources->bytes;
	uint64_t lowest = lower(bytes->runs.len ? bytes->runs.at[0].first : UINT64_MAX,
				&conversion_binary(c)->functions);

	if (c->pair.output)
		lowest = lower(lowest, &c->pair.functions);
	return lowest == UINT64_MAX || lowest < BASE_NEEDED ? 0 : lowest / BASE_UNIT * BASE_UNIT;
}

static void write_head(struct json *json, const struct report_data *data)
{
	const struct conversion *c = data->quality->conversion;
	const struct conversion_options *options = &c->options;
	char id[2 * BUILD_ID_MAX + 1];

	build_id_format(&conversion_binary(c)->image.build_id, id);
	json_string(json, "format", "batconv-report");
	json_number(json, "version", 1);
	json_string(json, "batconv", data->version);
	json_string(json, "optimized", options->binary);
	json_string(json, "build_id", id);
	write_path(json, "input", options->input);
	write_path(json, "against", data->against);
	json_open(json, "samples", '[');
	for (size_t i = 0; i < options->sample_count && i < SAMPLES_SHOWN; i++)
		json_string(json, NULL, options->samples[i]);
	json_close(json, ']');
	json_number(json, "samples_all", options->sample_count);
	json_string(json, "unit", c->basic ? "samples" : "branches");
	json_bool(json, "partial", c->partial);
	if (json->base)
		json_hex_string(json, "base", json->base);
}

static void write_reasons(struct json *json, const struct ledger_words *words,
			  const struct ledger *ledger)
{
	json_open(json, words->key, '{');
	json_string(json, "title", words->text);
	json_string(json, "kept", "used");
	json_open(json, "reasons", '{');
	for (size_t i = 0; i < words->reason_count; i++)
		if (ledger->dropped[i])
			json_string(json, words->reasons[i].key, words->reasons[i].text);
	json_close(json, '}');
	json_close(json, '}');
}

static void write_words(struct json *json, const struct ledgers *ledgers)
{
#define X(name, key, text) text,
	static const char *const places[] = {CODE_PLACES(X)};
#undef X

	json_open(json, "words", '{');
	write_reasons(json, &sample_words, &ledgers->samples);
	write_reasons(json, &branch_words, &ledgers->branches);
	write_reasons(json, &trace_words, &ledgers->traces);
	json_open(json, "places", '{');
	for (size_t i = 0; i < BC_COUNT(places); i++)
		json_string(json, code_place_key((enum code_place)i), places[i]);
	json_close(json, '}');
	json_close(json, '}');
}

/* ---- with --against ---- */

#define MOVERS_SHOWN 100

static bool moved_more(const struct overlap_mover *a, const struct overlap_mover *b)
{
	double x = fabs(a->b - a->a), y = fabs(b->b - b->a);

	return x > y;
}

static void write_mover(struct json *json, const struct overlap_mover *mover)
{
	json_open(json, NULL, '[');
	json_text(json, NULL, mover->name);
	json_real(json, NULL, mover->a);
	json_real(json, NULL, mover->b);
	json_close(json, ']');
}

/* Those who lost are at the beginning, those who gained at the end. */
static bool movers_write(struct json *json, const char *key, const struct overlap *overlap,
			 size_t room)
{
	const struct overlap_mover_vec *all = &overlap->movers;
	struct page_part part = {.room = room, .base = json->base};
	size_t first = 0, end = all->len;
	bool ok = true, added = true;

	json_open(json, key, '[');
	for (size_t i = 0; ok && added && i < MOVERS_SHOWN && first < end; i++) {
		const struct overlap_mover *mover = &all->at[first];
		if (moved_more(&all->at[end - 1], mover))
			mover = &all->at[--end];
		else
			first++;
		if (!part_begin(&part))
			return false;
		write_mover(&part.json, mover);
		ok = part_end(&part, 0, json, &added);
	}
	json_close(json, ']');
	return ok;
}

static bool write_overlap(struct json *json, const struct report_data *data,
			  const struct report_subject *subject, const struct code_parts *parts,
			  struct bc_error *err)
{
	BC_AUTO(overlap_free) struct overlap overlap = {0};
	BC_AUTO(same_names_free) struct same_names same = {0};
	const struct overlap_report report = {
		.overlap = &overlap, .paths = {subject->conversion->options.binary, data->against}};

	if (!data->other) {
		json_null(json, "overlap");
		return true;
	}
	if (!same_names_take(subject_binary(subject), subject_pair(subject), &data->sources->flat,
			     data->other, &same))
		return bc_fail_nomem(err);
	if (!overlap_take(&data->sources->flat, data->other, same.own, &overlap, err))
		return false;
	json_open(json, "overlap", '{');
	overlap_json_members(&report, json);
	bool ok = movers_write(json, "movers", &overlap, ROOM_MOVERS) &&
		  record_heats_write(json, "heat", subject, parts, data->other, &same);
	json_close(json, '}');
	return ok || bc_fail_nomem(err);
}

/* ---- with --verify ---- */

static void write_finding(struct json *json, const struct finding *finding)
{
	json_open(json, NULL, '[');
	json_string(json, NULL, finding_infos[finding->kind].id);
	if (finding->location.function)
		json_string(json, NULL, finding->location.function);
	else
		json_null(json, NULL);
	if (finding->location.address != NO_OFFSET)
		json_hex_string(json, NULL, finding->location.address);
	else
		json_null(json, NULL);
	json_string(json, NULL, finding->text);
	json_close(json, ']');
}

static void write_kind(struct json *json, enum finding_kind kind, uint64_t count)
{
	const struct finding_info *info = &finding_infos[kind];

	json_open(json, NULL, '{');
	json_string(json, "id", info->id);
	json_string(json, "severity", severity_name(info->severity));
	json_string(json, "what", info->what);
	json_whole_string(json, "remedy", info->remedy);
	json_number(json, "count", count);
	json_close(json, '}');
}

/* The worst first. */
static bool write_findings(struct json *json, const struct findings *findings, size_t room)
{
	struct page_part part = {.room = room, .base = json->base};
	bool ok = true, added = true;

	json_open(json, "findings", '[');
	for (int severity = SEVERITY_ERROR; ok && severity >= SEVERITY_NOTE; severity--)
		for (size_t i = 0; ok && added && i < findings->len; i++) {
			if ((int)finding_infos[findings->at[i].kind].severity != severity)
				continue;
			ok = part_begin(&part);
			if (ok) {
				write_finding(&part.json, &findings->at[i]);
				ok = part_end(&part, 0, json, &added);
			}
		}
	json_close(json, ']');
	return ok;
}

static bool write_verified(struct json *json, const char *key, const struct verify_report *report)
{
	if (!report) {
		json_null(json, key);
		return true;
	}
	const struct findings *findings = &report->findings;
	uint64_t errors = findings_at_least(findings, SEVERITY_ERROR);
	uint64_t warnings = findings_at_least(findings, SEVERITY_WARNING) - errors;

	json_open(json, key, '{');
	json_number(json, "errors", errors);
	json_number(json, "warnings", warnings);
	json_number(json, "notes", findings_at_least(findings, SEVERITY_NOTE) - errors - warnings);
	json_bool(json, "unwound", report->unwound);
	json_bool(json, "lined", report->lined);
	json_open(json, "kinds", '[');
	for (int severity = SEVERITY_ERROR; severity >= SEVERITY_NOTE; severity--)
		for (size_t kind = 0; kind < FINDING_KIND_COUNT; kind++)
			if (findings->counts[kind] && (int)finding_infos[kind].severity == severity)
				write_kind(json, (enum finding_kind)kind, findings->counts[kind]);
	json_close(json, ']');
	bool ok = write_findings(json, findings, ROOM_FINDINGS);
	json_close(json, '}');
	return ok;
}

static bool write_parts(struct json *json, const struct report_data *data, struct bc_error *err)
{
	const struct conversion *c = data->quality->conversion;
	const struct conversion_options *options = &c->options;
	const struct report_subject subject = {c, data->sources};
	struct code_parts parts = {0};
	struct source_lines lines = {0};

	bool ok = (code_parts_init(&parts, conversion_binary(c)) && places_write(json, &subject)) ||
		  bc_fail_nomem(err);
	ok = ok && write_overlap(json, data, &subject, &parts, err) &&
	     (write_verified(json, "verify", data->verify) || bc_fail_nomem(err)) &&
	     source_lines_open(subject_binary(&subject), options->binary, options->input,
			       &options->debug, &lines, err) &&
	     (functions_write(json, &subject, &parts, &lines) || bc_fail_nomem(err));
	code_parts_free(&parts);
	source_lines_close(&lines);
	return ok;
}

bool report_data_write(const struct report_data *data, FILE *out, struct bc_error *err)
{
	struct json json = {.out = out, .base = base_of(data), .page = true};

	json_open(&json, NULL, '{');
	write_head(&json, data);
	quality_json_object(data->quality, &json, "quality");
	write_words(&json, &data->quality->conversion->ledgers);
	bool ok = write_parts(&json, data, err);
	json_close(&json, '}');
	return ok;
}
