/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/isa/programs.h"

#include <elf.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>

#include "src/base/file.h"

static struct {
	code_fn *take;
	void *ctx;
	size_t count;
} walk;

static void take_image(const struct image *image)
{
	walk.count++;
	for (size_t i = 0; i < image->section_count; i++) {
		const struct section *s = &image->sections[i];
		if (s->flags & SHF_EXECINSTR && s->type != SHT_NOBITS)
			walk.take(walk.ctx, image, image_section_bytes(image, s), s->addr);
	}
}

static void take_file(const char *path)
{
	struct bc_error err = {0};
	struct file_map map;
	struct image image;

	if (!file_map(path, &map, &err))
		return;
	if (image_open((struct bytes){map.data, map.size}, &image, &err)) {
		take_image(&image);
		image_close(&image);
	}
	file_unmap(&map);
}

static int take_entry(const char *path, const struct stat *stat, int type, struct FTW *ftw)
{
	(void)stat;
	(void)ftw;
	if (type == FTW_F)
		take_file(path);
	return 0;
}

/* Each mapping of code with a path is one file. */
static void take_mapped(void)
{
	char line[4096], path[4096];
	FILE *maps = fopen("/proc/self/maps", "r");

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, " r-xp ") &&
		    sscanf(line, "%*s %*s %*s %*s %*s %4095s", path) == 1 && path[0] == '/')
			take_file(path);
	if (maps)
		fclose(maps);
}

size_t each_program(char *const *paths, int count, code_fn *take, void *ctx)
{
	walk.take = take;
	walk.ctx = ctx;
	walk.count = 0;
	for (int i = 0; i < count; i++)
		take_file(paths[i]);
	if (!count) {
		nftw(BATCONV_SOURCE_DIR "/inputs", take_entry, 16, FTW_PHYS);
		nftw(BATCONV_DATA_DIR, take_entry, 16, FTW_PHYS);
		take_mapped();
	}
	return walk.count;
}

static size_t put_prefixes(uint64_t random, uint8_t *code)
{
	static const uint8_t prefixes[16] = {0x66, 0x67, 0xf2, 0xf3, 0x2e, 0x3e, 0x64, 0x40,
					     0x41, 0x48, 0x4f, 0x45, 0x0f, 0xd5, 0x0f, 0x66};
	size_t at = 0;

	for (; at < 4 && random >> at & 1; at++)
		code[at] = prefixes[random >> (4 + 4 * at) & 15];
	return at;
}

/* Maps that exist, and mostly no second operand, which most opcodes have not. */
static void put_vector(uint64_t random, uint8_t *code)
{
	unsigned map = 1 + (unsigned)(random >> 8) % 3;
	bool alone = random & 1;

	code[0] = random & 2 ? 0x62 : random & 4 ? 0xc4 : 0xc5;
	switch (code[0]) {
	case 0xc5: code[1] |= alone ? 0x78 : 0; break;
	case 0xc4:
		code[1] = (uint8_t)((code[1] & 0xe0) | map);
		code[2] |= alone ? 0x78 : 0;
		break;
	default:
		code[1] = (uint8_t)((code[1] & 0xf0) | map);
		code[2] |= alone ? 0x7c : 4;
		code[3] = alone ? (uint8_t)((code[3] & 0x60) | 8) : code[3];
	}
}

void random_x86(uint64_t random, uint8_t code[16])
{
	size_t at = 0;

	if (random >> 60 & 3)
		at = put_prefixes(random >> 32, code);
	if (random >> 62 & 1)
		put_vector(random, code + at);
}
