/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/code/pair.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "src/base/parallel.h"
#include "src/elf/binary.h"

bool pair_check_kind(const struct image *in, const struct image *out, struct bc_error *err)
{
	if (in->machine != out->machine)
		return bc_fail(err, BC_MISMATCH,
			       "not the input binary: it is of %s, and the BOLTed one of %s",
			       machine_name(in->machine), machine_name(out->machine));
	if (!image_has_code(in))
		return bc_fail(err, BC_MISMATCH, "not the whole input binary: " IMAGE_NO_CODE);
	return image_bolt_trace(in) == BOLT_NONE ||
	       bc_fail(err, BC_MISMATCH, "not the input binary: llvm-bolt wrote it");
}

static bool has_right_id(const struct image *in, const struct image *out)
{
	return build_id_is_marked(&in->build_id, &out->build_id);
}

static bool check_build_ids(const struct image *in, const struct image *out, struct bc_error *err)
{
	if (!in->build_id.size || !out->build_id.size || has_right_id(in, out))
		return true;
	char id[2 * BUILD_ID_MAX + 1], other[2 * BUILD_ID_MAX + 1];
	build_id_format(&in->build_id, id);
	build_id_format(&out->build_id, other);
	return bc_fail(
		err, BC_MISMATCH,
		"not the input binary: its build-id is %s, and the BOLTed one (%s) was made from another",
		id, other);
}

static bool check_fit(struct pair *pair, struct bc_error *err)
{
	bool by_id = has_right_id(&pair->image, &pair->output->image);
	enum belonging belonging = belonging_judge(pair->offsets, PAIR_LIMIT_PERCENT, by_id);

	if (belonging == BELONGS)
		return true;
	if (pair->functions.stripped)
		return bc_fail(
			err, BC_MISMATCH,
			"not the input binary as llvm-bolt read it: stripped since, so its functions have no names");
	bc_fail(belonging == BELONGS_NOT ? err : &pair->doubt, BC_MISMATCH,
		"%s%.1f %% of the table's offsets lie on no instruction of it (limit %.0f %%)%s",
		belonging == BELONGS_NOT ? "not the input binary: " : "",
		disagreement_percent(pair->offsets), PAIR_LIMIT_PERCENT,
		belonging_although(belonging));
	return belonging != BELONGS_NOT;
}

/* Gives functions of the output their names in the input. */
static void take_names(struct pair *pair)
{
	struct function_table *table = &pair->named->functions;

	for (size_t o = 0; o < table->count; o++) {
		const struct function *in = pair_input_of(pair, &table->at[o]);
		if (!in || in->kind != FUNCTION_CODE)
			continue;
		table->at[o].printed = in->printed;
		table->at[o].primary = in->primary;
	}
}

static bool open_image(struct pair *pair, struct bytes input, struct bc_error *err)
{
	return pair->file.data ? image_open_map(&pair->file, &pair->image, err) :
				 image_open(input, &pair->image, err);
}

static bool check_files(const struct pair *pair, struct bc_error *err)
{
	const struct image *output = &pair->output->image;

	return pair_check_kind(&pair->image, output, err) &&
	       check_build_ids(&pair->image, output, err);
}

static bool check_functions(struct pair *pair, struct bc_error *err)
{
	return pair_match(pair, err) && pair_fit(pair, err) && check_fit(pair, err);
}

static bool open_input(struct pair *pair, struct bytes input, struct bc_error *err)
{
	return open_image(pair, input, err) && check_files(pair, err) &&
	       functions_build(&pair->image, NUMBERS_BY_ADDRESS, &pair->functions, err) &&
	       check_functions(pair, err);
}

static bool open_or_close(struct pair pair, struct bytes input, bool names, struct pair *out,
			  struct bc_error *err)
{
	if (!open_input(&pair, input, err)) {
		pair_close(&pair);
		return false;
	}
	if (names)
		take_names(&pair);
	*out = pair;
	return true;
}

static bool has_table(const struct binary *output, struct bc_error *err)
{
	return output->kind == BINARY_BOLTED ||
	       bc_fail(err, BC_NOTFOUND, "has no BAT section, so it has no input binary");
}

bool pair_open(const char *path, const struct binary *output, bool names, struct pair *out,
	       struct bc_error *err)
{
	struct pair pair = {.output = output};

	if (!(has_table(output, err) || bc_fail_prefix(err, path)) ||
	    !file_map(path, &pair.file, err))
		return false;
	if (!open_or_close(pair, (struct bytes){0}, names, out, err))
		return bc_fail_prefix(err, path);
	if (out->doubt.code)
		bc_fail_prefix(&out->doubt, path);
	return true;
}

bool pair_open_found(struct found_input *found, const struct binary *output, bool names,
		     struct pair *out, struct bc_error *err)
{
	for (size_t i = 0;
	     output->kind == BINARY_BOLTED && i < found->files.all.len && !found->taken; i++) {
		const struct input_file *file = &found->files.all.at[i];
		if (pair_open(file->path, output, names, out, err))
			found->taken = file;
		else if (err->code == BC_NOMEM)
			return false;
		else if (!found->refused.code)
			found->refused = *err;
	}
	if (!found->refused.code)
		found->refused = found->files.unread;
	return true;
}

bool pair_find(const char *output, const struct debug_dirs *dirs, struct found_input *out,
	       struct bc_error *err)
{
	const struct binary_parts parts = {.debug = dirs};
	struct bc_error unopened;
	struct binary binary;
	struct pair pair = {0};

	if (!input_files_find(output, dirs, &out->files, err))
		return false;
	if (!out->files.all.len && !out->files.unread.code)
		return true;
	if (!binary_open_parts(output, &parts, &binary, &unopened))
		return true;
	bool ok = pair_open_found(out, &binary, true, &pair, err);
	out->doubt = pair.doubt;
	if (pair.output)
		pair_close(&pair);
	binary_close(&binary);
	return ok;
}

const char *found_input_path(const char *output, const struct debug_dirs *dirs,
			     struct found_input *out)
{
	struct bc_error no_memory;

	return pair_find(output, dirs, out, &no_memory) && out->taken ? out->taken->path : NULL;
}

void found_input_free(struct found_input *found)
{
	input_files_free(&found->files);
	*found = (struct found_input){0};
}

bool pair_open_bytes(struct bytes input, const struct binary *output, bool names, struct pair *out,
		     struct bc_error *err)
{
	return has_table(output, err) &&
	       open_or_close((struct pair){.output = output}, input, names, out, err);
}

bool pair_open_known(const struct image *image, const struct function_table *functions,
		     const struct binary *output, struct pair *out, struct bc_error *err)
{
	struct pair pair = {
		.output = output, .image = *image, .functions = *functions, .borrowed = true};

	if (has_table(output, err) && check_files(&pair, err) && check_functions(&pair, err)) {
		*out = pair;
		return true;
	}
	pair_close(&pair);
	return false;
}

bool pair_names(const struct image *image, const struct function_table *functions,
		const struct binary *output, struct pair *out, struct bc_error *err)
{
	*out = (struct pair){
		.output = output, .image = *image, .functions = *functions, .borrowed = true};
	if (pair_match(out, err))
		return true;
	pair_close(out);
	return false;
}

bool pair_check(const char *path, const struct binary *output, struct bc_error *doubt,
		struct bc_error *err)
{
	struct pair pair = {0};

	bool ok = pair_open(path, output, false, &pair, err);
	*doubt = pair.doubt;
	if (ok)
		pair_close(&pair);
	return ok;
}

struct reading {
	struct pair *pair;
	const uint32_t *chosen;
	atomic_bool no_memory;
};

static void read_code(void *ctx, size_t index, unsigned worker)
{
	struct reading *r = ctx;
	const struct pair *pair = r->pair;
	uint32_t input = r->chosen[index], body = pair->body_of[input];
	uint32_t fragment = body == NO_FUNCTION ? NO_FRAGMENT : pair->output->fragment_of[body];
	const struct function *function = &pair->functions.at[input];
	const struct graph *graph = cfg_find(&pair->graphs, function);

	(void)worker;
	if (!graph->count || !graph->code.first_insn || fragment == NO_FRAGMENT ||
	    pair->codes[input])
		return;
	struct code *code = pair->codes[input] = calloc(1, sizeof(*code));
	if (!code || !code_read(&pair->output->bat, fragment, function, graph, code))
		r->no_memory = true;
}

bool pair_build_graphs(struct pair *pair, const uint32_t *chosen, size_t count, unsigned threads,
		       struct bc_error *err)
{
	struct reading reading = {pair, chosen, false};

	if (!cfg_build_code(&pair->image, &pair->functions, chosen, count, threads, &pair->graphs,
			    err))
		return false;
	if (!pair->codes)
		pair->codes = calloc(pair->functions.count + 1, sizeof(*pair->codes));
	if (pair->codes)
		parallel_for(threads, count, read_code, &reading);
	return (pair->codes && !reading.no_memory) || bc_fail_nomem(err);
}

void pair_free_graphs(struct pair *pair)
{
	for (size_t i = 0; pair->codes && i < pair->functions.count; i++) {
		if (pair->codes[i])
			code_free(pair->codes[i]);
		free(pair->codes[i]);
	}
	free(pair->codes);
	pair->codes = NULL;
	cfg_free(&pair->graphs);
}

const struct code *pair_code(const struct pair *pair, const struct function *input)
{
	static const struct code unknown;
	const struct code *code =
		input && pair->codes ? pair->codes[input - pair->functions.at] : NULL;

	return code ? code : &unknown;
}

void pair_close(struct pair *pair)
{
	pair_free_graphs(pair);
	free(pair->output_of);
	free(pair->body_of);
	free(pair->input_of);
	if (pair->named) {
		free(pair->named->functions.at);
		free(pair->named->fragment_of);
	}
	free(pair->named);
	if (!pair->borrowed) {
		functions_free(&pair->functions);
		image_close(&pair->image);
	}
	file_unmap(&pair->file);
	*pair = (struct pair){0};
}

/* How far the block of an entry is looked for: most blocks have few branches. */
#define ENTRIES_BACK 32

bool pair_way_out(const struct pair *pair, const struct code *code, uint32_t block, uint32_t body,
		  struct way_out *out)
{
	struct way_out ways[WAYS_OUT_MOST];
	uint32_t count = code_ways_out(code, block, ways);

	for (uint32_t i = 0; i < count; i++) {
		const struct insn *insn = &code->insns->at[ways[i].insn];
		const struct function *callee =
			insn_jumps(*insn) ? functions_at(&pair->functions, insn->target) : NULL;
		if (callee && pair->body_of[callee - pair->functions.at] == body) {
			*out = ways[i];
			return true;
		}
	}
	return false;
}

/* The block of the input that an entry of a fragment belongs to, if it is one of the last before
 * it; NO_BLOCK: not known. */
static uint32_t block_of_entry(const struct bat_table *bat, const struct bat_fragment *fragment,
			       const struct code *code, const struct bat_entry *entry)
{
	const struct bat_entry *begin = bat->entries + fragment->first_entry;

	for (uint32_t steps = 0;
	     steps < ENTRIES_BACK && entry > begin && bat_entry_is_branch(*entry); steps++)
		entry--;
	return bat_entry_is_branch(*entry) ? NO_BLOCK :
					     code_block_at(code, bat_entry_input(*entry));
}

enum way_kind pair_way_out_of_jump(const struct pair *pair, const struct code *code,
				   const struct bat_fragment *fragment, uint32_t offset,
				   uint32_t body, struct way_out *out)
{
	const struct bat_table *bat = &pair->output->bat;
	const struct bat_entry *entry = code->count ? bat_entry_at(bat, fragment, offset) : NULL;
	uint32_t number =
		entry ? insns_at(code->insns, bat_translate(bat, fragment, offset, true)) : NO_INSN;

	if (number == NO_INSN)
		return WAY_AS_IS;
	const struct insn *insn = &code->insns->at[number];
	bool told = bat_entry_is_branch(*entry) || entry->output == offset;
	bool leaves = told && insn_is_branch(*insn) &&
		      !(insn_jumps(*insn) && insn_stays(code->input, insn));
	uint32_t own = code_block_of(code, number),
		 block = leaves ? block_of_entry(bat, fragment, code, entry) : own;
	if (leaves && (block == NO_BLOCK || block == own))
		return WAY_AS_IS;
	if (pair_way_out(pair, code, block, body, out) && !(leaves && out->insn != number))
		return WAY_FOUND;
	return told ? WAY_NONE : WAY_AS_IS;
}

static bool in_old_section(const struct image *image, uint64_t vaddr)
{
	const struct section *section = image_section_at(image, (struct vaddr){vaddr});

	return section && text_starts(section->name, ".bolt.org.");
}

struct old_place pair_old_place(const struct pair *pair, uint64_t vaddr)
{
	const struct function *in = functions_find(&pair->functions, (struct vaddr){vaddr});
	uint32_t o = in ? pair->output_of[in - pair->functions.at] : NO_FUNCTION;

	if (o == NO_FUNCTION || in->kind != FUNCTION_CODE)
		return (struct old_place){0};
	const struct function *out = &pair->output->functions.at[o];
	bool has_table = pair->output->fragment_of[o] != NO_FRAGMENT,
	     unmoved = out->address == in->address;
	bool is_old = has_table ? !unmoved && in_old_section(&pair->output->image, vaddr) : unmoved;
	return is_old ? (struct old_place){in, out, (uint32_t)(vaddr - in->address), has_table} :
			(struct old_place){0};
}
