/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sampled accesses to memory: which code of the input binary read which data. */
#ifndef PROFILE_MEMORY_H
#define PROFILE_MEMORY_H

#include "src/count/ledger.h"
#include "src/profile/profile.h"

/* Translate counted accesses (vaddr of the code, vaddr of the data), which are sorted
 * by it, and put them into the profile.  The ledger tells what became of them.
 *
 * names  which names may be written (nameable.h)
 *
 * BC_NOMEM */
BC_MUST_USE bool memory_convert(struct count_table *counted, unsigned names,
				struct profile *profile, struct ledger *ledger,
				struct bc_error *err);

#endif
