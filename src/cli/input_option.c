/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/input_option.h"

#include <stdlib.h>

#include "src/cli/say.h"

void found_input_say(const struct found_input *found, FILE *out)
{
	if (found->taken)
		say(out, "%s: the input, found by its build-id %s (--no-input: go without)", found->taken->path,
		    input_where_words(found->taken->where));
}

void found_input_warn(const struct found_input *found, const struct warnings *to)
{
	if (!found->taken && found->refused.code == BC_IO)
		warn(to, "warning: no input was found, and this file can be it: %s", found->refused.text);
	else if (found->refused.code && found->refused.code != BC_IO)
		warn(to, "warning: not taken as the input, although its build-id is right: %s", found->refused.text);
}

bool input_is_sought(bool no_input)
{
	const char *variable = getenv("BATCONV_NO_INPUT");

	return !no_input && (!variable || !*variable);
}

const char *found_input_path(const char *output, const struct debug_dirs *dirs, struct found_input *found)
{
	struct bc_error no_memory;

	return pair_find(output, dirs, found, &no_memory) && found->taken ? found->taken->path : NULL;
}

static void tell(void *ctx, const char *text)
{
	say(ctx, "%s", text);
}

void found_input_tell(const struct found_input *found)
{
	found_input_say(found, stderr);
	found_input_warn(found, &(struct warnings){tell, stderr});
}
