/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/output/fdata.h"

#include <string.h>

#include "src/base/emit.h"

/* Blanks and backslashes in a name are escaped: blanks separate fields. */
static void emit_name(struct emit *out, const char *name)
{
	for (;;) {
		size_t plain = strcspn(name, " \\");
		emit_bytes(out, name, plain);
		name += plain;
		if (!*name)
			return;
		emit_char(out, '\\');
		emit_char(out, *name++);
	}
}

static void emit_place(struct emit *out, struct input_place place)
{
	if (!place.function) {
		emit_string(out, "0 [unknown] 0 ");
		return;
	}
	emit_string(out, "1 ");
	emit_name(out, place.function->printed);
	emit_char(out, ' ');
	emit_hex(out, place.offset);
	emit_char(out, ' ');
}

static void emit_record(struct emit *out, const struct record *record)
{
	emit_place(out, record->from);
	if (record->kind != RECORD_SAMPLE) {
		emit_place(out, record->to);
		emit_dec(out, record->mispredicted);
		emit_char(out, ' ');
	}
	emit_dec(out, record->count);
	emit_char(out, '\n');
}

/* perf2bolt begins a basic profile with both lines, which llvm-bolt refuses:
 * it looks for no_lbr first.  merge-fdata refuses them the other way round. */
static void emit_header(struct emit *out, const struct profile *profile,
			const struct fdata_header *header)
{
	if (!profile->basic) {
		if (!profile->binary->plain)
			emit_string(out, "boltedcollection\n");
		return;
	}
	emit_string(out, "no_lbr");
	for (size_t i = 0; i < header->event_count; i++) {
		emit_char(out, ' ');
		emit_string(out, header->events[i]);
	}
	emit_char(out, '\n');
}

void fdata_write(const struct profile *profile, const struct fdata_header *header, FILE *file)
{
	struct emit out = {.file = file};

	emit_header(&out, profile, header);
	for (size_t i = 0; i < profile->record_count; i++) {
		struct record record = profile_record(profile, i);
		emit_record(&out, &record);
	}
	emit_flush(&out);
}
