/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "src/base/text.h"

bool bc_fail(struct bc_error *err, enum bc_code code, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	make_printable(err->text);
	err->code = code;
	err->hint = 0;
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
	make_printable(err->text);
	err->code = code;
	err->hint = 0;
	return false;
}

bool bc_fail_nomem(struct bc_error *err)
{
	return bc_fail(err, BC_NOMEM, "out of memory");
}

bool bc_hint(struct bc_error *err, const char *fmt, ...)
{
	size_t at = strlen(err->text) + 1;
	va_list args;

	if (at >= sizeof(err->text))
		return false;
	va_start(args, fmt);
	vsnprintf(err->text + at, sizeof(err->text) - at, fmt, args);
	va_end(args);
	make_printable(err->text + at);
	err->hint = err->text[at] ? (unsigned short)at : 0;
	return false;
}

const char *bc_error_hint(const struct bc_error *err)
{
	return err->hint ? err->text + err->hint : NULL;
}

bool bc_fail_prefix(struct bc_error *err, const char *prefix)
{
	const struct bc_error before = *err;
	const char *hint = bc_error_hint(&before);

	bc_fail(err, before.code, "%s: %s", prefix, before.text);
	return hint ? bc_hint(err, "%s", hint) : false;
}
