/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/choice.h"

#include <inttypes.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The longest name of C++ programs is far below; a longer one is cut, and fits nothing. */
#define LONGEST_NAME 65536

/* Names as they were given, ready to be compared. */
struct matcher {
	const char **exact; /* sorted */
	regex_t *patterns;
	size_t exact_count, pattern_count;
};

struct choosing {
	const struct binary *binary;
	struct matcher names, skip;
	struct code_marks touched; /* a sample did; none: that does not matter */
	char *name;                /* LONGEST_NAME bytes */
};

static void matcher_free(struct matcher *m)
{
	for (size_t i = 0; i < m->pattern_count; i++)
		regfree(&m->patterns[i]);
	free(m->patterns);
	free(m->exact);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool compile(const char *text, regex_t *out, struct bc_error *err)
{
	size_t size = strlen(text) + 3;
	char *whole = malloc(size);

	if (!whole)
		return bc_fail_nomem(err);
	snprintf(whole, size, "^%s$", text);
	int code = regcomp(out, whole, REG_EXTENDED | REG_NOSUB);
	free(whole);
	if (code == REG_ESPACE)
		return bc_fail_nomem(err);
	return !code || bc_fail(err, BC_FORMAT, "not a regular expression: %s", text);
}

static bool matcher_init(struct matcher *m, const struct choice_name_vec *names,
			 struct bc_error *err)
{
	m->patterns = calloc(names->len + 1, sizeof(*m->patterns));
	m->exact = calloc(names->len + 1, sizeof(*m->exact));
	if (!m->patterns || !m->exact)
		return bc_fail_nomem(err);
	for (size_t i = 0; i < names->len; i++) {
		if (names->at[i].exact)
			m->exact[m->exact_count++] = names->at[i].text;
		else if (compile(names->at[i].text, &m->patterns[m->pattern_count], err))
			m->pattern_count++;
		else
			return false;
	}
	qsort(m->exact, m->exact_count, sizeof(*m->exact), by_text);
	return true;
}

static bool fits(const struct matcher *m, const char *name)
{
	if (m->exact_count && bsearch(&name, m->exact, m->exact_count, sizeof(*m->exact), by_text))
		return true;
	for (size_t i = 0; i < m->pattern_count; i++)
		if (!regexec(&m->patterns[i], name, 0, NULL, 0))
			return true;
	return false;
}

/* Local symbols have numbers after their names, and a second name with that of their file. */
static bool symbol_fits(const struct choosing *c, const struct matcher *m, const struct symbol *s)
{
	const char *const *files = (const char *const *)c->binary->functions.symbols.files;

	if (!s->local)
		return fits(m, s->name);
	snprintf(c->name, LONGEST_NAME, "%s/%" PRIu32, s->name, s->number);
	if (fits(m, c->name))
		return true;
	if (!s->file_number)
		return false;
	snprintf(c->name, LONGEST_NAME, "%s/%s/%" PRIu32, s->name, files[s->file], s->file_number);
	return fits(m, c->name);
}

static bool function_fits(const struct choosing *c, const struct matcher *m,
			  const struct function *f)
{
	const struct symbol_table *symbols = &c->binary->functions.symbols;

	if (fits(m, f->primary) || fits(m, f->printed))
		return true;
	for (size_t i = f->address ? symbols_above(symbols, f->address - 1) : 0;
	     i < symbols->count && symbols->at[i].address == f->address; i++)
		if (!symbols->at[i].nameless && symbol_fits(c, m, &symbols->at[i]))
			return true;
	return false;
}

/* Fragments go with their parents, which are chosen by their names. */
static bool is_fragment(const struct binary *binary, uint32_t index)
{
	uint32_t fragment = binary->fragment_of[index];

	return fragment == NO_FRAGMENT ?
		       strstr(binary->functions.at[index].primary, ".cold") != NULL :
		       binary->bat.fragments[fragment].cold;
}

static void choose(const struct choosing *c, const struct function_choice *choice,
		   struct code_marks *marks)
{
	const struct function_table *functions = &c->binary->functions;
	uint64_t taken = 0;

	for (uint32_t i = 0; i < functions->count; i++) {
		const struct function *f = &functions->at[i];
		if (is_fragment(c->binary, i) || f->kind == FUNCTION_PLT)
			continue;
		struct code_number number = {i};
		bool left_out = (choice->limited && taken >= choice->most) ||
				(choice->skip.len && function_fits(c, &c->skip, f));
		if (!left_out && choice->names.len)
			left_out = !function_fits(c, &c->names, f);
		else if (!left_out && c->touched.at)
			left_out = !*code_marks_of(&c->touched, number);
		*code_marks_of(marks, number) = left_out;
		taken += !left_out;
	}
}

bool choice_apply(const struct function_choice *choice, struct located_counts *located,
		  struct code_marks *out, struct bc_error *err)
{
	const struct binary *binary = located->binary;
	struct choosing c = {.binary = binary, .name = malloc(LONGEST_NAME)};
	struct code_marks left_out = {0};

	bool ok = (c.name && code_marks_make(&left_out, &binary->functions) &&
		   (!choice->touched_only || touched_functions(located, &c.touched))) ||
		  bc_fail_nomem(err);
	ok = ok && matcher_init(&c.names, &choice->names, err) &&
	     matcher_init(&c.skip, &choice->skip, err);
	if (ok)
		choose(&c, choice, &left_out);
	matcher_free(&c.names);
	matcher_free(&c.skip);
	code_marks_free(&c.touched);
	free(c.name);
	if (ok)
		*out = left_out;
	else
		code_marks_free(&left_out);
	return ok;
}

void choice_free(struct function_choice *choice)
{
	choice_name_vec_free(&choice->names);
	choice_name_vec_free(&choice->skip);
}

static void touch(struct location at, struct code_marks *touched)
{
	if (at.function != LOCATION_NONE)
		*code_marks_of(touched, (struct code_number){at.function}) = true;
}

bool touched_functions(struct located_counts *located, struct code_marks *out)
{
	if (!code_marks_make(out, &located->binary->functions))
		return false;
	for (size_t shard = 0; shard < COUNTS_SHARDS; shard++) {
		const struct count_table *table = located_rows(located, shard);
		for (size_t i = 0; i < table->used; i++) {
			const struct location *row = located_row(located, shard, i);
			touch(row[END_FROM], out);
			if (!located->basic)
				touch(row[END_BRANCH], out);
		}
	}
	return true;
}
