/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A profile of an earlier build, with all that tells whether it fits a later one: of BOLT's YAML the hashes of functions and
 * blocks, of fdata the offsets.  The files are read by profile/yaml.h and figures/flat.h.
 */
#ifndef FIGURES_OLD_PROFILE_H
#define FIGURES_OLD_PROFILE_H

#include "src/profile/head.h"
#include "src/figures/flat.h"

struct old_block {
	uint32_t bid;
	uint64_t hash; /* 0: none */
	uint64_t exec; /* how often the function was entered there */
	uint64_t callees; /* the names of all that it called: call_key(); 0: it called nothing */
};

struct old_jump {
	uint32_t from; /* number of the block, among those of the function */
	uint32_t to;   /* bid */
	uint64_t count;
};

/* A row of a block's list of calls. */
struct old_call {
	uint32_t block; /* number, as above */
	uint64_t fid;
};
DEFINE_VEC(old_block_vec, struct old_block);
DEFINE_VEC(old_jump_vec, struct old_jump);
DEFINE_VEC(old_call_vec, struct old_call);

struct old_part {
	size_t first, count;
};

struct old_function {
	uint32_t name;
	uint64_t fid, hash; /* hash 0: none */
	uint64_t samples;   /* its branches within, or plain samples; of fdata all branches from it */
	uint32_t block_count;
	struct old_part blocks, jumps, calls; /* of YAML */
	struct old_part records;              /* of fdata: in flat.records */
};
DEFINE_VEC(old_function_vec, struct old_function);

/* The profile of one program. */
struct old_document {
	struct profile_head head;
	struct old_part functions; /* those that have code: llvm-bolt counts no others as stale */
	bool hashed; /* its functions have hashes that those of a table can be compared with */
};
DEFINE_VEC(old_document_vec, struct old_document);

struct old_profile {
	const char *path; /* as it was given */
	bool by_place; /* fdata */
	struct strings names;
	struct old_function_vec functions;
	struct old_block_vec blocks;
	struct old_jump_vec jumps;
	struct old_call_vec calls;
	struct flat_profile flat;
	struct old_document_vec documents; /* at least one; of fdata one */
};

/* "-" is stdin.  BC_FORMAT: neither fdata nor YAML, or damaged; BC_IO, BC_UNSUPPORTED, BC_NOMEM.  *out is to be freed
 * either way. */
BC_MUST_USE bool old_profile_read(const char *path, struct old_profile *out, struct bc_error *err);
void old_profile_free(struct old_profile *profile);

/* The document that is of a program, as several can be in one file: that of its build-id, else of its name, which the file
 * can have more behind ("prog" is that of prog.bolt).  NULL: there are several, and none is. */
const struct old_document *old_profile_of(const struct old_profile *profile, const struct build_id *id, const char *path);

/* What the document says that it is of; empty: nothing. */
struct text old_document_program(const struct old_document *document);

/* What stands for the names of functions that are called in one block, which are sorted for it.  As in llvm-bolt, nothing
 * divides one name from the next.  0: none */
uint64_t call_key(struct text *names, size_t count);

#endif
