/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The entries of the procedure linkage table: stubs that jump through a slot of
 * the GOT.  BOLT makes a function of each, and one of the beginning of each
 * PLT section.
 */
#ifndef ELF_PLT_H
#define ELF_PLT_H

#include "src/elf/image.h"

/* What the dynamic linker will put into a slot of memory: the dynamic
 * relocations that name a symbol or an ifunc's resolver, by address. */

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

struct plt_entry {
	uint64_t address;
	uint32_t section;            /* index in image->sections */
	const struct got_slot *slot; /* NULL: the beginning of the section */
};

struct plt {
	struct plt_entry *at; /* by address, one per address */
	size_t count;
};

/* .plt, .plt.got, .plt.sec of x86-64, .plt, .plt.got, .iplt of AArch64, .plt of
 * RISC-V. */
bool plt_is_section(enum machine machine, struct text name);

/* Entries whose slot is in `got`, which must outlive them.  BC_NOMEM. */
BC_MUST_USE bool plt_read(const struct image *image, const struct got *got, struct plt *out,
			  struct bc_error *err);
void plt_free(struct plt *plt);

/* Where the jump of an entry lies: bytes from the entry's address. */
uint32_t plt_jump_in(const struct image *image, struct vaddr entry);

/* The address of the slot that the call or jump at a vaddr goes through: `call *SLOT(%rip)` or `jmp
 * *SLOT(%rip)` of x86-64; blr x17 or br x17 of AArch64 right after adrp x16, PAGE and ldr x17,
 * [x16, OFFSET]. 0: there is none. */
uint64_t plt_slot_of(const struct image *image, struct vaddr at);

#endif
