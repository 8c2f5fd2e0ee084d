/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/sections.h"

#include "src/figures/part.h"

static void write_section(struct json *json, const struct heat_section *section, const struct heat_section *touched)
{
	json_open(json, NULL, '{');
	json_text(json, "name", section->name);
	json_based(json, "begin", section->begin);
	json_based(json, "end", section->end);
	json_number(json, "bytes_run", section->hits);
	if (touched)
		json_number(json, "touched", touched->touched);
	json_close(json, '}');
}

static bool write_all(struct json *json, const struct heat_sections *sections, const struct heat_sections *touched, size_t room)
{
	struct page_part part = {.room = room, .base = json->base};
	bool ok = true, added = true;

	for (size_t i = 0; ok && added && i < sections->at.len; i++) {
		ok = part_begin(&part);
		if (ok) {
			write_section(&part.json, &sections->at.at[i], touched ? &touched->at.at[i] : NULL);
			ok = part_end(&part, 0, json, &added);
		}
	}
	return ok;
}

bool sections_write(struct json *json, const char *key, const struct heat *bytes, const struct heat *cells,
		    const struct function_table *functions, size_t room)
{
	BC_AUTO(heat_sections_free) struct heat_sections sections = {0};
	BC_AUTO(heat_sections_free) struct heat_sections touched = {0};

	if (!heat_sections_take(bytes, functions, &sections) || (cells && !heat_sections_take(cells, functions, &touched)))
		return false;
	json_open(json, key, '[');
	bool ok = write_all(json, &sections, cells ? &touched : NULL, room);
	json_close(json, ']');
	return ok;
}
