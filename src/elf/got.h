/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the dynamic linker will put into a slot of memory: the dynamic
 * relocations that name a symbol or an ifunc's resolver, by address. */
#ifndef ELF_GOT_H
#define ELF_GOT_H

#include "src/elf/image.h"

struct got_slot {
	uint64_t address;
	const char *symbol; /* name, borrowed from the image; NULL: a resolver */
	uint64_t value;     /* of the symbol if it is defined here, else 0; or
			       the resolver's address */
};

struct got {
	struct got_slot *at; /* by address */
	size_t count;
};

/* Relocations whose symbol or name lies outside its table are left out: nothing
 * but a name depends on them.  BC_NOMEM. */
BC_MUST_USE bool got_read(const struct image *image, struct got *out, struct bc_error *err);
void got_free(struct got *got);

/* The slot at an address, or NULL. */
const struct got_slot *got_find(const struct got *got, uint64_t address);

#endif
