/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/new_build.h"

#include <elf.h>

#include "src/base/parallel.h"
#include "src/base/sort.h"

static bool check_kind(const struct new_build *build, const char *hashes, struct bc_error *err)
{
	const struct binary *binary = &build->binary;

	if (binary->kind == BINARY_SECTION)
		return bc_fail(err, BC_UNSUPPORTED, "%s: a table alone has no names of functions", build->path);
	if (binary->kind != BINARY_BOLTED || hashes || binary->bat.layout == BAT_LAYOUT_HASHED)
		return true;
	return bc_fail(err, BC_UNSUPPORTED, "%s: BAT layout %s has no hashes: llvm-bolt 19 and later write them; give the binary that llvm-bolt "
		       "reads, with --hashes=FILE", build->path, bat_layout_name(binary->bat.layout));
}

/* Is there code where the first fragment lies?  A file of hashes alone has none. */
static bool has_moved_code(const struct binary *binary)
{
	const struct bat_table *bat = &binary->bat;

	for (uint32_t i = 0; i < bat->fragment_count; i++) {
		struct bytes code = image_bytes_at(&binary->image, (struct vaddr){bat->fragments[i].address});
		for (size_t k = 0; k < code.size && k < 16; k++)
			if (code.data[k])
				return true;
	}
	return false;
}

static bool open_all(const char *hashes, struct new_build *out, struct bc_error *err)
{
	const struct binary_parts parts = {.blocks = true};

	if (!binary_open_parts(out->path, &parts, &out->binary, err) || !check_kind(out, hashes, err))
		return false;
	out->no_records.binary = &out->binary;
	if (hashes && !hash_source_open(hashes, &out->binary, out->path, NULL, &out->source, err))
		return false;
	out->opened = blocks_open(&out->no_records, hashes ? &out->source : NULL, &out->graphs, &out->blocks, err);
	out->code = out->binary.kind == BINARY_UNTOUCHED;
	out->hashed = hashes || out->binary.kind == BINARY_BOLTED;
	out->calls = out->code || has_moved_code(&out->binary);
	return out->opened;
}

bool new_build_open(const char *path, const char *hashes, struct new_build *out, struct bc_error *err)
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

/* ---- names ---- */

/* A local symbol is NAME/N, and under a FILE symbol NAME/FILE/N, too. */
static bool name_symbol(const struct symbol_table *table, const struct symbol *s, struct names *room, uint32_t function,
			bool (*name)(void *ctx, uint32_t function, struct text name), void *ctx)
{
	if (!*s->name || s->type == STT_SECTION)
		return true;
	if (!s->local)
		return name(ctx, function, text_of(s->name));
	struct digits number = digits_behind_slash(s->number), in_file = digits_behind_slash(s->file_number);
	const char *plain = names_join(room, s->name, number.text, NULL, NULL);
	if (!plain || !name(ctx, function, text_of(plain)))
		return false;
	if (!s->file_number)
		return true;
	const char *with_file = names_join(room, s->name, "/", table->files[s->file], in_file.text);
	return with_file && name(ctx, function, text_of(with_file));
}

bool new_build_names(const struct new_build *build, bool (*name)(void *ctx, uint32_t function, struct text name), void *ctx)
{
	const struct function_table *functions = &build->binary.functions;
	const struct symbol_table *table = &functions->symbols;
	struct names room = {0};
	bool ok = true;

	for (size_t f = 0, s = 0; ok && f < functions->count; f++) {
		const struct function *at = &functions->at[f];
		ok = name(ctx, (uint32_t)f, text_of(at->printed)) && name(ctx, (uint32_t)f, text_of(at->primary));
		while (s < table->count && table->at[s].address < at->address)
			s++;
		for (size_t own = s; ok && own < table->count && table->at[own].address == at->address; own++)
			ok = name_symbol(table, &table->at[own], &room, (uint32_t)f, name, ctx);
		names_free(&room);
	}
	return ok;
}

/* ---- functions ---- */

bool new_build_read(struct new_build *build, const uint32_t *functions, size_t count, struct bc_error *err)
{
	const struct binary *binary = &build->binary;

	return !build->code || !count ||
	       cfg_build_code(&binary->image, &binary->functions, functions, count, parallel_threads(), &build->graphs, err) ||
	       bc_fail_prefix(err, build->path);
}

const struct graph *new_build_graph(const struct new_build *build, uint32_t function)
{
	const struct graph *graph = build->code ? cfg_find(&build->graphs, &build->binary.functions.at[function]) : NULL;

	return graph && graph->count ? graph : NULL;
}

/* The fragment that has the function's hash, and its table; NULL: none has. */
static const struct bat_fragment *hashed_fragment(const struct new_build *build, uint32_t function)
{
	const struct binary *binary = &build->binary;
	uint32_t own = binary->fragment_of[function];
	uint32_t other = build->source.fragments.at ? build->source.fragments.at[function] : NO_FRAGMENT;

	if (own != NO_FRAGMENT && binary->bat.layout == BAT_LAYOUT_HASHED)
		return binary->bat.fragments[own].cold ? NULL : &binary->bat.fragments[own];
	return other != NO_FRAGMENT ? &build->source.table.bat.fragments[other] : NULL;
}

void new_build_key(const struct new_build *build, uint32_t function, uint64_t *hash, uint32_t *blocks)
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
static bool add_call(const struct input_function *blocks, uint32_t offset, const struct function *callee,
		     struct call_of_block_vec *out)
{
	const struct input_block *block = blocks_find(blocks, offset);

	return !callee || !block ||
	       call_of_block_vec_push(out, (struct call_of_block){(uint32_t)(block - blocks->blocks.at), text_of(callee->primary)});
}

static bool calls_of_code(const struct new_build *build, uint32_t function, const struct input_function *blocks,
			  struct call_of_block_vec *out)
{
	const struct function *f = &build->binary.functions.at[function];
	const struct graph *graph = new_build_graph(build, function);

	for (size_t i = 0; graph && i < graph->code.insns.len; i++) {
		const struct insn *insn = &graph->code.insns.at[i];
		bool calls = insn->kind == INSN_CALL || insn_is_tail_call(f, insn);
		if (calls && !add_call(blocks, insn->offset, functions_at(&build->binary.functions, insn->target), out))
			return false;
	}
	return true;
}

/* A jump from one fragment of a function to another is none. */
static const struct function *called_outside(const struct binary *binary, uint32_t hot, const struct insn *insn)
{
	const struct function *callee = functions_at(&binary->functions, insn->target);
	uint32_t fragment = callee ? binary->fragment_of[callee - binary->functions.at] : NO_FRAGMENT;
	bool inside = fragment != NO_FRAGMENT && binary->bat.fragments[fragment].parent == hot;

	return inside && insn->kind != INSN_CALL ? NULL : callee;
}

/* The table has the places of branches, but not of one that begins a block.  Of several entries of one place the last is of the code
 * there. */
static bool calls_of_fragment(const struct new_build *build, uint32_t hot, uint32_t number, const struct input_function *blocks,
			      struct call_of_block_vec *out)
{
	const struct binary *binary = &build->binary;
	const struct bat_fragment *fragment = &binary->bat.fragments[number];
	const struct bat_entry *entries = binary->bat.entries + fragment->first_entry;

	for (uint32_t i = 0; i < fragment->entry_count; i++) {
		struct vaddr at = {fragment->address + entries[i].output};
		if (i + 1 < fragment->entry_count && entries[i + 1].output == entries[i].output)
			continue;
		struct insn insn = insn_branch(binary->image.machine, image_bytes_at(&binary->image, at), at.v);
		if (insn_is_direct(insn) && !add_call(blocks, bat_entry_input(entries[i]), called_outside(binary, hot, &insn), out))
			return false;
	}
	return true;
}

bool new_build_calls(const struct new_build *build, uint32_t function, const struct input_function *blocks, struct call_of_block_vec *out)
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
