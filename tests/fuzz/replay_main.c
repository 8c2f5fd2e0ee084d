/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Gives every file of a folder to a fuzz target: no fuzzer needed. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/base/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
	/* A copy of the exact size: a sanitizer sees every step beyond it. */
	uint8_t *copy = malloc(map.size ? map.size : 1);
	if (!copy)
		abort();
	for (size_t i = 0; i < map.size; i++)
		copy[i] = map.data[i];
	LLVMFuzzerTestOneInput(copy, map.size);
	free(copy);
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
