/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Landing pads: where exceptions continue.  Each FDE of .eh_frame (its form is
 * in src/elf/eh_frame.h) may point to a table of its function's call sites:
 *
 *   u8 encoding, start of the landing pads   (ff: the function's)
 *   u8 encoding, uleb                        of the type table (ff: none)
 *   u8 encoding, uleb size of the call sites
 *   call sites: start, size, landing pad (0: none), uleb action
 */
#include "src/cfg/labels.h"
#include "src/elf/eh_frame.h"

/* 0 is none, wherever it counts from. */
static uint64_t take_pointer(struct eh_cursor *c, uint8_t encoding)
{
	uint64_t here = c->address, value = eh_take_pointer(c, encoding);

	return (encoding & EH_PE_BASE) == EH_PE_PCREL && value == here ? 0 : value;
}

static bool read_call_sites(const struct chosen *chosen, struct eh_cursor *c, uint64_t pads,
			    struct label_vec *out)
{
	uint8_t encoding = eh_take_byte(c);
	uint64_t size = eh_take_leb(c, false);
	bool ok = true;

	c->left = bytes_first(c->left, size);
	/* FDEs can share a table, whose landing pads are other ones for each of them. */
	if (!work_spend(chosen->image->work, WORK_CALL_SITES, c->left.size))
		return false;
	while (ok && c->left.size && !c->bad) {
		take_pointer(c, encoding); /* start and size of the call site */
		take_pointer(c, encoding);
		uint64_t pad = take_pointer(c, encoding);
		eh_take_leb(c, false);
		if (pad && !c->bad && chosen_inside(chosen, pads + pad))
			ok = label_vec_push(out, (struct label){pads + pad, LABEL_PAD});
	}
	return ok;
}

static bool read_table(const struct chosen *chosen, uint64_t table, uint64_t function,
		       struct label_vec *out)
{
	struct eh_cursor c = {image_bytes_at(chosen->image, (struct vaddr){table}), table, NULL};
	uint8_t encoding = eh_take_byte(&c);
	uint64_t pads = encoding == EH_PE_OMIT ? function : take_pointer(&c, encoding);

	if (eh_take_byte(&c) != EH_PE_OMIT)
		eh_take_leb(&c, false);
	return c.bad || read_call_sites(chosen, &c, pads, out);
}

static bool read_fde(const struct chosen *chosen, struct eh_frame_fde *fde, struct label_vec *out)
{
	eh_take_leb(&fde->rest, false); /* size of the augmentation data */
	uint64_t table = take_pointer(&fde->rest, fde->call_sites);

	return fde->rest.bad || !table || read_table(chosen, table, fde->code.address, out);
}

bool labels_of_landing_pads(const struct chosen *chosen, struct label_vec *out)
{
	struct eh_frame frame = eh_frame_begin(chosen->image);
	struct eh_frame_fde fde;
	bool ok = true;

	while (ok && eh_frame_next(&frame, &fde))
		ok = fde.call_sites == EH_PE_OMIT || read_fde(chosen, &fde, out);
	return ok;
}
