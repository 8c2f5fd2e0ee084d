/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>

#include "batconv/translate.h"
#include "lib/handles.h"
#include "src/code/pair.h"
#include "src/address/address_chain.h"
#include "src/address/debug_lines.h"

struct batconv_translator {
	struct subject subject;
	struct debug_lines *source; /* of the input; NULL: no lines were asked for */
	bool inlines;
};

/* Whether the input is the one that llvm-bolt read: names of another one would be found as well,
 * and be wrong. */
static bool check_input(const char *bolted, const char *input, const struct binary *binary,
			struct bc_error *err)
{
	if (!input)
		return true;
	if (binary->kind == BINARY_UNTOUCHED)
		return bc_fail(
			err, BC_MISMATCH,
			"%s: not the input binary: llvm-bolt did not write %s, which is its own input",
			input, bolted);
	struct bc_error doubt; /* a warning of the command's; the input is taken all the same */
	return pair_check(input, binary, &doubt, err);
}

static bool open_both(const char *bolted, const char *input, uint32_t lookup,
		      struct batconv_translator *t, struct bc_error *err)
{
	t->inlines = lookup & BATCONV_LOOKUP_INLINES;
	if (!subject_open(bolted, input, NULL, &t->subject, err) ||
	    !check_input(bolted, input, &t->subject.binary, err))
		return false;
	if (!(lookup & (BATCONV_LOOKUP_LINES | BATCONV_LOOKUP_INLINES)))
		return true;
	bool own = t->subject.binary.kind == BINARY_UNTOUCHED;
	if (!input && !own)
		return bc_fail(err, BC_NOTFOUND,
			       "%s: its source lines are those of its input, which was not given",
			       bolted);
	return debug_lines_open(own ? bolted : input, NULL, t->inlines, &t->source, err);
}

bool batconv_translator_open(const char *bolted, const char *input, uint32_t lookup,
			     struct batconv_translator **out, struct batconv_error *err)
{
	struct bc_error why = {0};

	*out = NULL;
	if (!check_lookup(lookup, err))
		return false;
	struct batconv_translator *t = calloc(1, sizeof(*t));
	if (t ? open_both(bolted, input, lookup, t, &why) : bc_fail_nomem(&why)) {
		*out = t;
		return true;
	}
	batconv_translator_close(t);
	return give_error(&why, err);
}

void batconv_translator_close(struct batconv_translator *t)
{
	if (!t)
		return;
	debug_lines_close(t->source);
	subject_close(&t->subject);
	free(t);
}

/* An address: its source locations are those of `input_vaddr`, where the chain has one. */
static bool find_lines(struct batconv_translator *t, const struct address_chain *chain,
		       struct batconv_location *out, struct bc_error *err)
{
	struct source_places locations = {0};

	if (!t->source || !chain->has_input_vaddr)
		return true;
	if (!debug_lines_find(t->source, chain->input_vaddr, &locations, err))
		return false;
	if (!locations.count)
		return true;
	const struct source_place *own = &locations.at[locations.count - 1];
	out->file = own->line ? own->file : NULL;
	out->line = out->file ? own->line : 0;
	out->inlined = locations.count - 1;
	out->calls = locations.at;
	return true;
}

/* back: 1 of a return address, whose call is looked up */
static bool translate(struct batconv_translator *t, struct batconv_vaddr at, unsigned back,
		      struct batconv_location *out, struct bc_error *err)
{
	*out = (struct batconv_location){0};
	if (at.v < back)
		return true;
	struct address_chain chain =
		address_chain_of_vaddr(&t->subject, (struct vaddr){at.v - back});
	if (!chain.input.function)
		return true;
	*out = (struct batconv_location){
		.input = {chain.input.function->printed, (uint64_t)chain.input.offset + back},
		.has_vaddr = chain.has_input_vaddr,
		.vaddr = {chain.has_input_vaddr ? chain.input_vaddr.v + back : 0},
	};
	return find_lines(t, &chain, out, err);
}

bool batconv_translate(struct batconv_translator *t, enum batconv_addresses kind,
		       const struct batconv_vaddr *at, size_t count, struct batconv_location *out,
		       struct batconv_error *err)
{
	struct bc_error why = {0};

	if ((unsigned)kind > BATCONV_ADDRESSES_CALL_STACK)
		return refuse(err, "kind: not known to this release of libbatconv");
	for (size_t i = 0; i < count; i++)
		if (!translate(t, at[i], kind == BATCONV_ADDRESSES_CALL_STACK && i, &out[i], &why))
			return give_error(&why, err);
	return true;
}

bool batconv_location_inlined(const struct batconv_location *location, size_t number,
			      struct batconv_inlined *out)
{
	return inlined_call(location->calls, location->inlined, number, out);
}
