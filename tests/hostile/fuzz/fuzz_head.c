/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Any bytes as a file that somebody runs: check_head() says what must hold. */
#include "tests/support/check_head.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	(void)check_head((struct bytes){data, size});
	return 0;
}
