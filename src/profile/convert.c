/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/convert.h"

#include "src/elf/branch.h"

struct converter {
	const struct binary *binary;
	const struct count_table *returns; /* branches that the input calls returns */
	struct profile *profile;
	struct ledgers *ledgers;
	bool out_of_memory;
};

static bool is_return(const struct converter *c, const struct trace *trace, struct place source)
{
	const uint64_t key[COUNT_KEY_WORDS] = {trace->branch};

	if (trace->branch == TRACE_FT_RETURN || count_table_find(c->returns, key))
		return true;
	if (!source.function)
		return false;
	struct vaddr at = {trace->branch};
	const struct image *image = &c->binary->image;
	return branch_decode(image->machine, image_bytes_at(image, at), at).kind == BRANCH_RETURN;
}

static void add(struct converter *c, enum record_kind kind, struct input_place from,
		struct input_place to, const struct count_row *row, uint64_t mispredicted)
{
	struct record record = {kind, from, to, row->count, mispredicted};

	if (!profile_add(c->profile, &record))
		c->out_of_memory = true;
}

/* A taken branch: within its function it is one record; between functions, or
 * to the beginning of its own (recursion), it is a record of the source and,
 * if the source is in no function, an entry record of the target. */
static void convert_branch(struct converter *c, const struct count_row *row, struct place source)
{
	struct ledger *ledger = &c->ledgers->branches;
	struct place target = binary_place(c->binary, (struct vaddr){row->key[1]});
	struct input_place from, to;

	if (!source.function && !target.function) {
		ledger->dropped[ENTRY_OUTSIDE] += row->count;
		return;
	}
	if (!binary_translate(c->binary, source, true, &from) ||
	    !binary_translate(c->binary, target, false, &to)) {
		ledger->dropped[ENTRY_NO_PARENT] += row->count;
		return;
	}
	ledger->kept += row->count;
	add(c, from.function ? RECORD_BRANCH : RECORD_ENTRY, from, to, row, row->extra);
}

struct edge_ctx {
	struct converter *converter;
	const struct function *owner;
	const struct count_row *row;
};

static void add_edge(void *ctx, uint32_t from, uint32_t to)
{
	const struct edge_ctx *edge = ctx;

	add(edge->converter, RECORD_BRANCH, (struct input_place){edge->owner, from},
	    (struct input_place){edge->owner, to}, edge->row, 0);
}

/* Walk the blocks that a trace ran through.  Returns why nothing came of it,
 * or TRACE_DROP_COUNT. */
static enum trace_drop walk_trace(struct converter *c, const struct count_row *row,
				  bool after_return)
{
	const struct binary *binary = c->binary;
	struct place from = binary_place(binary, (struct vaddr){row->key[1]});
	struct place to = binary_place(binary, (struct vaddr){row->key[2]});

	if (!from.function || !to.function)
		return RUN_OUTSIDE;
	if (from.function != to.function)
		return RUN_TWO_FRAGMENTS;
	if (from.offset > to.offset)
		return RUN_BACKWARDS;
	if (!from.fragment)
		return from.function->kind == FUNCTION_PLT ? RUN_ONE_BLOCK : RUN_NO_MAP;
	struct edge_ctx ctx = {c, binary_owner(binary, from), row};
	if (!ctx.owner)
		return RUN_NO_PARENT;
	/* The block that made the call comes first where a return led here. */
	if (after_return && !from.offset)
		return RUN_ONE_BLOCK;
	uint32_t begin = from.offset - after_return;
	size_t edges = bat_fallthroughs(&binary->bat, from.fragment, begin, to.offset, add_edge, &ctx);
	return edges ? TRACE_DROP_COUNT : RUN_ONE_BLOCK;
}

static void convert_fallthrough(struct converter *c, const struct count_row *row,
				bool after_return)
{
	struct ledger *ledger = &c->ledgers->traces;
	enum trace_drop why = walk_trace(c, row, after_return);

	if (why == TRACE_DROP_COUNT)
		ledger->kept += row->count;
	else
		ledger->dropped[why] += row->count;
}

static void convert_row(struct converter *c, const struct count_row *row)
{
	struct trace trace = {row->key[0], row->key[1], row->key[2]};
	struct place source = binary_place(c->binary, (struct vaddr){trace.branch});
	bool returns = is_return(c, &trace, source);

	if (trace.branch < TRACE_FT_RETURN) {
		if (returns)
			c->ledgers->branches.dropped[ENTRY_RETURN] += row->count;
		else
			convert_branch(c, row, source);
	}
	if (trace.to != TRACE_BR_ONLY)
		convert_fallthrough(c, row, returns);
}

bool convert_traces(const struct aggregate *aggregate, struct profile *profile,
		    struct ledgers *ledgers, struct bc_error *err)
{
	struct converter c = {profile->binary, &aggregate->returns, profile, ledgers, false};

	for (size_t shard = 0; shard < COUNTS_SHARDS; shard++) {
		const struct count_table *traces = &aggregate->totals.traces.shards[shard];
		for (size_t i = 0; i < traces->capacity; i++)
			if (traces->rows[i].count)
				convert_row(&c, &traces->rows[i]);
	}
	return c.out_of_memory ? bc_fail_nomem(err) : true;
}

static void convert_address(struct converter *c, const struct count_row *row)
{
	struct ledger *ledger = &c->ledgers->samples;
	struct place place = binary_place(c->binary, (struct vaddr){row->key[0]});
	struct input_place at;

	if (!place.function) {
		ledger->dropped[SAMPLE_NO_FUNCTION] += row->count;
	} else if (!binary_translate(c->binary, place, false, &at)) {
		ledger->dropped[SAMPLE_NO_PARENT] += row->count;
	} else {
		ledger->kept += row->count;
		add(c, RECORD_SAMPLE, at, (struct input_place){0}, row, 0);
	}
}

bool convert_basic(const struct aggregate *aggregate, struct profile *profile,
		   struct ledgers *ledgers, struct bc_error *err)
{
	struct converter c = {.binary = profile->binary, .profile = profile, .ledgers = ledgers};

	for (size_t shard = 0; shard < COUNTS_SHARDS; shard++) {
		const struct count_table *basic = &aggregate->totals.basic.shards[shard];
		for (size_t i = 0; i < basic->capacity; i++)
			if (basic->rows[i].count)
				convert_address(&c, &basic->rows[i]);
	}
	return c.out_of_memory ? bc_fail_nomem(err) : true;
}
