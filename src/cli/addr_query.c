/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/addr.h"

static const char *const kinds[] = {"run", "vaddr", "offset", "func", "input"};

const char *addr_kind_name(enum addr_kind kind)
{
	return kinds[kind];
}

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
		return out->value <= UINT32_MAX ? NULL : "an offset of at most 32 bits is expected, not";
	}
	return text_hex(text, &out->value) ? NULL : "a hexadecimal address is expected, not";
}

/* Where places are collected. */
struct collector {
	const struct addr_context *context;
	struct chain_list *out;
	bool nomem;
};

static void push(struct collector *c, const struct address_chain *chain)
{
	c->nomem |= !chain_list_push(c->out, *chain);
}

/* Adds a place in the binary, once for each load of it. */
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
	case ADDR_RUN:
		push_run(&c, query->value);
		break;
	case ADDR_VADDR:
		push_vaddr(&c, at);
		break;
	case ADDR_OFFSET:
		if (image_to_vaddr(&context->subject.binary.image, (struct file_off){query->value}, &at))
			push_vaddr(&c, at);
		break;
	case ADDR_FUNC:
	case ADDR_INPUT:
		push_functions(&c, query);
		break;
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
