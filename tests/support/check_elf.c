/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/support/check_elf.h"

#include <stdio.h>
#include <stdlib.h>

#include "src/isa/insn.h"
#include "src/elf/functions.h"

#define REQUIRE(condition)                                                                         \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);    \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/* Each function is compared with all others only in files with at most so many. */
#define MOST_SEARCHES 200

static bool is_honest(const struct bc_error *err, bool may_be_absent)
{
	bool known = err->code == BC_FORMAT || err->code == BC_UNSUPPORTED ||
		     err->code == BC_NOMEM || (may_be_absent && err->code == BC_NOTFOUND);

	return known && err->text[0];
}

static void check_segments(const struct image *image)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct segment *s = &image->segments[i];
		struct file_off offset, again;
		struct vaddr at;
		REQUIRE(!i || s->vaddr >= s[-1].vaddr + s[-1].memsz);
		if (!s->filesz)
			continue;
		REQUIRE(image_to_offset(image, (struct vaddr){s->vaddr}, &offset));
		REQUIRE(offset.v == s->offset);
		REQUIRE(image_to_vaddr(image, offset, &at));
		REQUIRE(image_to_offset(image, at, &again) && again.v == offset.v);
		struct bytes rest = image_bytes_at(image, (struct vaddr){s->vaddr});
		REQUIRE(rest.size == s->filesz && rest.data == image->file.data + s->offset);
		REQUIRE(!image_to_offset(image, (struct vaddr){s->vaddr + s->filesz}, &offset) ||
			offset.v != s->offset + s->filesz || s->filesz != s->memsz);
	}
}

static const struct function *search(const struct function_table *table, uint64_t at)
{
	for (size_t i = 0; i < table->count; i++)
		if (at - table->at[i].address < function_extent(table, &table->at[i]))
			return &table->at[i];
	return NULL;
}

static void check_find(const struct function_table *table, uint64_t at)
{
	REQUIRE(functions_find(table, (struct vaddr){at}) == search(table, at));
}

static void check_functions(const struct image *image, const struct function_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct function *f = &table->at[i];
		REQUIRE(f->section < image->section_count);
		const struct section *s = &image->sections[f->section];
		REQUIRE(f->address - s->addr < s->size);
		REQUIRE(f->extent <= s->addr + s->size - f->address);
		REQUIRE(f->size <= f->extent && f->extent);
		REQUIRE(!i || f->address >= f[-1].address + f[-1].extent);
		REQUIRE(f->primary[0] && f->printed[0]);
		if (i < MOST_SEARCHES) {
			check_find(table, f->address - 1);
			check_find(table, f->address);
			check_find(table, f->address + f->extent - 1);
			check_find(table, f->address + f->extent);
		}
		(void)insn_decode(image->machine, image_bytes_at(image, (struct vaddr){f->address}),
				  f->address);
	}
	for (size_t i = 1; i < table->symbols.count; i++)
		REQUIRE(table->symbols.at[i - 1].address <= table->symbols.at[i].address);
}

bool check_elf(struct bytes file)
{
	struct image image = {0};
	struct function_table table = {0};
	struct bc_error err = {0};
	struct bytes desc;

	if (!image_open(file, &image, &err)) {
		REQUIRE(is_honest(&err, false));
		return false;
	}
	check_segments(&image);
	if (image_bat_note(&image, &desc, &err))
		REQUIRE(desc.data >= file.data && desc.size <= file.size &&
			(size_t)(desc.data - file.data) <= file.size - desc.size);
	else
		REQUIRE(is_honest(&err, true));
	bool done = functions_build(&image, NUMBERS_BY_ADDRESS, &table, &err);
	if (done)
		check_functions(&image, &table);
	else
		REQUIRE(is_honest(&err, false));
	functions_free(&table);
	image_close(&image);
	return done;
}
