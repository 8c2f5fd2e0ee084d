/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/workload_options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECOND  1e9 /* ns */
#define BUDGET  (120 * UINT64_C(1000000000))
#define TIMEOUT (600 * UINT64_C(1000000000))
#define MARGIN  1.0 /* percent */

double option_seconds(uint64_t ns)
{
	return (double)ns / SECOND;
}

void workload_arguments_prepare(struct workload_arguments *args)
{
	args->budget = BUDGET;
	args->timeout = TIMEOUT;
	args->margin.is = MARGIN;
}

const char *option_counted(struct command_line *line, const struct option_row *row,
			   const char *value)
{
	struct workload_arguments *args =
		(struct workload_arguments *)(void *)((char *)option_field(line, row) -
						      offsetof(struct workload_arguments,
							       counted_workload));

	args->counted = true;
	return value ? option_text(line, row, value) : NULL;
}

/* tcp:PORT; 0: it is none */
static unsigned port_of(const char *ready)
{
	struct text text = text_of(ready);
	uint64_t port;

	return text_starts(text, "tcp:") && text_dec(text_behind(text, 3), &port) && port < 65536 ?
		       (unsigned)port :
		       0;
}

static int check_server(const struct command_line *line, const struct workload_arguments *args)
{
	if (!args->serve)
		return args->ready || args->load ?
			       usage_error(line->command, "--ready and --load go with --serve",
					   NULL) :
			       EXIT_DONE;
	if (!args->ready || !args->load)
		return usage_error(
			line->command,
			"--serve needs --ready and --load: when the server is ready, and what it is to do",
			NULL);
	if (line->program.len)
		return usage_error(line->command, "--load has the workload of a server, not",
				   line->program.at[0]);
	if (text_starts(text_of(args->ready), "tcp:") && !port_of(args->ready))
		return usage_error(line->command,
				   "--ready takes tcp:PORT, with a port from 1 to 65535, not",
				   args->ready);
	if (!strstr(args->serve, "{}"))
		return usage_error(line->command,
				   "--serve has no {}, which the binary replaces, in", args->serve);
	return EXIT_DONE;
}

int workload_arguments_check(const struct command_line *line, const struct workload_arguments *args)
{
	const struct template program = {line->program.at, line->program.len};
	int code = check_server(line, args);

	if (code != EXIT_DONE)
		return code;
	if (args->counted_workload && !args->serve && !strstr(args->counted_workload, "{}"))
		return usage_error(line->command,
				   "--counted has no {}, which the binary replaces, in",
				   args->counted_workload);
	if (!args->serve && !line->program.len)
		return usage_error(line->command,
				   "no workload: write -- and a command with {} for the binary",
				   NULL);
	if (!args->serve && !template_has_binary(&program))
		return usage_error(line->command,
				   "no word of the workload has {}, which the binary replaces, in",
				   program.words[0]);
	return EXIT_DONE;
}

bool option_text_take(const char *value, struct option_text *out)
{
	if (!value)
		return true;
	out->text = strdup(value);
	return out->text &&
	       response_words(out->text, strlen(out->text), WORDS_OF_SHELL, &out->words);
}

void option_text_free(struct option_text *of)
{
	argument_vec_free(&of->words);
	free(of->text);
}

static struct template template_of(const struct option_text *of)
{
	return (struct template){(const char *const *)of->words.at, of->words.len};
}

bool workload_words_take(const struct command_line *line, const struct workload_arguments *args,
			 struct workload_words *out, struct bc_error *err)
{
	struct workload *workload = &out->workload;

	if (!option_text_take(args->serve, &out->serve) ||
	    !option_text_take(args->load, &out->load) ||
	    !option_text_take(args->counted_workload, &out->counted) ||
	    !option_text_take(args->ready, &out->ready))
		return bc_fail_nomem(err);
	*workload = (struct workload){
		.command = args->serve ? template_of(&out->load) :
					 (struct template){line->program.at, line->program.len},
		.input = args->input,
		.timeout = option_seconds(args->timeout),
		.serve = template_of(&out->serve),
		.kernel = &perf_kernel_linux};
	workload->port = args->ready ? port_of(args->ready) : 0;
	if (args->ready && !workload->port)
		workload->ready = template_of(&out->ready);
	out->counting = *workload;
	if (args->counted_workload)
		out->counting.command = template_of(&out->counted);
	/* A command with the binary counts by itself, another one is load of the server. */
	if (args->counted_workload && template_has_binary(&out->counting.command))
		out->counting.serve = (struct template){0};
	return true;
}

void workload_words_free(struct workload_words *of)
{
	option_text_free(&of->serve);
	option_text_free(&of->ready);
	option_text_free(&of->load);
	option_text_free(&of->counted);
}

bool binaries_are_there(const struct words *paths, struct bc_error *err)
{
	for (size_t i = 0; i < paths->len; i++)
		if (access(paths->at[i], X_OK) != 0)
			return bc_fail_errno(err, "%s: cannot run", paths->at[i]);
	return true;
}
