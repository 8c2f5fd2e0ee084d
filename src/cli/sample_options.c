/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/sample_options.h"

#include <getopt.h>

const char *sample_option(struct conversion_options *options, struct debug_dir_vec *debug_dirs, int id,
			  const char *value)
{
	switch (id) {
	case OPTION_INPUT_FORMAT:
		if (!input_format_parse(text_of(value), &options->format))
			return "--input-format takes auto, preagg, perf-script or perf-data, not";
		break;
	case OPTION_BASIC: options->aggregate.mode = MODE_BASIC; break;
	case OPTION_IMAGE: options->image_name = value; break;
	case OPTION_THREADS: return threads_option(value, &options->threads);
	case OPTION_DEBUG_DIR:
		if (!debug_dir_vec_push(debug_dirs, value))
			return "out of memory at";
		options->debug = debug_dirs_of(debug_dirs);
		break;
	}
	return NULL;
}

void sample_options_as_recorded(struct conversion_options *options)
{
	options->aggregate.erratum = true;
	options->aggregate.rules = best_rules;
	options->aggregate.rules.infer = false;
}

int sample_operands(const struct command *command, int argc, char **argv, struct conversion_options *options)
{
	if (argc == optind)
		return usage_error(command, "no binary given", NULL);
	if (argc == optind + 1)
		return usage_error(command, "no samples given for", argv[optind]);
	options->binary = argv[optind];
	options->samples = (const char *const *)&argv[optind + 1];
	options->sample_count = (size_t)(argc - optind - 1);
	return EXIT_DONE;
}

bool sample_parse_pids(const char *value, struct pid_vec *out)
{
	for (struct text rest = text_of(value);;) {
		size_t comma = text_find(rest, ',');
		uint64_t pid;
		if (!text_dec(text_first(rest, comma), &pid) || pid >= NO_PID || !pid_vec_push(out, (uint32_t)pid))
			return false;
		if (comma == rest.len)
			return true;
		rest = text_from(rest, comma + 1);
	}
}
