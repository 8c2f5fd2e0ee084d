/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/check/coverage.h"

#include <elf.h>

const struct unmapped_info unmapped_infos[UNMAPPED_COUNT] = {
#define X(name, key, why) {key, why},
	UNMAPPED_REASONS(X)
#undef X
};

/* Has BOLT written all code of this section? */
static bool is_new(const struct image *image, const struct section *section)
{
	return text_starts(section->name, ".text") && image_section(image, ".bolt.org.text");
}

static enum unmapped_reason reason_of(const struct binary *subject, const struct function *f)
{
	if (f->kind == FUNCTION_PLT)
		return UNMAPPED_STUB;
	if (!subject->functions.stripped && !strncmp(f->primary, "__BOLT_FDE_FUNC", 15))
		return UNMAPPED_OLD;
	return is_new(&subject->image, &subject->image.sections[f->section]) ? UNMAPPED_REWRITTEN
									   : UNMAPPED_LEFT;
}

void coverage_measure(const struct binary *subject, struct coverage *out)
{
	const struct bat_table *bat = &subject->bat;
	struct coverage c = {.fragments = bat->fragment_count, .mapped_functions = bat->hot_count};

	for (size_t i = 0; i < subject->image.section_count; i++) {
		const struct section *s = &subject->image.sections[i];
		if (!(s->flags & SHF_EXECINSTR))
			continue;
		c.executable += s->size;
		c.rewritten += is_new(&subject->image, s) ? s->size : 0;
	}
	for (size_t i = 0; i < subject->functions.count; i++) {
		const struct function *f = &subject->functions.at[i];
		const struct bat_fragment *fragment = bat_find_exact(bat, f->address);
		if (fragment && fragment->entry_count) {
			c.mapped += f->size;
			continue;
		}
		enum unmapped_reason reason = reason_of(subject, f);
		c.unmapped[reason].functions++;
		c.unmapped[reason].bytes += f->size;
	}
	*out = c;
}
