/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/output/fdata.h"

#include <inttypes.h>
#include <stdlib.h>

/* Blanks and backslashes in a name are escaped: blanks separate fields. */
static void write_name(const char *name, FILE *out)
{
	for (; *name; name++) {
		if (*name == ' ' || *name == '\\')
			putc('\\', out);
		putc(*name, out);
	}
}

static void write_place(struct input_place place, FILE *out)
{
	if (!place.function) {
		fputs("0 [unknown] 0 ", out);
		return;
	}
	fputs("1 ", out);
	write_name(place.function->printed, out);
	fprintf(out, " %" PRIx32 " ", place.offset);
}

static void write_record(const struct record *record, FILE *out)
{
	write_place(record->from, out);
	if (record->kind != RECORD_SAMPLE) {
		write_place(record->to, out);
		fprintf(out, "%" PRIu64 " ", record->mispredicted);
	}
	fprintf(out, "%" PRIu64 "\n", record->count);
}

bool fdata_write(const struct profile *profile, const struct fdata_header *header, FILE *out,
		 struct bc_error *err)
{
	struct record *records;

	if (!profile_sorted(profile, &records, err))
		return false;
	fputs("boltedcollection\n", out);
	if (header->basic) {
		fputs("no_lbr", out);
		for (size_t i = 0; i < header->event_count; i++)
			fprintf(out, " %s", header->events[i]);
		putc('\n', out);
	}
	for (size_t i = 0; i < profile->records.used; i++)
		write_record(&records[i], out);
	free(records);
	return true;
}
