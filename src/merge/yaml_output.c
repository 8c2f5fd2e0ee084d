/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/merge/yaml_output.h"

#include <stdlib.h>

#include "src/merge/yaml_function.h"
#include "src/output/yaml_text.h"

#define WORDS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ;"

/* texts: the key and the value, as scan_unknown() left them */
static void write_unknown_key(struct emit *out, const char *before, const char *texts)
{
	size_t length = strlen(texts);

	emit_string(out, before);
	emit_string(out, texts);
	emit_char(out, ':');
	for (size_t column = length + 1; *before == '\n' && column < 16; column++)
		emit_char(out, ' ');
	emit_char(out, ' ');
	emit_string(out, texts + length + 1);
}

/* ---- the head ---- */

/* A set as one text. */
static char *joined(const struct strings *set, const char *between, const char *last)
{
	struct text *texts = profile_set_sorted(set);
	size_t count = profile_set_size(set), size = strlen(last) + 1;

	for (size_t i = 0; texts && i < count; i++)
		size += texts[i].len + strlen(between);
	char *all = texts ? malloc(size) : NULL, *end = all;
	for (size_t i = 0; all && i < count; i++) {
		if (i || *last)
			end = stpcpy(end, i ? between : "");
		memcpy(end, texts[i].at, texts[i].len);
		end += texts[i].len;
	}
	if (all)
		strcpy(end, last);
	free(texts);
	return all;
}

static bool write_events(const struct profile_head *head, struct emit *out)
{
	char *events = joined(&head->events, " ", "");
	const char *const all = events;
	bool ok = events && yaml_joined(out, &all, 1);

	free(events);
	return ok;
}

static bool write_origins(const struct profile_head *head, struct emit *out)
{
	char *origins = joined(&head->origins, "; ", !head->anew                      ? ""
						     : profile_set_size(&head->origins) ? "; " PROFILE_NUMBERED_ANEW
										     : PROFILE_NUMBERED_ANEW);
	/* Words alone are written as BOLT writes its own. */
	if (origins && *origins && !origins[strspn(origins, WORDS)] && *origins != ' ' && *origins != ';')
		emit_string(out, origins);
	else if (origins)
		yaml_scalar(out, origins);
	bool ok = origins;
	free(origins);
	return ok;
}

/* Of several values the first in order is written. */
static bool write_unknown(struct yaml_output *o, const struct strings *set, const char *before)
{
	struct text *texts = set->len ? profile_set_sorted(set) : NULL;

	for (size_t i = 0; texts && i < profile_set_size(set); i++) {
		if (i && !strcmp(texts[i].at, texts[i - 1].at)) {
			o->differing++;
			continue;
		}
		write_unknown_key(o->out, before, texts[i].at);
	}
	bool ok = texts || !set->len;
	free(texts);
	return ok;
}

bool yaml_output_head(struct yaml_output *o, const struct profile_head *head)
{
	struct emit *out = o->out;
	char id[2 * BUILD_ID_MAX + 1];

	build_id_format(&head->id, id);
	emit_string(out, "---\nheader:\n  profile-version: 1\n  binary-name:     ");
	yaml_scalar(out, strings_at(&head->words, head->binary_name).at);
	emit_string(out, "\n  binary-build-id: ");
	yaml_scalar(out, *id ? id : "<unknown>");
	emit_string(out, "\n  profile-flags:   [ ");
	emit_string(out, head->mode == MODE_PLAIN ? "sample" : "lbr");
	emit_string(out, " ]\n  profile-origin:  ");
	bool ok = write_origins(head, out);
	emit_string(out, "\n  profile-events:  ");
	ok = ok && write_events(head, out);
	emit_string(out, "\n  dfs-order:       ");
	emit_string(out, head->dfs_order ? "true" : "false");
	if (head->has_hash_func) {
		emit_string(out, "\n  hash-func:       ");
		yaml_scalar(out, strings_at(&head->words, head->hash_func).at);
	}
	ok = write_unknown(o, &head->unknown, "\n  ") && ok;
	emit_string(out, "\nfunctions:");
	return ok;
}

/* ---- functions ---- */

/* A row stays open for unknown keys. */
static void end_list(struct yaml_output *o)
{
	if (o->list)
		emit_string(o->out, " } ]");
	o->list = 0;
}

static void write_function(struct yaml_output *o, struct text name, const struct profile_item *item)
{
	struct emit *out = o->out;

	end_list(o);
	emit_string(out, "\n  - name:            ");
	yaml_scalar(out, name.at);
	emit_string(out, "\n    fid:             ");
	emit_dec(out, yaml_names_fid(o->names, name));
	emit_string(out, "\n    hash:            ");
	yaml_hex(out, item->same[0]);
	emit_string(out, "\n    exec:            ");
	emit_dec(out, item->sum[0]);
	yaml_dec_field(out, "\n    extern:          ", item->sum[1]);
	emit_string(out, "\n    nblocks:         ");
	emit_dec(out, item->same[1]);
	o->any = true;
	o->blocks = false;
}

static void write_block(struct yaml_output *o, uint64_t bid, const struct profile_item *item)
{
	struct emit *out = o->out;

	end_list(o);
	if (!o->blocks)
		emit_string(out, "\n    blocks:");
	o->blocks = true;
	emit_string(out, "\n      - bid:             ");
	emit_dec(out, bid);
	emit_string(out, "\n        insns:           ");
	emit_dec(out, item->same[0]);
	yaml_hex_field(out, "\n        hash:            ", item->same[1]);
	yaml_dec_field(out, "\n        exec:            ", item->sum[0]);
	yaml_dec_field(out, "\n        events:          ", item->sum[1]);
}

static void next_in_list(struct yaml_output *o, char list)
{
	if (o->list == list) {
		emit_string(o->out, " }, ");
		return;
	}
	end_list(o);
	emit_string(o->out, list == 'c' ? "\n        calls:           [ " : "\n        succ:            [ ");
	o->list = list;
}

static void write_counts(struct yaml_output *o, const struct profile_item *item)
{
	emit_string(o->out, ", cnt: ");
	emit_dec(o->out, item->sum[0]);
	yaml_dec_field(o->out, ", mis: ", item->sum[1]);
}

struct callee {
	uint64_t off, disc;
	struct text name; /* empty: unknown */
};

static struct callee take_callee(struct key_parts *key)
{
	struct callee callee = {.off = key_take_number(key)};

	if (key_take_byte(key) == CALLEE_NAMED)
		callee.name = key_take_name(key);
	callee.disc = key_take_number(key);
	return callee;
}

static void write_call(struct yaml_output *o, struct key_parts *key, const struct profile_item *item)
{
	struct callee callee = take_callee(key);

	next_in_list(o, 'c');
	emit_string(o->out, "{ off: ");
	yaml_hex(o->out, callee.off);
	emit_string(o->out, ", fid: ");
	emit_dec(o->out, callee.name.len ? yaml_names_fid(o->names, callee.name) : 0);
	yaml_dec_field(o->out, ", disc: ", callee.disc);
	write_counts(o, item);
}

static void write_successor(struct yaml_output *o, struct key_parts *key, const struct profile_item *item)
{
	next_in_list(o, 's');
	emit_string(o->out, "{ bid: ");
	emit_dec(o->out, key_take_number(key));
	write_counts(o, item);
}

static bool begins_with(const struct profile_item *item, const struct key *key, size_t size)
{
	return item->size > size && !memcmp(item->key, key->at, size);
}

/* An unknown key of the item that was written last, whose own key it begins with.  If scaling left that out, it is left out as well. */
static void write_more(struct yaml_output *o, const struct profile_item *item, struct key_parts key, const char *before)
{
	const char *texts = (const char *)key.at;

	if (!begins_with(item, &o->last, o->last_item))
		return;
	if (o->last.size > o->last_item && begins_with(item, &o->last, o->last.size)) {
		o->differing++;
		return;
	}
	write_unknown_key(o->out, before, texts);
	o->last.size = o->last_item;
	key_bytes(&o->last, texts, strlen(texts) + 1);
}

static void remember(struct yaml_output *o, const struct profile_item *item)
{
	o->last.size = 0;
	key_bytes(&o->last, item->key, item->size);
	o->last_item = o->last.size;
}

void yaml_output_item(struct yaml_output *o, const struct profile_item *item)
{
	struct key_parts key = key_parts(item);
	struct text name = key_take_name(&key);
	uint64_t bid = 0;
	uint8_t part = 0;
	bool is_function = key_take_byte(&key) == YAML_FUNCTION;

	if (!is_function) {
		bid = key_take_number(&key);
		part = key_take_byte(&key);
	}
	struct key_parts row = key;
	if (!is_function && part == BLOCK_CALL)
		take_callee(&key);
	else if (!is_function && part == BLOCK_SUCCESSOR)
		key_take_number(&key);
	if (key.at < key.end) {
		write_more(o, item, key, is_function ? "\n    " : part == BLOCK_ITSELF ? "\n        " : ", ");
		return;
	}
	if (is_function)
		write_function(o, name, item);
	else if (part == BLOCK_ITSELF)
		write_block(o, bid, item);
	else if (part == BLOCK_CALL)
		write_call(o, &row, item);
	else
		write_successor(o, &row, item);
	remember(o, item);
}

bool yaml_output_end(struct yaml_output *o, const struct profile_head *head)
{
	end_list(o);
	if (!o->any)
		emit_string(o->out, "\n  []");
	bool ok = write_unknown(o, &head->unknown_behind, "\n") && !o->last.failed;
	emit_string(o->out, "\n...\n");
	key_free(&o->last);
	return ok;
}
