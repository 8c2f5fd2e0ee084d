/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/code/hash_source.h"

#include "src/elf/binary.h"
#include "src/code/pair.h"

static bool open_table(const char *path, struct binary *out, struct bc_error *err)
{
	const struct binary_parts parts = {.blocks = true, .numbers_by_address = true};

	if (!binary_open_parts(path, &parts, out, err))
		return false;
	if (out->kind == BINARY_BOLTED && bat_layout_has(out->bat.layout, BAT_FEATURE_BLOCKS))
		return true;
	if (out->kind != BINARY_BOLTED)
		return bc_fail(err, BC_NOTFOUND, "%s: has no BAT section to take hashes from",
			       path) ||
		       bc_hint(err,
			       "'batconv extract --hashes INPUT -o FILE' or 'llvm-bolt INPUT -o FILE -enable-bat' writes one");
	return bc_fail(err, BC_UNSUPPORTED,
		       "%s: BAT layout %s has no hashes: llvm-bolt 19 and later write them", path,
		       bat_layout_name(out->bat.layout));
}

/* Have both ids llvm-bolt's mark of one input's?  Releases mark the last bit, and some the first
 * one, too. */
static bool same_input(const struct build_id *a, const struct build_id *b)
{
	struct build_id input = *a;

	input.data[input.size - 1] ^= 1;
	if (build_id_is_marked(&input, b))
		return true;
	input.data[0] ^= 0x80;
	return build_id_is_marked(&input, b);
}

static bool check_build_ids(const struct image *a, const struct image *b, struct bc_error *err)
{
	char id[2 * BUILD_ID_MAX + 1], other[2 * BUILD_ID_MAX + 1];

	if (a->machine != b->machine)
		return bc_fail(err, BC_MISMATCH, "%s, and not %s", machine_name(a->machine),
			       machine_name(b->machine));
	if (!a->build_id.size || !b->build_id.size || same_input(&a->build_id, &b->build_id))
		return true;
	build_id_format(&a->build_id, id);
	build_id_format(&b->build_id, other);
	return bc_fail(err, BC_MISMATCH, "its build-id is %s, and not %s", id, other);
}

/* The functions that both tables have: those with other hashes or another number of blocks
 * mismatch. */
static struct disagreement compare_hashes(const struct binary *binary,
					  const struct hash_source *source)
{
	const struct bat_table *a = &binary->bat, *b = &source->table.bat;
	struct disagreement hashes = {0};

	for (size_t f = 0;
	     bat_layout_has(a->layout, BAT_FEATURE_BLOCKS) && f < binary->functions.count; f++) {
		uint32_t own = binary->fragment_of[f], other = source->fragments.at[f];
		if (own == NO_FRAGMENT || other == NO_FRAGMENT || a->fragments[own].cold)
			continue;
		hashes.compared++;
		hashes.differ += a->fragments[own].hash != b->fragments[other].hash ||
				 a->fragments[own].block_count != b->fragments[other].block_count;
	}
	return hashes;
}

static bool check_share(struct hash_source *source, bool by_id, struct disagreement d, double most,
			const char *what, struct bc_error *err)
{
	enum belonging belonging = belonging_judge(d, most, by_id);

	if (belonging != BELONGS)
		bc_fail(belonging == BELONGS_NOT ? err : &source->pair.doubt, BC_MISMATCH,
			"%.1f %% of %s (limit %.0f %%)%s", disagreement_percent(d), what, most,
			belonging_although(belonging));
	return belonging != BELONGS_NOT;
}

/* Two binaries that llvm-bolt wrote: of one input? */
static bool check_siblings(const struct binary *binary, struct hash_source *source,
			   struct bc_error *err)
{
	bool ids = binary->image.build_id.size && source->table.image.build_id.size;
	struct disagreement hashes = compare_hashes(binary, source), offsets = source->pair.offsets;

	if (!ids && !hashes.compared && !offsets.compared)
		return bc_fail(err, BC_MISMATCH,
			       "neither a build-id nor code shows that they are of one input");
	return check_share(source, ids, hashes, HASHES_LIMIT_PERCENT,
			   "the functions in both tables have different hashes", err) &&
	       check_share(source, ids, offsets, PAIR_LIMIT_PERCENT,
			   "the table's offsets lie on no instruction of it", err);
}

static bool pair_siblings(const struct binary *binary, struct hash_source *source,
			  struct bc_error *err)
{
	struct pair *pair = &source->pair;

	*pair = (struct pair){.output = &source->table,
			      .image = binary->image,
			      .functions = binary->functions,
			      .borrowed = true,
			      .moved = binary->fragment_of};
	return check_build_ids(&binary->image, &source->table.image, err) &&
	       pair_match(pair, err) && pair_fit(pair, err);
}

/* The function of the pair's first side that a function of the binary is. */
static uint32_t known_as(const struct pair *input, size_t function)
{
	return input ? input->input_of[function] : (uint32_t)function;
}

static bool find_fragments(const struct binary *binary, const struct pair *input,
			   struct hash_source *source, struct bc_error *err)
{
	if (!hash_fragments_make(&source->fragments, &binary->functions))
		return bc_fail_nomem(err);
	for (size_t f = 0; f < functions_named(&binary->functions); f++) {
		uint32_t known = known_as(input, f);
		uint32_t there = known == NO_FUNCTION ? NO_FUNCTION : source->pair.output_of[known];
		uint32_t fragment = there == NO_FUNCTION ? NO_FRAGMENT :
							   source->pair.output->fragment_of[there];
		bool hot = fragment != NO_FRAGMENT && !source->table.bat.fragments[fragment].cold;
		source->fragments.at[f] = hot ? fragment : NO_FRAGMENT;
	}
	return true;
}

static bool tie(const struct binary *binary, const struct pair *input, struct hash_source *source,
		struct bc_error *err)
{
	if (input)
		return pair_open_known(&input->image, &input->functions, &source->table,
				       &source->pair, err) &&
		       find_fragments(binary, input, source, err);
	if (binary->kind == BINARY_UNTOUCHED)
		return pair_open_known(&binary->image, &binary->functions, &source->table,
				       &source->pair, err) &&
		       find_fragments(binary, NULL, source, err);
	return pair_siblings(binary, source, err) && find_fragments(binary, NULL, source, err) &&
	       check_siblings(binary, source, err);
}

bool hash_source_open(const char *path, const struct binary *binary, const char *name,
		      const struct pair *input, struct hash_source *out, struct bc_error *err)
{
	*out = (struct hash_source){0};
	if (open_table(path, &out->table, err)) {
		if (tie(binary, input, out, err)) {
			if (out->pair.doubt.code)
				bc_fail_prefix(&out->pair.doubt, path);
			return true;
		}
		struct bc_error why = *err;
		if (why.code == BC_MISMATCH)
			bc_fail(err, BC_MISMATCH, "%s: hashes of another binary: %s: %s", path,
				name, why.text);
	}
	hash_source_close(out);
	return false;
}

void hash_source_close(struct hash_source *source)
{
	if (source->pair.output)
		pair_close(&source->pair);
	hash_fragments_free(&source->fragments);
	binary_close(&source->table);
	*source = (struct hash_source){0};
}
