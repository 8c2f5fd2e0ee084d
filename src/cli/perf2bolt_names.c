/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/perf2bolt_names.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/file.h"

/* Reads a whole file and puts a zero byte behind it.  Returns NULL on failure. */
static char *read_file(const char *path, struct bc_error *err)
{
	struct file_stream stream;
	char *text = NULL;
	size_t used = 0, capacity = 0, got = 0;

	if (!stream_open(path, &stream, err))
		return NULL;
	do {
		used += got;
		if (used + 1 >= capacity) {
			capacity = capacity ? 2 * capacity : 4096;
			char *more = realloc(text, capacity);
			if (!more) {
				(void)!bc_fail_nomem(err);
				goto failed;
			}
			text = more;
		}
		if (!stream_read(&stream, text + used, capacity - used - 1, &got, err))
			goto failed;
	} while (got);
	stream_close(&stream);
	text[used] = 0;
	return text;
failed:
	stream_close(&stream);
	free(text);
	return NULL;
}

static bool ends_with(const char *word, const char *end)
{
	size_t length = strlen(word), cut = strlen(end);

	return length >= cut && !strcmp(word + length - cut, end);
}

/* Adds the names that one option gives. */
static bool take(const char *option, const char *value, struct word_vec *texts,
		 struct function_choice *out, struct bc_error *err)
{
	bool in_file = strstr(option, "-file") != NULL;
	struct choice_name_vec *names = strncmp(option, "skip", 4) ? &out->names : &out->skip;
	struct choice_name name = {.exact = ends_with(option, "-no-regex")};
	char *text = in_file ? read_file(value, err) : strdup(value);

	if (!text)
		return in_file ? false : bc_fail_nomem(err);
	if (!word_vec_push(texts, text)) {
		free(text);
		return bc_fail_nomem(err);
	}
	char *rest = NULL;
	for (char *word = strtok_r(text, in_file ? "\n" : ",", &rest); word;
	     word = strtok_r(NULL, in_file ? "\n" : ",", &rest)) {
		name.text = word;
		if (!choice_name_vec_push(names, name))
			return bc_fail_nomem(err);
	}
	return true;
}

bool perf2bolt_names(const struct perf2bolt_arguments *arguments, struct word_vec *texts,
		     struct function_choice *out, struct bc_error *err)
{
	const struct word_vec *options = &arguments->name_options;

	*out = (struct function_choice){.limited = arguments->limited, .most = arguments->most_functions};
	for (size_t i = 0; i + 1 < options->len; i += 2)
		if (!take(options->at[i], options->at[i + 1], texts, out, err))
			return false;
	if (out->names.len && out->skip.len)
		return bc_fail(err, BC_UNSUPPORTED, "functions to look at and functions to skip: one or the other");
	return true;
}

void perf2bolt_names_free(struct word_vec *texts)
{
	for (size_t i = 0; i < texts->len; i++)
		free((char *)texts->at[i]);
	word_vec_free(texts);
}
