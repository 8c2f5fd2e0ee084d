/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Any bytes as .eh_frame, as .debug_frame and as exception tables: rows of an FDE begin at its
 * beginning, ascend and stay in it, rules of a row ascend by register; evaluating twice gives the
 * same; an FDE read at its byte is the one read in turn; what reading takes is bounded; call sites
 * have a list of actions of bounded length.
 *
 * The first byte chooses the machine, the second how much of the rest is .eh_frame.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <elf.h>
#include <string.h>

#include "src/verify/cfi.h"
#include "src/elf/eh_frame.h"

#define BASE 0x1000u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_rows(const struct cfi_table *table, const struct cfi_fde *fde)
{
	struct cfi_rows rows = {.rows = {0}};
	const char *bad = cfi_rows_append(table, fde, &rows);
	size_t count = rows.rows.len;

	assert(bad != CFI_NOMEM);
	for (size_t i = 0; i < count; i++) {
		const struct cfi_row *row = &rows.rows.at[i];
		assert(i ? row->from > row[-1].from : row->from == fde->code.address);
		assert(row->from - fde->code.address < fde->code.size);
		assert(row->first + (size_t)row->count <= rows.rules.len);
		for (uint32_t k = 1; k < row->count; k++)
			assert(rows.rules.at[row->first + k].reg >
			       rows.rules.at[row->first + k - 1].reg);
		assert(i == 0 || row->args_size != row[-1].args_size ||
		       !cfi_same_row(row, rows.rules.at, row - 1, rows.rules.at));
		char text[64];
		cfi_rule_text(table->machine, &row->cfa, true, text, sizeof(text));
	}
	const char *again = cfi_rows_append(table, fde, &rows);
	if (again != CFI_TOO_MUCH) {
		assert(again == bad && rows.rows.len == 2 * count);
		for (size_t i = 0; i < count; i++)
			assert(cfi_same_row(&rows.rows.at[i], rows.rules.at,
					    &rows.rows.at[count + i], rows.rules.at));
	}
	cfi_rows_free(&rows);
}

static void check_lsda(const struct image *image, const struct cfi_fde *fde)
{
	struct lsda lsda;
	uint64_t words[16];
	const char *bad;

	if (!fde->lsda)
		return;
	if (lsda_read(image, fde->lsda, fde->code.address, &lsda))
		for (size_t i = 0; i < lsda.sites.len; i++)
			assert(lsda_actions(image, &lsda, lsda.sites.at[i].action, words, 16,
					    &bad) <= 16);
	lsda_free(&lsda);
}

static void check_section(const struct image *image, struct eh_frame section)
{
	struct cfi_table table;
	struct bc_error err;
	bool whole = cfi_table_read(image, section, &table, &err);

	assert(whole || err.code == BC_FORMAT);
	for (size_t i = 0; i < table.fdes.len; i++) {
		const struct cfi_fde *fde = &table.fdes.at[i];
		struct eh_frame_fde at;
		assert(i == 0 || fde->code.address >= fde[-1].code.address);
		assert(eh_frame_at(&section, fde->at, &at));
		assert(at.code.address == fde->code.address && at.code.size == fde->code.size);
		check_rows(&table, fde);
		check_lsda(image, fde);
		const struct cfi_fde *found = cfi_table_find(&table, fde->code.address);
		assert(!fde->code.size || !found || found->code.address == fde->code.address);
	}
	cfi_table_free(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct work work;

	if (size < 4 || size > 1 << 16)
		return 0;
	struct bytes file = {data + 2, size - 2};
	uint64_t frames = file.size * (data[1] + 1u) / 256;
	struct section sections[] = {
		{.name = {".eh_frame", 9},
		 .type = SHT_PROGBITS,
		 .flags = SHF_ALLOC,
		 .addr = BASE,
		 .size = frames},
		{.name = {".debug_frame", 12}, .type = SHT_PROGBITS, .size = frames},
	};
	struct segment segment = {.vaddr = BASE,
				  .memsz = file.size,
				  .filesz = file.size,
				  .align = 1,
				  .executable = true};
	work_begin(&work, file.size);
	struct image image = {.file = file,
			      .work = &work,
			      .machine = (enum machine)(data[0] % 3),
			      .segments = &segment,
			      .segment_count = 1,
			      .sections = sections,
			      .section_count = 2};
	check_section(&image, eh_frame_begin(&image));
	check_section(&image, debug_frame_begin(&image));
	return 0;
}
