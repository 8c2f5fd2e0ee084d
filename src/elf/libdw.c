/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/libdw.h"

#include <stddef.h>

#include "src/base/library.h"

#define LIBDW_LIBRARY "libdw.so.1"

static bool load(const char *purpose, void **library, struct bc_error *err)
{
	struct bc_error why;

	if (library_load(LIBDW_LIBRARY, library, &why))
		return true;
	const char *remedy =
		library_none() ? "" : "; install it (Debian: libdw1, Fedora: elfutils-libs)";
	return bc_fail(err, BC_UNSUPPORTED, "%s need " LIBDW_LIBRARY ": %s%s", purpose, why.text,
		       remedy);
}

#ifdef BATCONV_HAVE_LIBDW

bool libdw_load(const char *purpose, struct libdw *out, struct bc_error *err)
{
	static const struct {
		const char *name;
		size_t offset;
	} functions[] = {
#define LIBDW_ROW(name) {#name, offsetof(struct libdw, name)},
		LIBDW_FUNCTIONS(LIBDW_ROW)
#undef LIBDW_ROW
	};
	void *library;

	if (!load(purpose, &library, err))
		return false;
	for (size_t i = 0; i < BC_COUNT(functions); i++)
		if (!library_function(library, functions[i].name,
				      (char *)out + functions[i].offset))
			return bc_fail(err, BC_UNSUPPORTED, "%s need a " LIBDW_LIBRARY " with %s",
				       purpose, functions[i].name);
	return true;
}

const char *libdw_version(struct bc_error *err)
{
	__typeof__(dwfl_version) *version;
	struct bc_error why;
	void *library;

	if (!library_load(LIBDW_LIBRARY, &library, &why))
		bc_fail(err, BC_UNSUPPORTED, "none found: %s", why.text);
	else if (!library_function(library, "dwfl_version", &version))
		bc_fail(err, BC_UNSUPPORTED, "none found: " LIBDW_LIBRARY " has no dwfl_version");
	else
		return version(NULL);
	return NULL;
}

#else

/* A program that loads no libraries says that, whatever it was built with. */
bool libdw_load(const char *purpose, struct libdw *out, struct bc_error *err)
{
	void *library;

	*out = (struct libdw){0};
	if (library_none())
		return load(purpose, &library, err);
	return bc_fail(err, BC_UNSUPPORTED, "%s: this build is without libdw", purpose);
}

const char *libdw_version(struct bc_error *err)
{
	bc_fail(err, BC_UNSUPPORTED, "%s", library_none() ? library_none() : "not built in");
	return NULL;
}

#endif
