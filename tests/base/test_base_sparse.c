/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the head of a side file claims, which versions are read, and that damage is noticed. */
#include "src/base/sparse.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "tests/support/cmocka.h"

/* A file of this size, of which `count` parts hold something, of which there is no table. */
static size_t put_head(uint8_t *out, uint64_t large, uint64_t count)
{
	memcpy(out, "BATCONV-SPARSE1\n", 16);
	for (unsigned i = 0; i < 8; i++) {
		out[16 + i] = (uint8_t)(large >> 8 * i);
		out[24 + i] = (uint8_t)(count >> 8 * i);
	}
	return 32;
}

static void sizes_that_no_file_has(void **state)
{
	static const uint64_t rows[][2] = {{0, 0},          {0, 1},
					   {UINT64_MAX, 0}, {UINT64_C(1) << 63, 0},
					   {4096, 1},       {4096, UINT64_MAX}};
	uint8_t head[32];

	(void)state;
	for (size_t i = 0; i < BC_COUNT(rows); i++) {
		struct file_map map;
		struct bc_error err = {0};
		size_t size = put_head(head, rows[i][0], rows[i][1]);
		assert_true(sparse_is(head, size));
		assert_false(sparse_map(head, size, &map, &err));
		assert_int_equal(err.code, BC_FORMAT);
		assert_non_null(strstr(err.text, "the table of parts is damaged"));
	}
}

#define FRAME_HEADER 18 /* of zstd, at most */

static const char content[] = "the code of a program, and what is left out of it";
static const struct sparse_part parts[] = {{0, 8}, {20, 30}};

static uint8_t *make(size_t *size)
{
	struct file_map large = {.data = (const uint8_t *)content,
				 .size = sizeof(content),
				 .digest = {.size = 32, .data = "digest"}};
	struct bc_error err;
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	assert_non_null(out);
	assert_true(sparse_write(&large, parts, BC_COUNT(parts), out, &err));
	assert_int_equal(fclose(out), 0);
	return (uint8_t *)text;
}

static void check_content(const struct file_map *map)
{
	assert_int_equal(map->size, sizeof(content));
	assert_memory_equal(map->data, content, 8);
	assert_int_equal(map->data[10], 0);
	assert_memory_equal(map->data + 20, content + 20, 30);
}

static void the_digest_comes_back(void **state)
{
	struct file_map map;
	struct bc_error err;
	size_t size;
	uint8_t *file = make(&size);

	(void)state;
	assert_true(sparse_map(file, size, &map, &err));
	check_content(&map);
	assert_int_equal(map.digest.size, 32);
	assert_string_equal((const char *)map.digest.data, "digest");
	file_unmap(&map);
	free(file);
}

static void every_cut_and_wrong_byte_is_noticed(void **state)
{
	const size_t frame = 32 + 16 * BC_COUNT(parts);
	struct file_map map;
	struct bc_error err;
	size_t size;
	uint8_t *file = make(&size);

	(void)state;
	for (size_t i = 14; i < size; i++) {
		assert_false(sparse_map(file, i, &map, &err));
		assert_int_equal(err.code, BC_FORMAT);
	}
	for (size_t i = frame; i < size; i++) {
		file[i] ^= 0x10; /* zstd does not look at each bit of its header */
		bool same = sparse_map(file, size, &map, &err);
		assert_true(!same || i < frame + FRAME_HEADER);
		if (same) {
			check_content(&map);
			assert_string_equal((const char *)map.digest.data, "digest");
			file_unmap(&map);
		}
		file[i] ^= 0x10;
	}
	file = realloc(file, size + 1);
	assert_non_null(file);
	file[size] = 0;
	assert_false(sparse_map(file, size + 1, &map, &err));
	free(file);
}

/* As version 1 had it: no digest, no checksum. */
static void version_1_is_read(void **state)
{
	uint8_t file[256];
	size_t at = put_head(file, sizeof(content), BC_COUNT(parts));
	char bytes[38];
	struct file_map map;
	struct bc_error err;

	(void)state;
	memcpy(bytes, content, 8);
	memcpy(bytes + 8, content + 20, 30);
	for (size_t i = 0; i < BC_COUNT(parts); i++, at += 16) {
		memset(file + at, 0, 16);
		file[at] = (uint8_t)parts[i].offset;
		file[at + 8] = (uint8_t)parts[i].size;
	}
	at += ZSTD_compress(file + at, sizeof(file) - at, bytes, sizeof(bytes), 1);
	assert_true(sparse_map(file, at, &map, &err));
	check_content(&map);
	assert_int_equal(map.digest.size, 0);
	file_unmap(&map);
}

static void a_later_version_is_refused_with_its_number(void **state)
{
	struct file_map map;
	struct bc_error err;
	uint8_t head[32];

	(void)state;
	put_head(head, 4096, 1);
	head[14] = '3';
	assert_true(sparse_is(head, sizeof(head)));
	assert_false(sparse_map(head, sizeof(head), &map, &err));
	assert_int_equal(err.code, BC_UNSUPPORTED);
	assert_non_null(strstr(err.text, "its version is 3, and this batconv reads 1 and 2"));
	head[14] = 'x';
	assert_false(sparse_map(head, sizeof(head), &map, &err));
	assert_int_equal(err.code, BC_FORMAT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_that_no_file_has),
		cmocka_unit_test(the_digest_comes_back),
		cmocka_unit_test(every_cut_and_wrong_byte_is_noticed),
		cmocka_unit_test(version_1_is_read),
		cmocka_unit_test(a_later_version_is_refused_with_its_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
