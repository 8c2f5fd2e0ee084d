/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/check/checks.h"

static void check_secondary(const struct binary *subject, uint32_t i, struct findings *findings)
{
	const struct bat_fragment *f = &subject->bat.fragments[i];
	const uint32_t *offsets = subject->bat.secondary + f->first_secondary;

	for (uint32_t k = 1; k < f->secondary_count; k++)
		if (offsets[k] <= offsets[k - 1])
			findings_add(findings, FINDING_SECONDARY_ORDER, location_of(subject, i, NO_INDEX),
				     "0x%x follows 0x%x", offsets[k], offsets[k - 1]);
}

static void check_entries(const struct binary *subject, uint32_t i, struct findings *findings)
{
	const struct bat_fragment *f = &subject->bat.fragments[i];
	const struct bat_entry *e = subject->bat.entries + f->first_entry;

	if (!f->entry_count) {
		findings_add(findings, FINDING_MAP_EMPTY, location_of(subject, i, NO_INDEX),
			     "its addresses stay unchanged when translated");
		return;
	}
	if (!f->cold && (e[0].output || e[0].input))
		findings_add(findings, FINDING_HOT_START, location_of(subject, i, 0),
			     "its first entry is 0x%x from input 0x%x%s", e[0].output,
			     bat_entry_input(e[0]), bat_entry_is_branch(e[0]) ? ", a branch" : "");
	for (uint32_t k = 0; k < f->entry_count; k++)
		if (entry_never_emitted(f, e[k]))
			findings_add(findings, FINDING_NEVER_EMITTED, location_of(subject, i, k),
				     "input 0x%x has no code", bat_entry_input(e[k]));
}

bool check_structure(const struct binary *subject, struct findings *findings)
{
	const struct bat_table *bat = &subject->bat;

	if (bat->fragment_count && !bat->entry_count) {
		findings_add(findings, FINDING_MAPS_EMPTY, NO_LOCATION, "%u fragments, all empty",
			     bat->fragment_count);
		return false;
	}
	for (uint32_t i = 0; i < bat->fragment_count; i++) {
		check_entries(subject, i, findings);
		check_secondary(subject, i, findings);
	}
	return true;
}
