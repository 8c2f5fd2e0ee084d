/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/verify/folded_functions.h"

#include "src/base/sort.h"
#include "src/code/pair.h"

static bool folded_less(const struct folded *a, const struct folded *b)
{
	return a->fragment != b->fragment ? a->fragment < b->fragment : a->input < b->input;
}
DEFINE_SORT(sort_folded, struct folded, folded_less)
DEFINE_SEARCH(folded_before, struct folded, uint32_t, item->fragment < key)

bool folded_list(const struct binary *subject, const struct input *input, struct folded_vec *out)
{
	const struct bat_table *bat = &subject->bat;
	struct pair pair = {0};
	struct bc_error unused;
	bool ok = pair_names(&input->image, &input->functions, subject, &pair, &unused);

	for (uint32_t i = 0; ok && i < input->functions.count; i++) {
		const struct function *output = pair.body_of[i] == NO_FUNCTION ? NULL : &subject->functions.at[pair.body_of[i]];
		const struct bat_fragment *f = output ? bat_find_exact(bat, output->address) : NULL;
		uint32_t fragment = f ? (uint32_t)(f - bat->fragments) : 0;
		if (f && input->of[fragment] != i)
			ok = folded_vec_push(out, (struct folded){fragment, i});
	}
	if (ok && out->len)
		sort_folded(out->at, out->len);
	pair_close(&pair);
	return ok;
}

const struct folded *folded_of(const struct folded_vec *folded, uint32_t fragment, size_t *count)
{
	size_t first = folded_before(folded->at, folded->len, fragment);

	*count = (fragment == UINT32_MAX ? folded->len : folded_before(folded->at, folded->len, fragment + 1)) - first;
	return *count ? &folded->at[first] : NULL;
}
