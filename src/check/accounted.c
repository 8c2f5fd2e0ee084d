/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/check/accounted.h"

#include "src/check/block_starts.h"

struct reading {
	const struct binary *subject;
	struct decoder *decoder;
	const struct bat_fragment *fragment;
	struct bytes code;
};

/* Does the jump lead out of the function, or to the beginning of a block? */
static bool leads_to_block(const struct reading *r, uint64_t target)
{
	const struct bat_table *bat = &r->subject->bat;
	const struct bat_fragment *f = bat_find(bat, target);

	if (!f || f->parent != r->fragment->parent ||
	    target - f->address >= binary_fragment_size(r->subject, (uint32_t)(f - bat->fragments)))
		return true;
	return block_begins(bat, f, target - f->address);
}

/* Behind a conditional jump there is the next block, or, where BOLT moved that block, a jump to
 * it. */
static bool goes_on(struct reading *r, uint32_t offset)
{
	struct insn insn;

	if (offset >= r->code.size || block_begins(&r->subject->bat, r->fragment, offset))
		return true;
	return decoder_next(r->decoder, bytes_from(r->code, offset), r->fragment->address + offset, &insn) &&
	       insn.kind == INSN_JUMP;
}

static bool is_jump(const struct insn *insn)
{
	return !insn_goes_on(*insn) && insn->kind != INSN_CONDITIONAL;
}

static bool read_code(struct reading *r)
{
	bool behind_jump = true;
	struct insn insn;

	for (uint32_t at = 0; at < r->code.size; at += insn.size) {
		struct bytes rest = bytes_from(r->code, at);
		bool begins = block_begins(&r->subject->bat, r->fragment, at);
		if (!decoder_next(r->decoder, rest, r->fragment->address + at, &insn))
			return false;
		if (behind_jump && !begins && !insn.nop)
			return false;
		behind_jump &= !begins;
		behind_jump |= is_jump(&insn);
		if (insn_jumps(insn) && !leads_to_block(r, insn.target))
			return false;
		if (insn.kind == INSN_CONDITIONAL && !goes_on(r, at + insn.size))
			return false;
	}
	return true;
}

bool fragment_accounted(const struct binary *subject, struct decoder *decoder, uint32_t fragment)
{
	const struct bat_fragment *f = &subject->bat.fragments[fragment];
	struct bytes code = image_bytes_at(&subject->image, (struct vaddr){f->address});
	struct reading reading = {subject, decoder, f,
				  bytes_first(code, binary_fragment_size(subject, fragment))};

	return read_code(&reading);
}
