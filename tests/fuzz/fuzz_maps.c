/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Text of process maps is refused with its line, or becomes regions that ascend, do
 * not overlap, are found by their addresses, and are the same regions when they are
 * written and read again.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "src/addrspace/maps_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_regions(struct maps *maps)
{
	assert(maps_index(maps));
	for (size_t i = 0; i < maps->len; i++) {
		const struct region *r = &maps->at[i];
		assert(r->start < r->end);
		assert(!i || maps->at[i - 1].end <= r->start);
		assert(maps_find(maps, (struct run_addr){r->start}) == r);
		assert(maps_find(maps, (struct run_addr){r->end - 1}) == r);
		const struct region *next = i + 1 < maps->len && r[1].start == r->end ? r + 1 : NULL;
		assert(maps_find(maps, (struct run_addr){r->end}) == next);
	}
}

static char *write_all(const struct maps *maps, const struct strings *strings, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	assert(out);
	for (size_t i = 0; i < maps->len; i++)
		maps_text_write_region(&maps->at[i], strings, out);
	assert(!fclose(out));
	return text;
}

/* A path that begins or ends with blanks does not survive: columns are blanks. */
static bool is_plain(const struct maps *maps, const struct strings *strings)
{
	for (size_t i = 0; i < maps->len; i++) {
		struct text path = strings_at(strings, maps->at[i].path);
		if (path.len && (path.at[0] == ' ' || path.at[0] == '\t'))
			return false;
	}
	return true;
}

static void check_round_trip(const struct maps *maps, struct strings *strings)
{
	struct maps again = {0};
	struct bc_error err = {0};
	uint64_t number = 0;
	size_t size;
	char *text = write_all(maps, strings, &size);
	struct text rest = {text, size};

	if (is_plain(maps, strings)) {
		assert(maps_text_read(&rest, &number, strings, &again, &err));
		assert(again.len == maps->len);
		for (size_t i = 0; i < maps->len; i++)
			assert(region_equal(&again.at[i], &maps->at[i]));
	}
	maps_free(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text rest = {(const char *)data, size};
	struct strings strings = {0};
	struct maps maps = {0};
	struct maps_head head;
	struct bc_error err = {0};
	uint64_t number = 0;

	while (rest.len) {
		size_t len = text_find(rest, '\n');
		if (maps_head_parse(text_first(rest, len), &head)) {
			rest = text_from(rest, len + 1);
			number++;
		}
		if (!maps_text_read(&rest, &number, &strings, &maps, &err)) {
			assert(err.code == BC_FORMAT && !strncmp(err.text, "line ", 5));
			break;
		}
		check_regions(&maps);
		check_round_trip(&maps, &strings);
	}
	maps_free(&maps);
	strings_free(&strings);
	return 0;
}
