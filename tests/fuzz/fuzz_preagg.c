/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Each line is refused with its place, or is a record which, written down in
 * the plainest form, reads as the same record.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "src/event/preagg_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct build_id own = {4, {0x0b, 0x44, 0x3b, 0x38}};

static void check_error(const struct bc_error *err)
{
	assert(err->code == BC_FORMAT);
	assert(!strncmp(err->text, "fuzz: line 7, column ", 21));
	assert(!strchr(err->text, '\n'));
}

static size_t print(const struct preagg_line *r, char *out, size_t size)
{
	int n = 0;

	switch (r->kind) {
	case PREAGG_NOTHING:
		n = snprintf(out, size, "#");
		break;
	case PREAGG_EVENT:
		n = snprintf(out, size, "E %.*s", (int)r->event.len, r->event.at);
		break;
	case PREAGG_BASIC:
		n = snprintf(out, size, "S %" PRIx64 " %" PRIu64, r->at.v, r->count);
		break;
	case PREAGG_TRACE:
		n = snprintf(out, size, "%c %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIu64 " %" PRIu64,
			     r->is_return ? 'R' : 'T', r->trace.branch.word, r->trace.from.word, r->trace.to.word,
			     r->count, r->mispredicted);
		break;
	}
	return n > 0 && (size_t)n < size ? (size_t)n : 0;
}

static void check_same(const struct preagg_line *a, const struct preagg_line *b)
{
	assert(a->kind == b->kind && a->is_return == b->is_return);
	assert(a->at.v == b->at.v && a->count == b->count && a->mispredicted == b->mispredicted);
	assert(trace_end_equal(a->trace.branch, b->trace.branch) && trace_end_equal(a->trace.from, b->trace.from) &&
	       trace_end_equal(a->trace.to, b->trace.to));
	assert(text_equal(a->event, b->event));
}

static void check_line(struct text text)
{
	struct line line = {text, "fuzz", 7};
	struct preagg_line record, again;
	struct bc_error err = {0};
	char plain[4096];

	if (!preagg_parse(&line, &own, &record, &err)) {
		check_error(&err);
		return;
	}
	assert(preagg_fits(&line) == (record.kind != PREAGG_NOTHING));
	/* %s ends at a zero byte, which a name can hold. */
	if (text_find(record.event, '\0') < record.event.len)
		return;
	line.text = (struct text){plain, print(&record, plain, sizeof(plain))};
	if (!line.text.len) /* a name too long to be written down here */
		return;
	assert(preagg_parse(&line, &own, &again, &err));
	check_same(&record, &again);
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
