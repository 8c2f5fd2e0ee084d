/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/yaml.h"

#include <stdio.h>
#include <stdlib.h>

#include "src/profile/yaml_text.h"

struct yaml_input {
	struct yaml_scan scan;
	struct yaml_function function;
	struct profile_head *head; /* unknown keys of the document go there */
	struct emit unknown;
	bool goes_on; /* another document begins */
};

static void function_clear(struct yaml_function *function)
{
	function->name.size = 0;
	function->fid = function->hash = function->exec = function->external = function->nblocks =
		0;
	function->blocks.len = function->calls.len = function->successors.len = 0;
	function->more.len = function->more_text.size = 0;
}

static void function_free(struct yaml_function *function)
{
	key_free(&function->name);
	yaml_block_vec_free(&function->blocks);
	yaml_call_vec_free(&function->calls);
	yaml_successor_vec_free(&function->successors);
	yaml_more_vec_free(&function->more);
	key_free(&function->more_text);
	*function = (struct yaml_function){0};
}

struct yaml_input *yaml_input_open(struct file_stream *stream, struct text begin,
				   struct bc_error *err)
{
	struct yaml_input *in = calloc(1, sizeof(*in));

	if (in && scan_open(&in->scan, stream, begin)) {
		emit_init(&in->unknown, NULL);
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
	scan_close(&in->scan);
	function_free(&in->function);
	emit_free(&in->unknown);
	free(in);
}

void yaml_input_refuse_probes(struct yaml_input *in)
{
	in->scan.refuses_probes = true;
}

/* Keeps a key that only others know, and its value. */
static bool read_unknown(struct yaml_input *in, struct yaml_more more, struct bc_error *err)
{
	struct yaml_function *f = &in->function;

	if (!scan_unknown(&in->scan, &in->unknown, err))
		return false;
	more.at = f->more_text.size;
	more.size = in->unknown.used;
	key_bytes(&f->more_text, in->unknown.at, more.size);
	return (!f->more_text.failed && yaml_more_vec_push(&f->more, more)) || bc_fail_nomem(err);
}

static bool read_unknown_of_head(struct yaml_input *in, struct strings *set, struct bc_error *err)
{
	uint32_t ignored;

	return scan_unknown(&in->scan, &in->unknown, err) &&
	       (strings_intern(set, (struct text){in->unknown.at, in->unknown.used}, &ignored) ||
		bc_fail_nomem(err));
}

/* ---- functions ---- */

#define FIELD(type, name, key, most, needed) {key, offsetof(struct type, name), most, needed}

static const struct scan_field function_fields[] = {
	FIELD(yaml_function, fid, "fid", UINT32_MAX, true),
	FIELD(yaml_function, hash, "hash", UINT64_MAX, true),
	FIELD(yaml_function, exec, "exec", UINT64_MAX, true),
	FIELD(yaml_function, external, "extern", UINT64_MAX, false),
	FIELD(yaml_function, nblocks, "nblocks", UINT32_MAX, true)};

static const struct scan_field block_fields[] = {
	FIELD(yaml_block, bid, "bid", UINT32_MAX, true),
	FIELD(yaml_block, insns, "insns", UINT32_MAX, true),
	FIELD(yaml_block, hash, "hash", UINT64_MAX, false),
	FIELD(yaml_block, exec, "exec", UINT64_MAX, false),
	FIELD(yaml_block, events, "events", UINT64_MAX, false)};

static const struct scan_field call_fields[] = {FIELD(yaml_call, off, "off", UINT32_MAX, true),
						FIELD(yaml_call, fid, "fid", UINT32_MAX, true),
						FIELD(yaml_call, disc, "disc", UINT32_MAX, false),
						FIELD(yaml_call, cnt, "cnt", UINT64_MAX, true),
						FIELD(yaml_call, mis, "mis", UINT64_MAX, false)};

static const struct scan_field successor_fields[] = {
	FIELD(yaml_successor, bid, "bid", UINT32_MAX, true),
	FIELD(yaml_successor, cnt, "cnt", UINT64_MAX, true),
	FIELD(yaml_successor, mis, "mis", UINT64_MAX, false)};

/* What is read of a mapping: its fields, and what else it can have. */
struct yaml_mapping {
	enum yaml_row of;
	const struct scan_field *fields;
	size_t field_count;
	bool (*more)(struct yaml_input *in, struct text key, bool *known,
		     struct bc_error *err); /* reads the value of a key that is no field; or NULL */
};

/* The number that the row that is being read will have among those of its kind. */
static size_t row_number(const struct yaml_function *f, enum yaml_row of)
{
	switch (of) {
	case MORE_FUNCTION: break;
	case MORE_BLOCK: return f->blocks.len;
	case MORE_CALL: return f->calls.len;
	case MORE_SUCCESSOR: return f->successors.len;
	}
	return 0;
}

/* Reads a mapping that is open, to its end. */
static bool read_mapping(struct yaml_input *in, const struct yaml_mapping *mapping, void *to,
			 unsigned *given, struct bc_error *err)
{
	struct yaml_more unknown = {.of = mapping->of,
				    .index = row_number(&in->function, mapping->of)};
	struct text key;
	bool end, known;

	for (*given = 0;;) {
		if (!scan_key(&in->scan, &key, &end, err))
			return false;
		if (end)
			return true;
		if (!scan_field(&in->scan, mapping->fields, mapping->field_count, key, to, given,
				&known, err) ||
		    (!known && mapping->more && !mapping->more(in, key, &known, err)) ||
		    (!known && !read_unknown(in, unknown, err)))
			return false;
	}
}

static bool has_all(const struct yaml_input *in, const struct yaml_mapping *mapping, unsigned given,
		    struct bc_error *err)
{
	return scan_has_all(&in->scan, mapping->fields, mapping->field_count, given, err);
}

/* Reads a list of mappings. */
static bool read_list(struct yaml_input *in, const char *expected,
		      bool (*each)(struct yaml_input *in, struct bc_error *err),
		      struct bc_error *err)
{
	bool end;

	if (!scan_expect(&in->scan, YAML_SEQUENCE_START_EVENT, expected, err))
		return false;
	for (;;) {
		if (!scan_mapping(&in->scan, &end, err))
			return false;
		if (end)
			return true;
		if (!each(in, err))
			return false;
	}
}

static bool read_call(struct yaml_input *in, struct bc_error *err)
{
	static const struct yaml_mapping mapping = {MORE_CALL, call_fields, BC_COUNT(call_fields),
						    NULL};
	struct yaml_call call = {.block = in->function.blocks.len};
	unsigned given;

	return read_mapping(in, &mapping, &call, &given, err) &&
	       has_all(in, &mapping, given, err) &&
	       (yaml_call_vec_push(&in->function.calls, call) || bc_fail_nomem(err));
}

static bool read_successor(struct yaml_input *in, struct bc_error *err)
{
	static const struct yaml_mapping mapping = {MORE_SUCCESSOR, successor_fields,
						    BC_COUNT(successor_fields), NULL};
	struct yaml_successor successor = {.block = in->function.blocks.len};
	unsigned given;

	return read_mapping(in, &mapping, &successor, &given, err) &&
	       has_all(in, &mapping, given, err) &&
	       (yaml_successor_vec_push(&in->function.successors, successor) || bc_fail_nomem(err));
}

static bool more_of_block(struct yaml_input *in, struct text key, bool *known, struct bc_error *err)
{
	*known = true;
	if (text_is(key, "calls"))
		return read_list(in, "expected a list of calls", read_call, err);
	if (text_is(key, "succ"))
		return read_list(in, "expected a list of successors", read_successor, err);
	*known = false;
	return true;
}

static bool read_block(struct yaml_input *in, struct bc_error *err)
{
	static const struct yaml_mapping mapping = {MORE_BLOCK, block_fields,
						    BC_COUNT(block_fields), more_of_block};
	struct yaml_block block = {0};
	unsigned given;

	return read_mapping(in, &mapping, &block, &given, err) &&
	       has_all(in, &mapping, given, err) &&
	       (yaml_block_vec_push(&in->function.blocks, block) || bc_fail_nomem(err));
}

static bool read_name(struct yaml_input *in, struct bc_error *err)
{
	struct key *name = &in->function.name;
	struct text word;

	if (name->size)
		return scan_fail(&in->scan, "a key for the second time", err);
	if (!scan_word(&in->scan, &word, err))
		return false;
	if (!word.len)
		return scan_fail(&in->scan, "a function without a name", err);
	key_name(name, word);
	name->size--; /* the zero byte */
	return !name->failed || bc_fail_nomem(err);
}

static bool more_of_function(struct yaml_input *in, struct text key, bool *known,
			     struct bc_error *err)
{
	*known = true;
	if (text_is(key, "name"))
		return read_name(in, err);
	if (text_is(key, "blocks"))
		return read_list(in, "expected a list of blocks", read_block, err);
	*known = false;
	return true;
}

static bool read_function(struct yaml_input *in, struct bc_error *err)
{
	static const struct yaml_mapping mapping = {MORE_FUNCTION, function_fields,
						    BC_COUNT(function_fields), more_of_function};
	unsigned given;

	function_clear(&in->function);
	return read_mapping(in, &mapping, &in->function, &given, err) &&
	       (in->function.name.size || scan_fail(&in->scan, "'name' is missing", err)) &&
	       has_all(in, &mapping, given, err);
}

/* ---- the head ---- */

static bool read_flags(struct yaml_input *in, struct profile_head *head, struct bc_error *err)
{
	if (!scan_expect(&in->scan, YAML_SEQUENCE_START_EVENT, "expected a list of flags", err))
		return false;
	for (;;) {
		if (!scan_event(&in->scan, err))
			return false;
		if (in->scan.event.type == YAML_SEQUENCE_END_EVENT)
			return head->mode ||
			       scan_fail(&in->scan, "neither of the flags lbr and sample is there",
					 err);
		bool is_word = in->scan.event.type == YAML_SCALAR_EVENT;
		enum profile_mode mode = !is_word                                ? MODE_OPEN :
					 text_is(scan_text(&in->scan), "lbr")    ? MODE_BRANCHES :
					 text_is(scan_text(&in->scan), "sample") ? MODE_PLAIN :
										   MODE_OPEN;
		if (!mode || head->mode)
			return scan_fail(&in->scan, "expected one of the flags lbr and sample",
					 err);
		head->mode = mode;
	}
}

/* Texts of several profiles are joined by "; ", see profile/yaml_items.c. */
static bool add_origins(struct profile_head *head, struct text all)
{
	uint32_t ignored;

	for (;;) {
		size_t end = 0;
		while (end < all.len &&
		       !(all.at[end] == ';' && end + 1 < all.len && all.at[end + 1] == ' '))
			end++;
		struct text one = text_first(all, end);
		if (text_is(one, PROFILE_NUMBERED_ANEW))
			head->anew = true;
		else if (!strings_intern(&head->origins, one, &ignored))
			return false;
		if (end == all.len)
			return true;
		all = text_from(all, end + 2);
	}
}

static bool take_text(struct yaml_input *in, struct text key, struct text value,
		      struct profile_head *head, struct bc_error *err)
{
	bool ok = true;

	if (text_is(key, "binary-name"))
		ok = strings_intern(&head->words, value, &head->binary_name);
	else if (text_is(key, "profile-origin"))
		ok = add_origins(head, value);
	else if (text_is(key, "profile-events"))
		ok = profile_set_add_words(&head->events, value, " ,");
	else if (text_is(key, "hash-func"))
		ok = strings_intern(&head->words, value, &head->hash_func),
		head->has_hash_func = true;
	else if (!value.len || text_is(value, "<unknown>"))
		head->id.size = 0;
	else if (!build_id_parse(value, &head->id))
		return scan_fail(&in->scan, "no build-id", err);
	return ok || bc_fail_nomem(err);
}

static bool read_head_value(struct yaml_input *in, const char *key, struct profile_head *head,
			    bool *version, struct bc_error *err)
{
	static const char *const texts[] = {"binary-name", "binary-build-id", "profile-origin",
					    "profile-events", "hash-func"};
	struct text value;
	uint64_t number;

	if (!strcmp(key, "profile-version")) {
		*version = true;
		return scan_number(&in->scan, UINT64_MAX, &number, err) &&
		       (number == 1 ||
			scan_fail(&in->scan, "a version of the format that is not 1", err));
	}
	if (!strcmp(key, "profile-flags"))
		return read_flags(in, head, err);
	if (!strcmp(key, "dfs-order"))
		return scan_bool(&in->scan, &head->dfs_order, err);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (!strcmp(key, texts[i]))
			return scan_word(&in->scan, &value, err) &&
			       take_text(in, text_of(key), value, head, err);
	return read_unknown_of_head(in, &head->unknown, err);
}

static bool read_head(struct yaml_input *in, struct profile_head *head, struct bc_error *err)
{
	bool end, version = false;
	struct text key;
	char word[32];

	if (!scan_expect(&in->scan, YAML_MAPPING_START_EVENT, "expected the fields of the head",
			 err))
		return false;
	for (;;) {
		if (!scan_key(&in->scan, &key, &end, err))
			return false;
		if (end)
			break;
		snprintf(word, sizeof(word), "%s", key.at); /* a longer one is unknown as well */
		if (!read_head_value(in, word, head, &version, err))
			return false;
	}
	return (version && head->mode) ||
	       scan_fail(&in->scan, "'profile-version' or 'profile-flags' is missing", err);
}

/* Keeps unknown keys of the document up to this one, or to its end. */
static bool find_key(struct yaml_input *in, const char *wanted, bool *end, struct bc_error *err)
{
	struct text key;

	for (;;) {
		if (!scan_key(&in->scan, &key, end, err))
			return false;
		if (*end || (wanted && text_is(key, wanted)))
			return true;
		if (text_is(key, "header") || text_is(key, "functions"))
			return scan_fail(&in->scan, "expected 'header', then 'functions'", err);
		if (!read_unknown_of_head(in, &in->head->unknown_behind, err))
			return false;
	}
}

static bool expect_key(struct yaml_input *in, const char *key, struct bc_error *err)
{
	bool end;

	return find_key(in, key, &end, err) &&
	       (!end || scan_fail(&in->scan, "expected 'header' and 'functions'", err));
}

bool yaml_input_head(struct yaml_input *in, struct profile_head *head, struct bc_error *err)
{
	head->kind = KIND_YAML;
	in->head = head;
	return (in->goes_on ||
		(scan_expect(&in->scan, YAML_STREAM_START_EVENT, "no YAML", err) &&
		 scan_expect(&in->scan, YAML_DOCUMENT_START_EVENT, "no YAML", err))) &&
	       scan_expect(&in->scan, YAML_MAPPING_START_EVENT, "no profile", err) &&
	       expect_key(in, "header", err) && read_head(in, head, err) &&
	       expect_key(in, "functions", err) &&
	       scan_expect(&in->scan, YAML_SEQUENCE_START_EVENT, "expected a list of functions",
			   err);
}

/* A file that was cut has no end of its document. */
static bool read_end(struct yaml_input *in, struct bc_error *err)
{
	bool end;

	if (!find_key(in, NULL, &end, err))
		return false;
	if (!scan_expect(&in->scan, YAML_DOCUMENT_END_EVENT, "expected the end of the profile",
			 err))
		return false;
	bool implicit = in->scan.event.data.document_end.implicit;
	if (!scan_event(&in->scan, err))
		return false;
	in->goes_on = in->scan.event.type == YAML_DOCUMENT_START_EVENT;
	if (implicit && !in->goes_on)
		return scan_fail(&in->scan, "the end ('...') is missing: it was cut", err);
	err->code = BC_OK;
	return false;
}

bool yaml_input_next(struct yaml_input *in, const struct yaml_function **out, struct bc_error *err)
{
	bool end;

	if (!scan_mapping(&in->scan, &end, err))
		return false;
	if (end)
		return read_end(in, err);
	*out = &in->function;
	return read_function(in, err);
}

struct text yaml_function_name(const struct yaml_function *function)
{
	struct text name = {(const char *)function->name.at, function->name.size};

	for (size_t i = 1; i + 1 < name.len; i++)
		if (name.at[i] == '(' && name.at[i + 1] == '*')
			return text_first(name, i);
	return name;
}

bool yaml_input_goes_on(const struct yaml_input *in)
{
	return in->goes_on;
}

/* ---- writing ---- */

#define WORDS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ;"

/* Words alone are written as BOLT writes its own. */
static void write_origin(const char *origin, struct emit *out)
{
	if (*origin && !origin[strspn(origin, WORDS)] && *origin != ' ' && *origin != ';')
		emit_string(out, origin);
	else
		yaml_scalar(out, origin);
}

bool yaml_write_head(const struct yaml_head *head, struct emit *out)
{
	char id[2 * BUILD_ID_MAX + 1];

	build_id_format(head->id, id);
	emit_string(out, "---\nheader:\n  profile-version: 1\n  binary-name:     ");
	yaml_scalar(out, head->binary_name);
	emit_string(out, "\n  binary-build-id: ");
	yaml_scalar(out, *id ? id : "<unknown>");
	emit_string(out, "\n  profile-flags:   [ ");
	emit_string(out, head->plain ? "sample" : "lbr");
	emit_string(out, " ]\n  profile-origin:  ");
	write_origin(head->origin, out);
	emit_string(out, "\n  profile-events:  ");
	bool ok = yaml_joined(out, head->events, head->event_count);
	emit_string(out, "\n  dfs-order:       ");
	emit_string(out, head->dfs_order ? "true" : "false");
	if (head->hash_func) {
		emit_string(out, "\n  hash-func:       ");
		yaml_scalar(out, head->hash_func);
	}
	return ok;
}

void yaml_write_begin(struct emit *out)
{
	emit_string(out, "\nfunctions:");
}

void yaml_write_end(struct emit *out)
{
	emit_string(out, "\n...\n");
}

void yaml_write_function(const char *name, const struct yaml_function *function, struct emit *out)
{
	emit_string(out, "\n  - name:            ");
	yaml_scalar(out, name);
	emit_string(out, "\n    fid:             ");
	emit_dec(out, function->fid);
	emit_string(out, "\n    hash:            ");
	yaml_hex(out, function->hash);
	emit_string(out, "\n    exec:            ");
	emit_dec(out, function->exec);
	yaml_dec_field(out, "\n    extern:          ", function->external);
	emit_string(out, "\n    nblocks:         ");
	emit_dec(out, function->nblocks);
}

void yaml_write_block(const struct yaml_block *block, bool first, struct emit *out)
{
	if (first)
		emit_string(out, "\n    blocks:");
	emit_string(out, "\n      - bid:             ");
	emit_dec(out, block->bid);
	emit_string(out, "\n        insns:           ");
	emit_dec(out, block->insns);
	yaml_hex_field(out, "\n        hash:            ", block->hash);
	yaml_dec_field(out, "\n        exec:            ", block->exec);
	yaml_dec_field(out, "\n        events:          ", block->events);
}

void yaml_begin_row(enum yaml_list list, bool first, struct emit *out)
{
	emit_string(out, !first             ? ", " :
			 list == YAML_CALLS ? "\n        calls:           [ " :
					      "\n        succ:            [ ");
}

static void write_counts(uint64_t count, uint64_t mispredicted, struct emit *out)
{
	emit_string(out, ", cnt: ");
	emit_dec(out, count);
	yaml_dec_field(out, ", mis: ", mispredicted);
}

void yaml_write_call(const struct yaml_call *call, struct emit *out)
{
	emit_string(out, "{ off: ");
	yaml_hex(out, call->off);
	emit_string(out, ", fid: ");
	emit_dec(out, call->fid);
	yaml_dec_field(out, ", disc: ", call->disc);
	write_counts(call->cnt, call->mis, out);
}

void yaml_write_successor(const struct yaml_successor *successor, struct emit *out)
{
	emit_string(out, "{ bid: ");
	emit_dec(out, successor->bid);
	write_counts(successor->cnt, successor->mis, out);
}

void yaml_end_row(struct emit *out)
{
	emit_string(out, " }");
}

void yaml_end_list(struct emit *out)
{
	emit_string(out, " ]");
}
