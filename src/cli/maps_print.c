/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/json.h"
#include "src/cli/maps_print.h"

#include <inttypes.h>

#include "src/samples/loads.h"
#include "src/samples/maps_text.h"
#include "src/cli/mapped_programs.h"
#include "src/cli/say.h"

/* ---- the files with code in a map, and where each was loaded ---- */

struct mapped_image {
	uint32_t number; /* of the file, of its first mapping with code */
	bool opened; /* the file is there, and is what was mapped */
	const char *why_not;
	struct image image; /* borrowed */
	struct loads loads;
};

/* false: out of memory */
static bool mapped_image_open(struct mapped_image *m, struct mapped_programs *programs,
			      const struct mappings_by_path *mappings)
{
	const struct opened_program *program = mapped_programs_open(programs, m->number);
	uint32_t path = mapped_files_at(programs->files, m->number)->path;

	if (!program)
		return false;
	m->why_not = program->why_not;
	m->opened = !m->why_not;
	m->image = program->image;
	struct maps maps = mappings_of_path(mappings, path);
	return !m->opened || loads_find(&maps, programs->files, path, &m->image, &m->loads);
}

/* Calls show() for each distinct file with executable mappings, in their order.
 * *agree becomes false if the bases of one disagree.  Returns false when out of memory. */
static bool mapped_images_each(const struct maps *maps, struct mapped_programs *programs, bool *agree,
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

/* The build-ids that were recorded for the map, else those of the file; empty: not known. */
static struct text mapped_image_gnu_id(const struct mapped_image *m, const struct mapped_files *files)
{
	struct text recorded = mapped_files_build_id(files, m->number);

	if (recorded.len || !m->opened)
		return recorded;
	return (struct text){(const char *)m->image.build_id.data, m->image.build_id.size};
}

static struct text mapped_image_go_id(const struct mapped_image *m, const struct mapped_files *files)
{
	return m->opened ? m->image.go_build_id : mapped_files_go_id(files, m->number);
}

/* False: the ids are those of the file that is here. */
static bool mapped_image_id_recorded(const struct mapped_image *m, const struct mapped_files *files)
{
	return mapped_files_build_id(files, m->number).len || mapped_files_go_id(files, m->number).len;
}

/* ---- text ---- */

static const char *verdict(const struct mapped_image *m, const struct load *load)
{
	if (m->loads.misfits)
		return "DISAGREES: executable mappings that fit no segment";
	if (!load_agrees(load))
		return "DISAGREES";
	if (load->has_lowest)
		return "agrees with the lowest segment";
	return load->has_lowest_executable ? "agrees with the lowest executable segment"
					   : "its lowest segment is not in the map";
}

static void print_other_base(uint64_t base, uint64_t other)
{
	printf(" 0x%" PRIx64 ", 0x%" PRIx64 " %s\n", other, other > base ? other - base : base - other,
	       other > base ? "above" : "below");
}

static void print_load(const struct mapped_image *m, const struct load *load)
{
	printf("    base 0x%" PRIx64 " by %" PRIu32 " mapping%s, %s\n", load->base,
	       load->mappings - load->differing, plural(load->mappings - load->differing), verdict(m, load));
	if (load->has_lowest && load->lowest != load->base) {
		fputs("        by the lowest segment:", stdout);
		print_other_base(load->base, load->lowest);
	}
	if (load->has_lowest_executable && load->lowest_executable != load->base) {
		fputs("        by the lowest executable segment:", stdout);
		print_other_base(load->base, load->lowest_executable);
	}
	for (uint32_t i = 0; i < load->differing; i++) {
		const struct differing *d = &m->loads.differing.at[load->first_differing + i];
		printf("        by %08" PRIx64 "-%08" PRIx64 ":", d->start, d->end);
		print_other_base(load->base, d->base);
	}
}

static void print_bytes(struct text bytes)
{
	for (size_t i = 0; i < bytes.len; i++)
		printf("%02x", (unsigned char)bytes.at[i]);
}

static void print_image(void *ctx, const struct mapped_image *m)
{
	const struct mapped_files *files = ctx;
	struct text id = mapped_image_gnu_id(m, files), go = mapped_image_go_id(m, files);

	print_name(mapped_files_path(files, m->number), stdout);
	fputs("\n    build-id ", stdout);
	if (id.len)
		print_bytes(id);
	if (go.len) {
		fputs(id.len ? ", Go " : "Go ", stdout);
		print_name(go, stdout);
	}
	if ((id.len || go.len) && !mapped_image_id_recorded(m, files))
		fputs(", of the file that is here: none was recorded", stdout);
	puts(id.len || go.len ? "" : "not known");
	if (!m->opened)
		printf("    base not known: the file is %s\n", m->why_not);
	for (size_t i = 0; i < m->loads.all.len; i++)
		print_load(m, &m->loads.all.at[i]);
	if (m->opened && !m->loads.all.len)
		puts("    DISAGREES: no mapping fits a segment of the file");
}

void maps_print_head(const struct snapshot *s)
{
	printf("process %" PRIu32 ", map %" PRIu32 ", time %" PRIu64 ".%09" PRIu64 ", %zu region%s\n",
	       s->pid, s->id, s->time / 1000000000, s->time % 1000000000, map_set_count(s->maps), plural(map_set_count(s->maps)));
}

bool maps_print_text(const struct snapshot *s, const struct maps *maps,
		      struct mapped_programs *programs, bool all, bool *agree)
{
	const struct mapped_files *files = programs->files;

	maps_print_head(s);
	for (size_t i = 0; i < maps->len; i++)
		if (all || maps->at[i].flags & MAPPING_EXEC)
			maps_text_print_mapping(&maps->at[i], files, stdout);
	puts("images:");
	return mapped_images_each(maps, programs, agree, print_image, (void *)(uintptr_t)files);
}

void maps_print_raw(const struct snapshot *s, const struct maps *maps,
		      const struct mapped_files *files)
{
	struct maps_head head = {s->pid, s->id, s->time};

	maps_text_write_head(&head, stdout);
	for (size_t i = 0; i < maps->len; i++)
		maps_text_write_mapping(&maps->at[i], files, stdout);
}

/* ---- JSON ---- */

struct json_context {
	struct json *json;
	const struct mapped_files *files;
};

static void json_load(struct json *json, const struct mapped_image *m, const struct load *load)
{
	json_open(json, NULL, '{');
	json_hex_string(json, "base", load->base);
	json_number(json, "mappings", load->mappings - load->differing);
	json_bool(json, "agrees", load_agrees(load) && !m->loads.misfits);
	if (load->has_lowest)
		json_hex_string(json, "lowest", load->lowest);
	if (load->has_lowest_executable)
		json_hex_string(json, "lowest_executable", load->lowest_executable);
	if (load->differing)
		json_open(json, "differing", '[');
	for (uint32_t i = 0; i < load->differing; i++) {
		const struct differing *d = &m->loads.differing.at[load->first_differing + i];
		json_open(json, NULL, '{');
		json_hex_string(json, "start", d->start);
		json_hex_string(json, "end", d->end);
		json_hex_string(json, "base", d->base);
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
	json_hex_string(json, "start", m->start);
	json_hex_string(json, "end", m->end);
	json_string(json, "flags", flags);
	json_hex_string(json, "offset", m->offset);
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

	json_open_document(&json, "batconv-maps");
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
