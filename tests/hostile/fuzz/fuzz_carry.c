/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A profile that is carried between two builds, either of them damaged.  An input is
 *
 *   byte 0      threads
 *   byte 1      how many changes follow
 *   the changes of four bytes each: offset (23 bits, little-endian, modulo the file's size; the top
 *               bit: in the new build, else in the old one), the byte that is there
 *   the rest    the profile, as fdata; none: the demo's own
 *
 * It is refused with a proper error, or the shares of what was carried add up, each record is of
 * functions of the new build and inside them, and the profile is the same for any number of
 * threads.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/file.h"
#include "src/carry/carry.h"
#include "src/profile/fdata.h"
#include "tests/support/bytes_file.h"
#include "tests/support/convert_all.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define DEMO BATCONV_SOURCE_DIR "/inputs/demo/"

/* What stays open from one run to the next. */
static struct file_map build_file, profile_file;

static void open_files(void)
{
	struct bc_error err = {0};

	if (!build_file.data && (!file_map(DEMO "demo", &build_file, &err) ||
				 !file_map(DEMO "expected/demo.preagg.fdata", &profile_file, &err)))
		abort();
}

static void open_profile(struct text text, struct flat_profile *out)
{
	const uint8_t *data = text.len ? (const uint8_t *)text.at : profile_file.data;
	struct bytes_file file = bytes_file_open(data, text.len ? text.len : profile_file.size);
	struct bc_error err = {0};
	bool mine = false;

	if (!flat_read(file.path, out, &mine, &err))
		error_check(&err);
	bytes_file_close(&file);
}

static void check_figures(const struct carried_counts *c)
{
	const struct carried_share *const shares[] = {
		&c->same,      &c->lines,   &c->aligned, &c->moved,
		&c->unmatched, &c->entries, &c->gone,    &c->no_graph,
	};
	uint64_t sum = 0;

	assert(carried_percent(c) >= 0 && carried_percent(c) <= 100);
	assert(carried_fits_percent(c) >= 0 && carried_fits_percent(c) <= 100);
	for (size_t i = 0; i < BC_COUNT(shares); i++) {
		assert(shares[i]->functions <= c->functions);
		if (__builtin_add_overflow(sum, shares[i]->runs, &sum))
			return;
	}
	assert(sum == c->runs || c->runs == UINT64_MAX);
}

static void check_profile(const struct profile *profile, FILE *out)
{
	struct bc_error err = {0};

	for (size_t i = 0; i < profile->record_count; i++) {
		struct record record = profile_record(profile, i);
		assert(record.count && (record.from.function || record.to.function));
		assert(!record.from.function || record.from.offset < record.from.function->extent);
		assert(!record.to.function || record.to.offset < record.to.function->extent);
	}
	assert(fdata_write_profile(profile, &(struct fdata_header){0}, 1, out, &err));
}

static void carry_to(const struct carry_job *job, FILE *out)
{
	struct carried_counts figures;
	struct profile profile = {0};
	struct bc_error err = {0};

	if (carry(job, &profile, &figures, &err)) {
		check_figures(&figures);
		check_profile(&profile, out);
	} else {
		error_check(&err);
	}
	profile_free(&profile);
}

/* The profile as text, or an empty one if it is refused. */
static char *carried(const struct bytes_file files[2], const struct flat_profile *profile,
		     unsigned threads, size_t *size)
{
	struct carry_build old_build = {0}, new_build = {0};
	const struct carry_job job = {&old_build, &new_build, profile, false, threads};
	struct bc_error err = {0};
	char *text;
	FILE *out = open_memstream(&text, size);

	assert(out);
	if (carry_build_open(files[0].path, &old_build, &err) &&
	    carry_build_open(files[1].path, &new_build, &err))
		carry_to(&job, out);
	else
		error_check(&err);
	carry_build_close(&old_build);
	carry_build_close(&new_build);
	fclose(out);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct flat_profile profile = {0};
	struct bytes_file files[2];
	uint8_t *bytes[2];
	size_t sizes[2];

	open_files();
	if (size < 2 || size - 2 < (size_t)4 * data[1])
		return 0;
	for (int i = 0; i < 2; i++) {
		bytes[i] = malloc(build_file.size);
		assert(bytes[i]);
		memcpy(bytes[i], build_file.data, build_file.size);
	}
	const uint8_t *change = data + 2, *rest = change + (size_t)4 * data[1];
	for (; change < rest; change += 4) {
		size_t at = change[0] | (size_t)change[1] << 8 | (size_t)(change[2] & 0x7f) << 16;
		bytes[change[2] >> 7][at % build_file.size] = change[3];
	}
	for (int i = 0; i < 2; i++) {
		files[i] = bytes_file_open(bytes[i], build_file.size);
		free(bytes[i]);
	}
	open_profile((struct text){(const char *)rest, size - (size_t)(rest - data)}, &profile);
	char *text = carried(files, &profile, 1, &sizes[0]);
	char *again = carried(files, &profile, 1 + data[0] % 4, &sizes[1]);
	assert(sizes[0] == sizes[1] && !memcmp(text, again, sizes[0]));
	free(text);
	free(again);
	flat_free(&profile);
	for (int i = 0; i < 2; i++)
		bytes_file_close(&files[i]);
	return 0;
}
