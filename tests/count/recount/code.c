/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/count/recount/code.h"

#include "src/isa/decoder.h"
#include "src/code/labels.h"
#include "tests/count/recount/mistakes.h"

static uint32_t known_before(const struct binary *binary, const struct spot *spot)
{
	uint32_t known = 0;

	for (uint32_t i = 0; spot->fragment && i < spot->fragment->entry_count; i++) {
		uint32_t at = binary->bat.entries[spot->fragment->first_entry + i].output;
		if (at < spot->offset && at > known)
			known = at;
	}
	return known;
}

/* The last instruction that begins before the spot.  False: none is known. */
static bool last_before(const struct binary *binary, const struct spot *spot, struct insn *out)
{
	const struct function *f = spot->function;
	struct bytes code =
		bytes_first(image_bytes_at(&binary->image, (struct vaddr){f->address}), f->size);
	uint32_t at = known_before(binary, spot);
	struct decoder decoder;
	bool ok = f->kind == FUNCTION_CODE && spot->offset && spot->offset < code.size;

	decoder_open(binary->image.machine, &decoder);
	while (ok && at < spot->offset) {
		ok = decoder_next(&decoder, bytes_from(code, at), f->address + at, out);
		out->offset = at;
		at += out->size;
	}
	decoder_close(&decoder);
	return ok;
}

/* As far as that is known. */
static bool is_inside(const struct binary *binary, const struct spot *spot)
{
	struct insn insn = {0};

	return last_before(binary, spot, &insn) && insn.offset + insn.size > spot->offset;
}

bool code_is_return(const struct binary *binary, uint64_t branch)
{
	struct spot spot = spot_of(binary, branch);

	return spot.function &&
	       insn_branch(binary->image.machine,
			   image_bytes_at(&binary->image, (struct vaddr){branch}), branch)
			       .kind == INSN_RETURN &&
	       (spot.fragment || !is_inside(binary, &spot));
}

static bool is_landing_pad(const struct binary *binary, const struct spot *spot)
{
	uint32_t index = (uint32_t)(spot->function - binary->functions.at);
	const struct chosen chosen = {&binary->image, &binary->functions, &index, 1};
	struct label_vec pads = {0};
	bool is_pad = false;

	must_have_memory(labels_of_landing_pads(&chosen, &pads));
	for (size_t i = 0; i < pads.len; i++)
		is_pad |= pads.at[i].address == spot->function->address + spot->offset;
	label_vec_free(&pads);
	return is_pad;
}

bool code_is_returned_to(const struct binary *binary, const struct spot *spot)
{
	struct insn insn = {0};

	return spot->function && last_before(binary, spot, &insn) && insn_is_call(insn) &&
	       insn.offset + insn.size == spot->offset && !is_landing_pad(binary, spot);
}
