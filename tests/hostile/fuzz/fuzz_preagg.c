/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Each line is refused with its position, or is a record which, written down in
 * the plainest form, reads as the same record.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/samples/preagg_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_shown(size_t place, const struct preagg_shape *shape)
{
	return shape ? place >= shape->first && place <= shape->last : !place;
}

static void print(const struct preagg_record *r, FILE *out)
{
	const struct preagg_shape *shape = preagg_shape_of(r->letter);

	fputc(r->letter ? r->letter : '#', out);
	fputc(' ', out);
	if (r->letter == 'E')
		fwrite(r->event.at, 1, r->event.len, out);
	if (!r->letter || r->letter == 'E')
		return;
	for (size_t i = 0; i < PREAGG_PLACES; i++)
		if (is_shown(i, shape))
			fprintf(out, "%.*s%s%" PRIx64 " ", (int)r->places[i].file.len,
				r->places[i].file.at, r->places[i].file.len ? ":" : "",
				r->places[i].at);
	fprintf(out, "%" PRIu64, r->count);
	if (shape && shape->mispredictions)
		fprintf(out, " %" PRIu64, r->mispredicted);
}

static void check_same(const struct preagg_record *a, const struct preagg_record *b)
{
	assert(a->letter == b->letter && a->count == b->count &&
	       a->mispredicted == b->mispredicted);
	for (size_t i = 0; i < PREAGG_PLACES; i++)
		assert(a->places[i].at == b->places[i].at &&
		       text_equal(a->places[i].file, b->places[i].file));
	assert(text_equal(a->event, b->event));
}

static void check_line(struct text text)
{
	struct line line = {text, "fuzz", 7};
	struct preagg_record record, again;
	struct preagg_fault fault;

	if (!preagg_parse(text, &record, &fault)) {
		assert(fault.why && fault.at >= text.at && fault.at <= text.at + text.len);
		assert(!preagg_fits(&line));
		return;
	}
	assert(preagg_fits(&line) == (record.letter != 0));
	for (size_t i = 0; i < PREAGG_PLACES; i++) /* a mark is in no file */
		assert(record.places[i].at < TRACE_FT_RETURN || !record.places[i].file.len);
	char *plain = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&plain, &size);
	assert(file);
	print(&record, file);
	fclose(file);
	assert(preagg_parse((struct text){plain, size}, &again, &fault));
	check_same(&record, &again);
	free(plain);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text rest = {(const char *)data, size};

	while (rest.len) {
		size_t len = text_find(rest, '\n');
		check_line(text_first(rest, len));
		rest = text_from(rest, len + 1);
	}
	return 0;
}
