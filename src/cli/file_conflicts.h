/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Outputs that would replace an input, or each other.  The tables of options and
 * commands say what becomes of each file that a command line names (options.h); one
 * check looks at all of these files before the first of them is opened.
 */
#ifndef CLI_FILE_CONFLICTS_H
#define CLI_FILE_CONFLICTS_H

#include "src/base/error.h"
#include "src/base/vec.h"

/* What becomes of the file that a word names. */
enum file_role {
	NO_FILE,          /* it names none */
	FILE_READ,        /* "-" is stdin */
	FILES_READ,       /* the same of several, with commas */
	FILE_WRITTEN,     /* "-" is stdout; of several such options of one name the last counts */
	FILE_UPDATED,     /* read, and then replaced */
	OPERANDS_UPDATED, /* of an option: the operands are FILE_UPDATED */
	FOLDER_USED,      /* files without a name are made in it */
	STDIN_READ,       /* of operands: "-", or none at all, is stdin, and others name no file */
};

enum { OPTION_NAME = 32 };

struct named_file {
	char option[OPTION_NAME]; /* what names it, for messages: "-o", or OPERAND */
	char *path;               /* "-" is stdin if it is read, else stdout */
	bool read, written;
};
DEFINE_VEC(named_file_vec, struct named_file);

struct named_files {
	struct named_file_vec all;
};

#define OPERAND "operand"
#define OUTPUT  "output" /* stdout, where no option says so */

/* Adds a file of this role, named by an option or as an operand.  For a directory that holds a
 * recording, the files in it are added, too.  A file to be written replaces the one that
 * the same option named before: the last one counts.  false: out of memory. */
BC_MUST_USE bool files_add(struct named_files *files, const char *option, enum file_role role,
			   const char *value);

/* Adds a file that is written in addition to those that the same option named before. */
BC_MUST_USE bool files_add_another(struct named_files *files, const char *option, const char *path);

void named_files_free(struct named_files *files);

/* Checks that no regular file is both read and written, by whatever name, except a file that is
 * updated (read once, written once), and that no two outputs are one file or pipe.  Devices are
 * allowed: /dev/null takes everything.
 *
 *
 * BC_MISMATCH, which names both; BC_NOMEM */
BC_MUST_USE bool files_are_apart(const struct named_files *files, struct bc_error *err);

#endif
