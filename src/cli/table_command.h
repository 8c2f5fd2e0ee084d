/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the commands on BAT sections have in common: arguments, and bytes as output. */
#ifndef CLI_TABLE_COMMAND_H
#define CLI_TABLE_COMMAND_H

#include "src/base/error.h"
#include "src/cli/options.h"
#include "src/base/bytes.h"

/* How many operands there must be, and the messages if there are not. */
struct operands {
	int count;
	const char *too_few, *too_many; /* of too many the first is named */
};

extern const struct operands one_binary;

/* EXIT_DONE, or EXIT_USAGE after a message. */
int operands_check(const struct command *command, int argc, char **argv,
		   const struct operands *operands);

enum { GO_ON = -1 };

/* The options, as options_apply() reads them, but --help; then the operands, at
 * argv[optind ...].  GO_ON, or what to exit with: after --help, or after a message. */
int table_command_arguments(const struct command *command, int argc, char **argv,
			    const struct operands *operands,
			    const char *(*apply)(void *arguments, int id, const char *value),
			    void *arguments);

/* path  as for output_open().  BC_IO, BC_NOMEM */
BC_MUST_USE bool write_bytes(const char *path, struct bytes bytes, struct bc_error *err);

#endif
