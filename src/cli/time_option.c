/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/time_option.h"

#include "src/base/attr.h"

/* Cuts the unit off the end of a text.  Returns how many decimal digits of a number in this unit
 * make whole nanoseconds. */
static size_t take_unit(struct text *text)
{
	static const struct {
		const char *name;
		size_t digits;
	} units[] = {{"ns", 0}, {"us", 3}, {"ms", 6}, {"s", 9}};

	for (size_t i = 0; i < BC_COUNT(units); i++)
		if (text_ends(*text, units[i].name)) {
			*text = text_first(*text, text->len - strlen(units[i].name));
			return units[i].digits;
		}
	return 9;
}

bool time_parse(struct text text, uint64_t *ns)
{
	size_t digits = take_unit(&text), dot = text_find(text, '.');
	struct text fraction = text_from(text, dot + 1);
	uint64_t whole, part = 0, scale = 1;

	if (!text_dec(text_first(text, dot), &whole) || fraction.len > digits ||
	    (dot < text.len && !text_dec(fraction, &part)))
		return false;
	for (size_t i = 0; i < digits; i++) {
		scale *= 10;
		part *= i < digits - fraction.len ? 10 : 1;
	}
	if (whole > (UINT64_MAX - part) / scale)
		return false;
	*ns = whole * scale + part;
	return true;
}

const char *option_time(struct command_line *line, const struct option_row *row, const char *value)
{
	struct number *time = option_field(line, row);

	time->given = time_parse(text_of(value), &time->is);
	return time->given ? NULL : OPTION_WRONG;
}
