/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A feature section of perf.data, of the kind that byte 0 chooses.  It is refused as
 * damaged, or what it says is bounded: texts end where their arrays do, names of
 * events have their colon, and the build-id of a path is the one that all of its
 * entries have, or none if they differ.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "src/samples/perf_data/perf_features.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const unsigned features[] = {
	PERF_FEATURE_BUILD_ID,    PERF_FEATURE_HOSTNAME,   PERF_FEATURE_VERSION,
	PERF_FEATURE_ARCH,        PERF_FEATURE_CMDLINE,    PERF_FEATURE_EVENT_DESC,
	PERF_FEATURE_SAMPLE_TIME, PERF_FEATURE_COMPRESSED, PERF_FEATURE_META_INFO,
};

static void check_ended(const char *text, size_t size)
{
	assert(memchr(text, 0, size));
}

/* Do entries of the same path mismatch?  A short id and the same with
 * zeros after it can be one. */
static bool is_clear(const struct perf_build_id *all, size_t count, const char *path, bool strictly)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < count; j++) {
			const struct build_id *a = &all[i].id, *b = &all[j].id;
			size_t common = a->size < b->size ? a->size : b->size;
			if (strcmp(all[i].path, path) || strcmp(all[j].path, path))
				continue;
			if (all[i].ambiguous)
				return false;
			if (memcmp(a->data, b->data, common) || (strictly && !build_id_equal(a, b)))
				return false;
		}
	return true;
}

static void check_build_ids(struct perf_build_ids *ids)
{
	size_t count = ids->all.len;
	struct perf_build_id *before = malloc((count + 1) * sizeof(*before));

	assert(before);
	for (size_t i = 0; i < count; i++) {
		before[i] = ids->all.at[i];
		before[i].path = strdup(ids->all.at[i].path);
		assert(before[i].path && before[i].id.size <= BUILD_ID_MAX);
	}
	for (size_t i = 0; i < count; i++) {
		const struct build_id *found = perf_build_ids_find(ids, text_of(before[i].path));
		if (is_clear(before, count, before[i].path, true))
			assert(found && build_id_equal(found, &before[i].id));
		if (!is_clear(before, count, before[i].path, false))
			assert(!found);
	}
	assert(!perf_build_ids_find(ids, text_of("/no/such/file")) || count);
	for (size_t i = 0; i < count; i++)
		free(before[i].path);
	free(before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t ids[16] = {5, 0, 0, 0, 0, 0, 0, 0, 6};
	static const struct perf_attr attrs[2] = {{.type = 0, .config = 0},
						  {.type = 4, .config = 0x20c4}};
	struct perf_features out = {0};
	struct perf_events events = {0};
	struct bc_error err = {0};

	if (!size)
		return 0;
	assert(perf_events_add(&events, &attrs[0], (struct bytes){ids, 8}, &err));
	assert(perf_events_add(&events, &attrs[1], (struct bytes){ids + 8, 8}, &err));
	unsigned feature = features[data[0] % (sizeof(features) / sizeof(features[0]))];
	assert(perf_feature_is_read(feature));
	if (!perf_feature_parse(feature, (struct bytes){data + 1, size - 1}, &out, &events, &err))
		assert(err.code == BC_FORMAT && *err.text && !strchr(err.text, '\n'));
	check_ended(out.info.hostname, sizeof(out.info.hostname));
	check_ended(out.info.version, sizeof(out.info.version));
	check_ended(out.info.arch, sizeof(out.info.arch));
	check_ended(out.info.cmdline, sizeof(out.info.cmdline));
	for (size_t i = 0; i < events.all.len; i++) {
		const char *label = events.all.at[i].label;
		check_ended(label, sizeof(events.all.at[i].label));
		assert(!*label || label[strlen(label) - 1] == ':');
	}
	check_build_ids(&out.build_ids);
	perf_build_ids_free(&out.build_ids);
	perf_events_free(&events);
	return 0;
}
