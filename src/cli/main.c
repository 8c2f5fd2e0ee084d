/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <signal.h>
#include <string.h>

#include "src/base/attr.h"
#include "src/base/output.h"
#include "src/cli/commands.h"
#include "src/cli/perf2bolt.h"

static const struct command *const commands[] = {
	&convert_command,
	&addr_command,
	&image_command,
	&maps_command,
	&stacks_command,
	&verify_command,
	&dump_command,
	&encode_command,
	&transcode_command,
	&extract_command,
	&diff_command,
};

/* The command that runs if the first word names none. */
static const struct command *const main_command = &convert_command;

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < BC_COUNT(commands); i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

static int overview(FILE *out)
{
	fputs("batconv - profiles of the input binary from samples of the BOLTed one\n\n"
	      "usage: batconv [COMMAND] ...\n\n"
	      "commands:\n", out);
	for (size_t i = 0; i < BC_COUNT(commands); i++)
		fprintf(out, "  %-10s %.*s\n", commands[i]->name,
			(int)strcspn(commands[i]->help, "\n"), commands[i]->help);
	fputs("  help       explain a command: batconv help COMMAND\n"
	      "  version    print the version\n\n"
	      "Without a command: convert.  'batconv COMMAND --help' has the options.\n\n"
	      "exit codes: 0 done; 1 input or output failed, nothing written; 2 wrong usage;\n"
	      "3 checked and found wanting; 4 done, but part of the input was unreadable\n", out);
	return EXIT_DONE;
}

static bool is_help(const char *word)
{
	return !strcmp(word, "help") || !strcmp(word, "--help") || !strcmp(word, "-h");
}

static int help(int argc, char **argv)
{
	const struct command *command = argc > 2 ? find_command(argv[2]) : NULL;

	if (argc <= 2 || is_help(argv[2]))
		return overview(stdout);
	if (!command)
		return usage_error(NULL, "unknown command", argv[2]);
	command_help(command, stdout);
	return EXIT_DONE;
}

static int version(void)
{
	puts("batconv " BATCONV_VERSION);
	return EXIT_DONE;
}

static void on_signal(int number)
{
	output_remove_temporaries();
	signal(number, SIG_DFL);
	raise(number);
}

static void handle_signals(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	struct sigaction old, action = {.sa_handler = on_signal};

	for (size_t i = 0; i < BC_COUNT(numbers); i++)
		if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	signal(SIGXFSZ, SIG_IGN); /* the write fails, and is told */
}

/* What was meant for stdout must have arrived there.  A failure that was told
 * already is not told twice. */
static int check_stdout(int code)
{
	if (code == EXIT_FAILED || (fflush(stdout) == 0 && !ferror(stdout)))
		return code;
	fputs("batconv: <stdout>: cannot write\n", stderr);
	return EXIT_FAILED;
}

static int dispatch(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;

	if (!word) {
		overview(stderr);
		return EXIT_USAGE;
	}
	if (is_help(word))
		return help(argc, argv);
	if (!strcmp(word, "version") || !strcmp(word, "--version"))
		return version();
	const struct command *command = find_command(word);
	if (command)
		return command->run(command, argc - 1, argv + 1);
	return main_command->run(main_command, argc, argv);
}

int main(int argc, char **argv)
{
	handle_signals();
	if (argc > 0 && perf2bolt_is_name(argv[0]))
		return check_stdout(perf2bolt_main(argc, argv));
	return check_stdout(dispatch(argc, argv));
}
