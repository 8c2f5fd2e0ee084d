/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The directory of a command that writes several profiles. */
#ifndef CLI_OUTPUT_FOLDER_H
#define CLI_OUTPUT_FOLDER_H

#include "src/base/error.h"

/* Makes the directory, unless it exists.  *made: it did not exist.  BC_IO */
BC_MUST_USE bool output_folder_make(const char *path, bool *made, struct bc_error *err);

#endif
