/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The last step of decoding: from the order of the section to the order of a
 * table, and from what the section says about parents to indices.
 */
#ifndef BATCONV_BAT_LINK_H
#define BATCONV_BAT_LINK_H

#include "bat/bat.h"

/* Sort a table's fragments by address and set every parent.
 *
 * table   as the decoders leave it: in BAT_LAYOUT_FIXED sorted, otherwise all hot
 *         fragments sorted, then all cold ones sorted
 *
 * BAT_ERROR_NOMEM */
BAT_MUST_USE bool bat_link(struct bat_table *table, struct bat_error *err);

#endif
