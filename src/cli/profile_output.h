/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The files that a conversion writes, and in which form. */
#ifndef CLI_PROFILE_OUTPUT_H
#define CLI_PROFILE_OUTPUT_H

#include "src/base/output.h"
#include "src/convert/conversion.h"
#include "src/output/yaml.h"

enum profile_format { FORMAT_FDATA, FORMAT_YAML, FORMAT_PREAGG, FORMAT_PROFGEN };

/* "fdata", "yaml", "preagg" or "profgen". */
bool profile_format_parse(const char *word, enum profile_format *out);

struct profile_output {
	const char *path; /* NULL or "-": stdout */
	enum profile_format format;
	bool shard;        /* of FORMAT_PREAGG */
	const char *yaml; /* write YAML there too; or NULL */
	const char *profgen; /* and what llvm-profgen reads; or NULL */
};

/* What the conversion must be told for it. */
void profile_output_prepare(const struct profile_output *output,
			    struct conversion_options *options);

/* Its files in the order in which output_commit_all() is to name them.  The profile
 * is last: whoever finds a new one finds the rest there too, and if one of the rest
 * cannot be named, the profile that was there is as it was. */
enum { PROFILE_YAML, PROFILE_PROFGEN, PROFILE_ITSELF, PROFILE_FILES };

/* Open all, then fill them; they are for the caller to commit or discard, also after a
 * failure.  binary: its path, as the YAML names it.  *yaml is set if YAML was written.
 * BC_IO, BC_NOMEM */
BC_MUST_USE bool profile_output_open(const struct profile_output *output,
				     struct output files[PROFILE_FILES], struct bc_error *err);
BC_MUST_USE bool profile_output_fill(const struct profile_output *output,
				     const struct output files[PROFILE_FILES],
				     const struct conversion *conversion, const char *binary,
				     struct yaml_report *yaml, struct bc_error *err);

#endif
