/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Running out of memory, which happens in all parts of the library. */
#ifndef BATCONV_BAT_FAIL_H
#define BATCONV_BAT_FAIL_H

#include "bat/bat.h"

/* Fill the error with BAT_ERROR_NOMEM.  Returns false. */
bool bat_fail_nomem(struct bat_error *err);

/* Is it a layout of this library?  If not, fills the error with BAT_ERROR_ARGUMENT. */
bool bat_know_layout(enum bat_layout layout, struct bat_error *err);

#endif
