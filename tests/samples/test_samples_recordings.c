/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/perf_data/perf_features.h"

#include <string.h>

#include "tests/support/cmocka.h"

#define SECOND UINT64_C(1000000000)

static const char *const words[ORIGIN_FACTS] = {"host", "6.1.0", "A processor", "A,1,2",
						"perf record"};

static struct recording_origin origin_of(const char *const *facts)
{
	struct recording_origin origin = {0};

	for (unsigned i = 0; i < ORIGIN_FACTS; i++)
		if (facts[i])
			recording_origin_tell(
				&origin, (enum origin_fact)i,
				(struct bytes){(const uint8_t *)facts[i], strlen(facts[i])});
	return origin;
}

static enum continuation judge(const char *const *facts, uint64_t last, uint64_t first)
{
	const struct recordings before = {origin_of(words), last};
	const struct recording_origin origin = origin_of(facts);

	return recordings_judge(&before, &origin, first);
}

static void times(void **state)
{
	(void)state;
	assert_int_equal(judge(words, 10 * SECOND, 10 * SECOND), CONTINUATION_OF_LAST);
	assert_int_equal(judge(words, 10 * SECOND, 1000 * SECOND), CONTINUATION_OF_LAST);
	assert_int_equal(judge(words, 10 * SECOND, 9 * SECOND), CONTINUATION_OF_LAST);
	assert_int_equal(judge(words, 10 * SECOND, 9 * SECOND - 1), CONTINUATION_GOES_BACK);
	assert_int_equal(judge(words, UINT64_MAX, 1), CONTINUATION_GOES_BACK);
	assert_int_equal(judge(words, 0, 10 * SECOND), CONTINUATION_NONE);
}

/* One that differs is enough, and so is one that is not reported; of the processor one of two will
 * do.
 */
static void origins(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ORIGIN_FACTS; i++) {
		const char *other[ORIGIN_FACTS];
		memcpy(other, words, sizeof(words));
		other[i] = "other";
		assert_int_equal(judge(other, SECOND, 2 * SECOND), CONTINUATION_NONE);
		other[i] = NULL;
		assert_int_equal(judge(other, SECOND, 2 * SECOND), CONTINUATION_NONE);
		const struct recording_origin less = origin_of(other);
		const struct recordings before = {less, SECOND};
		assert_int_equal(recordings_judge(&before, &less, 2 * SECOND),
				 i == ORIGIN_PROCESSOR || i == ORIGIN_PROCESSOR_ID ?
					 CONTINUATION_OF_LAST :
					 CONTINUATION_NONE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times),
		cmocka_unit_test(origins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
