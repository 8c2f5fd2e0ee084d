/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/merge/yaml_output.h"

#include <stdlib.h>

#include "src/merge/yaml_function.h"
#include "src/output/yaml_text.h"

#define WORDS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ;"

/* ---- the head ---- */

/* A set as one text. */
static char *joined(const struct strings *set, const char *between, const char *last)
{
	struct text *texts = merge_sorted(set);
	size_t count = merge_set_size(set), size = strlen(last) + 1;

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

static bool write_events(const struct merge_head *head, struct emit *out)
{
	char *events = joined(&head->events, " ", "");
	const char *const all = events;
	bool ok = events && yaml_joined(out, &all, 1);

	free(events);
	return ok;
}

static bool write_origins(const struct merge_head *head, struct emit *out)
{
	char *origins = joined(&head->origins, "; ", !head->anew                      ? ""
						     : merge_set_size(&head->origins) ? "; " MERGE_NUMBERED_ANEW
										     : MERGE_NUMBERED_ANEW);
	/* Words alone are written as BOLT writes its own. */
	if (origins && *origins && !origins[strspn(origins, WORDS)] && *origins != ' ' && *origins != ';')
		emit_string(out, origins);
	else if (origins)
		yaml_scalar(out, origins);
	bool ok = origins;
	free(origins);
	return ok;
}

bool yaml_output_head(const struct merge_head *head, struct emit *out)
{
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
	emit_string(out, "\nfunctions:");
	return ok;
}

/* ---- functions ---- */

static void end_list(struct yaml_output *o)
{
	if (o->list)
		emit_string(o->out, " ]");
	o->list = 0;
}

static void write_function(struct yaml_output *o, struct text name, const struct merge_item *item)
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

static void write_block(struct yaml_output *o, uint64_t bid, const struct merge_item *item)
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
		emit_string(o->out, ", ");
		return;
	}
	end_list(o);
	emit_string(o->out, list == 'c' ? "\n        calls:           [ " : "\n        succ:            [ ");
	o->list = list;
}

static void write_counts(struct yaml_output *o, const struct merge_item *item)
{
	emit_string(o->out, ", cnt: ");
	emit_dec(o->out, item->sum[0]);
	yaml_dec_field(o->out, ", mis: ", item->sum[1]);
	emit_string(o->out, " }");
}

static void write_call(struct yaml_output *o, struct key_parts *key, const struct merge_item *item)
{
	struct text callee = {"", 0};

	next_in_list(o, 'c');
	emit_string(o->out, "{ off: ");
	yaml_hex(o->out, key_take_number(key));
	emit_string(o->out, ", fid: ");
	if (key_take_byte(key) == CALLEE_NAMED)
		callee = key_take_name(key);
	emit_dec(o->out, callee.len ? yaml_names_fid(o->names, callee) : 0);
	yaml_dec_field(o->out, ", disc: ", key_take_number(key));
	write_counts(o, item);
}

void yaml_output_item(struct yaml_output *o, const struct merge_item *item)
{
	struct key_parts key = key_parts(item);
	struct text name = key_take_name(&key);

	if (key_take_byte(&key) == YAML_FUNCTION) {
		write_function(o, name, item);
		return;
	}
	uint64_t bid = key_take_number(&key);
	switch (key_take_byte(&key)) {
	case BLOCK_ITSELF: write_block(o, bid, item); break;
	case BLOCK_CALL: write_call(o, &key, item); break;
	case BLOCK_SUCCESSOR:
		next_in_list(o, 's');
		emit_string(o->out, "{ bid: ");
		emit_dec(o->out, key_take_number(&key));
		write_counts(o, item);
		break;
	}
}

void yaml_output_end(struct yaml_output *o)
{
	end_list(o);
	if (!o->any)
		emit_string(o->out, "\n  []");
	emit_string(o->out, "\n...\n");
}
