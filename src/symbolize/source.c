/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/symbolize/source.h"

#include <stdlib.h>

void source_stay_offline(void)
{
	unsetenv("DEBUGINFOD_URLS");
}

#ifdef BATCONV_HAVE_LIBDW

#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <stddef.h>
#include <string.h>

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
	__typeof__(dwfl_standard_find_debuginfo) *find_debuginfo;
};

struct source {
	struct libdw dw;
	Dwfl_Callbacks callbacks;
	Dwfl *dwfl;
	Dwfl_Module *module;
	uint64_t bias; /* libdw's address - vaddr */
	struct dwarf_places *places; /* NULL: the file has no DWARF */
	uint64_t dwarf_bias;         /* libdw's address - DWARF's */
};

static const struct {
	const char *name;
	size_t offset;
} symbols[] = {
	{"dwfl_begin", offsetof(struct libdw, begin)},
	{"dwfl_end", offsetof(struct libdw, end)},
	{"dwfl_report_begin", offsetof(struct libdw, report_begin)},
	{"dwfl_report_offline", offsetof(struct libdw, report_offline)},
	{"dwfl_report_end", offsetof(struct libdw, report_end)},
	{"dwfl_module_info", offsetof(struct libdw, info)},
	{"dwfl_module_getelf", offsetof(struct libdw, getelf)},
	{"dwfl_module_getdwarf", offsetof(struct libdw, getdwarf)},
	{"dwfl_offline_section_address", offsetof(struct libdw, section_address)},
	{"dwfl_standard_find_debuginfo", offsetof(struct libdw, find_debuginfo)},
};

static bool load(struct libdw *dw, void **out, struct bc_error *err)
{
	void *library = *out = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return bc_fail(err, BC_UNSUPPORTED, "source lines need libdw.so.1: %s", dlerror());
	for (size_t i = 0; i < BC_COUNT(symbols); i++) {
		void *symbol = dlsym(library, symbols[i].name);
		if (!symbol)
			return bc_fail(err, BC_UNSUPPORTED, "source lines need a libdw.so.1 with %s",
				       symbols[i].name);
		memcpy((char *)dw + symbols[i].offset, &symbol, sizeof(symbol));
	}
	return true;
}

static bool report(struct source *source, const char *path)
{
	struct libdw *dw = &source->dw;
	GElf_Addr bias;

	source->callbacks = (Dwfl_Callbacks){
		.find_debuginfo = dw->find_debuginfo,
		.section_address = dw->section_address,
	};
	source->dwfl = dw->begin(&source->callbacks);
	if (!source->dwfl)
		return false;
	dw->report_begin(source->dwfl);
	source->module = dw->report_offline(source->dwfl, path, path, -1);
	dw->report_end(source->dwfl, NULL, NULL);
	if (!source->module || !dw->getelf(source->module, &bias))
		return false;
	source->bias = bias;
	return true;
}

/* A file without DWARF has no places, which is no error. */
static bool open_places(struct source *source, void *library, bool inlines, struct bc_error *err)
{
	GElf_Addr bias = 0;
	Dwarf *dwarf = source->dw.getdwarf(source->module, &bias);

	source->dwarf_bias = bias;
	return !dwarf || dwarf_places_open(library, dwarf, inlines, &source->places, err);
}

bool source_open(const char *path, bool inlines, struct source **out, struct bc_error *err)
{
	struct source *source = calloc(1, sizeof(*source));
	void *library;

	if (!source)
		return bc_fail_nomem(err);
	if (load(&source->dw, &library, err) &&
	    (report(source, path) || bc_fail(err, BC_IO, "%s: libdw cannot read it", path)) &&
	    open_places(source, library, inlines, err)) {
		*out = source;
		return true;
	}
	source_close(source);
	return false;
}

void source_close(struct source *source)
{
	if (source)
		dwarf_places_close(source->places);
	if (source && source->dwfl)
		source->dw.end(source->dwfl);
	free(source);
}

bool source_find(struct source *source, struct vaddr at, struct source_places *out, struct bc_error *err)
{
	*out = (struct source_places){0};
	return !source->places ||
	       dwarf_places_find(source->places, at.v + source->bias - source->dwarf_bias, out, err);
}

#else

bool source_open(const char *path, bool inlines, struct source **out, struct bc_error *err)
{
	(void)path;
	(void)inlines;
	(void)out;
	return bc_fail(err, BC_UNSUPPORTED, "source lines: this build is without libdw");
}

void source_close(struct source *source)
{
	(void)source;
}

bool source_find(struct source *source, struct vaddr at, struct source_places *out, struct bc_error *err)
{
	(void)source;
	(void)at;
	(void)err;
	*out = (struct source_places){0};
	return true;
}

#endif
