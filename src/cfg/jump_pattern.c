/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cfg/jump_pattern.h"

#include <string.h>

#include "src/cfg/x86_text.h"

/* How far back the definition of a register is sought.  BOLT has no limit; real
 * ones are within a few dozen instructions, and work must stay bounded. */
#define LOOK_BACK 2000

/* Reads instructions backwards. */
struct backwards {
	const struct decoder *decoder;
	const struct image *image;
	const struct function *function;
	const struct insn_vec *insns;
	size_t at;   /* index of `insn` */
	size_t left; /* how many more may be read */
	struct x86_text insn;
};

static void read_insn(struct backwards *b, size_t index)
{
	const struct insn *insn = &b->insns->at[index];
	uint64_t address = b->function->address + insn->offset;
	char text[LLVM_TEXT_SIZE];
	struct bytes code = image_bytes_at(b->image, (struct vaddr){address});

	b->at = index;
	llvm_decode(&b->decoder->llvm, bytes_first(code, insn->size), address, text);
	x86_parse(text, &b->insn);
}

/* Go back to the nearest instruction that writes one of two registers. */
static bool back_to_writer(struct backwards *b, int reg, int other)
{
	while (b->at > 0 && b->left-- > 0) {
		read_insn(b, b->at - 1);
		if (x86_writes(&b->insn, reg) || x86_writes(&b->insn, other))
			return true;
	}
	return false;
}

/* From "add" back to "movslq (%table,%index,4), %entry" and from that to
 * "lea TABLE(%rip), %table"; of the two registers that are added either can be
 * the table. */
static bool relative_table(struct backwards *b, int one, int two, struct table_ref *out)
{
	if (!back_to_writer(b, one, two) || !x86_is_load(&b->insn, "movslq"))
		return false;
	const struct x86_operand *entry = &b->insn.operands[0];
	int table = b->insn.operands[1].reg == two ? one : two;
	if (b->insn.operands[1].reg == table || entry->base != table || entry->scale != 4 ||
	    entry->index == X86_NO_REGISTER || entry->displacement || entry->segment)
		return false;
	if (!back_to_writer(b, table, table) || !x86_is_load(&b->insn, "leaq"))
		return false;
	const struct x86_operand *place = &b->insn.operands[0];
	if (place->base != X86_RIP || place->index != X86_NO_REGISTER || place->segment)
		return false;
	*out = (struct table_ref){b->insns->at[b->at].target, true};
	return true;
}

/* TABLE(,%index,8) */
static bool absolute_table(const struct x86_operand *place, struct table_ref *out)
{
	*out = (struct table_ref){(uint64_t)place->displacement, false};
	return place->kind == X86_MEMORY && place->base == X86_NO_REGISTER &&
	       place->index != X86_NO_REGISTER && place->scale == 8 && !place->segment;
}

static bool is_plain_load(const struct x86_text *insn)
{
	return x86_is_load(insn, "movq") || x86_is_load(insn, "movl") || x86_is_load(insn, "movw");
}

bool jump_pattern(const struct decoder *decoder, const struct image *image,
		  const struct function *function, const struct insn_vec *insns, size_t jump,
		  struct table_ref *out)
{
	struct backwards b = {.decoder = decoder, .image = image, .function = function,
			      .insns = insns, .left = LOOK_BACK};

	if (decoder->machine != MACHINE_X86_64)
		return false;
	read_insn(&b, jump);
	if (b.insn.count != 1)
		return false;
	if (b.insn.operands[0].kind == X86_MEMORY)
		return absolute_table(&b.insn.operands[0], out);
	int reg = b.insn.operands[0].reg;
	if (reg == X86_NO_REGISTER || !back_to_writer(&b, reg, reg))
		return false;
	if (is_plain_load(&b.insn))
		return absolute_table(&b.insn.operands[0], out);
	const struct x86_operand *added = &b.insn.operands[0];
	if (strcmp(b.insn.mnemonic, "addq") || b.insn.count != 2 || added->kind != X86_REGISTER ||
	    added->reg == reg || added->reg == X86_NO_REGISTER)
		return false;
	return relative_table(&b, reg, added->reg, out);
}
