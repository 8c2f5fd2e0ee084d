/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/same_names.h"

#include <stdio.h>
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

static uint32_t binary_number(const struct known_names *known, struct text name)
{
	uint32_t number;

	if (!strings_find(&known->names, name, &number) || number >= known->function.len)
		return NO_NAME;
	return known->function.at[number] < TWO_FUNCTIONS ? known->function.at[number] : NO_NAME;
}

/* The number in the binary, of which the first profile's functions may have it already. */
static uint32_t number_of(const struct known_names *known, const struct flat_profile *first, uint32_t i)
{
	return first->numbered ? first->functions.at[i].number.v : binary_number(known, strings_at(&first->names, i));
}

static bool fill(const struct known_names *known, const struct function_table *table, const struct flat_profile *first,
		 const struct flat_profile *second, struct same_names *out)
{
	struct flat_numbers own;
	bool ok = flat_numbers_make(&own, table);

	for (uint32_t i = 1; ok && i < first->functions.len; i++) {
		uint32_t number = number_of(known, first, i);
		if (number != NO_NAME)
			*flat_numbers_of(&own, (struct name_number){number}) = i;
	}
	for (uint32_t i = 1; ok && i < second->functions.len; i++) {
		struct text name = strings_at(&second->names, i);
		bool equal = strings_find(&first->names, name, &out->own[i]) && out->own[i] < first->functions.len;
		out->binary[i] = equal ? number_of(known, first, out->own[i]) : binary_number(known, name);
		if (!equal)
			out->own[i] = out->binary[i] == NO_NAME ? FLAT_OUTSIDE : *flat_numbers_of(&own, (struct name_number){out->binary[i]});
	}
	flat_numbers_free(&own);
	return ok;
}

bool same_names_take(const struct binary *binary, const struct pair *pair, const struct flat_profile *first, const struct flat_profile *second,
		     struct same_names *out)
{
	struct known_names known = {0};
	const struct function_table *table = &binary->functions;

	*out = (struct same_names){calloc(second->functions.len + 1, sizeof(uint32_t)), calloc(second->functions.len + 1, sizeof(uint32_t))};
	bool ok = out->own && out->binary &&
		  (pair ? know_table(&known, &pair->functions, pair->output_of) : know_table(&known, table, NULL)) &&
		  fill(&known, table, first, second, out);
	known_free(&known);
	if (!ok)
		same_names_free(out);
	return ok;
}

static bool has_function(const struct flat_profile *profile, struct text name)
{
	uint32_t number;

	return strings_find(&profile->names, name, &number) && number < profile->functions.len;
}

/* f/1 for f/FILE/N: the file can be a path.  false: the name has no file */
static bool without_file(struct text name, char *out, size_t size, struct text *short_name)
{
	size_t slash = text_find(name, '/');
	struct text number = text_behind(name, slash);

	if (text_find(number, '/') == number.len || slash + 2 >= size)
		return false;
	int length = snprintf(out, size, "%.*s/1", (int)slash, name.at);
	*short_name = (struct text){out, (size_t)length};
	return true;
}

size_t same_names_likely(const struct flat_profile *first, const struct flat_profile *second, struct text of[2])
{
	const struct flat_profile *const both[] = {first, second};
	char text[512];
	struct text short_name;
	size_t likely = 0;

	for (int k = 0; k < 2; k++)
		for (uint32_t i = 1; i < both[k]->functions.len; i++) {
			struct text name = strings_at(&both[k]->names, i);
			uint32_t number;
			if (!without_file(name, text, sizeof(text), &short_name) || has_function(both[!k], name) ||
			    has_function(both[k], short_name) || !has_function(both[!k], short_name))
				continue;
			if (!likely++ && strings_find(&both[!k]->names, short_name, &number)) {
				of[0] = name;
				of[1] = strings_at(&both[!k]->names, number);
			}
		}
	return likely;
}

void same_names_free(struct same_names *same)
{
	free(same->own);
	free(same->binary);
	*same = (struct same_names){0};
}
