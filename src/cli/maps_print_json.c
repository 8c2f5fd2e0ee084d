/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/maps_print.h"

#include "src/cli/mapped_images.h"
#include "src/cli/print.h"

struct json_context {
	struct json *json;
	const struct mapped_files *files;
};

static void json_load(struct json *json, const struct mapped_image *m, const struct load *load)
{
	json_open(json, NULL, '{');
	json_hex(json, "base", load->base);
	json_number(json, "mappings", load->mappings - load->differing);
	json_bool(json, "agrees", load_agrees(load) && !m->loads.misfits);
	if (load->has_lowest)
		json_hex(json, "lowest", load->lowest);
	if (load->has_lowest_executable)
		json_hex(json, "lowest_executable", load->lowest_executable);
	if (load->differing)
		json_open(json, "differing", '[');
	for (uint32_t i = 0; i < load->differing; i++) {
		const struct differing *d = &m->loads.differing.at[load->first_differing + i];
		json_open(json, NULL, '{');
		json_hex(json, "start", d->start);
		json_hex(json, "end", d->end);
		json_hex(json, "base", d->base);
		json_close(json, '}');
	}
	if (load->differing)
		json_close(json, ']');
	json_close(json, '}');
}

static void json_image(void *ctx, const struct mapped_image *m)
{
	struct json_context *c = ctx;
	struct json *json = c->json;
	struct text go = mapped_image_go_id(m, c->files);

	json_open(json, NULL, '{');
	json_text(json, "path", mapped_files_path(c->files, m->number));
	json_bytes(json, "build_id", mapped_image_gnu_id(m, c->files));
	if (go.len)
		json_text(json, "go_build_id", go);
	if (go.len || mapped_image_gnu_id(m, c->files).len)
		json_string(json, "build_id_of", mapped_image_id_recorded(m, c->files) ? "map" : "file");
	if (!m->opened)
		json_string(json, "not_opened", m->why_not);
	json_open(json, "loads", '[');
	for (size_t i = 0; i < m->loads.all.len; i++)
		json_load(json, m, &m->loads.all.at[i]);
	json_close(json, ']');
	json_close(json, '}');
}

static void json_mapping(struct json *json, const struct mapping *m, const struct mapped_files *files)
{
	const char flags[] = {m->flags & MAPPING_READ ? 'r' : '-', m->flags & MAPPING_WRITE ? 'w' : '-',
			      m->flags & MAPPING_EXEC ? 'x' : '-', m->flags & MAPPING_SHARED ? 's' : 'p', 0};

	json_open(json, NULL, '{');
	json_hex(json, "start", m->start);
	json_hex(json, "end", m->end);
	json_string(json, "flags", flags);
	json_hex(json, "offset", m->offset);
	json_number(json, "inode", mapped_files_at(files, m->file)->inode);
	json_text(json, "path", mapped_files_path(files, m->file));
	json_bytes(json, "build_id", mapped_files_build_id(files, m->file));
	if (mapped_files_go_id(files, m->file).len)
		json_text(json, "go_build_id", mapped_files_go_id(files, m->file));
	json_close(json, '}');
}

bool maps_print_json(const struct snapshot *s, const struct maps *maps,
		     struct mapped_programs *programs, bool all, bool *agree)
{
	const struct mapped_files *files = programs->files;
	struct json json = {.out = stdout};
	struct json_context context = {&json, files};

	json_open(&json, NULL, '{');
	json_number(&json, "pid", s->pid);
	json_number(&json, "id", s->id);
	json_number(&json, "time", s->time);
	json_open(&json, "regions", '[');
	for (size_t i = 0; i < maps->len; i++)
		if (all || maps->at[i].flags & MAPPING_EXEC)
			json_mapping(&json, &maps->at[i], files);
	json_close(&json, ']');
	json_open(&json, "images", '[');
	if (!mapped_images_each(maps, programs, agree, json_image, &context))
		return false;
	json_close(&json, ']');
	json_close(&json, '}');
	putchar('\n');
	return true;
}
