/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Numbers of functions (fid) mean something in one file only: names are kept once for all files, and for
 * each file which number is which name.
 */
#ifndef PROFILE_YAML_NAMES_H
#define PROFILE_YAML_NAMES_H

#include "src/base/strings.h"
#include "src/base/vec.h"
#include "src/profile/head.h"
#include "src/profile/run.h"

/* Which number is which name: fid << 32 | number of the name, in order. */
DEFINE_VEC(fid_vec, uint64_t);

struct yaml_names {
	struct strings names;
	uint32_t *fids; /* by name, for the output; set by yaml_names_settle() */
};

void yaml_names_free(struct yaml_names *names);

/* Put the numbers of a file in order.  A number or a name that is there twice is no profile's:
 * *why.  false: that, or out of memory (*why is NULL) */
BC_MUST_USE bool yaml_fids_settle(struct fid_vec *fids, const char **why);

/* Names have other numbers now: those at their old ones. */
void yaml_fids_renumber(struct fid_vec *fids, const uint32_t *numbers);

/* Choose numbers for the output: those of the files, if they agree and `anew` is not set; else the places of the
 * names in order, from 1, and *anew is set.  BC_NOMEM */
BC_MUST_USE bool yaml_names_settle(struct yaml_names *names, const struct fid_vec *const *files, size_t count,
				   bool *anew, struct bc_error *err);

/* The number of a function in the output; 0: none has this name. */
uint32_t yaml_names_fid(struct yaml_names *names, struct text name);

/* A source of the items in `run`, whose callees are numbers of `fids`: they become names, or unknown.
 * saturate: as profile_item_add(), counted in *saturated.  NULL: BC_NOMEM */
struct source *yaml_named_open(struct run run, const struct fid_vec *fids,
			       const struct yaml_names *names, bool saturate, uint64_t *saturated,
			       struct bc_error *err);

#endif
