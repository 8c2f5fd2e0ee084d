/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * timed FILE NAME COMMAND [WORD...]: runs a test, and adds a line to FILE: NAME, seconds of wall
 * and of CPU time, of all that the test started and waited for.  Ends as the test does.  A machine
 * that is busy makes the one longer and not the other.
 */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* In one write, as several tests run at a time. */
static void note(const char *path, const char *name, double wall, double cpu)
{
	char line[512];
	int size = snprintf(line, sizeof(line), "%s\t%.2f\t%.2f\n", name, wall, cpu);
	int file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0666);

	if (file < 0 || size < 0 || write(file, line, (size_t)size) < 0)
		perror(path);
	if (file >= 0)
		close(file);
}

int main(int argc, char **argv)
{
	struct rusage used = {0};
	double begin = now();
	int status = 0;

	if (argc < 4) {
		fputs("usage: timed FILE NAME COMMAND [WORD...]\n", stderr);
		return 2;
	}
	pid_t child = fork();
	if (!child) {
		/* Pairs lie next to each other in inputs/: the tests say where they want the input,
		 * and tests/cli/input-found finds it. */
		setenv("BATCONV_NO_INPUT", "1", 1);
		execvp(argv[3], argv + 3);
		perror(argv[3]);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) != child) {
		perror("timed");
		return 1;
	}
	getrusage(RUSAGE_CHILDREN, &used);
	note(argv[1], argv[2], now() - begin, seconds(used.ru_utime) + seconds(used.ru_stime));
	if (WIFSIGNALED(status)) {
		signal(WTERMSIG(status), SIG_DFL);
		raise(WTERMSIG(status));
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
