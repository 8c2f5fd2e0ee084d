/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/code/jump_pattern.h"

#include "src/isa/x86_insn.h"

/* How far back the definition of a register is sought.  BOLT has no limit; real
 * ones are within a few dozen instructions, and work must stay bounded. */
#define LOOK_BACK 2000

/* Decoding an instruction again costs as much work as reading so many bytes of a table. */
#define INSN_WORK 16

/* Reads instructions backwards. */
struct backwards {
	const struct image *image;
	const struct function *function;
	const struct insn_vec *insns;
	size_t at;   /* index of `insn` */
	size_t left; /* how many more may be read */
	struct x86_insn insn;
};

/* One that is not known is none that matters. */
static void read_insn(struct backwards *b, size_t index)
{
	const struct insn *insn = &b->insns->at[index];
	struct vaddr address = {b->function->address + insn->offset};

	b->at = index;
	if (!x86_decode(bytes_first(image_bytes_at(b->image, address), insn->size), &b->insn))
		b->insn = (struct x86_insn){0};
}

/* Go back to the nearest instruction that writes one of two registers. */
static bool back_to_writer(struct backwards *b, unsigned reg, unsigned other)
{
	size_t from = b->at;
	bool found = false;

	if (!work_spend(b->image->work, WORK_JUMP_TABLES, 0)) /* it was too much before */
		return false;
	while (!found && b->at > 0 && b->left-- > 0) {
		read_insn(b, b->at - 1);
		found = b->insn.writes >> reg & 1 || b->insn.writes >> other & 1;
	}
	/* Counted as work, because many jumps can have the same long way back. */
	return work_spend(b->image->work, WORK_JUMP_TABLES, (from - b->at) * INSN_WORK) && found;
}

static bool is_opcode(const struct x86_insn *insn, uint8_t opcode)
{
	return insn->map == X86_ONE_BYTE && insn->opcode == opcode && insn->has_modrm;
}

/* movslq, leaq and movq with a memory operand */
static bool is_wide_load(const struct x86_insn *insn, uint8_t opcode)
{
	return is_opcode(insn, opcode) && insn->wide && insn->is_memory && !insn->segment;
}

/* From "add" back to "movslq (%table,%index,4), %entry" and from that to
 * "lea TABLE(%rip), %table"; of the two registers that are added either can be
 * the table. */
static bool relative_table(struct backwards *b, unsigned one, unsigned two, struct table_ref *out)
{
	if (!back_to_writer(b, one, two) || !is_wide_load(&b->insn, 0x63))
		return false;
	const struct x86_insn *entry = &b->insn;
	unsigned table = entry->reg == two ? one : two;
	if (entry->base != table || entry->scale != 4 || entry->index == X86_NO_REGISTER ||
	    entry->displacement)
		return false;
	if (!back_to_writer(b, table, table) || !is_wide_load(&b->insn, 0x8d) ||
	    b->insn.base != X86_RIP)
		return false;
	*out = (struct table_ref){b->insns->at[b->at].target, true};
	return true;
}

/* TABLE(,%index,8) */
static bool absolute_table(const struct x86_insn *insn, struct table_ref *out)
{
	*out = (struct table_ref){(uint64_t)insn->displacement, false};
	return insn->is_memory && insn->base == X86_NO_REGISTER &&
	       insn->index != X86_NO_REGISTER && insn->scale == 8 && !insn->segment;
}

/* "add %a, %b" in either encoding: the register that is added to `reg`, or `reg`
 * if it is no such instruction. */
static unsigned added_to(const struct x86_insn *insn, unsigned reg)
{
	if (!insn->wide || insn->is_memory)
		return reg;
	if (is_opcode(insn, 0x01))
		return insn->reg;
	return is_opcode(insn, 0x03) ? insn->rm : reg;
}

bool jump_pattern(const struct image *image, const struct function *function,
		  const struct insn_vec *insns, size_t jump, struct table_ref *out)
{
	struct backwards b = {.image = image, .function = function, .insns = insns,
			      .left = LOOK_BACK};

	if (image->machine != MACHINE_X86_64)
		return false;
	read_insn(&b, jump);
	if (!is_opcode(&b.insn, 0xff) || (b.insn.reg & 7) != 4)
		return false;
	/* notrack does not matter: to a jump's operand there is no segment. */
	b.insn.segment = false;
	if (b.insn.is_memory)
		return absolute_table(&b.insn, out);
	unsigned reg = b.insn.rm;
	if (!back_to_writer(&b, reg, reg))
		return false;
	if (is_opcode(&b.insn, 0x8b) && b.insn.is_memory)
		return absolute_table(&b.insn, out);
	unsigned added = added_to(&b.insn, reg);
	return added != reg && relative_table(&b, reg, added, out);
}
