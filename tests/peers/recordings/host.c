/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opens a library, works in it and closes it; then another one, mostly at the same address; then
 * the first one again, which cannot be there now: host LIBRARY OTHER ROUNDS */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void *use(const char *path, unsigned rounds)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	unsigned (*work)(unsigned) = library ? (unsigned (*)(unsigned))dlsym(library, "work") : NULL;

	if (!work) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	volatile unsigned sum = work(rounds);
	(void)sum;
	fprintf(stderr, "%p\n", (void *)work);
	return library;
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	unsigned rounds = (unsigned)atoi(argv[3]);
	dlclose(use(argv[1], rounds));
	void *other = use(argv[2], rounds);
	dlclose(use(argv[1], rounds));
	dlclose(other);
	return 0;
}
