/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/sandbox.h"

#include <string.h>
#include <sys/prctl.h>

#include "src/base/sandbox_parts.h"

bool sandbox_writes(const char *const *outputs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (outputs[i] && strcmp(outputs[i], "-"))
			return true;
	return false;
}

struct sandbox sandbox_enter(const char *const *outputs, size_t count)
{
	struct sandbox entered = {.calls = CALLS_NOT_THERE};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return entered;
	entered.landlock = sandbox_landlock(outputs, count);
	entered.calls = sandbox_calls(sandbox_writes(outputs, count));
	return entered;
}
