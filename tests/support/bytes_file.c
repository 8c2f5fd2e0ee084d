/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* memfd_create(), of Linux */
#include "tests/support/bytes_file.h"

#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

struct bytes_file bytes_file_open(const uint8_t *data, size_t size)
{
	struct bytes_file file = {.fd = memfd_create("bytes", MFD_CLOEXEC)};

	assert(file.fd >= 0);
	for (size_t done = 0; done < size;) {
		ssize_t now = write(file.fd, data + done, size - done);
		assert(now > 0);
		done += (size_t)now;
	}
	int len = snprintf(file.path, sizeof(file.path), "/proc/self/fd/%d", file.fd);
	assert(len > 0 && (size_t)len < sizeof(file.path));
	return file;
}

void bytes_file_close(struct bytes_file *file)
{
	assert(!close(file->fd));
	*file = (struct bytes_file){.fd = -1};
}
