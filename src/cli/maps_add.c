/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/maps_add.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/addrspace/bcmaps.h"
#include "src/addrspace/open.h"
#include "src/base/output.h"

/* Writes snapshots to a file.  new: the file must not exist yet, also if another process makes one
 * meanwhile. */
static bool write_bcmaps(const struct snapshots *all, const char *path, bool new, struct bc_error *err)
{
	struct output output;
	uint8_t *data;
	size_t size;

	if (!bcmaps_write(all, &data, &size, err))
		return false;
	bool ok = output_open(path, &output, err);
	if (ok) {
		fwrite(data, 1, size, output.file);
		ok = new ? output_commit_new(&output, err) : output_commit(&output, err);
	}
	free(data);
	return ok;
}

/* How many bytes there were, or -1. */
static ssize_t read_start(int fd, char *to, size_t size)
{
	size_t got = 0;

	while (got < size) {
		ssize_t more = pread(fd, to + got, size - got, (off_t)got);
		if (!more)
			break;
		if (more > 0)
			got += (size_t)more;
		else if (errno != EINTR)
			return -1;
	}
	return (ssize_t)got;
}

/* Checks that the file holds snapshots, by its own first bytes: a compressed file of them would no
 * longer be compressed afterwards.  fd: -1 for what is no regular file; that is not even opened,
 * because a FIFO would wait for its writer. */
static bool is_bcmaps(const char *path, int fd, struct bc_error *err)
{
	char start[BCMAPS_MAGIC_SIZE];
	ssize_t got = fd < 0 ? 0 : read_start(fd, start, sizeof(start));

	if (got < 0)
		return bc_fail_errno(err, "%s: cannot read", path);
	return text_starts((struct text){start, (size_t)got}, BCMAPS_MAGIC) ||
	       bc_fail(err, BC_FORMAT, "%s: no snapshots (.bcmaps): it is not replaced", path);
}

/* Adds the snapshots once.  A file that cannot be read is an error, not an empty file, and a
 * recording is never replaced. */
static bool add_once(const char *path, const struct update *update, const struct snapshots *more,
		     struct bc_error *err)
{
	struct snapshots all = {0};
	struct reader_report report = {0};
	bool ok = (update->absent || (is_bcmaps(path, update->fd, err) &&
				      maps_open(path, UINT64_MAX, &all, &report, err))) &&
		  snapshots_merge(&all, more, err) &&
		  write_bcmaps(&all, update->path ? update->path : path, update->absent, err);

	snapshots_free(&all);
	return ok;
}

bool maps_add(const char *path, const struct snapshots *more, struct bc_error *err)
{
	struct update update = {.absent = true, .fd = -1};

	if (!strcmp(path, "-"))
		return add_once(path, &update, more, err);
	for (;;) {
		if (!update_begin(path, &update, err))
			return false;
		bool ok = add_once(path, &update, more, err);
		update_end(&update);
		if (ok || err->code != BC_EXISTS)
			return ok;
	}
}
