/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* memmem */
#include "src/address/libraries.h"

#include <stdlib.h>
#include <string.h>

#include "src/samples/snapshots.h"
#include "src/elf/binary.h"

void libraries_free(struct libraries *libraries)
{
	for (size_t i = 0; i < libraries->len; i++) {
		if (libraries->at[i]) {
			debug_lines_close(libraries->at[i]->source);
			binary_close(&libraries->at[i]->own);
		}
		free(libraries->at[i]);
	}
	free(libraries->at);
	libraries->at = NULL;
	libraries->len = 0;
}

/* Compares names before build-ids, because all BOLTed builds of one input share a build-id. */
static const struct given_binary *given_for(const struct libraries *libraries, struct text path,
					    uint32_t file)
{
	const struct given_binary *by_id = NULL;
	struct text name = text_basename(path_without_deleted(path));

	for (size_t i = 0; i < libraries->given_count; i++) {
		const struct given_binary *given = &libraries->given[i];
		enum recorded_build build = build_of(libraries->files, file, &given->binary.image);
		if (text_equal(name, text_basename(text_of(given->path))) && build != BUILD_OTHER)
			return given;
		if (build == BUILD_SAME && !by_id)
			by_id = given;
	}
	return by_id;
}

/* false: out of memory */
static bool open_mapped(struct library *library, const struct mapped_files *files, uint32_t file,
			const struct debug_dirs *dirs)
{
	struct text path = mapped_files_path(files, file);
	struct bc_error err = {0};

	if (path_kind_of(path) != PATH_FILE || path_without_deleted(path).len < path.len)
		return true;
	if (!binary_open_named_debug(path.at, NAMED_BY_MAPPING, dirs, &library->own, &err))
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
	const struct given_binary *given = given_for(libraries, path, file);
	library->binary = given ? &given->binary : NULL;
	library->path = given ? given->path : path.at;
	if (!library->binary && libraries->open_mapped &&
	    !open_mapped(library, libraries->files, file, libraries->dirs)) {
		free(library); /* it is asked for again */
		return NULL;
	}
	library->opened = library->binary;
	libraries->at[file] = library;
	return library;
}

const char *library_refused(const struct library *library)
{
	if (library->opened && library->binary->debug.refused.code)
		return library->binary->debug.refused.text;
	return library->source ? debug_lines_refused(library->source) : NULL;
}

/* The command line of llvm-bolt, which it leaves in a note. */
#define BOLT_INFO ".note.bolt_info"

static bool bolt_wrote_debug(const struct image *image)
{
	const struct section *info = image_section(image, BOLT_INFO);
	struct bytes bytes = info ? image_section_bytes(image, info) : (struct bytes){NULL, 0};

	return bytes.size && memmem(bytes.data, bytes.size, "-update-debug-sections", 22);
}

bool libraries_has_lines(const struct binary *binary)
{
	return binary->kind == BINARY_UNTOUCHED ||
	       (binary->kind != BINARY_SECTION && bolt_wrote_debug(&binary->image));
}

bool libraries_source(const struct libraries *libraries, struct library *library,
		      struct debug_lines **out, struct bc_error *err)
{
	*out = library->source;
	if (library->source_asked || !library->opened || !libraries_has_lines(library->binary))
		return true;
	if (!debug_lines_open(library->path, libraries->dirs, libraries->inlines, &library->source,
			      err) &&
	    err->code != BC_IO)
		return false;
	library->source_asked = true;
	*out = library->source;
	return true;
}
