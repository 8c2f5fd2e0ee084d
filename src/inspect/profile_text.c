/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/inspect/profile_text.h"

#include <stdio.h>

#include "src/base/count_table.h"
#include "src/base/lines.h"

struct reading {
	struct profile_facts *facts;
	struct strings names; /* of functions */
};

typedef bool line_fn(struct reading *r, struct text line);

static void copy(char *out, size_t size, struct text text)
{
	snprintf(out, size, "%.*s", (int)(text.len < size ? text.len : size), text.len ? text.at : "");
}

static bool add_function(struct reading *r, struct text name)
{
	uint32_t number;

	return strings_intern(&r->names, name, &number);
}

/* A blank or backslash within a name has a backslash before it. */
static struct text take_name(struct text *rest)
{
	struct text all = text_trim(*rest);
	size_t len = 0;

	while (len < all.len && all.at[len] != ' ')
		len += all.at[len] == '\\' && len + 1 < all.len ? 2 : 1;
	*rest = text_from(all, len);
	return text_first(all, len);
}

static bool fdata_record(struct reading *r, struct text line)
{
	struct profile_facts *facts = r->facts;
	struct text kind = text_word(&line), name = take_name(&line), offset = text_word(&line);
	uint64_t first, second, number;

	if (!text_dec(kind, &number) || !text_hex(offset, &number)) {
		facts->other_lines++;
		return true;
	}
	if (text_is(kind, "1") && !add_function(r, name))
		return false;
	struct text word = text_word(&line);
	if (!text_trim(line).len && text_dec(word, &first)) { /* a plain sample: its count alone */
		facts->count = count_add_saturating(facts->count, first);
		facts->records++;
		return true;
	}
	struct text to = take_name(&line), to_offset = text_word(&line);
	struct text misses = text_word(&line), count = text_word(&line);
	if (!count.len) { /* a load from memory has a count alone */
		count = misses;
		misses = text_of("0");
	}
	if (!text_hex(to_offset, &number) || !text_dec(misses, &first) || !text_dec(count, &second)) {
		facts->other_lines++;
		return true;
	}
	facts->mispredicted = count_add_saturating(facts->mispredicted, first);
	facts->count = count_add_saturating(facts->count, second);
	facts->records++;
	return !text_is(word, "1") || add_function(r, to);
}

static bool fdata_line(struct reading *r, struct text line)
{
	if (text_is(line, "boltedcollection")) {
		r->facts->bolted = true;
	} else if (text_starts(line, "no_lbr")) {
		r->facts->basic = true;
		copy(r->facts->events, sizeof(r->facts->events), text_trim(text_from(line, 6)));
	} else if (text_trim(line).len) {
		return fdata_record(r, line);
	}
	return true;
}

/* "  key:   value", without quotes */
static bool yaml_value(struct text line, const char *key, struct text *value)
{
	struct text rest = text_trim(line);

	if (!text_starts(rest, key))
		return false;
	rest = text_trim(text_from(rest, text_of(key).len));
	if (rest.len > 1 && *rest.at == '\'' && rest.at[rest.len - 1] == '\'')
		rest = text_first(text_from(rest, 1), rest.len - 2);
	*value = rest;
	return true;
}

static bool yaml_line(struct reading *r, struct text line)
{
	struct profile_facts *facts = r->facts;
	struct text value;
	uint64_t number;

	if (text_starts(line, "  - name:")) {
		facts->functions++;
	} else if (text_starts(line, "    exec:") && yaml_value(line, "exec:", &value) && text_dec(value, &number)) {
		facts->count = count_add_saturating(facts->count, number);
	} else if (text_starts(line, "      - bid:")) {
		facts->records++;
	} else if (facts->functions) {
		return true; /* the head ends there */
	} else if (yaml_value(line, "binary-name:", &value)) {
		copy(facts->binary, sizeof(facts->binary), value);
	} else if (yaml_value(line, "binary-build-id:", &value)) {
		copy(facts->build_id, sizeof(facts->build_id), value);
	} else if (yaml_value(line, "profile-origin:", &value)) {
		copy(facts->origin, sizeof(facts->origin), value);
	} else if (yaml_value(line, "profile-events:", &value)) {
		copy(facts->events, sizeof(facts->events), value);
	} else if (yaml_value(line, "profile-flags:", &value)) {
		facts->basic = !text_starts(value, "[ lbr");
	}
	return true;
}

static bool each_line(const char *path, line_fn *take, struct reading *r, struct bc_error *err)
{
	BC_AUTO(lines_fini) struct lines lines = {0};
	struct file_stream stream;
	struct text line;
	bool ok = true;

	if (!stream_open(path, &stream, err))
		return false;
	if (lines_init(&lines, &stream, err)) {
		while (ok && lines_next(&lines, &line, err)) {
			ok = take(r, line) || bc_fail_nomem(err);
			lines_skip_blank(&lines);
		}
		ok = ok && err->code == BC_OK;
	} else {
		ok = false;
	}
	stream_close(&stream);
	return ok;
}

bool profile_facts_fdata(const char *path, struct profile_facts *out, struct bc_error *err)
{
	struct reading r = {.facts = out};

	*out = (struct profile_facts){0};
	bool ok = each_line(path, fdata_line, &r, err);
	out->functions = r.names.len ? r.names.len - 1 : 0; /* 0 is the empty string */
	strings_free(&r.names);
	return ok;
}

bool profile_facts_yaml(const char *path, struct profile_facts *out, struct bc_error *err)
{
	struct reading r = {.facts = out};

	*out = (struct profile_facts){.bolted = false};
	return each_line(path, yaml_line, &r, err);
}
