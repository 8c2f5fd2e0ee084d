/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The pseudo-probes in a YAML profile; docs/conversion.md, "Pseudo-probes". */
#ifndef PROFILE_YAML_PROBES_H
#define PROFILE_YAML_PROBES_H

#include "src/base/emit.h"
#include "src/profile/probes.h"
#include "src/profile/profile.h"

/*
 * The numbers by which a YAML profile names GUIDs and hashes of functions: the most frequent first,
 * of equally frequent ones the larger first.  GUIDs are counted in the trees of functions that the
 * samples touched, hashes in .pseudo_probe_desc.
 */
struct counted_number {
	uint64_t value;
	uint64_t count;
};
DEFINE_VEC(counted_number_vec, struct counted_number);

struct value_number {
	uint64_t value;
	uint32_t number;
};
DEFINE_VEC(value_number_vec, struct value_number);

struct probe_numbers {
	struct counted_number_vec guids;  /* by number */
	struct counted_number_vec hashes; /* by number */
	struct value_number_vec of_guid;  /* by GUID */
	struct value_number_vec of_hash;  /* by hash */
};

/* A call probe of the present block. */
struct call_probe {
	uint32_t offset, index, node;
	size_t order; /* of two at one offset the last one counts */
	bool indirect, used;
};
DEFINE_VEC(call_probe_vec, struct call_probe);

/* Block probes of one node in the present block: so many indices from there on. */
struct probe_list {
	uint32_t node;
	const uint32_t *at;
	size_t count;
};
DEFINE_VEC(probe_list_vec, struct probe_list);
DEFINE_VEC(probe_index_vec, uint32_t);

struct yaml_probes {
	const struct probe_source *source; /* NULL: none are written */
	struct probe_numbers numbers;
	struct function_probes function; /* of the present function; */
	size_t next; /* the first of its probes that is in no block before the present one */
	struct call_probe_vec calls;   /* of the present block, by offset */
	struct block_probe_vec sorted; /* what follows is of the present block, too */
	struct probe_index_vec indices;
	struct probe_list_vec lists;
};

/* Each step returns false when out of memory.
 *
 * source   NULL, or without probes: nothing is written
 * touched  functions of the profile's binary that a sample touched */
BC_MUST_USE bool yaml_probes_open(const struct probe_source *source, const struct profile *profile,
				  struct code_marks touched, struct yaml_probes *out);
void yaml_probes_close(struct yaml_probes *probes);

BC_MUST_USE bool yaml_probes_function(struct yaml_probes *probes, const struct function *function,
				      const struct input_function *blocks,
				      const struct block_source *parts);

/* Blocks of a function come in their order, not all of them. */
BC_MUST_USE bool yaml_probes_block(struct yaml_probes *probes, uint32_t block);

/* What tells a call its probe, within its braces. */
void yaml_probes_call(struct yaml_probes *probes, struct emit *out, uint32_t offset);

/* Writes the call probes of the block that belong to no call which was written, as calls without a
 * count. Returns whether there was one.  first: no call was written before. */
bool yaml_probes_uncalled(struct yaml_probes *probes, struct emit *out, bool first);

void yaml_probes_write_block(struct yaml_probes *probes, struct emit *out);
void yaml_probes_write_tree(const struct yaml_probes *probes, struct emit *out);
void yaml_probes_write_end(const struct yaml_probes *probes, struct emit *out);

#endif
