/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/addrspace/most_mapped.h"

#include <stdio.h>
#include <stdlib.h>

#define NAMED 3

void most_mapped_free(struct most_mapped *files)
{
	for (size_t i = 0; i < files->len; i++)
		free(files->at[i].path);
	*files = (struct most_mapped){0};
}

/* lib.so, lib.so.6 */
static bool is_library(struct text path)
{
	for (struct text t = text_basename(path); t.len; t = text_from(t, 1)) {
		t = text_from(t, text_find(t, '.'));
		if (text_is(t, ".so") || text_starts(t, ".so."))
			return true;
	}
	return false;
}

static bool add(struct most_mapped *files, struct text path)
{
	if (files->len == MOST_MAPPED_MAX)
		return true;
	char *copy = malloc(path.len + 1);
	if (!copy)
		return false;
	memcpy(copy, path.at, path.len);
	copy[path.len] = '\0';
	files->last = files->len++;
	files->at[files->last] = (struct mapped_program){copy, 1};
	return true; // cppcheck-suppress memleak ; copy is in files->at
}

bool most_mapped_count(struct most_mapped *files, struct text path)
{
	if (!text_starts(path, "/") || text_starts(path, "//") || is_library(path))
		return true;
	if (files->len && text_is(path, files->at[files->last].path)) {
		files->at[files->last].count++;
		return true;
	}
	for (size_t i = 0; i < files->len; i++)
		if (text_is(path, files->at[i].path)) {
			files->at[files->last = i].count++;
			return true;
		}
	return add(files, path);
}

/* Orders by count, then by path. */
static bool before(const struct mapped_program *a, const struct mapped_program *b)
{
	return a->count != b->count ? a->count > b->count : strcmp(a->path, b->path) < 0;
}

/* The first file that comes after `last` (NULL: the first of all), or NULL. */
static const struct mapped_program *next_most(const struct most_mapped *files,
					   const struct mapped_program *last)
{
	const struct mapped_program *best = NULL;

	for (size_t i = 0; i < files->len; i++) {
		const struct mapped_program *file = &files->at[i];
		if ((!last || before(last, file)) && (!best || before(file, best)))
			best = file;
	}
	return best;
}

void most_mapped_names(const struct most_mapped *files, char *out, size_t size)
{
	const struct mapped_program *file = next_most(files, NULL);
	size_t len = 0;

	snprintf(out, size, "none");
	for (int i = 0; i < NAMED && file && len < size; i++) {
		int n = snprintf(out + len, size - len, "%s%s", i ? ", " : "", file->path);
		len += n > 0 ? (size_t)n : 0;
		file = next_most(files, file);
	}
}
