/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/hottest_functions.h"

#include "src/base/share.h"
#include "src/base/sort.h"
#include "src/address/demangle.h"
#include "src/figures/flow_gaps.h"
#include "src/figures/part.h"

#define FRAGMENTS_SHOWN 4

/* ---- which ---- */

struct hot_function {
	uint64_t samples;
	struct text name;
	uint32_t number;
};
DEFINE_VEC(hot_vec, struct hot_function);

static int compare_names(struct text a, struct text b)
{
	size_t both = a.len < b.len ? a.len : b.len;
	int order = both ? memcmp(a.at, b.at, both) : 0;

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

static bool hotter(const struct hot_function *a, const struct hot_function *b)
{
	return a->samples != b->samples ? a->samples > b->samples : compare_names(a->name, b->name) < 0;
}
DEFINE_SORT(sort_hot, struct hot_function, hotter)

bool hottest_functions(const struct flat_profile *profile, struct hottest_vec *out)
{
	struct hot_vec all = {0};
	bool ok = true;

	for (uint32_t i = 1; ok && i < profile->functions.len; i++) {
		struct hot_function function = {profile->functions.at[i].samples, strings_at(&profile->names, i), i};
		ok = !function.samples || hot_vec_push(&all, function);
	}
	if (all.len)
		sort_hot(all.at, all.len);
	for (size_t i = 0; ok && i < all.len; i++)
		ok = hottest_vec_push(out, all.at[i].number);
	hot_vec_free(&all);
	return ok;
}

/* ---- a row ---- */

struct row_writer {
	const struct report_subject *subject;
	const struct code_parts *parts;
	struct code_piece_vec pieces;
	struct flow_function flow;
};

static void write_name(struct json *json, struct text name)
{
	const char *plain = demangle(name.at);

	json_text(json, NULL, name);
	if (text_is(name, plain))
		json_null(json, NULL);
	else
		json_string(json, NULL, plain);
}

static void write_fragments(struct json *json, const struct code_piece_vec *pieces)
{
	json_open(json, NULL, '[');
	for (size_t i = 0; i < pieces->len && i < FRAGMENTS_SHOWN; i++) {
		json_open(json, NULL, '[');
		json_based(json, NULL, pieces->at[i].address);
		json_number(json, NULL, pieces->at[i].size);
		json_number(json, NULL, pieces->at[i].cold);
		json_close(json, ']');
	}
	json_close(json, ']');
}

static void write_sizes(struct json *json, const struct code_piece_vec *pieces)
{
	uint64_t all = 0, cold = 0;

	for (size_t i = 0; i < pieces->len; i++) {
		all += pieces->at[i].size;
		cold += pieces->at[i].cold ? pieces->at[i].size : 0;
	}
	json_number(json, NULL, all);
	json_number(json, NULL, cold);
}

/* Where the code is, and how much of it ran. */
static bool write_code(struct json *json, struct row_writer *writer, const struct function *function)
{
	const struct binary *binary = subject_binary(writer->subject);
	enum code_place place = PLACE_NONE;
	uint64_t executed = 0;

	writer->pieces.len = 0;
	if (function) {
		if (!code_parts_whole(writer->parts, function, &writer->pieces))
			return false;
		place = code_place_of(binary, binary_place(binary, (struct vaddr){function->address}, function));
		executed = *executed_of(&writer->subject->conversion->executed,
					functions_code_number(&binary->functions, function));
	}
	/* What is listed ran.  Not known is the block of some plain samples, and what ran of a PLT entry that is only left. */
	if (executed)
		json_number(json, NULL, executed);
	else
		json_null(json, NULL);
	write_sizes(json, &writer->pieces);
	json_string(json, NULL, code_place_key(place));
	write_fragments(json, &writer->pieces);
	return true;
}

static void write_nulls(struct json *json, int count)
{
	while (count-- > 0)
		json_null(json, NULL);
}

static bool write_flow(struct json *json, struct row_writer *writer, uint32_t number)
{
	const struct quality_sources *sources = writer->subject->sources;
	const struct flat_function *function = &sources->flat.functions.at[number];
	uint64_t lost, all;

	if (sources->flat.plain || !flow_has(&sources->code, function)) {
		write_nulls(json, 4);
		return true;
	}
	if (!flow_function_make(&writer->flow, &sources->flat, number, &sources->code) ||
	    !flow_function_reach(&writer->flow, &lost, &all))
		return false;
	json_real(json, NULL, writer->flow.blocks.len < 2 ? 0 : percent_of(lost, all));
	if (!sources->calls.counts || !writer->flow.graph) {
		write_nulls(json, 3);
		return true;
	}
	uint64_t address = flow_code_of(&sources->code, function)->address;
	struct flow_gaps gaps = flow_gaps_take(&writer->flow, address, sources->calls.counts[number]);
	json_real(json, NULL, 100 * gaps.call);
	json_real(json, NULL, 100 * gaps.weighted);
	json_real(json, NULL, 100 * gaps.worst);
	return true;
}

static bool write_row(struct json *json, struct row_writer *writer, uint32_t number)
{
	const struct report_subject *subject = writer->subject;
	const struct flat_profile *profile = &subject->sources->flat;
	const struct function *function = subject_function(subject, profile->functions.at[number].number);
	const struct pair *pair = subject_pair(subject);
	const struct function *input = pair && function ? pair_input_of(pair, function) : NULL;

	json_open(json, NULL, '[');
	write_name(json, strings_at(&profile->names, number));
	json_number(json, NULL, profile->functions.at[number].samples);
	if (!write_code(json, writer, function))
		return false;
	if (input)
		json_based(json, NULL, input->address);
	else
		json_null(json, NULL);
	if (!write_flow(json, writer, number))
		return false;
	if (input)
		json_number(json, NULL, input->size);
	else
		json_null(json, NULL);
	json_close(json, ']');
	return true;
}

/* ---- all of them ---- */

static void write_columns(struct json *json)
{
	static const char *const columns[] = {"name", "plain", "samples", "executed", "size", "cold_size", "place",
					      "fragments", "input", "lost_percent", "call_gap_percent",
					      "flow_gap_percent", "worst_gap_percent", "input_size"};

	json_open(json, "columns", '[');
	for (size_t i = 0; i < BC_COUNT(columns); i++)
		json_string(json, NULL, columns[i]);
	json_close(json, ']');
}

static bool write_rows(struct json *json, struct row_writer *writer, const struct hottest_vec *hottest, size_t room,
		       size_t *listed)
{
	struct page_part part = {.room = room, .base = json->base};
	bool ok = true, added = true;

	*listed = 0;
	for (size_t i = 0; ok && added && i < hottest->len; i++) {
		if (!part_begin(&part))
			return false;
		ok = write_row(&part.json, writer, hottest->at[i]);
		ok = part_end(&part, 0, json, &added) && ok;
		*listed += added;
	}
	return ok;
}

static uint64_t samples_of(const struct flat_profile *profile, const struct hottest_vec *hottest, size_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum = count_add_saturating(sum, profile->functions.at[hottest->at[i]].samples);
	return sum;
}

bool functions_write(struct json *json, const char *key, const struct report_subject *subject,
		     const struct code_parts *parts, const struct hottest_vec *hottest, size_t room, size_t *listed)
{
	const struct flat_profile *profile = &subject->sources->flat;
	struct row_writer writer = {.subject = subject, .parts = parts};

	json_open(json, key, '{');
	write_columns(json);
	json_open(json, "rows", '[');
	bool ok = write_rows(json, &writer, hottest, room, listed);
	json_close(json, ']');
	json_number(json, "all", hottest->len);
	json_number(json, "listed", *listed);
	json_number(json, "samples", samples_of(profile, hottest, hottest->len));
	json_number(json, "samples_listed", samples_of(profile, hottest, *listed));
	json_close(json, '}');
	code_piece_vec_free(&writer.pieces);
	flow_function_free(&writer.flow);
	return ok;
}
