/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * fdata: BOLT's text profile, a line a record.  docs/conversion.md, "fdata".
 */
#ifndef OUTPUT_FDATA_H
#define OUTPUT_FDATA_H

#include <stdio.h>

#include "src/profile/profile.h"

struct fdata_header {
	const char *const *events; /* of basic samples, sorted */
	size_t event_count;
};

/* Errors of the file are the caller's to check, with ferror().  BC_NOMEM. */
BC_MUST_USE bool fdata_write(const struct profile *profile, const struct fdata_header *header,
			     unsigned threads, FILE *out, struct bc_error *err);

/* Only the names of its functions, as many entries of one each: for a llvm-bolt that is to process only these.  A function whose name
 * has a newline is left out.  Errors of the file are the caller's to check. */
void fdata_write_names(const struct profile *profile, FILE *out);

#endif
