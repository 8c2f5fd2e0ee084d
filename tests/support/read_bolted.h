/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A plain reader of BOLTed x86-64 ELF files that are known to be good. */
#ifndef TESTS_SUPPORT_READ_BOLTED_H
#define TESTS_SUPPORT_READ_BOLTED_H

#include "bat/bat.h"

struct bolted {
	uint8_t *file;
	size_t file_size;
	const uint8_t *desc; /* of the BAT note */
	size_t desc_size;
	struct bat_symbol *symbols; /* functions */
	size_t symbol_count;
};

/* A whole file, or a failed assertion. */
uint8_t *read_whole(const char *path, size_t *size);

/* Fails an assertion if there is no such file or no note in it. */
void bolted_read(struct bolted *b, const char *path);
void bolted_free(struct bolted *b);

#endif
