/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/page.h"

#define ROOM_SPARE ((size_t)4000) /* of what stands around values */

/* Made of src/figures/page.html by cmake/embed.cmake. */
extern const unsigned char report_page[];
extern const size_t report_page_size;

struct text page_template(void)
{
	return (struct text){(const char *)report_page, report_page_size};
}

static size_t find_placeholder(struct text page)
{
	size_t at = 0;

	while (at < page.len && !text_starts(text_from(page, at), PAGE_PLACEHOLDER))
		at++;
	return at;
}

void page_write(struct text data, FILE *out)
{
	struct text page = page_template();
	size_t at = find_placeholder(page);
	struct text rest = text_from(page, at + strlen(PAGE_PLACEHOLDER));

	fwrite(page.at, 1, at, out);
	fwrite(data.at, 1, data.len, out);
	fwrite(rest.at, 1, rest.len, out);
}

bool part_begin(struct page_part *part)
{
	part->json = (struct json){
		.out = open_memstream(&part->text, &part->size), .base = part->base, .page = true};
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

size_t page_room_left(const struct json *json)
{
	long written = fflush(json->out) ? -1 : ftell(json->out);
	size_t most = PAGE_DATA_MOST - ROOM_SPARE;

	return written < 0 || (size_t)written > most ? 0 : most - (size_t)written;
}
