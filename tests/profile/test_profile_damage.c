/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every byte of a real BAT section changed, the section and the file cut
 * everywhere: refused with an error, or converted with everything in balance. */
#include <stdlib.h>
#include <string.h>

#include "src/elf/binary.h"
#include "tests/support/cmocka.h"
#include "tests/support/convert_all.h"

#define BINARY BATCONV_DATA_DIR "riscv64/sorts.b22"

static struct file_map original;
static uint8_t *copy;
static size_t desc_at, desc_size, note_size_at;

/* Returns whether it was accepted. */
static bool try_copy(size_t size)
{
	static const struct aggregate_options options = {.mode = MODE_AUTO, .erratum = true};
	static const struct image_match_options match = {.binary_path = "sorts"};
	struct binary binary;
	struct aggregate aggregate;
	struct bc_error err = {0};

	if (!binary_open_bytes((struct bytes){copy, size}, &binary, &err)) {
		error_check(&err);
		return false;
	}
	assert_true(aggregate_init(&aggregate, &binary.image, &options, &match, &err));
	convert_sweep(&aggregate, &binary);
	convert_check(&aggregate, &binary, 1);
	binary_close(&binary);
	return true;
}

static int setup(void **state)
{
	struct bc_error err = {0};
	struct image image;
	struct bytes desc;

	(void)state;
	assert_true(file_map(BINARY, &original, &err));
	copy = malloc(original.size);
	assert_non_null(copy);
	memcpy(copy, original.data, original.size);
	assert_true(image_open((struct bytes){copy, original.size}, &image, &err));
	assert_true(image_bat_note(&image, &desc, &err));
	desc_at = (size_t)(desc.data - copy);
	desc_size = desc.size;
	note_size_at = desc_at - 16; /* namesz, descsz, type, name of 8 */
	image_close(&image);
	assert_true(try_copy(original.size));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(copy);
	file_unmap(&original);
	return 0;
}

static void every_byte(void **state)
{
	static const uint8_t flips[] = {0x01, 0x80, 0xff};
	size_t accepted = 0;

	(void)state;
	for (size_t at = desc_at - 20; at < desc_at + desc_size; at++) {
		for (size_t f = 0; f < BC_COUNT(flips); f++) {
			copy[at] = original.data[at] ^ flips[f];
			accepted += try_copy(original.size);
		}
		copy[at] = original.data[at];
	}
	/* Hashes say nothing about addresses: not all damage can be seen. */
	assert_in_range(accepted, 1, 3 * desc_size);
}

/* A note that says it is shorter: no prefix of a table is a table. */
static void every_length(void **state)
{
	(void)state;
	for (size_t size = 0; size < desc_size; size++) {
		copy[note_size_at] = (uint8_t)size;
		copy[note_size_at + 1] = (uint8_t)(size >> 8);
		assert_false(try_copy(original.size));
	}
	memcpy(copy + note_size_at, original.data + note_size_at, 4);
}

static void every_file_size(void **state)
{
	(void)state;
	for (size_t size = 0; size < original.size; size += size < 0x400 ? 1 : 61)
		assert_false(try_copy(size));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_byte),
		cmocka_unit_test(every_length),
		cmocka_unit_test(every_file_size),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
