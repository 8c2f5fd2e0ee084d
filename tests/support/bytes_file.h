/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bytes for functions that take a path: a file that is in memory only. */
#ifndef TESTS_SUPPORT_BYTES_FILE_H
#define TESTS_SUPPORT_BYTES_FILE_H

#include <stddef.h>
#include <stdint.h>

/* The path leads to the bytes until the file is closed.  All files that one target opens in turn
 * have the same path. */
struct bytes_file {
	int fd;
	char path[32];
};

/* Aborts if the system refuses the file. */
struct bytes_file bytes_file_open(const uint8_t *data, size_t size);
void bytes_file_close(struct bytes_file *file);

#endif
