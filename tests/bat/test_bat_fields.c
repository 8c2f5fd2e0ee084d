/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* bat_fields() steps through every byte of a section, and damage ends it with the field's name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "bat/layout.h"
#include "tests/support/build_bat.h"
#include "tests/support/random_bat.h"
#include "tests/support/read_bolted.h"

struct walked {
	uint64_t next; /* where the next field has to begin */
	size_t count, stop_at;
	char names[400];
};

static bool walk(void *ctx, const struct bat_field *f)
{
	struct walked *w = ctx;

	assert_int_equal(f->byte, w->next);
	w->next = f->byte + f->size;
	w->count++;
	if (strlen(w->names) + strlen(f->name) + 2 < sizeof(w->names))
		strcat(strcat(w->names, f->name), " ");
	return w->count != w->stop_at;
}

static void every_byte_is_in_a_field(void **state)
{
	(void)state;
	for (unsigned layout = 0; layout < BAT_LAYOUT_COUNT; layout++) {
		for (uint64_t seed = 0; seed < 200; seed++) {
			struct walked w = {.next = 0};
			struct bat_table t;
			struct bat_error err;
			uint8_t *bytes;
			size_t size;

			random_bat(&t, (enum bat_layout)layout, 1 + (uint32_t)seed % 20, 9, seed);
			assert_true(bat_encode(&t, t.layout, &bytes, &size, &err));
			assert_true(bat_fields(t.layout, bytes, size, walk, &w, &err));
			assert_int_equal(w.next, size);
			free(bytes);
			bat_free(&t);
		}
	}
}

/* One function at 0x100: block 0 -> 0, branch 4 -> 6, in full. */
static void fields_have_the_names_of_the_document(void **state)
{
	struct walked w = {.next = 0};
	struct bat_error err;
	struct build_bat b = {.size = 0};

	(void)state;
	build_uleb(&b, 1);
	build_uleb(&b, 0x100);
	build_u64(&b, 1);
	build_uleb(&b, 1);
	build_uleb(&b, 1);
	build_uleb(&b, 2);
	build_uleb(&b, 1);
	build_u8(&b, 0);
	build_uleb(&b, 0);
	build_u64(&b, 0);
	build_uleb(&b, 0);
	build_uleb(&b, 4);
	build_sleb(&b, 13);
	build_uleb(&b, 3);
	build_uleb(&b, 0);
	assert_true(bat_fields(BAT_LAYOUT_HASHED, b.data, b.size, walk, &w, &err));
	assert_string_equal(
		w.names,
		"NumFuncs Address FuncHash NumBlocks NumSecEntryPoints NumEntries EqualElems "
		"BranchEntries OutputOffset BBHash BBIdx OutputOffset InputOffset SecEntryPoint "
		"NumFuncs ");
	w = (struct walked){.stop_at = 3};
	assert_true(bat_fields(BAT_LAYOUT_HASHED, b.data, b.size, walk, &w, &err));
	assert_int_equal(w.count, 3);
}

static void damage_is_named(void **state)
{
	struct walked w = {.next = 0};
	struct bat_error err;

	(void)state;
	assert_false(bat_fields(BAT_LAYOUT_DELTA, (const uint8_t *)"\1\x80", 2, walk, &w, &err));
	assert_string_equal(err.field, "Address");
	assert_int_equal(err.cause, BAT_CAUSE_END);
	assert_int_equal(err.byte, 1);
	w = (struct walked){.next = 0};
	assert_false(bat_fields(BAT_LAYOUT_DELTA, (const uint8_t *)"\0\0\0", 3, walk, &w, &err));
	assert_int_equal(err.cause, BAT_CAUSE_LEFT);
	w = (struct walked){.next = 0};
	assert_false(bat_fields(BAT_LAYOUT_FIXED, (const uint8_t *)"\1\0\0\0", 4, walk, &w, &err));
	assert_string_equal(err.field, "OutputAddress");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_byte_is_in_a_field),
		cmocka_unit_test(fields_have_the_names_of_the_document),
		cmocka_unit_test(damage_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
