/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/check/checks.h"

static const char *name_of(const struct binary *subject, uint32_t fragment)
{
	const struct function *f = binary_fragment_function(subject, fragment);

	return f ? f->printed : "a function without a symbol";
}

static void check_parent(const struct binary *subject, uint32_t i, struct findings *findings)
{
	uint32_t parent = subject->bat.fragments[i].parent;
	uint32_t stored = subject->stored_parents[i];

	if (parent == BAT_NO_PARENT)
		findings_add(findings, FINDING_PARENT_UNKNOWN, location_of(subject, i, NO_INDEX),
			     "neither the section nor a symbol tells whose part it is");
	else if (parent != stored)
		findings_add(findings, FINDING_PARENT_WRONG, location_of(subject, i, NO_INDEX),
			     "%s is a part of %s, but the section names %s", name_of(subject, i),
			     name_of(subject, parent),
			     stored == BAT_NO_PARENT ? "no hot function" : name_of(subject, stored));
}

/* The parents that LLVM 18 stored are right only by chance: one finding is enough for all. */
static void check_ordinals(const struct binary *subject, struct findings *findings)
{
	uint32_t wrong = subject->parents.repaired + subject->parents.unknown;

	if (wrong)
		findings_add(findings, FINDING_HOT_INDEX_ORDINAL, NO_LOCATION,
			     "%u of %u cold fragments have a wrong parent; %u were repaired by their "
			     "symbols", wrong, subject->parents.cold, subject->parents.repaired);
}

void check_parents(const struct binary *subject, struct findings *findings)
{
	if (subject->parents.ordinal) {
		check_ordinals(subject, findings);
		return;
	}
	for (uint32_t i = 0; i < subject->bat.fragment_count; i++)
		if (subject->bat.fragments[i].cold)
			check_parent(subject, i, findings);
}
