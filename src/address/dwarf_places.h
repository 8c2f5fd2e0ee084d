/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Lines and inlined calls of an address, from DWARF that libdw has read.
 *
 * Which compilation unit an address is in is told by the units' own ranges: not every
 * compiler writes .debug_aranges.  What was found of an address is kept: the addresses
 * of a profile repeat.
 */
#ifndef ADDRESS_DWARF_PLACES_H
#define ADDRESS_DWARF_PLACES_H

#include <stddef.h>

#include "src/base/address.h"
#include "src/base/error.h"

/* Where in the source an address is, in one function of those that were inlined into each
 * other there. */
struct source_place {
	const char *function; /* NULL: not known; mangled if it has such a name */
	const char *file;     /* NULL: not known */
	uint32_t line;        /* 0: not known */
};

/* Innermost first; the last one is the function that the code belongs to, the others were
 * inlined.  Strings live as long as what they were read from. */
struct source_places {
	const struct source_place *at;
	size_t count;
};

struct dwarf_places;

/* library  libdw, as dlopen() gave it
 * dwarf    a Dwarf *; must outlive *out
 * inlines  look for inlined calls: else there is one place, the line of the instruction,
 *          without a function
 *
 * BC_UNSUPPORTED  libdw lacks a function
 * BC_NOMEM */
BC_MUST_USE bool dwarf_places_open(void *library, void *dwarf, bool inlines, struct dwarf_places **out,
				   struct bc_error *err);
void dwarf_places_close(struct dwarf_places *places);

/* Of an address as DWARF has it.  Nothing known: of count 0.  The array lives as long as
 * `places`.  BC_NOMEM */
BC_MUST_USE bool dwarf_places_find(struct dwarf_places *places, uint64_t at, struct source_places *out,
				   struct bc_error *err);

#endif
