/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The temporary file of the one output that is open, for a signal handler. */
static const char *volatile temporary_to_remove;

static bool open_direct(const char *path, struct output *out, struct bc_error *err)
{
	out->file = fopen(path, "we");
	return out->file ? true : bc_fail_errno(err, "%s: cannot write", path);
}

/* mkstemp() makes a private file; give it the mode that open() would have. */
static bool take_mode(int fd, const struct stat *old)
{
	mode_t mask = umask(0);

	umask(mask);
	return fchmod(fd, old ? old->st_mode & 07777 : 0666 & ~mask) == 0;
}

static bool open_temporary(const char *path, const struct stat *old, struct output *out,
			   struct bc_error *err)
{
	size_t size = strlen(path) + sizeof(".XXXXXX");

	out->temporary = malloc(size);
	if (!out->temporary)
		return bc_fail_nomem(err);
	snprintf(out->temporary, size, "%s.XXXXXX", path);
	int fd = mkstemp(out->temporary);
	if (fd < 0) {
		bc_fail_errno(err, "%s: cannot create a temporary file beside it", path);
		free(out->temporary);
		out->temporary = NULL;
		return false;
	}
	temporary_to_remove = out->temporary;
	out->file = take_mode(fd, old) ? fdopen(fd, "w") : NULL;
	if (out->file)
		return true;
	bc_fail_errno(err, "%s: cannot write", path);
	close(fd);
	return false;
}

bool output_open(const char *path, struct output *out, struct bc_error *err)
{
	struct stat st;

	*out = (struct output){0};
	if (!path || !strcmp(path, "-")) {
		out->file = stdout;
		return true;
	}
	bool exists = stat(path, &st) == 0;
	if (exists && S_ISDIR(st.st_mode))
		return bc_fail(err, BC_IO, "%s: is a directory", path);
	/* A symbolic link stays one: what it points to is replaced. */
	out->path = exists ? realpath(path, NULL) : strdup(path);
	if (!out->path)
		return bc_fail_errno(err, "%s: cannot write", path);
	bool ok = exists && !S_ISREG(st.st_mode)
			  ? open_direct(out->path, out, err)
			  : open_temporary(out->path, exists ? &st : NULL, out, err);
	if (!ok)
		output_discard(out);
	return ok;
}

static void forget(struct output *output)
{
	temporary_to_remove = NULL;
	free(output->path);
	free(output->temporary);
	*output = (struct output){0};
}

static bool finish_file(struct output *output)
{
	bool written = fflush(output->file) == 0 && !ferror(output->file);
	bool direct = output->file == stdout;

	if (!direct && fclose(output->file) != 0)
		written = false;
	output->file = NULL;
	return written;
}

bool output_commit(struct output *output, struct bc_error *err)
{
	const char *name = output->path ? output->path : "<stdout>";

	if (!finish_file(output) ||
	    (output->temporary && rename(output->temporary, output->path) != 0)) {
		bc_fail_errno(err, "%s: cannot write", name);
		output_discard(output);
		return false;
	}
	forget(output);
	return true;
}

void output_discard(struct output *output)
{
	if (output->file && output->file != stdout)
		fclose(output->file);
	if (output->temporary)
		unlink(output->temporary);
	forget(output);
}

void output_remove_temporary(void)
{
	if (temporary_to_remove)
		unlink(temporary_to_remove);
}
