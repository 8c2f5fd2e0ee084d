/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/address/demangle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/library.h"

/* Itanium C++ ABI: result in malloc()ed memory, or NULL. */
typedef char *demangle_fn(const char *name, char *buffer, size_t *size, int *status);

#ifdef BATCONV_HAVE_DEMANGLE /* it is linked into this program */

demangle_fn __cxa_demangle;

static demangle_fn *load(void)
{
	return __cxa_demangle;
}

#else

static demangle_fn *load(void)
{
	static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1"};
	demangle_fn *function;

	for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++) {
		struct bc_error ignored;
		void *library;
		if (library_load(libraries[i], &library, &ignored) &&
		    library_function(library, "__cxa_demangle", &function))
			return function;
	}
	return NULL;
}

#endif

/* The part of a name that the compiler made. */
static size_t mangled_size(const char *name)
{
	const char *cold = strstr(name, ".cold");
	size_t size = strcspn(name, "/@");

	return cold && (size_t)(cold - name) < size ? (size_t)(cold - name) : size;
}

const char *demangle(const char *name)
{
	static char result[4096];
	static demangle_fn *function;
	static int tried;

	if (strncmp(name, "_Z", 2))
		return name;
	if (!tried++)
		function = load();
	size_t size = mangled_size(name);
	char *stem = function ? strndup(name, size) : NULL;
	char *plain = stem ? function(stem, NULL, NULL, NULL) : NULL;
	int length = plain ? snprintf(result, sizeof(result), "%s%s", plain, name + size) : -1;
	free(stem);
	free(plain);
	return length > 0 && (size_t)length < sizeof(result) ? result : name;
}
