/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A file of any kind: an error names the file, or it has a kind; shares of events, processes and
 * files add up to the samples and to the addresses of traces and are sorted; a profile's lines are
 * all counted; twice the same. */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "src/figures/inspect.h"
#include "tests/support/bytes_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t sum(const struct share_vec *shares)
{
	uint64_t all = 0;

	for (size_t i = 0; i < shares->len; i++) {
		assert(!i || shares->at[i].samples <= shares->at[i - 1].samples);
		all += shares->at[i].samples;
	}
	return all;
}

static void check_recording(const struct recording *r)
{
	if (r->report.format == INPUT_PREAGG)
		return;
	assert(sum(&r->events) == r->samples && sum(&r->processes) == r->samples + r->addresses);
	assert(sum(&r->files) == r->samples + r->addresses - r->without_address);
	assert(r->with_stack <= r->samples && r->with_chain <= r->samples && r->first <= r->last);
	assert(r->entries <= r->with_stack * r->max_depth || !r->with_stack);
}

/* Lines that are none of the head are records. */
static void check_fdata(const struct profile_facts *facts, const char *path)
{
	struct file_map map;
	struct bc_error err;
	struct text line;
	uint64_t lines = 0;

	if (!file_map(path, &map, &err))
		return;
	for (struct text rest = {(const char *)map.data, map.size}; text_line(&rest, &line);)
		lines += line.len && !text_is(line, "boltedcollection") &&
			 !text_starts(line, "no_lbr");
	assert(lines == facts->records && facts->functions <= 2 * facts->records);
	file_unmap(&map);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes_file file = bytes_file_open(data, size);
	struct inspected once = {0}, twice = {0};
	struct bc_error err = {0}, again = {0};
	struct input_progress none = {0};

	bool ok = inspect_file(file.path, none, NULL, &once, &err);
	assert(inspect_file(file.path, none, NULL, &twice, &again) == ok);
	assert(once.kind == twice.kind && !strcmp(err.text, again.text));
	if (ok) {
		assert(once.kind > FILE_UNKNOWN && once.kind < FILE_KIND_COUNT);
		assert(*file_kind_name(once.kind));
		if (once.kind == FILE_SAMPLES)
			check_recording(&once.recording);
		if (once.kind == FILE_FDATA)
			check_fdata(&once.profile, file.path);
	} else {
		assert(err.code == BC_NOMEM || strstr(err.text, file.path));
	}
	inspected_free(&once);
	inspected_free(&twice);
	bytes_file_close(&file);
	return 0;
}
