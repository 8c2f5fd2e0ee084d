/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/clash.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/output.h"

/* "-" is the standard stream of this number. */
static bool look(const char *path, int standard, struct stat *out)
{
	return (strcmp(path, "-") ? stat(path, out) : fstat(standard, out)) == 0;
}

static bool same_inode(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Of files that are still to be made the names must do. */
static bool same_target(const char *a, const char *b)
{
	char *x = output_target(a), *y = output_target(b);
	bool same = x && y && !strcmp(x, y);

	free(x);
	free(y);
	return same;
}

static bool same_output(const char *a, const char *b)
{
	struct stat x, y;

	if (!strcmp(a, "-") && !strcmp(b, "-"))
		return true;
	bool there = look(a, STDOUT_FILENO, &x), other_there = look(b, STDOUT_FILENO, &y);
	if (there && other_there)
		return same_inode(&x, &y) && !S_ISCHR(x.st_mode);
	return !there && !other_there && same_target(a, b);
}

static const char *name_of(const char *path, const char *standard)
{
	return strcmp(path, "-") ? path : standard;
}

bool outputs_are_apart(const struct named_output *outputs, size_t count, struct bc_error *err)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < i; k++)
			if (outputs[i].path && outputs[k].path &&
			    same_output(outputs[i].path, outputs[k].path))
				return bc_fail(err, BC_MISMATCH, "%s '%s' and %s '%s' are one file",
					       outputs[k].option, name_of(outputs[k].path, "<stdout>"),
					       outputs[i].option, name_of(outputs[i].path, "<stdout>"));
	return true;
}

bool input_is_apart(const char *input, const struct named_output *outputs, size_t count,
		    struct bc_error *err)
{
	struct stat in, out;

	if (!look(input, STDIN_FILENO, &in) || !S_ISREG(in.st_mode))
		return true;
	for (size_t i = 0; i < count; i++)
		if (outputs[i].path && look(outputs[i].path, STDOUT_FILENO, &out) && same_inode(&in, &out))
			return bc_fail(err, BC_MISMATCH, "%s '%s' would replace the input '%s'",
				       outputs[i].option, name_of(outputs[i].path, "<stdout>"),
				       name_of(input, "<stdin>"));
	return true;
}
