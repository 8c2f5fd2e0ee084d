/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/check/own_code.h"

#include "src/check/same_insn.h"
#include "src/isa/x86_insn.h"

#define COMPARISON_MOST 4 /* instructions before its conditional jump */
#define COPY_MOST 64      /* instructions of a copied block           */
#define GONE_MOST 16      /* blocks in a row that have no code left   */

/* auipc sets a register, and jalr goes on from it. */
static bool is_far_branch(const struct code_view *v, uint32_t offset)
{
	struct bytes code = bytes_from(v->code, offset);

	if (v->decoder->machine != MACHINE_RISCV64 || code.size < 8)
		return false;
	uint32_t high = le32(code.data), low = le32(code.data + 4);
	return (high & 0x7f) == 0x17 && (low & 0x707f) == 0x67 && (low >> 15 & 31) == (high >> 7 & 31);
}

/* A position in the output that instructions are decoded from. */
struct cursor {
	struct bytes code;
	uint64_t at; /* where it is loaded */
	struct insn insn;
};

static bool cursor_read(const struct code_view *v, struct cursor *c)
{
	return c->code.size && decoder_next(v->decoder, c->code, c->at, &c->insn);
}

static void cursor_skip(struct cursor *c)
{
	c->code = bytes_from(c->code, c->insn.size);
	c->at += c->insn.size;
}

static struct cursor cursor_at(const struct code_view *v, uint32_t offset)
{
	return (struct cursor){bytes_from(v->code, offset), v->at + offset, {0}};
}

static bool begins_block(const struct code_view *v, const struct cursor *c)
{
	const struct bat_table *bat = &v->subject->bat;

	return block_begins(bat, &bat->fragments[v->fragment], c->at - v->at);
}

static bool leads_to_condition(const struct code_view *v, uint32_t offset)
{
	struct cursor c = cursor_at(v, offset);

	for (int i = 0; i < COMPARISON_MOST && cursor_read(v, &c); i++) {
		if (!insn_goes_on(c.insn) || insn_is_call(c.insn))
			return false;
		cursor_skip(&c);
		if (begins_block(v, &c))
			return false;
		if (cursor_read(v, &c) && c.insn.kind == INSN_CONDITIONAL)
			return true;
	}
	return false;
}

static bool is_promoted(const struct code_view *v, uint32_t parent, uint32_t input, uint32_t offset)
{
	return (block_starts_promoted(v->starts, parent, input) ||
		block_starts_copied(v->starts, parent, input)) &&
	       leads_to_condition(v, offset);
}

/* Are the instructions at `copy` those at `block`, up to the end of one of them?  A copy can end
 * with a jump to the rest of the block. */
static bool repeats(const struct code_view *v, struct cursor copy, struct cursor block)
{
	for (int i = 0; i < COPY_MOST; i++) {
		if (i && (!copy.code.size || begins_block(v, &copy)))
			return true;
		if (!cursor_read(v, &copy))
			return false;
		if (i && copy.insn.kind == INSN_JUMP)
			return true;
		if (!cursor_read(v, &block) ||
		    !same_instruction(v->decoder->machine, copy.code, &copy.insn, block.code, &block.insn))
			return false;
		if (!insn_goes_on(copy.insn))
			return true;
		cursor_skip(&copy);
		cursor_skip(&block);
	}
	return true;
}

static struct cursor block_code(const struct code_view *v, const struct block_start *start)
{
	const struct bat_fragment *f = &v->subject->bat.fragments[start->fragment];
	uint32_t offset = v->subject->bat.entries[start->entry].output;
	struct bytes code = image_bytes_at(&v->subject->image, (struct vaddr){f->address});

	code = bytes_first(code, binary_fragment_size(v->subject, start->fragment));
	return (struct cursor){bytes_from(code, offset), f->address + offset, {0}};
}

/* Is it a copy of the block that follows in the input?  If that block has no code any more, of
 * the first block behind it that has. */
static bool is_copied_tail(const struct code_view *v, uint32_t parent, uint32_t input, uint32_t offset)
{
	const struct block_starts *starts = v->starts;
	size_t i = block_starts_from(starts, parent, input + UINT64_C(1));

	for (size_t end = i + GONE_MOST; i < starts->count && i < end; i++) {
		if (starts->at[i].key >> 32 != parent)
			return false;
		struct cursor block = block_code(v, &starts->at[i]);
		if (block.code.size)
			return repeats(v, cursor_at(v, offset), block);
	}
	return false;
}

static bool is_kept_register(uint8_t reg)
{
	return reg == X86_RBX || reg == X86_RBP || (reg >= 12 && reg <= 15);
}

/* Is it a mov between a callee-saved register and the stack? */
static bool is_saving(struct bytes code)
{
	struct x86_insn insn;

	return x86_decode(code, &insn) && insn.map == X86_ONE_BYTE && insn.wide &&
	       (insn.opcode == 0x89 || insn.opcode == 0x8b) && insn.is_memory &&
	       (insn.base == X86_RSP || insn.base == X86_RBP) && is_kept_register(insn.reg);
}

static bool is_register_saving(const struct code_view *v, uint32_t offset)
{
	struct cursor c = cursor_at(v, offset);

	if (v->decoder->machine != MACHINE_X86_64)
		return false;
	for (int i = 0; cursor_read(v, &c); i++) {
		if (i && (c.insn.kind == INSN_JUMP || begins_block(v, &c)))
			return true;
		if (!is_saving(c.code))
			return false;
		cursor_skip(&c);
	}
	return false;
}

bool own_code_explains(const struct code_view *v, const struct spot *spot)
{
	const struct bat_fragment *f = &v->subject->bat.fragments[v->fragment];
	struct cursor c = cursor_at(v, spot->offset);

	if (probes_has(v->probes, c.at) || is_far_branch(v, spot->offset))
		return true;
	if (v->side->input || !cursor_read(v, &c))
		return false;
	uint32_t input = bat_entry_input(v->subject->bat.entries[f->first_entry + spot->entry]);
	uint32_t behind = spot->offset + c.insn.size;
	return is_promoted(v, f->parent, input, spot->offset) ||
	       is_copied_tail(v, f->parent, input, behind) || is_register_saving(v, behind);
}
