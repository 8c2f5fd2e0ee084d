/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A conversion with the input binary, either of the two damaged.  An input is
 *
 *   byte 0    threads
 *   the rest  changes of four bytes: offset (23 bits, little-endian, modulo the file's size; the
 *             top bit: in the output, else in the input), the byte that is there
 *
 * The pair is refused with a proper error, or every trace of the demo's recording is converted:
 * ledgers balance, records are in order, each names a function and has a count, and the profile is
 * the same for any number of threads.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/file.h"
#include "src/elf/binary.h"
#include "tests/support/convert_all.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define DEMO BATCONV_SOURCE_DIR "/inputs/demo/"

/* What stays open from one run to the next. */
static struct file_map input_file, output_file, samples_file;

static void open_files(void)
{
	struct bc_error err = {0};

	if (!samples_file.data && (!file_map(DEMO "demo", &input_file, &err) ||
				   !file_map(DEMO "demo.bolt", &output_file, &err) ||
				   !file_map(DEMO "demo.preagg", &samples_file, &err)))
		abort();
}

static uint8_t *copy(const struct file_map *file)
{
	uint8_t *bytes = malloc(file->size);

	if (!bytes)
		abort();
	memcpy(bytes, file->data, file->size);
	return bytes;
}

static void change(uint8_t *input, uint8_t *output, const uint8_t *data, size_t size)
{
	for (; size >= 4; data += 4, size -= 4) {
		size_t at = data[0] | (size_t)data[1] << 8 | (size_t)(data[2] & 0x7f) << 16;
		if (data[2] & 0x80)
			output[at % output_file.size] = data[3];
		else
			input[at % input_file.size] = data[3];
	}
}

static char *profile_of(const struct binary *binary, struct pair *pair, unsigned threads,
			size_t *size)
{
	const struct aggregate_options options = {.threads = threads, .rules = best_rules};
	const struct image_match_options match = {.binary_path = "demo.bolt"};
	struct text samples = {(const char *)samples_file.data, samples_file.size};
	struct aggregate aggregate;
	struct bc_error err = {0};
	char *text;

	FILE *out = open_memstream(&text, size);
	assert(out && aggregate_init(&aggregate, &binary->image, &options, &match, &err));
	assert(convert_read(&aggregate, samples, &err));
	convert_check_pair(&aggregate, binary, pair, threads, out);
	fclose(out);
	return text;
}

static void run(uint8_t *input, const struct binary *binary, unsigned threads)
{
	struct bc_error err = {0};
	struct pair pair;
	size_t size, size_again;

	if (!pair_open_bytes((struct bytes){input, input_file.size}, binary, true, &pair, &err)) {
		error_check(&err);
		return;
	}
	char *text = profile_of(pair.output, &pair, 1, &size);
	char *again = profile_of(pair.output, &pair, 1 + threads % 4, &size_again);
	assert(size == size_again && !memcmp(text, again, size));
	free(text);
	free(again);
	pair_close(&pair);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bc_error err = {0};
	struct binary binary;

	open_files();
	if (!size)
		return 0;
	uint8_t *input = copy(&input_file), *output = copy(&output_file);
	change(input, output, data + 1, size - 1);
	if (binary_open_bytes((struct bytes){output, output_file.size}, &binary, &err)) {
		run(input, &binary, data[0] & 15);
		binary_close(&binary);
	} else {
		error_check(&err);
	}
	free(input);
	free(output);
	return 0;
}
