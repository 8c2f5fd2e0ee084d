/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A YAML profile, merged, with a head before it unless it has one: support/merge_text.h says what
 * holds. */
#undef NDEBUG
#include <assert.h>
#include <stdlib.h>

#include "tests/hostile/fuzz/support/merge_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char head[] =
		"---\nheader:\n  profile-version: 1\n  profile-flags: [ lbr ]\nfunctions:\n";
	size_t length = sizeof(head) - 1;

	if (text_starts((struct text){(const char *)data, size}, "---"))
		length = 0;
	char *text = malloc(length + size + 1);
	assert(text);
	memcpy(text, head, length);
	memcpy(text + length, data, size);
	merge_text_check((struct text){text, length + size});
	free(text);
	return 0;
}
