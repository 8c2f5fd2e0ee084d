/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/symbolize/libraries.h"

#include <stdlib.h>

#include "src/addrspace/build.h"
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
static const struct binary *given_for(const struct libraries *libraries, struct text path, uint32_t file)
{
	const struct binary *by_id = NULL;
	struct text name = text_basename(path_without_deleted(path));

	for (size_t i = 0; i < libraries->given_count; i++) {
		const struct given_binary *given = &libraries->given[i];
		enum build build = build_of(libraries->files, file, &given->binary.image);
		if (text_equal(name, text_basename(text_of(given->path))) && build != BUILD_OTHER)
			return &given->binary;
		if (build == BUILD_SAME && !by_id)
			by_id = &given->binary;
	}
	return by_id;
}

/* false: out of memory */
static bool open_mapped(struct library *library, const struct mapped_files *files, uint32_t file)
{
	struct text path = mapped_files_path(files, file);
	struct bc_error err = {0};

	if (path_kind_of(path) != PATH_FILE || path_without_deleted(path).len < path.len)
		return true;
	if (!binary_open_any(path.at, &library->own, &err))
		return err.code != BC_NOMEM;
	if (build_of(files, file, &library->own.image) == BUILD_OTHER) {
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

	if (!make_room(libraries, file))
		return NULL;
	struct library *library = libraries->at[file];
	if (library)
		return library;
	library = calloc(1, sizeof(*library));
	if (!library)
		return NULL;
	library->binary = given_for(libraries, path, file);
	if (!library->binary && libraries->open_mapped && !open_mapped(library, libraries->files, file)) {
		free(library); /* it is asked for again */
		return NULL;
	}
	library->opened = library->binary;
	libraries->at[file] = library;
	return library;
}
