/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/nameable.h"

#include <elf.h>
#include <string.h>

#include "src/base/text.h"

bool name_is_allowed(const char *name, unsigned rules)
{
	return !((rules & NAMES_ONE_LINE) && strchr(name, '\n')) && !((rules & NAMES_UTF8) && !utf8_is(name));
}

static bool has_high_byte(struct bytes bytes)
{
	uint8_t all = 0;

	for (size_t i = 0; i < bytes.size; i++)
		all |= bytes.data[i];
	return all & 0x80;
}

/* Names are read far faster where they all stand than one after the other. */
static bool may_matter(const struct image *image, unsigned rules)
{
	bool any = false;

	for (size_t i = 0; i < image->section_count; i++) {
		const struct section *section = &image->sections[i];
		struct bytes bytes = image_section_bytes(image, section);
		if (section->type != SHT_STRTAB || !bytes.size)
			continue;
		any = true;
		if (((rules & NAMES_ONE_LINE) && memchr(bytes.data, '\n', bytes.size)) ||
		    ((rules & NAMES_UTF8) && has_high_byte(bytes)))
			return true;
	}
	return !any; /* then they are from elsewhere */
}

bool nameable_find(const struct function_table *functions, const struct image *image, unsigned rules,
		   struct code_marks *out)
{
	*out = (struct code_marks){0};
	if (!rules || !may_matter(image, rules))
		return true;
	if (!code_marks_make(out, functions))
		return false;
	for (uint32_t i = 0; i < functions->count; i++)
		*code_marks_of(out, (struct code_number){i}) = !name_is_allowed(functions->at[i].printed, rules);
	return true;
}
