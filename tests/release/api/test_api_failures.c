/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Every call of libbatconv that can fail does so at each of its allocations, and for each other
 * reason that it has: what it was to change is as it was before, and the same call succeeds
 * afterwards as if nothing had been.  The library is linked into this program, with allocators
 * that fail on demand (ld's --wrap).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "batconv/batconv.h"
#include "tests/support/cmocka.h"

#define BOLTED    BATCONV_SOURCE_DIR "/inputs/demo/demo.bolt"
#define RECORDING BATCONV_SOURCE_DIR "/inputs/demo/demo.perf.txt"

#define ALL UINT64_MAX
static uint64_t allowed = ALL; /* allocations until one fails */

static bool may_allocate(void)
{
	if (allowed == ALL || (allowed && allowed--))
		return true;
	errno = ENOMEM;
	return false;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);

void *__wrap_malloc(size_t size)
{
	return may_allocate() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
	return may_allocate() ? __real_calloc(count, size) : NULL;
}

void *__wrap_realloc(void *old, size_t size)
{
	return may_allocate() ? __real_realloc(old, size) : NULL;
}

char *__wrap_strdup(const char *text)
{
	return may_allocate() ? __real_strdup(text) : NULL;
}

/* The mask is that of all threads of a program, which the library has no part in. */
static unsigned masks;
mode_t __real_umask(mode_t mask);
mode_t __wrap_umask(mode_t mask);

mode_t __wrap_umask(mode_t mask)
{
	masks++;
	return __real_umask(mask);
}

/* ---- files ---- */

static char folder[] = "/tmp/batconv-api-XXXXXX";

static const char *path_of(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void write_file(const char *name, const char *text)
{
	FILE *file = fopen(path_of(name), "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
	assert_int_equal(fclose(file), 0);
}

struct content {
	char data[65536];
	size_t size;
};

static void read_file(const char *name, struct content *out)
{
	FILE *file = fopen(path_of(name), "rb");

	assert_non_null(file);
	out->size = fread(out->data, 1, sizeof(out->data), file);
	assert_true(out->size < sizeof(out->data));
	fclose(file);
}

/* ---- snapshots ---- */

#define MAP_A   "1000-3000 r-xp 00001000 fe:00 1 /lib/a\n4000-5000 r--p 00000000 fe:00 2 /lib/b\n"
#define MAP_B   "1000-3000 r-xp 00001000 fe:00 1 /lib/a\n6000-7000 r-xp 00000000 fe:00 3 /lib/c\n"
#define MAP_NEW "1000-9000 r-xp 00001000 fe:00 9 /lib/new\n"

static void add(struct batconv_snapshots *s, uint32_t id, uint64_t time, const char *text)
{
	struct batconv_error err;

	if (!batconv_snapshots_add_text(s, 7, id, time, text, strlen(text), &err))
		fail_msg("%s", err.text);
}

static struct batconv_snapshots *two_maps(void)
{
	struct batconv_snapshots *s = batconv_snapshots_new();

	assert_non_null(s);
	add(s, 1, 100, MAP_A);
	add(s, 2, 200, MAP_B);
	return s;
}

/* All that can be seen of snapshots: the bytes of their file, and what look-ups find. */
struct seen {
	struct content file;
	uint32_t regions[4];
};

/* NULL: there is no such map */
static struct batconv_maps *map_at(const struct batconv_snapshots *s, uint64_t time)
{
	struct batconv_maps *maps;

	return batconv_maps_open_at(s, 7, time, &maps, NULL) ? maps : NULL;
}

static struct batconv_maps *map_of_id(const struct batconv_snapshots *s, uint32_t id)
{
	struct batconv_maps *maps;

	return batconv_maps_open_id(s, 7, id, &maps, NULL) ? maps : NULL;
}

static uint32_t count_regions(struct batconv_maps *maps)
{
	struct batconv_region region;
	uint32_t count = 0;

	while (maps && batconv_maps_region(maps, count, &region))
		count++;
	batconv_maps_close(maps);
	return count;
}

static void look_at(const struct batconv_snapshots *s, struct seen *out)
{
	struct batconv_snapshots *again = batconv_snapshots_new();
	struct batconv_error err;

	assert_true(batconv_snapshots_write(s, path_of("seen"), &err));
	assert_true(batconv_snapshots_add_file(again, path_of("seen"), NULL,
					       &err)); /* it can be read */
	batconv_snapshots_free(again);
	read_file("seen", &out->file);
	out->regions[0] = count_regions(map_at(s, 150));
	out->regions[1] = count_regions(map_at(s, UINT64_MAX));
	out->regions[2] = count_regions(map_of_id(s, 2));
	out->regions[3] = count_regions(map_of_id(s, 3));
}

static bool is_seen(const struct batconv_snapshots *s, const struct seen *before)
{
	static struct seen now;

	look_at(s, &now);
	return now.file.size == before->file.size &&
	       !memcmp(now.file.data, before->file.data, now.file.size) &&
	       !memcmp(now.regions, before->regions, sizeof(now.regions));
}

typedef bool adds(struct batconv_snapshots *s, struct batconv_error *err);

static bool add_new(struct batconv_snapshots *s, struct batconv_error *err)
{
	return batconv_snapshots_add_text(s, 7, 3, 300, MAP_NEW, strlen(MAP_NEW), err);
}

static bool add_process(struct batconv_snapshots *s, struct batconv_error *err)
{
	return batconv_snapshots_add_process(s, (uint32_t)getpid(), err);
}

static bool add_text_file(struct batconv_snapshots *s, struct batconv_error *err)
{
	return batconv_snapshots_add_file(s, path_of("maps"), NULL, err);
}

static bool add_bcmaps(struct batconv_snapshots *s, struct batconv_error *err)
{
	return batconv_snapshots_add_file(s, path_of("all.bcmaps"), NULL, err);
}

static bool add_recording(struct batconv_snapshots *s, struct batconv_error *err)
{
	return batconv_snapshots_add_file(s, RECORDING, NULL, err);
}

/* Fail at the first allocation, the second, ... until the call succeeds. */
static void fail_adding_everywhere(adds *call, const char *name, uint64_t step)
{
	static struct seen before;
	struct batconv_snapshots *s = two_maps();
	struct batconv_error err;
	bool ok = false;

	look_at(s, &before);
	for (uint64_t n = 0; !ok; n += step) {
		err.code = BATCONV_OK;
		allowed = n;
		ok = call(s, &err);
		allowed = ALL;
		if (!ok && err.code != BATCONV_ERROR_NOMEM)
			fail_msg("%s, allocation %u: %s", name, (unsigned)n, err.text);
		if (is_seen(s, &before) == ok)
			fail_msg("%s, allocation %u: %s", name, (unsigned)n,
				 ok ? "nothing added" : "not as it was");
	}
	batconv_snapshots_free(s);
}

static void adding_without_memory(void **state)
{
	struct batconv_snapshots *s = batconv_snapshots_new();
	struct batconv_error err;

	(void)state;
	write_file("maps", "# batconv-maps pid=7 id=2 time=500\n" MAP_NEW
			   "# batconv-maps pid=8 id=1 time=600\n" MAP_A);
	add(s, 1, 400, MAP_NEW);
	assert_true(batconv_snapshots_write(s, path_of("all.bcmaps"), &err));
	batconv_snapshots_free(s);
	fail_adding_everywhere(add_new, "text", 1);
	fail_adding_everywhere(add_process, "process", 7);
	fail_adding_everywhere(add_text_file, "file of text", 1);
	fail_adding_everywhere(add_bcmaps, "file of snapshots", 1);
	fail_adding_everywhere(add_recording, "recording", 1);
}

static void adding_what_cannot_be_added(void **state)
{
	static const struct {
		uint32_t id;
		enum batconv_code code;
		const char *text, *why;
	} rows[] = {
		{2, BATCONV_ERROR_ARGUMENT, MAP_NEW, "the process has a map of this id"},
		{3, BATCONV_ERROR_FORMAT, MAP_NEW "no map\n", "line 2: expected START-END"},
		{3, BATCONV_ERROR_FORMAT, MAP_NEW "# batconv-maps pid=7\n" MAP_A,
		 "line 2: it begins another map: batconv_snapshots_add_file() reads text of several"},
	};
	static struct seen before;
	struct batconv_snapshots *s = two_maps();
	struct batconv_error err;

	(void)state;
	look_at(s, &before);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *map = rows[i].text;
		assert_false(
			batconv_snapshots_add_text(s, 7, rows[i].id, 300, map, strlen(map), &err));
		assert_int_equal(err.code, rows[i].code);
		assert_string_equal(err.text, rows[i].why);
		assert_true(is_seen(s, &before));
	}
	write_file("bad", "# batconv-maps pid=9\n" MAP_NEW "# batconv-maps pid=7\nno map\n");
	write_file("twice", "# batconv-maps pid=9\n" MAP_NEW "# batconv-maps pid=9\n" MAP_A);
	assert_false(batconv_snapshots_add_file(s, path_of("bad"), NULL, &err));
	assert_int_equal(err.code, BATCONV_ERROR_FORMAT);
	assert_false(batconv_snapshots_add_file(s, path_of("twice"), NULL, &err));
	assert_int_equal(err.code, BATCONV_ERROR_FORMAT);
	assert_false(batconv_snapshots_add_file(s, path_of("nowhere"), NULL, &err));
	assert_int_equal(err.code, BATCONV_ERROR_IO);
	assert_false(batconv_snapshots_add_process(s, INT32_MAX, &err));
	assert_int_equal(err.code, BATCONV_ERROR_NOTFOUND);
	assert_true(is_seen(s, &before));
	/* The next one is taken as if nothing had been. */
	add(s, 3, 300, MAP_NEW);
	assert_int_equal(count_regions(map_of_id(s, 3)), 1);
	batconv_snapshots_free(s);
}

static void writing(void **state)
{
	static struct content before, now;
	struct batconv_snapshots *s = two_maps();
	struct batconv_error err;
	bool ok = false;

	(void)state;
	write_file("out", "what was there");
	read_file("out", &before);
	for (uint64_t n = 0; !ok; n++) {
		allowed = n;
		ok = batconv_snapshots_write(s, path_of("out"), &err);
		allowed = ALL;
		read_file("out", &now);
		assert_int_equal(ok, now.size != before.size ||
					     memcmp(now.data, before.data, now.size) != 0);
		assert_true(ok || err.code == BATCONV_ERROR_NOMEM);
	}
	assert_false(batconv_snapshots_write(s, path_of("no directory/out"), &err));
	assert_int_equal(err.code, BATCONV_ERROR_IO);
	batconv_snapshots_free(s);
}

static void handles(void **state)
{
	struct batconv_snapshots *s = two_maps(), *more = NULL;
	struct batconv_maps *maps = NULL;
	struct batconv_error err;

	(void)state;
	for (uint64_t n = 0; !maps; n++) {
		allowed = n;
		bool ok = batconv_maps_open_at(s, 7, 150, &maps, &err);
		allowed = ALL;
		assert_true(ok ? maps != NULL : !maps && err.code == BATCONV_ERROR_NOMEM);
	}
	assert_int_equal(count_regions(maps), 2);
	for (uint64_t n = 0; !more; n++) {
		allowed = n;
		more = batconv_snapshots_new();
		allowed = ALL;
	}
	batconv_snapshots_free(more);
	batconv_snapshots_free(s);
}

/* ---- images and resolvers ---- */

static void opening(void **state)
{
	struct batconv_image *image = NULL;
	struct batconv_error err;
	bool ok = false;

	(void)state;
	for (uint64_t n = 0; !ok; n++) {
		allowed = n;
		ok = batconv_image_open(BOLTED, &image, &err);
		allowed = ALL;
		assert_true(ok || (!image && err.code == BATCONV_ERROR_NOMEM));
	}
	batconv_image_close(image);
}

/* The file where it was mapped: the library opens it. */
static const char demo_maps[] = "55e11c269000-55e11c26a000 r--p 00000000 fe:00 7 " BOLTED "\n"
				"55e11c26a000-55e11c26c000 r-xp 00001000 fe:00 7 " BOLTED "\n"
				"55e11c26f000-55e11c272000 r-xp 00006000 fe:00 7 " BOLTED "\n"
				"7f0000000000-7f0000001000 r-xp 00000000 fe:00 8 /srv/given\n";

static struct batconv_run_addr addresses[] = {
	{0x55e11c269000 + 0x7010}, {0x55e11c269000 + 0x7e81}, {0x7f0000000800}, {16}};
#define COUNT (sizeof(addresses) / sizeof(addresses[0]))

static void check_frames(const struct batconv_frame *f)
{
	assert_string_equal(f[0].function, "main");
	assert_int_equal(f[0].function_offset, 0x10);
	assert_non_null(f[1].function);
	assert_string_equal(f[2].library, "/srv/given");
	assert_string_equal(f[3].library, "[unknown]");
}

static void resolving(void **state)
{
	struct batconv_snapshots *s = batconv_snapshots_new();
	struct batconv_raw_stack stack = {.time = 1000,
					  .pid = 7,
					  .map = BATCONV_MAP_BY_TIME,
					  .addresses = addresses,
					  .count = COUNT};
	struct batconv_raw_stack both[] = {
		stack, {.time = 1000, .pid = 7, .addresses = addresses, .count = COUNT}};
	struct batconv_frame f[2 * COUNT];
	struct batconv_resolver *r;
	struct batconv_error err;
	bool ok = false;

	(void)state;
	add(s, 0, 100, demo_maps);
	allowed = 0;
	ok = batconv_resolver_open(s, BATCONV_LOOKUP_FUNCTIONS, &r, &err);
	allowed = ALL;
	assert_true(!ok && !r && err.code == BATCONV_ERROR_NOMEM);
	for (uint64_t n = 0; !ok; n++) { /* what was learnt until the failure is kept */
		assert_true(batconv_resolver_open(s, BATCONV_LOOKUP_FUNCTIONS, &r, &err));
		allowed = n;
		ok = batconv_resolve_stacks(r, both, 2, f, 2 * COUNT, &err);
		allowed = ALL;
		assert_true(ok || err.code == BATCONV_ERROR_NOMEM);
		assert_true(batconv_resolve_stacks(r, both, 2, f, 2 * COUNT, &err));
		check_frames(f);
		check_frames(f + COUNT);
		batconv_resolver_close(r);
	}
	batconv_snapshots_free(s);
}

static void giving(void **state)
{
	struct batconv_snapshots *s = two_maps();
	struct batconv_resolver *r;
	struct batconv_error err;
	struct batconv_frame frame;
	bool ok = false;

	(void)state;
	assert_true(batconv_resolver_open(s, 0, &r, &err));
	add(s, 3, 300, demo_maps);
	assert_false(batconv_resolver_add(r, BATCONV_SOURCE_DIR "/LICENSE", &err));
	assert_int_equal(err.code, BATCONV_ERROR_FORMAT);
	for (uint64_t n = 0; !ok; n++) {
		allowed = n;
		ok = batconv_resolver_add(r, BOLTED, &err);
		allowed = ALL;
		assert_true(ok || err.code == BATCONV_ERROR_NOMEM);
	}
	assert_true(batconv_resolve(r, 7, 1000, addresses[0], &frame, &err));
	assert_true(frame.has_vaddr);
	assert_int_equal(frame.vaddr.v, 0x7010);
	batconv_resolver_close(r);
	batconv_snapshots_free(s);
}

static void translating(void **state)
{
	struct batconv_vaddr at = {0x7e80};
	struct batconv_translator *t = NULL;
	struct batconv_location location;
	struct batconv_error err;
	bool ok = false;

	(void)state;
	for (uint64_t n = 0; !ok; n++) {
		allowed = n;
		ok = batconv_translator_open(BOLTED, BATCONV_SOURCE_DIR "/inputs/demo/demo", 0, &t,
					     &err);
		allowed = ALL;
		assert_true(ok || (!t && err.code == BATCONV_ERROR_NOMEM));
	}
	allowed = 0; /* nothing is allocated for an address */
	ok = batconv_translate(t, BATCONV_ADDRESSES_INSTRUCTIONS, &at, 1, &location, &err);
	allowed = ALL;
	assert_true(ok && location.has_vaddr);
	batconv_translator_close(t);
}

/* A file that is replaced keeps its mode. */
static void the_mask_is_left_alone(void **state)
{
	struct batconv_snapshots *s = two_maps();
	struct batconv_error err;
	struct stat st;

	(void)state;
	write_file("out", "");
	assert_int_equal(chmod(path_of("out"), 0667), 0);
	masks = 0;
	assert_true(batconv_snapshots_write(s, path_of("out"), &err));
	assert_int_equal(masks, 0);
	assert_int_equal(stat(path_of("out"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0667);
	batconv_snapshots_free(s);
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	static const char *const names[] = {"seen", "maps", "all.bcmaps", "bad", "twice", "out"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		remove(path_of(names[i]));
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adding_without_memory),
		cmocka_unit_test(adding_what_cannot_be_added),
		cmocka_unit_test(writing),
		cmocka_unit_test(handles),
		cmocka_unit_test(opening),
		cmocka_unit_test(resolving),
		cmocka_unit_test(giving),
		cmocka_unit_test(translating),
		cmocka_unit_test(the_mask_is_left_alone),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
