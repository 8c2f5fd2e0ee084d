/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/address_check.h"

#include "src/isa/insn.h"

/* A function without a table is read from its start: do not read on for ever. */
#define MOST_BYTES 65536

/* Where an instruction is known to begin, at or before the place. */
static uint32_t known_beginning(const struct binary *binary, struct output_place place)
{
	const struct bat_entry *entry = NULL;

	if (place.fragment)
		entry = bat_entry_at(&binary->bat, place.fragment, place.offset);
	return entry ? entry->output : 0;
}

/* Go on from the last address, if from the same beginning. */
static uint32_t begin(struct address_walk *walk, struct output_place place, uint32_t from)
{
	if (walk->function != place.function || walk->from != from || walk->at > place.offset)
		*walk = (struct address_walk){place.function, from, from};
	return walk->at;
}

enum address_verdict address_check(const struct binary *binary, struct output_place place,
				   struct address_walk *walk)
{
	uint32_t from = known_beginning(binary, place);
	struct bytes code = image_bytes_at(&binary->image, (struct vaddr){place.function->address});

	if (place.function->kind == FUNCTION_PLT || place.offset - from > MOST_BYTES)
		return ADDRESS_UNSURE;
	uint32_t at = begin(walk, place, from);
	while (at < place.offset) {
		size_t length = insn_decode(binary->image.machine, bytes_from(code, at), 0).size;
		if (!length)
			return ADDRESS_UNSURE;
		walk->at = at;
		at += (uint32_t)length;
	}
	return at == place.offset ? ADDRESS_BEGINS : ADDRESS_INSIDE;
}
