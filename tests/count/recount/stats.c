/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/count/recount/stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/json.h"
#include "tests/count/recount/mistakes.h"

static const char *const ledgers[] = {"samples", "branches", "traces", "memory"};

static void join(char *out, const char *before, struct text key)
{
	snprintf(out, NUMBER_NAME, "%s%s%.*s", before, *before ? "." : "", (int)key.len, key.at);
}

static bool read_number(struct json_reader *json, const char *name, struct numbers *is)
{
	uint64_t value;

	if (!json_whole(json, UINT64_MAX, &value))
		return false;
	if (numbers_find(is, name))
		mistake("%s: is twice in the summary", name);
	numbers_add(is, name, value);
	return true;
}

/* An object of numbers, and of one object, "dropped", of numbers. */
static bool read_object(struct json_reader *json, const char *name, struct numbers *is)
{
	char path[NUMBER_NAME];
	struct text key;

	if (!json_enter(json, '{'))
		return false;
	while (json_member(json, &key)) {
		if (!key.at)
			return true;
		join(path, name, key);
		if (text_is(key, "dropped") ? !read_object(json, path, is) :
					      !read_number(json, path, is))
			return false;
	}
	return false;
}

static bool read_mode(struct json_reader *json, const struct count *count)
{
	struct text mode;

	if (!json_text_value(json, &mode))
		return false;
	if (!text_is(mode, count->is_basic ? "basic" : "branch"))
		mistake("mode: is %.*s, should be %s", (int)mode.len, mode.at,
			count->is_basic ? "basic" : "branch");
	return true;
}

static bool is_object(struct text key)
{
	for (size_t i = 0; i < BC_COUNT(ledgers); i++)
		if (text_is(key, ledgers[i]))
			return true;
	return text_is(key, "yaml") || text_is(key, "returns");
}

static bool read_member(struct json_reader *json, struct text key, const struct count *count,
			struct numbers *is)
{
	char name[NUMBER_NAME];

	join(name, "", key);
	if (is_object(key))
		return read_object(json, name, is);
	if (text_is(key, "distinct") || text_is(key, "records"))
		return read_number(json, name, is);
	return text_is(key, "mode") ? read_mode(json, count) : json_skip(json);
}

static bool read_report(struct json_reader *json, const struct count *count, struct numbers *is)
{
	struct text key;

	if (!json_enter(json, '{'))
		return false;
	while (json_member(json, &key)) {
		if (!key.at)
			return json_finish(json);
		if (!read_member(json, key, count, is))
			return false;
	}
	return false;
}

/* In each ledger all that was read is kept or dropped. */
static void check_balance(const struct numbers *is)
{
	char read[NUMBER_NAME], kept[NUMBER_NAME];

	for (size_t i = 0; i < BC_COUNT(ledgers); i++) {
		snprintf(read, sizeof(read), "%s.read", ledgers[i]);
		snprintf(kept, sizeof(kept), "%s.kept", ledgers[i]);
		if (!numbers_find(is, read) || !numbers_find(is, kept))
			mistake("%s: is not in the summary, should be", ledgers[i]);
		must_equal(ledgers[i], numbers_get(is, kept) + numbers_dropped(is, ledgers[i]),
			   numbers_get(is, read));
	}
}

/* The profile as YAML has numbers of its own, which yaml_compare() looks at. */
static void check_numbers(const struct numbers *is, const struct numbers *should)
{
	for (size_t i = 0; i < is->count; i++)
		if (strncmp(is->at[i].name, "yaml.", 5) != 0)
			must_equal(is->at[i].name, is->at[i].value,
				   numbers_get(should, is->at[i].name));
	for (size_t i = 0; i < should->count; i++)
		if (!numbers_find(is, should->at[i].name))
			mistake("%s: is not in the summary, should be", should->at[i].name);
}

bool stats_compare(const char *path, const struct count *count, struct numbers *is,
		   struct bc_error *err)
{
	struct json_reader *json = must_allocate(sizeof(*json));
	struct file_stream stream;

	bool open = stream_open(path, &stream, err), ok = false;
	if (open) {
		json_reader_init(json, &stream, err);
		ok = read_report(json, count, is);
		stream_close(&stream);
	}
	free(json);
	if (!ok)
		return false;
	check_balance(is);
	check_numbers(is, &count->numbers);
	return true;
}
