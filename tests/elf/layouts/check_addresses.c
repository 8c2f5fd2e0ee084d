/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Every executable byte's address, all ways and back: check_addresses COUNT BINARY...
 *
 * Maps each binary as Linux's loader does (each segment in whole pages, at a base that
 * is drawn for position-independent ones), samples COUNT addresses over the bytes of
 * all executable segments, and requires of each that
 *
 *   run -> vaddr -> run                        the base of every mapping
 *   vaddr -> file offset -> vaddr              and the byte there is the mapped one
 *   vaddr -> function + offset -> vaddr        where it is in a function
 *   vaddr -> input + offset -> locations          one of them is the vaddr
 *
 * is the identity.  Prints a row per binary; exits 1 if something is not.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/address/address_chain.h"
#include "tests/support/prng.h"

#define PAGE UINT64_C(0x1000)

static uint64_t page_down(uint64_t at)
{
	return at & ~(PAGE - 1);
}

/* What the loader would map.  Later segments win the pages they share. */
static void map_segments(const struct image *image, uint64_t base, uint32_t file, struct maps *maps)
{
	struct map_set *set = NULL;

	for (size_t i = 0; i < image->segment_count; i++) {
		const struct segment *s = &image->segments[i];
		struct mapping m = {
			.start = page_down(s->vaddr + base),
			.end = page_down(s->vaddr + base + s->filesz + PAGE - 1),
			.offset = page_down(s->offset),
			.file = file,
			.flags = MAPPING_READ | (s->executable ? MAPPING_EXEC : 0),
		};
		if (s->filesz && !map_set_replace(&set, m.start, m.end, &m))
			abort();
	}
	if (!maps_of(set, maps))
		abort();
	map_set_release(set);
}

struct row {
	uint64_t sampled, in_functions, in_bat, in_input, several, failed;
};

static void failed(struct row *row, const char *what, uint64_t vaddr)
{
	if (row->failed++ < 5)
		fprintf(stderr, "  0x%" PRIx64 ": %s\n", vaddr, what);
}

struct back {
	uint64_t vaddr;
	unsigned places;
	bool found;
};

static bool take_place(void *ctx, struct vaddr at)
{
	struct back *back = ctx;

	back->places++;
	back->found |= at.v == back->vaddr;
	return true;
}

static void check_input(const struct subject *subject, const struct address_chain *chain,
			struct row *row)
{
	struct back back = {.vaddr = chain->vaddr.v};

	if (!chain->input.function)
		return;
	row->in_input++;
	places_of_input(&subject->places, chain->input.function, chain->input.offset, take_place,
			&back);
	row->several += back.places > 1;
	if (!back.found)
		failed(row, "input function and back", chain->vaddr.v);
}

static void check_function(const struct subject *subject, const struct address_chain *chain,
			   struct row *row)
{
	const struct function *f = chain->place.function;
	size_t count;
	bool found = false;

	if (!f)
		return;
	row->in_functions++;
	row->in_bat += chain->place.fragment != NULL;
	const struct named_place *named =
		places_named(&subject->places, text_of(f->printed), &count);
	for (size_t i = 0; i < count; i++)
		found |= subject->binary.functions.at[named[i].function].address +
				 chain->place.offset ==
			 chain->vaddr.v;
	if (!found)
		failed(row, "function and back", chain->vaddr.v);
	check_input(subject, chain, row);
}

static void check_address(const struct subject *subject, const struct loaded_at *process,
			  const struct segment *s, uint64_t vaddr, struct row *row)
{
	uint64_t base = process->loads.all.at[0].base;
	struct run_addr run = {vaddr + base};
	struct address_chain chain = address_chain_of_run(subject, process, run);
	struct vaddr back;

	row->sampled++;
	if (!chain.has_vaddr || chain.vaddr.v != vaddr || chain.base != base ||
	    chain.segment != s) {
		failed(row, "run-time address", vaddr);
		return;
	}
	address_chain_add_run(&chain, process, 0);
	if (chain.run.v != run.v || !chain.mapping)
		failed(row, "vaddr to run-time address", vaddr);
	if (!chain.has_offset || chain.offset.v != vaddr - s->vaddr + s->offset ||
	    !image_to_vaddr(&subject->binary.image, chain.offset, &back) || back.v != vaddr)
		failed(row, "file offset and back", vaddr);
	/* By the mapping alone: the offset in the file of what is mapped there. */
	if (mapping_offset(chain.mapping, run).v != chain.offset.v)
		failed(row, "file offset by the mapping", vaddr);
	check_function(subject, &chain, row);
}

static uint64_t executable_bytes(const struct image *image)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < image->segment_count; i++)
		if (image->segments[i].executable)
			sum += image->segments[i].filesz;
	return sum;
}

/* `count` addresses at even distances over all executable bytes; all if they are
 * fewer. */
static void check_segments(const struct subject *subject, const struct loaded_at *process,
			   uint64_t count, struct row *row)
{
	const struct image *image = &subject->binary.image;
	uint64_t total = executable_bytes(image), before = 0;

	for (size_t i = 0; i < image->segment_count; i++) {
		const struct segment *s = &image->segments[i];
		if (!s->executable)
			continue;
		for (uint64_t n = 0; n < count; n++) {
			uint64_t at =
				count < total ?
					(uint64_t)((double)n / (double)count * (double)total) :
					n;
			if (at >= before && at - before < s->filesz)
				check_address(subject, process, s, s->vaddr + (at - before), row);
		}
		before += s->filesz;
	}
}

static bool check(const char *path, uint64_t count, struct prng *prng)
{
	struct subject subject;
	struct maps maps = {0};
	struct mapped_files files = {0};
	struct mapped_file file = {0};
	struct loaded_at process = {.maps = &maps, .files = &files};
	uint32_t number;
	struct bc_error err = {0};
	struct row row = {0};
	size_t executable = 0;

	if (!subject_open(path, NULL, NULL, &subject, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return false;
	}
	const struct image *image = &subject.binary.image;
	uint64_t base = image->position_independent ?
				UINT64_C(0x550000000000) +
					prng_below(prng, UINT64_C(1) << 28) * PAGE -
					page_down(image->segments[0].vaddr) :
				0;
	if (!strings_intern(&files.texts, text_of("/a"), &file.path) ||
	    !mapped_files_intern(&files, &file, &number))
		abort();
	process.path = file.path;
	map_segments(image, base, number, &maps);
	if (!loads_find(&maps, &files, file.path, image, &process.loads))
		abort();
	bool agree = process.loads.all.len == 1 && process.loads.all.at[0].base == base &&
		     process.loads.all.at[0].has_lowest && load_agrees(&process.loads.all.at[0]) &&
		     !process.loads.misfits;
	for (size_t i = 0; i < image->segment_count; i++)
		executable += image->segments[i].executable;
	if (agree)
		check_segments(&subject, &process, count, &row);
	const char *name = strrchr(path, '/');
	printf("%-22s %-6s %2zu %2zu  0x%-14" PRIx64 " %-5s %8" PRIu64 " %8" PRIu64 " %8" PRIu64
	       " %6" PRIu64 " %6" PRIu64 "\n",
	       name ? name + 1 : path, image->position_independent ? "yes" : "no",
	       image->segment_count, executable, image->segments[0].vaddr, agree ? "agree" : "NOT",
	       row.sampled, row.in_functions, row.in_bat, row.several, row.failed);
	loads_free(&process.loads);
	maps_free(&maps);
	mapped_files_free(&files);
	subject_close(&subject);
	return agree && !row.failed;
}

int main(int argc, char **argv)
{
	struct prng prng = {1};
	bool ok = true;

	if (argc < 3)
		return 2;
	puts("binary                 PIE    segments  lowest vaddr    bases  sampled functions    in BAT copies wrong");
	for (int i = 2; i < argc; i++)
		ok &= check(argv[i], strtoull(argv[1], NULL, 10), &prng);
	return ok ? 0 : 1;
}
