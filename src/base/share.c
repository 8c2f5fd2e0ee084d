/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/share.h"

double disagreement_percent(struct disagreement d)
{
	return percent_of(d.differ, d.compared);
}

enum belonging belonging_judge(struct disagreement d, double limit, bool by_id)
{
	if (disagreement_percent(d) <= limit)
		return BELONGS;
	if (by_id)
		return BELONGS_BY_ID;
	return d.differ <= DISAGREE_FEW && d.differ <= d.compared / 2 ? BELONGS_PERHAPS :
									BELONGS_NOT;
}

const char *belonging_although(enum belonging belonging)
{
	switch (belonging) {
	case BELONGS_BY_ID: return ", but the build-ids fit";
	case BELONGS_PERHAPS: return ", but these are few";
	case BELONGS:
	case BELONGS_NOT: break;
	}
	return "";
}
