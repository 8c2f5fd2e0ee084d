/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/debug_file.h"

#include <elf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "src/elf/notes.h"

/* false: it cannot be read. */
static bool checksum_of(int fd, uint32_t *out)
{
	unsigned char buffer[16384];
	uLong crc = crc32(0, NULL, 0);
	off_t at = 0;
	ssize_t got;

	while ((got = pread(fd, buffer, sizeof(buffer), at)) > 0) {
		crc = crc32(crc, buffer, (uInt)got);
		at += got;
	}
	*out = (uint32_t)crc;
	return got == 0;
}

/* A link can name the file that has it. */
static bool is_same_file(int fd, const char *path)
{
	struct stat a, b;

	return fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_ino == b.st_ino &&
	       a.st_dev == b.st_dev;
}

static void refuse(const struct debug_name *name, const char *path, const char *what,
		   const char *has, const char *wants)
{
	if (name->refused && !name->refused->code)
		bc_fail(name->refused, BC_MISMATCH,
			"%s: a debug file of another build is not used: its %s is %s, not %s, "
			"which %s asks for",
			path, what, has, wants, name->of);
}

static bool fits_id(const struct debug_name *name, const char *path, int fd)
{
	char has[2 * BUILD_ID_MAX + 1], wants[2 * BUILD_ID_MAX + 1];
	struct build_id id = notes_of_file(fd).id;

	if (build_id_equal(&id, &name->id))
		return true;
	build_id_format(&id, has);
	build_id_format(&name->id, wants);
	refuse(name, path, "build-id", id.size ? has : "none", wants);
	return false;
}

static bool fits(const struct debug_name *name, const char *path, int fd)
{
	char has[16], wants[16];
	uint32_t crc;

	if (is_same_file(fd, name->of))
		return false;
	if (name->id.size)
		return fits_id(name, path, fd);
	if (!name->crc)
		return true;
	if (!checksum_of(fd, &crc))
		return false;
	if (crc == name->crc)
		return true;
	snprintf(has, sizeof(has), "%08" PRIx32, crc);
	snprintf(wants, sizeof(wants), "%08" PRIx32, name->crc);
	refuse(name, path, "checksum", has, wants);
	return false;
}

/* -1: not there, or not the file; err then shows which. */
static int try(const struct debug_name *name, const char *path, enum named_by by,
	       struct bc_error *err)
{
	int fd;

	if (!named_file_open(path, by, &fd, err)) {
		if (err->code == BC_IO)
			err->code = BC_OK;
		return -1;
	}
	if (fits(name, path, fd))
		return fd;
	close(fd);
	return -1;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* BEFORE/NAME; -1 also where that is too long to be a path. */
static int try_as(const struct debug_name *name, enum named_by by, const char *before,
		  const char *file, char path[PATH_MAX], struct bc_error *err)
{
	int length = snprintf(path, PATH_MAX, "%s/%s", before, file);

	return length > 0 && length < PATH_MAX ? try(name, path, by, err) : -1;
}

static int try_in(const struct debug_name *name, const char *before, const char *file,
		  char path[PATH_MAX], struct bc_error *err)
{
	return try_as(name, name->by, before, file, path, err);
}

static int try_build_id(const struct debug_name *name, enum named_by by, const char *root,
			char path[PATH_MAX], struct bc_error *err)
{
	char hex[2 * BUILD_ID_MAX + 1], file[2 * BUILD_ID_MAX + 32];

	if (name->id.size < 2)
		return -1;
	build_id_format(&name->id, hex);
	snprintf(file, sizeof(file), ".build-id/%.2s/%s.debug", hex, hex + 2);
	return try_as(name, by, root, file, path, err);
}

/* In the directories that the user named. */
static int try_dirs(const struct debug_name *name, char path[PATH_MAX], struct bc_error *err)
{
	char own[PATH_MAX];
	int fd = -1;

	snprintf(own, sizeof(own), "%s.debug", last_part(name->of));
	for (size_t i = 0; name->dirs && i < name->dirs->count && fd < 0 && !err->code; i++) {
		const char *dir = name->dirs->at[i];
		fd = try_build_id(name, NAMED_BY_FOLDER, dir, path, err);
		if (fd < 0 && !err->code && name->link)
			fd = try_as(name, NAMED_BY_FOLDER, dir, last_part(name->link), path, err);
		if (fd < 0 && !err->code && name->id.size && name->by != NAMED_BY_ALTLINK)
			fd = try_as(name, NAMED_BY_FOLDER, dir, own, path, err);
	}
	return fd;
}

/* In a directory of the binary, and in those that go with it. */
static int try_folder(const struct debug_name *name, const char *folder, char path[PATH_MAX],
		      struct bc_error *err)
{
	bool is_alt = name->by == NAMED_BY_ALTLINK;
	char below[PATH_MAX], own[PATH_MAX];
	const char *file = name->link;
	int fd;

	snprintf(own, sizeof(own), "%s.debug", last_part(name->of));
	file = file ? file : own;
	if (is_alt && *file == '/')
		fd = try_in(name, "", file + 1, path, err);
	else
		fd = try_in(name, folder, file, path, err);
	if (fd < 0 && !err->code &&
	    snprintf(below, PATH_MAX, "%s/%s", folder, is_alt ? ".dwz" : ".debug") < PATH_MAX)
		fd = try_in(name, below, is_alt ? last_part(file) : file, path, err);
	if (fd < 0 && !err->code &&
	    snprintf(below, PATH_MAX, DEBUG_FILE_ROOT "%s", is_alt ? "/.dwz" : folder) < PATH_MAX)
		fd = try_in(name, below, is_alt ? last_part(file) : file, path, err);
	return fd;
}

/* The directory of a path, for free(). */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

/* The directory of the given name is searched, and that of the file itself if the name is a link.
 */
static int try_folders(const struct debug_name *name, char path[PATH_MAX], struct bc_error *err)
{
	char *real = realpath(name->of, NULL);
	char *given = folder_of(name->of), *own = folder_of(real ? real : name->of);
	int fd = -1;

	if (!given || !own) {
		bc_fail_nomem(err);
	} else {
		fd = try_folder(name, own, path, err);
		if (fd < 0 && !err->code && strcmp(given, own))
			fd = try_folder(name, given, path, err);
	}
	free(real);
	free(given);
	free(own);
	return fd;
}

int debug_file_open(const struct debug_name *name, char **path, struct bc_error *err)
{
	char at[PATH_MAX];

	err->code = BC_OK;
	int fd = try_dirs(name, at, err);
	if (fd < 0 && !err->code)
		fd = try_build_id(name, NAMED_BY_BUILD_ID, DEBUG_FILE_ROOT, at, err);
	/* A debug file whose name no link of the binary gives must have the same build-id. */
	if (fd < 0 && !err->code && (name->link || name->id.size))
		fd = try_folders(name, at, err);
	if (fd < 0)
		return -1;
	*path = strdup(at);
	if (*path)
		return fd;
	close(fd);
	bc_fail_nomem(err);
	return -1;
}

#define LINK_SECTION ".gnu_debuglink"

/* ---- which section of the binary one of the debug file is ---- */

static bool is_loaded(const struct section *s)
{
	return s->flags & SHF_ALLOC;
}

/* The binary's section of this name and address, or UINT32_MAX.  Both tables have one order, and
 * what was stripped is not loaded: mostly it is the next one. */
static uint32_t counterpart(const struct image *binary, const struct section *s, size_t *next)
{
	for (size_t tried = 0; tried < binary->section_count; tried++) {
		size_t i = (*next + tried) % binary->section_count;
		const struct section *other = &binary->sections[i];
		if (other->addr == s->addr && is_loaded(other) &&
		    text_equal(other->name, s->name)) {
			*next = i + 1;
			return (uint32_t)i;
		}
	}
	return UINT32_MAX;
}

static bool refuse_section(struct debug_symbols *symbols, const char *path, const struct section *s)
{
	return bc_fail(
		&symbols->refused, BC_MISMATCH,
		"%s: a debug file of another build is not used: its section %.*s, at 0x%" PRIx64
		" with %" PRIu64 " bytes, is not the binary's",
		path, (int)text_first(s->name, 64).len, s->name.at, s->addr, s->size);
}

/* A debug file has some dozens of sections.  Each may be searched for from the beginning of the
 * table, so a table with more sections than this is cut. */
#define SECTIONS_MOST 4096

static bool pair_sections(const struct image *binary, const char *path,
			  struct debug_symbols *symbols, struct bc_error *err)
{
	const struct image *image = &symbols->image;
	size_t next = 0;

	err->code = BC_OK;
	if (image->section_count > SECTIONS_MOST || binary->section_count > SECTIONS_MOST)
		return false;
	symbols->section_of = malloc((image->section_count + 1) * sizeof(*symbols->section_of));
	if (!symbols->section_of)
		return bc_fail_nomem(err);
	for (size_t i = 0; i < image->section_count; i++) {
		const struct section *s = &image->sections[i];
		uint32_t there = is_loaded(s) ? counterpart(binary, s, &next) : UINT32_MAX;
		bool same = there != UINT32_MAX && binary->sections[there].size == s->size;
		symbols->section_of[i] = there;
		if (s->flags & SHF_EXECINSTR && is_loaded(s) && !same)
			return refuse_section(symbols, path, s);
	}
	return true;
}

/* ---- one file ---- */

static bool has_symbols(const struct image *image)
{
	return image_section_of_type(image, SHT_SYMTAB);
}

static void drop(struct debug_symbols *symbols)
{
	image_close(&symbols->image);
	free(symbols->section_of);
	symbols->section_of = NULL;
}

bool debug_symbols_take(const struct image *binary, struct bytes file, const char *path,
			struct debug_symbols *out, struct bc_error *err)
{
	if (image_open_sections(file, &out->image, err)) {
		err->code = BC_OK;
		if (out->image.machine == binary->machine && has_symbols(&out->image) &&
		    pair_sections(binary, path, out, err))
			return true;
		drop(out);
	}
	if (err->code != BC_NOMEM)
		err->code = BC_OK;
	return false;
}

/* ---- where it is ---- */

/* What the binary says of its debug file: a name, and after it, at a multiple of 4, a checksum. */
static void read_link(const struct image *binary, struct debug_name *name)
{
	const struct section *link = image_section(binary, LINK_SECTION);
	struct bytes bytes = link ? image_section_bytes(binary, link) : (struct bytes){NULL, 0};
	const uint8_t *end = bytes.size ? memchr(bytes.data, 0, bytes.size) : NULL;
	size_t at = end ? ((size_t)(end - bytes.data) + 4) / 4 * 4 : bytes.size;

	if (!end || end == bytes.data || at + 4 > bytes.size)
		return;
	name->link = (const char *)bytes.data;
	name->crc = le32(bytes.data + at);
}

bool debug_symbols_open(const struct image *binary, const char *path, const struct debug_dirs *dirs,
			struct debug_symbols *out, struct bc_error *err)
{
	struct debug_symbols found = {0};
	struct debug_name name = {.by = NAMED_BY_DEBUGLINK,
				  .of = path,
				  .id = binary->build_id,
				  .dirs = dirs,
				  .refused = &found.refused};

	read_link(binary, &name);
	int fd = debug_file_open(&name, &found.path, err);
	if (fd >= 0) {
		close(fd);
		bool ok = file_map_named(found.path, NAMED_BY_DEBUGLINK, &found.map, err) &&
			  debug_symbols_take(binary, (struct bytes){found.map.data, found.map.size},
					     found.path, &found, err);
		if (!ok && err->code == BC_IO)
			err->code = BC_OK; /* it was there a moment ago */
	}
	if (!err->code && found.section_of) {
		*out = found;
		return true;
	}
	out->refused = found.refused;
	found.refused.code = BC_OK;
	debug_symbols_close(&found);
	return !err->code;
}

void debug_symbols_close(struct debug_symbols *symbols)
{
	drop(symbols);
	file_unmap(&symbols->map);
	free(symbols->path);
	*symbols = (struct debug_symbols){0};
}
