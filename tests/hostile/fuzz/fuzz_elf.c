/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Any bytes as an ELF file: check_elf() says what must hold. */
#include "tests/support/check_elf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	(void)check_elf((struct bytes){data, size});
	return 0;
}
