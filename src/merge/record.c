/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/merge/record.h"

#include <inttypes.h>

#include "src/profile/fdata.h"
#include "src/merge/yaml_items.h"

static bool write_fdata_head(const struct profile_head *head, struct emit *out)
{
	struct text *events = profile_set_sorted(&head->events);

	if (events)
		fdata_write_head(head->mode == MODE_PLAIN, head->bolted, events, profile_set_size(&head->events), out);
	free(events);
	return events;
}

static void write_fdata(const struct profile_item *item, struct emit *out)
{
	struct fdata_line line = fdata_of_item(item);

	fdata_write(&line, out);
}

static bool write_preagg_head(const struct profile_head *head, struct emit *out)
{
	struct text *events = profile_set_sorted(&head->events);

	for (size_t i = 0; events && i < profile_set_size(&head->events); i++)
		preagg_write_event(events[i], out);
	free(events);
	return events;
}

static void write_preagg(const struct profile_item *item, enum profile_mode mode, const struct preagg_returns *returns, struct emit *out)
{
	struct preagg_record record = preagg_of_item(item, mode, returns);

	preagg_write(&record, out);
}

bool record_begin(struct record_writer *writer, const struct profile_head *head, const struct preagg_returns *returns,
		  struct yaml_names *names, FILE *file)
{
	writer->head = head;
	writer->returns = returns;
	emit_init(&writer->out, file);
	writer->yaml = (struct yaml_output){.out = &writer->out, .names = names};
	switch (head->kind) {
	case KIND_FDATA: return write_fdata_head(head, &writer->out);
	case KIND_PREAGG: return write_preagg_head(head, &writer->out);
	case KIND_YAML: return yaml_output_head(&writer->yaml, head);
	case KIND_NOTHING: break;
	}
	return true;
}

void record_put(struct record_writer *writer, const struct profile_item *item)
{
	switch (writer->head->kind) {
	case KIND_FDATA: write_fdata(item, &writer->out); break;
	case KIND_PREAGG: write_preagg(item, writer->head->mode, writer->returns, &writer->out); break;
	case KIND_YAML: yaml_output_item(&writer->yaml, item); break;
	case KIND_NOTHING: break;
	}
}

bool record_end(struct record_writer *writer)
{
	bool ok = writer->head->kind != KIND_YAML || yaml_output_end(&writer->yaml, writer->head);

	emit_flush(&writer->out);
	return ok;
}

/* Functions and blocks of YAML. */
bool record_is_more(enum profile_kind kind, const struct profile_item *item)
{
	struct key_parts key = key_parts(item);

	if (kind != KIND_YAML)
		return false;
	key_take_name(&key);
	if (key_take_byte(&key) == YAML_FUNCTION)
		return true;
	key_take_number(&key);
	return key_take_byte(&key) == BLOCK_ITSELF;
}

static void describe_yaml(const struct profile_item *item, char *out, size_t size)
{
	struct key_parts key = key_parts(item);
	struct text name = key_take_name(&key);

	if (key_take_byte(&key) == YAML_FUNCTION)
		snprintf(out, size, "function '%.200s'", name.at);
	else
		snprintf(out, size, "function '%.200s', block %" PRIu64, name.at, key_take_number(&key));
}

void record_describe(const struct profile_head *head, const struct profile_item *item, char *out, size_t size)
{
	static const struct preagg_returns none;
	struct profile_item bare = {.key = item->key, .size = item->size};
	struct emit text;

	if (head->kind == KIND_YAML) {
		describe_yaml(item, out, size);
		return;
	}
	emit_init(&text, NULL);
	if (head->kind == KIND_FDATA)
		write_fdata(&bare, &text);
	else
		write_preagg(&bare, head->mode, &none, &text);
	/* Without the newline, and what is counted. */
	size_t length = text.used ? text.used - 1 : 0;
	while (length && text.at[length - 1] != ' ')
		length--;
	snprintf(out, size, "'%.*s...'", (int)(length < 200 ? length : 200), text.at);
	emit_free(&text);
}
