/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/output/dump.h"

#include <inttypes.h>
#include <string.h>

#include "src/base/print_name.h"
#include "src/output/demangle.h"

const char *dump_name(const struct dump *dump, uint32_t fragment)
{
	static char number[24];
	const struct bat_table *bat = &dump->subject->bat;
	const char *name = binary_fragment_owner(dump->subject, fragment);
	uint32_t parent = bat->fragments[fragment].parent;

	if (name)
		return dump->demangled ? demangle(name) : name;
	if (parent == BAT_NO_PARENT)
		return "?";
	snprintf(number, sizeof(number), "0x%" PRIx64, bat->fragments[parent].address);
	return number;
}

static bool holds(const struct dump *dump, uint32_t fragment)
{
	uint64_t distance = dump->address - dump->subject->bat.fragments[fragment].address;

	return !distance || distance < binary_fragment_size(dump->subject, fragment);
}

/* name/file.c/1 and name are what `name` asks for. */
static bool is_called(const char *name, const char *wanted)
{
	size_t size = strlen(wanted);

	return name && !strncmp(name, wanted, size) && (!name[size] || name[size] == '/');
}

/* A function is shown with all its fragments, whichever holds the address. */
bool dump_shows(const struct dump *dump, uint32_t fragment)
{
	const struct bat_table *bat = &dump->subject->bat;

	if (dump->only)
		return is_called(binary_fragment_owner(dump->subject, fragment), dump->only);
	if (!dump->has_address)
		return true;
	const struct bat_fragment *found = bat_find(bat, dump->address);
	uint32_t i = found ? (uint32_t)(found - bat->fragments) : 0;
	return found && holds(dump, i) &&
	       (i == fragment || (bat->fragments[i].parent != BAT_NO_PARENT &&
				  bat->fragments[i].parent == bat->fragments[fragment].parent));
}

bool dump_translate(const struct dump *dump, uint64_t address, FILE *out)
{
	const struct bat_table *bat = &dump->subject->bat;
	const struct bat_fragment *f = bat_find(bat, address);
	struct dump at = *dump;

	at.address = address;
	fprintf(out, "0x%" PRIx64 " -> ", address);
	if (!f || (dump->subject->kind != BINARY_SECTION && !holds(&at, (uint32_t)(f - bat->fragments)))) {
		fputs("not mapped\n", out);
		return false;
	}
	print_name(text_of(dump_name(dump, (uint32_t)(f - bat->fragments))), out);
	fprintf(out, " + 0x%" PRIx32 "\n", bat_translate(bat, f, (uint32_t)(address - f->address), false));
	return true;
}
