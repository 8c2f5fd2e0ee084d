/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Command lines: words, separated by newlines.  Byte 0 chooses who reads them, batconv
 * convert, or batconv under perf2bolt's name.  Their files are kept apart.  Each is
 * refused with a message and exit code 2 (perf2bolt: false), or what it asks for is
 * within its bounds, whatever the words are; and the same words are read the same a
 * second time.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/cli/options.h"
#include "src/cli/perf2bolt.h"

#define MOST_WORDS 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct cut_words {
	char *text;
	char *at[MOST_WORDS + 2];
	int count;
};

/* Directories are looked into: none but an empty one, so that what is on this machine
 * changes nothing. */
struct folders {
	int here, empty;
};

static struct folders open_folders(void)
{
	char path[] = "/tmp/fuzz-options-XXXXXX";
	struct folders folders = {.here = open(".", O_RDONLY | O_DIRECTORY)};

	assert(mkdtemp(path));
	folders.empty = open(path, O_RDONLY | O_DIRECTORY);
	assert(folders.here >= 0 && folders.empty >= 0);
	rmdir(path); /* which can be worked in all the same */
	return folders;
}

static void stay_here(char *word)
{
	for (char *c = word; *c; c++)
		if ((*c == '/' && (c == word || c[-1] == '=')) || (c[0] == '.' && c[1] == '.'))
			*c = '_';
}

static void cut(const char *name, const uint8_t *data, size_t size, struct cut_words *out)
{
	out->text = malloc(size + 1);
	assert(out->text);
	memcpy(out->text, data, size);
	out->text[size] = 0;
	out->count = 0;
	out->at[out->count++] = (char *)(uintptr_t)name;
	for (char *word = out->text, *end; word && out->count <= MOST_WORDS; word = end) {
		end = strchr(word, '\n');
		if (end)
			*end++ = 0;
		stay_here(word);
		out->at[out->count++] = word;
	}
	out->at[out->count] = NULL;
}

/* What the values must be together is asserted by the command itself. */
static int read_line(const struct command *command, int wrong, const uint8_t *data, size_t size)
{
	struct command_line line;
	struct cut_words words;

	cut(command->name, data, size, &words);
	int code = command_line_read(&line, command, words.count, words.at);
	assert(code == EXIT_DONE || code == wrong);
	command_line_free(&line);
	free(words.text);
	return code;
}

static int read_any(const uint8_t *data, size_t size)
{
	return data[0] & 1 ? read_line(perf2bolt_command(), EXIT_FAILED, data + 1, size - 1) :
			     read_line(&convert_command, EXIT_USAGE, data + 1, size - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct folders folders;
	static FILE *nowhere;

	if (!nowhere) {
		nowhere = fopen("/dev/null", "w");
		folders = open_folders();
	}
	if (!size || size > 4096)
		return 0;
	FILE *kept_out = stdout, *kept_err = stderr;
	stdout = stderr = nowhere;
	assert(!fchdir(folders.empty));
	int first = read_any(data, size), second = read_any(data, size);
	stdout = kept_out;
	stderr = kept_err;
	assert(!fchdir(folders.here));
	assert(first == second);
	return 0;
}
