/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/check/nop.h"

bool is_nop(enum machine machine, struct bytes code)
{
	size_t i = 0;

	switch (machine) {
	case MACHINE_X86_64:
		while (i < 14 && i + 1 < code.size && (code.data[i] == 0x66 || code.data[i] == 0x2e))
			i++;
		return code.size > i && (code.data[i] == 0x90 ||
			(code.size > i + 1 && code.data[i] == 0x0f && code.data[i + 1] == 0x1f));
	case MACHINE_AARCH64:
		return code.size >= 4 && le32(code.data) == 0xd503201f;
	case MACHINE_RISCV64:
		return (code.size >= 2 && le16(code.data) == 1) ||
		       (code.size >= 4 && le32(code.data) == 0x13);
	}
	return false;
}
