/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/output/read_back.h"

#include <inttypes.h>
#include <stdlib.h>

#include "src/profile/self_check.h"

/* Takes what is expected off the front; false once it is something else. */
struct scan {
	struct text rest;
	size_t line; /* that is being read, from 1 */
};

static bool fail(const struct scan *scan, struct bc_error *err)
{
	return bc_fail(err, BC_BUG, "self-check: line %zu of the output is not what was to be written", scan->line);
}

static bool take(struct scan *scan, const char *expected)
{
	if (!text_starts(scan->rest, expected))
		return false;
	scan->rest = text_from(scan->rest, strlen(expected));
	return true;
}

static bool take_end(struct scan *scan)
{
	scan->line++;
	return take(scan, "\n");
}

/* Blanks and backslashes of a name have a backslash before them. */
static bool take_name(struct scan *scan, const char *name)
{
	for (; *name; name++) {
		if ((*name == ' ' || *name == '\\') && !take(scan, "\\"))
			return false;
		if (!scan->rest.len || *scan->rest.at != *name)
			return false;
		scan->rest = text_from(scan->rest, 1);
	}
	return true;
}

/* Lower case, no sign, no zero in front. */
static bool take_number(struct scan *scan, unsigned base, uint64_t *out)
{
	static const char digits[] = "0123456789abcdef";
	uint64_t value = 0;
	size_t length = 0;

	for (; length < scan->rest.len; length++) {
		const char *digit = memchr(digits, scan->rest.at[length], base);
		if (!digit || value > (UINT64_MAX - (uint64_t)(digit - digits)) / base)
			break;
		value = value * base + (uint64_t)(digit - digits);
	}
	bool padded = length > 1 && *scan->rest.at == '0';
	scan->rest = text_from(scan->rest, length);
	*out = value;
	return length && !padded;
}

static bool take_exactly(struct scan *scan, unsigned base, uint64_t expected)
{
	uint64_t value;

	return take_number(scan, base, &value) && value == expected;
}

/* fdata */

static bool take_place(struct scan *scan, struct input_place place)
{
	if (!place.function)
		return take(scan, "0 [unknown] 0 ");
	return take(scan, "1 ") && take_name(scan, place.function->printed) && take(scan, " ") &&
	       take_exactly(scan, 16, place.offset) && take(scan, " ");
}

static bool take_record(struct scan *scan, const struct record *record)
{
	return take_place(scan, record->from) &&
	       (record->kind == RECORD_SAMPLE ||
		(take_place(scan, record->to) && take_exactly(scan, 10, record->mispredicted) && take(scan, " "))) &&
	       take_exactly(scan, 10, record->count) && take_end(scan);
}

static bool take_access(struct scan *scan, const struct access *a)
{
	return take(scan, "4 ") && take_name(scan, a->function->printed) && take(scan, " ") &&
	       take_exactly(scan, 16, a->offset) && take(scan, " 4 ") && take_name(scan, a->data->name) &&
	       (!a->data->local || (take(scan, "/") && take_exactly(scan, 10, a->data->number))) &&
	       take(scan, " ") && take_exactly(scan, 16, a->data_offset) && take(scan, " ") &&
	       take_exactly(scan, 10, a->count) && take_end(scan);
}

static bool take_header(struct scan *scan, const struct profile *profile, const struct fdata_header *header)
{
	if (!profile->basic)
		return profile->binary->plain || (take(scan, "boltedcollection") && take_end(scan));
	bool ok = take(scan, "no_lbr");
	for (size_t i = 0; ok && i < header->event_count; i++)
		ok = take(scan, " ") && take(scan, header->events[i]);
	return ok && take_end(scan);
}

bool fdata_read_back(const struct profile *profile, const struct fdata_header *header, struct text written,
		     struct bc_error *err)
{
	struct scan scan = {written, 1};
	bool ok = take_header(&scan, profile, header);

	for (size_t i = 0; ok && i < profile->record_count; i++) {
		struct record record = profile_record(profile, i);
		ok = take_record(&scan, &record);
	}
	for (size_t i = 0; ok && i < profile->accesses.len; i++)
		ok = take_access(&scan, &profile->accesses.at[i]);
	return (ok && !scan.rest.len) || fail(&scan, err);
}

/* The next line without its newline; false at the end. */
static bool next_line(struct scan *scan, struct text *out)
{
	if (!scan->rest.len)
		return false;
	*out = text_first(scan->rest, text_find(scan->rest, '\n'));
	scan->rest = text_from(scan->rest, out->len + 1);
	scan->line++;
	return true;
}

/* YAML */

struct yaml_sums {
	uint64_t functions;
	uint64_t counts; /* of calls and successors */
	uint64_t events; /* of plain samples */
	uint8_t *seen;   /* by function */
};

/* All of "cnt: N" in a list of calls or successors. */
static bool add_list(struct text line, uint64_t *sum)
{
	static const char key[] = ", cnt: ";

	for (size_t at = 0; at < line.len; at++) {
		struct scan number = {text_from(line, at), 0};
		uint64_t count;
		if (!take(&number, key))
			continue;
		if (!take_number(&number, 10, &count))
			return false;
		*sum += count;
	}
	return true;
}

static bool add_function(struct text number, size_t count, struct yaml_sums *sums)
{
	uint64_t id;

	if (!text_dec(number, &id) || !id || id > count || sums->seen[id - 1])
		return false;
	sums->seen[id - 1] = 1;
	sums->functions++;
	return true;
}

static bool add_yaml_line(struct text text, size_t functions, struct yaml_sums *sums)
{
	struct scan line = {text, 0};
	uint64_t count;

	if (take(&line, "    fid: "))
		return add_function(text_trim(line.rest), functions, sums);
	if (take(&line, "        calls: ") || take(&line, "        succ: "))
		return add_list(line.rest, &sums->counts);
	if (!take(&line, "        events: "))
		return true;
	if (!text_dec(text_trim(line.rest), &count))
		return false;
	sums->events += count;
	return true;
}

static uint64_t sum_of(const struct profile *profile)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < profile->record_count; i++) {
		struct record record = profile_record(profile, i);
		if (record.kind != RECORD_ENTRY)
			sum += record.count;
	}
	return sum;
}

static bool read_yaml(const struct profile *profile, const struct yaml_report *report, struct text written,
		      struct yaml_sums *sums, struct bc_error *err)
{
	struct scan scan = {written, 0};
	struct text line;

	while (next_line(&scan, &line))
		if (!add_yaml_line(line, profile->binary->functions.count, sums))
			return fail(&scan, err);
	uint64_t found = sums->counts + sums->events + report->lost + report->unnamed;
	if (sums->functions != report->functions)
		return bc_fail(err, BC_BUG, "self-check: %" PRIu64 " functions in the output, should be %zu",
			       sums->functions, report->functions);
	return found == sum_of(profile) ||
	       bc_fail(err, BC_BUG, "self-check: counts in the output add up to %" PRIu64 ", should be %" PRIu64,
		       found, sum_of(profile));
}

bool yaml_read_back(const struct profile *profile, const struct yaml_report *report, struct text written,
		    struct bc_error *err)
{
	struct yaml_sums sums = {.seen = calloc(profile->binary->functions.count + 1, 1)};

	if (!sums.seen)
		return bc_fail_nomem(err);
	bool ok = read_yaml(profile, report, written, &sums, err);
	free(sums.seen);
	return ok;
}

/* Pre-aggregated records */

struct preagg_line {
	uint64_t key[COUNT_KEY_WORDS];
	uint64_t count, mispredicted;
};

static bool take_address(struct scan *line, uint64_t *out)
{
	if (!take(line, " "))
		return false;
	bool outside = take(line, "X:");
	return take_number(line, 16, out) && (!outside || *out == TRACE_EXTERNAL);
}

/* As docs/conversion.md has the letters. */
static bool parse_trace(struct scan *line, char letter, struct preagg_line *out)
{
	struct trace t = {.branch = letter == 'F'   ? TRACE_FT_ONLY
				    : letter == 'f' ? TRACE_FT_EXTERNAL
						    : TRACE_FT_RETURN,
			  .to = TRACE_BR_ONLY};
	bool has_branch = strchr("TRB", letter) != NULL;

	if ((has_branch && !take_address(line, &t.branch)) || !take_address(line, &t.from) ||
	    (letter != 'B' && !take_address(line, &t.to)))
		return false;
	out->key[0] = t.from;
	out->key[1] = t.branch;
	out->key[2] = t.to;
	if (!take(line, " ") || !take_number(line, 10, &out->count))
		return false;
	return !has_branch || !line->rest.len ||
	       (take(line, " ") && take_number(line, 10, &out->mispredicted));
}

static bool parse_line(struct text text, bool basic, struct preagg_line *out)
{
	struct scan line = {text, 0};
	char letter = text.len ? *text.at : '\0';

	*out = (struct preagg_line){0};
	if (!letter || !strchr(basic ? "S" : "TRBFfr", letter))
		return false;
	line.rest = text_from(text, 1);
	if (basic ? !take_address(&line, &out->key[0]) || !take(&line, " ") || !take_number(&line, 10, &out->count)
		  : !parse_trace(&line, letter, out))
		return false;
	return !line.rest.len && out->count;
}

static bool is_above(const uint64_t *key, const uint64_t *last)
{
	for (size_t i = 0; i < COUNT_KEY_WORDS; i++)
		if (key[i] != last[i])
			return key[i] > last[i];
	return false;
}

bool preagg_read_back(const struct aggregate *aggregate, bool basic, struct text written, struct bc_error *err)
{
	const struct totals *totals = &aggregate->totals;
	struct check_sum should = check_sum_counts(basic ? &totals->basic : &totals->traces), is = {0};
	struct scan scan = {written, 0};
	struct preagg_line last = {0}, now;
	struct text line;
	bool first = true;

	while (next_line(&scan, &line)) {
		if (basic && first && text_starts(line, "E "))
			continue;
		if (!parse_line(line, basic, &now) || (!first && !is_above(now.key, last.key)))
			return fail(&scan, err);
		check_sum_add(&is, check_hash(now.key[0], now.key[1], now.key[2]), now.count, now.mispredicted);
		last = now;
		first = false;
	}
	return (is.count == should.count && is.extra == should.extra) ||
	       bc_fail(err, BC_BUG, "self-check: counts in the output add up to %" PRIu64 ", should be %" PRIu64
		       ", or are of other places", is.plain, should.plain);
}
