/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What an ELF file is, and where its segments go: for people and as JSON. */
#ifndef ADDRESS_IMAGE_PRINT_H
#define ADDRESS_IMAGE_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "src/base/error.h"

struct image_form {
	bool sections; /* also all sections, those in no segment included */
	bool json;     /* one object */
};

/* *sound becomes false if the BAT of the file cannot be read, or if a loadable segment is not
 * aligned.  Nothing was printed after an error: those of file_map() and image_open_map(), and
 * BC_FORMAT of image_bat_note(). */
BC_MUST_USE bool image_print(const char *path, const struct image_form *form, FILE *out,
			     bool *sound, struct bc_error *err);

#endif
