/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/sandbox_option.h"

#include <stdio.h>
#include <stdlib.h>

#include "src/cli/say.h"

/* Tells the user, who asked for a sandbox, what the sandbox does not keep the program from. */
void sandbox_tell(const struct sandbox *entered, bool writes)
{
	static const char left[] = "modes of files, other processes and the network are not given up";

	if (entered->calls == CALLS_NOT_BUILT)
		say(stderr, "warning: --sandbox: this build is without libseccomp: %s", left);
	else if (entered->calls == CALLS_NOT_THERE)
		say(stderr, "warning: --sandbox: no seccomp in this kernel: %s", left);
	/* Where no output is a file, seccomp alone forbids to open a file for writing. */
	if (!entered->landlock && (writes || entered->calls != CALLS_LISTED))
		say(stderr, "warning: --sandbox: no Landlock in this kernel: writing to other files is not given up");
}

bool sandbox_option(const struct named_files *files)
{
	const char **outputs = calloc(files->all.len + 1, sizeof(*outputs));
	size_t count = 0;

	if (!outputs)
		return false;
	for (size_t i = 0; i < files->all.len; i++)
		if (files->all.at[i].written)
			outputs[count++] = files->all.at[i].path;
	struct sandbox entered = sandbox_enter(outputs, count);
	sandbox_tell(&entered, sandbox_writes(outputs, count));
	free(outputs);
	return true;
}
