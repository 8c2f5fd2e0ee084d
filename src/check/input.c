/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/check/input.h"

#include <stdlib.h>

#include "src/pair/pair.h"

static bool find_probes(struct input *input, struct bc_error *err)
{
	return probes_read(&input->image, &input->probes) || bc_fail_nomem(err);
}

bool input_open(const char *path, struct input *out, struct bc_error *err)
{
	struct input input = {0};

	if (!file_map(path, &input.file, err))
		return false;
	if (image_open_map(&input.file, &input.image, err) &&
	    functions_build(&input.image, NUMBERS_BY_ADDRESS, &input.functions, err) &&
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

bool input_match(const struct binary *subject, const struct input *input, uint32_t *of, struct findings *findings)
{
	struct bc_error err;
	struct pair pair = {0};

	if (!pair_names(&input->image, &input->functions, subject, &pair, &err)) {
		findings->nomem = true;
		return false;
	}
	for (uint32_t i = 0; i < subject->bat.fragment_count; i++) {
		const struct bat_fragment *f = &subject->bat.fragments[i];
		uint32_t hot = f->cold ? f->parent : i, output = hot == BAT_NO_PARENT ? NO_FUNCTION : subject->function_of[hot];
		of[i] = output == NO_FUNCTION ? NO_FUNCTION : pair.input_of[output];
	}
	pair_close(&pair);
	return true;
}
