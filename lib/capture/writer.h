/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Text into a file by write() alone, for signal handlers. */
#ifndef CAPTURE_WRITER_H
#define CAPTURE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct capture_writer {
	int fd;
	int error; /* errno of the first failure; 0: none */
	size_t used;
	char buffer[4096]; /* small, because it lies on the stack of a signal handler */
};

void capture_flush(struct capture_writer *writer);
void capture_text(struct capture_writer *writer, const char *text);
void capture_number(struct capture_writer *writer, uint64_t value, unsigned base);

#endif
