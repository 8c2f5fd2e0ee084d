/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Entries of debug information by hand: their order, values, ranges and locations, and what is too
 * much. */
#include "src/verify/debug_entries.h"

#include <string.h>

#include "tests/support/build_elf.h"
#include "tests/support/cmocka.h"

#define CODE  0x1000u
#define LISTS 40000

static const uint8_t abbreviations[] = {
	1,    0x11, 1, 0x03, 0x08, 0x11, 0x01, 0,    0, /* unit: name, low_pc */
	2,    0x2e, 1, 0x03, 0x08, 0x11, 0x01, 0x12, 0x06, 0x3f, 0x19, 0x40,
	0x18, 0,    0, /* function: name, low_pc, high_pc (4 bytes), external, frame_base */
	3,    0x0b, 1, 0x55, 0x17, 0,    0,                         /* block: ranges */
	4,    0x34, 0, 0x02, 0x17, 0x49, 0x13, 0x1c, 0x0d, 0,    0, /* variable: location, type,
								       const_value (sdata) */
	5,    0x24, 0, 0x0b, 0x0b, 0,    0,                         /* base type: byte_size */
	6,    0x0a, 0, 0x31, 0x13, 0,    0,                         /* label: abstract_origin */
	0,
};

#define U32(n) (n) & 255, (n) >> 8 & 255, (n) >> 16 & 255, (n) >> 24 & 255
#define U64(n) U32(n), 0, 0, 0, 0

static const uint8_t entries[] = {
	4,    0,       0,       0,         0,         0, 8, /* after the length: version,
							       abbreviations, bytes of an address */
	1,    'u',     0,       U64(CODE),                  /* 11 */
	2,    'f',     0,       U64(CODE), U32(0x20), 3, 0xf3, 1,
	0x55,                         /* 22: DW_OP_entry_value(DW_OP_reg5) */
	3,    U32(0),                 /* 41 */
	4,    U32(0),  U32(58), 0x7f, /* 46: const_value -1 */
	0,    0,                      /* ends of block and function */
	5,    8,                      /* 58 */
	6,    U32(22),                /* 60 */
	0,
};
/* From the unit's address on, an empty one, and another base. */
static const uint8_t ranges[] = {U64(0),      U64(4), U64(8), U64(8), 255,   255,
				 255,         255,    255,    255,    255,   255,
				 U64(0x2000), U64(1), U64(3), U64(0), U64(0)};
/* reg3; then breg7, stack_value, implicit_value of two bytes, addr. */
static const uint8_t places[] = {U64(0), U64(4),        1,      0,     0x53, U64(4), U64(8), 16,
				 0,      0x77,          8,      0x9f,  0x9e, 2,      7,      9,
				 0x03,   U64(CODE + 2), U64(0), U64(0)};

struct opened {
	struct bytes file;
	struct image image;
	struct debug_reader *reader;
	struct debug_unit unit;
	struct entry_place_vec all;
};

static uint8_t info[LISTS * 6 + 64];

static void open_entries(struct opened *o, const uint8_t *content, size_t size)
{
	static const uint8_t code[0x100], none[1];
	struct bc_error err;

	info[0] = (uint8_t)size;
	info[1] = (uint8_t)(size >> 8);
	info[2] = (uint8_t)(size >> 16);
	memcpy(info + 4, content, size);
	const struct build_section sections[] = {
		{".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, CODE, code, sizeof(code), NULL,
		 0, NULL},
		{".debug_info", SHT_PROGBITS, 0, 0, info, size + 4, NULL, 0, NULL},
		{".debug_abbrev", SHT_PROGBITS, 0, 0, abbreviations, sizeof(abbreviations), NULL, 0,
		 NULL},
		{".debug_line", SHT_PROGBITS, 0, 0, none, sizeof(none), NULL, 0, NULL},
		{".debug_ranges", SHT_PROGBITS, 0, 0, ranges, sizeof(ranges), NULL, 0, NULL},
		{".debug_loc", SHT_PROGBITS, 0, 0, places, sizeof(places), NULL, 0, NULL},
		{0},
	};

	*o = (struct opened){.file = build_elf(&(struct build_elf){.sections = sections})};
	assert_true(image_open(o->file, &o->image, &err));
	if (!debug_reader_open(&o->image, true, &o->reader, &err)) {
		assert_int_equal(err.code, BC_UNSUPPORTED);
		print_message("%s\n", err.text);
		skip();
	}
	assert_int_equal(debug_next_unit(o->reader, &o->unit), 1);
	assert_true(debug_list_entries(o->reader, &o->unit, &o->all));
}

static void close_entries(struct opened *o)
{
	debug_reader_close(o->reader);
	image_close(&o->image);
	build_elf_free(&o->file);
	entry_place_vec_free(&o->all);
}

static void test_order(void **state)
{
	static const struct entry_place want[] = {{11, 0x11, 0}, {22, 0x2e, 1}, {41, 0x0b, 2},
						  {46, 0x34, 3}, {58, 0x24, 1}, {60, 0x0a, 1}};
	struct opened o;

	(void)state;
	open_entries(&o, entries, sizeof(entries));
	assert_int_equal(o.unit.begin, 0);
	assert_int_equal(o.unit.at, 11);
	assert_int_equal(o.unit.version, 4);
	assert_false(o.unit.of_types || o.unit.empty);
	assert_int_equal(o.all.len, BC_COUNT(want));
	for (size_t i = 0; i < BC_COUNT(want); i++) {
		assert_int_equal(o.all.at[i].at, want[i].at);
		assert_int_equal(o.all.at[i].tag, want[i].tag);
		assert_int_equal(o.all.at[i].depth, want[i].depth);
	}
	unsigned tag;
	assert_string_equal(debug_entry_name(o.reader, false, 22, &tag), "f");
	assert_int_equal(tag, 0x2e);
	assert_string_equal(debug_entry_name(o.reader, false, 60, &tag), "f"); /* by its origin */
	assert_int_equal(tag, 0x0a);
	assert_null(debug_entry_name(o.reader, false, 41, &tag));
	assert_int_equal(debug_next_unit(o.reader, &o.unit), 0);
	close_entries(&o);
}

static void test_values(void **state)
{
	static const struct {
		uint64_t entry;
		unsigned name;
		enum debug_value_kind kind;
		uint64_t number;
	} want[] = {
		{22, 0x03, VALUE_TEXT, 0},
		{22, 0x11, VALUE_ADDRESS, CODE},
		{22, 0x12, VALUE_NUMBER, 0x20},
		{22, 0x3f, VALUE_NUMBER, 1},
		{22, 0x40, VALUE_EXPRESSION, 0},
		{41, 0x55, VALUE_RANGES, 0},
		{46, 0x02, VALUE_LOCATIONS, 0},
		{46, 0x49, VALUE_ENTRY, 58},
		{46, 0x1c, VALUE_NUMBER, UINT64_MAX},
		{58, 0x0b, VALUE_NUMBER, 8},
	};
	struct debug_value_vec values = {0};
	struct opened o;
	size_t k = 0;

	(void)state;
	open_entries(&o, entries, sizeof(entries));
	for (size_t i = 0; i < BC_COUNT(want); i++) {
		if (!i || want[i].entry != want[i - 1].entry) {
			assert_true(k == values.len);
			assert_true(debug_values(o.reader, &o.unit, want[i].entry, &values));
			k = 0;
		}
		assert_true(k < values.len);
		const struct debug_value *value = &values.at[k++];
		if (value->name != want[i].name || value->kind != want[i].kind ||
		    value->number != want[i].number)
			fail_msg("entry %llu: attribute 0x%x, kind %d, %llu",
				 (unsigned long long)want[i].entry, value->name, (int)value->kind,
				 (unsigned long long)value->number);
	}
	debug_value_vec_free(&values);
	close_entries(&o);
}

static void test_ranges(void **state)
{
	static const struct address_range of_block[] = {{CODE, CODE + 4},
							{CODE + 8, CODE + 8},
							{0x2001, 0x2003}},
					  of_function[] = {{CODE, CODE + 0x20}};
	struct address_range_vec found = {0};
	struct opened o;
	bool bad;

	(void)state;
	open_entries(&o, entries, sizeof(entries));
	assert_true(debug_ranges(o.reader, &o.unit, 41, &found, &bad) && !bad);
	assert_int_equal(found.len, BC_COUNT(of_block));
	assert_memory_equal(found.at, of_block, sizeof(of_block));
	assert_true(debug_ranges(o.reader, &o.unit, 22, &found, &bad) && !bad);
	assert_int_equal(found.len, 1);
	assert_memory_equal(found.at, of_function, sizeof(of_function));
	assert_true(debug_ranges(o.reader, &o.unit, 58, &found, &bad) && !bad);
	assert_int_equal(found.len, 0);
	address_range_vec_free(&found);
	close_entries(&o);
}

static void test_places(void **state)
{
	struct debug_locations found = {0};
	struct debug_value_vec values = {0};
	struct opened o;
	bool bad;

	(void)state;
	open_entries(&o, entries, sizeof(entries));
	assert_true(debug_values(o.reader, &o.unit, 46, &values));
	assert_true(debug_locations(o.reader, &values.at[0], &found, &bad) && !bad);
	assert_int_equal(found.at.len, 2);
	assert_int_equal(found.at.at[0].start, CODE);
	assert_int_equal(found.at.at[1].end, CODE + 8);
	assert_int_equal(found.at.at[0].count, 1);
	assert_int_equal(found.operations.at[0].code, 0x53);
	const struct debug_operation *second = &found.operations.at[found.at.at[1].first];
	assert_int_equal(found.at.at[1].count, 4);
	assert_int_equal((int64_t)second[0].numbers[0], 8);
	assert_int_equal(second[1].code, 0x9f);
	assert_int_equal(second[2].bytes.size, 2);
	assert_int_equal(second[2].bytes.data[1], 9);
	assert_int_equal(second[3].kinds[0], OPERAND_ADDRESS);
	assert_int_equal(second[3].numbers[0], CODE + 2);
	/* The expression of the function: one for all addresses, with one in it. */
	assert_true(debug_values(o.reader, &o.unit, 22, &values));
	assert_true(debug_locations(o.reader, &values.at[4], &found, &bad) && !bad);
	assert_int_equal(found.at.len, 1);
	assert_true(found.at.at[0].end == UINT64_MAX && found.at.at[0].count == 2);
	assert_int_equal(found.operations.at[0].numbers[0], 1);
	assert_int_equal(found.operations.at[1].code, 0x55);
	debug_locations_free(&found);
	debug_value_vec_free(&values);
	close_entries(&o);
}

/* Blocks that all have one list: it is read so often, and then no more. */
static void test_work(void **state)
{
	static uint8_t content[LISTS * 6 + 32];
	struct address_range_vec found = {0};
	struct bc_error err;
	struct opened o;
	size_t size = 18, read = 0;
	bool bad, ok = true;

	(void)state;
	memcpy(content, entries, size);
	for (size_t i = 0; i < LISTS; i++, size += 6)
		content[size] = 3; /* its list, and no entries in it */
	open_entries(&o, content, size + 1);
	assert_int_equal(o.all.len, LISTS + 1);
	for (int times = 0; times < 100 && ok; times++)
		for (size_t i = 1; ok && i < o.all.len; i++, read++)
			ok = debug_ranges(o.reader, &o.unit, o.all.at[i].at, &found, &bad);
	assert_false(ok);
	assert_true(read > LISTS);
	assert_false(work_check(o.image.work, &err));
	assert_non_null(strstr(err.text, "ranges of debug information"));
	address_range_vec_free(&found);
	close_entries(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),  cmocka_unit_test(test_values),
		cmocka_unit_test(test_ranges), cmocka_unit_test(test_places),
		cmocka_unit_test(test_work),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
