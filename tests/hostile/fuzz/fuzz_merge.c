/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* fdata and pre-aggregated records, merged: support/merge_text.h says what holds. */
#include "tests/hostile/fuzz/support/merge_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text text = {(const char *)data, size};

	if (!text_starts(text, "---")) /* fuzz_merge_yaml.c */
		merge_text_check(text);
	return 0;
}
