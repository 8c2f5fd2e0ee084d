/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/code/targets.h"

#include <elf.h>
#include <stdlib.h>

#include "src/base/sort.h"
#include "src/base/vec.h"
#include "src/elf/plt.h"

/* ---- thunks ---- */

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

/* ---- slots ---- */

DEFINE_VEC(slot_vec, struct target_slot);

static bool slot_less(const struct target_slot *a, const struct target_slot *b)
{
	return a->address != b->address ? a->address < b->address : a->function < b->function;
}
DEFINE_SORT(sort_slots, struct target_slot, slot_less)
DEFINE_SEARCH(slots_below, struct target_slot, uint64_t, item->address < key)

/* The function whose first byte is at a vaddr, or NO_TARGET. */
static uint32_t targets_at(const struct targets *targets, uint64_t vaddr)
{
	const struct function *f = functions_at(targets->functions, vaddr);

	return f ? (uint32_t)(f - targets->functions->at) : NO_TARGET;
}

static uint32_t relative_type(enum machine machine)
{
	switch (machine) {
	case MACHINE_X86_64: return R_X86_64_RELATIVE;
	case MACHINE_AARCH64: return R_AARCH64_RELATIVE;
	case MACHINE_RISCV64: break;
	}
	return R_RISCV_RELATIVE;
}

static bool add_relative(const struct targets *targets, const struct section *section,
			 struct slot_vec *out)
{
	struct bytes rest = image_section_bytes(targets->image, section);

	for (; rest.size >= sizeof(Elf64_Rela); rest = bytes_from(rest, sizeof(Elf64_Rela))) {
		if ((uint32_t)le64(rest.data + 8) != relative_type(targets->image->machine))
			continue;
		uint32_t function = targets_at(targets, le64(rest.data + 16));
		if (function != NO_TARGET &&
		    !slot_vec_push(out, (struct target_slot){le64(rest.data), function}))
			return false;
	}
	return true;
}

static bool add_plt(const struct targets *targets, struct slot_vec *out, struct bc_error *err)
{
	struct got got = {0};
	struct plt plt = {0};

	bool ok = got_read(targets->image, &got, err) && plt_read(targets->image, &got, &plt, err);
	for (size_t i = 0; ok && i < plt.count; i++) {
		uint32_t function = targets_at(targets, plt.at[i].address);
		if (plt.at[i].slot && function != NO_TARGET)
			ok = slot_vec_push(out, (struct target_slot){plt.at[i].slot->address,
								     function}) ||
			     bc_fail_nomem(err);
	}
	plt_free(&plt);
	got_free(&got);
	return ok;
}

bool targets_open(const struct image *image, const struct function_table *functions,
		  struct targets *out, struct bc_error *err)
{
	struct targets targets = {.image = image, .functions = functions};
	struct slot_vec slots = {0};
	bool ok = add_plt(&targets, &slots, err);

	for (size_t i = 0; ok && i < image->section_count; i++) {
		const struct section *s = &image->sections[i];
		if (s->type == SHT_RELA && s->flags & SHF_ALLOC)
			ok = add_relative(&targets, s, &slots) || bc_fail_nomem(err);
	}
	ok = ok && thunks_read(image, &functions->symbols, &targets.thunks, err);
	if (!ok) {
		slot_vec_free(&slots);
		return false;
	}
	sort_slots(slots.at, slots.len);
	targets.slots = slots.at;
	targets.slot_count = slots.len;
	*out = targets;
	return true;
}

void targets_close(struct targets *targets)
{
	free(targets->slots);
	thunks_free(&targets->thunks);
	*targets = (struct targets){0};
}

static uint32_t through_slot(const struct targets *targets, uint64_t slot)
{
	size_t first = slots_below(targets->slots, targets->slot_count, slot);

	return first < targets->slot_count && targets->slots[first].address == slot ?
		       targets->slots[first].function :
		       NO_TARGET;
}

uint32_t targets_of(const struct targets *targets, const struct insn *insn)
{
	bool through_memory = insn->kind == INSN_CALL_INDIRECT || insn->kind == INSN_JUMP_INDIRECT;

	if (!insn->target || !(insn_is_direct(*insn) || through_memory))
		return NO_TARGET;
	if (through_memory)
		return through_slot(targets, insn->target);
	const struct thunk *thunk = thunks_find(&targets->thunks, insn->target);
	return targets_at(targets, thunk ? thunk->target : insn->target);
}

uint32_t targets_beyond(const struct targets *targets, const struct function *function,
			const struct insn *insn)
{
	uint32_t target = targets_of(targets, insn);
	bool own = target != NO_TARGET && &targets->functions->at[target] == function;

	return own && !insn_is_call(*insn) ? NO_TARGET : target;
}
