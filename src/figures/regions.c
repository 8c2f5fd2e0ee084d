/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/regions.h"

/* The kind of the code that a function begins with. */
static enum code_place place_of(const struct binary *binary, const struct function *function)
{
	return code_place_of(binary, binary_place(binary, (struct vaddr){function->address}, function));
}

static void join(struct region_vec *regions, const struct code_region *region, size_t *kept)
{
	struct code_region *last = *kept ? &regions->at[*kept - 1] : NULL;

	if (last && last->place == region->place && region->begin >= last->begin)
		last->end = region->end > last->end ? region->end : last->end;
	else
		regions->at[(*kept)++] = *region;
}

/* Leaves out regions shorter than `size`. */
static void coarsen(struct region_vec *regions, uint64_t size)
{
	size_t kept = 0;

	for (size_t i = 0; i < regions->len; i++) {
		struct code_region region = regions->at[i];
		if (region.end - region.begin >= size)
			join(regions, &region, &kept);
	}
	regions->len = kept;
}

static bool starts_section(const struct function_table *table, size_t i)
{
	return !i || table->at[i].section != table->at[i - 1].section;
}

bool regions_take(const struct binary *binary, size_t most, struct region_vec *out)
{
	const struct function_table *table = &binary->functions;

	*out = (struct region_vec){0};
	for (size_t i = 0; i < table->count; i++) {
		const struct function *f = &table->at[i];
		struct code_region region = {f->address, f->address + f->size, place_of(binary, f)};
		struct code_region *last = out->len ? &out->at[out->len - 1] : NULL;
		if (region.end <= region.begin)
			continue;
		if (last && last->place == region.place && !starts_section(table, i))
			last->end = region.end;
		else if (!region_vec_push(out, region))
			return false;
	}
	for (uint64_t size = 64; out->len > most && size; size *= 2)
		coarsen(out, size);
	return true;
}

void regions_write(struct json *json, const char *key, const struct region_vec *regions)
{
	json_open(json, key, '[');
	for (size_t i = 0; i < regions->len; i++) {
		json_open(json, NULL, '[');
		json_based(json, NULL, regions->at[i].begin);
		json_based(json, NULL, regions->at[i].end);
		json_string(json, NULL, code_place_key(regions->at[i].place));
		json_close(json, ']');
	}
	json_close(json, ']');
}
