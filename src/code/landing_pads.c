/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Landing pads: where exceptions continue, by the exception tables of src/elf/lsda.h. */
#include "src/code/labels.h"
#include "src/elf/lsda.h"

static bool add_pads(const struct chosen *chosen, const struct lsda *lsda, struct label_vec *out)
{
	bool ok = true;

	for (size_t i = 0; ok && i < lsda->sites.len; i++) {
		uint64_t pad = lsda->sites.at[i].pad;
		if (pad && chosen_inside(chosen, pad))
			ok = label_vec_push(out, (struct label){pad, LABEL_PAD});
	}
	return ok;
}

static bool read_fde(const struct chosen *chosen, struct eh_frame_fde *fde, struct label_vec *out)
{
	uint64_t table = eh_frame_take_lsda(fde);
	struct lsda lsda;

	if (!table)
		return true;
	bool ok = lsda_read(chosen->image, table, fde->code.address, &lsda) && add_pads(chosen, &lsda, out);
	lsda_free(&lsda);
	return ok;
}

bool labels_of_landing_pads(const struct chosen *chosen, struct label_vec *out)
{
	struct eh_frame frame = eh_frame_begin(chosen->image);
	struct eh_frame_fde fde;
	bool ok = true;

	while (ok && eh_frame_next(&frame, &fde))
		ok = read_fde(chosen, &fde, out);
	return ok;
}
