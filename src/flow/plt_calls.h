/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls through the PLT that llvm-bolt made calls through the GOT (-plt=hot or all): the instruction is `call *SLOT(%rip)` or
 * `jmp *SLOT(%rip)`, on AArch64 blr x17 or br x17 behind adrp x16 and ldr x17, and the entry that jumps through the same slot is still there.
 * llvm-bolt has that option for these two machines.
 */
#ifndef FLOW_PLT_CALLS_H
#define FLOW_PLT_CALLS_H

#include "src/elf/binary.h"
#include "src/elf/plt.h"

struct plt_slot {
	uint64_t address;
	const struct function *entry;
	uint32_t jump; /* offset in the entry of its jump through the slot */
};

/* Zeroed: there are none. */
struct plt_calls {
	struct plt_slot *at; /* by address */
	size_t count;
};

/* Slots in sections .got... that a PLT entry uses; none if the binary tells the command line that
 * BOLT was called with, and that has no -plt: such calls are the input's own then.  BC_NOMEM */
BC_MUST_USE bool plt_calls_open(const struct binary *binary, struct plt_calls *out, struct bc_error *err);
void plt_calls_close(struct plt_calls *calls);

/* The slot that the instruction at a vaddr calls or jumps through, or NULL. */
const struct plt_slot *plt_calls_find(const struct plt_calls *calls, const struct image *image, struct vaddr at);

#endif
