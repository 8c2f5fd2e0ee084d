/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/batch.h"

/* Samples of one process and of one block of memory come in a row. */
static uint16_t view_index(struct batch *batch, const struct process_view *view)
{
	struct process_view *last = batch->view_count ? &batch->views[batch->view_count - 1] : NULL;

	if (!last || last->maps != view->maps || last->has_image != view->has_image ||
	    last->maps_forgotten != view->maps_forgotten) {
		batch->views[batch->view_count] = *view;
		map_set_share(view->maps);
		batch->view_count++;
	}
	return (uint16_t)(batch->view_count - 1);
}

static void hold_memory(struct batch *batch, struct sample_memory *memory)
{
	if (batch->memory_count && batch->memories[batch->memory_count - 1] == memory)
		return;
	memory->hold(memory);
	batch->memories[batch->memory_count++] = memory;
}

void batch_add(struct batch *batch, const struct process_view *view, const struct sample *sample,
	       size_t skip, bool address)
{
	struct batch_sample *to = &batch->samples[batch->sample_count++];

	hold_memory(batch, sample->memory);
	*to = (struct batch_sample){
		.branches = sample->branches,
		.branch_count = (uint32_t)sample->branch_count,
		.view = view_index(batch, view),
		.skip = (uint8_t)skip,
		.address = address,
		.partial = sample->partial,
		.ip = sample->ip,
	};
}

void batch_traces(struct batch *batch, const struct trace_record *traces, size_t count,
		  struct sample_memory *memory)
{
	if (memory)
		hold_memory(batch, memory);
	batch->traces = traces;
	batch->trace_count = count;
}

static bool count_traces(const struct batch *batch, struct tally *tally, struct bc_error *err)
{
	for (size_t i = 0; i < batch->trace_count; i++)
		if (!tally_trace(tally, &batch->traces[i], err))
			return false;
	return true;
}

bool batch_count(struct batch *batch, struct tally *tally, struct bc_error *err)
{
	for (size_t i = 0; i < batch->sample_count; i++) {
		const struct batch_sample *from = &batch->samples[i];
		struct sample sample = {
			.ip = from->ip, .branches = from->branches,
			.branch_count = from->branch_count, .partial = from->partial};
		struct process_view *view = &batch->views[from->view];
		bool ok = from->address ? tally_address(tally, view, &sample, err)
					: tally_stack(tally, view, &sample, from->skip, err);
		if (!ok)
			return false;
	}
	return count_traces(batch, tally, err);
}

void batch_init(struct batch *batch)
{
	batch->sample_count = batch->view_count = batch->memory_count = batch->trace_count = 0;
}

void batch_clear(struct batch *batch)
{
	for (size_t i = 0; i < batch->view_count; i++)
		map_set_release(batch->views[i].maps);
	for (size_t i = 0; i < batch->memory_count; i++)
		batch->memories[i]->release(batch->memories[i]);
	batch_init(batch);
}
