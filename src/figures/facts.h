/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What advice needs to know of a file.  Only its beginning is read, and of a binary the headers. */
#ifndef FIGURES_FACTS_H
#define FIGURES_FACTS_H

#include <limits.h>

#include "src/elf/bolt_input.h"
#include "src/samples/file_kind.h"

struct file_facts {
	bool read; /* it is there and was looked at; else its kind is FILE_UNKNOWN: a pipe, for example */
	enum file_kind kind;
	const struct foreign *foreign; /* FILE_FOREIGN */
	/* FILE_BINARY, FILE_SIDE: */
	bool opened; /* its headers could be read */
	enum machine machine;
	enum bolt_trace trace;
	struct build_id id;
	struct bolt_input bolt; /* of one that llvm-bolt did not write */
	/* FILE_FOLDER: */
	size_t recordings, others; /* files in it, as far as it was looked at */
	char recording[NAME_MAX + 1]; /* the name of one of them */
};

/* Never fails: of a file that cannot be read there are no facts. */
void file_facts_look(const char *path, struct file_facts *out);

#endif
