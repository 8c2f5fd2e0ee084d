/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>

#include "src/base/parallel.h"
#include "src/isa/decoder.h"
#include "src/code/match.h"

/* A sample of so many functions is enough; they are taken evenly from all. */
#define FUNCTIONS_MOST ((uint32_t)2048)

/* What one thread counted. */
struct fit {
	const struct pair *pair;
	struct disagreement offsets;
};

/* The code of a function, and a bit for each byte of it that an instruction begins at. */
struct read_code {
	struct bytes code;
	uint8_t *starts; /* NULL: no memory */
	uint64_t known;  /* code from here on could not be read; */
};

static struct read_code read_function(struct decoder *decoder, const struct pair *pair, const struct function *f)
{
	struct read_code r = {.code = bytes_first(image_bytes_at(&pair->image, (struct vaddr){f->address}), f->extent),
			      .known = UINT64_MAX};
	uint64_t at = 0;
	struct insn insn;

	r.starts = calloc(r.code.size / 8 + 1, 1);
	for (; r.starts && at < r.code.size; at += insn.size) {
		if (!decoder_next(decoder, bytes_from(r.code, at), f->address + at, &insn))
			break;
		r.starts[at / 8] |= (uint8_t)(1u << at % 8);
	}
	if (at < r.code.size && decoder->llvm_missing)
		r.known = at;
	return r;
}

/* Counts the entries of a fragment that lie on an instruction, and those that do not.  Entries of
 * blocks that were never emitted, or deleted, are as good as others. */
static void count_entries(const struct pair *pair, uint32_t fragment, const struct read_code *r, struct disagreement *out)
{
	const struct bat_table *bat = &pair->output->bat;
	const struct bat_fragment *f = &bat->fragments[fragment];

	for (uint32_t i = f->first_entry; i < f->first_entry + f->entry_count; i++) {
		uint64_t at = bat_entry_input(bat->entries[i]);
		if (at >= r->known)
			continue;
		out->compared++;
		out->differ += at >= r->code.size || !(r->starts[at / 8] >> at % 8 & 1);
	}
}

bool pair_fit_function(const struct pair *pair, struct decoder *decoder, uint32_t fragment, uint32_t input, struct disagreement *out)
{
	struct read_code r = read_function(decoder, pair, &pair->functions.at[input]);

	if (r.starts)
		count_entries(pair, fragment, &r, out);
	bool ok = r.starts;
	free(r.starts);
	return ok;
}

static bool fit_fragment(struct fit *fit, struct decoder *decoder, uint32_t fragment)
{
	const struct pair *pair = fit->pair;
	uint32_t output = pair->output->function_of[fragment];
	uint32_t input = output == NO_FUNCTION ? NO_FUNCTION : pair->input_of[output];
	struct read_code none = {.known = UINT64_MAX};

	if (output == NO_FUNCTION || (pair->moved && (input == NO_FUNCTION || pair->moved[input] != NO_FRAGMENT)))
		return true;
	if (input != NO_FUNCTION)
		return pair_fit_function(pair, decoder, fragment, input, &fit->offsets);
	count_entries(pair, fragment, &none, &fit->offsets);
	return true;
}

/* Looks at every second one of the sample. */
static bool fit_half(void *ctx, size_t half, struct bc_error *err)
{
	struct fit *fit = (struct fit *)ctx + half;
	const struct bat_table *bat = &fit->pair->output->bat;
	uint32_t step = bat->fragment_count / FUNCTIONS_MOST + 1;
	struct decoder decoder;
	bool ok = true;

	decoder_open(fit->pair->image.machine, &decoder);
	for (uint64_t i = half * step; ok && i < bat->fragment_count; i += (uint64_t)2 * step)
		if (!bat->fragments[i].cold)
			ok = fit_fragment(fit, &decoder, (uint32_t)i);
	decoder_close(&decoder);
	return ok || bc_fail_nomem(err);
}

bool pair_fit(struct pair *pair, struct bc_error *err)
{
	struct fit halves[2] = {{.pair = pair}, {.pair = pair}};

	if (!parallel_parts(2, fit_half, halves, err))
		return false;
	pair->offsets.compared = halves[0].offsets.compared + halves[1].offsets.compared;
	pair->offsets.differ = halves[0].offsets.differ + halves[1].offsets.differ;
	return true;
}
