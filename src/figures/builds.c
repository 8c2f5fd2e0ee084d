/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/builds.h"

#include <elf.h>

#include "src/base/counts.h"
#include "src/base/parallel.h"
#include "src/base/sort.h"
#include "src/profile/fdata.h"
#include "src/profile/shard.h"

/* ---- the profile of the earlier build ---- */

void old_profile_free(struct old_profile *profile)
{
	for (size_t i = 0; i < profile->documents.len; i++)
		profile_head_free(&profile->documents.at[i].head);
	old_document_vec_free(&profile->documents);
	strings_free(&profile->names);
	old_function_vec_free(&profile->functions);
	old_block_vec_free(&profile->blocks);
	yaml_successor_vec_free(&profile->successors);
	yaml_call_vec_free(&profile->calls);
	flat_free(&profile->flat);
	*profile = (struct old_profile){0};
}

/* ---- names that are called ---- */

static bool text_less(const struct text *a, const struct text *b)
{
	return text_compare(*a, *b) < 0;
}
DEFINE_SORT(sort_texts, struct text, text_less)

uint64_t call_key(struct text *names, size_t count)
{
	uint64_t key = 0xcbf29ce484222325u; /* FNV-1a, byte by byte: where a name ends makes no
					       difference */

	if (!count)
		return 0;
	sort_texts(names, count);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < names[i].len; k++)
			key = (key ^ (uint8_t)names[i].at[k]) * 0x100000001b3u;
	return key ? key : 1;
}

/* ---- YAML ---- */

static bool keep_blocks(const struct yaml_function *f, struct old_profile *out,
			struct old_function *to)
{
	for (size_t i = 0; i < f->blocks.len; i++) {
		const struct yaml_block *block = &f->blocks.at[i];
		to->samples = count_add_saturating(to->samples, block->events);
		if (!old_block_vec_push(
			    &out->blocks,
			    (struct old_block){(uint32_t)block->bid, block->hash, block->exec, 0}))
			return false;
	}
	for (size_t i = 0; i < f->successors.len; i++) {
		to->samples = count_add_saturating(to->samples, f->successors.at[i].cnt);
		if (!yaml_successor_vec_push(&out->successors, f->successors.at[i]))
			return false;
	}
	for (size_t i = 0; i < f->calls.len; i++)
		if (!yaml_call_vec_push(&out->calls, f->calls.at[i]))
			return false;
	return true;
}

static bool keep_function(const struct yaml_function *f, struct old_profile *out)
{
	struct old_function to = {.fid = f->fid,
				  .hash = f->hash,
				  .block_count = (uint32_t)f->nblocks,
				  .blocks = {out->blocks.len, f->blocks.len},
				  .successors = {out->successors.len, f->successors.len},
				  .calls = {out->calls.len, f->calls.len}};

	return strings_intern(&out->names, yaml_function_name(f), &to.name) &&
	       keep_blocks(f, out, &to) && old_function_vec_push(&out->functions, to);
}

DEFINE_VEC(text_vec, struct text);

/* Gives each block of a function the key of what it calls; its calls are in the order of its
 * blocks. */
static bool key_calls(struct old_profile *out, const struct old_function *f,
		      const struct map *by_fid, const struct yaml_fid_vec *fids,
		      struct text_vec *names)
{
	const struct yaml_call *calls = out->calls.at + f->calls.first;

	for (size_t i = 0; i < f->calls.count;) {
		size_t block = calls[i].block;
		uint32_t found;
		names->len = 0;
		for (; i < f->calls.count && calls[i].block == block; i++)
			if (yaml_fids_find(by_fid, fids->at, (uint32_t)calls[i].fid, &found) &&
			    !text_vec_push(names, strings_at(&out->names, fids->at[found].name)))
				return false;
		out->blocks.at[f->blocks.first + block].callees = call_key(names->at, names->len);
	}
	return true;
}

static bool key_all_calls(struct old_profile *out, size_t first)
{
	struct yaml_fid_vec fids = {0};
	struct map by_fid = {0};
	struct text_vec names = {0};
	uint32_t ignored;
	bool ok = map_reserve(&by_fid, out->functions.len - first);

	for (size_t i = first; ok && i < out->functions.len; i++) {
		const struct old_function *f = &out->functions.at[i];
		if (yaml_fids_find(&by_fid, fids.at, (uint32_t)f->fid, &ignored))
			continue;
		ok = yaml_fid_vec_push(&fids, (struct yaml_fid){(uint32_t)f->fid, f->name});
		if (ok)
			yaml_fids_put(&by_fid, (uint32_t)f->fid, (uint32_t)(fids.len - 1));
	}
	for (size_t i = first; ok && i < out->functions.len; i++)
		ok = key_calls(out, &out->functions.at[i], &by_fid, &fids, &names);
	yaml_fid_vec_free(&fids);
	map_free(&by_fid);
	text_vec_free(&names);
	return ok;
}

/* What has no block is no code of the program: a PLT entry, which others call. */
static void leave_out_empty(struct old_profile *out, struct old_document *document)
{
	size_t kept = document->functions.first;

	for (size_t i = kept; i < out->functions.len; i++) {
		const struct old_function *f = &out->functions.at[i];
		if (f->block_count)
			out->functions.at[kept++] = *f;
	}
	out->functions.len = kept;
	document->functions.count = kept - document->functions.first;
}

/* The hashes of a table are those of xxh3, over blocks in the order of the layout. */
static bool has_hashes(const struct old_profile *profile, const struct old_document *document)
{
	const struct profile_head *head = &document->head;

	if (head->dfs_order || !head->has_hash_func ||
	    !text_is(strings_at(&head->words, head->hash_func), "xxh3"))
		return false;
	for (size_t i = 0; i < document->functions.count; i++)
		if (profile->functions.at[document->functions.first + i].hash)
			return true;
	return false;
}

static bool read_document(struct yaml_input *yaml, struct old_profile *out, struct bc_error *err)
{
	const struct yaml_function *function;

	if (!old_document_vec_push(&out->documents,
				   (struct old_document){.functions = {out->functions.len, 0}}))
		return bc_fail_nomem(err);
	struct old_document *document = &out->documents.at[out->documents.len - 1];
	if (!yaml_input_head(yaml, &document->head, err))
		return false;
	while (yaml_input_next(yaml, &function, err))
		if (!keep_function(function, out))
			return bc_fail_nomem(err);
	if (err->code != BC_OK)
		return false;
	if (!key_all_calls(out, document->functions.first))
		return bc_fail_nomem(err);
	leave_out_empty(out, document);
	document->hashed = has_hashes(out, document);
	return true;
}

static bool read_yaml(struct file_stream *stream, struct text begin, struct old_profile *out,
		      struct bc_error *err)
{
	struct yaml_input *yaml = yaml_input_open(stream, begin, err);
	bool ok = yaml && read_document(yaml, out, err);

	while (ok && yaml_input_goes_on(yaml))
		ok = read_document(yaml, out, err);
	yaml_input_close(yaml);
	return ok;
}

/* ---- fdata ---- */

static bool take_flat(struct old_profile *out)
{
	const struct flat_profile *flat = &out->flat;

	for (uint32_t i = 1; i < flat->functions.len; i++) {
		const struct flat_function *f = &flat->functions.at[i];
		struct old_function to = {.samples = f->samples, .records = {f->first, f->count}};
		if (f->plt || (!f->count && !f->executed))
			continue;
		if (!strings_intern(&out->names, strings_at(&flat->names, i), &to.name) ||
		    !old_function_vec_push(&out->functions, to))
			return false;
	}
	return old_document_vec_push(&out->documents,
				     (struct old_document){.functions = {0, out->functions.len}});
}

static bool read_fdata(struct text_input *in, struct old_profile *out, struct bc_error *err)
{
	out->by_offset = true;
	return flat_read_fdata(in, &out->flat, err) && (take_flat(out) || bc_fail_nomem(err));
}

/* ---- a file ---- */

static bool read_stream(struct file_stream *stream, struct text_input *in, struct old_profile *out,
			struct bc_error *err)
{
	enum profile_kind kind;

	return flat_begin(stream, in, &kind, err) &&
	       (kind == KIND_FDATA ? read_fdata(in, out, err) :
				     read_yaml(stream, text_input_rest(in), out, err));
}

bool old_profile_read(const char *path, struct old_profile *out, struct bc_error *err)
{
	struct text_input in = {0};
	struct file_stream stream;

	*out = (struct old_profile){.path = path};
	*err = (struct bc_error){0};
	if (!stream_open(path, &stream, err))
		return false;
	bool ok = read_stream(&stream, &in, out, err);
	text_input_free(&in);
	stream_close(&stream);
	return ok;
}

/* ---- of several programs ---- */

struct text old_document_program(const struct old_document *document)
{
	return strings_at(&document->head.words, document->head.binary_name);
}

/* How much of the file's name the program's is: 0, or its length. */
static size_t name_fits(struct text program, struct text file)
{
	bool begins =
		program.len && program.len <= file.len && !memcmp(program.at, file.at, program.len);

	return begins && (program.len == file.len || file.at[program.len] == '.' ||
			  file.at[program.len] == '-') ?
		       program.len :
		       0;
}

const struct old_document *old_profile_of(const struct old_profile *profile,
					  const struct build_id *id, const char *path)
{
	const struct old_document *best = NULL;
	size_t most = 0;

	if (profile->documents.len == 1)
		return &profile->documents.at[0];
	for (size_t i = 0; i < profile->documents.len; i++) {
		const struct old_document *document = &profile->documents.at[i];
		size_t fits = name_fits(text_basename(old_document_program(document)),
					text_basename(text_of(path)));
		if (id->size && build_id_equal(&document->head.id, id))
			return document;
		if (fits > most) {
			most = fits;
			best = document;
		}
	}
	return best;
}

/* ---- the new build ---- */

static bool check_kind(const struct new_build *build, const char *hashes, struct bc_error *err)
{
	const struct binary *binary = &build->binary;

	if (binary->kind == BINARY_SECTION)
		return bc_fail(err, BC_UNSUPPORTED,
			       "%s: a BAT section alone has no names of functions", build->path);
	if (binary->kind != BINARY_BOLTED || hashes ||
	    bat_layout_has(binary->bat.layout, BAT_FEATURE_BLOCKS))
		return true;
	return bc_fail(err, BC_UNSUPPORTED,
		       "%s: BAT layout %s has no hashes: llvm-bolt 19 and later write them",
		       build->path, bat_layout_name(binary->bat.layout)) ||
	       bc_hint(err, "give the binary that llvm-bolt reads, with --hashes=FILE");
}

/* Is there code where the first fragment lies?  A file of hashes alone has none. */
static bool has_moved_code(const struct binary *binary)
{
	const struct bat_table *bat = &binary->bat;

	for (uint32_t i = 0; i < bat->fragment_count; i++) {
		struct bytes code =
			image_bytes_at(&binary->image, (struct vaddr){bat->fragments[i].address});
		for (size_t k = 0; k < code.size && k < 16; k++)
			if (code.data[k])
				return true;
	}
	return false;
}

static bool open_all(const char *hashes, struct new_build *out, struct bc_error *err)
{
	const struct binary_parts parts = {.blocks = true};

	if (!binary_open_parts(out->path, &parts, &out->binary, err) ||
	    !check_kind(out, hashes, err))
		return false;
	if (hashes && !hash_source_open(hashes, &out->binary, out->path, NULL, &out->source, err))
		return false;
	out->opened = blocks_open(&out->binary, hashes ? &out->source : NULL, &out->graphs,
				  &out->blocks, err);
	out->code = out->binary.kind == BINARY_UNTOUCHED;
	out->hashed = hashes || out->binary.kind == BINARY_BOLTED;
	out->calls = out->code || has_moved_code(&out->binary);
	return out->opened;
}

bool new_build_open(const char *path, const char *hashes, struct new_build *out,
		    struct bc_error *err)
{
	*out = (struct new_build){.path = path};
	if (open_all(hashes, out, err))
		return true;
	new_build_close(out);
	return false;
}

void new_build_close(struct new_build *build)
{
	if (build->opened)
		blocks_close(&build->blocks);
	cfg_free(&build->graphs);
	if (build->source.fragments.at)
		hash_source_close(&build->source);
	binary_close(&build->binary);
	*build = (struct new_build){0};
}

/* ---- functions ---- */

bool new_build_read(struct new_build *build, const uint32_t *functions, size_t count,
		    struct bc_error *err)
{
	const struct binary *binary = &build->binary;

	return !build->code || !count ||
	       cfg_build_code(&binary->image, &binary->functions, functions, count,
			      parallel_threads(), &build->graphs, err) ||
	       bc_fail_prefix(err, build->path);
}

const struct graph *new_build_graph(const struct new_build *build, uint32_t function)
{
	const struct graph *graph =
		build->code ? cfg_find(&build->graphs, &build->binary.functions.at[function]) :
			      NULL;

	return graph && graph->count ? graph : NULL;
}

/* The fragment that has the function's hash, and its table; NULL: none has. */
static const struct bat_fragment *hashed_fragment(const struct new_build *build, uint32_t function)
{
	const struct binary *binary = &build->binary;
	uint32_t own = binary->fragment_of[function];
	uint32_t other =
		build->source.fragments.at ? build->source.fragments.at[function] : NO_FRAGMENT;

	if (own != NO_FRAGMENT && bat_layout_has(binary->bat.layout, BAT_FEATURE_BLOCKS))
		return binary->bat.fragments[own].cold ? NULL : &binary->bat.fragments[own];
	return other != NO_FRAGMENT ? &build->source.table.bat.fragments[other] : NULL;
}

void new_build_key(const struct new_build *build, uint32_t function, uint64_t *hash,
		   uint32_t *blocks)
{
	const struct bat_fragment *fragment = hashed_fragment(build, function);
	const struct graph *graph = new_build_graph(build, function);

	*hash = fragment ? fragment->hash : 0;
	*blocks = fragment ? fragment->block_count : graph ? graph->count : 0;
}

bool new_build_blocks(const struct new_build *build, uint32_t function, struct input_function *out)
{
	return blocks_of(&build->blocks, &build->binary.functions.at[function], out);
}

/* ---- calls ---- */

static bool call_less(const struct call_of_block *a, const struct call_of_block *b)
{
	return a->block < b->block;
}
DEFINE_SORT(sort_calls, struct call_of_block, call_less)

/* Adds a call at an offset of the function; callee: NULL: it is not known. */
static bool add_call(const struct input_function *blocks, uint32_t offset,
		     const struct function *callee, struct call_of_block_vec *out)
{
	const struct input_block *block = blocks_find(blocks, offset);

	return !callee || !block ||
	       call_of_block_vec_push(out,
				      (struct call_of_block){(uint32_t)(block - blocks->blocks.at),
							     text_of(callee->primary)});
}

static bool calls_of_code(const struct new_build *build, uint32_t function,
			  const struct input_function *blocks, struct call_of_block_vec *out)
{
	const struct function *f = &build->binary.functions.at[function];
	const struct graph *graph = new_build_graph(build, function);

	for (size_t i = 0; graph && i < graph->code.insns.len; i++) {
		const struct insn *insn = &graph->code.insns.at[i];
		bool calls = insn->kind == INSN_CALL || insn_is_tail_call(f, insn);
		if (calls && !add_call(blocks, insn->offset,
				       functions_at(&build->binary.functions, insn->target), out))
			return false;
	}
	return true;
}

/* A jump from one fragment of a function to another is none. */
static const struct function *called_outside(const struct binary *binary, uint32_t hot,
					     const struct insn *insn)
{
	const struct function *callee = functions_at(&binary->functions, insn->target);
	uint32_t fragment =
		callee ? binary->fragment_of[callee - binary->functions.at] : NO_FRAGMENT;
	bool inside = fragment != NO_FRAGMENT && binary->bat.fragments[fragment].parent == hot;

	return inside && insn->kind != INSN_CALL ? NULL : callee;
}

/* The table has the locations of branches, but not of one that begins a block.  For several entries
 * of one location the last is of the code there. */
static bool calls_of_fragment(const struct new_build *build, uint32_t hot, uint32_t number,
			      const struct input_function *blocks, struct call_of_block_vec *out)
{
	const struct binary *binary = &build->binary;
	const struct bat_fragment *fragment = &binary->bat.fragments[number];
	const struct bat_entry *entries = binary->bat.entries + fragment->first_entry;

	for (uint32_t i = 0; i < fragment->entry_count; i++) {
		struct vaddr at = {fragment->address + entries[i].output};
		if (i + 1 < fragment->entry_count && entries[i + 1].output == entries[i].output)
			continue;
		struct insn insn = insn_branch(binary->image.machine,
					       image_bytes_at(&binary->image, at), at.v);
		if (insn_is_direct(insn) && !add_call(blocks, bat_entry_input(entries[i]),
						      called_outside(binary, hot, &insn), out))
			return false;
	}
	return true;
}

bool new_build_calls(const struct new_build *build, uint32_t function,
		     const struct input_function *blocks, struct call_of_block_vec *out)
{
	uint32_t hot = build->binary.fragment_of[function];
	bool ok = true;

	out->len = 0;
	if (build->code) {
		ok = calls_of_code(build, function, blocks, out);
	} else if (build->calls && hot != NO_FRAGMENT) {
		size_t count;
		const uint32_t *fragments = blocks_fragments(&build->blocks, hot, &count);
		for (size_t i = 0; ok && i < count; i++)
			ok = calls_of_fragment(build, hot, fragments[i], blocks, out);
	}
	sort_calls(out->at, out->len);
	return ok;
}

/* ---- which blocks are found again ---- */

void block_match_free(struct block_match *match)
{
	fate_vec_free(&match->fates);
	for (size_t i = 0; i < SIMILAR_SEARCHES; i++)
		block_key_vec_free(&match->similar[i]);
	block_key_vec_free(&match->calling);
	call_name_vec_free(&match->names);
	taken_vec_free(&match->taken);
}

static bool key_less(const struct block_key *a, const struct block_key *b)
{
	if (a->key != b->key)
		return a->key < b->key;
	return a->kinds != b->kinds ? a->kinds < b->kinds : a->block < b->block;
}
DEFINE_SORT(sort_keys, struct block_key, key_less)
DEFINE_SEARCH(keys_below, struct block_key, const struct block_key *, key_less(item, key))

/* Where the first one is that is no less than these. */
static size_t first_from(const struct block_key_vec *keys, uint64_t key, uint16_t kinds)
{
	const struct block_key from = {key, kinds, 0};

	return keys_below(keys->at, keys->len, &from);
}

/* ---- similar blocks ----
 * How far two blocks of equal kinds of instructions are from each other: first by how many of their
 * two neighbors differ, then by whether the instructions do, then by the distance of the offsets;
 * and of equal ones the first counts.  So a search asks for candidates that agree in ever fewer
 * parts.  The key of a candidate has the parts that are asked for, and the offset last. */

#define OFFSET_PART UINT64_C(0xffff)
#define KIND_PART   (UINT64_C(0xffff) << 16)
#define INSN_PART   (UINT64_C(0xffff) << 32)
#define BEFORE_PART (UINT64_C(0xff) << 48)
#define BEHIND_PART (UINT64_C(0xff) << 56)

static const struct {
	uint64_t parts;
	bool goes_on; /* the next row is as near */
} searches[SIMILAR_SEARCHES] = {
	{BEFORE_PART | BEHIND_PART | INSN_PART, false},
	{BEFORE_PART | BEHIND_PART, false},
	{BEFORE_PART | INSN_PART, true},
	{BEHIND_PART | INSN_PART, false},
	{BEFORE_PART, true},
	{BEHIND_PART, false},
	{INSN_PART, false},
	{0, false},
};

/* The parts are above the offset, whatever their own order is. */
static uint64_t similar_key(uint64_t hash, size_t search)
{
	return hash & (searches[search].parts | KIND_PART | OFFSET_PART);
}

/* The nearer one of two candidates, of which either can be missing; of those that are as near, the
 * first of the function. */
static const struct block_key *nearer(const struct block_key *a, uint64_t a_distance,
				      const struct block_key *b, uint64_t b_distance)
{
	if (!a || !b)
		return a ? a : b;
	if (a_distance != b_distance)
		return a_distance < b_distance ? a : b;
	return a->block < b->block ? a : b;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static const struct block_key *nearer_offset(const struct block_key *a, const struct block_key *b,
					     uint64_t hash)
{
	uint64_t offset = hash & OFFSET_PART;

	return nearer(a, a ? distance(a->key & OFFSET_PART, offset) : 0, b,
		      b ? distance(b->key & OFFSET_PART, offset) : 0);
}

/* The nearest of those that agree in the parts of a search, or NULL. */
static const struct block_key *search_similar(const struct block_key_vec *keys, uint64_t key)
{
	size_t at = first_from(keys, key, 0);
	const struct block_key *above = NULL, *below = NULL;

	if (at < keys->len && (keys->at[at].key ^ key) <= OFFSET_PART)
		above = &keys->at[at];
	if (at && (keys->at[at - 1].key ^ key) <= OFFSET_PART)
		below = &keys->at[first_from(keys, keys->at[at - 1].key, 0)];
	return nearer_offset(above, below, key);
}

/* The most similar block of the new build; NO_BLOCK: none has these kinds of instructions. */
static uint32_t find_similar(const struct block_match *match, uint64_t hash)
{
	const struct block_key *best = NULL;

	for (size_t i = 0; i < SIMILAR_SEARCHES; i++) {
		best = nearer_offset(best, search_similar(&match->similar[i], similar_key(hash, i)),
				     hash);
		if (best && !searches[i].goes_on)
			return best->block;
	}
	return NO_BLOCK;
}

static bool list_similar(struct block_match *match, const struct input_function *function)
{
	for (size_t i = 0; i < SIMILAR_SEARCHES; i++) {
		match->similar[i].len = 0;
		for (uint32_t b = 0; b < function->blocks.len; b++)
			if (!block_key_vec_push(
				    &match->similar[i],
				    (struct block_key){similar_key(function->blocks.at[b].hash, i),
						       0, b}))
				return false;
		sort_keys(match->similar[i].at, match->similar[i].len);
	}
	return true;
}

/* ---- blocks that call the same ---- */

static uint16_t kinds_of(uint64_t hash)
{
	return (uint16_t)((hash & KIND_PART) >> 16);
}

static bool list_calling(struct block_match *match, const struct input_function *function,
			 const struct call_of_block_vec *calls)
{
	match->calling.len = 0;
	for (size_t i = 0; i < calls->len;) {
		uint32_t block = calls->at[i].block;
		match->names.len = 0;
		for (; i < calls->len && calls->at[i].block == block; i++)
			if (!call_name_vec_push(&match->names, calls->at[i].name))
				return false;
		struct block_key add = {call_key(match->names.at, match->names.len),
					kinds_of(function->blocks.at[block].hash), block};
		if (!block_key_vec_push(&match->calling, add))
			return false;
	}
	sort_keys(match->calling.at, match->calling.len);
	return true;
}

/* For those that call the same the one whose kinds of instructions have the nearest number, as
 * llvm-bolt chooses; NO_BLOCK: none */
static uint32_t find_calling(const struct block_match *match, const struct old_block *old)
{
	const struct block_key_vec *keys = &match->calling;
	const struct block_key *above = NULL, *below = NULL;
	uint16_t kinds = kinds_of(old->hash);
	size_t at = first_from(keys, old->callees, kinds);

	if (!old->callees)
		return NO_BLOCK;
	if (at < keys->len && keys->at[at].key == old->callees)
		above = &keys->at[at];
	if (at && keys->at[at - 1].key == old->callees)
		below = &keys->at[first_from(keys, old->callees, keys->at[at - 1].kinds)];
	const struct block_key *best = nearer(above, above ? distance(above->kinds, kinds) : 0,
					      below, below ? distance(below->kinds, kinds) : 0);
	return best ? best->block : NO_BLOCK;
}

/* ---- giving them out ---- */

static void give(struct block_match *match, size_t old, uint32_t block, enum block_fate fate)
{
	if (block == NO_BLOCK || match->taken.at[block])
		return;
	match->taken.at[block] = true;
	match->fates.at[old] = fate;
}

static void give_exact(struct block_match *match, const struct old_block *old, size_t count,
		       const struct input_function *function)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t block = find_similar(match, old[i].hash);
		if (block != NO_BLOCK &&
		    !((function->blocks.at[block].hash ^ old[i].hash) & INSN_PART))
			give(match, i, block, BLOCK_EXACT);
	}
}

static void give_others(struct block_match *match, const struct old_block *old, size_t count,
			const struct input_function *function)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t block = find_calling(match, &old[i]);
		enum block_fate fate = block != NO_BLOCK ? BLOCK_CALL : BLOCK_LOOSE;
		if (block == NO_BLOCK)
			block = find_similar(match, old[i].hash);
		if (block == NO_BLOCK && !old[i].bid && function->blocks.len)
			block = 0;
		give(match, i, block, fate);
	}
}

bool blocks_match(struct block_match *match, const struct old_block *old, size_t count,
		  const struct input_function *function, const struct call_of_block_vec *calls)
{
	if (!fate_vec_reserve(&match->fates, count) ||
	    !taken_vec_reserve(&match->taken, function->blocks.len) ||
	    !list_similar(match, function) || !list_calling(match, function, calls))
		return false;
	match->fates.len = count;
	match->taken.len = function->blocks.len;
	for (size_t i = 0; i < count; i++)
		match->fates.at[i] = BLOCK_LOST;
	for (size_t i = 0; i < function->blocks.len; i++)
		match->taken.at[i] = false;
	give_exact(match, old, count, function);
	give_others(match, old, count, function);
	return true;
}
