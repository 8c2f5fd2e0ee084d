/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The whole conversion.  An input is
 *
 *   byte 0      bit 0: what follows is a BAT descriptor, which replaces that of
 *               the demo; bit 1: basic mode; bit 3: as perf2bolt; bit 2: a sweep over all functions
 *               comes on top, so that the table is used whatever the samples
 *               say; bits 4 to 7: threads
 *   bytes 1, 2  size of the descriptor, little-endian (if bit 0)
 *   the rest    the descriptor, then samples
 *
 * Samples of any bytes are refused with a proper error or converted, and then
 * everything balances: what was kept and what was dropped for each reason is what
 * was read; records are in order, each names a function and has a count; and the
 * profile is the same whatever the number of threads.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "src/elf/binary.h"
#include "tests/hostile/fuzz/support/mutators.h"
#include "tests/support/convert_all.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct binary demo;

static void open_demo(void)
{
	struct bc_error err = {0};

	if (!demo.file.data &&
	    !binary_open(BATCONV_SOURCE_DIR "/inputs/demo/demo.bolt", &demo, &err))
		abort();
}

/* The demo's file with another descriptor instead of its own. */
static uint8_t *with_descriptor(const uint8_t *desc, size_t size)
{
	struct bc_error err = {0};
	struct bytes old;
	uint8_t *copy = malloc(demo.file.size);

	assert(copy && image_bat_note(&demo.image, &old, &err) && size <= old.size);
	memcpy(copy, demo.file.data, demo.file.size);
	uint8_t *at = copy + (old.data - demo.file.data);
	memcpy(at, desc, size);
	/* namesz, descsz, type, name of 8 bytes */
	for (int i = 0; i < 4; i++)
		at[-16 + i] = (uint8_t)(size >> 8 * i);
	return copy;
}

/* The profile as text, of what could be read. */
static char *run_with(const struct binary *binary, unsigned flags, unsigned threads,
		      struct text samples, size_t *size)
{
	const struct aggregate_options options = {.mode = flags & 2 ? MODE_BASIC : MODE_AUTO,
						  .erratum = true,
						  .rules = flags & 8 ? (struct profile_rules){0} :
								       best_rules,
						  .threads = threads};
	static const struct image_match_options match = {.binary_path = "demo.bolt"};
	struct aggregate aggregate;
	struct bc_error err = {0};
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	assert(out && aggregate_init(&aggregate, &binary->image, &options, &match, &err));
	if (!convert_read(&aggregate, samples, &err))
		error_check(&err);
	if (flags & 4)
		convert_sweep(&aggregate, binary);
	convert_check_to(&aggregate, binary, threads, out);
	assert(!fclose(out));
	return text;
}

static void run(const struct binary *binary, unsigned flags, struct text samples)
{
	unsigned threads = 1 + (flags >> 4) % 4;
	size_t size, size_again;
	char *text = run_with(binary, flags, 1, samples, &size), *again;

	if (threads > 1) {
		again = run_with(binary, flags, threads, samples, &size_again);
		assert(size == size_again && !memcmp(text, again, size));
		free(again);
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bc_error err = {0};
	struct bytes old;

	open_demo();
	if (size < 3)
		return 0;
	unsigned flags = data[0];
	size_t desc = data[1] | (size_t)data[2] << 8;
	struct text samples = {(const char *)data + 3, size - 3};
	if (!(flags & 1)) {
		run(&demo, flags, samples);
		return 0;
	}
	if (!image_bat_note(&demo.image, &old, &err) || desc > samples.len || desc > old.size)
		return 0;
	struct binary binary;
	uint8_t *file = with_descriptor(data + 3, desc);
	if (binary_open_bytes((struct bytes){file, demo.file.size}, &binary, &err)) {
		run(&binary, flags, text_from(samples, desc));
		binary_close(&binary);
	} else {
		error_check(&err);
	}
	free(file);
	return 0;
}

/* The samples, or the descriptor with its size. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	size_t desc = size < 3 || !(data[0] & 1) ? 0 : data[1] | (size_t)data[2] << 8;

	if (size < 3 || 3 + desc > size || size > most || seed % 8 == 0)
		return LLVMFuzzerMutate(data, size, most);
	size_t samples = size - 3 - desc;
	if (!desc || seed % 8 < 4) /* text samples are left to libFuzzer */
		return 3 + desc +
		       mutate_perf_data(data + 3 + desc, samples, most - 3 - desc, seed / 8);
	size_t capacity = most - 3 - samples < UINT16_MAX ? most - 3 - samples : UINT16_MAX;
	uint8_t *new = malloc(capacity + desc + 1);
	if (!new)
		abort();
	memcpy(new, data + 3, desc);
	size_t now = capacity < desc ? desc : mutate_bat(new, desc, capacity, seed / 8);
	memmove(data + 3 + now, data + 3 + desc, samples);
	memcpy(data + 3, new, now);
	data[1] = (uint8_t)now;
	data[2] = (uint8_t)(now >> 8);
	free(new);
	return 3 + now + samples;
}
