/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/loads.h"

#include <inttypes.h>
#include <stdlib.h>

#include "src/base/sort.h"

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

static size_t bases_of(const struct image *image, const struct mapping *m, uint64_t out[LOAD_BASES])
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

DEFINE_UNIFY(unify_votes, struct base, last->base == item->base, last->mappings++)

static void count_votes(struct base_vec *bases)
{
	if (bases->len)
		qsort(bases->at, bases->len, sizeof(*bases->at), by_base);
	bases->len = unify_votes(bases->at, bases->len);
}

static struct base *base_of(const struct loads *loads, uint64_t base)
{
	struct base key = {.base = base};

	return loads->bases.len ?
		       bsearch(&key, loads->bases.at, loads->bases.len, sizeof(key), by_base) :
		       NULL;
}

static struct base *most_voted(const struct loads *loads, const struct image *image,
			       const struct mapping *m)
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

DEFINE_SEARCH(first_ending_above, struct member, uint64_t,
	      vaddr_of(item, item->mapping->end) <= key)

/* Has it one of these vaddrs? */
static bool has_vaddrs(const struct cluster *c, uint64_t start, uint64_t end)
{
	size_t i = first_ending_above(c->at, c->count, start);

	return i < c->count && vaddr_of(&c->at[i], c->at[i].mapping->start) < end;
}

/* ---- loads ---- */

/* Limits of the bases in a load and of the loads that are compared with each cluster: only
 * malformed maps have more. */
#define CLUSTERS_MOST 8
#define LOADS_NEAR    8

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
		if (m < end && (!lowest || vaddr_of(m, m->mapping->start) <
						   vaddr_of(lowest, lowest->mapping->start)))
			lowest = m;
	}
	return lowest ? lowest->mapping : NULL;
}

static bool find_lowest(const struct image *image, const struct parts *parts, bool executable,
			uint64_t *out)
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
		if (!differing_vec_push(&loads->differing,
					(struct differing){m->start, m->end, c->at->base->base}))
			return false;
	}
	return true;
}

/* What has no code was only read. */
static bool add_load(struct loads *loads, const struct image *image, const struct parts *parts)
{
	const struct cluster *main = main_part(parts);
	struct load load = {.base = main->at->base->base,
			    .start = UINT64_MAX,
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
		if (is_of(files, m.mapping, path) &&
		    (m.base = most_voted(&loads, image, m.mapping)))
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

/* The files that can be the binary, by what was recorded of them, and what was found out about
 * maps so far. */
struct candidates {
	uint8_t *is_binary; /* by number: the binary, by build-id or name                    */
	uint8_t *wanted;    /* by number: of a path that a file of is_binary has             */
	struct number_set without; /* see map_set_gather() */
	uint64_t gathered;         /* mappings, of all maps so far */
};

/* Processes can share mappings, so that a small recording represents any number of them. */
#ifndef GATHERED_MOST /* a test has few */
#define GATHERED_MOST (UINT64_C(1) << 25)
#endif

static void candidates_free(struct candidates *c)
{
	free(c->is_binary);
	free(c->wanted);
	number_set_free(&c->without);
}

static bool is_binary(const struct mapped_files *files, const struct load_choice *choice,
		      uint32_t file)
{
	struct text path = path_without_deleted(mapped_files_path(files, file));
	bool has_id = choice->image->build_id.size || choice->image->go_build_id.len;
	enum recorded_build build = has_id ? build_of(files, file, choice->image) : BUILD_NOT_TOLD;

	if (!path.len)
		return false;
	if (build == BUILD_NOT_TOLD)
		return text_equal(text_basename(path), text_basename(text_of(choice->name)));
	return build == BUILD_SAME;
}

static bool candidates_find(const struct mapped_files *files, const struct load_choice *choice,
			    struct candidates *out)
{
	size_t count = (size_t)files->files.len + 1;
	uint8_t *paths = calloc((size_t)files->texts.len + 1, 1);

	*out = (struct candidates){.is_binary = calloc(count, 1), .wanted = calloc(count, 1)};
	bool ok = paths && out->is_binary && out->wanted;
	for (uint32_t i = 1; ok && i < files->files.len; i++) {
		out->is_binary[i] = is_binary(files, choice, i);
		if (out->is_binary[i])
			paths[mapped_files_at(files, i)->path] = 1;
	}
	for (uint32_t i = 1; ok && i < files->files.len; i++)
		out->wanted[i] = paths[mapped_files_at(files, i)->path];
	free(paths);
	return ok;
}

/* The loads of the first path that is the binary and fits; one that has the whole
 * of the name that was given is preferred: builds of BOLT share a build-id. */
static bool find_loads(const struct mapped_files *files, const struct load_choice *choice,
		       const struct candidates *c, const struct maps *maps, uint32_t *path,
		       struct loads *out)
{
	struct loads best = {0};
	bool whole = false;
	uint32_t last = 0;

	for (size_t i = 0; i < maps->len && !whole; i++) {
		const struct mapping *m = &maps->at[i];
		uint32_t its_path = mapped_files_at(files, m->file)->path;
		struct text name = path_without_deleted(strings_at(&files->texts, its_path));
		struct loads loads;
		if (its_path == last || !c->is_binary[m->file] || !(m->flags & MAPPING_EXEC))
			continue;
		last = its_path;
		if (!loads_find(maps, files, its_path, choice->image, &loads)) {
			loads_free(&best);
			return false;
		}
		whole = text_equal(text_basename(name), text_basename(text_of(choice->name)));
		if (!loads.all.len || (best.all.len && !whole)) {
			loads_free(&loads);
			whole = false;
			continue;
		}
		loads_free(&best);
		best = loads;
		*path = its_path;
	}
	*out = best;
	return true;
}

/* For the candidates' mappings alone, which are few. */
static bool find_in_map(const struct snapshots *s, const struct load_choice *choice,
			struct candidates *c, const struct map_set *maps, uint32_t *path,
			struct loads *out)
{
	struct mapping_vec found = {0};

	*out = (struct loads){0};
	bool ok = map_set_gather(maps, c->wanted, &c->without, &found) &&
		  find_loads(&s->files, choice, c, &(struct maps){found.at, found.len, NULL}, path,
			     out);
	c->gathered += found.len;
	mapping_vec_free(&found);
	return ok;
}

static bool take_map(const struct snapshots *s, const struct snapshot *snapshot,
		     const struct load_choice *choice, struct candidates *c, struct maps *maps,
		     uint32_t *path, struct loads *loads, struct bc_error *err)
{
	if (c->gathered > GATHERED_MOST)
		return bc_fail(err, BC_UNSUPPORTED,
			       "more than %" PRIu64 " mappings of %s in all processes",
			       GATHERED_MOST, choice->name) ||
		       bc_hint(err, "name the process: --process");
	if (!find_in_map(s, choice, c, snapshot->maps, path, loads))
		return bc_fail_nomem(err);
	if (!loads->all.len)
		return bc_fail(err, BC_MISMATCH,
			       "process %" PRIu32 ", map %" PRIu32 " has no mapping of %s that "
			       "fits its segments",
			       snapshot->pid, snapshot->id, choice->name);
	if (maps_of(snapshot->maps, maps))
		return true;
	loads_free(loads);
	return bc_fail_nomem(err);
}

static const struct snapshot *of_process(const struct snapshots *s,
					 const struct load_choice *choice, uint32_t pid)
{
	return choice->id == LOAD_CHOICE_ANY ? snapshots_at(s, pid, choice->time) :
					       snapshots_of_id(s, pid, choice->id);
}

static bool fail_several(const struct load_choice *choice, uint32_t a, uint32_t b,
			 struct bc_error *err)
{
	return bc_fail(err, BC_MISMATCH,
		       "processes %" PRIu32 " and %" PRIu32 " both have mapped %s", a, b,
		       choice->name) ||
	       bc_hint(err, "name the process: --process");
}

/* The only process that has the binary. */
static bool choose_any(const struct snapshots *s, const struct load_choice *choice,
		       struct candidates *c, struct maps *maps, uint32_t *path, struct loads *loads,
		       struct bc_error *err)
{
	const struct snapshot *found = NULL;
	struct bc_error why = {.code = BC_OK};

	for (size_t i = 0; i < s->all.len; i++) {
		const struct snapshot *snapshot = &s->all.at[i];
		struct maps more = {0};
		struct loads its = {0};
		uint32_t its_path = 0;
		if (of_process(s, choice, snapshot->pid) != snapshot)
			continue;
		if (!take_map(s, snapshot, choice, c, &more, &its_path, &its, &why)) {
			if (why.code == BC_MISMATCH)
				continue;
			if (found) {
				maps_free(maps);
				loads_free(loads);
			}
			*err = why;
			return false;
		}
		bool second = found;
		if (!second) {
			*maps = more;
			*loads = its;
			*path = its_path;
			found = snapshot;
			continue;
		}
		maps_free(&more);
		loads_free(&its);
		maps_free(maps);
		loads_free(loads);
		return fail_several(choice, found->pid, snapshot->pid, err);
	}
	if (!found && why.code == BC_OK)
		return bc_fail(err, BC_MISMATCH, "no such map");
	if (!found)
		*err = why;
	return found;
}

static bool choose_one(const struct snapshots *s, const struct load_choice *choice,
		       struct candidates *c, struct maps *maps, uint32_t *path, struct loads *loads,
		       struct bc_error *err)
{
	const struct snapshot *snapshot = of_process(s, choice, choice->pid);

	if (!snapshot)
		return bc_fail(err, BC_MISMATCH, "process %" PRIu32 " has no such map",
			       choice->pid);
	return take_map(s, snapshot, choice, c, maps, path, loads, err);
}

bool load_choose(const struct snapshots *s, const struct load_choice *choice, struct maps *maps,
		 uint32_t *path, struct loads *loads, struct bc_error *err)
{
	struct candidates c;
	bool ok = candidates_find(&s->files, choice, &c) || bc_fail_nomem(err);

	if (ok)
		ok = (choice->pid == LOAD_CHOICE_ANY ? choose_any : choose_one)(s, choice, &c, maps,
										path, loads, err);
	candidates_free(&c);
	return ok;
}
