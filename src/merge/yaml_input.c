/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/merge/yaml_input.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <yaml.h>

/* Functions, a function, blocks, a block, calls, a call: no profile nests deeper. */
#define DEPTH_MOST 8

struct yaml_input {
	struct file_stream *stream;
	struct text begin; /* of the stream, which is still to be read */
	struct bc_error io;
	yaml_parser_t parser;
	yaml_event_t event; /* the present one */
	bool has_event;
	unsigned depth;
	struct yaml_function function;
};

static int read_more(void *ctx, unsigned char *buffer, size_t size, size_t *got)
{
	struct yaml_input *in = ctx;

	*got = in->begin.len < size ? in->begin.len : size;
	if (*got) {
		memcpy(buffer, in->begin.at, *got);
		in->begin = text_from(in->begin, *got);
		return 1;
	}
	return stream_read(in->stream, buffer, size, got, &in->io);
}

struct yaml_input *yaml_input_open(struct file_stream *stream, struct text begin, struct bc_error *err)
{
	struct yaml_input *in = calloc(1, sizeof(*in));

	if (in && yaml_parser_initialize(&in->parser)) {
		in->stream = stream;
		in->begin = begin;
		yaml_parser_set_encoding(&in->parser, YAML_UTF8_ENCODING);
		yaml_parser_set_input(&in->parser, read_more, in);
		return in;
	}
	free(in);
	bc_fail_nomem(err);
	return NULL;
}

void yaml_input_close(struct yaml_input *in)
{
	if (!in)
		return;
	if (in->has_event)
		yaml_event_delete(&in->event);
	yaml_parser_delete(&in->parser);
	yaml_function_free(&in->function);
	free(in);
}

/* ---- events ---- */

static bool fail_at(const struct yaml_input *in, yaml_mark_t at, const char *why, struct bc_error *err)
{
	return bc_fail(err, BC_FORMAT, "%s: line %zu, byte %zu: %s", in->stream->name, at.line + 1, at.index, why);
}

static bool fail(const struct yaml_input *in, const char *why, struct bc_error *err)
{
	return fail_at(in, in->event.start_mark, why, err);
}

static bool fail_parser(struct yaml_input *in, struct bc_error *err)
{
	const yaml_parser_t *p = &in->parser;

	if (in->io.code) {
		*err = in->io;
		return false;
	}
	if (p->error == YAML_MEMORY_ERROR)
		return bc_fail_nomem(err);
	yaml_mark_t at = p->problem_mark;
	if (p->error == YAML_READER_ERROR)
		at.index = p->problem_offset;
	return fail_at(in, at, p->problem ? p->problem : "no YAML", err);
}

static bool next_event(struct yaml_input *in, struct bc_error *err)
{
	if (in->has_event)
		yaml_event_delete(&in->event);
	in->has_event = false;
	if (!yaml_parser_parse(&in->parser, &in->event))
		return fail_parser(in, err);
	in->has_event = true;
	switch (in->event.type) {
	case YAML_ALIAS_EVENT: return fail(in, "an alias: no profile has such", err);
	case YAML_SEQUENCE_START_EVENT:
	case YAML_MAPPING_START_EVENT:
		return ++in->depth <= DEPTH_MOST || fail(in, "nested deeper than a profile", err);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT: in->depth--; break;
	case YAML_NO_EVENT:
	case YAML_STREAM_START_EVENT:
	case YAML_STREAM_END_EVENT:
	case YAML_DOCUMENT_START_EVENT:
	case YAML_DOCUMENT_END_EVENT:
	case YAML_SCALAR_EVENT: break;
	}
	return true;
}

static bool expect(struct yaml_input *in, yaml_event_type_t type, const char *why, struct bc_error *err)
{
	return next_event(in, err) && (in->event.type == type || fail(in, why, err));
}

static struct text scalar(const struct yaml_input *in)
{
	return (struct text){(const char *)in->event.data.scalar.value, in->event.data.scalar.length};
}

/* The value of a key: a word without a zero byte. */
static bool read_scalar(struct yaml_input *in, struct text *out, struct bc_error *err)
{
	if (!expect(in, YAML_SCALAR_EVENT, "expected a single value", err))
		return false;
	*out = scalar(in);
	return !memchr(out->at, 0, out->len) || fail(in, "a zero byte in a value", err);
}

static bool read_number(struct yaml_input *in, uint64_t most, uint64_t *out, struct bc_error *err)
{
	struct text word;

	if (!read_scalar(in, &word, err))
		return false;
	bool ok = text_starts(word, "0x") || text_starts(word, "0X") ? text_hex(text_from(word, 2), out) : text_dec(word, out);
	return (ok && *out <= most) || fail(in, "expected a number that fits", err);
}

static bool read_bool(struct yaml_input *in, bool *out, struct bc_error *err)
{
	struct text word;

	if (!read_scalar(in, &word, err))
		return false;
	*out = text_is(word, "true");
	return *out || text_is(word, "false") || fail(in, "expected true or false", err);
}

/* The next key of a mapping; *end: it is over instead. */
static bool next_key(struct yaml_input *in, struct text *key, bool *end, struct bc_error *err)
{
	if (!next_event(in, err))
		return false;
	*end = in->event.type == YAML_MAPPING_END_EVENT;
	if (*end)
		return true;
	if (in->event.type != YAML_SCALAR_EVENT)
		return fail(in, "expected a key", err);
	*key = scalar(in);
	return true;
}

/* ---- fields that are numbers ---- */

struct field {
	const char *key;
	size_t offset;
	uint64_t most;
	bool needed;
};

static bool read_field(struct yaml_input *in, const struct field *fields, size_t count, struct text key, void *to,
		       unsigned *given, bool *known, struct bc_error *err)
{
	*known = false;
	for (size_t i = 0; i < count; i++) {
		if (!text_is(key, fields[i].key))
			continue;
		*known = true;
		if (*given & 1u << i)
			return fail(in, "a key for the second time", err);
		*given |= 1u << i;
		return read_number(in, fields[i].most, (uint64_t *)(void *)((char *)to + fields[i].offset), err);
	}
	return true;
}

static bool has_all(const struct yaml_input *in, const struct field *fields, size_t count, unsigned given,
		    struct bc_error *err)
{
	char why[64];

	for (size_t i = 0; i < count; i++) {
		if (!fields[i].needed || given & 1u << i)
			continue;
		snprintf(why, sizeof(why), "'%s' is missing", fields[i].key);
		return fail(in, why, err);
	}
	return true;
}

static bool fail_unknown(const struct yaml_input *in, struct text key, struct bc_error *err)
{
	char why[128];

	if (text_is(key, "inline_tree") || text_is(key, "probes") || text_is(key, "pseudo_probe_desc"))
		return fail(in, "pseudo probes cannot be merged", err);
	snprintf(why, sizeof(why), "an unknown key '%.*s'", (int)(key.len < 60 ? key.len : 60), key.at);
	return fail(in, why, err);
}

/* A mapping of fields alone, whose start was read. */
static bool read_fields(struct yaml_input *in, const struct field *fields, size_t count, void *to,
			struct bc_error *err)
{
	unsigned given = 0;
	struct text key;
	bool end, known;

	for (;;) {
		if (!next_key(in, &key, &end, err))
			return false;
		if (end)
			return has_all(in, fields, count, given, err);
		if (!read_field(in, fields, count, key, to, &given, &known, err))
			return false;
		if (!known)
			return fail_unknown(in, key, err);
	}
}

/* The next mapping of a sequence; *end: it is over. */
static bool next_mapping(struct yaml_input *in, bool *end, struct bc_error *err)
{
	if (!next_event(in, err))
		return false;
	*end = in->event.type == YAML_SEQUENCE_END_EVENT;
	return *end || in->event.type == YAML_MAPPING_START_EVENT || fail(in, "expected a mapping", err);
}

/* ---- blocks ---- */

#define FIELD(type, name, key, most, needed) {key, offsetof(struct type, name), most, needed}

static bool read_calls(struct yaml_input *in, size_t block, struct bc_error *err)
{
	static const struct field fields[] = {
		FIELD(yaml_call, off, "off", UINT32_MAX, true), FIELD(yaml_call, fid, "fid", UINT32_MAX, true),
		FIELD(yaml_call, disc, "disc", UINT32_MAX, false), FIELD(yaml_call, cnt, "cnt", UINT64_MAX, true),
		FIELD(yaml_call, mis, "mis", UINT64_MAX, false)};
	bool end;

	if (!expect(in, YAML_SEQUENCE_START_EVENT, "expected a list of calls", err))
		return false;
	for (;;) {
		struct yaml_call call = {.block = block};
		if (!next_mapping(in, &end, err))
			return false;
		if (end)
			return true;
		if (!read_fields(in, fields, sizeof(fields) / sizeof(*fields), &call, err))
			return false;
		if (!yaml_call_vec_push(&in->function.calls, call))
			return bc_fail_nomem(err);
	}
}

static bool read_successors(struct yaml_input *in, size_t block, struct bc_error *err)
{
	static const struct field fields[] = {
		FIELD(yaml_successor, bid, "bid", UINT32_MAX, true), FIELD(yaml_successor, cnt, "cnt", UINT64_MAX, true),
		FIELD(yaml_successor, mis, "mis", UINT64_MAX, false)};
	bool end;

	if (!expect(in, YAML_SEQUENCE_START_EVENT, "expected a list of successors", err))
		return false;
	for (;;) {
		struct yaml_successor successor = {.block = block};
		if (!next_mapping(in, &end, err))
			return false;
		if (end)
			return true;
		if (!read_fields(in, fields, sizeof(fields) / sizeof(*fields), &successor, err))
			return false;
		if (!yaml_successor_vec_push(&in->function.successors, successor))
			return bc_fail_nomem(err);
	}
}

static const struct field block_fields[] = {
	FIELD(yaml_block, bid, "bid", UINT32_MAX, true), FIELD(yaml_block, insns, "insns", UINT32_MAX, true),
	FIELD(yaml_block, hash, "hash", UINT64_MAX, false), FIELD(yaml_block, exec, "exec", UINT64_MAX, false),
	FIELD(yaml_block, events, "events", UINT64_MAX, false)};
#define BLOCK_FIELDS (sizeof(block_fields) / sizeof(*block_fields))

static bool read_block(struct yaml_input *in, struct bc_error *err)
{
	size_t index = in->function.blocks.len;
	struct yaml_block block = {0};
	unsigned given = 0;
	struct text key;
	bool end, known;

	for (;;) {
		if (!next_key(in, &key, &end, err))
			return false;
		if (end)
			break;
		if (!read_field(in, block_fields, BLOCK_FIELDS, key, &block, &given, &known, err))
			return false;
		if (known)
			continue;
		if (text_is(key, "calls") ? !read_calls(in, index, err)
		    : text_is(key, "succ") ? !read_successors(in, index, err) : !fail_unknown(in, key, err))
			return false;
	}
	if (!has_all(in, block_fields, BLOCK_FIELDS, given, err))
		return false;
	return yaml_block_vec_push(&in->function.blocks, block) || bc_fail_nomem(err);
}

static bool read_blocks(struct yaml_input *in, struct bc_error *err)
{
	bool end;

	if (!expect(in, YAML_SEQUENCE_START_EVENT, "expected a list of blocks", err))
		return false;
	for (;;) {
		if (!next_mapping(in, &end, err))
			return false;
		if (end)
			return true;
		if (!read_block(in, err))
			return false;
	}
}

/* ---- functions ---- */

static const struct field function_fields[] = {
	FIELD(yaml_function, fid, "fid", UINT32_MAX, true), FIELD(yaml_function, hash, "hash", UINT64_MAX, true),
	FIELD(yaml_function, exec, "exec", UINT64_MAX, true),
	FIELD(yaml_function, external, "extern", UINT64_MAX, false),
	FIELD(yaml_function, nblocks, "nblocks", UINT32_MAX, true)};
#define FUNCTION_FIELDS (sizeof(function_fields) / sizeof(*function_fields))

static bool read_name(struct yaml_input *in, struct bc_error *err)
{
	struct key *name = &in->function.name;
	struct text word;

	if (name->size)
		return fail(in, "a key for the second time", err);
	if (!read_scalar(in, &word, err))
		return false;
	if (!word.len)
		return fail(in, "a function without a name", err);
	key_name(name, word);
	name->size--; /* the zero byte */
	return !name->failed || bc_fail_nomem(err);
}

static bool read_function(struct yaml_input *in, struct bc_error *err)
{
	struct text key;
	bool end, known;

	yaml_function_clear(&in->function);
	for (;;) {
		if (!next_key(in, &key, &end, err))
			return false;
		if (end)
			break;
		if (!read_field(in, function_fields, FUNCTION_FIELDS, key, &in->function, &in->function.given, &known, err))
			return false;
		if (known)
			continue;
		if (text_is(key, "name") ? !read_name(in, err)
		    : text_is(key, "blocks") ? !read_blocks(in, err) : !fail_unknown(in, key, err))
			return false;
	}
	if (!in->function.name.size)
		return fail(in, "'name' is missing", err);
	return has_all(in, function_fields, FUNCTION_FIELDS, in->function.given, err);
}

/* ---- the head ---- */

static bool read_flags(struct yaml_input *in, struct merge_head *head, struct bc_error *err)
{
	if (!expect(in, YAML_SEQUENCE_START_EVENT, "expected a list of flags", err))
		return false;
	for (;;) {
		if (!next_event(in, err))
			return false;
		if (in->event.type == YAML_SEQUENCE_END_EVENT)
			return head->mode || fail(in, "neither of the flags lbr and sample is there", err);
		bool is_word = in->event.type == YAML_SCALAR_EVENT;
		enum merge_mode mode = !is_word                    ? MODE_OPEN
				       : text_is(scalar(in), "lbr")    ? MODE_BRANCHES
				       : text_is(scalar(in), "sample") ? MODE_PLAIN
								       : MODE_OPEN;
		if (!mode || head->mode)
			return fail(in, "expected one of the flags lbr and sample", err);
		head->mode = mode;
	}
}

/* Texts of several profiles are joined by "; ", see yaml_output.c. */
static bool add_origins(struct merge_head *head, struct text all)
{
	uint32_t ignored;

	for (;;) {
		size_t end = 0;
		while (end < all.len && !(all.at[end] == ';' && end + 1 < all.len && all.at[end + 1] == ' '))
			end++;
		struct text one = text_first(all, end);
		if (text_is(one, MERGE_NUMBERED_ANEW))
			head->anew = true;
		else if (!strings_intern(&head->origins, one, &ignored))
			return false;
		if (end == all.len)
			return true;
		all = text_from(all, end + 2);
	}
}

static bool take_text(struct yaml_input *in, struct text key, struct text value, struct merge_head *head,
		      struct bc_error *err)
{
	bool ok = true;

	if (text_is(key, "binary-name"))
		ok = strings_intern(&head->words, value, &head->binary_name);
	else if (text_is(key, "profile-origin"))
		ok = add_origins(head, value);
	else if (text_is(key, "profile-events"))
		ok = merge_set_add_words(&head->events, value, " ,");
	else if (text_is(key, "hash-func"))
		ok = strings_intern(&head->words, value, &head->hash_func), head->has_hash_func = true;
	else if (!value.len || text_is(value, "<unknown>"))
		head->id.size = 0;
	else if (!build_id_parse(value, &head->id))
		return fail(in, "no build-id", err);
	return ok || bc_fail_nomem(err);
}

static bool read_head_value(struct yaml_input *in, const char *key, struct merge_head *head, bool *version,
			    struct bc_error *err)
{
	static const char *const texts[] = {"binary-name", "binary-build-id", "profile-origin", "profile-events",
					    "hash-func"};
	struct text value;
	uint64_t number;

	if (!strcmp(key, "profile-version")) {
		*version = true;
		return read_number(in, UINT64_MAX, &number, err) &&
		       (number == 1 || fail(in, "a version of the format that is not 1", err));
	}
	if (!strcmp(key, "profile-flags"))
		return read_flags(in, head, err);
	if (!strcmp(key, "dfs-order"))
		return read_bool(in, &head->dfs_order, err);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (!strcmp(key, texts[i]))
			return read_scalar(in, &value, err) && take_text(in, text_of(key), value, head, err);
	return fail_unknown(in, text_of(key), err);
}

static bool read_head(struct yaml_input *in, struct merge_head *head, struct bc_error *err)
{
	bool end, version = false;
	struct text key;
	char word[32];

	if (!expect(in, YAML_MAPPING_START_EVENT, "expected the fields of the head", err))
		return false;
	for (;;) {
		if (!next_key(in, &key, &end, err))
			return false;
		if (end)
			break;
		if (key.len >= sizeof(word))
			return fail_unknown(in, key, err);
		snprintf(word, sizeof(word), "%s", key.at);
		if (!read_head_value(in, word, head, &version, err))
			return false;
	}
	return (version && head->mode) || fail(in, "'profile-version' or 'profile-flags' is missing", err);
}

static bool expect_key(struct yaml_input *in, const char *key, struct bc_error *err)
{
	if (!next_event(in, err))
		return false;
	return (in->event.type == YAML_SCALAR_EVENT && text_is(scalar(in), key)) ||
	       (in->event.type == YAML_SCALAR_EVENT ? fail_unknown(in, scalar(in), err)
						    : fail(in, "expected 'header' and 'functions'", err));
}

bool yaml_input_head(struct yaml_input *in, struct merge_head *head, struct bc_error *err)
{
	head->kind = MERGE_YAML;
	return expect(in, YAML_STREAM_START_EVENT, "no YAML", err) &&
	       expect(in, YAML_DOCUMENT_START_EVENT, "no YAML", err) &&
	       expect(in, YAML_MAPPING_START_EVENT, "no profile", err) && expect_key(in, "header", err) &&
	       read_head(in, head, err) && expect_key(in, "functions", err) &&
	       expect(in, YAML_SEQUENCE_START_EVENT, "expected a list of functions", err);
}

/* A file that was cut has no end of its document. */
static bool read_end(struct yaml_input *in, struct bc_error *err)
{
	bool end;
	struct text key;

	if (!next_key(in, &key, &end, err))
		return false;
	if (!end)
		return fail_unknown(in, key, err);
	if (!expect(in, YAML_DOCUMENT_END_EVENT, "expected the end of the profile", err))
		return false;
	if (in->event.data.document_end.implicit)
		return fail(in, "the end ('...') is missing: it was cut", err);
	if (!expect(in, YAML_STREAM_END_EVENT, "a second profile in one file", err))
		return false;
	err->code = BC_OK;
	return false;
}

bool yaml_input_next(struct yaml_input *in, const struct yaml_function **out, struct bc_error *err)
{
	bool end;

	if (!next_mapping(in, &end, err))
		return false;
	if (end)
		return read_end(in, err);
	*out = &in->function;
	return read_function(in, err);
}
