/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/named_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

const char *named_by_words(enum named_by by)
{
	static const char *const words[NAMED_BY_COUNT] = {
		[NAMED_BY_MAPPING] = "a mapping",
		[NAMED_BY_BUILD_ID] = "a build-id",
		[NAMED_BY_INPUT_ID] = "the build-id of an input",
		[NAMED_BY_DEBUGLINK] = ".gnu_debuglink",
		[NAMED_BY_ALTLINK] = ".gnu_debugaltlink",
		[NAMED_BY_FOLDER] = "a directory",
	};

	return words[by];
}

static bool refuse(const char *path, enum named_by by, struct bc_error *err)
{
	return bc_fail(err, BC_UNSUPPORTED, "%s: is not a regular file, and %s names it: not opened", path,
		       named_by_words(by));
}

bool named_file_open(const char *path, enum named_by by, int *fd, struct bc_error *err)
{
	struct stat st;

	/* Opening a device can have effects already: so look at it first. */
	if (stat(path, &st) != 0)
		return bc_fail_errno(err, "%s: cannot open", path);
	if (!S_ISREG(st.st_mode))
		return refuse(path, by, err);
	do
		*fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	while (*fd < 0 && errno == EINTR);
	if (*fd < 0)
		return bc_fail_errno(err, "%s: cannot open", path);
	/* Another file can have got the name since stat(). */
	if (fstat(*fd, &st) == 0 && S_ISREG(st.st_mode))
		return true;
	close(*fd);
	return refuse(path, by, err);
}
