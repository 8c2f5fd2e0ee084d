/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/addrspace/loads.h"

#include <stdlib.h>

void loads_free(struct loads *loads)
{
	load_vec_free(&loads->all);
}

static struct load_mapping mapping_of(const struct mapping *m)
{
	return (struct load_mapping){
		{m->start}, m->end - m->start, {m->offset}, m->flags & MAPPING_EXEC};
}

static size_t bases_of(const struct image *image, const struct mapping *m,
		       uint64_t out[LOAD_BASES])
{
	struct load_mapping mapping = mapping_of(m);

	return load_bases(image, &mapping, out);
}

static struct load *load_of_base(const struct loads *loads, uint64_t base)
{
	for (size_t i = 0; i < loads->all.len; i++)
		if (loads->all.at[i].base == base)
			return &loads->all.at[i];
	return NULL;
}

/* Each base that a mapping allows gets a vote. */
static bool vote(struct loads *loads, const struct image *image, const struct mapping *m)
{
	uint64_t bases[LOAD_BASES];
	size_t count = bases_of(image, m, bases);

	loads->mappings++;
	loads->misfits += !count && m->flags & MAPPING_EXEC;
	for (size_t i = 0; i < count; i++) {
		struct load *load = load_of_base(loads, bases[i]);
		if (!load && !load_vec_push(&loads->all, (struct load){.base = bases[i]}))
			return false;
		load = load_of_base(loads, bases[i]);
		load->mappings++;
	}
	return true;
}

bool loads_base(const struct loads *loads, const struct image *image, const struct mapping *m,
		uint64_t *out)
{
	uint64_t bases[LOAD_BASES];
	size_t count = bases_of(image, m, bases);
	uint32_t most = 0;

	for (size_t i = 0; i < count; i++) {
		const struct load *load = load_of_base(loads, bases[i]);
		if (load && load->mappings > most) {
			most = load->mappings;
			*out = load->base;
		}
	}
	return most;
}

/* Take a mapping for its load, of which it is the highest so far. */
static void join(struct load *load, const struct image *image, const struct mapping *m)
{
	struct load_mapping mapping = mapping_of(m);

	if (!load->end) {
		load->start = m->start;
		load->has_lowest = load_base_lowest(image, &mapping, false, &load->lowest);
	}
	if (mapping.executable && !load->executable++)
		load->has_lowest_executable =
			load_base_lowest(image, &mapping, true, &load->lowest_executable);
	load->end = m->end;
}

static int by_base(const void *a, const void *b)
{
	const struct load *x = a, *y = b;

	return (x->base > y->base) - (x->base < y->base);
}

/* What got votes and no mapping in the end was the other reading of a page that
 * two segments share; what has no code was only read. */
static void keep_loads(struct loads *loads)
{
	size_t kept = 0;

	for (size_t i = 0; i < loads->all.len; i++)
		if (loads->all.at[i].executable)
			loads->all.at[kept++] = loads->all.at[i];
	loads->all.len = kept;
	if (kept)
		qsort(loads->all.at, kept, sizeof(*loads->all.at), by_base);
}

static bool is_of(const struct mapped_files *files, const struct mapping *m, uint32_t path)
{
	return mapped_files_at(files, m->file)->path == path;
}

bool loads_find(const struct maps *maps, const struct mapped_files *files, uint32_t path,
		const struct image *image, struct loads *out)
{
	struct loads loads = {0};
	uint64_t base;

	for (size_t i = 0; i < maps->len; i++)
		if (is_of(files, &maps->at[i], path) && !vote(&loads, image, &maps->at[i])) {
			loads_free(&loads);
			return false;
		}
	for (size_t i = 0; i < maps->len; i++)
		if (is_of(files, &maps->at[i], path) && loads_base(&loads, image, &maps->at[i], &base))
			join(load_of_base(&loads, base), image, &maps->at[i]);
	keep_loads(&loads);
	*out = loads;
	return true;
}

bool load_agrees(const struct load *load)
{
	return (!load->has_lowest || load->lowest == load->base) &&
	       (!load->has_lowest_executable || load->lowest_executable == load->base);
}
