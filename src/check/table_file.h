/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the commands on BAT sections look at: a binary with such a section, or
 * the section alone; with the names of its fragments where there are symbols.
 */
#ifndef CHECK_TABLE_FILE_H
#define CHECK_TABLE_FILE_H

#include "include/bat/bat.h"
#include "src/base/file.h"
#include "src/elf/functions.h"

#define NO_FUNCTION UINT32_MAX

struct table_file {
	const char *path; /* borrowed */
	struct file_map map; /* the file's, if it was mapped here */
	struct bytes file;
	struct image image;   /* all zero: a section alone              */
	bool has_image;
	struct bytes section; /* the note, its header included           */
	struct bytes desc;
	struct bat_table bat;
	struct bat_parents parents;
	uint32_t *stored_parents; /* per fragment, before they were repaired */
	struct function_table functions;
	uint32_t *function_of; /* per fragment: the function that begins there, or
	                          NO_FUNCTION                              */
};

/* Map the file and open the image: the parts up to has_image.  A file that begins
 * with a BOLT note instead of an ELF header has no image, and its note is found.
 *
 * BC_IO, BC_FORMAT, BC_UNSUPPORTED, BC_NOMEM.  The text has the path. */
BC_MUST_USE bool table_file_map(const char *path, struct table_file *out, struct bc_error *err);

/* The same of bytes in memory, which must outlive the subject. */
BC_MUST_USE bool table_file_of_bytes(const char *path, struct bytes file, struct table_file *out,
				  struct bc_error *err);

/* Then find the note.  BC_NOTFOUND, BC_FORMAT. */
BC_MUST_USE bool table_file_note(struct table_file *subject, struct bc_error *err);

/* Then, with the table in subject->bat: functions, parents, names.
 * BC_FORMAT, BC_NOMEM */
BC_MUST_USE bool table_file_link(struct table_file *subject, struct bc_error *err);

/* All three, and the decoding. */
BC_MUST_USE bool table_file_open(const char *path, struct table_file *out, struct bc_error *err);
void table_file_close(struct table_file *subject);

/* The function at the beginning of a fragment, or NULL. */
const struct function *table_file_function(const struct table_file *subject, uint32_t fragment);

/* The name of the input function that a fragment came from, as profiles have it;
 * NULL: not known. */
const char *table_file_owner(const struct table_file *subject, uint32_t fragment);

/* The size of a fragment; 0: not known. */
uint64_t table_file_size(const struct table_file *subject, uint32_t fragment);

#endif
