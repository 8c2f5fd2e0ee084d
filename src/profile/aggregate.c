/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/aggregate.h"

#include <stdlib.h>
#include <string.h>

#define ERRATUM_DEPTH 32
#define ERRATUM_DROPPED 2
#define KERNEL_BIT (UINT64_C(1) << 63)

static bool add(struct count_table *table, const uint64_t key[COUNT_KEY_WORDS], uint64_t count,
		uint64_t extra, struct bc_error *err)
{
	return !count || count_table_add(table, key, count, extra) || bc_fail_nomem(err);
}

static bool add_address(struct aggregate *a, struct vaddr at, uint64_t count, struct bc_error *err)
{
	const uint64_t key[COUNT_KEY_WORDS] = {at.v};

	return add(&a->basic, key, count, 0, err);
}

/* Events are few: a list will do. */
static bool add_event(struct aggregate *a, struct text name, struct bc_error *err)
{
	for (size_t i = 0; i < a->events.len; i++)
		if (text_is(name, a->events.at[i]))
			return true;
	char *copy = name.len ? strndup(name.at, name.len) : NULL;
	if (!name.len || (copy && name_vec_push(&a->events, copy)))
		return true;
	free(copy);
	return bc_fail_nomem(err);
}

static enum sample_drop drop_of(enum located located)
{
	switch (located) {
	case LOCATED_NO_PROCESS: return SAMPLE_NO_PROCESS;
	case LOCATED_KERNEL: return SAMPLE_KERNEL;
	case LOCATED_OTHER: return SAMPLE_OTHER_IMAGE;
	default: return SAMPLE_UNKNOWN;
	}
}

static bool take_address(struct aggregate *a, const struct sample *sample, struct bc_error *err)
{
	struct process_view view = process_view(&a->maps, sample->pid);
	struct vaddr at;

	a->addresses.read++;
	enum located located = process_view_locate(&view, sample->ip, &at);
	if (located != LOCATED_IMAGE) {
		a->addresses.dropped[drop_of(located)]++;
		return true;
	}
	return add_event(a, sample->event, err) && add_address(a, at, 1, err);
}

/* Where a branch stack's address lies; TRACE_EXTERNAL if outside the binary. */
static uint64_t locate(struct process_view *view, uint64_t run)
{
	struct vaddr at;

	return process_view_locate(view, (struct run_addr){run}, &at) == LOCATED_IMAGE
		       ? at.v
		       : TRACE_EXTERNAL;
}

/* Count one entry of a stack and the run that ended at `to`, the source of the
 * next newer entry.  What lies outside at both ends leaves nothing to count. */
static bool take_branch(struct aggregate *a, struct process_view *view, const struct branch *b,
			uint64_t to, uint64_t *source, struct bc_error *err)
{
	const uint64_t key[COUNT_KEY_WORDS] = {locate(view, b->from), locate(view, b->to), to};

	*source = key[0];
	a->ledgers.traces.read += to != TRACE_BR_ONLY;
	if (key[0] == TRACE_EXTERNAL && key[1] == TRACE_EXTERNAL) {
		a->ledgers.branches.dropped[ENTRY_OUTSIDE]++;
		a->ledgers.traces.dropped[RUN_OUTSIDE] += to != TRACE_BR_ONLY;
		return true;
	}
	return add(&a->traces, key, 1, b->flags & BRANCH_MISPREDICTED, err);
}

static bool in_kernel(const struct branch *b)
{
	return (b->from | b->to) & KERNEL_BIT;
}

static size_t count_kernel(const struct sample *sample)
{
	size_t count = 0;

	for (size_t i = 0; i < sample->branch_count; i++)
		count += in_kernel(&sample->branches[i]);
	return count;
}

/* How many of the newest entries must go. */
static size_t erratum_entries(struct aggregate *a, size_t depth)
{
	if (!a->options.erratum)
		return 0;
	if (depth == ERRATUM_DEPTH)
		a->erratum_seen = true;
	if (!a->erratum_seen)
		return 0;
	return depth < ERRATUM_DROPPED ? depth : ERRATUM_DROPPED;
}

static bool take_stack(struct aggregate *a, const struct sample *sample, struct bc_error *err)
{
	struct process_view view = process_view(&a->maps, sample->pid);
	struct ledger *branches = &a->ledgers.branches;
	size_t kernel = count_kernel(sample);
	uint64_t to = TRACE_BR_ONLY;

	a->branches_seen = true;
	a->ledgers.samples.read++;
	branches->read += sample->branch_count;
	if (!view.process) {
		a->ledgers.samples.dropped[SAMPLE_NO_PROCESS]++;
		branches->dropped[ENTRY_DROPPED_SAMPLE] += sample->branch_count;
		return true;
	}
	a->ledgers.samples.kept++;
	size_t skip = erratum_entries(a, sample->branch_count - kernel);
	branches->dropped[ENTRY_KERNEL] += kernel;
	branches->dropped[ENTRY_ERRATUM] += skip;
	for (size_t i = 0; i < sample->branch_count; i++) {
		const struct branch *b = &sample->branches[i];
		if (in_kernel(b) || (skip && skip--))
			continue;
		if (!take_branch(a, &view, b, to, &to, err))
			return false;
	}
	return true;
}

static bool on_sample(void *ctx, const struct sample *sample, struct bc_error *err)
{
	struct aggregate *a = ctx;

	if (a->options.mode == MODE_AUTO && sample->branch_count)
		return take_stack(a, sample, err);
	a->ledgers.branches.read += sample->branch_count;
	a->ledgers.branches.dropped[ENTRY_BASIC_MODE] += sample->branch_count;
	return take_address(a, sample, err);
}

static bool on_trace(void *ctx, const struct trace *trace, bool is_return, uint64_t count,
		     uint64_t mispredicted, struct bc_error *err)
{
	const uint64_t key[COUNT_KEY_WORDS] = {trace->branch, trace->from, trace->to};
	const uint64_t branch[COUNT_KEY_WORDS] = {trace->branch};
	struct aggregate *a = ctx;
	uint64_t branches = trace->branch < TRACE_FT_RETURN ? count : 0;
	uint64_t runs = trace->to != TRACE_BR_ONLY ? count : 0;

	a->ledgers.branches.read += branches;
	a->ledgers.traces.read += runs;
	if (a->options.mode == MODE_BASIC) {
		a->ledgers.branches.dropped[ENTRY_BASIC_MODE] += branches;
		a->ledgers.traces.dropped[RUN_BASIC_MODE] += runs;
		return true;
	}
	a->branches_seen = true;
	return (!is_return || add(&a->returns, branch, 1, 0, err)) &&
	       add(&a->traces, key, count, mispredicted, err);
}

static bool on_basic(void *ctx, struct vaddr at, uint64_t count, struct bc_error *err)
{
	struct aggregate *a = ctx;

	a->addresses.read += count;
	return add_address(a, at, count, err);
}

static bool on_event(void *ctx, struct text name, struct bc_error *err)
{
	return add_event(ctx, name, err);
}

static bool on_map(void *ctx, const struct map_event *event, struct bc_error *err)
{
	struct aggregate *a = ctx;

	return process_map(&a->maps, event, err);
}

static bool on_exec(void *ctx, uint32_t pid, struct bc_error *err)
{
	struct aggregate *a = ctx;

	return process_exec(&a->maps, pid, err);
}

static bool on_fork(void *ctx, uint32_t parent, uint32_t child, struct bc_error *err)
{
	struct aggregate *a = ctx;

	return process_fork(&a->maps, parent, child, err);
}

static bool on_exit(void *ctx, uint32_t pid, uint32_t tid, struct bc_error *err)
{
	struct aggregate *a = ctx;

	(void)err;
	process_exit(&a->maps, pid, tid);
	return true;
}

struct sample_sink aggregate_sink(struct aggregate *aggregate)
{
	aggregate->erratum_seen = false;
	return (struct sample_sink){
		.ctx = aggregate, .map = on_map, .exec = on_exec, .fork = on_fork, .exit = on_exit,
		.sample = on_sample, .trace = on_trace, .basic = on_basic, .event = on_event,
	};
}

bool aggregate_init(struct aggregate *aggregate, const struct image *image,
		    const struct aggregate_options *options,
		    const struct image_match_options *match, struct bc_error *err)
{
	*aggregate = (struct aggregate){.options = *options};
	return process_maps_init(&aggregate->maps, image, match, err);
}

void aggregate_fini(struct aggregate *aggregate)
{
	process_maps_fini(&aggregate->maps);
	count_table_free(&aggregate->traces);
	count_table_free(&aggregate->returns);
	count_table_free(&aggregate->basic);
	for (size_t i = 0; i < aggregate->events.len; i++)
		free(aggregate->events.at[i]);
	name_vec_free(&aggregate->events);
}

static int compare_events(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

bool aggregate_finish(struct aggregate *aggregate)
{
	struct ledger *samples = &aggregate->ledgers.samples;

	if (aggregate->branches_seen) {
		/* Plain addresses say nothing about branches. */
		samples->read += aggregate->addresses.read;
		samples->dropped[SAMPLE_NO_STACK] += aggregate->addresses.read;
		return false;
	}
	ledger_add(samples, &aggregate->addresses);
	if (aggregate->events.len)
		qsort(aggregate->events.at, aggregate->events.len, sizeof(char *), compare_events);
	return true;
}
