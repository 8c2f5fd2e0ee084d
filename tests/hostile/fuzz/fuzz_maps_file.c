/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Maps from a file of any format, as batconv maps reads them: .bcmaps, text of
 * /proc/PID/maps, perf.data, text of perf script; what has no maps is refused.
 *
 * An error is one line that names the file, and nothing is left over.  Else the regions
 * of each snapshot ascend and are found, snapshots are found by their process and id and by
 * time; they are the same when they are written as .bcmaps and read again, or, except for
 * build-ids and odd paths, as text; added to themselves they are there twice, under ids of
 * their own; and a recording that is read up to a time has none that is later.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "src/samples/bcmaps.h"
#include "src/samples/maps_text.h"
#include "src/samples/open.h"
#include "tests/support/bytes_file.h"
#include "tests/hostile/fuzz/support/check_snapshots.h"
#include "tests/hostile/fuzz/support/mutators.h"
#include "tests/support/convert_all.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_zero(const void *data, size_t size)
{
	for (const char *at = data; size; at++, size--)
		if (*at)
			return false;
	return true;
}

/* *recording: with events, not with maps as such. */
static bool read_bytes(const uint8_t *data, size_t size, uint64_t until, struct snapshots *out,
		       bool *recording)
{
	struct bytes_file file = bytes_file_open(data, size);
	struct reader_report report;
	struct bc_error err = {0};

	memset(&report, 0x55, sizeof(report));
	*out = (struct snapshots){0};
	bool ok = maps_open(file.path, until, out, &report, &err);
	if (!ok) {
		error_check(&err);
		assert(strstr(err.text, file.path));
		assert(is_zero(out, sizeof(*out)));
	} else {
		*recording = report.format != INPUT_AUTO;
		report.bytes = 0; /* of all kinds of files */
		assert(*recording || is_zero(&report, sizeof(report)));
	}
	bytes_file_close(&file);
	return ok;
}

static void check_bcmaps(const struct snapshots *all)
{
	struct snapshots again;
	struct bc_error err = {0};
	uint8_t *data;
	size_t size;
	bool recording;

	assert(bcmaps_write(all, &data, &size, &err));
	assert(read_bytes(data, size, 0, &again, &recording) && !recording);
	assert(again.all.len == all->all.len);
	check_same_snapshots(all, &again, all->all.len, true);
	snapshots_free(&again);
	free(data);
}

/* Text can hold it: columns are blanks, \012 is a newline, a file ends somewhere. */
static bool is_plain(const struct mapping *m, const struct mapped_files *files)
{
	struct text path = mapped_files_path(files, m->file);

	for (size_t i = 0; i < path.len; i++)
		if (text_starts(text_from(path, i), "\\012"))
			return false;
	return !(path.len && (*path.at == ' ' || *path.at == '\t')) &&
	       m->offset <= UINT64_MAX - (m->end - m->start);
}

/* False: it cannot be written so that it reads the same. */
static bool write_raw(const struct snapshots *all, FILE *out)
{
	bool plain = true;

	for (size_t i = 0; i < all->all.len; i++) {
		const struct snapshot *s = &all->all.at[i];
		struct maps_head head = {s->pid, s->id, s->time};
		struct maps maps;
		maps_text_write_head(&head, out);
		assert(maps_of(s->maps, &maps));
		for (size_t r = 0; r < maps.len; r++) {
			plain &= is_plain(&maps.at[r], &all->files);
			maps_text_write_mapping(&maps.at[r], &all->files, out);
		}
		maps_free(&maps);
	}
	return plain;
}

static void check_raw(const struct snapshots *all)
{
	struct snapshots again;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool recording;

	assert(out);
	bool plain = write_raw(all, out);
	assert(!fclose(out));
	if (plain && all->all.len) {
		assert(read_bytes((const uint8_t *)text, size, UINT64_MAX, &again, &recording) &&
		       !recording);
		assert(again.all.len == all->all.len);
		check_same_snapshots(all, &again, all->all.len, false);
		snapshots_free(&again);
	}
	free(text);
}

static void check_merged(struct snapshots *all)
{
	struct snapshots twice = {0};
	struct bc_error err = {0};
	size_t count = all->all.len;

	assert(snapshots_merge(&twice, all, &err));
	check_same_snapshots(all, &twice, count, true);
	/* No id is free after the largest. */
	for (size_t i = 0; i < count; i++)
		if (all->all.at[i].id > UINT32_MAX - count)
			count = 0;
	if (count) {
		assert(snapshots_merge(&twice, all, &err) && twice.all.len == 2 * count);
		check_snapshots(&twice);
	}
	snapshots_free(&twice);
}

static void check_until(const uint8_t *data, size_t size, const struct snapshots *all,
			bool recording)
{
	uint64_t until = all->all.len ? all->all.at[all->all.len / 2].time : 0;
	struct snapshots some;
	bool again;

	assert(read_bytes(data, size, until, &some, &again) && again == recording);
	for (size_t i = 0; i < some.all.len && recording; i++)
		assert(some.all.at[i].time <= until);
	if (!recording)
		assert(some.all.len == all->all.len);
	check_snapshots(&some);
	snapshots_free(&some);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct snapshots all;
	bool recording;

	if (!read_bytes(data, size, UINT64_MAX, &all, &recording))
		return 0;
	check_snapshots(&all);
	if (count_mappings(&all) <= CHECK_REGIONS_MOST && all.all.len <= CHECK_REGIONS_MOST) {
		check_until(data, size, &all, recording);
		check_bcmaps(&all);
		check_raw(&all);
		check_merged(&all);
	}
	snapshots_free(&all);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	return mutate_perf_data(data, size, most, seed);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
				 uint8_t *out, size_t most, unsigned seed)
{
	return cross_perf_data(a, a_size, b, b_size, out, most, seed);
}
