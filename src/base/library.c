/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/library.h"

#include <stddef.h>

#ifdef BATCONV_STATIC

const char *library_none(void)
{
	return "this batconv is one static file, which loads no libraries: install a package, or build it";
}

bool library_load(const char *name, void **out, struct bc_error *err)
{
	(void)name;
	*out = NULL;
	return bc_fail(err, BC_UNSUPPORTED, "%s", library_none());
}

bool library_function(void *library, const char *name, void *out)
{
	(void)library;
	(void)name;
	(void)out;
	return false;
}

#else

#include <dlfcn.h>
#include <string.h>

const char *library_none(void)
{
	return NULL;
}

bool library_load(const char *name, void **out, struct bc_error *err)
{
	*out = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
	return *out || bc_fail(err, BC_UNSUPPORTED, "%s", dlerror());
}

bool library_function(void *library, const char *name, void *out)
{
	void *address = dlsym(library, name);

	if (address)
		memcpy(out, &address,
		       sizeof(address)); /* POSIX: a function's address fits a data pointer. */
	return address;
}

#endif
