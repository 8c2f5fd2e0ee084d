/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Inputs by their path. */
#include "src/samples/reader.h"

#include "tests/support/cmocka.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/build_perf.h"
#include "tests/samples/test_samples_transcript.h"

static const struct build_attr attr = {
	.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
	.name = "cycles",
};

/* A directory of its own for each test, which the test leaves empty. */
static char folder[] = "/tmp/batconv-input-XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	return !mkdtemp(folder);
}

static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

static const char *in_folder(const char *name)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void write_file(const char *name, const void *data, size_t size)
{
	FILE *file = fopen(in_folder(name), "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

/* perf.data with samples at these times, the ip being the time. */
static void write_recording(const char *name, const uint64_t *times, size_t count)
{
	struct build_perf_file file = {.attrs = &attr, .attr_count = 1};
	struct build_perf b = {0};

	add_event_names(&file);
	for (size_t i = 0; i < count; i++)
		put_sample(&file.records, &attr,
			   &(struct build_sample){
				   .pid = 5, .tid = 5, .ip = times[i], .time = times[i]});
	build_file(&file, &b);
	write_file(name, b.data, b.size);
	build_perf_free(&b);
	build_perf_file_free(&file);
}

/* The events of a directory's further files, which have neither header nor attrs. */
static void write_records(const char *name, const uint64_t *times, size_t count)
{
	struct build_perf b = {0};

	for (size_t i = 0; i < count; i++)
		put_sample(&b, &attr,
			   &(struct build_sample){
				   .pid = 6, .tid = 6, .ip = times[i], .time = times[i]});
	write_file(name, b.data, b.size);
	build_perf_free(&b);
}

static unsigned reads; /* calls of show() */

static void show(void *ctx, const struct file_stream *stream)
{
	(void)ctx;
	assert_non_null(stream->name);
	reads++;
}

static bool run(struct transcript *t, const char *path)
{
	struct reader_options options = {0};
	const struct event_sink sink = {t, write_event};

	*t = (struct transcript){0};
	reads = 0;
	t->out = open_memstream(&t->text, &t->size);
	assert_non_null(t->out);
	bool ok = input_run(path, &options, (struct input_progress){.show = show}, &sink,
			    &t->report, &t->err);
	fclose(t->out);
	return ok;
}

static void gives(const char *path, const char *text)
{
	struct transcript t;

	if (!run(&t, path))
		fail_msg("%s", t.err.text);
	assert_string_equal(t.text, text);
	assert_true(reads > 0);
	transcript_free(&t);
}

static void refuses(const char *path, enum bc_code code, const char *part)
{
	struct transcript t;

	assert_false(run(&t, path));
	assert_int_equal(t.err.code, code);
	if (!strstr(t.err.text, part))
		fail_msg("no '%s' in: %s", part, t.err.text);
	transcript_free(&t);
}

static void a_file(void **state)
{
	(void)state;
	write_recording("a", (uint64_t[]){1, 2}, 2);
	gives(in_folder("a"), "sample 5 1 'cycles:' no stack\nsample 5 2 'cycles:' no stack\n");
	unlink(in_folder("a"));
	write_file("a", "S 10 3\n", 7);
	gives(in_folder("a"), "basic 10 3\n");
	unlink(in_folder("a"));
}

/* For all threads' files in the order of time: data, data.0, data.1 and so on,
 * up to the first number that is missing. */
static void a_folder(void **state)
{
	(void)state;
	write_recording("data", (uint64_t[]){10, 40}, 2);
	write_records("data.0", (uint64_t[]){20, 50}, 2);
	write_records("data.1", (uint64_t[]){30}, 1);
	write_records("data.3", (uint64_t[]){15}, 1);
	write_file("version", "1", 1);
	gives(folder, "sample 5 a 'cycles:' no stack\nsample 6 14 'cycles:' no stack\n"
		      "sample 6 1e 'cycles:' no stack\nsample 5 28 'cycles:' no stack\n"
		      "sample 6 32 'cycles:' no stack\n");
	unlink(in_folder("data.0"));
	gives(folder, "sample 5 a 'cycles:' no stack\nsample 5 28 'cycles:' no stack\n");
	unlink(in_folder("data"));
	unlink(in_folder("data.1"));
	unlink(in_folder("data.3"));
	unlink(in_folder("version"));
}

/* The cut is reported, the other files' events are all there. */
static void a_folder_with_a_cut_file(void **state)
{
	struct transcript t;

	(void)state;
	write_recording("data", (uint64_t[]){10}, 1);
	write_records("data.0", (uint64_t[]){20, 30}, 2);
	assert_int_equal(truncate(in_folder("data.0"), 40), 0); /* a sample has 32 */
	assert_true(run(&t, folder));
	assert_true(t.report.perf.truncated);
	assert_string_equal(t.text,
			    "sample 5 a 'cycles:' no stack\nsample 6 14 'cycles:' no stack\n");
	transcript_free(&t);
	unlink(in_folder("data"));
	unlink(in_folder("data.0"));
}

static void no_recordings(void **state)
{
	(void)state;
	refuses(folder, BC_IO, folder);
	refuses(in_folder("missing"), BC_IO, "missing");
	write_file("empty", "", 0);
	gives(in_folder("empty"), ""); /* as --format=preagg writes it where nothing was kept */
	unlink(in_folder("empty"));
	write_file("data", "PERF", 4);
	refuses(folder, BC_FORMAT, "data");
	unlink(in_folder("data"));
	assert_int_equal(mkdir(in_folder("data"), 0755), 0);
	refuses(folder, BC_UNSUPPORTED, "data");
	rmdir(in_folder("data"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_file, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(a_folder, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(a_folder_with_a_cut_file, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(no_recordings, make_folder, remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
