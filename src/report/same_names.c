/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/report/same_names.h"

#include <stdlib.h>

#define TWO_FUNCTIONS (UINT32_MAX - 1)

DEFINE_VEC(number_vec, uint32_t);

/* All names of the binary's functions. */
struct known_names {
	struct strings names;
	struct number_vec function; /* by number of the name: a name_number, or TWO_FUNCTIONS: it tells none */
};

static void known_free(struct known_names *known)
{
	strings_free(&known->names);
	number_vec_free(&known->function);
}

static bool know(struct known_names *known, const char *name, uint32_t function)
{
	uint32_t number;

	if (!name || !*name)
		return true;
	if (!strings_intern(&known->names, text_of(name), &number))
		return false;
	while (known->function.len <= number)
		if (!number_vec_push(&known->function, NO_NAME))
			return false;
	uint32_t *is = &known->function.at[number];
	*is = *is == NO_NAME || *is == function ? function : TWO_FUNCTIONS;
	return true;
}

/* Adds all names of each function of a table.  of: the names' functions in the binary, or NULL: they are the same. */
static bool know_table(struct known_names *known, const struct function_table *table, const uint32_t *of)
{
	for (uint32_t i = 0; i < functions_named(table); i++) {
		uint32_t function = of ? of[i] : i;
		if (function == NO_FUNCTION)
			continue;
		if (!know(known, table->at[i].printed, function) || !know(known, table->at[i].primary, function) ||
		    !know(known, table->at[i].told, function))
			return false;
	}
	return true;
}

/* The names in the input, else those in the binary, where local functions of one name can have other numbers. */
static bool know_all(struct known_names *known, const struct report_subject *subject)
{
	const struct pair *pair = subject_pair(subject);

	return pair ? know_table(known, &pair->functions, pair->output_of) : know_table(known, &subject_binary(subject)->functions, NULL);
}

static uint32_t binary_number(const struct known_names *known, struct text name)
{
	uint32_t number;

	if (!strings_find(&known->names, name, &number) || number >= known->function.len)
		return NO_NAME;
	return known->function.at[number] < TWO_FUNCTIONS ? known->function.at[number] : NO_NAME;
}

static bool fill(const struct report_subject *subject, const struct known_names *known, const struct flat_profile *other, struct same_names *out)
{
	const struct flat_profile *mine = &subject->sources->flat;
	const struct function_table *table = &subject_binary(subject)->functions;
	struct flat_numbers own;
	bool ok = flat_numbers_make(&own, table);

	for (uint32_t i = 1; ok && i < mine->functions.len; i++)
		*flat_numbers_of(&own, mine->functions.at[i].number) = i;
	for (uint32_t i = 1; ok && i < other->functions.len; i++) {
		struct text name = strings_at(&other->names, i);
		bool equal = strings_find(&mine->names, name, &out->own[i]) && out->own[i] < mine->functions.len;
		out->binary[i] = equal ? mine->functions.at[out->own[i]].number.v : binary_number(known, name);
		if (!equal)
			out->own[i] = out->binary[i] == NO_NAME ? FLAT_OUTSIDE : *flat_numbers_of(&own, (struct name_number){out->binary[i]});
	}
	flat_numbers_free(&own);
	return ok;
}

bool same_names_take(const struct report_subject *subject, const struct flat_profile *other, struct same_names *out)
{
	struct known_names known = {0};

	*out = (struct same_names){calloc(other->functions.len + 1, sizeof(uint32_t)), calloc(other->functions.len + 1, sizeof(uint32_t))};
	bool ok = out->own && out->binary && know_all(&known, subject) && fill(subject, &known, other, out);
	known_free(&known);
	if (!ok)
		same_names_free(out);
	return ok;
}

void same_names_free(struct same_names *same)
{
	free(same->own);
	free(same->binary);
	*same = (struct same_names){0};
}
