/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A profile that was converted as BOLT's YAML (profile/yaml.h). */
#ifndef PROFILE_YAML_PROFILE_H
#define PROFILE_YAML_PROFILE_H

#include <stdio.h>

#include "src/profile/probes.h"
#include "src/profile/profile.h"
#include "src/profile/yaml.h"

struct yaml_header {
	const char *binary_name;
	const char *const *events; /* of basic samples, sorted */
	size_t event_count;
	bool leave_out_unsited;            /* calls from places of which only the block is known */
	const struct probe_source *probes; /* pseudo-probes to write, too; NULL: none */
	struct code_marks touched; /* with probes: a sample touched it; none: not known; borrowed */
	const struct cfg *graphs;  /* those of blocks_build_graphs() */
	const struct hash_source *hashes; /* for the functions that BAT does not have; NULL: none */
	bool external;                    /* with the key `extern` */
	bool reached; /* also write blocks of BAT without a count that are a successor; perf2bolt
			 writes those of other functions only */
};

struct yaml_report {
	size_t functions; /* that were written */
	size_t unhashed;  /* of these, without hashes, as neither BAT nor a hash source has them:
			     llvm-bolt takes their blocks with -profile-ignore-hash only */
	uint64_t count,
		unhashed_count; /* of branches, calls and samples in all of them, and in those */
	size_t blockless;       /* of these, without any block: no control-flow graph is known */
	uint64_t lost;          /* count of branches, calls and samples that are in no block: of
				   those functions, and of PLT entries, which have none */
	uint64_t unsited;       /* count of calls that were left out so */
	uint64_t unnamed;       /* count of branches that are in a block, and lead to none */
};

/* The binary of the profile was opened with blocks, and its BAT has hashes, or there is a hash
 * source.  Errors of the file are the caller's to check.  BC_NOMEM */
BC_MUST_USE bool yaml_write(const struct profile *profile, const struct yaml_header *header,
			    FILE *file, struct yaml_report *report, struct bc_error *err);

#endif
