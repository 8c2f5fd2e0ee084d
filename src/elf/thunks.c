/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/thunks.h"

#include <elf.h>
#include <stdlib.h>

#include "src/base/sort.h"
#include "src/isa/insn.h"

/* llvm-bolt makes chains of a few (--max-thunk-chain-length). */
#define CHAIN_MOST 64

DEFINE_SEARCH(thunks_from, struct thunk, uint64_t, item->address <= key)

const struct thunk *thunks_find(const struct thunks *thunks, uint64_t address)
{
	size_t behind = thunks_from(thunks->at, thunks->count, address);
	const struct thunk *last = behind ? &thunks->at[behind - 1] : NULL;

	return last && address - last->address < last->size ? last : NULL;
}

/* Where the code of a thunk leads.  False: it is none. */
static bool read_target(struct bytes code, uint64_t at, uint64_t *target)
{
	struct insn jump = insn_branch(MACHINE_AARCH64, code, at);

	*target = jump.target;
	return (jump.kind == INSN_JUMP && insn_is_direct(jump)) ||
	       aarch64_far_jump(code, at, target);
}

/* Chains end at their last target; those that are longer than any, or lead round, end nowhere else.
 */
static void join_chains(struct thunks *thunks)
{
	for (size_t i = 0; i < thunks->count; i++)
		for (int hops = 0; hops < CHAIN_MOST; hops++) {
			const struct thunk *next = thunks_find(thunks, thunks->at[i].target);
			if (!next || next == &thunks->at[i])
				break;
			thunks->at[i].target = next->target;
		}
}

bool thunks_read(const struct image *image, const struct symbol_table *symbols, struct thunks *out,
		 struct bc_error *err)
{
	size_t most = 0;

	*out = (struct thunks){0};
	for (size_t i = 0; i < symbols->count && image->machine == MACHINE_AARCH64; i++)
		most += symbol_is_thunk(symbols->at[i].name);
	if (!most)
		return true;
	out->at = calloc(most, sizeof(*out->at));
	if (!out->at)
		return bc_fail_nomem(err);
	for (size_t i = 0; i < symbols->count; i++) {
		const struct symbol *s = &symbols->at[i];
		struct thunk thunk = {.address = s->address, .size = s->size};
		struct bytes code =
			bytes_first(image_bytes_at(image, (struct vaddr){s->address}), s->size);
		bool again = out->count && out->at[out->count - 1].address == s->address;
		if (symbol_is_thunk(s->name) && s->type == STT_FUNC && !again &&
		    read_target(code, s->address, &thunk.target))
			out->at[out->count++] = thunk;
	}
	join_chains(out);
	return true;
}

void thunks_free(struct thunks *thunks)
{
	free(thunks->at);
	*thunks = (struct thunks){0};
}
