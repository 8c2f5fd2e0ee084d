/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/proc.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/elf/notes.h"
#include "src/samples/maps_text.h"

/* Program headers and notes larger than this are not read from a process. */
#define TABLE_MOST 65536

static bool fail_maps(uint32_t pid, struct bc_error *err)
{
	if (errno == ENOENT || errno == ESRCH)
		return bc_fail(err, BC_NOTFOUND, "no process %" PRIu32, pid);
	return bc_fail_errno(err, "/proc/%" PRIu32 "/maps", pid);
}

bool proc_maps_open(uint32_t pid, int *fd, struct bc_error *err)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/maps", pid);
	*fd = open(path, O_RDONLY | O_CLOEXEC);
	return *fd >= 0 || fail_maps(pid, err);
}

/* The kernel hands out a page of whole lines at a time; a line that ends early is read on. */
bool proc_maps_more(uint32_t pid, int fd, char *room, size_t size, size_t *got,
		    struct bc_error *err)
{
	ssize_t part;

	*got = 0;
	do {
		part = read(fd, room + *got, size - *got);
		*got += part > 0 ? (size_t)part : 0;
	} while ((part < 0 && errno == EINTR) ||
		 (part > 0 && *got < size && room[*got - 1] != '\n'));
	return part >= 0 || fail_maps(pid, err);
}

static bool read_all(uint32_t pid, int fd, char **data, size_t *size, struct bc_error *err)
{
	size_t capacity = 0, part;

	*data = NULL;
	for (*size = 0;; *size += part) {
		if (capacity - *size < PROC_MAPS_LINE_MOST) {
			char *more = realloc(*data, capacity += 1 << 16);
			if (!more)
				return bc_fail_nomem(err);
			*data = more;
		}
		if (!proc_maps_more(pid, fd, *data + *size, capacity - *size, &part, err))
			return false;
		if (!part)
			return true;
	}
}

bool proc_maps_text(uint32_t pid, char **data, size_t *size, struct bc_error *err)
{
	int fd;

	if (!proc_maps_open(pid, &fd, err))
		return false;
	bool ok = read_all(pid, fd, data, size, err);
	if (!ok)
		free(*data);
	close(fd);
	return ok;
}

bool proc_maps(uint32_t pid, struct mapped_files *files, struct map_set **maps,
	       struct bc_error *err)
{
	uint64_t number = 0;
	size_t size;
	char *data;

	if (!proc_maps_text(pid, &data, &size, err))
		return false;
	struct text rest = {data, size};
	bool ok = maps_text_read(&rest, &number, files, maps, err);
	free(data);
	return ok;
}

static bool read_memory(void *ctx, uint64_t at, void *to, size_t size)
{
	const int *fd = ctx;

	if (at > INT64_MAX)
		return false;
	return pread(*fd, to, size, (off_t)at) == (ssize_t)size;
}

struct memory proc_memory(uint32_t pid, int *fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/mem", pid);
	*fd = open(path, O_RDONLY | O_CLOEXEC);
	return (struct memory){fd, read_memory};
}

/* A loaded ELF file: its program headers, and how far it is from its vaddrs. */
struct loaded {
	uint8_t headers[TABLE_MOST];
	size_t count;
	uint64_t base;
	uint8_t notes[TABLE_MOST];
};

static Elf64_Phdr header_of(const struct loaded *loaded, size_t i)
{
	Elf64_Phdr header;

	memcpy(&header, loaded->headers + i * sizeof(header), sizeof(header));
	return header;
}

/* Linux maps the page that begins with the ELF header first: it is at file offset
 * 0, and so is the segment with the lowest vaddr of all practical linkers. */
static bool read_headers(const struct memory *memory, uint64_t start, struct loaded *out)
{
	Elf64_Ehdr elf;

	if (!memory->read(memory->ctx, start, &elf, sizeof(elf)) ||
	    memcmp(elf.e_ident, ELFMAG, SELFMAG) || elf.e_ident[EI_CLASS] != ELFCLASS64 ||
	    elf.e_ident[EI_DATA] != ELFDATA2LSB || elf.e_phentsize != sizeof(Elf64_Phdr) ||
	    (size_t)elf.e_phnum * sizeof(Elf64_Phdr) > TABLE_MOST || elf.e_phoff > TABLE_MOST)
		return false;
	out->count = elf.e_phnum;
	if (!memory->read(memory->ctx, start + elf.e_phoff, out->headers,
			  out->count * sizeof(Elf64_Phdr)))
		return false;
	for (size_t i = 0; i < out->count; i++) {
		Elf64_Phdr header = header_of(out, i);
		if (header.p_type != PT_LOAD || header.p_offset >= 4096)
			continue;
		out->base = start - (header.p_vaddr - header.p_offset);
		return true;
	}
	return false;
}

void memory_build_ids(const struct memory *memory, uint64_t start, struct build_id *id, char *go,
		      size_t *go_size)
{
	struct loaded *loaded = calloc(1, sizeof(*loaded));

	*id = (struct build_id){0};
	if (go)
		*go_size = 0;
	if (loaded && !read_headers(memory, start, loaded))
		loaded->count = 0;
	for (size_t i = 0; loaded && i < loaded->count; i++) {
		Elf64_Phdr header = header_of(loaded, i);
		if (header.p_type != PT_NOTE || header.p_filesz > TABLE_MOST ||
		    !memory->read(memory->ctx, loaded->base + header.p_vaddr, loaded->notes,
				  (size_t)header.p_filesz))
			continue;
		struct bytes notes = {loaded->notes, (size_t)header.p_filesz};
		notes_build_id(notes, header.p_align, id);
		struct text text = notes_go_build_id(notes, header.p_align);
		if (go && text.len && text.len <= BUILD_ID_GO_MAX) {
			memcpy(go, text.at, text.len);
			*go_size = text.len;
		}
	}
	free(loaded);
}

/* A file of which memory can show a build-id. */
static bool is_image(const struct mapped_files *files, const struct mapped_file *file)
{
	return file->path &&
	       (file->inode || text_is(strings_at(&files->texts, file->path), "[vdso]"));
}

static bool read_id(const struct memory *memory, uint64_t start, struct mapped_files *files,
		    uint32_t *out)
{
	char go[sizeof(MAPPED_GO_ID) + BUILD_ID_GO_MAX] = MAPPED_GO_ID;
	size_t prefix = strlen(MAPPED_GO_ID), go_size;
	struct build_id id;

	memory_build_ids(memory, start, &id, go + prefix, &go_size);
	if (!id.size && go_size)
		return strings_intern(&files->texts, (struct text){go, prefix + go_size}, out);
	return strings_intern(&files->texts, (struct text){(const char *)id.data, id.size}, out);
}

bool proc_build_ids(const struct memory *memory, struct mapped_files *files, struct map_set **maps)
{
	uint32_t path = 0, id = 0; /* of the last file whose header was seen */
	const struct mapping *next;

	for (uint64_t at = 0; (next = map_set_above(*maps, at)); at = next->end) {
		struct mapping m = *next;
		struct mapped_file file = *mapped_files_at(files, m.file);
		if (!is_image(files, &file))
			continue;
		if (!m.offset) {
			path = file.path;
			if (!read_id(memory, m.start, files, &id))
				return false;
		}
		if (file.build_id || path != file.path || !id)
			continue;
		file.build_id = id;
		if (!mapped_files_intern(files, &file, &m.file) ||
		    !map_set_replace(maps, m.start, m.end, &m))
			return false;
		next = map_set_above(*maps, at); /* it is elsewhere now */
	}
	return true;
}
