/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * BOLT's YAML profile: counts by function and basic block, with the hashes that llvm-bolt knows
 * them by.  The schema was read off BOLT's ProfileYAMLMapping.h and off what perf2bolt 22 and 23
 * wrote; docs/conversion.md, "YAML".  A profile is read as a stream of functions, one in memory at
 * a time, and written line by line, in the layout that BOLT writes.
 */
#ifndef PROFILE_YAML_H
#define PROFILE_YAML_H

#include <stdio.h>

#include "src/base/emit.h"
#include "src/base/file.h"
#include "src/base/map.h"
#include "src/base/vec.h"
#include "src/profile/item.h"
#include "src/profile/probes.h"
#include "src/profile/profile.h"

struct yaml_block {
	uint64_t bid, insns, hash, exec, events;
};

struct yaml_call {
	uint64_t off, fid, disc, cnt, mis;
	size_t block; /* index */
};

struct yaml_successor {
	uint64_t bid, cnt, mis;
	size_t block;
};

/* An unknown key: of which block, call or successor, and where its texts are in `more_text`. */
struct yaml_more {
	enum yaml_row { MORE_FUNCTION, MORE_BLOCK, MORE_CALL, MORE_SUCCESSOR } of;
	size_t index, at, size;
};

DEFINE_VEC(yaml_more_vec, struct yaml_more);
DEFINE_VEC(yaml_block_vec, struct yaml_block);
DEFINE_VEC(yaml_call_vec, struct yaml_call);
DEFINE_VEC(yaml_successor_vec, struct yaml_successor);

struct yaml_function {
	struct key name; /* without a zero byte; empty: none yet */
	uint64_t fid, hash, exec, external, nblocks;
	struct yaml_block_vec blocks;
	struct yaml_call_vec calls;
	struct yaml_successor_vec successors;
	struct yaml_more_vec more;
	struct key more_text;
};

/* Which function of a document calls mean by a number; the name of it is a number of the reader's.
 */
struct yaml_fid {
	uint32_t fid, name;
};
DEFINE_VEC(yaml_fid_vec, struct yaml_fid);
DEFINE_FIELD_MAP(yaml_fids, struct yaml_fid, fid);

/* ---- reading ----
 * libyaml reads the text; what is in it, and what must, is checked here.  A file can have
 * several documents: profiles of a program and its libraries. */

struct yaml_input;

/* begin: what was read of the stream already.  NULL: BC_NOMEM */
struct yaml_input *yaml_input_open(struct file_stream *stream, struct text begin,
				   struct bc_error *err);
void yaml_input_close(struct yaml_input *in); /* or NULL */

/* Pseudo probes are an error from now on, as they cannot be merged. */
void yaml_input_refuse_probes(struct yaml_input *in);

/* The head of a document, which comes first.  It stays where it is until the end of the document,
 * which can add to it.  BC_FORMAT, also for pseudo probes that are refused; BC_NOMEM; errors of
 * stream_read() */
BC_MUST_USE bool yaml_input_head(struct yaml_input *in, struct profile_head *head,
				 struct bc_error *err);

/* The next function, valid until the next call.  False at the end of the document, with BC_OK in
 * `err`, and on errors: as yaml_input_head(). */
BC_MUST_USE bool yaml_input_next(struct yaml_input *in, const struct yaml_function **out,
				 struct bc_error *err);

/* The name without what llvm-bolt writes after it if the function has more names: "(*2)" in
 * "f/1(*2)". */
struct text yaml_function_name(const struct yaml_function *function);

/* At the end of a document: does another one follow? */
bool yaml_input_goes_on(const struct yaml_input *in);

/* ---- writing ----
 * An unknown key, or what else belongs to a line, can be written after it: rows of calls and of
 * successors stay open for it until yaml_end_row(). */

/* llvm-bolt stops at a key that it does not know.  Release 18 is the first that reads what is
 * always written, the hashes among it, and 21 the first of those tried that knows `extern`, by
 * which no release optimizes: 0 and 18 leave it out. */
#define YAML_RELEASE_FIRST 18
static inline bool yaml_release_knows_extern(uint64_t release)
{
	return release >= 21;
}

struct yaml_head {
	const char *binary_name, *origin;
	const struct build_id *id;
	bool plain; /* of basic samples */
	const char *const *events;
	size_t event_count;
	bool dfs_order;
	const char *hash_func; /* NULL: none is named */
};

/* false: out of memory */
BC_MUST_USE bool yaml_write_head(const struct yaml_head *head, struct emit *out);
void yaml_write_begin(struct emit *out); /* of the list of functions */
void yaml_write_end(struct emit *out);   /* of the document */

/* What is before its blocks; the name is not that of the struct. */
void yaml_write_function(const char *name, const struct yaml_function *function, struct emit *out);
void yaml_write_block(const struct yaml_block *block, bool first, struct emit *out);

enum yaml_list { YAML_CALLS = 'c', YAML_SUCCESSORS = 's' };
void yaml_begin_row(enum yaml_list list, bool first, struct emit *out);
void yaml_write_call(const struct yaml_call *call, struct emit *out);
void yaml_write_successor(const struct yaml_successor *successor, struct emit *out);
void yaml_end_row(struct emit *out);
void yaml_end_list(struct emit *out);

/* ---- profiles that were converted ---- */

struct yaml_header {
	const char *binary_name;
	const char *const *events; /* of basic samples, sorted */
	size_t event_count;
	bool leave_out_unsited;            /* calls from where only the block is known */
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
