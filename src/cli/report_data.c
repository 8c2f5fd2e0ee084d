/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/report_data.h"

#include "src/figures/against.h"
#include "src/figures/cells.h"
#include "src/figures/hottest_code.h"
#include "src/figures/curve.h"
#include "src/figures/footprint.h"
#include "src/figures/input_heat.h"
#include "src/figures/page.h"
#include "src/figures/regions.h"
#include "src/figures/sections.h"
#include "src/figures/verified.h"

/* Bytes of the page for each part.  The blocks of functions get what is left. */
#define ROOM_SECTIONS ((size_t)30000)
#define ROOM_HEAT ((size_t)150000)
#define ROOM_OTHER_HEAT ((size_t)60000)
#define ROOM_MOVERS ((size_t)30000)
#define ROOM_FINDINGS ((size_t)60000)
#define ROOM_FUNCTIONS ((size_t)150000)
#define ROOM_SPARE ((size_t)4000) /* of what stands around values */
#define SAMPLES_SHOWN 20
#define REGIONS_SHOWN 400

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
	return functions->count && functions->at[0].address < address ? functions->at[0].address : address;
}

/* What addresses are counted from: those of kernels are too large for a browser. */
static uint64_t base_of(const struct report_data *data)
{
	const struct conversion *c = data->quality->conversion;
	const struct heat *bytes = &data->sources->bytes;
	uint64_t lowest = lower(bytes->runs.len ? bytes->runs.at[0].first : UINT64_MAX, &conversion_binary(c)->functions);

	if (c->pair.output)
		lowest = lower(lowest, &c->pair.functions);
	return lowest == UINT64_MAX || lowest < BASE_NEEDED ? 0 : lowest / BASE_UNIT * BASE_UNIT;
}

static void write_head(struct json *json, const struct report_data *data)
{
	const struct conversion *c = data->quality->conversion;
	char id[2 * BUILD_ID_MAX + 1];

	build_id_format(&conversion_binary(c)->image.build_id, id);
	json_string(json, "format", "batconv-report");
	json_number(json, "version", 1);
	json_string(json, "batconv", BATCONV_VERSION);
	json_string(json, "optimized", data->options->binary);
	json_string(json, "build_id", id);
	write_path(json, "input", data->options->input);
	write_path(json, "against", data->against);
	json_open(json, "samples", '[');
	for (size_t i = 0; i < data->options->sample_count && i < SAMPLES_SHOWN; i++)
		json_string(json, NULL, data->options->samples[i]);
	json_close(json, ']');
	json_number(json, "samples_all", data->options->sample_count);
	json_string(json, "unit", c->basic ? "samples" : "branches");
	json_bool(json, "partial", c->partial);
	if (json->base)
		json_hex_string(json, "base", json->base);
}

static void write_reasons(struct json *json, const struct ledger_words *words, const struct ledger *ledger)
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

/* ---- where it ran ---- */

static bool write_regions(struct json *json, const struct binary *binary)
{
	struct region_vec regions;
	bool ok = regions_take(binary, REGIONS_SHOWN, &regions);

	if (ok)
		regions_write(json, "regions", &regions);
	region_vec_free(&regions);
	return ok;
}

static bool write_input_heat(struct json *json, const struct report_subject *subject)
{
	BC_AUTO(heat_free) struct heat input = {0};
	const struct pair *pair = subject_pair(subject);
	uint64_t lost = 0;

	if (pair)
		return input_heat_take(&subject->sources->bytes, pair, &input, &lost) && cells_write(json, "input", &input, ROOM_HEAT) &&
		       (json_number(json, "input_lost", lost), sections_write(json, "input_sections", &input, NULL, &pair->functions, ROOM_SECTIONS)) &&
		       footprint_write(json, "footprint", &subject->sources->bytes, &input);
	json_null(json, "input");
	json_number(json, "input_lost", 0);
	json_null(json, "input_sections");
	return footprint_write(json, "footprint", &subject->sources->bytes, NULL);
}

static bool write_heat(struct json *json, const struct report_subject *subject)
{
	json_open(json, "heat", '{');
	bool ok = cells_write(json, "output", &subject->sources->bytes, ROOM_HEAT) && write_input_heat(json, subject);
	json_close(json, '}');
	return ok;
}

static bool write_places(struct json *json, const struct report_subject *subject)
{
	const struct quality_sources *sources = subject->sources;
	const struct function_table *functions = &subject_binary(subject)->functions;

	return sections_write(json, "sections", &sources->bytes, &sources->heat, functions, ROOM_SECTIONS) &&
	       write_regions(json, subject_binary(subject)) && write_heat(json, subject) && curve_write(json, "curve", sources);
}

/* ---- with --against ---- */

static bool write_overlap(struct json *json, const struct report_data *data, const struct report_subject *subject,
			  const struct code_parts *parts, struct bc_error *err)
{
	BC_AUTO(overlap_free) struct overlap overlap = {0};
	BC_AUTO(same_names_free) struct same_names same = {0};
	const struct overlap_report report = {.overlap = &overlap, .paths = {data->options->binary, data->against}};

	if (!data->other) {
		json_null(json, "overlap");
		return true;
	}
	if (!same_names_take(subject_binary(subject), subject_pair(subject), &data->sources->flat, data->other, &same))
		return bc_fail_nomem(err);
	if (!overlap_take(&data->sources->flat, data->other, same.own, &overlap, err))
		return false;
	json_open(json, "overlap", '{');
	overlap_json_members(&report, json);
	bool ok = movers_write(json, "movers", &overlap, ROOM_MOVERS) &&
		  record_heats_write(json, "heat", subject, parts, data->other, &same, ROOM_OTHER_HEAT);
	json_close(json, '}');
	return ok || bc_fail_nomem(err);
}

/* ---- with --verify ---- */

static bool write_verified(struct json *json, const struct report_data *data)
{
	if (data->verify)
		return verified_write(json, "verify", data->verify, ROOM_FINDINGS);
	json_null(json, "verify");
	return true;
}

/* ---- functions ---- */

/* How many bytes the data may still take. */
static size_t room_left(const struct json *json)
{
	long written = fflush(json->out) ? -1 : ftell(json->out);
	size_t most = PAGE_DATA_MOST - ROOM_SPARE;

	return written < 0 || (size_t)written > most ? 0 : most - (size_t)written;
}

static bool write_code(struct json *json, const struct report_data *data, const struct report_subject *subject,
		       const struct code_parts *parts, const struct hottest_vec *hottest, struct bc_error *err)
{
	struct source_lines lines;
	size_t listed;

	if (!functions_write(json, "functions", subject, parts, hottest, ROOM_FUNCTIONS, &listed))
		return bc_fail_nomem(err);
	bool ok = source_lines_open(subject_binary(subject), data->options->binary, data->options->input, &data->options->debug, &lines, err) &&
		  (code_write(json, "code", subject, parts, hottest, listed, &lines, room_left(json)) || bc_fail_nomem(err));
	source_lines_close(&lines);
	return ok;
}

static bool write_parts(struct json *json, const struct report_data *data, struct bc_error *err)
{
	const struct conversion *c = data->quality->conversion;
	const struct report_subject subject = {c, data->sources};
	struct code_parts parts = {0};
	struct hottest_vec hottest = {0};

	bool ok = (code_parts_init(&parts, conversion_binary(c)) && hottest_functions(&data->sources->flat, &hottest) &&
		   write_places(json, &subject)) || bc_fail_nomem(err);
	ok = ok && write_overlap(json, data, &subject, &parts, err) && (write_verified(json, data) || bc_fail_nomem(err)) &&
	     write_code(json, data, &subject, &parts, &hottest, err);
	code_parts_free(&parts);
	hottest_vec_free(&hottest);
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
