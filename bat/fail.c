/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bat/fail.h"

bool bat_fail_nomem(struct bat_error *err)
{
	*err = (struct bat_error){ .code = BAT_NOMEM,
				   .field = "",
				   .text = "out of memory" };
	return false;
}
