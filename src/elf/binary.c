/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/binary.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "src/base/attr.h"
#include "src/base/bytes.h"
#include "src/base/parallel.h"
#include "src/elf/notes.h"
#include "src/elf/symbols.h"

/* bat_fix_parents() with a binary's symbols.  BC_NOMEM. */
static bool symbols_fix_parents(const struct symbol_table *symbols, struct bat_table *table,
				struct bat_parents *out, struct bc_error *err)
{
	struct bat_symbol *list = malloc((symbols->count + 1) * sizeof(*list));
	struct bat_error bat_err;

	if (!list)
		return bc_fail_nomem(err);
	for (size_t i = 0; i < symbols->count; i++) {
		const struct symbol *s = &symbols->at[i];
		list[i] = (struct bat_symbol){s->address, s->name, s->order, s->file};
	}
	/* Out of memory is all that it can fail of. */
	bool ok = bat_fix_parents(table, list, symbols->count, out, &bat_err);
	free(list);
	return ok || bc_fail_nomem(err);
}

static enum binary_kind kind_of(const struct image *image)
{
	switch (image_bolt_trace(image)) {
	case BOLT_NONE: return BINARY_UNTOUCHED;
	case BOLT_TABLE: return BINARY_BOLTED;
	case BOLT_NO_TABLE:
	case BOLT_INSTRUMENTED:
	case BOLT_STRIPPED: break;
	}
	return BINARY_LOST;
}

/* From the file: image and kind.  Errors as of image_open(). */
BC_MUST_USE static bool binary_take_image(struct binary *binary, struct bc_error *err)
{
	if (!(binary->map.data ? image_open_map(&binary->map, &binary->image, err) :
				 image_open(binary->file, &binary->image, err)))
		return false;
	binary->kind = kind_of(&binary->image);
	return true;
}

/* The same, and a file that is a bare note is a BINARY_SECTION, with its section. */
BC_MUST_USE static bool binary_take_image_or_section(struct binary *binary, struct bc_error *err)
{
	if (!bat_note_is_bare(binary->file))
		return binary_take_image(binary, err);
	binary->kind = BINARY_SECTION;
	binary->section = binary->file;
	return true;
}

bool binary_find_note(struct binary *binary, struct bc_error *err)
{
	const struct image *image = &binary->image;

	if (binary->kind == BINARY_SECTION)
		return bat_note_bare(binary->file, &binary->desc, err);
	if (!image_bat_note(image, &binary->desc, err))
		return false;
	binary->section = image_section_bytes(image, image_section(image, BAT_SECTION_NAME));
	return true;
}

bool binary_keep_parents(struct binary *binary, struct bc_error *err)
{
	const struct bat_table *bat = &binary->bat;

	binary->stored_parents =
		malloc((bat->fragment_count + (size_t)1) * sizeof(*binary->stored_parents));
	if (!binary->stored_parents)
		return bc_fail_nomem(err);
	for (uint32_t i = 0; i < bat->fragment_count; i++)
		binary->stored_parents[i] = bat->fragments[i].parent;
	return true;
}

/* The debug file of a binary without symbols, to `debug`.  Errors as of debug_symbols_open(). */
BC_MUST_USE static bool binary_find_debug(struct binary *binary, const char *path,
					  const struct debug_dirs *dirs, struct bc_error *err)
{
	return image_section_of_type(&binary->image, SHT_SYMTAB) ||
	       debug_symbols_open(&binary->image, path, dirs, &binary->debug, err);
}

bool binary_build_functions(struct binary *binary, struct bc_error *err)
{
	bool by_order = binary->kind == BINARY_BOLTED && !binary->numbers_by_address;

	return binary->kind == BINARY_SECTION ||
	       functions_build_named(
		       &binary->image, by_order ? NUMBERS_BY_ORDER : NUMBERS_BY_ADDRESS,
		       binary->debug.path ? &binary->debug : NULL, &binary->functions, err);
}

/* Both tables ascend, so one walk through them pairs them up. */
static void walk_pairs(struct binary *binary)
{
	const struct function_table *functions = &binary->functions;
	const struct bat_table *bat = &binary->bat;
	uint32_t n = 0;

	for (uint32_t i = 0; i < bat->fragment_count; i++) {
		uint64_t address = bat->fragments[i].address;
		while (n < functions->count && functions->at[n].address < address)
			n++;
		bool same = n < functions->count && functions->at[n].address == address;
		binary->function_of[i] = same ? n : NO_FUNCTION;
		if (same && binary->fragment_of[n] == NO_FRAGMENT)
			binary->fragment_of[n] = i;
	}
}

static bool pair(struct binary *binary, struct bc_error *err)
{
	size_t functions = binary->functions.count, fragments = binary->bat.fragment_count;

	binary->fragment_of = malloc((functions + 1) * sizeof(*binary->fragment_of));
	binary->function_of = malloc((fragments + 1) * sizeof(*binary->function_of));
	if (!binary->fragment_of || !binary->function_of)
		return bc_fail_nomem(err);
	for (size_t i = 0; i < functions; i++)
		binary->fragment_of[i] = NO_FRAGMENT;
	walk_pairs(binary);
	return true;
}

/* Where BOLT moved no function, it prints the same name that it sorts by. */
static void print_primary_names(struct binary *binary)
{
	for (size_t i = 0; i < binary->functions.count; i++) {
		struct function *f = &binary->functions.at[i];
		f->told = f->printed;
		f->printed = f->primary;
	}
}

bool binary_settle(struct binary *binary, struct bc_error *err)
{
	if (binary->kind == BINARY_UNTOUCHED)
		print_primary_names(binary);
	return symbols_fix_parents(&binary->functions.symbols, &binary->bat, &binary->parents,
				   err) &&
	       pair(binary, err);
}

void binary_close(struct binary *binary)
{
	free(binary->function_of);
	free(binary->fragment_of);
	free(binary->stored_parents);
	functions_free(&binary->functions);
	bat_free(&binary->bat);
	debug_symbols_close(&binary->debug);
	image_close(&binary->image);
	file_unmap(&binary->map);
	*binary = (struct binary){0};
}

const struct function *binary_fragment_function(const struct binary *binary, uint32_t fragment)
{
	uint32_t function = binary->function_of[fragment];

	return function == NO_FUNCTION ? NULL : &binary->functions.at[function];
}

const char *binary_fragment_owner(const struct binary *binary, uint32_t fragment)
{
	uint32_t parent = binary->bat.fragments[fragment].parent;
	const struct function *f =
		parent == BAT_NO_PARENT ? NULL : binary_fragment_function(binary, parent);

	return f ? f->printed : NULL;
}

static int named_order(const void *a, const void *b)
{
	const struct named_fragment *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (order)
		return order;
	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->cold != y->cold)
		return x->cold ? 1 : -1;
	return (x->fragment > y->fragment) - (x->fragment < y->fragment);
}

void named_fragments_sort(struct named_fragment *rows, size_t count)
{
	if (count)
		qsort(rows, count, sizeof(*rows), named_order);
	for (size_t i = 0; i < count; i++)
		rows[i].part =
			i && !strcmp(rows[i].name, rows[i - 1].name) ? rows[i - 1].part + 1 : 0;
}

uint64_t binary_fragment_size(const struct binary *binary, uint32_t fragment)
{
	const struct function *f = binary_fragment_function(binary, fragment);

	return f ? f->size : 0;
}

struct output_place binary_place(const struct binary *binary, struct vaddr at,
				 const struct function *near)
{
	const struct function *function = near;

	if (!near || at.v - near->address >= near->size)
		function = functions_find(&binary->functions, at);
	if (!function || at.v - function->address > UINT32_MAX) /* further than an offset reaches */
		return (struct output_place){0};
	return binary_place_in(binary, (uint32_t)(function - binary->functions.at),
			       (uint32_t)(at.v - function->address));
}

const struct function *binary_owner(const struct binary *binary, struct output_place place)
{
	if (!place.fragment || !place.fragment->cold)
		return place.function;
	if (place.fragment->parent == BAT_NO_PARENT)
		return NULL;
	struct vaddr parent = {binary->bat.fragments[place.fragment->parent].address};
	return functions_find(&binary->functions, parent);
}

bool binary_translate(const struct binary *binary, struct output_place place, bool is_source,
		      struct input_place *out)
{
	*out = (struct input_place){0};
	if (!place.function)
		return true;
	if (binary->kind == BINARY_LOST)
		return false;
	out->function = binary_owner(binary, place);
	if (!out->function)
		return false;
	out->offset = place.fragment ?
			      bat_translate(&binary->bat, place.fragment, place.offset, is_source) :
			      place.offset;
	return true;
}

typedef bool decode_fn(const uint8_t *desc, size_t size, struct bat_table *out,
		       struct bat_error *err);

static bool decode(struct binary *binary, decode_fn *how, struct bc_error *err)
{
	struct bat_error bat_err = {0};

	if (how(binary->desc.data, binary->desc.size, &binary->bat, &bat_err))
		return true;
	if (bat_err.code == BAT_ERROR_NOMEM)
		return bc_fail_nomem(err);
	return bc_fail(err, BC_FORMAT, "BAT section: %s", bat_err.text);
}

/* Conversions read the section but once. */
static bool decode_and_release(struct binary *binary, decode_fn *how, struct bc_error *err)
{
	bool ok = decode(binary, how, err);

	file_release(binary->desc.data, binary->desc.size);
	return ok;
}

/* The rest of opening, from a file that was taken on. */
struct opening {
	struct binary *binary;
	enum binary_kind last; /* of the kinds without a BAT the last that will do */
	bool (*read)(struct binary *binary, struct bc_error *err); /* the BAT from its desc */
};

static bool read_bat(const struct opening *opening, struct bc_error *err)
{
	struct binary *binary = opening->binary;
	bool has_none = binary->kind == BINARY_UNTOUCHED || binary->kind == BINARY_LOST;

	if (has_none && binary->kind <= opening->last)
		return true;
	return binary_find_note(binary, err) && opening->read(binary, err);
}

/* The two halves of it that do not need each other. */
static bool open_half(void *ctx, size_t half, struct bc_error *err)
{
	const struct opening *opening = ctx;

	return half ? binary_build_functions(opening->binary, err) : read_bat(opening, err);
}

static bool finish(struct opening opening, struct bc_error *err)
{
	return parallel_parts(2, open_half, &opening, err) && binary_settle(opening.binary, err);
}

static bool read_offsets(struct binary *binary, struct bc_error *err)
{
	return decode_and_release(binary, bat_decode_offsets, err);
}

static bool read_blocks(struct binary *binary, struct bc_error *err)
{
	return decode_and_release(binary, bat_decode, err);
}

static bool read_as_stored(struct binary *binary, struct bc_error *err)
{
	return decode(binary, bat_decode, err) && binary_keep_parents(binary, err);
}

/* Fills in the rest of a binary of which only the file is open yet. */
typedef bool fill_fn(struct binary *binary, struct bc_error *err);

static bool fill_to_convert(struct binary *binary, struct bc_error *err)
{
	return binary_take_image(binary, err) &&
	       finish((struct opening){binary, BINARY_UNTOUCHED, read_offsets}, err);
}

static bool fill_any(struct binary *binary, struct bc_error *err)
{
	return binary_take_image(binary, err) &&
	       finish((struct opening){binary, BINARY_LOST, read_offsets}, err);
}

static bool fill_table(struct binary *binary, struct bc_error *err)
{
	return binary_take_image_or_section(binary, err) &&
	       finish((struct opening){binary, BINARY_BOLTED, read_as_stored}, err);
}

static bool fill_or_close(struct binary binary, fill_fn *fill, struct binary *out,
			  struct bc_error *err)
{
	if (fill(&binary, err)) {
		*out = binary;
		return true;
	}
	binary_close(&binary);
	return false;
}

static bool open_bytes(struct bytes file, fill_fn *fill, struct binary *out, struct bc_error *err)
{
	return fill_or_close((struct binary){.file = file}, fill, out, err);
}

static bool open_mapped(const char *path, struct file_map map, fill_fn *fill, struct binary *out,
			struct bc_error *err)
{
	struct binary binary = {.map = map, .file = {map.data, map.size}};

	return fill_or_close(binary, fill, out, err) || bc_fail_prefix(err, path);
}

static bool open_file(const char *path, fill_fn *fill, struct binary *out, struct bc_error *err)
{
	struct file_map map;

	return file_map(path, &map, err) && open_mapped(path, map, fill, out, err);
}

bool binary_open(const char *path, struct binary *out, struct bc_error *err)
{
	return open_file(path, fill_to_convert, out, err);
}

bool binary_open_any(const char *path, struct binary *out, struct bc_error *err)
{
	return open_file(path, fill_any, out, err);
}

bool binary_map_named(const char *path, enum named_by by, struct binary *out, struct bc_error *err)
{
	struct file_map map;

	return file_map_named(path, by, &map, err) &&
	       open_mapped(path, map, binary_take_image_or_section, out, err);
}

/* The same steps with a debug file between image and functions. */
static bool open_with_debug(const char *path, struct binary binary, const struct debug_dirs *dirs,
			    struct opening opening, struct binary *out, struct bc_error *err)
{
	binary.file = (struct bytes){binary.map.data, binary.map.size};
	opening.binary = &binary;
	if (binary_take_image(&binary, err) &&
	    (!dirs || binary_find_debug(&binary, path, dirs, err)) && finish(opening, err)) {
		*out = binary;
		return true;
	}
	binary_close(&binary);
	return bc_fail_prefix(err, path);
}

bool binary_open_parts(const char *path, const struct binary_parts *parts, struct binary *out,
		       struct bc_error *err)
{
	struct opening opening = {NULL, BINARY_UNTOUCHED,
				  parts->blocks ? read_blocks : read_offsets};
	struct binary binary = {.numbers_by_address = parts->numbers_by_address};

	return file_map(path, &binary.map, err) &&
	       open_with_debug(path, binary, parts->debug, opening, out, err);
}

bool binary_open_debug(const char *path, const struct debug_dirs *dirs, struct binary *out,
		       struct bc_error *err)
{
	struct opening opening = {NULL, BINARY_LOST, read_offsets};
	struct binary binary = {0};

	return file_map(path, &binary.map, err) &&
	       open_with_debug(path, binary, dirs, opening, out, err);
}

bool binary_open_named_debug(const char *path, enum named_by by, const struct debug_dirs *dirs,
			     struct binary *out, struct bc_error *err)
{
	struct opening opening = {NULL, BINARY_LOST, read_offsets};
	struct binary binary = {0};

	return file_map_named(path, by, &binary.map, err) &&
	       open_with_debug(path, binary, dirs, opening, out, err);
}

bool binary_open_table(const char *path, struct binary *out, struct bc_error *err)
{
	return open_file(path, fill_table, out, err);
}

bool binary_open_bytes(struct bytes file, struct binary *out, struct bc_error *err)
{
	return open_bytes(file, fill_to_convert, out, err);
}

bool binary_map(const char *path, struct binary *out, struct bc_error *err)
{
	return open_file(path, binary_take_image_or_section, out, err);
}

bool binary_map_opened(int fd, const char *path, struct binary *out, struct bc_error *err)
{
	struct file_map map;

	return file_map_opened(fd, path, &map, err) &&
	       open_mapped(path, map, binary_take_image_or_section, out, err);
}

/* ---- the head of a file ---- */

/*
 * For a file that somebody else may change or make, what shows what it is: the headers of an ELF
 * file, the names of its sections, and its small notes.  They are read into memory of our own,
 * and are all that image_open_map() and the kind of a binary take; the rest of it is zeros.
 */

/* The most that is read of one table: of what is run, no file comes near. */
#define HEAD_TABLE_MOST ((uint64_t)1 << 20)

/* Files are at most so large: as much of the address space is taken while a head is read, and a
 * file of holes can have any size. */
#define HEAD_FILE_MOST ((uint64_t)1 << 40)

struct head_reader {
	int fd;
	const char *name;
	struct file_map *copy;
	uint64_t notes_left;
};

/* A table that must be there. */
static bool read_table(const struct head_reader *head, uint64_t offset, uint64_t size,
		       const char *what, struct bc_error *err)
{
	if (!range_fits(offset, size, head->copy->size))
		return bc_fail(err, BC_FORMAT, "%s: %s lies outside the file", head->name, what);
	if (size > HEAD_TABLE_MOST)
		return bc_fail(err, BC_UNSUPPORTED, "%s: %s has more than %d KiB", head->name, what,
			       (int)(HEAD_TABLE_MOST >> 10));
	return file_copy_read(head->fd, head->name, head->copy, offset, size, err);
}

/* Those that image.c looks through. */
static bool read_notes(struct head_reader *head, uint64_t offset, uint64_t size,
		       struct bc_error *err)
{
	return !range_fits(offset, size, head->copy->size) ||
	       !notes_take(&head->notes_left, size) ||
	       file_copy_read(head->fd, head->name, head->copy, offset, size, err);
}

static bool read_segments(struct head_reader *head, const Elf64_Ehdr *file, struct bc_error *err)
{
	Elf64_Phdr segment;

	if (!file->e_phnum || file->e_phnum > IMAGE_HEADERS_MOST)
		return true; /* which is said when it is opened */
	if (!read_table(head, file->e_phoff, file->e_phnum * sizeof(segment), "program headers",
			err))
		return false;
	for (size_t i = 0; i < file->e_phnum; i++) {
		memcpy(&segment, head->copy->data + file->e_phoff + i * sizeof(segment),
		       sizeof(segment));
		if (segment.p_type == PT_NOTE &&
		    !read_notes(head, segment.p_offset, segment.p_filesz, err))
			return false;
	}
	return true;
}

static Elf64_Shdr section_at(const struct head_reader *head, const Elf64_Ehdr *file,
			     uint64_t number)
{
	Elf64_Shdr section;

	memcpy(&section, head->copy->data + file->e_shoff + number * sizeof(section),
	       sizeof(section));
	return section;
}

static bool read_sections(struct head_reader *head, const Elf64_Ehdr *file, struct bc_error *err)
{
	if (!file->e_shoff)
		return true;
	if (!read_table(head, file->e_shoff, sizeof(Elf64_Shdr), "section headers", err))
		return false;
	const Elf64_Shdr first = section_at(head, file, 0);
	uint64_t count = file->e_shnum ? file->e_shnum : first.sh_size,
		 names = file->e_shstrndx == SHN_XINDEX ? first.sh_link : file->e_shstrndx;
	if (count > HEAD_TABLE_MOST) /* so that its size is a number */
		return bc_fail(err, BC_UNSUPPORTED, "%s: too many sections", head->name);
	if (!read_table(head, file->e_shoff, count * sizeof(first), "section headers", err))
		return false;
	for (uint64_t i = 0; i < count; i++) {
		const Elf64_Shdr section = section_at(head, file, i);
		if (section.sh_type == SHT_NOTE &&
		    !read_notes(head, section.sh_offset, section.sh_size, err))
			return false;
		if (i == names && section.sh_type != SHT_NOBITS &&
		    !read_table(head, section.sh_offset, section.sh_size, "names of sections", err))
			return false;
	}
	return true;
}

static bool read_head(struct head_reader *head, struct bc_error *err)
{
	Elf64_Ehdr file = {0};
	uint64_t size = head->copy->size < sizeof(file) ? head->copy->size : sizeof(file);

	if (!file_copy_read(head->fd, head->name, head->copy, 0, size, err))
		return false;
	if (size)
		memcpy(&file, head->copy->data, (size_t)size);
	if (size < sizeof(file) || memcmp(file.e_ident, ELFMAG, SELFMAG) != 0 ||
	    file.e_ident[EI_CLASS] != ELFCLASS64 || file.e_ident[EI_DATA] != ELFDATA2LSB)
		return true; /* likewise */
	return read_segments(head, &file, err) && read_sections(head, &file, err);
}

/* Also of a file that is no ELF file, of which its beginning is read.
 *
 * BC_FORMAT       tables that lie outside the file
 * BC_UNSUPPORTED  tables larger than HEAD_TABLE_MOST, or a file larger than HEAD_FILE_MOST
 * BC_IO, BC_NOMEM
 * The texts have the name. */
static bool head_read(int fd, const char *name, struct file_map *out, struct bc_error *err)
{
	struct head_reader head = {fd, name, out, 2 * NOTES_ALL};
	struct stat st;

	*out = (struct file_map){0};
	if (fstat(fd, &st) != 0)
		return bc_fail_errno(err, "%s: cannot stat", name);
	if ((uint64_t)st.st_size > HEAD_FILE_MOST)
		return bc_fail(err, BC_UNSUPPORTED, "%s: larger than %d TiB", name,
			       (int)(HEAD_FILE_MOST >> 40));
	if (!file_copy_begin((uint64_t)st.st_size, out, err))
		return false;
	out->head = true;
	if (read_head(&head, err))
		return true;
	file_unmap(out);
	return false;
}

bool binary_read_head(int fd, const char *path, struct binary *out, struct bc_error *err)
{
	struct file_map map;

	return head_read(fd, path, &map, err) &&
	       open_mapped(path, map, binary_take_image_or_section, out, err);
}

bool binary_map_bytes(struct bytes file, struct binary *out, struct bc_error *err)
{
	return open_bytes(file, binary_take_image_or_section, out, err);
}

/* For a file in a directory.  *has: it is an ELF file with a BAT section that is a sound note.
 * BC_IO, BC_NOMEM */
static bool binary_has_bat(const char *path, bool *has, struct bc_error *err)
{
	struct binary binary = {0};

	*has = false;
	err->code = BC_OK;
	if (!file_map_named(path, NAMED_BY_FOLDER, &binary.map, err))
		return err->code != BC_NOMEM && err->code != BC_IO;
	binary.file = (struct bytes){binary.map.data, binary.map.size};
	*has = binary_take_image(&binary, err) && binary_find_note(&binary, err);
	binary_close(&binary);
	return *has || err->code != BC_NOMEM;
}

struct build_id code_digest(const struct binary *binary)
{
	if (binary->map.digest.size == SHA256_SIZE)
		return binary->map.digest;
	if (binary->kind == BINARY_SECTION || binary->map.head ||
	    binary->map.present < binary->map.size)
		return (struct build_id){.size = 0};
	return code_digest_of(&binary->image);
}

/* A counting sort.  first[] has how many there are, then where they end, then where they begin. */
bool fragments_by_function_list(const struct bat_table *bat, struct fragments_by_function *out)
{
	uint32_t count = bat->fragment_count, hot;

	*out = (struct fragments_by_function){malloc((count + (size_t)1) * sizeof(*out->at)),
					      calloc(count + (size_t)1, sizeof(*out->first))};
	if (!out->at || !out->first) {
		fragments_by_function_free(out);
		return false;
	}
	for (uint32_t i = 0; i < count; i++)
		if ((hot = fragment_hot_one(bat, i)) != BAT_NO_PARENT)
			out->first[hot]++;
	for (uint32_t i = 0; i < count; i++)
		out->first[i + 1] += out->first[i];
	for (uint32_t i = count; i-- > 0;)
		if ((hot = fragment_hot_one(bat, i)) != BAT_NO_PARENT)
			out->at[--out->first[hot]] = i;
	return true;
}

void fragments_by_function_free(struct fragments_by_function *fragments)
{
	free(fragments->at);
	free(fragments->first);
	*fragments = (struct fragments_by_function){0};
}

/* ---- the binaries of a directory ---- */

void binaries_free(struct binary_vec *list)
{
	for (size_t i = 0; i < list->len; i++) {
		free(list->at[i].path);
		free(list->at[i].name);
	}
	binary_vec_free(list);
}

/* Takes ownership of both strings, also on failure. */
static bool add(struct binary_vec *list, char *path, char *name, bool found, struct bc_error *err)
{
	bool twice = false;

	for (size_t i = 0; name && i < list->len; i++)
		twice |= !strcmp(list->at[i].name, name);
	if (path && name && !twice &&
	    binary_vec_push(list, (struct named_binary){path, name, found}))
		return true;
	if (twice)
		bc_fail(err, BC_MISMATCH, "%s: another binary's profile is to be called %s, too",
			path, name);
	else
		bc_fail_nomem(err);
	free(path);
	free(name);
	return false;
}

static char *join(const char *path, char between, const char *name)
{
	size_t size = strlen(path) + strlen(name) + 2;
	char *joined = malloc(size);

	if (joined)
		snprintf(joined, size, "%s%c%s", path, between, name);
	return joined;
}

/* A directory that is still to be looked through. */
struct folder {
	char *path, *name; /* the name is that of the path below the first one */
};
DEFINE_VEC(folder_vec, struct folder);

static void folders_free(struct folder_vec *folders)
{
	for (size_t i = 0; i < folders->len; i++) {
		free(folders->at[i].path);
		free(folders->at[i].name);
	}
	folder_vec_free(folders);
}

/* One entry of a directory.  Links are not followed: build-id directories are full of
 * links to files that are there, too. */
static bool add_entry(struct binary_vec *list, struct folder_vec *folders, struct folder in,
		      const char *entry, struct bc_error *err)
{
	struct stat st;
	char *path = join(in.path, '/', entry),
	     *name = *in.name ? join(in.name, '-', entry) : strdup(entry);

	bool ok = (path && name) || bc_fail_nomem(err), has = false;

	if (ok && lstat(path, &st)) {
		ok = errno == ENOENT ||
		     bc_fail_errno(err, "%s: cannot stat", path); /* it was removed meanwhile */
	} else if (ok) {
		if (S_ISREG(st.st_mode))
			ok = binary_has_bat(path, &has, err);
		if (has)
			return add(list, path, name, true, err);
		if (S_ISDIR(st.st_mode) && folder_vec_push(folders, (struct folder){path, name}))
			return true;
		ok = ok && (!S_ISDIR(st.st_mode) || bc_fail_nomem(err));
	}
	free(path);
	free(name);
	return ok;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static bool add_entries(struct binary_vec *list, struct folder_vec *folders, struct folder in,
			struct bc_error *err)
{
	struct dirent **names;
	int count = scandir(in.path, &names, NULL, by_name);
	bool ok = count >= 0 || bc_fail_errno(err, "%s: cannot be listed", in.path);

	for (int i = 0; i < count; i++) {
		const char *entry = names[i]->d_name;
		if (ok && strcmp(entry, ".") && strcmp(entry, ".."))
			ok = add_entry(list, folders, in, entry, err);
		free(names[i]);
	}
	if (count >= 0)
		free(names);
	return ok;
}

static bool add_below(struct binary_vec *list, const char *path, struct bc_error *err)
{
	BC_AUTO(folders_free) struct folder_vec folders = {0};
	struct folder first = {strdup(path), strdup("")};

	if (!first.path || !first.name || !folder_vec_push(&folders, first)) {
		free(first.path);
		free(first.name);
		return bc_fail_nomem(err);
	}
	for (size_t i = 0; i < folders.len; i++)
		if (!add_entries(list, &folders, folders.at[i], err))
			return false;
	return true;
}

bool binaries_add(struct binary_vec *list, const char *path, struct bc_error *err)
{
	struct stat st;
	const char *slash = strrchr(path, '/');

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return add_below(list, path, err);
	return add(list, strdup(path), strdup(slash ? slash + 1 : path), false, err);
}
