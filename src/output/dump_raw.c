/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <inttypes.h>
#include <string.h>

#include "src/base/print_name.h"
#include "src/check/section_order.h"
#include "src/output/dump.h"

struct raw {
	const struct dump *dump;
	const struct section_order *order;
	FILE *out;
};

static const char *encoding_name(enum bat_encoding encoding)
{
	static const char *const names[] = {"u32", "u64", "uleb", "sleb", "bits"};

	return names[encoding];
}

static void print_bits(const struct bytes desc, const struct bat_field *f, FILE *out)
{
	for (uint64_t i = 0; i < f->size; i++)
		fprintf(out, "%02x", desc.data[f->byte + i]);
}

static bool print_field(void *ctx, const struct bat_field *f)
{
	struct raw *r = ctx;
	uint32_t fragment = section_order_fragment(r->order, f);

	if (fragment != NO_INDEX && !dump_shows(r->dump, fragment))
		return true;
	if (!strcmp(f->name, "Address") || !strcmp(f->name, "OutputAddress")) {
		fprintf(r->out, "%s %" PRIu32 ", ", f->cold ? "cold" : "fragment", f->fragment);
		print_name(text_of(dump_name(r->dump, fragment)), r->out);
		putc('\n', r->out);
	}
	fprintf(r->out, "%10" PRIu64 " %3" PRIu64 " %-4s %-17s ", f->byte, f->size,
		encoding_name(f->encoding), f->name);
	if (f->entry != BAT_NO_INDEX)
		fprintf(r->out, "%6" PRIu32 "  ", f->entry);
	else
		fputs("        ", r->out);
	if (f->encoding == BAT_BITS)
		print_bits(r->dump->subject->desc, f, r->out);
	else
		fprintf(r->out, "0x%" PRIx64, f->value);
	if (f->stored != f->value)
		fprintf(r->out, "  stored 0x%" PRIx64, f->stored);
	putc('\n', r->out);
	return true;
}

bool dump_raw(const struct dump *dump, FILE *out)
{
	BC_AUTO(section_order_free) struct section_order order = {0};
	struct raw raw = {dump, &order, out};
	struct bat_error err;

	if (!section_order_make(&dump->subject->bat, &order))
		return false;
	fputs("      byte  size encoding field   entry  value\n", out);
	return bat_fields(dump->subject->bat.layout, dump->subject->desc.data,
			  dump->subject->desc.size, print_field, &raw, &err);
}
