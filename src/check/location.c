/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/check/checks.h"

/* Output offsets are modulo 2^32, as code of an entry can stand before its fragment. */
static uint64_t address_of(const struct bat_fragment *f, struct bat_entry e)
{
	if (entry_never_emitted(f, e))
		return f->address;
	return (f->address & ~(uint64_t)UINT32_MAX) | (uint32_t)(f->address + e.output);
}

struct finding_location location_of(const struct binary *subject, uint32_t fragment, uint32_t entry)
{
	const struct bat_fragment *f = &subject->bat.fragments[fragment];
	struct finding_location location = NO_LOCATION;

	location.function = binary_fragment_owner(subject, fragment);
	location.fragment = fragment;
	location.entry = entry;
	location.address = f->address;
	if (entry != NO_INDEX)
		location.address = address_of(f, subject->bat.entries[f->first_entry + entry]);
	return location;
}

/* Such a block has address 0 in BOLT, which stores the difference to the fragment's address. */
bool entry_never_emitted(const struct bat_fragment *f, struct bat_entry e)
{
	return e.output && e.output == (uint32_t)-f->address;
}
