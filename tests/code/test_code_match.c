/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which function of a random input is which of the output that llvm-bolt could have made of it:
 * against what was made of it, where that can be known, and against the rule of pair.h, symbol by
 * symbol.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/code/pair.h"
#include "tests/support/cmocka.h"
#include "tests/support/prng.h"

#define MOST           16 /* functions of the input with symbols */
#define MOST_SYMBOLS   96 /* of a side */
#define MOST_FUNCTIONS (2 * MOST)
#define FILES          5
#define INPUT_CODE     UINT64_C(0x10000)
#define OUTPUT_CODE    UINT64_C(0x40000)
#define END            UINT64_C(0x80000)

enum { TEXT, OLD_TEXT, DATA, SECTIONS };

struct side {
	struct function functions[MOST_FUNCTIONS];
	struct symbol symbols[MOST_SYMBOLS]; /* sorted by address */
	uint32_t next_order;
	const char *files[FILES];
	struct function_table table;
};

static struct {
	struct prng random;
	struct side input, output;
	uint64_t code_of[MOST]; /* per function of the input: where the output has its code; 0:
				   nowhere */
	uint32_t fragment_of[MOST_FUNCTIONS];
	struct bat_fragment fragments[MOST_FUNCTIONS]; /* none is cold */
	struct binary binary;
	bool complete; /* the output has all symbols of the input */
} m;

static struct section sections[SECTIONS] = {
	[TEXT] = {.name = {".text", 5}, .type = SHT_PROGBITS, .flags = SHF_ALLOC | SHF_EXECINSTR},
	[OLD_TEXT] = {.name = {".bolt.org.text", 14},
		      .type = SHT_PROGBITS,
		      .flags = SHF_ALLOC | SHF_EXECINSTR},
	[DATA] = {.name = {".data", 5}, .type = SHT_PROGBITS, .flags = SHF_ALLOC | SHF_WRITE},
};
/* The code of every second function of the input is in the old section. */
static struct section_part parts[2 * MOST + 1];

static uint32_t any(uint32_t below)
{
	return (uint32_t)prng_below(&m.random, below);
}

/* ---- two sides ---- */

static void add_symbol(struct side *side, struct symbol symbol)
{
	assert_true(side->table.symbols.count < MOST_SYMBOLS);
	symbol.order = side->next_order;
	side->next_order += 1 + any(3);
	side->symbols[side->table.symbols.count++] = symbol;
}

static struct symbol any_symbol(uint64_t address)
{
	static const char *const names[] = {"f", "g", "init", "f.cold", "init.1"};
	bool local = any(3);

	return (struct symbol){.address = address,
			       .name = names[any(5)],
			       .section = TEXT,
			       .type = STT_FUNC,
			       .local = local,
			       .file = local ? any(FILES) : 0};
}

/* What is no symbol of code counts for no name. */
static struct symbol any_other_symbol(void)
{
	struct symbol symbol = any_symbol(INPUT_CODE + any(4) * 0x100);

	switch (any(4)) {
	case 0: symbol.section = DATA; break;
	case 1: symbol.section = ABSOLUTE_SECTION; break;
	case 2: symbol.type = STT_SECTION; break;
	default: symbol.name = "";
	}
	return symbol;
}

static const char *any_printed(void)
{
	static const char *const names[] = {"f", "f/1", "g/2", "init/1", "init/a.c/1"};

	return names[any(5)];
}

static void add_function(struct side *side, uint64_t address, enum function_kind kind,
			 const char *primary)
{
	side->functions[side->table.count++] =
		(struct function){.address = address,
				  .size = 0x80,
				  .extent = 0x80,
				  .section = (uint32_t)side->table.count,
				  .kind = kind,
				  .primary = primary,
				  .printed = kind == FUNCTION_PLT ? primary : any_printed()};
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->address != y->address ? (x->address > y->address) - (x->address < y->address) :
					  (x->order > y->order) - (x->order < y->order);
}

static int by_start(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static void finish(struct side *side)
{
	struct function_table *table = &side->table;

	qsort(side->symbols, table->symbols.count, sizeof(*side->symbols), by_address);
	qsort(side->functions, table->count, sizeof(*side->functions), by_start);
	table->at = side->functions;
	table->symbols.at = side->symbols;
	table->symbols.files = side->files;
	table->image = (struct image){.sections = sections,
				      .section_count = SECTIONS,
				      .parts = parts,
				      .part_count = BC_COUNT(parts)};
	assert_true(functions_index(table));
}

/* A function of the input at each 0x100; what becomes of it in the output: left where it is, moved,
 * folded into one before it, or removed. */
static void place_code(uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint64_t address = INPUT_CODE + i * 0x100;
		uint32_t what = any(10);
		add_function(&m.input, address, FUNCTION_CODE, any_printed());
		m.code_of[i] = what < 2 ? address : OUTPUT_CODE + (count - i) * 0x100;
		if (what == 9 && !m.complete)
			m.code_of[i] = 0;
		else if (what > 6 && i && m.code_of[i - 1])
			m.code_of[i] = m.code_of[i - 1];
		else
			add_function(&m.output, m.code_of[i], FUNCTION_CODE, any_printed());
	}
}

static void place_symbols(uint32_t count)
{
	for (uint32_t i = 0, function; i < 3 * count; i++) {
		function = i < count ? i : any(count);
		uint64_t within = any(5) ? 0 : 0x10; /* or a label in its code */
		struct symbol symbol = any_symbol(INPUT_CODE + function * 0x100 + within);
		if (!any(5)) {
			add_symbol(any(2) ? &m.input : &m.output, any_other_symbol());
			continue;
		}
		add_symbol(&m.input, symbol);
		if (!m.code_of[function] || (!m.complete && !any(8)))
			continue;
		symbol.address = m.code_of[function] + within;
		symbol.file = symbol.local ? FILES - 1 - symbol.file :
					     0; /* the files of the output have other numbers */
		add_symbol(&m.output, symbol);
	}
	for (uint32_t i = any(5); i; i--) /* llvm-bolt's own */
		add_symbol(&m.output, any_symbol(OUTPUT_CODE + any(count + 1) * 0x100));
}

static void place_plt(void)
{
	static const char *const names[] = {"b@PLT", "a@PLT", "d@PLT", "c@PLT"};

	for (uint32_t i = 0; i < BC_COUNT(names); i++) {
		if (any(3))
			add_function(&m.input, 0x1000 + i * 0x100, FUNCTION_PLT, names[i]);
		if (any(3))
			add_function(&m.output, 0x2000 - i * 0x100, FUNCTION_PLT, names[i]);
	}
}

static void make(uint64_t seed)
{
	static const char *const files[FILES] = {"", "a.c", "b.c", "a.c", "x/a.c"};
	uint32_t count;

	memset(&m, 0, sizeof(m));
	m.random.state = seed;
	m.complete = any(2);
	for (uint32_t i = 0; i < FILES; i++) {
		m.input.files[i] = files[i];
		m.output.files[FILES - 1 - i] = files[i];
	}
	for (uint32_t i = 0; i < 2 * MOST; i++)
		parts[i] = (struct section_part){INPUT_CODE + i * 0x100, i % 2 ? OLD_TEXT : TEXT};
	parts[2 * MOST] = (struct section_part){END, NO_SECTION_THERE};
	count = 1 + any(MOST);
	place_plt();
	place_code(count);
	place_symbols(count);
	finish(&m.input);
	finish(&m.output);
	for (uint32_t i = 0; i < m.output.table.count; i++)
		m.fragment_of[i] = any(3) ? i : NO_FRAGMENT;
	m.binary = (struct binary){
		.kind = BINARY_BOLTED,
		.image = m.output.table.image,
		.functions = m.output.table,
		.fragment_of = m.fragment_of,
		.bat = {.fragments = m.fragments, .fragment_count = MOST_FUNCTIONS}};
}

static void free_made(void)
{
	free(m.input.table.index.below);
	free(m.output.table.index.below);
}

/* ---- the rule of pair.h ---- */

static bool counts(const struct symbol *s)
{
	return s->section == TEXT && s->type != STT_SECTION && *s->name;
}

static bool alike(const struct side *a, const struct symbol *x, const struct side *b,
		  const struct symbol *y)
{
	return counts(x) && counts(y) && x->local == y->local && !strcmp(x->name, y->name) &&
	       (!x->local || !strcmp(a->files[x->file], b->files[y->file]));
}

/* How many symbols of a side have the name of `s`, and how many of these are before it. */
static uint32_t count_alike(const struct side *side, const struct side *of, const struct symbol *s,
			    uint32_t *before)
{
	uint32_t all = 0;

	*before = 0;
	for (size_t i = 0; i < side->table.symbols.count; i++)
		if (alike(side, &side->symbols[i], of, s)) {
			all++;
			*before += side->symbols[i].order < s->order;
		}
	return all;
}

static uint32_t function_at(const struct side *side, uint64_t address)
{
	for (uint32_t i = 0; i < side->table.count; i++)
		if (side->functions[i].address == address)
			return i;
	return NO_FUNCTION;
}

/* The output's function that a symbol of the input leads to, or NO_FUNCTION. */
static uint32_t led_to(const struct symbol *s)
{
	uint32_t number, ignored, number_there;
	uint32_t here = count_alike(&m.input, &m.input, s, &number);

	if (count_alike(&m.output, &m.input, s, &ignored) < here)
		return NO_FUNCTION;
	for (size_t i = 0; i < m.output.table.symbols.count; i++) {
		const struct symbol *there = &m.output.symbols[i];
		if (!alike(&m.input, s, &m.output, there))
			continue;
		count_alike(&m.output, &m.output, there, &number_there);
		if (number_there == number)
			return function_at(&m.output, there->address);
	}
	return NO_FUNCTION;
}

/* Is the body one to which some symbol of the function leads, or none if none does? */
static bool body_is_right(uint32_t i, uint32_t body)
{
	bool led = false;

	for (size_t s = 0; s < m.input.table.symbols.count; s++) {
		const struct symbol *symbol = &m.input.symbols[s];
		if (!counts(symbol) || symbol->address != m.input.functions[i].address)
			continue;
		uint32_t to = led_to(symbol);
		if (to == NO_FUNCTION)
			continue;
		if (to == body)
			return true;
		led = true;
	}
	return body == NO_FUNCTION && !led;
}

static bool plt_body_is_right(uint32_t i, uint32_t body)
{
	for (uint32_t o = 0; o < m.output.table.count; o++)
		if (m.output.functions[o].kind == FUNCTION_PLT &&
		    !strcmp(m.output.functions[o].primary, m.input.functions[i].primary))
			return body == o;
	return body == NO_FUNCTION;
}

/* For the functions of one body, its owner is the first that is printed as the body is, or else the
 * first. */
static uint32_t owner_of(const struct pair *pair, uint32_t body)
{
	const char *name = m.output.functions[body].printed;
	uint32_t owner = NO_FUNCTION;

	for (uint32_t i = (uint32_t)m.input.table.count; i--;)
		if (pair->body_of[i] == body)
			owner = i;
	for (uint32_t i = (uint32_t)m.input.table.count; i--;)
		if (pair->body_of[i] == body && (!strcmp(m.input.functions[i].printed, name) ||
						 !strcmp(m.input.functions[i].primary, name)))
			owner = i;
	return owner;
}

/* ---- what is compared ---- */

static void names_are_right(const struct pair *pair, uint32_t i)
{
	uint32_t body = pair->body_of[i], output = pair->output_of[i];
	const struct function *in = &m.input.functions[i];

	if (body == NO_FUNCTION) {
		assert_int_equal(output, NO_FUNCTION);
		assert_null(pair_output_of(pair, in));
		return;
	}
	assert_true(output < functions_named(&pair->output->functions));
	const struct function *named = pair_output_of(pair, in);
	assert_ptr_equal(named, &pair->output->functions.at[output]);
	assert_int_equal(pair->input_of[output], i);
	assert_ptr_equal(pair_input_of(pair, named), in);
	assert_int_equal(output < m.output.table.count, owner_of(pair, body) == i);
	if (output < m.output.table.count) {
		assert_int_equal(output, body);
		return;
	}
	/* An extra one: a name, with the table of the body, and no code of its own. */
	assert_string_equal(named->primary, in->primary);
	assert_string_equal(named->printed, in->printed);
	assert_int_equal(named->kind, in->kind);
	assert_int_equal(named->section, m.output.functions[body].section);
	assert_int_equal(named->size, 0);
	assert_int_equal(named->extent, 0);
	assert_int_equal(pair->output->fragment_of[output], m.fragment_of[body]);
}

static void old_places_are_right(const struct pair *pair, uint32_t i)
{
	const struct function *in = &m.input.functions[i];
	uint32_t number = pair->output_of[i];

	struct old_place place = pair_old_place(pair, in->address + 0x24);
	const struct function *out =
		number == NO_FUNCTION ? NULL : &pair->output->functions.at[number];
	bool moved = out && in->address != out->address,
	     old = (in->address - INPUT_CODE) / 0x100 % 2;
	bool has_table = out && pair->output->fragment_of[number] != NO_FRAGMENT;
	bool is = out && in->kind == FUNCTION_CODE && (has_table ? moved && old : !moved);
	assert_ptr_equal(place.input, is ? in : NULL);
	assert_ptr_equal(place.output, is ? out : NULL);
	assert_int_equal(place.offset, is ? 0x24 : 0);
	assert_int_equal(place.has_table, is && has_table);
	assert_null(pair_old_place(pair, in->address + 0x80).input);
}

static void random_pairs(void **state)
{
	uint32_t known = 0, unknown = 0, twins = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 3000; seed++) {
		struct pair pair;
		struct bc_error err;
		make(seed);
		assert_true(
			pair_names(&m.input.table.image, &m.input.table, &m.binary, &pair, &err));
		for (uint32_t i = 0; i < m.input.table.count; i++) {
			const struct function *in = &m.input.functions[i];
			uint32_t body = pair.body_of[i];
			bool plt = in->kind == FUNCTION_PLT;
			assert_true(plt ? plt_body_is_right(i, body) : body_is_right(i, body));
			if (m.complete && !plt && body != NO_FUNCTION)
				assert_int_equal(m.output.functions[body].address,
						 m.code_of[(in->address - INPUT_CODE) / 0x100]);
			names_are_right(&pair, i);
			old_places_are_right(&pair, i);
			known += body != NO_FUNCTION;
			unknown += body == NO_FUNCTION;
			twins += body != NO_FUNCTION && pair.output_of[i] != body;
		}
		for (uint32_t o = 0; o < functions_named(&pair.output->functions); o++)
			assert_true(pair.input_of[o] == NO_FUNCTION ||
				    pair.output_of[pair.input_of[o]] == o);
		pair_close(&pair);
		free_made();
	}
	assert_true(known > 10000 && unknown > 1000 && twins > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
