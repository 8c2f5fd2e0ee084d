/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/libdw.h"

#include <string.h>

#include "src/base/library.h"

bool libdw_load(const char *purpose, void **library, struct bc_error *err)
{
	struct bc_error why;

	if (library_load(LIBDW_LIBRARY, library, &why))
		return true;
	const char *remedy = library_none() ? "" : "; install it (Debian: libdw1, Fedora: elfutils-libs)";
	return bc_fail(err, BC_UNSUPPORTED, "%s need " LIBDW_LIBRARY ": %s%s", purpose, why.text, remedy);
}

bool libdw_left_out(const char *purpose, struct bc_error *err)
{
	void *library;

	if (library_none())
		return libdw_load(purpose, &library, err);
	return bc_fail(err, BC_UNSUPPORTED, "%s: this build is without libdw", purpose);
}

bool libdw_find(void *library, const char *purpose, const struct libdw_function *functions, size_t count, void *out, struct bc_error *err)
{
	for (size_t i = 0; i < count; i++) {
		void *symbol = library_symbol(library, functions[i].name);
		if (!symbol)
			return bc_fail(err, BC_UNSUPPORTED, "%s need a " LIBDW_LIBRARY " with %s", purpose, functions[i].name);
		memcpy((char *)out + functions[i].offset, &symbol, sizeof(symbol));
	}
	return true;
}
