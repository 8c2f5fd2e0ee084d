/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/address/debug_lines.h"

#include <stdlib.h>

#include "src/base/library.h"
#include "src/elf/libdw.h"

void debug_lines_stay_offline(void)
{
	unsetenv("DEBUGINFOD_URLS");
}

#ifdef BATCONV_HAVE_LIBDW

#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "src/elf/debug_file.h"

/* What is used of libdw, by the types of its own header. */
struct libdw {
	__typeof__(dwfl_begin) *begin;
	__typeof__(dwfl_end) *end;
	__typeof__(dwfl_report_begin) *report_begin;
	__typeof__(dwfl_report_offline) *report_offline;
	__typeof__(dwfl_report_end) *report_end;
	__typeof__(dwfl_module_info) *info;
	__typeof__(dwfl_module_getelf) *getelf;
	__typeof__(dwfl_module_getdwarf) *getdwarf;
	__typeof__(dwfl_offline_section_address) *section_address;
	__typeof__(dwfl_module_build_id) *build_id;
	__typeof__(dwelf_dwarf_gnu_debugaltlink) *altlink;
};

struct debug_lines {
	struct libdw dw;
	Dwfl_Callbacks callbacks;
	Dwfl *dwfl;
	Dwfl_Module *module;
	uint64_t bias; /* libdw's address - vaddr */
	struct dwarf_places *places; /* NULL: the file has no DWARF */
	uint64_t dwarf_bias;         /* libdw's address - DWARF's */
	struct bc_error wrong;       /* of the files that libdw asked for */
	const struct debug_dirs *dirs;
	struct bc_error refused;     /* a debug file of another build */
};

static const struct libdw_function symbols[] = {
	{"dwfl_begin", offsetof(struct libdw, begin)},
	{"dwfl_end", offsetof(struct libdw, end)},
	{"dwfl_report_begin", offsetof(struct libdw, report_begin)},
	{"dwfl_report_offline", offsetof(struct libdw, report_offline)},
	{"dwfl_report_end", offsetof(struct libdw, report_end)},
	{"dwfl_module_info", offsetof(struct libdw, info)},
	{"dwfl_module_getelf", offsetof(struct libdw, getelf)},
	{"dwfl_module_getdwarf", offsetof(struct libdw, getdwarf)},
	{"dwfl_offline_section_address", offsetof(struct libdw, section_address)},
	{"dwfl_module_build_id", offsetof(struct libdw, build_id)},
	{"dwelf_dwarf_gnu_debugaltlink", offsetof(struct libdw, altlink)},
};

const char *debug_lines_library(struct bc_error *err)
{
	__typeof__(dwfl_version) *version;
	struct bc_error why;
	void *library;

	if (!library_load(LIBDW_LIBRARY, &library, &why)) {
		bc_fail(err, BC_UNSUPPORTED, "none found: %s", why.text);
		return NULL;
	}
	void *symbol = library_symbol(library, "dwfl_version");
	if (!symbol) {
		bc_fail(err, BC_UNSUPPORTED, "none found: " LIBDW_LIBRARY " has no dwfl_version");
		return NULL;
	}
	memcpy(&version, &symbol, sizeof(version));
	return version(NULL);
}

static void take_id(const void *bytes, ssize_t size, struct build_id *out)
{
	if (!bytes || size <= 0 || size > BUILD_ID_MAX)
		return;
	out->size = (uint8_t)size;
	memcpy(out->data, bytes, out->size);
}

/* Which build-id the file that libdw asks for must have. */
static void wanted_id(const struct debug_lines *source, Dwfl_Module *module, bool is_alt, struct build_id *out)
{
	const unsigned char *bits = NULL;
	const void *alt_bits = NULL;
	const char *ignored;
	GElf_Addr at;

	if (!is_alt) {
		int size = source->dw.build_id(module, &bits, &at);
		take_id(bits, size, out);
		return;
	}
	Dwarf *dwarf = source->dw.getdwarf(module, &at);
	if (dwarf)
		take_id(alt_bits, source->dw.altlink(dwarf, &ignored, &alt_bits), out);
}

/* libdw asks for a file with more debug information.  Its own way to look for one would
 * open whatever has the name, and ask servers.  A link without a checksum is of the kind
 * that debug files have to what they share. */
static int find_debuginfo(Dwfl_Module *module, void **userdata, const char *module_name, Dwarf_Addr base,
			  const char *file, const char *link, GElf_Word crc, char **path)
{
	struct debug_lines *source = *userdata;
	bool is_alt = link && !crc;
	struct debug_name name = {.by = is_alt ? NAMED_BY_ALTLINK : NAMED_BY_DEBUGLINK,
				  .of = file ? file : module_name, .link = link, .crc = crc,
				  .dirs = source->dirs, .refused = &source->refused};

	(void)base;
	wanted_id(source, module, is_alt, &name.id);
	return source->wrong.code ? -1 : debug_file_open(&name, path, &source->wrong);
}

/* Where it fails, errno is ENOMEM if that is the reason: libdw has no number for it that all of its versions share. */
static bool report(struct debug_lines *source, const char *path)
{
	struct libdw *dw = &source->dw;
	GElf_Addr bias;
	void **userdata;

	source->callbacks = (Dwfl_Callbacks){
		.find_debuginfo = find_debuginfo,
		.section_address = dw->section_address,
	};
	errno = 0;
	/* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): it does not follow what memcpy wrote in load() */
	source->dwfl = dw->begin(&source->callbacks);
	if (!source->dwfl)
		return false;
	dw->report_begin(source->dwfl);
	source->module = dw->report_offline(source->dwfl, path, path, -1);
	dw->report_end(source->dwfl, NULL, NULL);
	if (!source->module || !dw->getelf(source->module, &bias) ||
	    !dw->info(source->module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL))
		return false;
	*userdata = source;
	source->bias = bias;
	/* Looks for the debug file now, before libdw does: libdw would open files that it must
	 * not.  That there is none is no error. */
	return dw->getdwarf(source->module, &bias) || errno != ENOMEM;
}

static bool has_debug_files(const struct debug_lines *source, struct bc_error *err)
{
	if (source->wrong.code)
		*err = source->wrong;
	return !source->wrong.code;
}

/* What libdw finds no memory for it leaves out: errno tells, which was 0 before. */
static bool had_memory(struct bc_error *err)
{
	return errno != ENOMEM || bc_fail_nomem(err);
}

/* A file without DWARF has no places, which is no error. */
static bool open_places(struct debug_lines *source, void *library, bool inlines, struct bc_error *err)
{
	GElf_Addr bias = 0;
	Dwarf *dwarf = source->dw.getdwarf(source->module, &bias);

	source->dwarf_bias = bias;
	errno = 0;
	return !dwarf || (dwarf_places_open(library, dwarf, inlines, &source->places, err) && had_memory(err));
}

static bool load(void **library, struct libdw *dw, struct bc_error *err)
{
	return libdw_load("source lines", library, err) && libdw_find(*library, "source lines", symbols, BC_COUNT(symbols), dw, err);
}

bool debug_lines_can(struct bc_error *err)
{
	struct libdw dw;
	void *library;

	return load(&library, &dw, err);
}

bool debug_lines_open(const char *path, const struct debug_dirs *dirs, bool inlines, struct debug_lines **out,
		 struct bc_error *err)
{
	struct debug_lines *source = calloc(1, sizeof(*source));
	void *library;

	if (!source)
		return bc_fail_nomem(err);
	source->dirs = dirs;
	if (load(&library, &source->dw, err) &&
	    (report(source, path) || (errno == ENOMEM ? bc_fail_nomem(err) : bc_fail(err, BC_IO, "%s: libdw cannot read it", path))) &&
	    has_debug_files(source, err) && open_places(source, library, inlines, err)) {
		*out = source;
		return true;
	}
	debug_lines_close(source);
	return false;
}

void debug_lines_close(struct debug_lines *source)
{
	if (source)
		dwarf_places_close(source->places);
	if (source && source->dwfl)
		source->dw.end(source->dwfl);
	free(source);
}

const char *debug_lines_refused(const struct debug_lines *source)
{
	return source->refused.code ? source->refused.text : NULL;
}

bool debug_lines_find(struct debug_lines *source, struct vaddr at, struct source_places *out, struct bc_error *err)
{
	*out = (struct source_places){0};
	errno = 0;
	return !source->places ||
	       (dwarf_places_find(source->places, at.v + source->bias - source->dwarf_bias, out, err) && had_memory(err));
}

#else

const char *debug_lines_library(struct bc_error *err)
{
	bc_fail(err, BC_UNSUPPORTED, "%s", library_none() ? library_none() : "not built in");
	return NULL;
}

bool debug_lines_can(struct bc_error *err)
{
	return libdw_left_out("source lines", err);
}

bool debug_lines_open(const char *path, const struct debug_dirs *dirs, bool inlines, struct debug_lines **out,
		 struct bc_error *err)
{
	(void)path;
	(void)dirs;
	(void)inlines;
	(void)out;
	return libdw_left_out("source lines", err);
}

void debug_lines_close(struct debug_lines *source)
{
	(void)source;
}

const char *debug_lines_refused(const struct debug_lines *source)
{
	(void)source;
	return NULL;
}

bool debug_lines_find(struct debug_lines *source, struct vaddr at, struct source_places *out, struct bc_error *err)
{
	(void)source;
	(void)at;
	(void)err;
	*out = (struct source_places){0};
	return true;
}

#endif
