/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Line tables by hand: which rows addresses have, which files are named, and what is refused. */
#include "src/verify/line_rows.h"

#include <inttypes.h>
#include <string.h>

#include "tests/support/build_elf.h"
#include "tests/support/cmocka.h"

#define CODE      0x1000u
#define CODE_SIZE 0x100

struct buffer {
	uint8_t at[1 << 17];
	size_t size;
};

static void put(struct buffer *b, const void *data, size_t size)
{
	assert_true(size <= sizeof(b->at) - b->size);
	memcpy(b->at + b->size, data, size);
	b->size += size;
}

static void put_number(struct buffer *b, uint64_t value, size_t size)
{
	uint8_t bytes[8];

	for (size_t i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
	put(b, bytes, size);
}

static void put_string(struct buffer *b, const char *text)
{
	put(b, text, strlen(text) + 1);
}

static void set_length(struct buffer *b, size_t at)
{
	uint64_t size = b->size - at - 4;

	for (size_t i = 0; i < 4; i++)
		b->at[at + i] = (uint8_t)(size >> 8 * i);
}

/* A unit with a table, and an entry for each file that is named. */
static void put_unit(struct buffer *info, const char *name, uint32_t table, const uint8_t *files,
		     size_t count)
{
	size_t at = info->size;

	put_number(info, 0, 4);
	put_number(info, 4, 2);
	put_number(info, 0, 4);
	put_number(info, 8, 1);
	put_number(info, 1, 1); /* the unit */
	put_string(info, name);
	put_string(info, "/src");
	put_number(info, table, 4);
	for (size_t i = 0; i < count; i++) {
		put_number(info, 2, 1); /* a function */
		put_number(info, files[i], 1);
	}
	put_number(info, 0, 1);
	set_length(info, at);
}

static const uint8_t abbreviations[] = {
	1, 0x11, 1, 0x03, 0x08, 0x1b, 0x08, 0x10, 0x17, 0, 0, /* unit: name, comp_dir, stmt_list */
	2, 0x2e, 0, 0x3a, 0x0b, 0,    0,                      /* subprogram: decl_file */
	3, 0x0b, 1, 0,    0,                                  /* block, with entries in it */
	0,
};

struct file_entry {
	const char *name;
	uint8_t folder;
};

/* The header of version 4: `folder` is the first one. */
static size_t begin_table(struct buffer *line, const char *folder, const struct file_entry *files,
			  size_t count)
{
	static const uint8_t lengths[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
	size_t at = line->size;

	put_number(line, 0, 4);
	put_number(line, 4, 2);
	put_number(line, 0, 4);
	put_number(line, 1, 1); /* bytes of an instruction */
	put_number(line, 1, 1);
	put_number(line, 1, 1); /* statements */
	put_number(line, 0xfb, 1);
	put_number(line, 14, 1);
	put_number(line, sizeof(lengths) + 1, 1);
	put(line, lengths, sizeof(lengths));
	put_string(line, folder);
	put_number(line, 0, 1);
	for (size_t i = 0; i < count; i++) {
		put_string(line, files[i].name);
		put_number(line, files[i].folder, 1);
		put_number(line, 0, 2);
	}
	put_number(line, 0, 1);
	uint64_t header = line->size - at - 10;
	for (size_t i = 0; i < 4; i++)
		line->at[at + 6 + i] = (uint8_t)(header >> 8 * i);
	return at;
}

struct step {
	uint64_t address;
	uint8_t file, line, column; /* line 0: the sequence ends */
};

static void put_rows(struct buffer *line, const struct step *steps, size_t count)
{
	uint8_t at_line = 1;
	bool begun = false;

	for (size_t i = 0; i < count; i++) {
		if (!begun)
			at_line = 1;
		begun = true;
		put(line, "\0\x9\2", 3);
		put_number(line, steps[i].address, 8);
		if (!steps[i].line) {
			put(line, "\0\1\1", 3);
			begun = false;
			continue;
		}
		put_number(line, 4, 1);
		put_number(line, steps[i].file, 1);
		put_number(line, 5, 1);
		put_number(line, steps[i].column, 1);
		put_number(line, 3, 1);
		put_number(line, (uint64_t)(steps[i].line - at_line) & 0x7f, 1);
		at_line = steps[i].line;
		put_number(line, 1, 1);
	}
}

static bool read_rows(const struct buffer *info, const struct buffer *line, struct strings *paths,
		      struct line_rows *out, struct bc_error *err)
{
	static const uint8_t code[CODE_SIZE];
	const struct build_section sections[] = {
		{".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, CODE, code, sizeof(code), NULL,
		 0, NULL},
		{".debug_info", SHT_PROGBITS, 0, 0, info->at, info->size, NULL, 0, NULL},
		{".debug_abbrev", SHT_PROGBITS, 0, 0, abbreviations, sizeof(abbreviations), NULL, 0,
		 NULL},
		{".debug_line", SHT_PROGBITS, 0, 0, line->at, line->size, NULL, 0, NULL},
		{0},
	};
	struct bytes file = build_elf(&(struct build_elf){.sections = sections});
	struct image image;

	assert_true(image_open(file, &image, err));
	bool ok = line_rows_read(&image, paths, out, err);
	image_close(&image);
	build_elf_free(&file);
	if (!ok && err->code == BC_UNSUPPORTED) {
		print_message("%s\n", err->text);
		skip();
	}
	return ok;
}

static void describe(const struct line_rows *rows, const struct strings *paths, uint64_t address,
		     char *out, size_t size)
{
	const struct line_row *found[4];
	size_t count = line_rows_at(rows, address, found, 4);

	*out = 0;
	for (size_t i = 0; i < count; i++)
		snprintf(out + strlen(out), size - strlen(out), "%s%s:%" PRIu32 ":%u", i ? " " : "",
			 found[i]->flags & LINE_BAD_FILE ? "?" :
							   strings_at(paths, found[i]->file).at,
			 found[i]->line, (unsigned)found[i]->column);
}

static struct buffer info, line;

static void begin(void)
{
	info.size = line.size = 0;
}

static void test_lookups(void **state)
{
	static const struct file_entry files[] = {{"a.c", 0}, {"../x/./b.h", 1}, {"/abs//c.h", 0}};
	static const uint8_t named[] = {1, 2, 2, 1, 9};
	static const struct {
		uint64_t address;
		const char *want;
	} cases[] = {
		{CODE - 1, ""},
		{CODE, "/src/a.c:3:7"},
		{CODE + 3, "/src/a.c:3:7"},
		{CODE + 4, "/src/x/b.h:9:1"},
		{CODE + 8, ""},
		{CODE + 0x20, "/abs/c.h:5:2"},
		{CODE + 0x22, "?:6:2"},
		{CODE + 0x24, "/src/a.c:8:1 ?:6:2"},
		{CODE + 0x28, "/src/a.c:8:1"},
		{CODE + 0x30, ""},
	};
	struct strings paths = {0};
	struct line_rows rows;
	struct bc_error err;
	char text[200];

	(void)state;
	begin();
	put_unit(&info, "a.c", 0, named, sizeof(named));
	begin_table(&line, "sub", files, 3);
	put_rows(&line,
		 (const struct step[]){{CODE, 1, 3, 7},
				       {CODE + 4, 2, 9, 1},
				       {CODE + 8, 1, 0, 0},
				       {CODE + 0x20, 3, 5, 2},
				       {CODE + 0x22, 7, 6, 2},
				       {CODE + 0x28, 1, 0, 0},
				       {8, 1, 3, 3},
				       {16, 1, 0, 0}},
		 8); /* the last one is of code that was dropped */
	set_length(&line, 0);
	size_t second = line.size;
	put_unit(&info, "b.c", (uint32_t)second, named, 1);
	begin_table(&line, "sub", files, 1);
	put_rows(&line, (const struct step[]){{CODE + 0x24, 1, 8, 1}, {CODE + 0x30, 1, 0, 0}}, 2);
	set_length(&line, second);
	assert_true(read_rows(&info, &line, &paths, &rows, &err));
	assert_int_equal(rows.bad_tables, 0);
	for (size_t i = 0; i < BC_COUNT(cases); i++) {
		describe(&rows, &paths, cases[i].address, text, sizeof(text));
		assert_string_equal(text, cases[i].want);
	}
	assert_int_equal(line_rows_next(&rows, CODE, CODE + 0x100), CODE + 4);
	assert_int_equal(line_rows_next(&rows, CODE + 5, CODE + 0x100), CODE + 8);
	assert_int_equal(line_rows_next(&rows, CODE + 9, CODE + 0x10), CODE + 0x10);
	assert_int_equal(line_rows_next(&rows, CODE + 0x22, CODE + 0x100), CODE + 0x24);
	assert_int_equal(line_rows_maybe(&rows, CODE + 0x10)->line, 9);
	assert_null(line_rows_maybe(&rows, CODE + 0x40));
	/* Each file that is named once, in its order; 9 is after the table. */
	assert_int_equal(rows.units.len, 2);
	assert_int_equal(rows.uses.len, 4);
	assert_int_equal(rows.uses.at[0].file, 1);
	assert_int_equal(rows.uses.at[1].file, 2);
	assert_int_equal(rows.uses.at[2].file, 9);
	assert_int_equal(rows.uses.at[3].unit, 1);
	assert_true(rows.units.at[0].file_count <= 9);
	line_rows_free(&rows);
	strings_free(&paths);
}

static void test_damaged(void **state)
{
	static const struct file_entry files[] = {{"a.c", 0}};
	static const struct step steps[] = {{CODE, 1, 3, 7}, {CODE + 8, 1, 0, 0}};
	static const struct {
		size_t at; /* byte of the table */
		uint8_t value;
		const char *want;
	} cases[] = {
		{0, 0xff, "the table does not fit into the section"},
		{4, 9, NULL}, /* a version that libdw does not know: its words */
		{7, 0xff, "the header does not fit into the table"},
		{4, 5, "the header does not fit into the table"}, /* its length is elsewhere */
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(cases); i++) {
		struct strings paths = {0};
		struct line_rows rows;
		struct bc_error err;
		begin();
		put_unit(&info, "a.c", 0, (const uint8_t[]){1}, 1);
		begin_table(&line, "sub", files, 1);
		put_rows(&line, steps, 2);
		set_length(&line, 0);
		line.at[cases[i].at] = cases[i].value;
		assert_true(read_rows(&info, &line, &paths, &rows, &err));
		assert_int_equal(rows.bad_tables, 1);
		if (!strstr(rows.bad, ".debug_line, byte 0: ") ||
		    (cases[i].want && !strstr(rows.bad, cases[i].want)))
			fail_msg("case %zu: %s", i, rows.bad);
		line_rows_free(&rows);
		strings_free(&paths);
	}
}

static void refuse(const char *want, int at)
{
	struct strings paths = {0};
	struct line_rows rows;
	struct bc_error err;

	if (read_rows(&info, &line, &paths, &rows, &err))
		fail_msg("line %d: not refused", at);
	assert_int_equal(err.code, BC_FORMAT);
	if (!strstr(err.text, want))
		fail_msg("%s, not %s", err.text, want);
	strings_free(&paths);
}

#define refused(want) refuse(want, __LINE__)

/* What libdw would make of few bytes. */
static void test_too_much(void **state)
{
	static struct file_entry files[4000];
	static char folder[20000];

	(void)state;
	begin(); /* n files in a folder of n letters */
	memset(folder, 'f', sizeof(folder) - 1);
	for (size_t i = 0; i < BC_COUNT(files); i++)
		files[i] = (struct file_entry){"a", 1};
	put_unit(&info, "a.c", 0, (const uint8_t[]){1}, 1);
	begin_table(&line, folder, files, BC_COUNT(files));
	put_rows(&line, (const struct step[]){{CODE, 1, 3, 7}, {CODE + 8, 1, 0, 0}}, 2);
	set_length(&line, 0);
	refused("files of line tables");
	begin(); /* a line table is all that the file has */
	put_unit(&info, "a.c", 0, (const uint8_t[]){1}, 1);
	begin_table(&line, "sub", files, 1);
	for (size_t i = 0; i < 120000; i++)
		put_number(&line, 1, 1);
	put(&line, "\0\1\1", 3);
	set_length(&line, 0);
	refused("line tables");
	begin(); /* many entries, deep in blocks */
	put_unit(&info, "a.c", 0, (const uint8_t[]){1}, 1);
	info.size--;
	for (size_t i = 0; i < 190; i++)
		put_number(&info, 3, 1);
	for (size_t i = 0; i < 20000; i++)
		put_number(&info, 0x102, 2);
	for (size_t i = 0; i < 191; i++)
		put_number(&info, 0, 1);
	set_length(&info, 0);
	begin_table(&line, "sub", files, 1);
	put_rows(&line, (const struct step[]){{CODE, 1, 3, 7}, {CODE + 8, 1, 0, 0}}, 2);
	set_length(&line, 0);
	refused("entries of debug information");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_lookups),
					   cmocka_unit_test(test_damaged),
					   cmocka_unit_test(test_too_much)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
