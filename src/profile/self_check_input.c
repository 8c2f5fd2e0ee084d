/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/self_check_input.h"

#include <inttypes.h>
#include <stdlib.h>

/* Functions are known by two names, of which the profile has one. */
struct known {
	const char *name;
	const struct function *function;
};

static int compare_known(const void *a, const void *b)
{
	return strcmp(((const struct known *)a)->name, ((const struct known *)b)->name);
}

static struct known *known_functions(const struct function_table *input)
{
	struct known *known = malloc((2 * input->count + 1) * sizeof(*known));

	for (size_t i = 0; known && i < input->count; i++) {
		known[2 * i] = (struct known){input->at[i].primary, &input->at[i]};
		known[2 * i + 1] = (struct known){input->at[i].printed, &input->at[i]};
	}
	if (known && input->count)
		qsort(known, 2 * input->count, sizeof(*known), compare_known);
	return known;
}

static const struct known *first_of(const struct known *known, size_t count, const char *name)
{
	struct known key = {name, NULL};

	while (count) {
		size_t half = count / 2;
		bool below = compare_known(&known[half], &key) < 0;
		known += below ? half + 1 : 0;
		count = below ? count - half - 1 : half;
	}
	return known;
}

static bool check_place(const struct function_table *input, const struct known *known,
			struct input_place place, struct bc_error *err)
{
	const struct known *end = known + 2 * input->count;
	const char *name = place.function ? place.function->printed : NULL;
	bool any = false;

	if (!name || text_starts(text_of(name), ".bolt.org.")) /* code without a symbol, by its section */
		return true;
	for (const struct known *k = first_of(known, 2 * input->count, name); k < end && !strcmp(k->name, name); k++) {
		any = true;
		if (place.offset < function_extent(input, k->function))
			return true;
	}
	if (!any)
		return bc_fail(err, BC_NOTFOUND, "self-check: no function %.200s here: is it the input binary?", name);
	return bc_fail(err, BC_BUG, "self-check: offset 0x%" PRIx32 " of the profile lies outside %.200s here",
		       place.offset, name);
}

bool self_check_input(const struct profile *profile, const struct function_table *input, struct bc_error *err)
{
	struct known *known = known_functions(input);
	bool ok = known || bc_fail_nomem(err);

	for (size_t i = 0; ok && i < profile->record_count; i++) {
		struct record record = profile_record(profile, i);
		ok = check_place(input, known, record.from, err) && check_place(input, known, record.to, err);
	}
	for (size_t i = 0; ok && i < profile->accesses.len; i++) {
		const struct access *a = &profile->accesses.at[i];
		ok = check_place(input, known, (struct input_place){a->function, a->offset}, err);
	}
	free(known);
	return ok;
}
