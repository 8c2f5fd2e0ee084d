/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The files that a conversion writes, and in which form. */
#ifndef FLOW_PROFILE_OUTPUT_H
#define FLOW_PROFILE_OUTPUT_H

#include "src/base/output.h"
#include "src/flow/conversion.h"
#include "src/profile/yaml.h"

enum profile_format { FORMAT_FDATA, FORMAT_YAML, FORMAT_PREAGG, FORMAT_PROFGEN };

/* "fdata", "yaml", "preagg" or "profgen". */
const char *profile_format_name(enum profile_format format);

struct profile_output {
	const char *path; /* NULL or "-": stdout */
	enum profile_format format;
	bool shard;          /* of FORMAT_PREAGG */
	const char *yaml;    /* write YAML there too; or NULL */
	bool probes;         /* of YAML: with pseudo-probes */
	uint64_t yaml_for;   /* of YAML: the release of llvm-bolt that is to read it; 0: the first
				that can */
	bool without_hashes; /* of YAML: functions without hashes will do */
	const char *profgen; /* and what llvm-profgen reads; or NULL */
};

/* Sets the options of the conversion that these outputs need. */
void profile_output_prepare(const struct profile_output *output,
			    struct conversion_options *options);

/* The files in the order in which output_commit_all() names them.  The profile is last: whoever
 * finds a new profile finds the other new files, too, and if one of those cannot be named, the old
 * profile stays. */
enum { PROFILE_YAML, PROFILE_PROFGEN, PROFILE_ITSELF, PROFILE_FILES };

/* Opens all files; then fills them.  The caller commits or discards them, also after a failure.
 * binary: its path, which the YAML names.  *yaml is set if YAML was written.  BC_IO, BC_NOMEM */
BC_MUST_USE bool profile_output_open(const struct profile_output *output,
				     struct output files[PROFILE_FILES], struct bc_error *err);
BC_MUST_USE bool profile_output_fill(const struct profile_output *output,
				     const struct output files[PROFILE_FILES],
				     const struct conversion *conversion, const char *binary,
				     struct yaml_report *yaml, struct bc_error *err);

#endif
