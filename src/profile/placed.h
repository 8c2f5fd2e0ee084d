/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The pseudo-probes of a binary: where in its code they are, and which tree is of which function.
 *
 * Differences of a record begin at its function, which the section knows by its name only.  Where several local
 * functions share that name the records are theirs in order, as linkers keep the section in the order of the code;
 * if the numbers of both differ, nothing is known of them.
 */
#ifndef PROFILE_PLACED_H
#define PROFILE_PLACED_H

#include "src/elf/binary.h"
#include "src/profile/names.h"
#include "src/profile/section.h"

struct placed_probe {
	uint64_t vaddr;
	size_t number; /* among section.probes */
};
DEFINE_VEC(placed_probe_vec, struct placed_probe);

/* Immutable once it is open. */
struct placed_probes {
	struct probe_section section;
	struct guid_name_vec names;   /* of the functions; sorted */
	struct placed_probe_vec at;   /* by vaddr; of one vaddr as they stand in the section */
	uint32_t *record_of;          /* per function: the root of its tree, or NO_PROBE_NODE */
	size_t function_count;
	size_t unplaced; /* probes whose place is not known */
};

/* Does the file have both sections? */
bool placed_probes_are_in(const struct image *image);

/* Read the probes of a file that has both.  Each record becomes the tree of one function: of the one that holds its
 * first probe, if it has that name; of several the last one counts, as in BOLT.  If .pseudo_probe_desc lists none of the
 * function's names (parts of a coroutine share its GUID), the record may have any name, and the first one counts.
 *
 * binary  whose functions these are, so that fragments count as their parents; NULL: of another file
 *
 * BC_FORMAT (section.h), BC_NOMEM; the text has no path.  Finish with placed_probes_close() either way. */
BC_MUST_USE bool placed_probes_open(const struct image *image, const struct function_table *functions,
				    const struct binary *binary, struct placed_probes *out, struct bc_error *err);
void placed_probes_close(struct placed_probes *probes);

/* Those in [from, from + size): from the returned index up to *end. */
size_t placed_probes_in(const struct placed_probes *probes, uint64_t from, uint64_t size, size_t *end);

/* One behind the last node of a record. */
size_t placed_record_end(const struct placed_probes *probes, uint32_t root);

#endif
