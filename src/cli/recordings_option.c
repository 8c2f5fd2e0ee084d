/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/recordings_option.h"

#include <getopt.h>
#include <stdlib.h>

#include "src/cli/say.h"

void recording_marks_begin(struct recording_marks *marks, int argc, char **argv)
{
	*marks = (struct recording_marks){.argv = argv};
	for (int i = 0; i < argc; i++)
		marks->nomem |= !word_list_push(&marks->order, argv[i]);
}

void recording_marks_add(struct recording_marks *marks)
{
	marks->nomem |= !word_list_push(&marks->marks, marks->argv[optind - 1]);
}

void recording_marks_free(struct recording_marks *marks)
{
	word_list_free(&marks->order);
	word_list_free(&marks->marks);
	free(marks->begins);
	marks->begins = NULL;
}

/* Finds out which files follow a --new-recording, and whether each such option stands between two
 * files.  Words are compared by their addresses in argv.  Options are in the order in which they
 * were given, and so are operands. */
static bool find_marks(struct recording_marks *marks, char **files, size_t count)
{
	size_t mark = 0, file = 0;
	bool behind = false, between = true;

	for (size_t i = 0; i < marks->order.len; i++) {
		const char *word = marks->order.at[i];
		if (mark < marks->marks.len && word == marks->marks.at[mark]) {
			mark++;
			behind = true;
			between &= file && file < count;
		} else if (file < count && word == files[file]) {
			marks->begins[file++] = behind;
			behind = false;
		}
	}
	return between;
}

int recording_marks_settle(struct recording_marks *marks, const struct command *command, char **files,
			   size_t count)
{
	marks->begins = calloc(count + 1, sizeof(*marks->begins));
	if (marks->nomem || !marks->begins) {
		say(stderr, "out of memory");
		return EXIT_FAILED;
	}
	if (!find_marks(marks, files, count))
		return usage_error(command, "--new-recording stands between two files of samples", NULL);
	return EXIT_DONE;
}
