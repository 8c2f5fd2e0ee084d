/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Gives every file of a directory to a fuzz target: no fuzzer needed.  A target with a
 * mutator of its own gets some mutations of each as well, the same ones every time.
 *
 * A mutator stays within the room that it has, and gives the same for the same seed.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/file.h"
#include "tests/hostile/fuzz/support/mutators.h"

#define MUTATIONS 24
#define ROOM      4096 /* for what a mutation adds */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#pragma weak LLVMFuzzerCustomMutator

/* Instead of libFuzzer's: a few bytes. */
static struct prng bytes;

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most)
{
	if (size < most && !prng_below(&bytes, 4))
		data[size++] = (uint8_t)prng_next(&bytes);
	for (uint64_t i = prng_below(&bytes, 4) + 1; i && size; i--)
		data[prng_below(&bytes, size)] = (uint8_t)prng_next(&bytes);
	return size;
}

/* A copy of the exact size: a sanitizer sees every step beyond it. */
static void run(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	assert(copy);
	if (size)
		memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static size_t mutate(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	bytes.state = seed;
	return LLVMFuzzerCustomMutator(data, size, most, seed);
}

/* One on top of the other: the input moves away from where it began. */
static void run_mutations(const uint8_t *data, size_t size)
{
	size_t most = size + ROOM;
	uint8_t *a = calloc(1, most), *b = calloc(1, most);

	assert(a && b);
	if (size)
		memcpy(a, data, size);
	for (unsigned seed = 1; seed <= MUTATIONS; seed++) {
		memcpy(b, a, most);
		size_t a_size = mutate(a, size, most, seed), b_size = mutate(b, size, most, seed);
		assert(a_size <= most && a_size == b_size && !memcmp(a, b, a_size));
		run(a, a_size);
		size = a_size;
	}
	free(a);
	free(b);
}

static int replay(const char *folder, const char *name)
{
	char path[4096];
	struct file_map map;
	struct bc_error err = {0};

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (!file_map(path, &map, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 0;
	}
	run(map.data, map.size);
	if (LLVMFuzzerCustomMutator)
		run_mutations(map.data, map.size);
	file_unmap(&map);
	return 1;
}

int main(int argc, char **argv)
{
	DIR *dir = argc == 2 ? opendir(argv[1]) : NULL;
	int count = 0;

	if (!dir) {
		fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
		return 2;
	}
	for (struct dirent *entry; (entry = readdir(dir));)
		if (entry->d_name[0] != '.')
			count += replay(argv[1], entry->d_name);
	closedir(dir);
	printf("%d inputs replayed\n", count);
	return count ? 0 : 1;
}
