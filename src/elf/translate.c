/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/translate.h"

struct output_place binary_place(const struct binary *binary, struct vaddr at,
			  const struct function *near)
{
	const struct function *function = near;

	if (!near || at.v - near->address >= near->size)
		function = functions_find(&binary->functions, at);
	if (!function || at.v - function->address > UINT32_MAX) /* further than an offset reaches */
		return (struct output_place){0};
	return binary_place_in(binary, (uint32_t)(function - binary->functions.at), (uint32_t)(at.v - function->address));
}

const struct function *binary_owner(const struct binary *binary, struct output_place place)
{
	if (!place.fragment || !place.fragment->cold)
		return place.function;
	if (place.fragment->parent == BAT_NO_PARENT)
		return NULL;
	struct vaddr parent = {binary->bat.fragments[place.fragment->parent].address};
	return functions_find(&binary->functions, parent);
}

bool binary_translate(const struct binary *binary, struct output_place place, bool is_source,
		      struct input_place *out)
{
	*out = (struct input_place){0};
	if (!place.function)
		return true;
	if (binary->kind == BINARY_LOST)
		return false;
	out->function = binary_owner(binary, place);
	if (!out->function)
		return false;
	out->offset = place.fragment ? bat_translate(&binary->bat, place.fragment, place.offset, is_source)
				     : place.offset;
	return true;
}
