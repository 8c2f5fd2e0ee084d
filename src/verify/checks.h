/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The checks.  Each adds findings in the order of the table and
 * changes nothing else; docs/bat-format.md, "Invariants", is what they check.
 */
#ifndef VERIFY_CHECKS_H
#define VERIFY_CHECKS_H

#include "src/code/block_places.h"
#include "src/verify/findings.h"

/* verify.c: the file's executable segments.  It reads the bytes of the file, as a file with a
 * misaligned segment cannot be opened as an image.  False: it has one. */
bool check_segments(struct bytes file, struct findings *findings);

/* section_order.c: is it encoded as BOLT encodes?  False when out of memory. */
bool check_canonical(const struct binary *subject, struct findings *findings);

/* fragments.c: fragments and entries in themselves.  False: all maps are empty, and
 * there is nothing more to check. */
bool check_structure(const struct binary *subject, struct findings *findings);

/* blocks.c: hashes, indices and input offsets of each function's blocks.  code: where
 * some are missing, look for their instructions.  False when out of memory. */
bool check_blocks(const struct binary *subject, const struct block_starts *starts, bool code,
		  struct findings *findings);

/* fragments.c: cold fragments and the symbols. */
void check_parents(const struct binary *subject, struct findings *findings);

/* fragments.c: fragments against symbols and segments. */
void check_fragments(const struct binary *subject, struct findings *findings);

/* The location of a fragment or of one of its entries (NO_INDEX: the fragment). */
struct finding_location location_of(const struct binary *subject, uint32_t fragment, uint32_t entry);

/* An entry of a block that was never emitted: its offset is the difference to
 * address 0. */
bool entry_never_emitted(const struct bat_fragment *f, struct bat_entry e);

#endif
