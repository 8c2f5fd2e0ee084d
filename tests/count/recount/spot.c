/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/count/recount/spot.h"

/* The last function that begins at or before it, if it reaches so far. */
static const struct function *function_of(const struct function_table *functions, uint64_t at)
{
	size_t low = 0, high = functions->count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		if (functions->at[middle].address <= at)
			low = middle + 1;
		else
			high = middle;
	}
	const struct function *f = low ? &functions->at[low - 1] : NULL;
	return f && at - f->address < function_extent(functions, f) ? f : NULL;
}

/* The first that begins there: a hot one is before a cold one. */
static const struct bat_fragment *fragment_of(const struct bat_table *bat, uint64_t address)
{
	for (uint32_t i = 0; i < bat->fragment_count; i++)
		if (bat->fragments[i].address == address)
			return &bat->fragments[i];
	return NULL;
}

struct spot spot_of(const struct binary *binary, uint64_t at)
{
	const struct function *f = function_of(&binary->functions, at);

	if (!f || at - f->address > UINT32_MAX)
		return (struct spot){0};
	return (struct spot){f, fragment_of(&binary->bat, f->address), (uint32_t)(at - f->address)};
}

const struct function *spot_owner(const struct binary *binary, const struct spot *spot)
{
	const struct bat_fragment *fragment = spot->fragment;

	if (!fragment || !fragment->cold)
		return spot->function;
	if (fragment->parent == BAT_NO_PARENT)
		return NULL;
	return function_of(&binary->functions, binary->bat.fragments[fragment->parent].address);
}

bool spot_home(const struct binary *binary, const struct spot *spot, bool is_source,
	       struct home *out)
{
	*out = (struct home){0};
	if (!spot->function)
		return true;
	out->function = spot_owner(binary, spot);
	if (!out->function)
		return false;
	out->offset = spot->fragment ?
			      bat_translate(&binary->bat, spot->fragment, spot->offset, is_source) :
			      spot->offset;
	return true;
}
