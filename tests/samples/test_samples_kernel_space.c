/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where a kernel is, by what recordings show; expectations are worked out by hand. */
#include <string.h>

#include "src/samples/kernel_space.h"
#include "tests/support/cmocka.h"

#define TEXT UINT64_C(0xffffffff81000000)
#define MIB  (UINT64_C(1) << 20)

static struct segment segments[] = {
	{.vaddr = 0, .memsz = 0x1000}, /* of x86: data of each processor */
	{.vaddr = TEXT, .memsz = 0x8000, .executable = true},
	{.vaddr = TEXT + 0x10000, .memsz = 0x1000},
	{.vaddr = TEXT + 0x20000, .memsz = 0x2000, .executable = true},
};
static const struct image vmlinux = {
	.machine = MACHINE_X86_64, .segments = segments, .segment_count = BC_COUNT(segments)};
static const struct image of_aarch64 = {
	.machine = MACHINE_AARCH64, .segments = segments, .segment_count = BC_COUNT(segments)};

static struct bc_error why;

static struct kernel_space begin(const struct image *image)
{
	struct kernel_space space;
	struct bc_error err;

	assert_true(kernel_space_init(&space, image, (struct kernel_options){0}, &err));
	space.text = TEXT; /* the image has no table of symbols */
	space.stext = TEXT + 0x1000;
	return space;
}

static bool tell(struct kernel_space *space, uint64_t start, uint64_t offset, const char *name)
{
	const struct map_event event = {.pid = NO_PID,
					.start = {start},
					.size = 0x8000,
					.offset = {offset},
					.executable = true,
					.path = text_of(name)};

	why = (struct bc_error){0};
	return kernel_space_map(space, &event, &why);
}

#define NOWHERE UINT64_MAX
static uint64_t where(const struct kernel_space *space, uint64_t at)
{
	const struct mapping *m = map_set_find(space->maps, at);

	return m && m->file == FILE_IMAGE ? at - m->start + m->offset : NOWHERE;
}

static void check_moved(const struct kernel_space *space, uint64_t moved)
{
	assert_int_equal(space->place.moved, moved);
	assert_int_equal(where(space, TEXT + moved), TEXT);
	assert_int_equal(where(space, TEXT + moved + 0x7fff), TEXT + 0x7fff);
	assert_int_equal(where(space, TEXT + moved + 0x8000), NOWHERE);
	assert_int_equal(where(space, TEXT + moved + 0x10000), NOWHERE);
	assert_int_equal(where(space, TEXT + moved + 0x21fff), TEXT + 0x21fff);
	if (moved >= 0x22000)
		assert_int_equal(where(space, TEXT), NOWHERE);
}

static void told_by_either_symbol_or_the_beginning(void **state)
{
	static const struct {
		uint64_t start, offset;
		const char *name;
		uint64_t moved;
	} rows[] = {
		{TEXT, TEXT, "[kernel.kallsyms]_text", 0},
		{TEXT + 4 * MIB, TEXT + 4 * MIB, "[kernel.kallsyms]_text", 4 * MIB},
		{TEXT + 4 * MIB, TEXT + 4 * MIB + 0x1000, "[kernel.kallsyms]_stext", 4 * MIB},
		{TEXT + 0x1c400000, 5, "[kernel.kallsyms]_start",
		 0x1c400000}, /* a symbol that is not known */
		{TEXT + 2 * MIB, TEXT + 2 * MIB + 0x5000, "[kernel.kallsyms]_text",
		 2 * MIB}, /* llvm-bolt moved the symbol */
		{TEXT + 2 * MIB, 0, "[kernel.kallsyms]", 2 * MIB},
		{TEXT - 2 * MIB, TEXT - 2 * MIB, "[kernel.vmlinux]_text", 0 - 2 * MIB},
		{TEXT + 6 * MIB, 0, "/boot/vmlinux", 6 * MIB},
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(rows); i++) {
		struct kernel_space space = begin(&vmlinux);
		check_moved(&space, 0);
		assert_true(tell(&space, rows[i].start, rows[i].offset, rows[i].name));
		assert_int_equal(space.place.told, KERNEL_TOLD);
		check_moved(&space, rows[i].moved);
		kernel_space_free(&space);
	}
}

static void what_cannot_be_is_refused(void **state)
{
	static const uint64_t starts[] = {TEXT + MIB,        TEXT + 0x1000,      0x400000,
					  UINT64_C(1) << 63, UINT64_MAX - 0xfff, 1};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(starts); i++) {
		struct kernel_space space = begin(&vmlinux);
		bool can = starts[i] ==
			   UINT64_C(1) << 63; /* the lowest that there is, in whole steps */
		assert_int_equal(tell(&space, starts[i], starts[i], "[kernel.kallsyms]_text"), can);
		assert_int_equal(why.code, can ? BC_OK : BC_MISMATCH);
		kernel_space_free(&space);
	}
	struct kernel_space space = begin(&of_aarch64);
	assert_true(tell(&space, TEXT + 0x10000, TEXT + 0x10000, "[kernel.kallsyms]_text"));
	check_moved(&space, 0x10000);
	assert_false(tell(&space, TEXT + 8, TEXT + 8, "[kernel.kallsyms]_text"));
	kernel_space_free(&space);
}

static void sampled(struct kernel_space *space, uint64_t at)
{
	kernel_space_sample(space, &(struct sample){.ip = {at}});
}

static void what_is_not_told(void **state)
{
	struct kernel_space space = begin(&vmlinux);

	(void)state;
	assert_true(tell(&space, 0, 0, "[kernel.kallsyms]_text"));
	assert_int_equal(space.place.told, KERNEL_HIDDEN);
	check_moved(&space, 0);
	assert_true(tell(&space, TEXT + 8 * MIB, TEXT + 8 * MIB, "[guest.kernel.kallsyms]_text"));
	assert_true(
		tell(&space, TEXT + 8 * MIB, TEXT + 8 * MIB, "[guest.kernel.kallsyms.77]_text"));
	assert_int_equal(space.place.told, KERNEL_HIDDEN);
	check_moved(&space, 0);
	sampled(&space, 0x400000);
	assert_false(space.place.used);
	sampled(&space, TEXT);
	assert_true(space.place.used);
	assert_true(tell(&space, TEXT, TEXT, "[kernel.kallsyms]_text")); /* nothing changes */
	kernel_space_forget(&space);
	sampled(&space, TEXT);
	assert_false(tell(&space, TEXT + 2 * MIB, TEXT + 2 * MIB, "[kernel.kallsyms]_text"));
	assert_int_equal(why.code, BC_MISMATCH);
	kernel_space_free(&space);
}

static void each_recording_tells_for_itself(void **state)
{
	struct kernel_space space = begin(&vmlinux);

	(void)state;
	assert_true(tell(&space, TEXT + 4 * MIB, TEXT + 4 * MIB, "[kernel.kallsyms]_text"));
	sampled(&space, TEXT);
	kernel_space_forget(&space);
	assert_int_equal(space.place.told, KERNEL_NOT_TOLD);
	assert_false(space.place.used);
	check_moved(&space, 0);
	kernel_space_continue(&space); /* a later part, which does not show */
	assert_int_equal(space.place.told, KERNEL_TOLD);
	check_moved(&space, 4 * MIB);
	kernel_space_forget(&space);
	assert_true(tell(&space, TEXT + 6 * MIB, TEXT + 6 * MIB, "[kernel.kallsyms]_text"));
	kernel_space_continue(&space); /* and one that does */
	check_moved(&space, 6 * MIB);
	kernel_space_forget(&space);
	kernel_space_forget(&space);
	kernel_space_continue(&space); /* it continues one that gave nothing */
	check_moved(&space, 0);
	kernel_space_free(&space);
}

static void modules_are_counted_by_name(void **state)
{
	const uint64_t at = UINT64_C(0xffffffffc0000000);
	struct kernel_space space = begin(&vmlinux);
	struct kernel_module_vec modules = {0};

	(void)state;
	assert_true(tell(&space, at, 0, "/lib/modules/6.1.0/kernel/net/nf-tables.ko.zst"));
	assert_true(tell(&space, at + 0x8000, 0, "[ext4]"));
	assert_true(tell(&space, at + 0x10000, 0, "[never]"));
	assert_true(tell(&space, at + 0x18000, 0, "[guest.kernel.kallsyms]"));
	assert_true(tell(&space, 0x400000, 0, "[user]"));
	assert_true(tell(&space, TEXT + 2 * MIB, TEXT + 2 * MIB, "[kernel.kallsyms]_text"));
	check_moved(&space, 2 * MIB);
	sampled(&space, at);
	sampled(&space, at + 0x8000);
	sampled(&space, at + 0xffff);
	sampled(&space, at + 0x18000);
	sampled(&space, TEXT + 2 * MIB);
	sampled(&space, 0x400000);
	kernel_space_forget(&space);
	assert_true(tell(&space, at, 0, "/somewhere/nf_tables.ko"));
	sampled(&space, at + 1);
	sampled(&space, at + 2);
	struct bc_error err;
	assert_true(kernel_space_modules(&space, &modules, &err));
	assert_int_equal(modules.len, 2);
	assert_string_equal(modules.at[0].name.at, "nf_tables");
	assert_int_equal(modules.at[0].samples, 3);
	assert_string_equal(modules.at[1].name.at, "ext4");
	assert_int_equal(modules.at[1].samples, 2);
	kernel_module_vec_free(&modules);
	kernel_space_free(&space);
}

static void too_many_moves_are_refused(void **state)
{
	struct kernel_space space = begin(&vmlinux);
	uint64_t moves = 0;

	(void)state;
	while (moves < KERNEL_PLACED_MOST &&
	       tell(&space, TEXT + (moves % 2 + 1) * 2 * MIB, 0, "[kernel.kallsyms]"))
		moves++;
	assert_int_equal(why.code, BC_UNSUPPORTED);
	assert_int_equal(moves, KERNEL_PLACED_MOST / BC_COUNT(segments));
	kernel_space_free(&space);
}

static void names(void **state)
{
	static const char *const rows[][2] = {
		{"/lib/modules/6.1.0/kernel/fs/ext4/ext4.ko", "ext4"},
		{"/x/snd-hda.ko.xz", "snd_hda"},
		{"[kvm-intel]", "kvm_intel"},
		{"", ""},
		{"[", "["},
		{"]", "]"},
		{"[]", ""},
		{"[a]", "a"},
		{"/a.kon/b.konf", "b.konf"},
		{".ko", ""},
		{"/", ""},
		{"0123456789012345678901234567890123456789012345678901234567890123456789",
		 "0123456789012345678901234567890123456789012345678901234567890123"},
	};
	char name[KERNEL_NAME_MOST];

	(void)state;
	for (size_t i = 0; i < BC_COUNT(rows); i++) {
		struct text got = kernel_module_name(text_of(rows[i][0]), name);
		if (!text_is(got, rows[i][1]))
			fail_msg("%s: %.*s", rows[i][0], (int)got.len, got.at);
	}
	assert_true(kernel_name_is_kernel(text_of("[kernel.kallsyms]")));
	assert_true(kernel_name_is_kernel(text_of("/usr/lib/debug/vmlinux")));
	assert_false(kernel_name_is_kernel(text_of("[guest.kernel.kallsyms]_text")));
	assert_false(kernel_name_is_kernel(text_of("/boot/vmlinux.ko")));
	assert_int_equal(kernel_name_symbol(text_of("[kernel.kallsyms")).len, 0);
	assert_int_equal(kernel_name_symbol(text_of("vmlinux")).len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(told_by_either_symbol_or_the_beginning),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(what_is_not_told),
		cmocka_unit_test(each_recording_tells_for_itself),
		cmocka_unit_test(modules_are_counted_by_name),
		cmocka_unit_test(too_many_moves_are_refused),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
