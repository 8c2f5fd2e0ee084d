/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>

#include "lib/handles.h"
#include "src/elf/binary.h"

static void take_places(const struct batconv_resolver *r, const struct frame *f,
			struct batconv_frame *out)
{
	const struct source_place *own = frame_place(f);

	if (!own)
		return;
	out->inlined = f->places.count - 1;
	out->calls = f->places.at;
	if (r->lines && own->line) {
		out->file = own->file;
		out->line = own->line;
	}
}

bool inlined_call(const void *calls, size_t count, size_t number, struct batconv_inlined *out)
{
	const struct source_place *places = calls;

	if (number >= count)
		return false;
	*out = (struct batconv_inlined){.function = places[number].function,
					.file = places[number].file,
					.line = places[number].line};
	return true;
}

bool batconv_frame_inlined(const struct batconv_frame *frame, size_t number,
			   struct batconv_inlined *out)
{
	return inlined_call(frame->calls, frame->inlined, number, out);
}

static bool take(void *ctx, const struct stack *stack, struct bc_error *err)
{
	struct batconv_resolver *r = ctx;

	(void)err;
	for (size_t i = 0; i < stack->count; i++) {
		const struct frame *f = &stack->frames[i];
		*r->out = (struct batconv_frame){
			.raw = {f->raw.v},
			.has_map = stack->has_map,
			.pid = stack->has_map ? stack->pid : 0,
			.map = stack->has_map ? stack->map : 0,
			.library = f->library.at,
			.has_offset = f->mapping,
			.offset = {f->offset.v},
			.has_vaddr = f->has_vaddr,
			.vaddr = {f->vaddr.v},
			.function = frame_function(f),
			.function_offset = f->function_offset,
		};
		take_places(r, f, r->out++);
	}
	return true;
}

bool check_lookup(uint32_t lookup, struct batconv_error *err)
{
	const uint32_t known = BATCONV_LOOKUP_FUNCTIONS | BATCONV_LOOKUP_INPUT |
			       BATCONV_LOOKUP_LINES | BATCONV_LOOKUP_INLINES;

	return !(lookup & ~known) ||
	       refuse(err, "lookup: a bit that is not known to this release of libbatconv");
}

bool batconv_resolver_open(struct batconv_snapshots *snapshots, uint32_t lookup,
			   struct batconv_resolver **out, struct batconv_error *err)
{
	bool inlines = lookup & BATCONV_LOOKUP_INLINES, lines = lookup & BATCONV_LOOKUP_LINES;
	bool functions =
		inlines || lines || lookup & (BATCONV_LOOKUP_FUNCTIONS | BATCONV_LOOKUP_INPUT);
	struct bc_error why = {0};

	*out = NULL;
	if (!check_lookup(lookup, err))
		return false;
	struct batconv_resolver *r = calloc(1, sizeof(*r));
	if (!r) {
		bc_fail_nomem(&why);
		return give_error(&why, err);
	}
	resolver_init(&r->resolver, &snapshots->snapshots);
	r->resolver.options =
		(struct frame_options){functions, lookup & BATCONV_LOOKUP_INPUT, lines || inlines};
	r->resolver.libraries.inlines = inlines;
	r->lines = lines;
	r->resolver.libraries.open_mapped = functions;
	r->resolver.take = take;
	r->resolver.ctx = r;
	*out = r;
	return true;
}

void batconv_resolver_close(struct batconv_resolver *r)
{
	if (!r)
		return;
	resolver_free(&r->resolver);
	for (size_t i = 0; i < r->given.len; i++) {
		binary_close(&r->given.at[i].binary);
		free((char *)(uintptr_t)r->given.at[i].path);
	}
	given_vec_free(&r->given);
	free(r);
}

bool batconv_resolver_add(struct batconv_resolver *r, const char *path, struct batconv_error *err)
{
	char *copy = malloc(strlen(path) + 1);
	struct given_binary given = {.path = copy};
	struct bc_error why = {0};

	if (copy)
		memcpy(copy, path, strlen(path) + 1);
	if ((copy || bc_fail_nomem(&why)) && binary_open_any(path, &given.binary, &why)) {
		if (given_vec_push(&r->given, given)) {
			r->resolver.libraries.given = r->given.at;
			r->resolver.libraries.given_count = r->given.len;
			return true;
		}
		binary_close(&given.binary);
		bc_fail_nomem(&why);
	}
	free(copy);
	return give_error(&why, err);
}

static bool resolve_into(struct batconv_resolver *r, const struct batconv_raw_stack *stack,
			 struct batconv_error *err)
{
	struct raw_stack raw = {.time = stack->time, .pid = stack->pid, .map = stack->map};
	struct bc_error why = {0};

	for (size_t i = 0; i < stack->count; i++)
		if (!address_list_push(&raw.addresses, stack->addresses[i].v))
			bc_fail_nomem(&why);
	bool ok = why.code == BC_OK && resolver_raw(&r->resolver, &raw, &why);
	address_list_free(&raw.addresses);
	return ok || give_error(&why, err);
}

/* The stacks fit in the room, and ask for nothing that is not known. */
static bool check_stacks(const struct batconv_raw_stack *stacks, size_t count, size_t most,
			 struct batconv_error *err)
{
	for (size_t i = 0; i < count; i++) {
		if (stacks[i].reserved[0] | stacks[i].reserved[1])
			return refuse(err, "stacks: a reserved member is not 0");
		if (stacks[i].count > most)
			return refuse(err, "out: there is no room for the frames of all stacks");
		most -= stacks[i].count;
	}
	return true;
}

bool batconv_resolve_stacks(struct batconv_resolver *r, const struct batconv_raw_stack *stacks,
			    size_t count, struct batconv_frame *out, size_t most,
			    struct batconv_error *err)
{
	if (!check_stacks(stacks, count, most, err))
		return false;
	r->out = out;
	for (size_t i = 0; i < count; i++)
		if (!resolve_into(r, &stacks[i], err))
			return false;
	return true;
}

bool batconv_resolve(struct batconv_resolver *r, uint32_t pid, uint64_t time,
		     struct batconv_run_addr at, struct batconv_frame *out,
		     struct batconv_error *err)
{
	const struct batconv_raw_stack stack = {
		.time = time, .pid = pid, .map = BATCONV_MAP_BY_TIME, .addresses = &at, .count = 1};

	return batconv_resolve_stacks(r, &stack, 1, out, 1, err);
}
