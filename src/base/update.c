/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/update.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum opened { OPENED_FILE, OPENED_ABSENT, OPENED_OTHER, OPENED_NOT };

/* Opens for writing, too, because NFS gives no exclusive lock to a descriptor for reading only.
 * O_NONBLOCK: a FIFO that got the name since stat() must not block. */
static enum opened open_file(const char *path, int *fd)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return errno == ENOENT ? OPENED_ABSENT : OPENED_NOT;
	if (!S_ISREG(st.st_mode))
		return OPENED_OTHER;
	*fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (*fd < 0)
		return errno == ENOENT ? OPENED_ABSENT : OPENED_NOT;
	return OPENED_FILE;
}

static bool wait_for_lock(int fd)
{
	int done;

	do
		done = flock(fd, LOCK_EX);
	while (done != 0 && errno == EINTR);
	return done == 0;
}

/* Opens the path instead of calling stat(): on NFS only open() asks the server. */
static bool is_still(int fd, const char *path)
{
	struct stat mine, there;
	int again = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (again < 0)
		return false;
	bool same = fstat(fd, &mine) == 0 && fstat(again, &there) == 0 && mine.st_dev == there.st_dev &&
		    mine.st_ino == there.st_ino;
	close(again);
	return same;
}

/* 1: it is; 0: another file has its place now; -1 with an error */
static int is_locked(const char *path, struct update *update, struct bc_error *err)
{
	if (!wait_for_lock(update->fd)) {
		bc_fail_errno(err, "%s: cannot lock", path);
		return -1;
	}
	if (!is_still(update->fd, path))
		return 0;
	update->path = realpath(path, NULL);
	if (update->path)
		return 1;
	bc_fail_errno(err, "%s: cannot write", path);
	return -1;
}

bool update_begin(const char *path, struct update *out, struct bc_error *err)
{
	*out = (struct update){.fd = -1};
	for (int locked = 0; !locked;) {
		enum opened opened = open_file(path, &out->fd);
		out->absent = opened == OPENED_ABSENT;
		if (opened == OPENED_NOT)
			return bc_fail_errno(err, "%s: cannot open for writing", path);
		if (opened != OPENED_FILE)
			return true;
		locked = is_locked(path, out, err);
		if (locked > 0)
			return true;
		update_end(out);
	}
	return false;
}

void update_end(struct update *update)
{
	if (update->fd >= 0)
		close(update->fd);
	free(update->path);
	*update = (struct update){.fd = -1};
}
