/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/record/shares.h"

#include <unistd.h>

uint32_t shares_of(struct shares *shares, uint32_t uid)
{
	if (!shares->count)
		shares->at[shares->count++].uid = NO_USER;
	if (uid == NO_USER)
		return 0;
	for (uint32_t i = 1; i < shares->count; i++)
		if (shares->at[i].uid == uid)
			return i;
	if (shares->count == SHARES_MOST)
		return 0;
	shares->at[shares->count].uid = uid;
	return (uint32_t)shares->count++;
}

bool share_allows(const struct user_share *user, uint32_t own, uint32_t used, uint32_t most)
{
	bool trusted = user->uid == 0 || user->uid == geteuid();

	return used < most && (trusted || own < most - used);
}
