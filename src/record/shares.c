/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/record/shares.h"

#include <string.h>
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

bool share_is_trusted(const struct user_share *user)
{
	return user->uid == 0 || user->uid == geteuid();
}

bool shares_allow(bool trusted, uint32_t own, uint32_t used, uint32_t most)
{
	uint32_t room = trusted ? most : most / 4 * 3;

	return used < room && (trusted || own < room - used);
}

bool share_allows(const struct user_share *user, uint32_t own, uint32_t used, uint32_t most)
{
	return shares_allow(share_is_trusted(user), own, used, most);
}

uint64_t share_left_out(const struct user_share *user)
{
	uint64_t sum = user->refused + user->unread;

	for (size_t i = 0; i < RECORDED_DROP_COUNT; i++)
		sum += user->dropped[i];
	return sum;
}

static void add(struct user_share *to, const struct user_share *user)
{
	to->refused += user->refused;
	to->unread += user->unread;
	for (size_t i = 0; i < RECORDED_DROP_COUNT; i++)
		to->dropped[i] += user->dropped[i];
}

size_t shares_left_out(const struct shares *shares, const struct user_share **out, size_t most,
		       struct user_share *others)
{
	size_t count = 0;

	*others = (struct user_share){.uid = NO_USER};
	for (size_t i = 0; i < shares->count; i++) {
		const struct user_share *user = &shares->at[i];
		uint64_t sum = share_left_out(user);
		size_t at = count;
		if (!sum)
			continue;
		while (user->uid != NO_USER && at > 0 && share_left_out(out[at - 1]) < sum)
			at--;
		if (user->uid == NO_USER || at == most) {
			add(others, user);
			continue;
		}
		if (count == most)
			add(others, out[--count]);
		memmove(&out[at + 1], &out[at], (count - at) * sizeof(*out));
		out[at] = user;
		count++;
	}
	return count;
}
