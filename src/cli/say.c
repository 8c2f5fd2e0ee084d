/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/say.h"

#include "src/base/text.h"

void say_format(char *line, size_t size, const char *fmt, va_list args)
{
	vsnprintf(line, size, fmt, args);
	make_printable(line);
}

void say(FILE *out, const char *fmt, ...)
{
	char line[8192];
	va_list args;

	va_start(args, fmt);
	say_format(line, sizeof(line), fmt, args);
	va_end(args);
	fprintf(out, "batconv: %s\n", line);
}
