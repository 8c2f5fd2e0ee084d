/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bat/fail.h"

#include <stdio.h>

bool bat_fail_nomem(struct bat_error *err)
{
	if (err)
		*err = (struct bat_error){ .code = BAT_ERROR_NOMEM,
					   .field = "",
					   .text = "out of memory" };
	return false;
}

bool bat_know_layout(enum bat_layout layout, struct bat_error *err)
{
	if (bat_layout_name(layout))
		return true;
	*err = (struct bat_error){ .code = BAT_ERROR_ARGUMENT, .field = "" };
	(void)snprintf(err->text, sizeof(err->text),
		       "layout %u: not known to this release of libbat",
		       (unsigned)layout);
	return false;
}
