/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/profgen.h"

#include "src/base/emit.h"

/* Addresses are counted from the first page of code, modulo 2^64: what is outside is below it. */
static void emit_list(struct emit *out, const struct ranges *ranges, size_t begin, size_t count, const char *between)
{
	emit_dec(out, count);
	emit_char(out, '\n');
	for (size_t i = begin; i < begin + count; i++) {
		emit_hex(out, ranges->at[i].from - ranges->base);
		emit_string(out, between);
		emit_hex(out, ranges->at[i].to - ranges->base);
		emit_char(out, ':');
		emit_dec(out, ranges->at[i].count);
		emit_char(out, '\n');
	}
}

void profgen_write(const struct ranges *ranges, FILE *file)
{
	struct emit out;

	emit_init(&out, file);
	emit_list(&out, ranges, 0, ranges->range_count, "-");
	emit_list(&out, ranges, ranges->range_count, ranges->branch_count, "->");
	emit_flush(&out);
}
