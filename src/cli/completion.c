/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/completion.h"

#include <string.h>

const char *completion_words(const struct option_row *row)
{
	const char *words = row->arg ? strchr(row->arg, ':') : NULL;

	return words ? words + 1 : "";
}

enum completed option_completed(const struct option_row *row)
{
	struct text name = option_argument(row);

	if (!row->arg)
		return COMPLETED_NOTHING;
	if (*completion_words(row))
		return text_ends(name, ",...") ? COMPLETED_LIST : COMPLETED_WORD;
	if (row->role == FOLDER_USED || text_is(name, "DIR"))
		return COMPLETED_FOLDER;
	return row->role == NO_FILE ? COMPLETED_OTHER : COMPLETED_FILE;
}

bool operands_completed(const struct command *command)
{
	return command->operands != NO_FILE && command->operands != STDIN_READ;
}

const char *completion_letter(const struct option_row *row, char letter[3])
{
	if (!row->letter)
		return NULL;
	letter[0] = '-';
	letter[1] = (char)row->letter;
	letter[2] = '\0';
	return letter;
}

void completion_text(const char *help, size_t length, const char *special, bool requote, FILE *out)
{
	for (size_t i = 0; i < length; i++) {
		if (requote && help[i] == '\'') {
			fputs("'\\''", out);
			continue;
		}
		if (strchr(special, help[i]))
			putc('\\', out);
		putc(help[i] == '\n' ? ' ' : help[i], out);
	}
}

size_t completion_summary(const struct command *command)
{
	const char *end = strstr(command->help, "\n\n");

	return end ? (size_t)(end - command->help) : strlen(command->help);
}

bool completion_write(const struct completion *completion, const char *shell, FILE *out)
{
	static const struct {
		const char *shell;
		void (*write)(const struct completion *completion, FILE *out);
	} shells[] = {{"bash", completion_bash}, {"zsh", completion_zsh}, {"fish", completion_fish}};

	for (size_t i = 0; i < sizeof(shells) / sizeof(*shells); i++) {
		if (!strcmp(shell, shells[i].shell)) {
			shells[i].write(completion, out);
			return true;
		}
	}
	return false;
}
