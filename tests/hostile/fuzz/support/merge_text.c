/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#undef NDEBUG /* what is asserted here must be done, too */
#include "tests/hostile/fuzz/support/merge_text.h"

#include <assert.h>
#include <stdlib.h>

#include "src/base/output.h"
#include "src/profile/merge.h"

static void set(struct merge_input *input, struct text text)
{
	input->spooled = true;
	input->spool.memory = malloc(text.len + 1);
	assert(input->spool.memory);
	memcpy(input->spool.memory, text.at, text.len);
	input->spool.size = text.len;
	input->spool.room = text.len + 1;
}

static void check_refusal(const struct merge *merge, const struct bc_error *err)
{
	for (size_t i = 0; i < merge->count; i++) {
		const char *why = merge->inputs[i].why;
		assert(!why || (!strncmp(why, "in: ", 4) && !strchr(why, '\n')));
	}
	assert(err->code == BC_FORMAT || err->code == BC_MISMATCH);
	assert(!strchr(err->text, '\n'));
}

static char *merged(struct text text, bool twice, bool trusting, size_t memory, size_t *size)
{
	const struct merge_options options = {
		.threads = 1, .memory = memory, .fan_in = 2, .tmpdir = "/tmp", .saturate = twice};
	struct merge_input inputs[2] = {{.path = "in", .weight = 1}, {.path = "in", .weight = 1}};
	char *at = NULL;
	struct bc_error err = {0};
	struct merge merge;
	enum profile_kind kind;
	FILE *out = open_memstream(&at, size);

	assert(out);
	merge_init(&merge, &options, inputs, twice ? 2 : 1);
	set(&inputs[0], text);
	if (twice)
		set(&inputs[1], text);
	bool ok = (trusting ? merge_trust : merge_look)(&merge, &err) &&
		  merge_check(&merge, true, &err) && merge_write(&merge, NULL, out, &kind, &err);
	assert(!fclose(out));
	if (!ok && !trusting)
		check_refusal(&merge, &err);
	merge_free(&merge);
	if (!ok)
		free(at);
	return ok ? at : NULL;
}

char *merge_text(struct text text, bool twice, size_t memory, size_t *size)
{
	return merged(text, twice, false, memory, size);
}

/* Read once it is what it is when it is looked at before, or is not there at all. */
static void check_trusted(struct text text, const char *once, size_t size)
{
	for (size_t memory = 1; memory <= (size_t)1 << 20; memory <<= 20) {
		size_t trusted_size;
		char *trusted = merged(text, false, true, memory, &trusted_size);
		assert(!trusted || (once && trusted_size == size && !memcmp(once, trusted, size)));
		free(trusted);
	}
}

static size_t lines_of(const char *at, size_t size)
{
	size_t count = 0;

	for (size_t i = 0; i < size; i++)
		count += at[i] == '\n';
	return count;
}

void merge_text_check(struct text text)
{
	size_t size, again_size, twice_size, sorted_size;
	char *once = merge_text(text, false, (size_t)1 << 20, &size);

	check_trusted(text, once, size);
	if (!once)
		return;
	char *again = merge_text((struct text){once, size}, false, (size_t)1 << 20, &again_size);
	assert(again && again_size == size && !memcmp(once, again, size));
	char *sorted = merge_text(text, false, 1, &sorted_size);
	assert(sorted && sorted_size == size && !memcmp(once, sorted, size));
	char *twice = merge_text(text, true, 64, &twice_size);
	assert(twice && lines_of(twice, twice_size) == lines_of(once, size));
	free(once);
	free(again);
	free(sorted);
	free(twice);
}
