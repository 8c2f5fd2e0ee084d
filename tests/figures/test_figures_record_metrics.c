/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a collector reads while a recording continues: no counter falls or goes away. */
#include <stdlib.h>
#include <string.h>

#include "src/base/text.h"
#include "src/figures/record_summary.h"
#include "tests/support/cmocka.h"
#include "tests/support/own_folder.h"

#define FILE_NAME "file.prom"

/* The whole file, for free(). */
static char *read_metrics(const struct recorder_stats *stats, const struct record_shards *shards,
			  const struct shares *users)
{
	struct bc_error err;
	size_t size;

	assert_true(record_metrics_write(FILE_NAME, stats, shards, users, &err));
	FILE *file = fopen(FILE_NAME, "r");
	assert_non_null(file);
	char *text = calloc(1, 1 << 20);
	size = fread(text, 1, (1 << 20) - 1, file);
	assert_in_range(size, 1, (1 << 20) - 2);
	fclose(file);
	return text;
}

/* The value of a series, "NAME{LABELS}"; -1: there is none. */
static double value_of(const char *text, const char *series, size_t length)
{
	for (const char *line = text; *line; line = strchr(line, '\n') + 1)
		if (!strncmp(line, series, length) && line[length] == ' ')
			return strtod(line + length, NULL);
	return -1;
}

static double value(const char *text, const char *series)
{
	return value_of(text, series, strlen(series));
}

/* Each counter of before is there, and not less. */
static void assert_no_fall(const char *before, const char *now)
{
	unsigned count = 0;

	for (const char *line = before; *line; line = strchr(line, '\n') + 1) {
		size_t name = strcspn(line, " {"), series = strcspn(line, " ");
		if (*line == '#' || name < 6 || memcmp(line + name - 6, "_total", 6) != 0)
			continue;
		if (value_of(now, line, series) < strtod(line + series, NULL))
			fail_msg("%.*s fell", (int)series, line);
		count++;
	}
	assert_true(count > 10);
}

static void nothing_falls(void **state)
{
	struct recorder_stats stats = {.samples = {.read = 1000, .kept = 1000}};
	struct record_shards shards = {0};
	struct shares *users = calloc(1, sizeof(*users));
	uint32_t random = 58;

	(void)state;
	assert_non_null(users);
	(void)shares_of(users, NO_USER);
	char *before = read_metrics(&stats, &shards, users);
	for (unsigned turn = 0; turn < 200; turn++) {
		random = random * 1103515245 + 12345;
		uint32_t uid =
			1000 + (random >> 16) % 40; /* who has most is another one each time */
		uint64_t samples = 1 + (random >> 8) % 200;
		stats.samples.read += 300;
		stats.samples.kept += 300;
		recorder_drop_later(&stats, RECORDED_DROP_UNFINISHED, samples * 3);
		users->at[shares_of(users, uid)].dropped[RECORDED_DROP_UNFINISHED] += samples * 3;
		assert_int_equal(stats.samples.read,
				 stats.samples.kept +
					 stats.samples.dropped[RECORDED_DROP_UNFINISHED]);
		char *now = read_metrics(&stats, &shards, users);
		assert_no_fall(before, now);
		free(before);
		before = now;
	}
	free(before);
	free(users);
}

static void every_user(void **state)
{
	const struct recorder_stats stats = {0};
	const struct record_shards shards = {.written = 3};
	struct shares *users = calloc(1, sizeof(*users));

	(void)state;
	assert_non_null(users);
	users->at[shares_of(users, NO_USER)].dropped[RECORDED_DROP_NO_ROOM] = 7;
	for (uint32_t uid = 0; uid < 20; uid++)
		users->at[shares_of(users, uid)].dropped[RECORDED_DROP_GONE] = uid;
	char *text = read_metrics(&stats, &shards, users);
#define OF_USER "batconv_record_user_samples_dropped_total"
	assert_true(value(text, OF_USER "{uid=\"\",reason=\"memory_limit\"}") == 7);
	assert_true(value(text, OF_USER "{uid=\"1\",reason=\"unreadable\"}") == 1);
	assert_true(value(text, OF_USER "{uid=\"19\",reason=\"unreadable\"}") == 19);
	assert_true(value(text, OF_USER "{uid=\"0\",reason=\"unreadable\"}") == -1);
	assert_true(value(text, "batconv_record_shards_total") == 3);
	free(text);
	free(users);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_falls),
					   cmocka_unit_test(every_user)};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
