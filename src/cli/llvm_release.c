/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/llvm_release.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/attr.h"

/* By number. */
static const struct llvm_release releases[] = {
	{22, "22.1.8"},
	{23, "23.1.4"},
	{24, "24.0.0"},
};

const struct llvm_release *llvm_release_called(const char *path)
{
	const char *dash = strrchr(path, '-');
	unsigned long number = dash && !strchr(dash, '/') ? strtoul(dash + 1, NULL, 10) : 0;
	const struct llvm_release *found = releases;

	for (size_t i = 0; i < BC_COUNT(releases); i++)
		if (releases[i].number <= number)
			found = &releases[i];
	return found;
}
