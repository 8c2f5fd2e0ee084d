/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shards: nothing but what was written is taken, by merge and by whoever reads a stream. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/file.h"
#include "src/base/output.h"
#include "src/profile/shard.h"
#include "tests/hostile/fuzz/support/merge_text.h"
#include "tests/support/cmocka.h"

#define MEMORY ((size_t)1 << 20)

static const struct written_shard {
	struct shard shard;
	const char *text;
} samples[] = {
	{{.kind = KIND_NOTHING}, ""},
	{{.kind = KIND_PREAGG,
	  .mode = MODE_BRANCHES,
	  .id = {.size = 2, .data = {0xab, 0x12}},
	  .records = 3,
	  .sums = {17, 3}},
	 "T 10 20 30 5 1\nT 11 22 33 9 2\nF 40 50 3\n"},
	{{.kind = KIND_PREAGG, .mode = MODE_PLAIN, .scaled = true, .records = 2, .sums = {7, 0}},
	 "E cycles:u\nS 10 3\nS 20 4\n"},
	{{.kind = KIND_FDATA,
	  .mode = MODE_BRANCHES,
	  .id = {.size = 2, .data = {0xab, 0x12}},
	  .records = 2,
	  .sums = {10, 2}},
	 "boltedcollection\n1 a 0 1 b 5 2 7\n1 a 8 1 b 5 0 3\n"},
	{{.kind = KIND_YAML, .mode = MODE_BRANCHES, .records = 4, .sums = {361, 0}},
	 "---\nheader:\n  profile-version: 1\n  profile-flags: [ lbr ]\n  hash-func: xxh3\nfunctions:\n"
	 "  - name: f\n    fid: 7\n    hash: 0x1\n    exec: 100\n    nblocks: 2\n    blocks:\n"
	 "      - bid: 0\n        insns: 1\n        hash: 0x1\n        succ: [ { bid: 1, cnt: 200 } ]\n"
	 "  - name: g\n    fid: 9\n    hash: 0x1\n    exec: 61\n    nblocks: 1\n...\n"},
};

/* The bytes of a shard, for free(). */
static struct text written(const struct written_shard *sample)
{
	struct shard shard = sample->shard;
	char *at = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&at, &size), *text;

	assert_non_null(out);
	text = shard_begin(&shard, out);
	assert_non_null(text);
	fputs(sample->text, text);
	assert_int_equal(fclose(text), 0);
	shard_end(&shard, out);
	assert_int_equal(fclose(out), 0);
	return (struct text){at, size};
}

/* Whoever reads a stream knows the identity once the first byte of text was read, in reads of any
 * size. */
static void a_stream_tells_the_identity(void **state)
{
	(void)state;
	for (size_t i = 0; i < BC_COUNT(samples); i++) {
		struct text file = written(&samples[i]);
		for (size_t step = 32; step <= 512; step += 37) {
			struct file_stream stream = {.name = "shard",
						     .fd = -1,
						     .memory = (const uint8_t *)file.at,
						     .size = file.len};
			char buffer[512];
			size_t got;
			struct bc_error err;
			assert_null(stream_shard_identity(&stream));
			assert_true(stream_read(&stream, buffer, step, &got, &err));
			const struct build_id *id = stream_shard_identity(&stream);
			assert_int_equal(id != NULL, samples[i].shard.id.size != 0);
			assert_true(!id || build_id_same(id, &samples[i].shard.id));
			stream_close(&stream);
		}
		free((char *)file.at);
	}
}

/* What merge makes of it, for free(), or NULL. */
static char *merged(struct text file)
{
	size_t size;
	char *text = merge_text(file, false, MEMORY, &size);
	char *line = text ? realloc(text, size + 1) : NULL;

	if (line)
		line[size] = '\0';
	return line;
}

/* Does a stream give its text, be it for a reader that takes what was cut? */
static bool streamed(struct text file)
{
	struct file_stream stream = {.name = "in",
				     .fd = -1,
				     .memory = (const uint8_t *)file.at,
				     .size = file.len,
				     .cut_will_do = true};
	struct bc_error err = {0};
	char buffer[100];
	size_t got;
	uint64_t taken;
	bool ok;

	while ((ok = stream_read(&stream, buffer, sizeof(buffer), &got, &err)) && got)
		;
	ok = ok && stream_packing(&stream, &taken) != PACKING_NONE && !stream.cut;
	assert_true(ok || !err.code || !strncmp(err.text, "in: ", 4));
	stream_close(&stream);
	return ok;
}

static void check_refused(struct text file, const char *what, size_t at)
{
	char *text = merged(file);

	if (text || streamed(file))
		fail_msg("%s %zu of %zu bytes: taken by %s", what, at, file.len,
			 text ? "merge" : "a stream");
}

static void what_was_written(void **state)
{
	(void)state;
	for (size_t i = 0; i < BC_COUNT(samples); i++) {
		struct text file = written(&samples[i]);
		char *text = merged(file), *plain = merged(text_of(samples[i].text));
		assert_non_null(text);
		assert_string_equal(text, plain);
		assert_true(streamed(file));
		free(text);
		free(plain);
		free((char *)(uintptr_t)file.at);
	}
}

static void every_bit(void **state)
{
	(void)state;
	for (size_t i = 0; i < BC_COUNT(samples); i++) {
		struct text file = written(&samples[i]);
		char *bytes = (char *)(uintptr_t)file.at;
		for (size_t bit = 0; bit < 8 * file.len; bit++) {
			bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
			check_refused(file, "bit", bit);
			bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
		}
		free(bytes);
	}
}

/* A file without a byte, and one with a newline alone, has no record, and is taken. */
static void every_cut(void **state)
{
	(void)state;
	for (size_t i = 0; i < BC_COUNT(samples); i++) {
		struct text file = written(&samples[i]);
		for (size_t size = 1; size < file.len; size++) {
			char *text = merged(text_first(file, size));
			if (text)
				fail_msg("the first %zu of %zu bytes are taken", size, file.len);
			if (size + 1 < file.len && (text = merged(text_from(file, size))))
				fail_msg("the last %zu of %zu bytes are taken", file.len - size,
					 file.len);
		}
		free((char *)(uintptr_t)file.at);
	}
}

/* Several 64 KiB of compressed bytes: the end of one read can be anywhere in the last frame. */
static void large_ones(void **state)
{
	enum { LINES = 40000 };
	struct written_shard sample = {
		{.kind = KIND_PREAGG, .mode = MODE_BRANCHES, .records = LINES}, NULL};
	char *lines = malloc(LINES * 64), *at = lines;
	uint64_t from = 0;

	(void)state;
	assert_non_null(lines);
	for (unsigned i = 0; i < LINES; i++) {
		from += 1 + (i * 2654435761u) % 65521;
		at += sprintf(at, "F %llx %llx %u\n", (unsigned long long)from,
			      (unsigned long long)from + 16, 1 + i % 7);
		sample.shard.sums[0] += 1 + i % 7;
	}
	sample.text = lines;
	struct text file = written(&sample);
	char *bytes = (char *)(uintptr_t)file.at;
	assert_true(file.len > 150000);
	assert_true(streamed(file));
	for (size_t i = 0; i < file.len; i += i % 65536 < 600 ? 41 : 20011) {
		bytes[i] ^= 4;
		assert_false(streamed(file));
		bytes[i] ^= 4;
	}
	/* Reads of 64 KiB end anywhere in and before the last frame. */
	for (size_t less = 0; less < 600; less += 7) {
		const size_t room = (size_t)64 << 10, whole = file.len / room * room;
		struct text part = text_first(file, whole + (less < file.len - whole ? less : 0));
		assert_false(streamed(part));
	}
	free(bytes);
	free(lines);
}

/* Two in one file, or one after something else, are no shard. */
static void several(void **state)
{
	struct text a = written(&samples[1]);
	char *both = malloc(2 * a.len);

	(void)state;
	assert_non_null(both);
	memcpy(both, a.at, a.len);
	memcpy(both + a.len, a.at, a.len);
	check_refused((struct text){both, 2 * a.len}, "twice", a.len);
	/* The text of a shard's frame without its own two, and the shard after it. */
	size_t middle = a.len - 2 * 264;
	memcpy(both, a.at + 264, middle);
	memcpy(both + middle, a.at, a.len);
	check_refused((struct text){both, middle + a.len}, "behind a frame", middle);
	free(both);
	free((char *)(uintptr_t)a.at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stream_tells_the_identity),
		cmocka_unit_test(what_was_written),
		cmocka_unit_test(every_bit),
		cmocka_unit_test(every_cut),
		cmocka_unit_test(large_ones),
		cmocka_unit_test(several),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
