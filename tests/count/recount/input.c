/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/count/recount/input.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/elf/binary.h"
#include "tests/count/recount/mistakes.h"

struct known {
	const char *name;
	const struct function *function;
};

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct known *)a)->name, ((const struct known *)b)->name);
}

/* A function has two names, of which a profile has one. */
static void learn(struct input *input)
{
	const struct function_table *functions = &input->binary.functions;

	input->count = 2 * functions->count;
	input->known = must_allocate(input->count * sizeof(*input->known));
	for (size_t i = 0; i < functions->count; i++) {
		const struct function *f = &functions->at[i];
		input->known[2 * i] = (struct known){f->primary, f};
		input->known[2 * i + 1] = (struct known){f->printed, f};
	}
	if (input->count)
		qsort(input->known, input->count, sizeof(*input->known), compare);
}

bool input_open(const char *path, struct input *out, struct bc_error *err)
{
	*out = (struct input){0};
	if (!binary_map(path, &out->binary, err) || !binary_build_functions(&out->binary, err))
		return false;
	learn(out);
	return true;
}

void input_close(struct input *input)
{
	free(input->known);
	binary_close(&input->binary);
}

/* Without the backslashes that fdata puts before blanks and backslashes. */
static char *unescaped(struct text name)
{
	char *out = must_allocate(name.len + 1);
	size_t length = 0;

	for (size_t i = 0; i < name.len; i++) {
		if (name.at[i] == '\\' && i + 1 < name.len)
			i++;
		out[length++] = name.at[i];
	}
	out[length] = '\0';
	return out;
}

static const struct known *first_of(const struct input *input, const char *name)
{
	size_t low = 0, high = input->count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		if (strcmp(input->known[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return &input->known[low];
}

void input_check(const struct input *input, struct text text, uint64_t offset)
{
	const struct known *end = input->known + input->count;
	char *name = unescaped(text);
	bool known = false, inside = false;

	for (const struct known *k = first_of(input, name); k < end && !strcmp(k->name, name);
	     k++) {
		known = true;
		inside |= offset < function_extent(&input->binary.functions, k->function);
	}
	/* Code that had no symbol has the name of its section in the binary that BOLT wrote. */
	/* Thunks of llvm-bolt, without --restore. */
	if (!known && strncmp(name, ".bolt.org.", 10) != 0 && strncmp(name, "__AArch64_", 10) != 0)
		mistake("function %s: is in the profile, should be in the input binary", name);
	else if (known && !inside)
		mistake("offset in %s: is 0x%" PRIx64 ", should lie inside it in the input binary",
			name, offset);
	free(name);
}
