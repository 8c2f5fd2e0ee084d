/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Every kind of damage is found, by its own id and no other; sound sections have
 * no finding but what is truly odd about them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "tests/support/mutate_bat.h"

/* By hand: what is true of each sound section. */
static const struct base {
	const char *name, *input;
	int layout;     /* to which it is transcoded first; -1: none */
	int known;      /* its true findings, of one kind; -1: none  */
	unsigned often; /* how many */
} bases[] = {
	{"sqlite/sq.b16", "sqlite/sq", -1, -1, 0},
	{"sqlite/sq.b18", "sqlite/sq", -1, FINDING_HOT_INDEX_ORDINAL, 1},
	{"sqlite/sq.b19", "sqlite/sq", -1, FINDING_ENTRY_ELSEWHERE, 1},
	{"sqlite/sq.b22", "sqlite/sq", -1, FINDING_ENTRY_ELSEWHERE, 1},
	{"sqlite/sq.b16", "sqlite/sq", BAT_LAYOUT_EQUAL, -1, 0},
	{"aarch64/demo.b19", "aarch64/demo", -1, -1, 0},
	{"aarch64/sorts.exec.b22", "aarch64/sorts.exec", -1, -1, 0},
	{"riscv64/demo.b22", "riscv64/demo", -1, -1, 0},
	{"riscv64/sorts.b19", "riscv64/sorts", -1, -1, 0},
	/* Calls by auipc and jalr. */
	{"riscv64/demo.huge.b22", "riscv64/demo", -1, -1, 0},
	/* Promoted calls, a copied tail, probes. */
	{"promoted/promoted.b22", "promoted/promoted", -1, -1, 0},
	/* A promoted call and a block that was only a jump, without indices; a nop that has an
	   entry. */
	{"sound/sound.b16", "sound/sound", -1, FINDING_BLOCK_COPIED, 3},
	{"sound/nops.b22", "sound/nops", -1, -1, 0},
};

static void forget(uint64_t counts[FINDING_KIND_COUNT], int kind)
{
	if (kind >= 0)
		counts[kind] = 0;
}

static unsigned failures; /* all are reported before the test fails */

static void none_left(const struct world *w, const char *what, const uint64_t *counts)
{
	for (size_t i = 0; i < FINDING_KIND_COUNT; i++) {
		if (!counts[i])
			continue;
		print_error("%s: %s: %llu findings %s\n", w->name, what,
			    (unsigned long long)counts[i], finding_infos[i].id);
		failures++;
	}
}

static void check_sound(const struct base *base, const struct world *w)
{
	uint64_t counts[FINDING_KIND_COUNT];

	verify_bytes(w->file, w->input, counts);
	if (base->known >= 0)
		assert_int_equal(counts[base->known], base->often);
	forget(counts, base->known);
	none_left(w, "untouched", counts);
}

static void check_mutant(const struct base *base, const struct world *w, const struct mutation *m,
			 size_t *applied)
{
	uint64_t counts[FINDING_KIND_COUNT];
	struct buffer file;

	if (!mutate(w, m, &file))
		return;
	(*applied)++;
	verify_bytes(file, m->with_input ? w->input : NULL, counts);
	free(file.data);
	if (!counts[m->finding]) {
		print_error("%s: %s: no finding %s\n", w->name, m->name,
			    finding_infos[m->finding].id);
		failures++;
	}
	forget(counts, (int)m->finding);
	forget(counts, m->also);
	forget(counts, base->known);
	if (!m->others)
		none_left(w, m->name, counts);
}

static const struct mutation *const groups[] = {note_mutations, desc_mutations, table_mutations,
						code_mutations};
#define MOST 40 /* of a group */

static void check_group(const struct base *base, const struct world *w, size_t group,
			size_t *applied)
{
	for (size_t k = 0; groups[group][k].name; k++) {
		assert_true(k < MOST);
		check_mutant(base, w, &groups[group][k], &applied[k]);
	}
}

/* How many kinds there are; each must have been applied. */
static size_t count_kinds(size_t applied[][MOST])
{
	size_t count = 0;

	for (size_t g = 0; g < BC_COUNT(groups); g++) {
		for (size_t k = 0; groups[g][k].name; k++, count++) {
			if (applied[g][k])
				continue;
			print_error("%s: applied to no section\n", groups[g][k].name);
			failures++;
		}
	}
	return count;
}

static void every_damage_is_found(void **state)
{
	size_t applied[BC_COUNT(groups)][MOST] = {{0}};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(bases); i++) {
		struct world w;
		world_open(&w, bases[i].name, bases[i].input, bases[i].layout);
		check_sound(&bases[i], &w);
		for (size_t g = 0; g < BC_COUNT(groups); g++)
			check_group(&bases[i], &w, g, applied[g]);
		world_close(&w);
	}
	assert_in_range(count_kinds(applied), 60, 100);
	assert_int_equal(failures, 0);
}

static uint64_t wrong_build_ids(const struct world *w, uint8_t first, uint8_t last)
{
	const struct section *id = image_section(&w->subject.image, ".note.gnu.build-id");
	uint8_t *data = w->file.data + id->offset + 16; /* after the note's head and owner */
	uint64_t counts[FINDING_KIND_COUNT];

	data[0] ^= first;
	data[id->size - 17] ^= last;
	verify_bytes(w->file, w->input, counts);
	data[0] ^= first;
	data[id->size - 17] ^= last;
	return counts[FINDING_INPUT_BUILD];
}

/* llvm-bolt marks the id by its last bit; after release 23 by the first one, too. */
static void both_marks_of_a_build_id(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, "promoted/promoted.b22", "promoted/promoted", -1);
	assert_int_equal(wrong_build_ids(&w, 0, 0), 0);
	assert_int_equal(wrong_build_ids(&w, 0x80, 0), 0);
	assert_int_equal(wrong_build_ids(&w, 0, 1), 1);    /* the input's own    */
	assert_int_equal(wrong_build_ids(&w, 0x80, 1), 1); /* only the first bit */
	assert_int_equal(wrong_build_ids(&w, 0x40, 0), 1);
	assert_int_equal(wrong_build_ids(&w, 0, 2), 1);
	world_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_damage_is_found),
		cmocka_unit_test(both_marks_of_a_build_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
