/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "src/base/attr.h"
#include "src/base/file.h"
#include "src/base/output.h"
#include "src/flow/bolt_job.h"
#include "src/flow/bolt_program.h"
#include "src/cli/completion.h"
#include "src/cli/llvm_options.h"
#include "src/cli/perf2bolt.h"
#include "src/base/response.h"
#include "src/base/say.h"
#include "src/cli/options.h"
#include "src/trial/counted.h"
#include "src/trial/workload.h"

/* In the order in which help shows them. */
static const struct command *const commands[] = {
	&convert_command, &record_command,  &merge_command,     &quality_command, &report_command,
	&inspect_command, &verify_command,  &doctor_command,    &compare_command, &optimize_command,
	&overlap_command, &stale_command,   &carry_command,     &heatmap_command, &dump_command,
	&diff_command,    &extract_command, &transcode_command, &encode_command,  &addr_command,
	&image_command,   &maps_command,    &stacks_command,    &version_command,
};

/* Groups of them, each from a command on. */
static const struct {
	const struct command *first;
	const char *title;
} groups[] = {
	{&convert_command, "commands"},
	{&overlap_command, "comparison of profiles, and heat maps"},
	{&dump_command, "the BAT section"},
	{&addr_command, "addresses, processes and call stacks"},
	{&version_command, "about batconv"},
};

/* The command that runs if the first word names none. */
static const struct command *const main_command = &convert_command;

/* LLVM's programs whose command lines batconv takes: under their names (a link is enough), or with
 * the name as its first word. */
static const struct command *(*const programs[])(void) = {perf2bolt_command, merge_fdata_command,
							  perf2bolt_heatmap_command};

static bool is_called(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');
	const char *last = slash ? slash + 1 : path;
	size_t length = strlen(name);

	return !strncmp(last, name, length) && strchr("-.", last[length]); /* or its end */
}

/* The program that argv[0] names, with or without a version, or NULL. */
static const struct command *program_called(const char *path)
{
	for (size_t i = 0; i < BC_COUNT(programs); i++)
		if (is_called(path, programs[i]()->name))
			return programs[i]();
	return NULL;
}

/* The program of exactly this name, or NULL. */
static const struct command *program_named(const char *word)
{
	for (size_t i = 0; i < BC_COUNT(programs); i++)
		if (!strcmp(word, programs[i]()->name))
			return programs[i]();
	return NULL;
}

/* It has no function to run: dispatch() prints the help. */
static const struct command help_command = {
	.name = "help",
	.args = "[COMMAND]",
	.help = "show the options of a command: batconv help COMMAND",
};

static const struct command *find_command(const char *name)
{
	if (!strcmp(help_command.name, name))
		return &help_command;
	for (size_t i = 0; i < BC_COUNT(commands); i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

/* The command that a word may have been meant for, or NULL. */
static const char *similar_command(const char *word)
{
	struct similar similar = {.word = word};

	for (size_t i = 0; i < BC_COUNT(commands); i++)
		similar_try(&similar, commands[i]->name);
	similar_try(&similar, help_command.name);
	for (size_t i = 0; i < BC_COUNT(commands) && !similar.best; i++) /* "merj", "insp" */
		if (!strpbrk(word, "./") && strlen(word) > 2 &&
		    !strncmp(commands[i]->name, word, 3))
			similar.best = commands[i]->name;
	return similar.best;
}

static int unknown_command(const char *word)
{
	const char *similar = similar_command(word);

	if (!similar)
		return usage_error(NULL, "unknown command", word);
	say_error(stderr, "unknown command '%s'", word);
	say_hint(stderr, "did you mean '%s'?", similar);
	return EXIT_USAGE;
}

/* The first paragraph of a command's help, its lines below each other. */
static void summarize(const struct command *command, FILE *out)
{
	struct text summary = command_summary(command);

	fprintf(out, "  %-10s ", command->name);
	for (size_t i = 0; i < summary.len; i++) {
		putc(summary.at[i], out);
		if (summary.at[i] == '\n')
			fprintf(out, "%13s", "");
	}
	putc('\n', out);
}

static int overview(FILE *out)
{
	fputs("batconv - convert samples of a BOLTed binary to a profile of its input binary\n\n"
	      "usage: batconv [COMMAND] ...\n",
	      out);
	for (size_t i = 0, group = 0; i < BC_COUNT(commands); i++) {
		if (group < BC_COUNT(groups) && groups[group].first == commands[i])
			fprintf(out, "\n%s:\n", groups[group++].title);
		summarize(commands[i], out);
	}
	summarize(&help_command, out);
	fputs("\n@FILE among the words is replaced by the words of FILE, as in LLVM's programs.\n"
	      "\nother programs' command lines, by a link of that name or as 'batconv NAME ...':\n"
	      "  perf2bolt, merge-fdata, llvm-bolt-heatmap\n"
	      "\nThe default command is convert.  'batconv COMMAND --help' lists its options.\n"
	      "To convert a file named like a command, write ./dump\n"
	      "\n"
	      "exit codes: 0 done; 1 input or output failed, nothing written; 2 wrong usage;\n"
	      "3 a check failed; 4 done, but part of the input was unreadable\n",
	      out);
	return EXIT_DONE;
}

/* Without any word: how to begin, in ten lines. */
static int short_help(void)
{
	fputs("batconv - convert samples of a BOLTed binary to a profile of its input binary\n\n"
	      "usage: batconv OPTIMIZED SAMPLES... -o PROFILE\n\n"
	      "  batconv prog.bolt perf.data -o prog.fdata   write a profile for llvm-bolt\n"
	      "  batconv quality prog.bolt perf.data         say how good this profile is\n"
	      "  batconv inspect FILE                        show what a file is, and what to do next\n\n"
	      "'batconv --help' lists all commands, 'batconv COMMAND --help' the options of one;\n"
	      "the manual is batconv(1).\n",
	      stderr);
	return EXIT_USAGE;
}

static bool is_help(const char *word)
{
	return !strcmp(word, "help") || !strcmp(word, "--help") || !strcmp(word, "-h");
}

/* 'batconv help --options': for tests/cli/clash_all.py. */
static int roles(FILE *out)
{
	for (size_t i = 0; i < BC_COUNT(commands); i++)
		if (commands[i] != &version_command) /* it reads and writes none */
			command_roles(commands[i], out);
	command_roles(perf2bolt_command(), out);
	command_roles(perf2bolt_heatmap_command(), out);
	return EXIT_DONE;
}

/* All that 'batconv help' knows, LLVM's programs last. */
static size_t
all_commands(struct completed_command out[static BC_COUNT(commands) + 1 + BC_COUNT(programs)])
{
	size_t count = 0;

	for (size_t i = 0; i < BC_COUNT(commands); i++)
		out[count++] = (struct completed_command){commands[i], false};
	out[count++] = (struct completed_command){&help_command, false};
	for (size_t i = 0; i < BC_COUNT(programs); i++)
		out[count++] = (struct completed_command){programs[i](), true};
	return count;
}

/* 'batconv help --table': for tests. */
static int table(FILE *out)
{
	struct completed_command all[BC_COUNT(commands) + 1 + BC_COUNT(programs)];
	size_t count = all_commands(all);

	fprintf(out, "main\t%s\n", main_command->name);
	for (size_t i = 0; i < count; i++)
		command_table(all[i].command, all[i].is_program ? "program" : "command", out);
	return EXIT_DONE;
}

/* 'batconv help --completion=SHELL' */
static int completion(const char *shell, FILE *out)
{
	struct completed_command all[BC_COUNT(commands) + 1 + BC_COUNT(programs)];

	if (completion_write(shell, all, all_commands(all), main_command->name, out))
		return EXIT_DONE;
	return usage_error(NULL, "--completion takes bash, zsh or fish, not", shell);
}

static int help(int argc, char **argv)
{
	static const char completion_option[] = "--completion=";
	const char *word = argc > 2 ? argv[2] : NULL;

	if (!word)
		return overview(stdout);
	if (!strcmp(word, "--options"))
		return roles(stdout);
	if (!strcmp(word, "--table"))
		return table(stdout);
	if (!strncmp(word, completion_option, sizeof(completion_option) - 1))
		return completion(word + sizeof(completion_option) - 1, stdout);
	const struct command *program = program_named(word);
	if (program) {
		char name[OPTION_NAME], option[] = "--help";
		char *words[] = {name, option, NULL};
		snprintf(name, sizeof(name), "%s", program->name);
		return command_run(program, 2, words);
	}
	const struct command *command = find_command(is_help(word) ? "help" : word);
	if (!command)
		return unknown_command(word);
	command_help(command, stdout);
	return EXIT_DONE;
}

static pthread_t main_thread;

static void remove_temporaries(void)
{
	output_remove_temporaries();
	bolt_job_abandon();
	workload_abandon();
	counted_abandon();
}

/* Handles SIGBUS: a mapped file became shorter, or its disk failed.  Several threads can get there
 * at the same time; the first one prints the message. */
static void on_bus_error(int number, siginfo_t *info, void *context)
{
	static atomic_flag told = ATOMIC_FLAG_INIT;
	const char *name = file_mapped_at(info->si_addr);

	(void)context;
	if (info->si_code != BUS_ADRERR) {
		signal(number, SIG_DFL); /* a bug of ours: let it happen again */
		return;
	}
	while (atomic_flag_test_and_set(&told))
		pause();
	remove_temporaries();
	say_error_in_handler(name ? name : "an input",
			     ": cannot read: it became shorter, or its disk failed");
	_exit(EXIT_FAILED);
}

/* Removes temporary files on a signal.  Other threads hand the signal on to the main thread, which
 * is never in the middle of a change of the list of temporary files when it gets one. */
static void on_signal(int number)
{
	if (number != SIGABRT && !pthread_equal(pthread_self(), main_thread)) {
		pthread_kill(main_thread, number);
		return;
	}
	remove_temporaries();
	signal(number, SIG_DFL);
	raise(number);
}

static void handle_signals(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGABRT};
	struct sigaction old, action = {.sa_handler = on_signal};
	struct sigaction bus = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};

	main_thread = pthread_self();
	for (size_t i = 0; i < BC_COUNT(numbers); i++)
		if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	sigaction(SIGBUS, &bus, NULL);
	signal(SIGXFSZ, SIG_IGN); /* the write fails, and is reported */
}

/* Checks that stdout took everything that was written to it.  A failure that was reported already
 * is not reported again. */
static int check_stdout(int code)
{
	if (code == EXIT_FAILED || (fflush(stdout) == 0 && !ferror(stdout)))
		return code;
	int why = sink_stdout_failed() ? sink_stdout_failed() : errno;
	say_error(stderr, "<stdout>: cannot write: %s", strerror(why));
	return EXIT_FAILED;
}

static int dispatch(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;

	if (!word)
		return short_help();
	if (is_help(word))
		return help(argc, argv);
	const struct command *program = program_named(word);
	if (program)
		return command_run(program, argc - 1, argv + 1);
	const struct command *command = find_command(
		strcmp(word, "--version") != 0 && strcmp(word, "-V") != 0 ? word : "version");
	if (command && command->run)
		return command_run(command, argc - 1, argv + 1);
	/* Any other word is the binary of a conversion, which has to exist. */
	if (!command && *word != '-' && access(word, F_OK) != 0 && similar_command(word))
		return unknown_command(word);
	return command_run(main_command, argc, argv);
}

/* Where the words of a command end that starts a program: words of the program follow them. */
struct word_reader {
	const struct command *command; /* NULL until the first word names it */
	bool value;                    /* the next word is an option's value */
};

static const struct command *command_named(const char *word)
{
	const struct command *program = program_named(word);
	const struct command *command = program ? program : find_command(word);

	return command ? command : main_command;
}

static bool owns_word(void *ctx, const char *word)
{
	struct word_reader *reader = ctx;

	if (!reader->command) {
		reader->command = command_named(word);
		return true;
	}
	if (reader->command->takes_program)
		return strcmp(word, "--") != 0;
	if (!reader->command->stops_at_operand)
		return true;
	bool is_own = reader->value || (word[0] == '-' && word[1] && strcmp(word, "--") != 0);
	reader->value = !reader->value && option_wants_next(reader->command, word);
	return is_own;
}

static int run(int argc, char **argv)
{
	BC_AUTO(response_free) struct response response;
	const struct command *program = argc > 0 ? program_called(argv[0]) : NULL;
	struct word_reader reader = {.command = program};
	struct bc_error err;

	if (!response_expand(argc, argv, (struct word_owner){&reader, owns_word}, &response,
			     &err)) {
		bool is_llvm = reader.command && reader.command->llvm;
		if (is_llvm)
			say_as(&reader.command->llvm->words);
		say_failure(stderr, &err);
		return is_llvm || err.code == BC_NOMEM ? EXIT_FAILED : EXIT_USAGE;
	}
	command_line_made_of(&response.files);
	argc = (int)response.words.len;
	argv = response.words.at;
	return program ? command_run(program, argc, argv) : dispatch(argc, argv);
}

/* Opens /dev/null instead of a standard descriptor that is closed.  The next file that is opened
 * would get its number, and what goes to stdout or stderr would be written into it.  The modes are
 * such that to read stdin or to write stdout is still an error. */
static void keep_descriptors(void)
{
	static const int modes[] = {O_WRONLY, O_RDONLY, O_WRONLY};

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) != fd)
			_exit(EXIT_FAILED);
}

int main(int argc, char **argv)
{
	keep_descriptors();
	handle_signals();
	sink_stdout();
	bolt_called_as(argc > 0 ? argv[0] : "batconv");
	return check_stdout(run(argc, argv));
}
