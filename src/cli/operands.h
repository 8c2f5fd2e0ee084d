/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is wrong with the operands of a conversion: a file of another kind than its place takes. */
#ifndef CLI_OPERANDS_H
#define CLI_OPERANDS_H

#include <stdio.h>

#include "src/base/error.h"
#include "src/convert/conversion.h"

/* Call it after a conversion failed because of what is in a file.  Puts a better text into `err` if
 * the kinds of the files show what the user meant.  Reads the beginnings of the files again, but
 * not of pipes. */
void operands_explain(const struct conversion_options *options, struct bc_error *err);

/* A message about each file of samples that cannot be read, from number `first` on.  Reads all of
 * them again, but not pipes. */
void operands_tell_bad(const struct conversion_options *options, size_t first, FILE *out);

#endif
