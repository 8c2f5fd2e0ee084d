/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/check/input.h"

#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
	const struct input_name *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (!order)
		order = strcmp(x->printed, y->printed);
	return order ? order : (x->function > y->function) - (x->function < y->function);
}

static bool find_probes(struct input *input, struct bc_error *err)
{
	return probes_read(&input->image, &input->probes) || bc_fail_nomem(err);
}

static bool index_names(struct input *input, struct bc_error *err)
{
	const struct symbol_table *symbols = &input->functions.symbols;

	input->names = malloc((symbols->count + 1) * sizeof(*input->names));
	if (!input->names)
		return bc_fail_nomem(err);
	for (size_t i = 0; i < symbols->count; i++) {
		const struct symbol *s = &symbols->at[i];
		const struct function *f =
			functions_find(&input->functions, (struct vaddr){s->address});
		if (f && f->address == s->address && s->name[0])
			input->names[input->name_count++] =
				(struct input_name){s->name, f->printed, (uint32_t)(f - input->functions.at)};
	}
	qsort(input->names, input->name_count, sizeof(*input->names), by_name);
	return true;
}

bool input_open(const char *path, struct input *out, struct bc_error *err)
{
	struct input input = {0};

	if (!file_map(path, &input.file, err))
		return false;
	if (image_open_map(&input.file, &input.image, err) &&
	    functions_build(&input.image, NUMBERS_BY_ADDRESS, &input.functions, err) && index_names(&input, err) &&
	    find_probes(&input, err)) {
		*out = input;
		return true;
	}
	input_close(&input);
	return bc_fail_prefix(err, path);
}

void input_close(struct input *input)
{
	probes_free(&input->probes);
	free(input->names);
	functions_free(&input->functions);
	image_close(&input->image);
	file_unmap(&input->file);
	*input = (struct input){0};
}

struct bytes input_code_of(const struct input *input, uint32_t function)
{
	const struct function *f = &input->functions.at[function];

	return bytes_first(image_bytes_at(&input->image, (struct vaddr){f->address}),
			   f->size > f->extent ? f->size : f->extent);
}
