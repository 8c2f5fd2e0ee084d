/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads what a profile of BOLT, fdata or YAML, says about itself, in one pass, line by line.  The
 * profile is not checked: lines of other kinds are only counted. */
#ifndef INSPECT_PROFILE_TEXT_H
#define INSPECT_PROFILE_TEXT_H

#include "src/base/file.h"
#include "src/base/strings.h"

struct profile_facts {
	bool basic;  /* counts of addresses, no branches */
	bool bolted; /* fdata: of the input binary, by way of a BAT */
	uint64_t functions, records, other_lines;
	uint64_t count;        /* sum of the records' counts; of YAML: how often functions were entered */
	uint64_t mispredicted; /* fdata */
	char events[256], binary[256], build_id[48], origin[64]; /* what the head says; cut if longer */
};

/* BC_IO, BC_NOMEM; BC_FORMAT for a line that is too long */
BC_MUST_USE bool profile_facts_fdata(const char *path, struct profile_facts *out, struct bc_error *err);
BC_MUST_USE bool profile_facts_yaml(const char *path, struct profile_facts *out, struct bc_error *err);

#endif
