/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/verify/sdt_probes.h"

#include <stdlib.h>

#include "src/elf/notes.h"

#define PROBE_TYPE 3
enum { PROBE_PC = 0, PROBE_BASE = 8, PROBE_SIZE = 24 }; /* and the semaphore's address */

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static bool next_probe(struct bytes *rest, struct note *note)
{
	while (note_next(rest, 4, note))
		if (note->type == PROBE_TYPE && text_is(note->owner, "stapsdt") &&
		    note->desc.size >= PROBE_SIZE)
			return true;
	return false;
}

static size_t count_probes(struct bytes notes)
{
	struct note note;
	size_t count = 0;

	while (next_probe(&notes, &note))
		count++;
	return count;
}

bool probes_read(const struct image *image, struct probes *out)
{
	const struct section *section = image_section(image, ".note.stapsdt");
	const struct section *base = image_section(image, ".stapsdt.base");
	struct bytes notes = section ? image_section_bytes(image, section) : (struct bytes){NULL, 0};
	struct probes probes = {malloc((count_probes(notes) + 1) * sizeof(*probes.at)), 0};
	struct note note;

	*out = probes;
	if (!probes.at)
		return false;
	while (next_probe(&notes, &note)) {
		/* prelink moves a program, but not the addresses in these notes. */
		uint64_t moved = base ? base->addr - le64(note.desc.data + PROBE_BASE) : 0;
		probes.at[probes.count++] = le64(note.desc.data + PROBE_PC) + moved;
	}
	qsort(probes.at, probes.count, sizeof(*probes.at), by_value);
	*out = probes;
	return true;
}

void probes_free(struct probes *probes)
{
	free(probes->at);
	*probes = (struct probes){0};
}

bool probes_has(const struct probes *probes, uint64_t at)
{
	return probes->count &&
	       bsearch(&at, probes->at, probes->count, sizeof(*probes->at), by_value);
}
