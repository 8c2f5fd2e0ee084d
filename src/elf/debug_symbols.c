/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/debug_symbols.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINK_SECTION ".gnu_debuglink"

/* ---- which section of the binary one of the debug file is ---- */

static bool is_loaded(const struct section *s)
{
	return s->flags & SHF_ALLOC;
}

/* The binary's section of this name and address, or UINT32_MAX.  Both tables have one order, and what
 * was stripped is not loaded: mostly it is the next one. */
static uint32_t counterpart(const struct image *binary, const struct section *s, size_t *next)
{
	for (size_t tried = 0; tried < binary->section_count; tried++) {
		size_t i = (*next + tried) % binary->section_count;
		const struct section *other = &binary->sections[i];
		if (other->addr == s->addr && is_loaded(other) && text_equal(other->name, s->name)) {
			*next = i + 1;
			return (uint32_t)i;
		}
	}
	return UINT32_MAX;
}

static bool refuse_section(struct debug_symbols *symbols, const char *path, const struct section *s)
{
	return bc_fail(&symbols->refused, BC_MISMATCH,
		       "%s: a debug file of another build is not used: its section %.*s, at 0x%" PRIx64 " with %" PRIu64
		       " bytes, is not the binary's", path, (int)text_first(s->name, 64).len, s->name.at, s->addr, s->size);
}

/* A debug file has some dozens of sections.  Each may be searched for from the beginning of the
 * table, so a table with more sections than this is cut. */
#define SECTIONS_MOST 4096

static bool pair_sections(const struct image *binary, const char *path, struct debug_symbols *symbols,
			  struct bc_error *err)
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

/* What the binary says of its debug file: a name, and behind it, at a multiple of 4, a checksum. */
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
	struct debug_name name = {.by = NAMED_BY_DEBUGLINK, .of = path, .id = binary->build_id, .dirs = dirs,
				  .refused = &found.refused};

	read_link(binary, &name);
	int fd = debug_file_open(&name, &found.path, err);
	if (fd >= 0) {
		close(fd);
		bool ok = file_map_named(found.path, NAMED_BY_DEBUGLINK, &found.map, err) &&
			  debug_symbols_take(binary, (struct bytes){found.map.data, found.map.size}, found.path, &found, err);
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
