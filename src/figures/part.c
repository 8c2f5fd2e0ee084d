/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/part.h"

bool part_begin(struct page_part *part)
{
	part->json = (struct json){.out = open_memstream(&part->text, &part->size), .base = part->base, .page = true};
	return part->json.out;
}

bool part_end(struct page_part *part, size_t more, struct json *list, bool *added)
{
	bool ok = !ferror(part->json.out);

	ok &= !fclose(part->json.out);
	*added = ok && part->size + 1 + more <= part->room; /* 1: a comma */
	if (*added) {
		json_raw(list, NULL, (struct text){part->text, part->size});
		part->room -= part->size + 1 + more;
	}
	free(part->text);
	return ok;
}
