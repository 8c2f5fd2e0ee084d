/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Loads two libraries in turn, each under the same address as the other before, and
 * takes a stack in each: loads_plugins STACKS MAPS ROUNDS LIBRARY...
 *
 * Prints the library that the second frame of each stack is in, one a line.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "batconv/capture.h"

static struct batconv_capture_ring *ring;
static uint32_t map;
static const char *library;

/* A stack of two: here, and the location in the plugin that called. */
static void sample(void)
{
	struct batconv_run_addr stack[] = {{(uintptr_t)sample},
					   {(uintptr_t)__builtin_return_address(0)}};

	if (!batconv_capture_ring_put(ring, batconv_capture_time(), map, stack, 2))
		exit(1);
	puts(library);
}

typedef void run_fn(void (*sample)(void));

static void run_plugin(const char *path, int maps)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	static uint64_t known;

	if (!handle) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	if (batconv_capture_generation() != known) {
		known = batconv_capture_generation();
		if (!batconv_capture_maps(maps, ++map, NULL))
			exit(1);
	}
	run_fn *run;
	*(void **)&run = dlsym(handle, "plugin_run");
	library = path;
	run(sample);
	dlclose(handle);
}

int main(int argc, char **argv)
{
	if (argc < 5)
		return 2;
	int stacks = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0644);
	int maps = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0644);
	ring = batconv_capture_ring_new(1 << 20);
	if (!ring || stacks < 0 || maps < 0)
		return 1;
	for (int round = 0; round < atoi(argv[3]); round++)
		run_plugin(argv[4 + round % (argc - 4)], maps);
	return batconv_capture_ring_write(ring, stacks, NULL) ? 0 : 1;
}
