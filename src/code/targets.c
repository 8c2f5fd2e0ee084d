/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/code/targets.h"

#include <elf.h>
#include <stdlib.h>

#include "src/base/sort.h"
#include "src/base/vec.h"
#include "src/elf/plt.h"

DEFINE_VEC(slot_vec, struct target_slot);

static bool slot_less(const struct target_slot *a, const struct target_slot *b)
{
	return a->address != b->address ? a->address < b->address : a->function < b->function;
}
DEFINE_SORT(sort_slots, struct target_slot, slot_less)
DEFINE_SEARCH(slots_below, struct target_slot, uint64_t, item->address < key)

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

uint32_t targets_at(const struct targets *targets, uint64_t vaddr)
{
	const struct function *f = functions_at(targets->functions, vaddr);

	return f ? (uint32_t)(f - targets->functions->at) : NO_TARGET;
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
