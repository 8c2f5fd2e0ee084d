/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/address/query.h"

#include <inttypes.h>

#include "src/base/json.h"
#include "src/samples/maps_text.h"

/* ---- queries ---- */

static const char *const kinds[] = {"run", "vaddr", "offset", "func", "input"};

/* Splits NAME+OFFSET at the last '+', if a hexadecimal number follows it: the name of a function
 * can contain a '+', too. */
static void split_offset(struct query *query)
{
	struct text text = query->text;

	query->function = text;
	for (size_t i = text.len; i-- > 1;)
		if (text.at[i] == '+') {
			if (text_hex(text_from(text, i + 1), &query->value))
				query->function = text_first(text, i);
			return;
		}
}

const char *query_parse(enum addr_kind kind, struct text text, struct query *out)
{
	*out = (struct query){.kind = kind, .text = text};
	if (kind == ADDR_FUNC || kind == ADDR_INPUT) {
		split_offset(out);
		return out->value <= UINT32_MAX ? NULL :
						  "an offset of at most 32 bits is expected, not";
	}
	return text_hex(text, &out->value) ? NULL : "a hexadecimal address is expected, not";
}

/* ---- where they lead ---- */

/* Where locations are collected. */
struct collector {
	const struct addr_context *context;
	struct chain_list *out;
	bool nomem;
};

static void push(struct collector *c, const struct address_chain *chain)
{
	c->nomem |= !chain_list_push(c->out, *chain);
}

/* Adds a location in the binary, once for each load of it. */
static bool push_vaddr(void *ctx, struct vaddr at)
{
	struct collector *c = ctx;
	const struct addr_context *context = c->context;
	struct address_chain chain = address_chain_of_vaddr(&context->subject, at);

	if (!context->process.loads.all.len)
		push(c, &chain);
	for (size_t i = 0; i < context->process.loads.all.len; i++) {
		address_chain_add_run(&chain, &context->process, i);
		push(c, &chain);
	}
	return !c->nomem;
}

static bool is_cold(const struct binary *binary, uint32_t function)
{
	uint32_t fragment = binary->fragment_of[function];

	return fragment != NO_FRAGMENT && binary->bat.fragments[fragment].cold;
}

static void push_functions(struct collector *c, const struct query *query)
{
	const struct places *places = &c->context->subject.places;
	const struct binary *binary = places->binary;
	size_t count;
	const struct named_place *named = places_named(places, query->function, &count);

	for (size_t i = 0; i < count; i++) {
		const struct function *f = &binary->functions.at[named[i].function];
		if (query->kind == ADDR_FUNC)
			push_vaddr(c, (struct vaddr){f->address + query->value});
		else if (!is_cold(binary, named[i].function))
			places_of_input(places, f, (uint32_t)query->value, push_vaddr, c);
	}
}

static void push_run(struct collector *c, uint64_t value)
{
	const struct addr_context *context = c->context;
	struct run_addr at = {value - context->before};
	struct address_chain chain = address_chain_of_run(&context->subject, &context->process, at);

	push(c, &chain);
}

bool query_answer(const struct addr_context *context, const struct query *query,
		  struct chain_list *out, struct bc_error *err)
{
	struct collector c = {context, out, false};
	struct vaddr at = {query->value};

	out->len = 0;
	switch (query->kind) {
	case ADDR_RUN: push_run(&c, query->value); break;
	case ADDR_VADDR: push_vaddr(&c, at); break;
	case ADDR_OFFSET:
		if (image_to_vaddr(&context->subject.binary.image, (struct file_off){query->value},
				   &at))
			push_vaddr(&c, at);
		break;
	case ADDR_FUNC:
	case ADDR_INPUT: push_functions(&c, query); break;
	}
	return !c.nomem || bc_fail_nomem(err);
}

bool answer_is_nowhere(const struct chain_list *answer)
{
	for (size_t i = 0; i < answer->len; i++)
		if (answer->at[i].has_vaddr && answer->at[i].segment)
			return false;
	return true;
}

/* ---- text ---- */

static const char *fragment_kind(const struct addr_context *context,
				 const struct address_chain *chain)
{
	if (context->subject.binary.kind == BINARY_LOST)
		return "not known";
	if (!chain->place.fragment)
		return "not moved by BOLT";
	return chain->place.fragment->cold ? "cold" : "hot";
}

/* Returns false when memory runs out, too, as if the line were unknown: part of the result is
 * printed by then, so that an error would come too late. */
static bool find_source(const struct addr_context *context, const struct address_chain *chain,
			const char **file, unsigned *line)
{
	struct vaddr at = context->source_is_input ? chain->input_vaddr : chain->vaddr;
	struct source_places places;
	struct bc_error err;

	if (!context->source || (context->source_is_input && !chain->has_input_vaddr) ||
	    !debug_lines_find(context->source, at, &places, &err) || !places.count)
		return false;
	*file = places.at->file;
	*line = places.at->line;
	return true;
}

static void label(const char *name, FILE *out)
{
	fprintf(out, "  %-10s", name);
}

static void print_process(const struct addr_context *context, const struct address_chain *chain,
			  FILE *out)
{
	if (!chain->has_run)
		return;
	label("run", out);
	fprintf(out, "0x%" PRIx64, chain->run.v);
	if (context->explain && context->before)
		fputs("    = return address - 1", out);
	fputc('\n', out);
	if (chain->mapping) {
		label("mapping", out);
		maps_text_print_mapping(chain->mapping, context->process.files, out);
	} else if (context->process.maps) {
		label("mapping", out);
		fputs("none\n", out);
	}
}

/* The base, with the mapping and the segment that give it. */
static void print_base(const struct addr_context *context, const struct address_chain *chain,
		       FILE *out)
{
	const struct mapping *m = chain->mapping;
	const struct segment *s = chain->segment;

	if (!chain->has_run)
		return;
	label("base", out);
	fprintf(out, "0x%" PRIx64, chain->base);
	if (context->explain && m && s)
		fprintf(out,
			"    = start - (p_vaddr - p_offset + offset of start) = 0x%" PRIx64
			" - (0x%" PRIx64 " - 0x%" PRIx64 " + 0x%" PRIx64 ")",
			m->start, s->vaddr, s->offset, m->offset);
	fputc('\n', out);
}

static void print_segment(const struct addr_context *context, const struct address_chain *chain,
			  FILE *out)
{
	const struct segment *s = chain->segment;

	label("vaddr", out);
	fprintf(out, "0x%" PRIx64, chain->vaddr.v);
	if (context->explain && chain->has_run)
		fprintf(out, "    = run - base = 0x%" PRIx64 " - 0x%" PRIx64, chain->run.v,
			chain->base);
	fputc('\n', out);
	label("segment", out);
	if (!s) {
		fputs("none\n", out);
		return;
	}
	fprintf(out, "0x%" PRIx64 "-0x%" PRIx64 "%s, align 0x%" PRIx64, s->vaddr,
		s->vaddr + s->memsz, s->executable ? ", executable" : "", s->align);
	if (context->explain)
		fprintf(out,
			"    p_vaddr <= vaddr < p_vaddr + p_memsz = 0x%" PRIx64 " + 0x%" PRIx64,
			s->vaddr, s->memsz);
	fputc('\n', out);
	label("offset", out);
	if (!chain->has_offset) {
		fputs("none: not in the file\n", out);
		return;
	}
	fprintf(out, "0x%" PRIx64, chain->offset.v);
	if (context->explain)
		fprintf(out,
			"    = vaddr - p_vaddr + p_offset = 0x%" PRIx64 " - 0x%" PRIx64
			" + 0x%" PRIx64,
			chain->vaddr.v, s->vaddr, s->offset);
	fputc('\n', out);
}

static void print_section(const struct address_chain *chain, FILE *out)
{
	label("section", out);
	if (chain->section) {
		print_name(chain->section->name, out);
		fprintf(out, "+0x%" PRIx64 "\n", chain->vaddr.v - chain->section->addr);
	} else {
		fputs("none\n", out);
	}
}

/* Prints the entry of the BAT that translated the location. */
static void explain_entry(const struct addr_context *context, const struct address_chain *chain,
			  FILE *out)
{
	const struct bat_entry *e = bat_entry_at(&context->subject.binary.bat,
						 chain->place.fragment, chain->place.offset);

	if (e)
		fprintf(out,
			"    = input + (offset - output) of the entry 0x%" PRIx32 " -> 0x%" PRIx32
			" = 0x%" PRIx32 " + (0x%" PRIx32 " - 0x%" PRIx32 ")",
			e->output, bat_entry_input(*e), bat_entry_input(*e), chain->place.offset,
			e->output);
	else
		fputs("    before the first entry: unchanged", out);
}

static void print_input(const struct addr_context *context, const struct address_chain *chain,
			FILE *out)
{
	label("input", out);
	if (chain->orphan) {
		fputs(context->subject.binary.kind == BINARY_LOST ?
			      "not known: BOLT left no table\n" :
			      "not known: a cold fragment of an unknown function\n",
		      out);
		return;
	}
	print_name(text_of(chain->input.function->printed), out);
	fprintf(out, "+0x%" PRIx32, chain->input.offset);
	if (context->explain && chain->place.fragment)
		explain_entry(context, chain, out);
	fputc('\n', out);
	if (chain->has_input_vaddr && context->subject.binary.kind != BINARY_UNTOUCHED) {
		label("its vaddr", out);
		fprintf(out, "0x%" PRIx64 "\n", chain->input_vaddr.v);
	}
}

static void print_function(const struct addr_context *context, const struct address_chain *chain,
			   FILE *out)
{
	const struct function *f = chain->place.function;

	label("function", out);
	if (!f) {
		fputs("none\n", out);
		return;
	}
	print_name(text_of(f->printed), out);
	fprintf(out, "+0x%" PRIx32, chain->place.offset);
	if (context->explain)
		fprintf(out, "    = vaddr - 0x%" PRIx64, f->address);
	fputc('\n', out);
	if (context->subject.binary.kind == BINARY_UNTOUCHED)
		return;
	label("fragment", out);
	fprintf(out, "%s\n", fragment_kind(context, chain));
	print_input(context, chain, out);
}

static void print_chain(const struct addr_context *context, const struct address_chain *chain,
			FILE *out)
{
	const char *file;
	unsigned line;

	print_process(context, chain, out);
	if (!chain->has_vaddr) {
		if (chain->mapping || context->process.maps)
			fputs("  not in the binary\n", out);
		return;
	}
	print_base(context, chain, out);
	print_segment(context, chain, out);
	print_section(chain, out);
	print_function(context, chain, out);
	if (find_source(context, chain, &file, &line)) {
		label("source", out);
		print_name(text_of(file), out);
		fprintf(out, ":%u\n", line);
	}
}

/* Says why an input offset has no location in the binary, and which offset near it has one. */
static void print_nowhere(const struct addr_context *context, const struct query *query, FILE *out)
{
	const struct places *places = &context->subject.places;
	uint32_t below;
	size_t count;

	if (query->kind < ADDR_FUNC) {
		fputs("  not in the file part of a segment\n", out);
		return;
	}
	const struct named_place *named = places_named(places, query->function, &count);
	if (!named) {
		fputs("  no such function\n", out);
		return;
	}
	fputs("  no location in the optimized binary", out);
	const struct function *f = &places->binary->functions.at[named->function];
	if (places_nearest_below(places, f, (uint32_t)query->value, &below))
		fprintf(out, "; the nearest below is of +0x%" PRIx32, below);
	fputc('\n', out);
}

void answer_text(const struct addr_context *context, const struct query *query,
		 const struct chain_list *answer, FILE *out)
{
	print_name(query->text, out);
	if (answer->len > 1)
		fprintf(out, "    %zu locations", answer->len);
	fputc('\n', out);
	if (!answer->len)
		print_nowhere(context, query, out);
	for (size_t i = 0; i < answer->len; i++) {
		if (i)
			fputc('\n', out);
		print_chain(context, &answer->at[i], out);
	}
}

/* ---- JSON ---- */

static void json_place(struct json *json, const char *key, const char *function, uint32_t offset)
{
	json_open(json, key, '{');
	json_string(json, "function", function);
	json_hex_string(json, "offset", offset);
	json_close(json, '}');
}

static void json_mapping(struct json *json, const struct addr_context *context,
			 const struct mapping *m)
{
	json_open(json, "mapping", '{');
	json_hex_string(json, "start", m->start);
	json_hex_string(json, "end", m->end);
	json_hex_string(json, "offset", m->offset);
	json_text(json, "path", mapped_files_path(context->process.files, m->file));
	json_close(json, '}');
}

static void json_functions(struct json *json, const struct addr_context *context,
			   const struct address_chain *chain)
{
	if (!chain->place.function)
		return;
	json_place(json, "function", chain->place.function->printed, chain->place.offset);
	if (context->subject.binary.kind != BINARY_UNTOUCHED)
		json_string(json, "fragment",
			    chain->place.fragment ? fragment_kind(context, chain) : "none");
	if (!chain->orphan)
		json_place(json, "input", chain->input.function->printed, chain->input.offset);
	if (chain->has_input_vaddr)
		json_hex_string(json, "input_vaddr", chain->input_vaddr.v);
}

static void json_segment(struct json *json, const struct segment *s)
{
	json_open(json, "segment", '{');
	json_hex_string(json, "vaddr", s->vaddr);
	json_hex_string(json, "offset", s->offset);
	json_hex_string(json, "memsz", s->memsz);
	json_hex_string(json, "align", s->align);
	json_bool(json, "executable", s->executable);
	json_close(json, '}');
}

static void json_chain(struct json *json, const struct addr_context *context,
		       const struct address_chain *chain)
{
	const char *file;
	unsigned line;

	json_open(json, NULL, '{');
	if (chain->has_run)
		json_hex_string(json, "run", chain->run.v);
	if (chain->mapping)
		json_mapping(json, context, chain->mapping);
	if (chain->has_vaddr) {
		if (chain->has_run)
			json_hex_string(json, "base", chain->base);
		json_hex_string(json, "vaddr", chain->vaddr.v);
		if (chain->segment)
			json_segment(json, chain->segment);
		if (chain->has_offset)
			json_hex_string(json, "offset", chain->offset.v);
		if (chain->section)
			json_text(json, "section", chain->section->name);
		json_functions(json, context, chain);
		if (find_source(context, chain, &file, &line)) {
			json_string(json, "source", file);
			json_number(json, "line", line);
		}
	}
	json_close(json, '}');
}

void answer_json(const struct addr_context *context, const struct query *query,
		 const struct chain_list *answer, FILE *out)
{
	struct json json = {.out = out};

	json_open_document(&json, "batconv-addr");
	json_text(&json, "query", query->text);
	json_string(&json, "from", kinds[query->kind]);
	json_open(&json, "locations", '[');
	for (size_t i = 0; i < answer->len; i++)
		json_chain(&json, context, &answer->at[i]);
	json_close(&json, ']');
	json_close(&json, '}');
	fputc('\n', out);
}
