/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/symbolize/libraries.h"

#include <stdlib.h>

#include "src/elf/binary_open.h"

void libraries_free(struct libraries *libraries)
{
	for (size_t i = 0; i < libraries->len; i++) {
		if (libraries->at[i])
			binary_close(&libraries->at[i]->own);
		free(libraries->at[i]);
	}
	free(libraries->at);
	libraries->at = NULL;
	libraries->len = 0;
}

/* Builds that BOLT made of one input share its build-id: the name decides first. */
static const struct binary *given_for(const struct libraries *libraries, struct text path,
				      const struct build_id *id)
{
	const struct binary *by_id = NULL;
	struct text name = text_basename(path_without_deleted(path));

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

	if (path_kind_of(path) != PATH_FILE || path_without_deleted(path).len < path.len)
		return true;
	if (!binary_open_any(path.at, &library->own, &err))
		return err.code != BC_NOMEM;
	if (id->size && !build_id_equal(id, &library->own.image.build_id)) {
		binary_close(&library->own);
		return true;
	}
	library->binary = &library->own;
	return true;
}

/* Files are numbered as they are met: there may be more now. */
static bool make_room(struct libraries *libraries, uint32_t file)
{
	size_t len = libraries->len ? libraries->len : 16;

	while (len <= file)
		len *= 2;
	if (len == libraries->len)
		return true;
	struct library **at = realloc(libraries->at, len * sizeof(struct library *));
	if (!at)
		return false;
	for (size_t i = libraries->len; i < len; i++)
		at[i] = NULL;
	libraries->at = at;
	libraries->len = len;
	return true;
}

struct library *libraries_of(struct libraries *libraries, uint32_t file)
{
	struct text path = mapped_files_path(libraries->files, file);
	struct build_id id = mapped_files_id(libraries->files, file);

	if (!make_room(libraries, file))
		return NULL;
	struct library *library = libraries->at[file];
	if (library)
		return library;
	library = calloc(1, sizeof(*library));
	if (!library)
		return NULL;
	libraries->at[file] = library;
	library->binary = given_for(libraries, path, &id);
	if (!library->binary && libraries->open_mapped && !open_mapped(library, path, &id))
		return NULL;
	library->opened = library->binary;
	return library;
}
