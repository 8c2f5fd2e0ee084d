/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/address/maps_print.h"

#include <inttypes.h>
#include <stdlib.h>

#include "src/base/file.h"
#include "src/base/json.h"
#include "src/base/sort.h"
#include "src/elf/image.h"
#include "src/samples/loads.h"
#include "src/samples/maps_text.h"

/* ---- the files that maps name, each opened once, however many maps have it ---- */

struct opened_program {
	const char *why_not; /* it is not there, or is not what was mapped; NULL: it is open */
	struct file_map file;
	struct image image;
	bool known; /* it was looked for */
};

/* At most so many files are mapped at once; then all are closed.  Each one needs some 50 KB of
 * memory in addition. */
#define OPEN_MOST 1024

static void close_all(struct maps_printer *printer)
{
	for (size_t i = 0; printer->at && i < printer->files->files.len; i++) {
		struct opened_program *program = &printer->at[i];
		if (!program->known || program->why_not)
			continue;
		image_close(&program->image);
		file_unmap(&program->file);
		program->known = false;
	}
	printer->open = 0;
}

void maps_printer_free(struct maps_printer *printer)
{
	close_all(printer);
	free(printer->at);
	free(printer->seen);
}

static bool make_room(struct maps_printer *printer)
{
	if (!printer->at)
		printer->at = calloc((size_t)printer->files->files.len + 1, sizeof(*printer->at));
	if (!printer->seen)
		printer->seen =
			calloc((size_t)printer->files->texts.len + 1, sizeof(*printer->seen));
	return printer->at && printer->seen;
}

static void look(struct opened_program *program, const struct mapped_files *files, uint32_t number,
		 bool elsewhere, struct bc_error *err)
{
	struct text path = mapped_files_path(files, number);

	if (path_without_deleted(path).len < path.len)
		program->why_not = "deleted";
	else if (!file_map_named(path.at, NAMED_BY_MAPPING, &program->file, err))
		program->why_not = err->code == BC_UNSUPPORTED ? "no regular file" : "not there";
	else if (!image_open_map(&program->file, &program->image, err))
		program->why_not = "no ELF image of a known kind";
	else if (build_of(files, number, &program->image) ==
		 BUILD_OTHER) /* the file was replaced */
		program->why_not = "another build is there now";
	else if (elsewhere && build_of(files, number, &program->image) != BUILD_SAME)
		program->why_not =
			"one of this machine, not of the one that recorded (no build-id says that they are the same)";
}

/* The file of a number.  Valid until the next call.  NULL when out of memory. */
static const struct opened_program *open_program(struct maps_printer *printer, uint32_t number)
{
	struct bc_error err = {.code = BC_OK};

	if (!make_room(printer))
		return NULL;
	struct opened_program *program = &printer->at[number];
	if (program->known)
		return program;
	if (printer->open == OPEN_MOST)
		close_all(printer);
	*program = (struct opened_program){.known = true};
	look(program, printer->files, number, printer->elsewhere, &err);
	if (program->why_not) {
		image_close(&program->image);
		file_unmap(&program->file);
	} else {
		printer->open++;
	}
	return err.code == BC_NOMEM ? NULL : program;
}

static uint32_t path_of(const struct mapped_files *files, const struct mapping *mapping)
{
	return mapped_files_at(files, mapping->file)->path;
}

/* The mappings of a map by path, those of one path in their order. */
struct mappings_by_path {
	struct mapping *at;
	size_t len;
	const struct mapped_files *files;
};

struct of_path {
	uint32_t path, index;
};

static bool of_path_less(const struct of_path *a, const struct of_path *b)
{
	return a->path != b->path ? a->path < b->path : a->index < b->index;
}
DEFINE_SORT(sort_of_path, struct of_path, of_path_less)

/* Begins with the next map.  False when out of memory. */
static bool next_map(struct maps_printer *printer, const struct maps *maps,
		     struct mappings_by_path *out)
{
	struct of_path *order = malloc((maps->len + 1) * sizeof(*order));

	*out = (struct mappings_by_path){malloc((maps->len + 1) * sizeof(*out->at)), maps->len,
					 printer->files};
	bool ok = make_room(printer) && order && out->at;
	for (size_t i = 0; ok && i < maps->len; i++)
		order[i] = (struct of_path){path_of(printer->files, &maps->at[i]), (uint32_t)i};
	if (ok)
		sort_of_path(order, maps->len);
	for (size_t i = 0; ok && i < maps->len; i++)
		out->at[i] = maps->at[order[i].index];
	free(order);
	printer->map++;
	return ok;
}

static void mappings_by_path_free(struct mappings_by_path *mappings)
{
	free(mappings->at);
}

/* Is it the first time that the map has this path? */
static bool is_new(struct maps_printer *printer, uint32_t path)
{
	bool first = printer->seen[path] != printer->map;

	printer->seen[path] = printer->map;
	return first;
}

struct wanted {
	const struct mapped_files *files;
	uint64_t path;
};
DEFINE_SEARCH(first_of_path, struct mapping, struct wanted, path_of(key.files, item) < key.path)

/* The first mapping whose path is not below. */
static size_t first_from(const struct mappings_by_path *mappings, uint64_t path)
{
	return first_of_path(mappings->at, mappings->len, (struct wanted){mappings->files, path});
}

/* All mappings of a path. */
static struct maps mappings_of_path(const struct mappings_by_path *mappings, uint32_t path)
{
	size_t first = first_from(mappings, path), end = first_from(mappings, (uint64_t)path + 1);

	return (struct maps){mappings->at + first, end - first, NULL};
}

/* ---- the files with code in a map, and where each was loaded ---- */

struct mapped_image {
	uint32_t number; /* of the file, of its first mapping with code */
	bool opened;     /* the file is there, and is what was mapped */
	const char *why_not;
	struct image image; /* borrowed */
	struct loads loads;
};

/* false: out of memory */
static bool mapped_image_open(struct mapped_image *m, struct maps_printer *printer,
			      const struct mappings_by_path *mappings)
{
	const struct opened_program *program = open_program(printer, m->number);
	uint32_t path = mapped_files_at(printer->files, m->number)->path;

	if (!program)
		return false;
	m->why_not = program->why_not;
	m->opened = !m->why_not;
	m->image = program->image;
	struct maps maps = mappings_of_path(mappings, path);
	return !m->opened || loads_find(&maps, printer->files, path, &m->image, &m->loads);
}

/* The build-ids that were recorded for the map, else those of the file; empty: not known. */
static struct text mapped_image_gnu_id(const struct mapped_image *m,
				       const struct mapped_files *files)
{
	struct text recorded = mapped_files_build_id(files, m->number);

	if (recorded.len || !m->opened)
		return recorded;
	return (struct text){(const char *)m->image.build_id.data, m->image.build_id.size};
}

static struct text mapped_image_go_id(const struct mapped_image *m,
				      const struct mapped_files *files)
{
	return m->opened ? m->image.go_build_id : mapped_files_go_id(files, m->number);
}

/* False: the ids are those of the file that is here. */
static bool mapped_image_id_recorded(const struct mapped_image *m, const struct mapped_files *files)
{
	return mapped_files_build_id(files, m->number).len ||
	       mapped_files_go_id(files, m->number).len;
}

/* ---- text ---- */

static const char *verdict(const struct mapped_image *m, const struct load *load)
{
	if (m->loads.misfits)
		return "mismatch: executable mappings that fit no segment";
	if (!load_agrees(load))
		return "mismatch with others";
	if (load->has_lowest)
		return "agrees with the lowest segment";
	return load->has_lowest_executable ? "agrees with the lowest executable segment" :
					     "its lowest segment is not in the map";
}

static void print_other_base(uint64_t base, uint64_t other, FILE *out)
{
	fprintf(out, " 0x%" PRIx64 ", 0x%" PRIx64 " %s\n", other,
		other > base ? other - base : base - other, other > base ? "above" : "below");
}

static void print_load(const struct mapped_image *m, const struct load *load, FILE *out)
{
	fprintf(out, "    base 0x%" PRIx64 " by %" PRIu32 " mapping%s, %s\n", load->base,
		load->mappings - load->differing, plural(load->mappings - load->differing),
		verdict(m, load));
	if (load->has_lowest && load->lowest != load->base) {
		fputs("        by the lowest segment:", out);
		print_other_base(load->base, load->lowest, out);
	}
	if (load->has_lowest_executable && load->lowest_executable != load->base) {
		fputs("        by the lowest executable segment:", out);
		print_other_base(load->base, load->lowest_executable, out);
	}
	for (uint32_t i = 0; i < load->differing; i++) {
		const struct differing *d = &m->loads.differing.at[load->first_differing + i];
		fprintf(out, "        by %08" PRIx64 "-%08" PRIx64 ":", d->start, d->end);
		print_other_base(load->base, d->base, out);
	}
}

static void print_bytes(struct text bytes, FILE *out)
{
	for (size_t i = 0; i < bytes.len; i++)
		fprintf(out, "%02x", (unsigned char)bytes.at[i]);
}

static void print_image(const struct mapped_files *files, const struct mapped_image *m, FILE *out)
{
	struct text id = mapped_image_gnu_id(m, files), go = mapped_image_go_id(m, files);

	print_name(mapped_files_path(files, m->number), out);
	fputs("\n    build-id ", out);
	if (id.len)
		print_bytes(id, out);
	if (go.len) {
		fputs(id.len ? ", Go " : "Go ", out);
		print_name(go, out);
	}
	if ((id.len || go.len) && !mapped_image_id_recorded(m, files))
		fputs(", of the file that is here: none was recorded", out);
	fputs(id.len || go.len ? "\n" : "not known\n", out);
	if (!m->opened)
		fprintf(out, "    base not known: the file is %s\n", m->why_not);
	for (size_t i = 0; i < m->loads.all.len; i++)
		print_load(m, &m->loads.all.at[i], out);
	if (m->opened && !m->loads.all.len)
		fputs("    mismatch: no mapping fits a segment of the file\n", out);
}

/* ---- JSON ---- */

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

static void json_image(const struct mapped_files *files, const struct mapped_image *m,
		       struct json *json)
{
	struct text go = mapped_image_go_id(m, files);

	json_open(json, NULL, '{');
	json_text(json, "path", mapped_files_path(files, m->number));
	json_bytes(json, "build_id", mapped_image_gnu_id(m, files));
	if (go.len)
		json_text(json, "go_build_id", go);
	if (go.len || mapped_image_gnu_id(m, files).len)
		json_string(json, "build_id_of",
			    mapped_image_id_recorded(m, files) ? "map" : "file");
	if (!m->opened)
		json_string(json, "not_opened", m->why_not);
	json_open(json, "loads", '[');
	for (size_t i = 0; i < m->loads.all.len; i++)
		json_load(json, m, &m->loads.all.at[i]);
	json_close(json, ']');
	json_close(json, '}');
}

static void json_mapping(struct json *json, const struct mapping *m,
			 const struct mapped_files *files)
{
	const char flags[] = {
		m->flags & MAPPING_READ ? 'r' : '-', m->flags & MAPPING_WRITE ? 'w' : '-',
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

/* ---- a map ---- */

/* Shows each distinct file with executable mappings, in their order, as text or, if there is a
 * `json`, there.  False when out of memory. */
static bool show_images(struct maps_printer *printer, const struct maps *maps, struct json *json)
{
	const struct mapped_files *files = printer->files;
	struct mappings_by_path mappings;
	bool ok = next_map(printer, maps, &mappings);

	for (size_t i = 0; ok && i < maps->len; i++) {
		const struct mapping *mapping = &maps->at[i];
		uint32_t path = mapped_files_at(files, mapping->file)->path;
		if (!(mapping->flags & MAPPING_EXEC) ||
		    path_kind_of(strings_at(&files->texts, path)) != PATH_FILE ||
		    !is_new(printer, path))
			continue;
		struct mapped_image m = {.number = mapping->file};
		ok = mapped_image_open(&m, printer, &mappings);
		printer->disagree |= !loads_agree(&m.loads) || m.loads.misfits;
		if (ok && json)
			json_image(files, &m, json);
		else if (ok)
			print_image(files, &m, printer->out);
		loads_free(&m.loads);
	}
	mappings_by_path_free(&mappings);
	return ok;
}

static bool is_shown(const struct maps_printer *printer, const struct mapping *mapping)
{
	return printer->all || mapping->flags & MAPPING_EXEC;
}

void maps_print_head(const struct snapshot *s, FILE *out)
{
	fprintf(out,
		"process %" PRIu32 ", map %" PRIu32 ", time %" PRIu64 ".%09" PRIu64
		", %zu region%s\n",
		s->pid, s->id, s->time / 1000000000, s->time % 1000000000, map_set_count(s->maps),
		plural(map_set_count(s->maps)));
}

static bool print_text(struct maps_printer *printer, const struct snapshot *s,
		       const struct maps *maps)
{
	maps_print_head(s, printer->out);
	for (size_t i = 0; i < maps->len; i++)
		if (is_shown(printer, &maps->at[i]))
			maps_text_print_mapping(&maps->at[i], printer->files, printer->out);
	fputs("images:\n", printer->out);
	return show_images(printer, maps, NULL);
}

static bool print_raw(struct maps_printer *printer, const struct snapshot *s,
		      const struct maps *maps)
{
	struct maps_head head = {s->pid, s->id, s->time};

	maps_text_write_head(&head, printer->out);
	for (size_t i = 0; i < maps->len; i++)
		maps_text_write_mapping(&maps->at[i], printer->files, printer->out);
	return true;
}

static bool print_json(struct maps_printer *printer, const struct snapshot *s,
		       const struct maps *maps)
{
	struct json json = {.out = printer->out};

	json_open_document(&json, "batconv-maps");
	json_number(&json, "pid", s->pid);
	json_number(&json, "id", s->id);
	json_number(&json, "time", s->time);
	json_open(&json, "regions", '[');
	for (size_t i = 0; i < maps->len; i++)
		if (is_shown(printer, &maps->at[i]))
			json_mapping(&json, &maps->at[i], printer->files);
	json_close(&json, ']');
	json_open(&json, "images", '[');
	if (!show_images(printer, maps, &json))
		return false;
	json_close(&json, ']');
	json_close(&json, '}');
	putc('\n', printer->out);
	return true;
}

bool maps_print(struct maps_printer *printer, const struct snapshot *s)
{
	static bool (*const forms[])(struct maps_printer *, const struct snapshot *,
				     const struct maps *) = {
		[MAPS_TEXT] = print_text, [MAPS_RAW] = print_raw, [MAPS_JSON] = print_json};
	BC_AUTO(maps_free) struct maps maps = {0};

	return maps_of(s->maps, &maps) && forms[printer->form](printer, s, &maps);
}
