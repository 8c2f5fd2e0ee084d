/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/debug_file.h"

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
	unsigned char buffer[65536];
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

	return fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

static void refuse(const struct debug_name *name, const char *path, const char *what, const char *has,
		   const char *wants)
{
	if (name->refused && !name->refused->code)
		bc_fail(name->refused, BC_MISMATCH, "%s: a debug file of another build is not used: its %s is %s, not %s, "
			"which %s asks for", path, what, has, wants, name->of);
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

/* -1: not there, or not the file; err then tells which. */
static int try(const struct debug_name *name, const char *path, enum named_by by, struct bc_error *err)
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
static int try_as(const struct debug_name *name, enum named_by by, const char *before, const char *file,
		  char path[PATH_MAX], struct bc_error *err)
{
	int length = snprintf(path, PATH_MAX, "%s/%s", before, file);

	return length > 0 && length < PATH_MAX ? try(name, path, by, err) : -1;
}

static int try_in(const struct debug_name *name, const char *before, const char *file, char path[PATH_MAX],
		  struct bc_error *err)
{
	return try_as(name, name->by, before, file, path, err);
}

static int try_build_id(const struct debug_name *name, enum named_by by, const char *root, char path[PATH_MAX],
			struct bc_error *err)
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
	if (fd < 0 && !err->code && snprintf(below, PATH_MAX, "%s/%s", folder, is_alt ? ".dwz" : ".debug") < PATH_MAX)
		fd = try_in(name, below, is_alt ? last_part(file) : file, path, err);
	if (fd < 0 && !err->code && snprintf(below, PATH_MAX, DEBUG_FILE_ROOT "%s", is_alt ? "/.dwz" : folder) < PATH_MAX)
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

/* The directory of the given name is searched, and that of the file itself if the name is a link. */
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
