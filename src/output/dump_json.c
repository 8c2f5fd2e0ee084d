/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/output/dump.h"
#include "src/output/json.h"

/* Names are for people: encode ignores them. */
static void write_names(struct json *json, const struct dump *dump, uint32_t i)
{
	const struct function *f = binary_fragment_function(dump->subject, i);

	json_string(json, "function", dump_name(dump, i));
	if (!f)
		return;
	json_string(json, "symbol", f->printed);
	json_number(json, "size", f->size);
}

static void write_hot(struct json *json, const struct bat_table *bat, const struct bat_fragment *f)
{
	if (bat->layout != BAT_HASHED)
		return;
	json_hex_string(json, "hash", f->hash);
	json_number(json, "blocks", f->block_count);
	json_open(json, "entry_points", '[');
	for (uint32_t i = 0; i < f->secondary_count; i++)
		json_number(json, NULL, bat->secondary[f->first_secondary + i]);
	json_close(json, ']');
}

static void write_cold(struct json *json, const struct bat_table *bat, const struct bat_fragment *f)
{
	if (f->parent == BAT_NO_PARENT)
		json_null(json, "parent");
	else
		json_hex_string(json, "parent", bat->fragments[f->parent].address);
	if (bat->layout == BAT_FIXED)
		json_hex_string(json, "hot_address", f->stored_hot);
	else
		json_number(json, "hot_index", f->stored_hot);
}

static void write_entry(struct json *json, const struct bat_table *bat, uint32_t index)
{
	struct bat_entry e = bat->entries[index];

	json_open(json, NULL, '{');
	json_number(json, "output", e.output);
	json_number(json, "input", bat_entry_input(e));
	json_bool(json, "branch", bat_entry_is_branch(e));
	if (bat->blocks && !bat_entry_is_branch(e)) {
		json_hex_string(json, "hash", bat->blocks[index].hash);
		json_number(json, "block", bat->blocks[index].index);
	}
	json_close(json, '}');
}

static void write_fragment(struct json *json, const struct dump *dump, uint32_t i)
{
	const struct bat_table *bat = &dump->subject->bat;
	const struct bat_fragment *f = &bat->fragments[i];

	json_open(json, NULL, '{');
	json_hex_string(json, "address", f->address);
	json_string(json, "part", f->cold ? "cold" : "hot");
	write_names(json, dump, i);
	if (f->cold)
		write_cold(json, bat, f);
	else
		write_hot(json, bat, f);
	json_open(json, "entries", '[');
	for (uint32_t k = 0; k < f->entry_count; k++)
		write_entry(json, bat, f->first_entry + k);
	json_close(json, ']');
	json_close(json, '}');
	putc('\n', json->out);
}

void dump_json(const struct dump *dump, FILE *out)
{
	const struct bat_table *bat = &dump->subject->bat;
	struct json json = {.out = out};

	json_open(&json, NULL, '{');
	json_string(&json, "format", "batconv-bat");
	json_number(&json, "version", 1);
	json_string(&json, "layout", bat_layout_name(bat->layout));
	json_open(&json, "fragments", '[');
	for (uint32_t i = 0; i < bat->fragment_count; i++)
		if (dump_shows(dump, i))
			write_fragment(&json, dump, i);
	json_close(&json, ']');
	json_close(&json, '}');
	putc('\n', out);
}
