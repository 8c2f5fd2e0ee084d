/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/walk_blocks.h"

#include "src/isa/insn.h"

void walk_blocks_free(struct walk_blocks *blocks)
{
	walk_block_vec_free(&blocks->all);
	map_free(&blocks->by_start);
}

static uint64_t hash_of(uint64_t seed, uint64_t vaddr)
{
	return hash_end(hash_mix(seed, vaddr));
}

static bool begins_at(const struct walk_block *all, uint32_t number, uint64_t vaddr)
{
	return all[number].start == vaddr;
}
DEFINE_MAP(by_start, const struct walk_block *, uint64_t, hash_of, begins_at);

/* The bytes of code from an address on, of segments that are run. */
static struct bytes code_at(const struct image *image, uint64_t vaddr)
{
	const struct segment *segment = image_segment_at(image, (struct vaddr){vaddr});

	return segment && segment->executable ? image_bytes_at(image, (struct vaddr){vaddr}) : (struct bytes){NULL, 0};
}

/* Intel PT has no bit for XBEGIN (c7 f8 and four bytes): a transaction that fails is told otherwise. */
static bool is_xbegin(struct bytes code, const struct insn *insn)
{
	return insn->size >= 6 && code.data[insn->size - 6] == 0xc7 && code.data[insn->size - 5] == 0xf8;
}

/* A jump of APX with an address of eight bytes behind opcode a1: Intel PT has a target for it. */
static bool is_jmpabs(struct bytes code, const struct insn *insn)
{
	return insn->size >= 11 && code.data[insn->size - 9] == 0xa1;
}

static enum block_end end_of_x86(struct bytes code, const struct insn *insn)
{
	switch ((enum insn_kind)insn->kind) {
	case INSN_NEXT: break;
	case INSN_CALL: return ENDS_CALL;
	case INSN_CALL_INDIRECT: return ENDS_CALL_INDIRECT;
	case INSN_CONDITIONAL: return is_xbegin(code, insn) ? ENDS_CUT : ENDS_CONDITIONAL;
	case INSN_JUMP: return is_jmpabs(code, insn) ? ENDS_JUMP_INDIRECT : ENDS_JUMP;
	case INSN_JUMP_INDIRECT: return ENDS_JUMP_INDIRECT;
	case INSN_RETURN: return ENDS_RETURN;
	case INSN_SYSTEM: return ENDS_SYSTEM;
	case INSN_BREAK:
	case INSN_TRAP: return ENDS_NEVER;
	}
	return ENDS_CUT;
}

/* Arm Architecture Reference Manual, barriers and hints: ISB with any option; WFE, WFI; WFET and WFIT with a register. */
static enum block_end end_of_aarch64(struct bytes code, const struct insn *insn)
{
	uint32_t word = le32(code.data);

	switch ((enum insn_kind)insn->kind) {
	case INSN_NEXT: break;
	case INSN_CALL: return ENDS_CALL;
	case INSN_CALL_INDIRECT: return ENDS_CALL_INDIRECT;
	case INSN_CONDITIONAL: return ENDS_CONDITIONAL;
	case INSN_JUMP: return ENDS_JUMP;
	case INSN_JUMP_INDIRECT: return ENDS_JUMP_INDIRECT;
	case INSN_RETURN: return ENDS_RETURN;
	case INSN_SYSTEM: return ENDS_SYSTEM;
	case INSN_BREAK:
	case INSN_TRAP: return ENDS_NEVER;
	}
	if ((word & 0xfffff0ff) == 0xd50330df)
		return ENDS_SYNC;
	if (word == 0xd503205f || word == 0xd503207f || (word & 0xffffffc0) == 0xd5031000)
		return ENDS_WAIT;
	return ENDS_CUT;
}

/* ENDS_CUT: the code goes on.  Without a size: ENDS_NEVER. */
static enum block_end end_of(const struct walk_blocks *blocks, struct bytes code, uint64_t vaddr, struct insn *insn)
{
	*insn = insn_decode(blocks->image->machine, code, vaddr);
	if (!insn->size && !decoder_next(blocks->decoder, code, vaddr, insn))
		return ENDS_NEVER;
	return blocks->image->machine == MACHINE_X86_64 ? end_of_x86(code, insn) : end_of_aarch64(code, insn);
}

static bool can_begin(const struct walk_blocks *blocks, uint64_t vaddr)
{
	return blocks->image->machine == MACHINE_X86_64 || !(vaddr & 3);
}

static struct walk_block decode(const struct walk_blocks *blocks, uint64_t start)
{
	struct walk_block block = {.start = start, .end = ENDS_NEVER};
	struct bytes code = can_begin(blocks, start) ? code_at(blocks->image, start) : (struct bytes){NULL, 0};
	uint64_t most = WALK_BLOCK_BYTES - start % WALK_BLOCK_BYTES;

	while (code.size) {
		struct insn insn;
		block.end = (uint8_t)end_of(blocks, code, start + block.length, &insn);
		if (block.end == ENDS_NEVER || insn.size > code.size) {
			block.end = ENDS_NEVER;
			break;
		}
		block.target = insn.target;
		block.size = insn.size;
		if (block.end != ENDS_CUT)
			break;
		block.length += insn.size;
		block.size = 0;
		block.target = 0;
		code = bytes_from(code, insn.size);
		if (block.length >= most)
			break;
		block.end = ENDS_NEVER;
	}
	return block;
}

bool walk_blocks_at(struct walk_blocks *blocks, uint64_t vaddr, uint32_t *number)
{
	if (by_start_find(&blocks->by_start, blocks->all.at, vaddr, number))
		return true;
	*number = (uint32_t)blocks->all.len;
	if (blocks->all.len > MAP_NUMBER_MOST - 1 || !map_reserve(&blocks->by_start, 1) ||
	    !walk_block_vec_push(&blocks->all, decode(blocks, vaddr)))
		return false;
	by_start_put(&blocks->by_start, vaddr, *number);
	return true;
}

bool walk_block_has(const struct walk_blocks *blocks, const struct walk_block *block, uint64_t vaddr)
{
	uint64_t distance = vaddr - block->start;
	bool last = block->end == ENDS_CUT; /* nothing is at the end */

	if (distance > block->length || (last && distance == block->length && block->length))
		return false;
	if (!distance || distance == block->length)
		return true;
	if (blocks->image->machine != MACHINE_X86_64)
		return !(distance & 3);
	struct bytes code = code_at(blocks->image, block->start);
	for (uint64_t at = 0; at < distance;) {
		struct insn insn;
		end_of(blocks, bytes_from(code, at), block->start + at, &insn);
		if (!insn.size)
			return false;
		at += insn.size;
		if (at == distance)
			return true;
	}
	return false;
}
