/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What every parser says when an allocation, a read or zstd fails, at every point once.
 * The linker replaces the functions that can fail by __wrap_* below (tests/CMakeLists.txt).
 */
#include "tests/support/cmocka.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "src/samples/bcmaps.h"
#include "src/samples/proc.h"
#include "src/base/file.h"
#include "src/code/cfg.h"
#include "src/verify/table_json.h"
#include "src/flow/conversion.h"
#include "src/elf/binary.h"
#include "src/samples/perf_data/perf_file.h"
#include "src/samples/perf_script/perf_script.h"
#include "src/samples/reader.h"
#include "src/flow/probabilities.h"
#include "src/profile/merge.h"
#include "src/profile/yaml.h"
#include "src/profile/fdata.h"
#include "src/figures/builds.h"
#include "src/address/resolver.h"

#define DEMO  BATCONV_SOURCE_DIR "/inputs/demo/"
#define ETM   BATCONV_DATA_DIR "etm/"
#define NEVER ULONG_MAX

/* How many until one fails; NEVER: none does.  Any thread counts. */
static atomic_ulong allocations, reads;
static int read_error; /* errno of the read that fails */
static bool zstd_fails;

/* One fails, those after it do not. */
static bool goes_well(atomic_ulong *left)
{
	unsigned long before = atomic_load(left);

	while (before != NEVER &&
	       !atomic_compare_exchange_weak(left, &before, before - 1)) /* 0 becomes NEVER */
		;
	return before;
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
	return goes_well(&allocations) ? __real_malloc(size) : NULL;
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
	return goes_well(&allocations) ? __real_calloc(count, size) : NULL;
}

void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size)
{
	return goes_well(&allocations) ? __real_realloc(old, size) : NULL;
}

static bool may_read(void)
{
	bool ok = goes_well(&reads);

	if (!ok)
		errno = read_error;
	return ok;
}

ssize_t __real_read(int fd, void *to, size_t size);
ssize_t __wrap_read(int fd, void *to, size_t size);
ssize_t __wrap_read(int fd, void *to, size_t size)
{
	return may_read() ? __real_read(fd, to, size) : -1;
}

ssize_t __real_pread(int fd, void *to, size_t size, off_t at);
ssize_t __wrap_pread(int fd, void *to, size_t size, off_t at);
ssize_t __wrap_pread(int fd, void *to, size_t size, off_t at)
{
	return may_read() ? __real_pread(fd, to, size, at) : -1;
}

/* What -D_FORTIFY_SOURCE makes of read() and pread(). */
ssize_t __wrap___read_chk(int fd, void *to, size_t size, size_t room);
ssize_t __wrap___read_chk(int fd, void *to, size_t size, size_t room)
{
	assert_true(size <= room);
	return __wrap_read(fd, to, size);
}

ssize_t __wrap___pread_chk(int fd, void *to, size_t size, off_t at, size_t room);
ssize_t __wrap___pread_chk(int fd, void *to, size_t size, off_t at, size_t room)
{
	assert_true(size <= room);
	return __wrap_pread(fd, to, size, at);
}

ZSTD_DStream *__real_ZSTD_createDStream(void);
ZSTD_DStream *__wrap_ZSTD_createDStream(void);
ZSTD_DStream *__wrap_ZSTD_createDStream(void)
{
	return zstd_fails ? NULL : __real_ZSTD_createDStream();
}

size_t __real_ZSTD_decompressStream(ZSTD_DStream *stream, ZSTD_outBuffer *out, ZSTD_inBuffer *in);
size_t __wrap_ZSTD_decompressStream(ZSTD_DStream *stream, ZSTD_outBuffer *out, ZSTD_inBuffer *in);
size_t __wrap_ZSTD_decompressStream(ZSTD_DStream *stream, ZSTD_outBuffer *out, ZSTD_inBuffer *in)
{
	return zstd_fails ? (size_t)-ZSTD_error_memory_allocation :
			    __real_ZSTD_decompressStream(stream, out, in);
}

/* Does everything and frees it; false: it failed, and *err says of what. */
typedef bool subject(struct bc_error *err);

static unsigned long unnoticed; /* allocations that failed to no harm */

/* Returns how many allocations there are; each `step`th fails once. */
static unsigned long without_memory_each(subject *run, unsigned long step)
{
	unnoticed = 0;
	for (unsigned long n = 0;; n += step) {
		struct bc_error err = {0};
		allocations = n;
		bool ok = run(&err), all = allocations != NEVER;
		allocations = NEVER;
		if (all)
			return n;
		unnoticed += ok;
		if (ok)
			continue;
		if (err.code != BC_NOMEM || !strstr(err.text, "out of memory"))
			fail_msg("allocation %lu: %s", n, err.text);
	}
}

static unsigned long without_memory(subject *run)
{
	return without_memory_each(run, 1);
}

/* Returns how many reads there are. */
static unsigned long without_reads(subject *run)
{
	for (unsigned long n = 0;; n++) {
		struct bc_error err = {0};
		read_error = EINTR;
		reads = n;
		if (!run(&err))
			fail_msg("interrupted read %lu: %s", n, err.text);
		read_error = EIO;
		reads = n;
		bool ok = run(&err), all = reads != NEVER;
		reads = NEVER;
		if (all)
			return n;
		assert_false(ok);
		assert_int_equal(err.code, BC_IO);
		if (!strstr(err.text, strerror(EIO)))
			fail_msg("read %lu: %s", n, err.text);
	}
}

static bool open_table(struct bc_error *err)
{
	struct binary table;

	if (!binary_open_table(DEMO "demo.bolt", &table, err))
		return false;
	binary_close(&table);
	return true;
}

static const char table_text[] =
	"{\"format\":\"batconv-bat\",\"version\":1,\"layout\":\"hashed\",\"fragments\":["
	"{\"address\":\"0x1000\",\"part\":\"hot\",\"hash\":\"0x1\",\"blocks\":1,\"entry_points\":[4],"
	"\"entries\":[{\"output\":0,\"input\":0,\"hash\":\"0x2\",\"block\":0}]},"
	"{\"address\":\"0x2000\",\"part\":\"cold\",\"parent\":\"0x1000\",\"entries\":[]}]}";

static FILE *table_json;

static bool read_table(struct bc_error *err)
{
	struct file_stream stream = {.name = "table", .fd = fileno(table_json)};
	struct bat_table table;

	assert_int_equal(lseek(stream.fd, 0, SEEK_SET), 0);
	if (!table_json_read(&stream, &table, err))
		return false;
	bat_free(&table);
	return true;
}

/* The input binary, which has relocations, with all of its functions. */
static bool build_graphs(struct bc_error *err)
{
	struct file_map file;
	struct image image = {0};
	struct function_table functions = {0};
	struct cfg cfg = {0};

	if (!file_map(DEMO "demo", &file, err))
		return false;
	bool ok = image_open((struct bytes){file.data, file.size}, &image, err) &&
		  functions_build(&image, NUMBERS_BY_ADDRESS, &functions, err);
	unsigned long left = allocations;
	allocations = NEVER;
	uint32_t *chosen = calloc(functions.count + 1, sizeof(*chosen));
	allocations = left;
	assert_non_null(chosen);
	for (uint32_t i = 0; i < functions.count; i++)
		chosen[i] = i;
	ok = ok && cfg_build(&image, &functions, chosen, functions.count, 1, &cfg, err);
	free(chosen);
	cfg_free(&cfg);
	functions_free(&functions);
	image_close(&image);
	file_unmap(&file);
	return ok;
}

static char folder[] = "/tmp/batconv-faults-XXXXXX";

static bool count_samples(void *ctx, const struct event *event, struct bc_error *err)
{
	(void)err;
	*(unsigned *)ctx += event->kind == EVENT_SAMPLE;
	return true;
}

static bool read_folder(struct bc_error *err)
{
	struct reader_options options = {0};
	struct reader_report report;
	unsigned samples = 0;
	const struct event_sink sink = {&samples, count_samples};
	bool ok = input_run(folder, &options, (struct input_progress){0}, &sink, &report, err);

	if (ok)
		assert_int_equal(samples, 120);
	return ok;
}

static bool read_own_maps(struct bc_error *err)
{
	struct mapped_files files = {0};
	struct map_set *maps = NULL;
	int fd = -1;
	bool ok = proc_maps((uint32_t)getpid(), &files, &maps, err);

	if (ok) {
		struct memory memory = proc_memory((uint32_t)getpid(), &fd);
		ok = proc_build_ids(&memory, &files, &maps) || bc_fail_nomem(err);
	}
	if (fd >= 0)
		close(fd);
	map_set_release(maps);
	mapped_files_free(&files);
	return ok;
}

static uint8_t *bcmaps;
static size_t bcmaps_size;

static bool read_bcmaps(struct bc_error *err)
{
	struct snapshots all;

	if (!bcmaps_read((struct bytes){bcmaps, bcmaps_size}, &all, err))
		return false;
	snapshots_free(&all);
	return true;
}

static bool read_raw_stack(struct bc_error *err)
{
	static const char line[] = "8 p7m3 1000 2000";
	struct raw_stack stack = {0};
	const char *wrong = "";
	enum raw_line kind = raw_stack_parse((struct text){line, sizeof(line) - 1}, &stack, &wrong);

	address_list_free(&stack.addresses);
	if (kind == RAW_STACK)
		return true;
	assert_null(wrong);
	return bc_fail_nomem(err);
}

static bool learn_threads(struct bc_error *err)
{
	struct thread_table table = {0};
	bool ok = true;

	for (uint32_t tid = 1; ok && tid <= 1000; tid++)
		ok = threads_learn(&table, 5, tid);
	for (uint32_t tid = 1; ok && tid <= 1000; tid++)
		assert_int_equal(threads_pid(&table, tid), 5);
	assert_int_equal(threads_pid(&table, 2000), 2000);
	threads_free(&table);
	return ok || bc_fail_nomem(err);
}

/* Forty blocks, each of which calls a function. */
static bool match_blocks(struct bc_error *err)
{
	static struct input_block blocks[40];
	static struct old_block old[BC_COUNT(blocks)];
	static struct call_of_block calls[BC_COUNT(blocks)];
	const struct input_function function = {.blocks = {.at = blocks, .len = BC_COUNT(blocks)}};
	const struct call_of_block_vec listed = {.at = calls, .len = BC_COUNT(calls)};
	struct block_match match = {0};

	for (uint32_t i = 0; i < BC_COUNT(blocks); i++) {
		blocks[i].hash = old[i].hash = 1 + i;
		calls[i] = (struct call_of_block){i, text_of("f")};
	}
	bool ok =
		blocks_match(&match, old, BC_COUNT(old), &function, &listed) || bc_fail_nomem(err);
	block_match_free(&match);
	return ok;
}

/* A hundred blocks, each of which leads to the next one, and half of the time to the first. */
static bool solve_probabilities(struct bc_error *err)
{
	static struct probable_edge edges[200];
	static double runs[101];

	for (uint32_t i = 0; i < 100; i++) {
		edges[2 * i] = (struct probable_edge){i, 0, 0.5};
		edges[2 * i + 1] = (struct probable_edge){i, i + 1, 0.5};
	}
	return probabilities_solve(edges, BC_COUNT(edges), BC_COUNT(runs), runs) ==
		       PROBABILITIES_SOLVED ||
	       bc_fail_nomem(err);
}

static void allocations_fail(void **state)
{
	static const struct {
		subject *run;
		unsigned long least;
	} rows[] = {
		{open_table, 8},    {read_table, 8},           {build_graphs, 20},
		{read_bcmaps, 5},   {read_raw_stack, 1},       {learn_threads, 3},
		{match_blocks, 20}, {solve_probabilities, 12},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		unsigned long count = without_memory(rows[i].run);
		if (count < rows[i].least || unnoticed)
			fail_msg("row %zu: %lu of %lu", i, unnoticed, count);
	}
	/* Without memory a directory is taken for a recording, which shows. */
	assert_true(without_memory(read_folder) > 10);
	assert_int_equal(unnoticed, 1);
	/* A process's memory that there is no room for is taken for unreadable. */
	assert_true(without_memory(read_own_maps) > unnoticed + 2);
}

static bool write_profiles(const struct conversion *conversion, struct bc_error *err)
{
	const struct fdata_header fdata = {0};
	const struct yaml_header yaml = {.binary_name = "demo", .graphs = &conversion->graphs};
	struct yaml_report report;
	FILE *out = fopen("/dev/null", "w");

	assert_non_null(out);
	bool ok = fdata_write_profile(&conversion->profile, &fdata, 1, out, err) &&
		  yaml_write(&conversion->profile, &yaml, out, &report, err);
	fclose(out);
	return ok;
}

/* All that a conversion can be asked for, with the input binary. */
static bool convert_demo(const char *samples, unsigned wants, struct bc_error *err)
{
	struct conversion conversion = {
		.options = {
			.wants = wants,
			.binary = DEMO "demo.bolt",
			.input = DEMO "demo",
			.samples = &samples,
			.sample_count = 1,
			.threads = 1,
			.format = INPUT_AUTO,
			.aggregate = {.mode = MODE_AUTO, .rules = best_rules},
		}};

	bool ok = conversion_run(&conversion, err) && write_profiles(&conversion, err);
	conversion_free(&conversion);
	return ok;
}

static bool convert_branches(struct bc_error *err)
{
	return convert_demo(DEMO "demo.preagg",
			    WANT_RECORDS | WANT_RANGES | WANT_YAML | WANT_EXECUTED | WANT_HALVES,
			    err);
}

static bool convert_plain(struct bc_error *err)
{
	return convert_demo(DEMO "demo.basic.txt",
			    WANT_RECORDS | WANT_RANGES | WANT_YAML | WANT_EXECUTED, err);
}

/* A hardware trace, which is walked: by the thread of the pool, too. */
static bool convert_trace(struct bc_error *err)
{
	const char *samples = ETM "recorded.etm";
	struct conversion conversion = {
		.options = {
			.wants = WANT_RECORDS | WANT_RANGES | WANT_EXECUTED,
			.binary = ETM "etm_test_loop",
			.samples = &samples,
			.sample_count = 1,
			.threads = 1,
			.format = INPUT_AUTO,
			.aggregate = {.mode = MODE_AUTO, .rules = best_rules},
		}};

	bool ok = conversion_run(&conversion, err);
	conversion_free(&conversion);
	return ok;
}

static bool merge_profiles(struct bc_error *err)
{
	const struct merge_options options = {
		.threads = 1, .memory = 1 << 16, .fan_in = 2, .tmpdir = "/tmp", .saturate = true};
	struct merge_input inputs[] = {{.path = DEMO "expected/demo.perf.fdata", .weight = 1},
				       {.path = DEMO "expected/demo.preagg.fdata", .weight = 2}};
	struct build_id_vec ids = {0};
	struct merge merge;
	enum profile_kind kind;
	FILE *out = fopen("/dev/null", "w");

	assert_non_null(out);
	merge_init(&merge, &options, inputs, BC_COUNT(inputs));
	bool ok = merge_look(&merge, err) && merge_check(&merge, true, err) &&
		  (merge_identities(&merge, &ids) || bc_fail_nomem(err)) &&
		  merge_write(&merge, NULL, out, &kind, err);
	assert_true(!ok || ids.len == 1); /* that of inputs without a build-id */
	merge_free(&merge);
	build_id_vec_free(&ids);
	fclose(out);
	return ok;
}

static void merges_fail(void **state)
{
	(void)state;
	/* What is read ahead can do without. */
	assert_true(without_memory(merge_profiles) > unnoticed + 15);
}

static void conversions_fail(void **state)
{
	(void)state;
	/* Sorts do without memory, three allocations each. */
	assert_true(without_memory(convert_branches) > 1000);
	assert_true(unnoticed <= 9);
	assert_true(without_memory(convert_plain) > 250);
	assert_true(unnoticed <= 9);
	/* ... and a file of code that there is no room for is taken for one that is not there. */
	assert_true(without_memory(convert_trace) > 200);
	assert_true(unnoticed <= 9);
}

static void reads_fail(void **state)
{
	(void)state;
	assert_true(without_reads(read_folder) > 3);
	assert_true(without_reads(read_table) > 1);
}

/* What the kernel no longer lets us see is an error, what is interrupted is not; memory
 * that cannot be read leaves a region without a build-id. */
static void reads_of_proc_fail(void **state)
{
	struct bc_error err = {0};
	char *data = NULL;
	size_t size = 0;

	(void)state;
	read_error = EINTR;
	reads = 0;
	assert_true(proc_maps_text((uint32_t)getpid(), &data, &size, &err));
	assert_non_null(strstr(data, "r-xp"));
	free(data);
	read_error = EIO;
	reads = 0;
	assert_false(proc_maps_text((uint32_t)getpid(), &data, &size, &err));
	assert_int_equal(err.code, BC_IO);
	assert_non_null(strstr(err.text, "/maps: Input/output error"));
	read_error = ESRCH; /* it ended meanwhile */
	reads = 0;
	assert_false(proc_maps_text((uint32_t)getpid(), &data, &size, &err));
	assert_int_equal(err.code, BC_NOTFOUND);
	reads = NEVER;
}

static void zstd_has_no_memory(void **state)
{
	static const uint8_t payload[] = {0x28, 0xb5, 0x2f, 0xfd};
	struct perf_zstd zstd = {0};
	struct bc_error err = {0};
	uint8_t to[8];
	size_t got;

	(void)state;
	zstd_fails = true;
	assert_false(perf_zstd_begin(&zstd, (struct bytes){payload, sizeof(payload)}, 0, &err));
	assert_int_equal(err.code, BC_NOMEM);
	zstd_fails = false;
	assert_true(perf_zstd_begin(&zstd, (struct bytes){payload, sizeof(payload)}, 0, &err));
	zstd_fails = true;
	assert_false(perf_zstd_read(&zstd, to, sizeof(to), &got, &err));
	assert_int_equal(err.code, BC_NOMEM);
	zstd_fails = false;
	perf_zstd_fini(&zstd);
}

static void make_bcmaps(void)
{
	struct snapshots all = {0};
	struct map_set *maps = NULL;
	struct bc_error err;

	for (uint32_t pid = 1; pid < 40; pid++) {
		struct mapping mapping = {
			.start = pid << 12, .end = (pid + 1) << 12, .flags = MAPPING_READ};
		struct mapped_file file = {0};
		char name[16];
		snprintf(name, sizeof(name), "/lib%u", pid);
		assert_true(strings_intern(&all.files.texts, text_of(name), &file.path));
		assert_true(mapped_files_intern(&all.files, &file, &mapping.file));
		assert_true(map_set_replace(&maps, mapping.start, mapping.end, &mapping));
		assert_true(snapshots_add(&all, pid, 0, pid, maps, &err));
	}
	assert_true(snapshots_index(&all, &err));
	assert_true(bcmaps_write(&all, &bcmaps, &bcmaps_size, &err));
	map_set_release(maps);
	snapshots_free(&all);
}

static int set_up(void **state)
{
	char path[sizeof(folder) + 8];

	(void)state;
	allocations = reads = NEVER;
	table_json = tmpfile();
	assert_non_null(table_json);
	assert_true(fputs(table_text, table_json) >= 0 && !fflush(table_json));
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/data", folder);
	assert_int_equal(symlink(DEMO "demo.perf.data", path), 0);
	make_bcmaps();
	return 0;
}

static int tear_down(void **state)
{
	char path[sizeof(folder) + 8];

	(void)state;
	snprintf(path, sizeof(path), "%s/data", folder);
	unlink(path);
	rmdir(folder);
	fclose(table_json);
	free(bcmaps);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(allocations_fail),   cmocka_unit_test(conversions_fail),
		cmocka_unit_test(merges_fail),        cmocka_unit_test(reads_fail),
		cmocka_unit_test(reads_of_proc_fail), cmocka_unit_test(zstd_has_no_memory),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
