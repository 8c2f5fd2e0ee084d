/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* perf2bolt's lines that begin with BOLT-INFO, in its words and with its numbers:
 * scripts look for them.  docs/perf2bolt.md has those that are not printed. */
#ifndef CLI_PERF2BOLT_INFO_H
#define CLI_PERF2BOLT_INFO_H

#include "src/cli/perf2bolt.h"
#include "src/profile/figures.h"

/* Of the binary, before samples are read: of what kind it is; and behind the first line
 * of the summary what else is known of it. */
void perf2bolt_info_kind(const struct binary *binary, FILE *out);
void perf2bolt_info_binary(const struct perf2bolt_arguments *arguments, const struct binary *binary,
			   FILE *out);

/* BOLT looks at functions with samples only. */
bool perf2bolt_is_lite(const struct perf2bolt_arguments *arguments, const struct image *image);

/* BOLT takes all code for sane. */
bool perf2bolt_is_strict(const struct perf2bolt_arguments *arguments, const struct image *image);

/* Of the profile, at the end.  The advice to sample more goes to `warnings`. */
void perf2bolt_info_figures(const struct perf2bolt_arguments *arguments, const struct figures *figures,
			    FILE *out, FILE *warnings);

#endif
