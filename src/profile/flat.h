/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A profile of any kind as one list of counts, for whoever wants to know what it contains:
 * functions by number, and how often control went from which location to which.  Locations are
 * offsets in functions or, in BOLT's YAML, numbers of blocks.  Profiles of two binaries are
 * compared so, and files are read without a binary: functions have names, where those of a profile
 * that is being made (profile.h) are functions of one binary.
 */
#ifndef PROFILE_FLAT_H
#define PROFILE_FLAT_H

#include "src/base/file.h"
#include "src/base/strings.h"
#include "src/base/vec.h"
#include "src/profile/profile.h"
#include "src/profile/text_input.h"

enum flat_kind {
	FLAT_EDGE,   /* within a function, except for its beginning */
	FLAT_CALL,   /* to another function, to the beginning of its own, or to outside */
	FLAT_ENTRY,  /* from outside */
	FLAT_SAMPLE, /* a basic sample: `from` only */
};

#define FLAT_OUTSIDE 0 /* the number of no function */

/* By name of the binary: the number in a flat profile of it, FLAT_OUTSIDE for none. */
DEFINE_BY_NAME(flat_numbers, uint32_t)

struct flat_record {
	uint32_t owner; /* the function that lists the record: that of `from`, or */
	enum flat_kind kind;
	uint32_t from, to;
	uint64_t from_at, to_at;
	uint64_t site; /* of a call in a numbered block: where in it; else 0 */
	uint64_t count;
};
DEFINE_VEC(flat_record_vec, struct flat_record);

struct flat_function {
	uint64_t executed;         /* how often it was entered at its beginning */
	uint64_t samples;          /* counts of what comes from it, or of its basic samples */
	struct name_number number; /* in the binary, if the profile is `numbered` */
	bool plt;                  /* a PLT entry */
	bool known;          /* the profile says `executed`; else it is a sum of its records */
	size_t first, count; /* its records */
};
DEFINE_VEC(flat_function_vec, struct flat_function);

struct flat_profile {
	struct strings names;               /* of functions, from 1 on */
	struct flat_function_vec functions; /* by number; 0 is FLAT_OUTSIDE */
	struct flat_record_vec records;     /* by owner, then by locations; equal ones are summed */
	bool by_block, plain;
	bool numbered; /* it was converted, for a binary that is open still */
	bool inferred; /* it says that its branches were */
	bool bolted;   /* fdata that says that a BOLTed binary ran */
};

void flat_free(struct flat_profile *profile);

/* Finds or adds the function of this name.  false: out of memory */
BC_MUST_USE bool flat_function(struct flat_profile *profile, struct text name, uint32_t *number);

/* Takes the records of a profile that was converted.  BC_NOMEM */
BC_MUST_USE bool flat_take(const struct profile *from, struct flat_profile *out,
			   struct bc_error *err);

/* Reads fdata or BOLT's YAML, also as a shard.  *mine: the file is one of these, whatever is wrong
 * with it.  BC_IO, BC_FORMAT, BC_UNSUPPORTED, BC_NOMEM */
BC_MUST_USE bool flat_read(const char *path, struct flat_profile *out, bool *mine,
			   struct bc_error *err);
BC_MUST_USE bool flat_read_stream(struct file_stream *stream, struct flat_profile *out, bool *mine,
				  struct bc_error *err);

/* Begins to read a file that is one of these.  BC_FORMAT: it is none; errors of
 * text_input_begin() */
BC_MUST_USE bool flat_begin(struct file_stream *stream, struct text_input *in,
			    enum profile_kind *kind, struct bc_error *err);

/* The same of an input that begins with fdata, into a zeroed profile. */
BC_MUST_USE bool flat_read_fdata(struct text_input *in, struct flat_profile *out,
				 struct bc_error *err);

#endif
