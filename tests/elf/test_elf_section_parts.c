/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which section an address belongs to, compared with a look at each section in turn. */
#include <elf.h>
#include <stdlib.h>

#include "src/elf/image.h"
#include "tests/support/cmocka.h"

enum { MOST = 12, SPAN = 40 };

static uint32_t seed = 1;

static uint32_t below(uint32_t limit)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % limit;
}

static const struct section *in_turn(const struct image *image, uint64_t at)
{
	for (size_t i = 0; i < image->section_count; i++) {
		const struct section *s = &image->sections[i];
		bool no_memory = s->type == SHT_NOBITS && s->flags & SHF_TLS;
		if (s->flags & SHF_ALLOC && !no_memory && at - s->addr < s->size)
			return s;
	}
	return NULL;
}

/* Sections over each other, in each other, empty ones, some that have no address. */
static void any_sections(void **state)
{
	static const uint64_t bases[] = {0, 0x401000, UINT64_MAX - SPAN};

	(void)state;
	for (int round = 0; round < 3000; round++) {
		struct section sections[MOST] = {{.type = 0}};
		struct image image = {.sections = sections, .section_count = below(MOST)};
		uint64_t base = bases[round % 3];
		for (size_t i = 0; i < image.section_count; i++) {
			uint32_t start = below(SPAN);
			sections[i] = (struct section){.type = below(8) ? SHT_PROGBITS : SHT_NOBITS,
						       .flags = (below(5) ? SHF_ALLOC : 0) |
								(below(2) ? SHF_TLS : 0),
						       .addr = base + start,
						       .size = below(SPAN - start + 1)};
		}
		assert_true(section_parts_find(&image));
		for (uint64_t at = 0; at < SPAN; at++)
			assert_ptr_equal(image_section_at(&image, (struct vaddr){base + at}),
					 in_turn(&image, base + at));
		assert_ptr_equal(image_section_at(&image, (struct vaddr){base - 1}),
				 in_turn(&image, base - 1));
		free(image.parts);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_sections),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
