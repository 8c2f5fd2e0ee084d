/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For whom something was left out: the first users, and the sums of all others. */
#include "src/record/shares.h"

#include "tests/support/cmocka.h"

/* Users 1000 to 1004: of user 1000 + i, i samples were dropped for want of memory. */
static void fill(struct shares *shares)
{
	for (uint32_t i = 0; i < 5; i++)
		shares->at[shares_of(shares, 1000 + i)].dropped[RECORDED_DROP_NO_ROOM] = i;
	shares->at[shares_of(shares, 1001)].unread = 6;
	shares->at[shares_of(shares, NO_USER)].refused = 100;
}

static void test_left_out(void **state)
{
	struct shares shares = {0};
	const struct user_share *most[2];
	struct user_share others;

	(void)state;
	fill(&shares);
	assert_int_equal(shares_left_out(&shares, most, 2, &others), 2);
	assert_int_equal(most[0]->uid, 1001); /* 1 sample and 6 processes */
	assert_int_equal(share_left_out(most[0]), 7);
	assert_int_equal(most[1]->uid, 1004);
	assert_int_equal(others.uid, NO_USER);
	assert_int_equal(others.refused, 100);
	assert_int_equal(others.unread, 0);
	assert_int_equal(others.dropped[RECORDED_DROP_NO_ROOM], 2 + 3);
}

static void test_nothing(void **state)
{
	struct shares shares = {0};
	const struct user_share *most[2];
	struct user_share others;

	(void)state;
	(void)shares_of(&shares, 1000);
	assert_int_equal(shares_left_out(&shares, most, 2, &others), 0);
	assert_int_equal(share_left_out(&others), 0);
}

#define FIRST UINT32_C(0x70000000) /* none of them runs this */

/* Each user takes all that it may, one after the other: root has its quarter all the same. */
static void test_many_users_leave_room_for_root(void **state)
{
	static const uint32_t most[] = {16, 512, 4096};
	struct shares shares = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(most) / sizeof(*most); i++) {
		uint32_t used = 0, own;
		for (uint32_t uid = FIRST; uid < FIRST + 100; uid++) {
			const struct user_share *user = &shares.at[shares_of(&shares, uid)];
			for (own = 0; share_allows(user, own, used, most[i]); own++)
				used++;
			assert_true(uid > FIRST || own == most[i] / 8 * 3);
		}
		assert_int_equal(used, most[i] / 4 * 3);
		for (; share_allows(&shares.at[shares_of(&shares, 0)], used, used, most[i]); used++)
			;
		assert_int_equal(used, most[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_left_out),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_many_users_leave_room_for_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
