/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bat/cursor.h"

#include <stdarg.h>
#include <stdio.h>

bool bat_cursor_fail(const struct bat_cursor *c, const uint8_t *at, const char *field,
		     enum bat_cause cause, const char *why, ...)
{
	struct bat_error *err = c->err;
	char reason[128];
	va_list args;

	va_start(args, why);
	(void)vsnprintf(reason, sizeof(reason), why, args);
	va_end(args);

	err->code = BAT_ERROR_FORMAT;
	err->byte = (uint64_t)(at - c->begin);
	err->field = field;
	err->cause = cause;
	(void)snprintf(err->text, sizeof(err->text), "%s, byte %llu: %s", field,
		       (unsigned long long)err->byte, reason);
	return false;
}

static bool fail_wide(const struct bat_cursor *c, const char *field)
{
	return bat_cursor_fail(c, c->pos, field, BAT_CAUSE_WIDE, "a number wider than 64 bits");
}

static bool fail_end(const struct bat_cursor *c, const char *field)
{
	return bat_cursor_fail(c, c->pos, field, BAT_CAUSE_END, "the number runs past the end");
}

bool bat_cursor_long_uleb(struct bat_cursor *c, const char *field, uint64_t *out)
{
	uint64_t value = 0;
	unsigned shift = 0;

	for (const uint8_t *p = c->pos; p < c->end; p++) {
		uint64_t bits = *p & 0x7fu;

		if (shift == 63 ? bits > 1 : shift > 63 && bits)
			return fail_wide(c, field);
		if (shift < 64) {
			value |= bits << shift;
			shift += 7;
		}
		if (*p < 0x80) {
			c->pos = p + 1;
			*out = value;
			return true;
		}
	}
	return fail_end(c, field);
}

/* From the 64th bit on, all bits must repeat the sign. */
static bool sleb_wide(uint64_t value, unsigned shift, uint64_t bits)
{
	if (shift < 63)
		return false;
	if (shift == 63)
		return bits != 0 && bits != 0x7f;
	return bits != (value >> 63 ? 0x7f : 0);
}

bool bat_cursor_long_sleb(struct bat_cursor *c, const char *field, uint64_t *out)
{
	uint64_t value = 0;
	unsigned shift = 0;

	for (const uint8_t *p = c->pos; p < c->end; p++) {
		uint64_t bits = *p & 0x7fu;

		if (sleb_wide(value, shift, bits))
			return fail_wide(c, field);
		if (shift < 64) {
			value |= bits << shift;
			shift += 7;
		}
		if (*p < 0x80) {
			if (shift < 64 && bits & 0x40)
				value |= UINT64_MAX << shift;
			c->pos = p + 1;
			*out = value;
			return true;
		}
	}
	return fail_end(c, field);
}
