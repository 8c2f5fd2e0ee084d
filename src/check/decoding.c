/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <string.h>

#include "src/check/checks.h"

static enum finding_kind kind_of(const struct bat_error *err)
{
	switch (err->cause) {
	case BAT_CAUSE_END:
		return FINDING_DESC_CUT;
	case BAT_CAUSE_WIDE:
		return FINDING_NUMBER_WIDE;
	case BAT_CAUSE_COUNT:
		return FINDING_COUNT_LARGE;
	case BAT_CAUSE_LEFT:
		return FINDING_DESC_LEFT;
	case BAT_CAUSE_ORDER:
		return strcmp(err->field, "OutputOffset") ? FINDING_ADDRESS_ORDER
							  : FINDING_OFFSET_ORDER;
	case BAT_CAUSE_RANGE:
		if (!strcmp(err->field, "HotIndex"))
			return FINDING_HOT_INDEX_RANGE;
		return strcmp(err->field, "EqualElems") ? FINDING_COLD_ADDRESS
							: FINDING_EQUAL_RANGE;
	}
	return FINDING_DESC_CUT;
}

/* Reports the damage under the layout that was read furthest, which is most likely the one that
 * was written. */
static void tell_malformed(const struct binary *subject, const struct bat_error *unrecognised,
			   struct findings *findings)
{
	struct finding_location location = NO_LOCATION;
	struct bat_error why = *unrecognised;
	struct bat_table unused;

	if (bat_decode_as(unrecognised->layout, subject->desc.data, subject->desc.size, &unused, &why))
		bat_free(&unused);
	location.byte = why.byte;
	findings_add(findings, kind_of(&why), location, "as layout %s: %s",
		     bat_layout_name(why.layout), why.text);
}

bool check_decoding(struct binary *subject, struct findings *findings, struct bc_error *err)
{
	struct bat_error bat_err = {0};

	if (bat_decode(subject->desc.data, subject->desc.size, &subject->bat, &bat_err))
		return true;
	if (bat_err.code == BAT_NOMEM)
		return bc_fail_nomem(err);
	if (bat_err.code == BAT_AMBIGUOUS)
		findings_add(findings, FINDING_LAYOUT_AMBIGUOUS, NO_LOCATION, "%s", bat_err.text);
	else
		tell_malformed(subject, &bat_err, findings);
	return false;
}
