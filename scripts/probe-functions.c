/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Prints where the function table (and the BAT, if there is one) puts every
 * byte of the executable sections: "ADDRESS NAME OFFSET", all hexadecimal;
 * nothing for a byte in no function.  scripts/probe-functions compares that
 * with perf2bolt.  With -t it prints how long the table took instead.
 */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bat/bat.h"
#include "src/base/file.h"
#include "src/elf/functions.h"

struct probe {
	struct image image;
	struct function_table functions;
	struct bat_table bat;
	bool has_bat;
};

static bool fail(const struct bc_error *err)
{
	fprintf(stderr, "probe-functions: %s\n", err->text);
	return false;
}

static bool read_bat(struct probe *p)
{
	struct bc_error err = {0};
	struct bat_error bat_err;
	struct bytes desc;

	if (!image_bat_note(&p->image, &desc, &err))
		return err.code == BC_NOTFOUND || fail(&err);
	p->has_bat = bat_decode(desc.data, desc.size, &p->bat, &bat_err);
	if (!p->has_bat)
		fprintf(stderr, "probe-functions: %s\n", bat_err.text);
	return p->has_bat;
}

static void print_byte(const struct probe *p, uint64_t at)
{
	const struct function *f = functions_find(&p->functions, (struct vaddr){at});

	if (!f)
		return;
	uint64_t offset = at - f->address;
	const struct bat_fragment *fragment =
		p->has_bat ? bat_find_exact(&p->bat, f->address) : NULL;
	if (fragment && fragment->parent != BAT_NO_PARENT) {
		offset = bat_translate(&p->bat, fragment, (uint32_t)offset, false);
		uint64_t hot = p->bat.fragments[fragment->parent].address;
		f = functions_find(&p->functions, (struct vaddr){hot});
	}
	printf("%" PRIx64 " %s %" PRIx64 "\n", at, p->has_bat ? f->printed : f->primary, offset);
}

static void print_all(const struct probe *p)
{
	for (size_t i = 0; i < p->image.section_count; i++) {
		const struct section *s = &p->image.sections[i];
		if (s->flags & SHF_ALLOC && s->flags & SHF_EXECINSTR)
			for (uint64_t at = s->addr; at < s->addr + s->size; at++)
				print_byte(p, at);
	}
}

int main(int argc, char **argv)
{
	struct probe p = {.has_bat = false};
	struct file_map map;
	struct bc_error err = {0};
	struct timespec begin, end;

	if (argc < 2 || !file_map(argv[argc - 1], &map, &err) ||
	    !image_open((struct bytes){map.data, map.size}, &p.image, &err))
		return !fail(&err);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	if (!functions_build(&p.image, &p.functions, &err))
		return !fail(&err);
	clock_gettime(CLOCK_MONOTONIC, &end);
	if (!strcmp(argv[1], "-t")) {
		double ms = (double)(end.tv_sec - begin.tv_sec) * 1e3 +
			    (double)(end.tv_nsec - begin.tv_nsec) / 1e6;
		printf("%zu symbols, %zu functions, %.1f ms\n", p.functions.symbols.count,
		       p.functions.count, ms);
	} else {
		if (!read_bat(&p))
			return 1;
		print_all(&p);
	}
	bat_free(&p.bat);
	functions_free(&p.functions);
	image_close(&p.image);
	file_unmap(&map);
	return 0;
}
