/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/mapped_files.h"

#include <stdlib.h>
#include <string.h>

/* Files are compared by their bytes. */
_Static_assert(sizeof(struct mapped_file) == 24, "no byte of a file is padding");

void mapped_files_free(struct mapped_files *files)
{
	strings_free(&files->texts);
	strings_free(&files->files);
}

bool mapped_files_intern(struct mapped_files *files, const struct mapped_file *file, uint32_t *out)
{
	static const struct mapped_file nothing;

	*out = 0;
	return !memcmp(file, &nothing, sizeof(nothing)) ||
	       strings_intern(&files->files, (struct text){(const char *)file, sizeof(*file)}, out);
}

uint32_t *mapped_files_translate(const struct mapped_files *from, struct mapped_files *into)
{
	uint32_t *numbers = malloc(((size_t)from->files.len + 1) * sizeof(*numbers));

	if (numbers)
		numbers[0] = 0;
	for (uint32_t i = 1; numbers && i < from->files.len; i++) {
		struct mapped_file file = *mapped_files_at(from, i);
		if (!strings_intern(&into->texts, strings_at(&from->texts, file.path), &file.path) ||
		    !strings_intern(&into->texts, strings_at(&from->texts, file.build_id), &file.build_id) ||
		    !mapped_files_intern(into, &file, &numbers[i])) {
			free(numbers);
			return NULL;
		}
	}
	return numbers;
}

const struct mapped_file *mapped_files_at(const struct mapped_files *files, uint32_t number)
{
	static const struct mapped_file nothing;
	struct text bytes = strings_at(&files->files, number);

	return bytes.len ? (const struct mapped_file *)(const void *)bytes.at : &nothing;
}

struct text mapped_files_path(const struct mapped_files *files, uint32_t number)
{
	return strings_at(&files->texts, mapped_files_at(files, number)->path);
}

static struct text recorded_id(const struct mapped_files *files, uint32_t number)
{
	return strings_at(&files->texts, mapped_files_at(files, number)->build_id);
}

struct text mapped_files_build_id(const struct mapped_files *files, uint32_t number)
{
	struct text id = recorded_id(files, number);

	return text_starts(id, MAPPED_GO_ID) ? (struct text){"", 0} : id;
}

struct text mapped_files_go_id(const struct mapped_files *files, uint32_t number)
{
	struct text id = recorded_id(files, number);

	return text_starts(id, MAPPED_GO_ID) ? text_from(id, strlen(MAPPED_GO_ID)) : (struct text){"", 0};
}

struct build_id mapped_files_id(const struct mapped_files *files, uint32_t number)
{
	struct text bytes = mapped_files_build_id(files, number);
	struct build_id id = {.size = (uint8_t)(bytes.len <= BUILD_ID_MAX ? bytes.len : 0)};

	if (id.size)
		memcpy(id.data, bytes.at, id.size);
	return id;
}

static const char deleted[] = " (deleted)";

struct text path_without_deleted(struct text path)
{
	return text_ends(path, deleted) ? text_first(path, path.len - strlen(deleted)) : path;
}

/* memfd and System V segments have names that look like paths (proc(5)). */
enum path_kind path_kind_of(struct text path)
{
	if (!path.len)
		return PATH_NONE;
	if (path.at[0] != '/' || text_starts(path, "//") || text_starts(path, "/memfd:") ||
	    text_starts(path, "/SYSV") || text_starts(path, "/anon_hugepage"))
		return PATH_SPECIAL;
	return PATH_FILE;
}

enum recorded_build build_judge(const struct build_id *id, struct text go_id, const struct image *image)
{
	if (!id->size && !go_id.len)
		return BUILD_NOT_TOLD;
	bool same = id->size ? build_id_equal(id, &image->build_id) : text_equal(go_id, image->go_build_id);
	return same ? BUILD_SAME : BUILD_OTHER;
}

enum recorded_build build_of(const struct mapped_files *files, uint32_t file, const struct image *image)
{
	struct build_id id = mapped_files_id(files, file);

	return build_judge(&id, mapped_files_go_id(files, file), image);
}
