/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tables from files and from JSON: what is wrong is reported with its position. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/verify/table_json.h"
#include "src/elf/binary.h"
#include "tests/support/cmocka.h"

/* A note: owner BOLT, type 4, a descriptor of `size` bytes that its header calls `told`. */
static size_t put_note(uint8_t *out, uint32_t told, const void *desc, size_t size)
{
	static const uint8_t header[] = {5, 0, 0,   0,   0,   0,   0, 0, 4, 0,
					 0, 0, 'B', 'O', 'L', 'T', 0, 0, 0, 0};

	memcpy(out, header, sizeof(header));
	memcpy(out + 4, &told, sizeof(told)); /* both are little-endian */
	memcpy(out + sizeof(header), desc, size);
	return sizeof(header) + size;
}

static void a_note_of_another_size(void **state)
{
	uint8_t note[64];
	struct binary table;
	struct bc_error err;

	(void)state;
	for (uint32_t told = 0; told <= 16; told += 4) {
		size_t size = put_note(note, told, "\1\2\3\4\5\6\7", 8);
		assert_true(binary_map_bytes((struct bytes){note, size}, &table, &err));
		assert_int_equal(table.kind, BINARY_SECTION);
		if (binary_find_note(&table, &err)) {
			assert_int_equal(told, 8);
			assert_int_equal(table.desc.size, 8);
			continue;
		}
		assert_int_not_equal(told, 8);
		assert_int_equal(err.code, BC_FORMAT);
		assert_string_equal(err.text, "BAT note, byte 4: its size is not the file's");
	}
}

static void a_file_without_a_table(void **state)
{
	char path[] = "/tmp/batconv-table-XXXXXX";
	uint8_t note[64];
	struct binary table;
	struct bc_error err;

	(void)state;
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	size_t size = put_note(note, 8, "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
	assert_int_equal(write(fd, note, size), size);
	close(fd);
	assert_false(binary_open_table(path, &table, &err));
	assert_int_equal(err.code, BC_FORMAT);
	assert_non_null(strstr(err.text, ": BAT section: "));
	assert_memory_equal(err.text, path, strlen(path));
	unlink(path);
}

static bool read_json(const char *text, struct bat_table *out, struct bc_error *err)
{
	FILE *file = tmpfile();

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0 && !fflush(file));
	rewind(file);
	struct file_stream stream = {.name = "x", .fd = fileno(file)};
	bool ok = table_json_read(&stream, out, err);
	fclose(file);
	return ok;
}

#define FRAGMENTS(layout, text) "{\"layout\":\"" layout "\",\"fragments\":[" text "]}"
#define HOT(address, more)      "{\"address\":\"" address "\",\"entries\":[]" more "}"
#define ENTRIES(text)           FRAGMENTS("hashed", "{\"address\":\"0x1\",\"entries\":[" text "]}")
#define COLD(address, more)     HOT(address, ",\"part\":\"cold\"" more)

static const struct {
	const char *text, *wrong;
} refused[] = {
	{"[]", "byte 0: '{' expected"},
	{"{\"format\":\"other\"}", "byte 17: not a table of batconv dump"},
	{"{\"version\":2}", "byte 12: version 2 of the table: this batconv reads version 1"},
	{"{\"version\":0}", "byte 12: version 0 of the table: this batconv reads version 1"},
	{"{\"version\":1}", "byte 13: no \"layout\""},
	{"{\"layout\":7}", "byte 10: '\"' expected"},
	{"{\"layout\":\"other\"}", "byte 17: no such layout"},
	{"{\"layout\":\"hashed\",\"fragments\":7}", "byte 31: '[' expected"},
	{FRAGMENTS("hashed", "7"), "byte 32: '{' expected"},
	{FRAGMENTS("hashed", "{}"), "byte 34: a fragment without \"address\" and \"entries\""},
	{FRAGMENTS("hashed", "{\"address\""), "byte 42: ':' expected"},
	{FRAGMENTS("hashed", HOT("0x1", ",\"part\":7")), "byte 69: '\"' expected"},
	{FRAGMENTS("hashed", HOT("0x1", ",\"part\":\"warm\"")),
	 "byte 75: \"part\" is neither hot nor cold"},
	{FRAGMENTS("hashed", HOT("0x1", ",\"entry_points\":7")), "byte 77: '[' expected"},
	{FRAGMENTS("hashed", HOT("0x1", ",\"entry_points\":[\"a\"]")),
	 "byte 78: a whole number expected"},
	{FRAGMENTS("hashed", HOT("0x1", ",\"entry_points\":[4294967296]")),
	 "byte 88: 4294967296 is more than 4294967295"},
	{FRAGMENTS("hashed", HOT("0x1", ",\"entry_points\":[2],\"entry_points\":[2]")),
	 "byte 96: a fragment with two lists of \"entry_points\""},
	{FRAGMENTS("hashed", HOT("0x1", ",\"entries\":[]")),
	 "byte 72: a fragment with two lists of \"entries\""},
	{FRAGMENTS("hashed", HOT("0x1", ",\"blocks\":-1")), "byte 73: a whole number expected"},
	{FRAGMENTS("hashed", HOT("0x1", "") "," HOT("0x1", "")),
	 "byte 95: two fragments begin at 0x1"},
	{FRAGMENTS("hashed", COLD("0x1", ",\"parent\":\"0x2\"")),
	 "byte 93: the cold fragment at 0x1 has no parent"},
	{FRAGMENTS("fixed", HOT("0x1", "") "," COLD("0x1", ",\"parent\":\"0x1\"")),
	 "byte 123: two fragments begin at 0x1"},
	{FRAGMENTS("hashed", "{\"address\":\"0x1\",\"entries\":7}"), "byte 59: '[' expected"},
	{ENTRIES("7"), "byte 60: '{' expected"},
	{ENTRIES("{}"), "byte 62: an entry without \"output\" and \"input\""},
	{ENTRIES("{\"output\":1}"), "byte 72: an entry without \"output\" and \"input\""},
	{ENTRIES("{\"output\":1,"), "byte 72: '\"' expected"},
	{ENTRIES("{\"output\":1,\"input\":2147483648}"),
	 "byte 90: 2147483648 is more than 2147483647"},
	{ENTRIES("{\"output\":1,\"input\":1,\"branch\":2}"), "byte 91: true or false expected"},
	{ENTRIES("{\"output\":4,\"input\":1},{\"output\":3,\"input\":1}"),
	 "byte 105: the entry's output offset 3 is below the one before it"},
};

static void wrong_json(void **state)
{
	struct bat_table table;
	struct bc_error err = {0};
	char told[128];

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		if (read_json(refused[i].text, &table, &err))
			fail_msg("row %zu was read", i);
		assert_int_equal(err.code, BC_FORMAT);
		snprintf(told, sizeof(told), "x: JSON, %s", refused[i].wrong);
		assert_string_equal(err.text, told);
	}
}

/* Unknown members, of every object, are passed over. */
static void unknown_members(void **state)
{
	static const char text[] =
		"{\"more\":[{\"a\":[1]}],\"layout\":\"hashed\",\"fragments\":["
		"{\"address\":\"0x20\",\"more\":{},\"part\":\"cold\",\"parent\":\"0x10\",\"hot_index\":7,\"entries\":[]},"
		"{\"address\":\"0x10\",\"hash\":\"0xab\",\"blocks\":2,\"entry_points\":[4],\"entries\":["
		"{\"output\":0,\"input\":0,\"more\":null,\"hash\":\"0xcd\",\"block\":1},"
		"{\"output\":3,\"input\":5,\"branch\":true}]}]}";
	struct bat_table table;
	struct bc_error err;

	(void)state;
	if (!read_json(text, &table, &err))
		fail_msg("%s", err.text);
	assert_int_equal(table.fragment_count, 2);
	assert_int_equal(table.hot_count, 1);
	assert_int_equal(table.fragments[0].address, 0x10);
	assert_int_equal(table.fragments[0].hash, 0xab);
	assert_int_equal(table.fragments[0].entry_count, 2);
	assert_int_equal(table.entries[1].input, 5 << 1 | 1);
	assert_int_equal(table.blocks[0].hash, 0xcd);
	assert_int_equal(table.blocks[1].hash, 0);
	assert_int_equal(table.secondary[0], 4);
	assert_int_equal(table.fragments[1].parent, 0);
	assert_int_equal(table.fragments[1].stored_hot, 7);
	bat_free(&table);
}

/* An empty hot fragment can begin where a cold one does, in layouts that distinguish them. */
static void hot_and_cold_at_one_address(void **state)
{
	static const char text[] = FRAGMENTS(
		"hashed", COLD("0x10", ",\"parent\":\"0x10\"") "," HOT("0x10", "") "," COLD(
				  "0x20", ",\"parent\":\"0x20\",\"hot_index\":3"));
	struct bat_table table;
	struct bc_error err;

	(void)state;
	if (!read_json(text, &table, &err))
		fail_msg("%s", err.text);
	assert_false(table.fragments[0].cold);
	assert_true(table.fragments[1].cold);
	assert_int_equal(table.fragments[1].parent, 0);
	assert_int_equal(table.fragments[2].parent, BAT_NO_PARENT); /* what begins there is cold */
	bat_free(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_note_of_another_size),
		cmocka_unit_test(a_file_without_a_table),
		cmocka_unit_test(wrong_json),
		cmocka_unit_test(unknown_members),
		cmocka_unit_test(hot_and_cold_at_one_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
