/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a profile says of itself before its records. */
#ifndef PROFILE_HEAD_H
#define PROFILE_HEAD_H

#include "src/base/build_id.h"
#include "src/base/error.h"
#include "src/base/strings.h"
#include "src/samples/file_kind.h"

/* "fdata", "yaml", "preagg"; also what files of this kind are called in the end. */
const char *profile_kind_name(enum profile_kind kind);

/* What is counted. */
enum profile_mode {
	MODE_OPEN, /* nothing says it: fits the others */
	MODE_BRANCHES,
	MODE_PLAIN, /* addresses or places of plain samples */
};

/* What the origin of a YAML profile says.  LLVM's tools take any text there. */
#define PROFILE_ORIGIN "perf data aggregator"
#define PROFILE_INFERRED "branches inferred from addresses"
#define PROFILE_NUMBERED_ANEW "functions numbered anew"

struct profile_head {
	enum profile_kind kind;
	enum profile_mode mode;
	bool bolted;           /* fdata: boltedcollection */
	struct build_id id;    /* YAML: binary-build-id as it stands there */
	struct strings events; /* names, a set */

	/* YAML only */
	struct strings words;   /* texts of the numbers below */
	uint32_t binary_name;
	struct strings origins; /* a set */
	struct strings unknown, unknown_behind; /* keys that only others know, behind the functions, too: scan_unknown() */
	bool dfs_order, has_hash_func;
	uint32_t hash_func;
	bool anew; /* among the origins: PROFILE_NUMBERED_ANEW, which is not put there */
};

void profile_head_free(struct profile_head *head);

/* Does it say that its branches were inferred?  YAML alone can. */
bool profile_head_inferred(const struct profile_head *head);

/* Why two profiles cannot be one, or NULL.  The same for both orders. */
const char *profile_head_conflict(const struct profile_head *a, const struct profile_head *b);

/* Make `to` the head of both.  The result does not depend on the order of several.  BC_NOMEM */
BC_MUST_USE bool profile_head_join(struct profile_head *to, const struct profile_head *from, struct bc_error *err);

/* The strings of a set in the order of their bytes, in new memory of `set->len - 1` (0: one).
 * NULL: out of memory */
struct text *profile_set_sorted(const struct strings *set);

/* How many they are. */
static inline size_t profile_set_size(const struct strings *set)
{
	return set->len ? set->len - 1 : 0; /* 0 is the empty string */
}

/* The words of a text, between blanks or commas, into a set. */
BC_MUST_USE bool profile_set_add_words(struct strings *set, struct text words, const char *between);

#endif
