/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/count/recount/yaml.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/file.h"
#include "tests/count/recount/lines.h"
#include "tests/count/recount/mistakes.h"

/* For a function: what is, or what should be. */
struct sums {
	bool any;
	uint64_t executed; /* what came to its beginning from elsewhere, ... */
	uint64_t external; /* ... and of that from no function */
	uint64_t counts;   /* of its branches, calls and samples */
};

struct reader {
	const char *path;
	const struct function_table *functions;
	struct sums *is;  /* by function */
	struct sums *now; /* of the function that is being read, or NULL */
	struct text name; /* of the next one */
	uint64_t total, functions_read;
	size_t line;
};

/* What should be. */

/* A branch to the beginning of its own function is recursion. */
static bool is_internal(const struct record *record)
{
	return record->from.function == record->to.function && record->to.offset;
}

static struct sums *sums_of(struct sums *all, const struct should *should, const struct function *f)
{
	struct sums *sums = &all[f - should->count->binary->functions.at];

	sums->any = true;
	return sums;
}

static uint64_t add_record(struct sums *all, const struct should *should,
			   const struct record *record)
{
	const struct function *from = record->from.function, *to = record->to.function;

	if (to && !is_internal(record)) {
		struct sums *target = sums_of(all, should, to);
		target->executed += record->to.offset ? 0 : record->count;
		target->external += record->to.offset || from ? 0 : record->count;
	}
	if (from)
		sums_of(all, should, from)->counts += record->count;
	return from ? record->count : 0;
}

/* What is. */

static bool take_number(struct text text, uint64_t *out)
{
	return text_dec(text_trim(text), out);
}

/* All of "cnt: N" in a list of calls or successors. */
static bool add_list(struct reader *r, struct text list)
{
	static const char key[] = ", cnt: ";
	struct reading rest = {list};
	uint64_t count;

	for (; rest.rest.len; rest.rest = text_from(rest.rest, 1)) {
		if (!reading_take(&rest, key))
			continue;
		if (!reading_dec(&rest, &count))
			return false;
		r->now->counts += count;
		r->total += count;
	}
	return true;
}

static bool add_events(struct reader *r, struct text number)
{
	uint64_t count;

	if (!take_number(number, &count))
		return false;
	r->now->counts += count;
	r->total += count;
	return true;
}

/* Quoted singly where it is not plain; what is quoted otherwise is not looked at. */
static bool name_is(struct text is, const char *should)
{
	is = text_trim(is);
	if (is.len && *is.at == '"')
		return true;
	if (!is.len || *is.at != '\'')
		return text_is(is, should);
	for (size_t i = 1; i + 1 < is.len; i++, should++) {
		if (is.at[i] != *should)
			return false;
		i += is.at[i] == '\'';
	}
	return !*should;
}

static bool begin_function(struct reader *r, struct text number)
{
	uint64_t id;

	if (!take_number(number, &id) || !id || id > r->functions->count)
		return false;
	const char *name = r->functions->at[id - 1].printed;
	r->now = &r->is[id - 1];
	if (r->now->any)
		mistake("%s: function %s: is there twice, should be once", r->path, name);
	if (!name_is(r->name, name))
		mistake("%s: name of function %" PRIu64 ": is %.*s, should be %s", r->path, id,
			(int)r->name.len, r->name.at, name);
	r->now->any = true;
	r->functions_read++;
	return true;
}

static bool read_line(struct reader *r, struct text text)
{
	struct reading line = {text};

	if (reading_take(&line, "  - name: ")) {
		r->now = NULL;
		r->name = line.rest;
		return true;
	}
	if (reading_take(&line, "    fid: "))
		return begin_function(r, line.rest);
	if (reading_take(&line, "    exec: "))
		return r->now && take_number(line.rest, &r->now->executed);
	if (reading_take(&line, "    extern: "))
		return r->now && take_number(line.rest, &r->now->external);
	if (reading_take(&line, "        calls: ") || reading_take(&line, "        succ: "))
		return r->now && add_list(r, line.rest);
	return !reading_take(&line, "        events: ") || (r->now && add_events(r, line.rest));
}

static void read_all(struct reader *r, struct text rest)
{
	struct text line;

	for (r->line = 1; text_line(&rest, &line); r->line++)
		if (!read_line(r, line)) {
			mistake("%s: line %zu: is no line of such a file: %.*s", r->path, r->line,
				(int)line.len, line.at);
			return;
		}
}

/* Both. */

static void compare_function(const struct reader *r, const char *name, const struct sums *is,
			     const struct sums *should)
{
	if (is->any != should->any)
		mistake("%s: function %s: is %s, should %s", r->path, name,
			is->any ? "there" : "missing", should->any ? "be there" : "not be there");
	if (is->executed != should->executed || is->external != should->external)
		mistake("%s: function %s: was entered %" PRIu64 " times, %" PRIu64
			" from outside; should be %" PRIu64 ", %" PRIu64,
			r->path, name, is->executed, is->external, should->executed,
			should->external);
	if (is->counts > should->counts)
		mistake("%s: function %s: counts add up to %" PRIu64 ", should be %" PRIu64
			" at most",
			r->path, name, is->counts, should->counts);
}

bool yaml_compare(const char *path, const struct should *should, const struct numbers *stats,
		  struct bc_error *err)
{
	const struct function_table *functions = &should->count->binary->functions;
	struct sums *sums = must_allocate(functions->count * sizeof(*sums));
	struct reader r = {path, functions, .is = must_allocate(functions->count * sizeof(*r.is))};
	struct file_map map = {0};
	uint64_t total = 0;

	bool ok = file_map(path, &map, err);
	for (size_t i = 0; ok && i < should->records.len; i++)
		total += add_record(sums, should, &should->records.at[i]);
	if (ok)
		read_all(&r, (struct text){(const char *)map.data, map.size});
	for (size_t i = 0; ok && i < functions->count; i++)
		compare_function(&r, functions->at[i].printed, &r.is[i], &sums[i]);
	if (ok) {
		must_equal("functions in the YAML", r.functions_read,
			   numbers_get(stats, "yaml.functions"));
		must_equal("counts in the YAML, and lost",
			   r.total + numbers_get(stats, "yaml.lost"), total);
	}
	file_unmap(&map);
	free(r.is);
	free(sums);
	return ok;
}
