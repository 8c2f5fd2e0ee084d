/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions of one name in two binaries, and whether the table fits the input: steps of
 * pair_open(). */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/parallel.h"
#include "src/base/sort.h"
#include "src/base/vec.h"
#include "src/code/pair.h"
#include "src/isa/decoder.h"

/* ---- do the entries of a fragment lie on instructions of a function of the input? ---- */

/* The code of a function, and a bit for each byte of it that an instruction begins at. */
struct read_code {
	struct bytes code;
	uint8_t *starts; /* NULL: no memory */
	uint64_t known;  /* code from here on could not be read; */
};

static struct read_code read_function(struct decoder *decoder, const struct pair *pair,
				      const struct function *f)
{
	struct read_code r = {
		.code = bytes_first(image_bytes_at(&pair->image, (struct vaddr){f->address}),
				    f->extent),
		.known = UINT64_MAX};
	uint64_t at = 0;
	struct insn insn;

	r.starts = calloc(r.code.size / 8 + 1, 1);
	for (; r.starts && at < r.code.size; at += insn.size) {
		if (!decoder_next(decoder, bytes_from(r.code, at), f->address + at, &insn))
			break;
		r.starts[at / 8] |= (uint8_t)(1u << at % 8);
	}
	if (at < r.code.size && decoder->llvm_missing)
		r.known = at;
	return r;
}

/* Counts the entries of a fragment that lie on an instruction, and those that do not.  Entries of
 * blocks that were never emitted, or deleted, are as good as others. */
static void count_entries(const struct pair *pair, uint32_t fragment, const struct read_code *r,
			  struct disagreement *out)
{
	const struct bat_table *bat = &pair->output->bat;
	const struct bat_fragment *f = &bat->fragments[fragment];

	for (uint32_t i = f->first_entry; i < f->first_entry + f->entry_count; i++) {
		uint64_t at = bat_entry_input(bat->entries[i]);
		if (at >= r->known)
			continue;
		out->compared++;
		out->differ += at >= r->code.size || !(r->starts[at / 8] >> at % 8 & 1);
	}
}

/* False: no memory. */
static bool fit_function(const struct pair *pair, struct decoder *decoder, uint32_t fragment,
			 uint32_t input, struct disagreement *out)
{
	struct read_code r = read_function(decoder, pair, &pair->functions.at[input]);

	if (r.starts)
		count_entries(pair, fragment, &r, out);
	bool ok = r.starts;
	free(r.starts);
	return ok;
}

/* ---- functions of one name ---- */

/* A symbol, by the properties that llvm-bolt does not change. */
struct known {
	uint64_t hash;     /* of name, and file of a local one */
	uint32_t order;    /* in the symbol table */
	uint32_t symbol;   /* index in the sorted one */
	uint32_t function; /* that begins there, or NO_FUNCTION */
};
DEFINE_VEC(known_vec, struct known);

static bool known_less(const struct known *a, const struct known *b)
{
	return a->hash != b->hash ? a->hash < b->hash : a->order < b->order;
}
DEFINE_SORT(sort_known, struct known, known_less)

static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * 0x100000001b3u; /* FNV-1a */
	return (hash ^ 0xff) * 0x100000001b3u;
}

static const char *file_of(const struct symbol_table *table, const struct symbol *s)
{
	return s->local ? table->files[s->file] : "";
}

static bool same_name(const struct symbol_table *a, const struct symbol *x,
		      const struct symbol_table *b, const struct symbol *y)
{
	return x->local == y->local && !strcmp(x->name, y->name) &&
	       !strcmp(file_of(a, x), file_of(b, y));
}

/* Does a cold fragment begin at this function of the output?  It can have the name of another
 * function: with -split-strategy=cdsplit, of what gcc calls .cold. */
static bool is_cold_fragment(const struct binary *output, size_t function)
{
	uint32_t fragment =
		output && output->fragment_of ? output->fragment_of[function] : NO_FRAGMENT;

	return fragment != NO_FRAGMENT && output->bat.fragments[fragment].cold;
}

/* Lists the symbols of code; of the output, which is NULL for the input, without those of cold
 * fragments. */
static bool list_known(const struct function_table *functions, const struct binary *output,
		       struct known_vec *out)
{
	const struct symbol_table *table = &functions->symbols;
	size_t f = 0;

	for (size_t i = 0; i < table->count; i++) {
		const struct symbol *s = &table->at[i];
		while (f + 1 < functions->count && functions->at[f + 1].address <= s->address)
			f++;
		bool begins = f < functions->count && functions->at[f].address == s->address;
		bool code = s->section != ABSOLUTE_SECTION &&
			    functions->image.sections[s->section].flags & SHF_EXECINSTR;
		if (!code || !*s->name || s->type == STT_SECTION ||
		    (begins && is_cold_fragment(output, f)))
			continue;
		uint64_t hash = hash_text(hash_text(s->local ? 1 : 2, s->name), file_of(table, s));
		if (!known_vec_push(out, (struct known){hash, s->order, (uint32_t)i,
							begins ? (uint32_t)f : NO_FUNCTION}))
			return false;
	}
	sort_known(out->at, out->len);
	return true;
}

static size_t group_end(const struct known_vec *known, size_t begin)
{
	size_t end = begin;

	while (end < known->len && known->at[end].hash == known->at[begin].hash)
		end++;
	return end;
}

/* Notes in which function of the output a function of the input is. */
static void note_function(struct pair *pair, uint32_t i, uint32_t o)
{
	if (i != NO_FUNCTION && o != NO_FUNCTION && pair->body_of[i] == NO_FUNCTION)
		pair->body_of[i] = o;
}

static void join_groups(struct pair *pair, const struct known_vec *input,
			const struct known_vec *output)
{
	const struct symbol_table *a = &pair->functions.symbols,
				  *b = &pair->output->functions.symbols;

	for (size_t i = 0, o = 0; i < input->len && o < output->len;) {
		size_t i_end = group_end(input, i), o_end = group_end(output, o);
		uint64_t x = input->at[i].hash, y = output->at[o].hash;
		for (size_t k = 0; x == y && o_end - o >= i_end - i && k < i_end - i; k++) {
			const struct symbol *s = &a->at[input->at[i + k].symbol],
					    *t = &b->at[output->at[o + k].symbol];
			if (same_name(a, s, b, t))
				note_function(pair, input->at[i + k].function,
					      output->at[o + k].function);
		}
		i = x <= y ? i_end : i;
		o = y <= x ? o_end : o;
	}
}

struct name_listing {
	const struct binary *output;
	const struct function_table *functions[2];
	struct known_vec known[2];
};

static bool list_side(void *ctx, size_t side, struct bc_error *err)
{
	struct name_listing *listing = ctx;

	return list_known(listing->functions[side], side ? listing->output : NULL,
			  &listing->known[side]) ||
	       bc_fail_nomem(err);
}

static bool match_symbols(struct pair *pair, struct bc_error *err)
{
	struct name_listing listing = {
		pair->output, {&pair->functions, &pair->output->functions}, {{0}}};

	bool ok = parallel_parts(2, list_side, &listing, err);
	if (ok)
		join_groups(pair, &listing.known[0], &listing.known[1]);
	known_vec_free(&listing.known[0]);
	known_vec_free(&listing.known[1]);
	return ok;
}

/* A PLT entry, by name: it has no symbol. */
struct plt_name {
	const char *name;
	uint32_t function;
};
DEFINE_VEC(plt_name_vec, struct plt_name);

static bool plt_less(const struct plt_name *a, const struct plt_name *b)
{
	int order = strcmp(a->name, b->name);

	return order ? order < 0 : a->function < b->function;
}
DEFINE_SORT(sort_plt, struct plt_name, plt_less)

static bool list_plt(const struct function_table *functions, struct plt_name_vec *out)
{
	for (size_t i = 0; i < functions->count; i++)
		if (functions->at[i].kind == FUNCTION_PLT &&
		    !plt_name_vec_push(out,
				       (struct plt_name){functions->at[i].primary, (uint32_t)i}))
			return false;
	sort_plt(out->at, out->len);
	return true;
}

static bool match_plt(struct pair *pair)
{
	struct plt_name_vec input = {0}, output = {0};

	bool ok = list_plt(&pair->functions, &input) && list_plt(&pair->output->functions, &output);
	for (size_t i = 0, o = 0; ok && i < input.len && o < output.len;) {
		int order = strcmp(input.at[i].name, output.at[o].name);
		if (!order)
			pair->body_of[input.at[i].function] = output.at[o].function;
		i += order <= 0;
		o += order >= 0;
	}
	plt_name_vec_free(&input);
	plt_name_vec_free(&output);
	return ok;
}

/* Is a body that functions of the input share printed with the name of this one? */
static bool gives_name(const struct pair *pair, uint32_t input, uint32_t body)
{
	const char *name = pair->output->functions.at[body].printed;

	return !strcmp(pair->functions.at[input].printed, name) ||
	       !strcmp(pair->functions.at[input].primary, name);
}

static void choose_by_name(struct pair *pair)
{
	for (uint32_t i = 0; i < pair->functions.count; i++) {
		uint32_t body = pair->body_of[i];
		if (body == NO_FUNCTION)
			continue;
		uint32_t *owner = &pair->input_of[body];
		if (*owner == NO_FUNCTION ||
		    (!gives_name(pair, *owner, body) && gives_name(pair, i, body)))
			*owner = i;
	}
}

/* So many twins of a body are looked at, in addition to the first owner. */
#define TWINS_MOST 64

struct body {
	bool known, fits; /* does the owner fit the table? */
	uint8_t tried;
};

static bool fits_table(const struct pair *pair, struct decoder *decoder, uint32_t input,
		       uint32_t body, bool *out)
{
	struct disagreement d = {0};

	if (!fit_function(pair, decoder, pair->output->fragment_of[body], input, &d))
		return false;
	*out = !d.differ;
	return true;
}

/* A twin owns the body if the table fits its code, and not that of the owner. */
static bool try_twin(struct pair *pair, struct decoder *decoder, uint32_t twin, struct body *body)
{
	uint32_t at = pair->body_of[twin];
	bool fits = false;

	if (!body->known && !fits_table(pair, decoder, pair->input_of[at], at, &body->fits))
		return false;
	body->known = true;
	if (body->fits || body->tried++ >= TWINS_MOST)
		return true;
	if (!fits_table(pair, decoder, twin, at, &fits))
		return false;
	if (fits)
		pair->input_of[at] = twin;
	body->fits = fits;
	return true;
}

/* Functions that became the same when llvm-bolt had inlined calls in them are not the same in the
 * input, and the table is that of one.  Where they were the same, their size is. */
static bool choose_by_table(struct pair *pair)
{
	struct body *bodies = calloc(pair->output->functions.count + 1, sizeof(*bodies));
	struct decoder decoder;
	bool ok = bodies;

	decoder_open(pair->image.machine, &decoder);
	for (uint32_t i = 0; ok && i < pair->functions.count; i++) {
		uint32_t body = pair->body_of[i],
			 owner = body == NO_FUNCTION ? i : pair->input_of[body];
		if (owner != i && pair->output->fragment_of[body] != NO_FRAGMENT &&
		    pair->functions.at[owner].size != pair->functions.at[i].size)
			ok = try_twin(pair, &decoder, i, &bodies[body]);
	}
	decoder_close(&decoder);
	free(bodies);
	return ok;
}

/* Adds a function to the table for each twin that does not own its body.  It has the code and the
 * table of the body. */
static void add_twins(struct pair *pair)
{
	struct function_table *table = &pair->named->functions;

	for (uint32_t i = 0; i < pair->functions.count; i++) {
		uint32_t body = pair->body_of[i];
		pair->output_of[i] = body;
		if (body == NO_FUNCTION || pair->input_of[body] == i)
			continue;
		uint32_t extra = (uint32_t)(table->count + table->extra++);
		const struct function *in = &pair->functions.at[i], *there = &table->at[body];
		table->at[extra] = (struct function){.section = there->section,
						     .kind = in->kind,
						     .primary = in->primary,
						     .printed = in->printed};
		pair->named->fragment_of[extra] = pair->named->fragment_of[body];
		pair->input_of[extra] = i;
		pair->output_of[i] = extra;
	}
}

/* The output with tables of its own, which have room for a function of each name of the input. */
static struct binary *copy_output(const struct binary *output, size_t most)
{
	size_t count = output->functions.count;
	struct binary *named = malloc(sizeof(*named));
	struct function *functions = malloc(most * sizeof(*functions));
	uint32_t *fragments = malloc(most * sizeof(*fragments));

	if (!named || !functions || !fragments) {
		free(named);
		free(functions);
		free(fragments);
		return NULL;
	}
	*named = *output;
	for (size_t i = 0; i < count; i++) {
		functions[i] = output->functions.at[i];
		fragments[i] = output->fragment_of[i];
	}
	named->functions.at = functions;
	named->fragment_of = fragments;
	return named;
}

static bool make_tables(struct pair *pair)
{
	size_t most = pair->output->functions.count + pair->functions.count + 1;

	pair->named = copy_output(pair->output, most);
	if (pair->named)
		pair->output = pair->named;
	pair->input_of = malloc(most * sizeof(*pair->input_of));
	pair->body_of = malloc((pair->functions.count + 1) * sizeof(*pair->body_of));
	pair->output_of = malloc((pair->functions.count + 1) * sizeof(*pair->output_of));
	if (!pair->named || !pair->input_of || !pair->body_of || !pair->output_of)
		return false;
	for (size_t i = 0; i < most; i++)
		pair->input_of[i] = NO_FUNCTION;
	for (size_t i = 0; i < pair->functions.count; i++)
		pair->body_of[i] = NO_FUNCTION;
	return true;
}

bool pair_match(struct pair *pair, struct bc_error *err)
{
	if (!make_tables(pair))
		return bc_fail_nomem(err);
	if (!match_symbols(pair, err))
		return false;
	if (!match_plt(pair))
		return bc_fail_nomem(err);
	choose_by_name(pair);
	if (!choose_by_table(pair))
		return bc_fail_nomem(err);
	add_twins(pair);
	return true;
}

/* ---- all functions with a table, or some thousand if they are many ---- */

/* A sample of so many functions is enough; they are taken evenly from all. */
#define FUNCTIONS_MOST ((uint32_t)2048)

/* What one thread counted. */
struct fit {
	const struct pair *pair;
	struct disagreement offsets;
};

static bool fit_fragment(struct fit *fit, struct decoder *decoder, uint32_t fragment)
{
	const struct pair *pair = fit->pair;
	uint32_t output = pair->output->function_of[fragment];
	uint32_t input = output == NO_FUNCTION ? NO_FUNCTION : pair->input_of[output];
	struct read_code none = {.known = UINT64_MAX};

	if (output == NO_FUNCTION ||
	    (pair->moved && (input == NO_FUNCTION || pair->moved[input] != NO_FRAGMENT)))
		return true;
	if (input != NO_FUNCTION)
		return fit_function(pair, decoder, fragment, input, &fit->offsets);
	count_entries(pair, fragment, &none, &fit->offsets);
	return true;
}

/* Looks at every second one of the sample. */
static bool fit_half(void *ctx, size_t half, struct bc_error *err)
{
	struct fit *fit = (struct fit *)ctx + half;
	const struct bat_table *bat = &fit->pair->output->bat;
	uint32_t step = bat->fragment_count / FUNCTIONS_MOST + 1;
	struct decoder decoder;
	bool ok = true;

	decoder_open(fit->pair->image.machine, &decoder);
	for (uint64_t i = half * step; ok && i < bat->fragment_count; i += (uint64_t)2 * step)
		if (!bat->fragments[i].cold)
			ok = fit_fragment(fit, &decoder, (uint32_t)i);
	decoder_close(&decoder);
	return ok || bc_fail_nomem(err);
}

bool pair_fit(struct pair *pair, struct bc_error *err)
{
	struct fit halves[2] = {{.pair = pair}, {.pair = pair}};

	if (!parallel_parts(2, fit_half, halves, err))
		return false;
	pair->offsets.compared = halves[0].offsets.compared + halves[1].offsets.compared;
	pair->offsets.differ = halves[0].offsets.differ + halves[1].offsets.differ;
	return true;
}
