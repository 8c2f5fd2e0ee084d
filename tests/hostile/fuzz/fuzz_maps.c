/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Text of process maps is refused with its line, or becomes mappings that ascend, do
 * not overlap, are found by their addresses, and are the same mappings when they are
 * written and read again.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "src/samples/maps_text.h"
#include "tests/hostile/fuzz/support/check_snapshots.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *write_all(const struct maps *maps, const struct mapped_files *files, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	assert(out);
	for (size_t i = 0; i < maps->len; i++)
		maps_text_write_mapping(&maps->at[i], files, out);
	assert(!fclose(out));
	return text;
}

/* A path that begins or ends with blanks does not survive: columns are blanks. */
static bool is_plain(const struct maps *maps, const struct mapped_files *files)
{
	for (size_t i = 0; i < maps->len; i++) {
		struct text path = mapped_files_path(files, maps->at[i].file);
		if (path.len && (path.at[0] == ' ' || path.at[0] == '\t'))
			return false;
	}
	return true;
}

static void check_round_trip(const struct maps *maps, struct mapped_files *files)
{
	struct map_set *again = NULL;
	struct maps read;
	struct bc_error err = {0};
	uint64_t number = 0;
	size_t size;
	char *text = write_all(maps, files, &size);
	struct text rest = {text, size};

	if (is_plain(maps, files)) {
		assert(maps_text_read(&rest, &number, files, &again, &err) &&
		       maps_of(again, &read));
		assert(read.len == maps->len);
		assert(!memcmp(read.at, maps->at, maps->len * sizeof(*maps->at)));
		maps_free(&read);
	}
	map_set_release(again);
	free(text);
}

/* One map of the text.  False: no more. */
static bool check_map(struct text *rest, uint64_t *number, struct mapped_files *files)
{
	struct map_set *set = NULL;
	struct bc_error err = {0};
	struct maps maps;
	bool ok = maps_text_read(rest, number, files, &set, &err);

	if (ok) {
		assert(maps_of(set, &maps));
		check_mappings(&maps);
		check_round_trip(&maps, files);
		maps_free(&maps);
	} else {
		assert(err.code == BC_FORMAT && !strncmp(err.text, "line ", 5));
	}
	map_set_release(set);
	return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text rest = {(const char *)data, size};
	struct mapped_files files = {0};
	struct maps_head head;
	uint64_t number = 0;

	while (rest.len) {
		size_t len = text_find(rest, '\n');
		if (maps_head_parse(text_first(rest, len), &head)) {
			rest = text_from(rest, len + 1);
			number++;
		}
		if (!check_map(&rest, &number, &files))
			break;
	}
	mapped_files_free(&files);
	return 0;
}
