/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/merge/record.h"

#include <inttypes.h>

#include "src/merge/fdata.h"
#include "src/merge/yaml_function.h"

bool record_begin(struct record_writer *writer, const struct merge_head *head, const struct preagg_returns *returns,
		  struct yaml_names *names, FILE *file)
{
	writer->head = head;
	writer->returns = returns;
	emit_init(&writer->out, file);
	writer->yaml = (struct yaml_output){.out = &writer->out, .names = names};
	switch (head->kind) {
	case MERGE_FDATA: return fdata_write_head(head, &writer->out);
	case MERGE_PREAGG: return preagg_write_head(head, &writer->out);
	case MERGE_YAML: return yaml_output_head(&writer->yaml, head);
	case MERGE_NOTHING: break;
	}
	return true;
}

void record_put(struct record_writer *writer, const struct merge_item *item)
{
	switch (writer->head->kind) {
	case MERGE_FDATA: fdata_write_item(item, &writer->out); break;
	case MERGE_PREAGG: preagg_write_item(item, writer->head->mode, writer->returns, &writer->out); break;
	case MERGE_YAML: yaml_output_item(&writer->yaml, item); break;
	case MERGE_NOTHING: break;
	}
}

bool record_end(struct record_writer *writer)
{
	bool ok = writer->head->kind != MERGE_YAML || yaml_output_end(&writer->yaml, writer->head);

	emit_flush(&writer->out);
	return ok;
}

/* Functions and blocks of YAML. */
bool record_is_more(enum merge_kind kind, const struct merge_item *item)
{
	struct key_parts key = key_parts(item);

	if (kind != MERGE_YAML)
		return false;
	key_take_name(&key);
	if (key_take_byte(&key) == YAML_FUNCTION)
		return true;
	key_take_number(&key);
	return key_take_byte(&key) == BLOCK_ITSELF;
}

static void describe_yaml(const struct merge_item *item, char *out, size_t size)
{
	struct key_parts key = key_parts(item);
	struct text name = key_take_name(&key);

	if (key_take_byte(&key) == YAML_FUNCTION)
		snprintf(out, size, "function '%.200s'", name.at);
	else
		snprintf(out, size, "function '%.200s', block %" PRIu64, name.at, key_take_number(&key));
}

void record_describe(const struct merge_head *head, const struct merge_item *item, char *out, size_t size)
{
	static const struct preagg_returns none;
	struct merge_item bare = {.key = item->key, .size = item->size};
	struct emit text;

	if (head->kind == MERGE_YAML) {
		describe_yaml(item, out, size);
		return;
	}
	emit_init(&text, NULL);
	if (head->kind == MERGE_FDATA)
		fdata_write_item(&bare, &text);
	else
		preagg_write_item(&bare, head->mode, &none, &text);
	/* Without the newline, and what is counted. */
	size_t length = text.used ? text.used - 1 : 0;
	while (length && text.at[length - 1] != ' ')
		length--;
	snprintf(out, size, "'%.*s...'", (int)(length < 200 ? length : 200), text.at);
	emit_free(&text);
}
