/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/symbolize/libraries.h"

#include <stdlib.h>

void libraries_free(struct libraries *libraries)
{
	for (size_t i = 0; i < libraries->len; i++) {
		binary_close(&libraries->at[i]->own);
		free(libraries->at[i]);
	}
	free(libraries->at);
	libraries->at = NULL;
	libraries->len = libraries->cap = 0;
}

static struct build_id id_of(struct text bytes)
{
	struct build_id id = {.size = (uint8_t)(bytes.len <= BUILD_ID_MAX ? bytes.len : 0)};

	if (id.size)
		memcpy(id.data, bytes.at, id.size);
	return id;
}

/* Builds that BOLT made of one input share its build-id: the name decides first. */
static const struct binary *given_for(const struct libraries *libraries, struct text path,
				      const struct build_id *id)
{
	const struct binary *by_id = NULL;
	struct text name = text_basename(region_path_without_deleted(path));

	for (size_t i = 0; i < libraries->given_count; i++) {
		const struct given_binary *given = &libraries->given[i];
		bool same_id = build_id_equal(id, &given->binary.image.build_id);
		if (text_equal(name, text_basename(text_of(given->path))) && (same_id || !id->size))
			return &given->binary;
		if (same_id && !by_id)
			by_id = &given->binary;
	}
	return by_id;
}

/* false: out of memory */
static bool open_mapped(struct library *library, struct text path, const struct build_id *id)
{
	struct bc_error err = {0};

	if (region_kind_of(path) != REGION_FILE || region_path_without_deleted(path).len < path.len)
		return true;
	if (!binary_open_for(path.at, (struct binary_needs){.any_will_do = true}, &library->own, &err))
		return err.code != BC_NOMEM;
	if (id->size && !build_id_equal(id, &library->own.image.build_id)) {
		binary_close(&library->own);
		return true;
	}
	library->binary = &library->own;
	return true;
}

static struct library *push(struct libraries *libraries, const struct region *region)
{
	if (libraries->len == libraries->cap) {
		size_t cap = libraries->cap ? 2 * libraries->cap : 16;
		struct library **at = realloc(libraries->at, cap * sizeof(struct library *));
		if (!at)
			return NULL;
		libraries->at = at;
		libraries->cap = cap;
	}
	struct library *library = calloc(1, sizeof(*library));
	if (!library)
		return NULL;
	library->path = region->path;
	library->build_id = region->build_id;
	return libraries->at[libraries->len++] = library; // cppcheck-suppress memleak ; owned by libraries
}

struct library *libraries_of(struct libraries *libraries, const struct region *region)
{
	struct text path = strings_at(libraries->strings, region->path);
	struct build_id id = id_of(strings_at(libraries->strings, region->build_id));

	/* Asked once per region of a map, so a walk over some hundreds will do. */
	for (size_t i = 0; i < libraries->len; i++)
		if (libraries->at[i]->path == region->path &&
		    libraries->at[i]->build_id == region->build_id)
			return libraries->at[i];
	struct library *library = push(libraries, region);
	if (!library)
		return NULL;
	library->binary = given_for(libraries, path, &id);
	if (!library->binary && libraries->open_mapped && !open_mapped(library, path, &id))
		return NULL;
	library->opened = library->binary;
	return library;
}
