/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Branches into the middle of other functions: wherever the function is, and however many threads
 * look. */
#include "src/code/labels.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/tiny_binary.h"

static void put_call(uint8_t *code, uint64_t base, uint64_t from, uint64_t to)
{
	uint32_t distance = (uint32_t)(to - (from + 5));
	uint8_t *at = code + (from - base);

	*at = 0xe8;
	memcpy(at + 1, &distance, sizeof(distance)); /* x86-64 is what runs this */
}

static void assert_labels(const struct function_table *functions, const struct image *image,
			  const uint32_t *at, size_t count, unsigned threads,
			  const uint64_t *expected, size_t expected_count)
{
	const struct chosen chosen = {image, functions, at, count};
	struct label_vec found = {0};
	struct decoder decoder;

	decoder_open(MACHINE_X86_64, &decoder);
	assert_true(labels_of_references(&chosen, &decoder, threads, &found));
	labels_sort(&found);
	assert_int_equal(found.len, expected_count);
	for (size_t i = 0; i < expected_count; i++) {
		assert_int_equal(found.at[i].address, expected[i]);
		assert_int_equal(found.at[i].kind, LABEL_ENTRY);
	}
	label_vec_free(&found);
	decoder_close(&decoder);
}

/* Functions of 0x80 bytes, 0x100 from each other.  What leads to the beginning of a function, into
 * a gap, into itself or into one that is not chosen gives none. */
static void of_every_function(void **state)
{
	static const uint32_t all[] = {0, 1, 2, 3, 4, 5}, some[] = {1, 4};
	struct section section = {.type = SHT_PROGBITS,
				  .flags = SHF_ALLOC | SHF_EXECINSTR,
				  .addr = TINY_BASE,
				  .size = TINY_SIZE};
	struct tiny_binary tiny;

	(void)state;
	tiny_binary_init(&tiny);
	tiny.binary.image.sections = &section;
	tiny.binary.image.section_count = 1;
	put_call(tiny.code, TINY_BASE, 0x1000, 0x1130);
	put_call(tiny.code, TINY_BASE, 0x1110, 0x107f);
	put_call(tiny.code, TINY_BASE, 0x1120, 0x1410);
	put_call(tiny.code, TINY_BASE, 0x1140, 0x1150); /* its own */
	put_call(tiny.code, TINY_BASE, 0x1310, 0x1400); /* a beginning */
	put_call(tiny.code, TINY_BASE, 0x1320, 0x1480); /* after `other` */
	put_call(tiny.code, TINY_BASE, 0x1410, 0x1520);
	assert_labels(&tiny.binary.functions, &tiny.binary.image, all, BC_COUNT(all), 1,
		      (const uint64_t[]){0x107f, 0x1130, 0x1410, 0x1520}, 4);
	assert_labels(&tiny.binary.functions, &tiny.binary.image, some, BC_COUNT(some), 1,
		      (const uint64_t[]){0x1130, 0x1410}, 2);
	tiny_binary_fini(&tiny);
}

#define EACH    (UINT64_C(1) << 20)
#define CALLERS 8

/* One function of a page, and eight of a MB, each of which begins with a call into it: more threads
 * than one have something to find. */
static void by_several_threads(void **state)
{
	static struct function functions[1 + CALLERS];
	struct function_table table = {.at = functions, .count = BC_COUNT(functions)};
	struct section section = {.type = SHT_PROGBITS,
				  .flags = SHF_ALLOC | SHF_EXECINSTR,
				  .addr = 0x1000,
				  .size = CALLERS * EACH + 0x1000};
	struct segment segment = {.vaddr = 0x1000,
				  .memsz = section.size,
				  .filesz = section.size,
				  .align = 0x1000,
				  .executable = true};
	uint8_t *code = malloc(section.size);
	struct image image = {.file = {code, section.size},
			      .machine = MACHINE_X86_64,
			      .segments = &segment,
			      .segment_count = 1,
			      .sections = &section,
			      .section_count = 1};
	uint64_t expected[CALLERS];

	(void)state;
	assert_non_null(code);
	memset(code, 0x90, section.size);
	functions[0] = (struct function){.address = 0x1000,
					 .size = 0x1000,
					 .extent = 0x1000,
					 .primary = "f",
					 .printed = "f"};
	for (uint64_t i = 0; i < CALLERS; i++) {
		uint64_t at = 0x2000 + i * EACH;
		functions[1 + i] = (struct function){.address = at,
						     .size = EACH,
						     .extent = EACH,
						     .primary = "g",
						     .printed = "g"};
		expected[i] = 0x1801 + i;
		put_call(code, 0x1000, at, expected[i]);
	}
	assert_true(functions_index(&table));
	for (unsigned threads = 1; threads <= CALLERS; threads *= 2)
		assert_labels(&table, &image, (const uint32_t[]){0}, 1, threads, expected, CALLERS);
	free(table.index.below);
	free(code);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_every_function),
		cmocka_unit_test(by_several_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
