/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/page.h"

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
