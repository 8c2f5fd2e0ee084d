/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cfg/fragments.h"

#include <string.h>

/* The part of a name before what makes it unique and what tells the fragment. */
static size_t stem_size(const char *name, bool *is_fragment)
{
	size_t size = strcspn(name, "/");

	*is_fragment = false;
	for (size_t i = 1; i + 5 <= size && !*is_fragment; i++)
		if (!strncmp(name + i, ".cold", 5) &&
		    (i + 5 == size || name[i + 5] == '.')) {
			*is_fragment = true;
			size = i;
		}
	return size;
}

bool fragments_related(const struct function *a, const struct function *b)
{
	bool a_is_fragment, b_is_fragment;
	size_t a_size = stem_size(a->primary, &a_is_fragment);
	size_t b_size = stem_size(b->primary, &b_is_fragment);

	return (a_is_fragment || b_is_fragment) && a_size == b_size &&
	       !strncmp(a->primary, b->primary, a_size);
}
