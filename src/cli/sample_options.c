/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/sample_options.h"

void sample_options_as_recorded(struct conversion_options *options)
{
	options->aggregate.erratum = true;
	options->aggregate.rules = best_rules;
	options->aggregate.rules.infer = false;
}

int sample_operands(const struct command_line *line, const struct words *debug_dirs, struct conversion_options *options)
{
	const struct words *operands = &line->operands;

	if (!operands->len)
		return usage_error(line->command, "no binary given", NULL);
	if (operands->len == 1)
		return usage_error(line->command, "no samples given for", operands->at[0]);
	options->binary = operands->at[0];
	options->samples = operands->at + 1;
	options->sample_count = operands->len - 1;
	options->debug = (struct debug_dirs){debug_dirs->at, debug_dirs->len};
	return EXIT_DONE;
}

const char *option_pids(struct command_line *line, const struct option_row *row, const char *value)
{
	struct pid_vec *pids = option_field(line, row);

	for (struct text rest = text_of(value);;) {
		size_t comma = text_find(rest, ',');
		uint64_t pid;
		if (!text_dec(text_first(rest, comma), &pid) || pid >= NO_PID)
			return OPTION_WRONG;
		if (!pid_vec_push(pids, (uint32_t)pid))
			return OPTION_NOMEM;
		if (comma == rest.len)
			return NULL;
		rest = text_from(rest, comma + 1);
	}
}
