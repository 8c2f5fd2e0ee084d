/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/event/perf_script/perf_text.h"

#include "src/base/sort.h"

enum part { PART_BUILD_IDS, PART_MAPS, PART_MAIN, PART_TASKS, PART_MEMORY, PART_COUNT };

static const char *const part_names[PART_COUNT] = {"BUILDIDS", "MMAP", "MAIN", "TASK", "MEM"};

struct part_size {
	enum part part;
	uint64_t left; /* bytes that are still to come */
};

/* A line that is kept until its turn comes; the text is in the buffer. */
struct kept {
	uint64_t time;   /* of records */
	uint64_t number;
	size_t at, len;
	bool is_map;
};
DEFINE_VEC(kept_vec, struct kept);
DEFINE_VEC(char_vec, char);

struct held {
	struct part_size parts[PART_COUNT];
	size_t part_count;
	struct kept_vec records, samples;
	struct char_vec text;
};

static void held_free(struct held *held)
{
	kept_vec_free(&held->records);
	kept_vec_free(&held->samples);
	char_vec_free(&held->text);
}

static bool keep(struct held *held, struct kept_vec *list, struct kept kept, struct text text)
{
	kept.at = held->text.len;
	kept.len = text.len;
	for (size_t i = 0; i < text.len; i++)
		if (!char_vec_push(&held->text, text.at[i]))
			return false;
	return kept_vec_push(list, kept);
}

/* "NAME=SIZE" */
static bool parse_part(struct text word, struct part_size *out)
{
	size_t equals = text_find(word, '=');

	for (size_t i = 0; i < PART_COUNT; i++) {
		if (!text_is(text_first(word, equals), part_names[i]))
			continue;
		out->part = (enum part)i;
		return text_hex(text_from(word, equals + 1), &out->left);
	}
	return false;
}

static bool parse_head(const struct line *line, struct held *held, struct bc_error *err)
{
	struct text rest = text_trim(text_from(line->text, sizeof(PERF_TEXT_MAGIC) - 1));

	while (rest.len) {
		size_t len = text_find(rest, ';');
		if (held->part_count == PART_COUNT ||
		    !parse_part(text_first(rest, len), &held->parts[held->part_count++]))
			return line_fail(err, BC_FORMAT, line, rest.at, "expected a part and its size");
		rest = text_from(rest, len + 1);
	}
	return true;
}

/* A record's time stands before its name: "comm pid 2432.888138: PERF_RECORD_". */
static uint64_t time_before(struct text text, size_t record)
{
	uint64_t time = 0;
	size_t end = record;

	while (end && (text.at[end - 1] == ' ' || text.at[end - 1] == ':'))
		end--;
	size_t start = end;
	while (start && text.at[start - 1] != ' ')
		start--;
	if (!text_seconds(text_first(text_from(text, start), end - start), &time))
		return 0;
	return time;
}

static bool keep_record(struct held *held, const struct line *line, bool maps)
{
	size_t record = record_find(line->text, line->text.len);
	struct kept kept = {.number = line->number, .is_map = maps};

	if (record == line->text.len ||
	    text_starts(text_from(line->text, record), "PERF_RECORD_MMAP") != maps)
		return true;
	kept.time = time_before(line->text, record);
	return keep(held, &held->records, kept, line->text);
}

static bool keep_line(struct held *held, enum part part, const struct line *line,
		      struct reader_report *report)
{
	switch (part) {
	case PART_MAPS: return keep_record(held, line, true);
	case PART_TASKS: return keep_record(held, line, false);
	case PART_MAIN:
		return keep(held, &held->samples, (struct kept){.number = line->number}, line->text);
	default: break;
	}
	report->ignored++;
	return true;
}

/* Each part ends with a line; lines behind the last part are ignored. */
static enum part part_of(struct held *held, size_t *at, size_t len)
{
	while (*at < held->part_count && !held->parts[*at].left)
		++*at;
	if (*at == held->part_count)
		return PART_COUNT;
	struct part_size *part = &held->parts[*at];
	part->left -= part->left < len ? part->left : len;
	return part->part;
}

/* Blank lines that follow a blank one say nothing and are not kept, but the sizes of their parts have them. */
static void pass_blank(struct held *held, size_t *at, struct lines *lines, struct reader_report *report)
{
	uint64_t before = lines->number;
	size_t size = lines_skip_blank(lines);

	report->ignored += lines->number - before;
	report->lines = lines->number;
	while (size && *at < held->part_count) {
		uint64_t left = held->parts[*at].left;
		size_t taken = left < size ? (size_t)left : size;
		(void)part_of(held, at, taken);
		size -= taken;
	}
}

static bool read_parts(struct held *held, struct lines *lines, struct reader_report *report,
		       struct bc_error *err)
{
	struct line line = {.file = lines->stream->name};
	size_t at = 0;

	while (lines_next(lines, &line.text, err)) {
		line.number = report->lines = lines->number;
		if (line.number == 1 ? !parse_head(&line, held, err)
				     : !keep_line(held, part_of(held, &at, line.text.len + 1), &line, report) &&
				       !bc_fail_nomem(err))
			return false;
		if (!text_trim(line.text).len)
			pass_blank(held, &at, lines, report);
	}
	return err->code == BC_OK;
}

/* Of records with the same time, those that begin a process come before those that map. */
static bool record_less(const struct kept *a, const struct kept *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	return a->is_map != b->is_map ? b->is_map : a->number < b->number;
}
DEFINE_SORT(sort_records, struct kept, record_less)

static bool deliver(struct perf_script *script, const struct held *held,
		    const struct kept_vec *list, const char *file, struct bc_error *err)
{
	const char *text = held->text.at ? held->text.at : ""; /* of empty lines */

	for (size_t i = 0; i < list->len; i++) {
		struct line line = {{text + list->at[i].at, list->at[i].len}, file, list->at[i].number};
		if (!perf_script_line(script, &line, stack_find(line.text), NULL, err))
			return false;
	}
	return true;
}

bool perf_text_lines(struct perf_script *script, struct lines *lines, struct bc_error *err)
{
	BC_AUTO(held_free) struct held held = {0};
	const char *file = lines->stream->name;

	if (!read_parts(&held, lines, script->report, err))
		return false;
	sort_records(held.records.at, held.records.len);
	return deliver(script, &held, &held.records, file, err) &&
	       deliver(script, &held, &held.samples, file, err) && perf_script_end(script, err);
}
