/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/addrspace/loads.h"

#include <stdlib.h>

#include "src/base/search.h"

void loads_free(struct loads *loads)
{
	load_vec_free(&loads->all);
	differing_vec_free(&loads->differing);
	base_vec_free(&loads->bases);
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

/* ---- votes: each base that a mapping allows gets one ---- */

static bool vote(struct loads *loads, const struct image *image, const struct mapping *m)
{
	uint64_t bases[LOAD_BASES];
	size_t count = bases_of(image, m, bases);

	loads->mappings++;
	loads->misfits += !count && m->flags & MAPPING_EXEC;
	for (size_t i = 0; i < count; i++)
		if (!base_vec_push(&loads->bases, (struct base){.base = bases[i], .mappings = 1}))
			return false;
	return true;
}

static int by_base(const void *a, const void *b)
{
	const struct base *x = a, *y = b;

	return (x->base > y->base) - (x->base < y->base);
}

static void count_votes(struct base_vec *bases)
{
	size_t kept = 0;

	if (bases->len)
		qsort(bases->at, bases->len, sizeof(*bases->at), by_base);
	for (size_t i = 0; i < bases->len; i++)
		if (kept && bases->at[kept - 1].base == bases->at[i].base)
			bases->at[kept - 1].mappings++;
		else
			bases->at[kept++] = bases->at[i];
	bases->len = kept;
}

static struct base *base_of(const struct loads *loads, uint64_t base)
{
	struct base key = {.base = base};

	return loads->bases.len ? bsearch(&key, loads->bases.at, loads->bases.len, sizeof(key), by_base) : NULL;
}

static struct base *most_voted(const struct loads *loads, const struct image *image, const struct mapping *m)
{
	uint64_t bases[LOAD_BASES];
	size_t count = bases_of(image, m, bases);
	struct base *most = NULL;

	for (size_t i = 0; i < count; i++) {
		struct base *base = base_of(loads, bases[i]);
		if (base && (!most || base->mappings > most->mappings))
			most = base;
	}
	return most;
}

bool loads_base(const struct loads *loads, const struct image *image, const struct mapping *m,
		uint64_t *out)
{
	const struct base *base = most_voted(loads, image, m);

	if (base)
		*out = base->base;
	return base;
}

/* ---- mappings of one base ---- */

/* A mapping, and the base that it leads to. */
struct member {
	const struct mapping *mapping;
	struct base *base;
};
DEFINE_VEC(member_vec, struct member);

/* All of one base, by ascending address: by ascending vaddr, too. */
struct cluster {
	const struct member *at;
	size_t count;
	uint32_t code; /* executable ones */
};
DEFINE_VEC(cluster_vec, struct cluster);

static int by_base_and_address(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->base->base != y->base->base)
		return x->base->base < y->base->base ? -1 : 1;
	return (x->mapping->start > y->mapping->start) - (x->mapping->start < y->mapping->start);
}

static int by_address(const void *a, const void *b)
{
	uint64_t x = ((const struct cluster *)a)->at->mapping->start;
	uint64_t y = ((const struct cluster *)b)->at->mapping->start;

	return (x > y) - (x < y);
}

static bool make_clusters(struct member_vec *members, struct cluster_vec *out)
{
	if (members->len)
		qsort(members->at, members->len, sizeof(*members->at), by_base_and_address);
	for (size_t i = 0; i < members->len; i++) {
		const struct member *m = &members->at[i];
		if (!i || m[-1].base != m->base)
			if (!cluster_vec_push(out, (struct cluster){.at = m}))
				return false;
		out->at[out->len - 1].count++;
		out->at[out->len - 1].code += (m->mapping->flags & MAPPING_EXEC) != 0;
	}
	if (out->len)
		qsort(out->at, out->len, sizeof(*out->at), by_address);
	return true;
}

static uint64_t vaddr_of(const struct member *m, uint64_t at)
{
	return at - m->base->base;
}

DEFINE_SEARCH(first_ending_above, struct member, uint64_t, vaddr_of(item, item->mapping->end) <= key)

/* Has it one of these vaddrs? */
static bool has_vaddrs(const struct cluster *c, uint64_t start, uint64_t end)
{
	size_t i = first_ending_above(c->at, c->count, start);

	return i < c->count && vaddr_of(&c->at[i], c->at[i].mapping->start) < end;
}

/* ---- loads ---- */

/* Limits of the bases in a load and of the loads that are compared with each cluster: only
 * hostile maps have more. */
#define CLUSTERS_MOST 8
#define LOADS_NEAR 8

struct parts {
	const struct cluster *at[CLUSTERS_MOST];
	size_t count;
};
DEFINE_VEC(parts_vec, struct parts);

/* The cluster and the load have no segment in common, so the cluster can be the missing part of
 * the load. */
static bool completes(const struct parts *load, const struct cluster *c)
{
	if (load->count == CLUSTERS_MOST)
		return false;
	for (size_t i = 0; i < load->count; i++)
		for (size_t m = 0; m < c->count; m++)
			if (has_vaddrs(load->at[i], vaddr_of(&c->at[m], c->at[m].mapping->start),
				       vaddr_of(&c->at[m], c->at[m].mapping->end)))
				return false;
	return true;
}

static bool place_cluster(struct parts_vec *loads, const struct cluster *c)
{
	for (size_t i = loads->len; i-- > 0 && loads->len - i <= LOADS_NEAR;)
		if (completes(&loads->at[i], c)) {
			loads->at[i].at[loads->at[i].count++] = c;
			return true;
		}
	return parts_vec_push(loads, (struct parts){{c}, 1});
}

/* The load whose base most mappings have; of two with equally many, the one with more code. */
static const struct cluster *main_part(const struct parts *parts)
{
	const struct cluster *main = parts->at[0];

	for (size_t i = 1; i < parts->count; i++) {
		const struct cluster *c = parts->at[i];
		if (c->count > main->count || (c->count == main->count && c->code > main->code))
			main = c;
	}
	return main;
}

/* The lowest mapping of a load, or the lowest executable one, by vaddr: NULL if it has none. */
static const struct mapping *lowest_of(const struct parts *parts, bool executable)
{
	const struct member *lowest = NULL;

	for (size_t i = 0; i < parts->count; i++) {
		const struct member *m = parts->at[i]->at, *end = m + parts->at[i]->count;
		while (executable && m < end && !(m->mapping->flags & MAPPING_EXEC))
			m++;
		if (m < end && (!lowest || vaddr_of(m, m->mapping->start) < vaddr_of(lowest, lowest->mapping->start)))
			lowest = m;
	}
	return lowest ? lowest->mapping : NULL;
}

static bool find_lowest(const struct image *image, const struct parts *parts, bool executable, uint64_t *out)
{
	const struct mapping *lowest = lowest_of(parts, executable);
	struct load_mapping m = lowest ? mapping_of(lowest) : (struct load_mapping){.size = 0};

	return lowest && load_base_lowest(image, &m, executable, out);
}

static bool note_differing(struct loads *loads, const struct cluster *c, struct load *load)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct mapping *m = c->at[i].mapping;
		load->differing++;
		if (!differing_vec_push(&loads->differing, (struct differing){m->start, m->end, c->at->base->base}))
			return false;
	}
	return true;
}

/* What has no code was only read. */
static bool add_load(struct loads *loads, const struct image *image, const struct parts *parts)
{
	const struct cluster *main = main_part(parts);
	struct load load = {.base = main->at->base->base, .start = UINT64_MAX,
			    .first_differing = loads->differing.len};

	for (size_t i = 0; i < parts->count; i++)
		load.executable += parts->at[i]->code;
	for (size_t i = 0; i < parts->count && load.executable; i++) {
		const struct cluster *c = parts->at[i];
		uint64_t start = c->at->mapping->start, end = c->at[c->count - 1].mapping->end;
		load.start = start < load.start ? start : load.start;
		load.end = end > load.end ? end : load.end;
		load.mappings += (uint32_t)c->count;
		c->at->base->of_load = true;
		if (c != main && !note_differing(loads, c, &load))
			return false;
	}
	load.has_lowest = find_lowest(image, parts, false, &load.lowest);
	load.has_lowest_executable = find_lowest(image, parts, true, &load.lowest_executable);
	return !load.executable || load_vec_push(&loads->all, load);
}

static int by_load_base(const void *a, const void *b)
{
	const struct load *x = a, *y = b;

	return (x->base > y->base) - (x->base < y->base);
}

static bool make_loads(struct loads *loads, const struct image *image, struct member_vec *members)
{
	struct cluster_vec clusters = {0};
	struct parts_vec parts = {0};
	bool ok = make_clusters(members, &clusters);

	for (size_t i = 0; ok && i < clusters.len; i++)
		ok = place_cluster(&parts, &clusters.at[i]);
	for (size_t i = 0; ok && i < parts.len; i++)
		ok = add_load(loads, image, &parts.at[i]);
	if (ok && loads->all.len)
		qsort(loads->all.at, loads->all.len, sizeof(*loads->all.at), by_load_base);
	cluster_vec_free(&clusters);
	parts_vec_free(&parts);
	return ok;
}

/* A base that got votes but no mapping came from a page that two segments share. */
static void keep_bases(struct base_vec *bases)
{
	size_t kept = 0;

	for (size_t i = 0; i < bases->len; i++)
		if (bases->at[i].of_load)
			bases->at[kept++] = bases->at[i];
	bases->len = kept;
}

static bool is_of(const struct mapped_files *files, const struct mapping *m, uint32_t path)
{
	return mapped_files_at(files, m->file)->path == path;
}

bool loads_find(const struct maps *maps, const struct mapped_files *files, uint32_t path,
		const struct image *image, struct loads *out)
{
	struct member_vec members = {0};
	struct loads loads = {0};
	bool ok = true;

	for (size_t i = 0; ok && i < maps->len; i++)
		ok = !is_of(files, &maps->at[i], path) || vote(&loads, image, &maps->at[i]);
	count_votes(&loads.bases);
	for (size_t i = 0; ok && i < maps->len; i++) {
		struct member m = {&maps->at[i], NULL};
		if (is_of(files, m.mapping, path) && (m.base = most_voted(&loads, image, m.mapping)))
			ok = member_vec_push(&members, m);
	}
	ok = ok && make_loads(&loads, image, &members);
	member_vec_free(&members);
	if (!ok) {
		loads_free(&loads);
		return false;
	}
	keep_bases(&loads.bases);
	*out = loads;
	return true;
}

bool load_agrees(const struct load *load)
{
	return !load->differing && (!load->has_lowest || load->lowest == load->base) &&
	       (!load->has_lowest_executable || load->lowest_executable == load->base);
}

bool loads_agree(const struct loads *loads)
{
	for (size_t i = 0; i < loads->all.len; i++)
		if (!load_agrees(&loads->all.at[i]))
			return false;
	return true;
}
