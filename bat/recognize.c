/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Nothing in a descriptor names its layout: every layout is tried, and the one that
 * fits is decoded.  The newest is the likeliest and is decoded as it is tried.
 */
#include "bat/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What came of trying a layout. */
struct trial {
	bool fits;
	struct bat_pass pass;
	struct bat_error err;
};

/* into: the table to fill, or NULL. */
static void try_layout(enum bat_layout layout, const uint8_t *desc, size_t size, bool with_blocks,
		       struct bat_table *into, struct trial *t)
{
	const struct bat_features *features = bat_layout_features(layout);

	*t = (struct trial){
		.pass.in = {desc, desc, desc + size, &t->err},
		.pass.table = into,
		.pass.with_blocks = with_blocks && features->hashed,
	};
	/* A note's descsz has 32 bits, and so have our counts. */
	if (size > UINT32_MAX)
		(void)bat_cursor_fail(&t->pass.in, desc, "desc", BAT_CAUSE_RANGE,
				      "larger than 4 GiB");
	else
		t->fits = bat_read(&t->pass, features);
	t->err.layout = layout;
}

/* The end of decoding: the table becomes the result, or is freed with an error. */
static bool finish(struct bat_table *table, struct trial *t, struct bat_table *out,
		   struct bat_error *err)
{
	if (t->fits && bat_pass_finish(&t->pass) && bat_link(table, &t->err)) {
		*out = *table;
		return true;
	}
	*err = t->err;
	bat_free(table);
	return false;
}

static bool decode(enum bat_layout layout, const uint8_t *desc, size_t size, bool with_blocks,
		   struct bat_table *out, struct bat_error *err)
{
	struct bat_table table = {.layout = layout};
	struct trial t;

	try_layout(layout, desc, size, with_blocks, &table, &t);
	return finish(&table, &t, out, err);
}

bool bat_decode_as(enum bat_layout layout, const uint8_t *desc, size_t size, struct bat_table *out,
		   struct bat_error *err)
{
	struct bat_error unread = {0};

	err = err ? err : &unread;
	*out = (struct bat_table){0};
	return bat_know_layout(layout, err) && decode(layout, desc, size, true, out, err);
}

/* Are these bytes the whole note: three numbers, the owner, the descriptor? */
static bool is_note(const uint8_t *desc, size_t size)
{
	static const uint8_t owner[] = BAT_NOTE_OWNER;

	return size >= 12 + sizeof(owner) && load_u32(desc) == sizeof(owner) &&
	       load_u32(desc + 8) == BAT_NOTE_TYPE && !memcmp(desc + 12, owner, sizeof(owner));
}

/* No layout fits: the text has the error of each layout, and the other fields are
 * those of the layout that was read furthest. */
static bool fail_unrecognized(const struct trial *trials, bool note, struct bat_error *err)
{
	const char *begin = note ? "a whole note, and no descriptor, which "
				   "begins at its byte 20: " :
				   "unrecognized BAT layout: ";
	size_t used = 0;

	*err = (struct bat_error){.code = BAT_ERROR_FORMAT, .field = ""};
	for (unsigned i = 0; i < BAT_LAYOUT_COUNT && used < sizeof(err->text); i++) {
		int n = snprintf(err->text + used, sizeof(err->text) - used, "%s%s: %s",
				 i ? "; " : begin, bat_layout_name((enum bat_layout)i),
				 trials[i].err.text);

		used += n > 0 ? (size_t)n : 0;
		if (i == 0 || trials[i].err.byte > err->byte) {
			err->byte = trials[i].err.byte;
			err->field = trials[i].err.field;
			err->cause = trials[i].err.cause;
			err->layout = (enum bat_layout)i;
		}
	}
	return false;
}

static bool fail_ambiguous(enum bat_layout a, enum bat_layout b, struct bat_error *err)
{
	*err = (struct bat_error){.code = BAT_ERROR_AMBIGUOUS, .field = ""};
	(void)snprintf(err->text, sizeof(err->text),
		       "ambiguous BAT layout: %s and %s fit equally well", bat_layout_name(a),
		       bat_layout_name(b));
	return false;
}

/* Does the layout of `a` fit better than that of `b`?  In the right layout most hot
 * functions begin with an entry that translates offset 0 to 0; in a wrong one few
 * do. */
static bool fits_better(const struct trial *a, const struct trial *b)
{
	return a->fits && (!b->fits || a->pass.zero_starts > b->pass.zero_starts);
}

/* The layout that fits best.  trials has all layouts.  note: is_note() */
static bool choose(const struct trial *trials, bool note, enum bat_layout *out,
		   struct bat_error *err)
{
	unsigned best = BAT_LAYOUT_HASHED;

	for (unsigned i = 0; i < BAT_LAYOUT_COUNT; i++)
		if (fits_better(&trials[i], &trials[best]))
			best = i;
	if (!trials[best].fits)
		return fail_unrecognized(trials, note, err);
	for (unsigned i = 0; i < BAT_LAYOUT_COUNT; i++) {
		/* An empty table is the same under every layout. */
		if (i != best && trials[i].fits && !fits_better(&trials[best], &trials[i]) &&
		    trials[i].pass.fragments + trials[best].pass.fragments > 0)
			return fail_ambiguous((enum bat_layout)i, (enum bat_layout)best, err);
	}
	*out = (enum bat_layout)best;
	return true;
}

static bool recognize(const uint8_t *desc, size_t size, bool with_blocks, struct bat_table *out,
		      struct bat_error *err)
{
	struct bat_table hashed = {.layout = BAT_LAYOUT_HASHED};
	struct trial trials[BAT_LAYOUT_COUNT];
	enum bat_layout best = BAT_LAYOUT_HASHED;
	struct bat_error unread = {0};
	bool ok;

	err = err ? err : &unread;
	*out = (struct bat_table){0};
	for (unsigned i = 0; i < BAT_LAYOUT_COUNT; i++)
		try_layout((enum bat_layout)i, desc, size, with_blocks,
			   i == BAT_LAYOUT_HASHED ? &hashed : NULL, &trials[i]);
	ok = trials[BAT_LAYOUT_HASHED].err.code != BAT_ERROR_NOMEM || bat_fail_nomem(err);
	ok = ok && choose(trials, is_note(desc, size), &best, err);
	if (ok && best == BAT_LAYOUT_HASHED)
		return finish(&hashed, &trials[best], out, err);
	bat_free(&hashed);
	return ok && decode(best, desc, size, with_blocks, out, err);
}

bool bat_decode(const uint8_t *desc, size_t size, struct bat_table *out, struct bat_error *err)
{
	return recognize(desc, size, true, out, err);
}

bool bat_decode_offsets(const uint8_t *desc, size_t size, struct bat_table *out,
			struct bat_error *err)
{
	return recognize(desc, size, false, out, err);
}

void bat_free(struct bat_table *table)
{
	if (!table)
		return;
	free(table->fragments);
	free(table->entries);
	free(table->blocks);
	free(table->secondary);
	*table = (struct bat_table){0};
}
