/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/addrspace/file_places.h"

void file_places_note(struct file_places *places, struct file_place place)
{
	for (size_t i = 0; i < places->len; i++) {
		const struct file_place *known = &places->at[i];
		if (known->offset == place.offset && known->size == place.size &&
		    known->vaddr == place.vaddr)
			return;
	}
	if (places->len < FILE_PLACES_MOST)
		places->at[places->len++] = place;
}

bool file_places_find(const struct file_places *places, uint64_t offset, uint64_t *vaddr)
{
	for (size_t i = 0; i < places->len; i++) {
		const struct file_place *place = &places->at[i];
		if (offset - place->offset >= place->size)
			continue;
		*vaddr = place->vaddr + (offset - place->offset);
		return true;
	}
	return false;
}
