/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/mapped_images.h"

/* false: out of memory */
static bool mapped_image_open(struct mapped_image *m, struct mapped_programs *programs,
			      const struct mappings_by_path *mappings)
{
	const struct mapped_program *program = mapped_programs_open(programs, m->number);
	uint32_t path = mapped_files_at(programs->files, m->number)->path;

	if (!program)
		return false;
	m->why_not = program->why_not;
	m->opened = !m->why_not;
	m->image = program->image;
	struct maps maps = mappings_of_path(mappings, path);
	return !m->opened || loads_find(&maps, programs->files, path, &m->image, &m->loads);
}

bool mapped_images_each(const struct maps *maps, struct mapped_programs *programs, bool *agree,
		       void (*show)(void *ctx, const struct mapped_image *m), void *ctx)
{
	const struct mapped_files *files = programs->files;
	struct mappings_by_path mappings;
	bool ok = mapped_programs_next_map(programs, maps, &mappings);

	for (size_t i = 0; ok && i < maps->len; i++) {
		const struct mapping *mapping = &maps->at[i];
		uint32_t path = mapped_files_at(files, mapping->file)->path;
		if (!(mapping->flags & MAPPING_EXEC) ||
		    path_kind_of(strings_at(&files->texts, path)) != PATH_FILE ||
		    !mapped_programs_is_new(programs, path))
			continue;
		struct mapped_image m = {.number = mapping->file};
		ok = mapped_image_open(&m, programs, &mappings);
		*agree &= loads_agree(&m.loads) && !m.loads.misfits;
		if (ok)
			show(ctx, &m);
		loads_free(&m.loads);
	}
	mappings_by_path_free(&mappings);
	return ok;
}

struct text mapped_image_gnu_id(const struct mapped_image *m, const struct mapped_files *files)
{
	struct text recorded = mapped_files_build_id(files, m->number);

	if (recorded.len || !m->opened)
		return recorded;
	return (struct text){(const char *)m->image.build_id.data, m->image.build_id.size};
}

struct text mapped_image_go_id(const struct mapped_image *m, const struct mapped_files *files)
{
	return m->opened ? m->image.go_build_id : mapped_files_go_id(files, m->number);
}

bool mapped_image_id_recorded(const struct mapped_image *m, const struct mapped_files *files)
{
	return mapped_files_build_id(files, m->number).len || mapped_files_go_id(files, m->number).len;
}
