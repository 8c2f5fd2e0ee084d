/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/count/recount/writing.h"

#include "tests/count/recount/mistakes.h"

void writing_begin(struct writing *writing)
{
	*writing = (struct writing){0};
	writing->to = open_memstream(&writing->text, &writing->size);
	must_have_memory(writing->to);
}

char *writing_end(struct writing *writing)
{
	must_have_memory(fclose(writing->to) == 0);
	return writing->text;
}
