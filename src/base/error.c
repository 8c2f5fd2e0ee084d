/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Names and lines from files go into messages; a message stays one line. */
static void escape_control(char *text)
{
	for (unsigned char *c = (unsigned char *)text; *c; c++)
		if (*c < 0x20 || *c == 0x7f)
			*c = '?';
}

bool bc_fail(struct bc_error *err, enum bc_code code, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	escape_control(err->text);
	err->code = code;
	return false;
}

bool bc_fail_errno(struct bc_error *err, const char *fmt, ...)
{
	enum bc_code code = errno == ENOMEM ? BC_NOMEM : BC_IO;
	const char *why = strerror(errno);
	va_list args;

	va_start(args, fmt);
	int len = vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	if (len >= 0 && (size_t)len < sizeof(err->text))
		snprintf(err->text + len, sizeof(err->text) - (size_t)len, ": %s", why);
	escape_control(err->text);
	err->code = code;
	return false;
}

bool bc_fail_nomem(struct bc_error *err)
{
	return bc_fail(err, BC_NOMEM, "out of memory");
}

bool bc_fail_prefix(struct bc_error *err, const char *prefix)
{
	char text[sizeof(err->text)];

	memcpy(text, err->text, sizeof(text));
	return bc_fail(err, err->code, "%s: %s", prefix, text);
}
