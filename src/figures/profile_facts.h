/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a profile of BOLT, fdata or YAML, says about itself, in one pass.  It is read as all other
 * commands read it. */
#ifndef FIGURES_PROFILE_FACTS_H
#define FIGURES_PROFILE_FACTS_H

#include "src/base/file.h"
#include "src/base/strings.h"

struct profile_facts {
	bool basic;  /* counts of addresses, no branches */
	bool bolted; /* fdata: of the input binary, by way of a BAT */
	uint64_t functions;
	uint64_t records; /* fdata: lines that count; YAML: blocks */
	uint64_t count; /* sum of the records' counts; of YAML: how often functions were entered */
	uint64_t mispredicted; /* fdata */
	char events[256], binary[256], build_id[48],
		origin[64]; /* what the head says; cut if longer */
};

/* BC_FORMAT, with the line; BC_IO, BC_NOMEM; BC_UNSUPPORTED as of a stream */
BC_MUST_USE bool profile_facts_fdata(const char *path, struct profile_facts *out,
				     struct bc_error *err);

/* Of several documents, profiles of a program and its libraries, the head is that of the first. */
BC_MUST_USE bool profile_facts_yaml(const char *path, struct profile_facts *out,
				    struct bc_error *err);

#endif
