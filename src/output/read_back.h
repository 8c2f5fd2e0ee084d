/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The last step of --self-check: what was written is read back, by plain parsers of
 * its own, and must say what was to be written.  All fail with BC_BUG.
 */
#ifndef OUTPUT_READ_BACK_H
#define OUTPUT_READ_BACK_H

#include "src/base/text.h"
#include "src/output/fdata.h"
#include "src/output/yaml.h"
#include "src/profile/aggregate.h"

/* Line by line the records of the profile, in their order, and nothing else. */
BC_MUST_USE bool fdata_read_back(const struct profile *profile, const struct fdata_header *header,
				 struct text written, struct bc_error *err);

/* As many functions as reported, none twice; what is counted there and what the report
 * says is missing add up to the profile.  BC_NOMEM */
BC_MUST_USE bool yaml_read_back(const struct profile *profile, const struct yaml_report *report,
				struct text written, struct bc_error *err);

/* Lines sorted, none twice; their counts are those of the aggregate, at their places. */
BC_MUST_USE bool preagg_read_back(const struct aggregate *aggregate, bool basic,
				  struct text written, struct bc_error *err);

#endif
