/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Packets of Arm SPE, through a queue.  The first bytes say how the others are cut into chunks,
 * where something was lost, and how many bytes are missing; what follows is the trace.  Properties:
 * wherever a trace is cut into chunks that follow each other, it has the same records; no more
 * records than bytes; with gaps every chunk is read to its end, and what a window holds is bounded.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "src/samples/aux/queue.h"
#include "src/samples/aux/spe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct sums {
	uint64_t records, hash;
	struct spe_decoder decoder;
};

static void note(struct sums *sums)
{
	const struct spe_record *r = &sums->decoder.record;

	sums->records++;
	sums->hash = hash_mix(hash_mix(hash_mix(sums->hash, r->pc), r->target), r->before);
	sums->hash =
		hash_mix(hash_mix(hash_mix(sums->hash, r->ticks), r->events),
			 (uint64_t)r->context << 2 | (uint64_t)r->has_context << 1 | r->is_branch);
	assert(!(r->pc >> 56) || r->pc >> 56 == 0xff);
}

static void read_plain(struct bytes all, struct sums *sums)
{
	struct bytes rest = all;

	while (spe_next(&sums->decoder, &rest, all.size - rest.size))
		note(sums);
	assert(rest.size < SPE_PACKET_MOST);
	assert(sums->records <= all.size);
	assert(sums->decoder.bad_bytes + sums->decoder.unknown_packets <= all.size);
}

static void read_queue(struct aux_queues *queues, struct sums *sums)
{
	struct aux_queue *queue = &queues->all.at[0];
	struct bc_error err = {0};

	for (;;) {
		struct bytes rest = aux_queue_bytes(queue);
		while (spe_next(&sums->decoder, &rest,
				aux_queue_at(queue) + (aux_queue_bytes(queue).size - rest.size)))
			note(sums);
		assert(rest.size < SPE_PACKET_MOST && queue->capacity <= AUX_WINDOW);
		aux_queue_keep(queue, rest.size);
		enum aux_more more = aux_queue_read(queues, 0, &err);
		assert(more != AUX_FAILED);
		if (more == AUX_NO_MORE)
			break;
		if (more != AUX_MORE)
			spe_cut(&sums->decoder, more == AUX_GAP);
	}
	assert(!queues->in_memory && !queue->left);
}

static void add(struct aux_queues *queues, uint64_t at, const uint8_t *data, size_t size)
{
	struct bc_error err = {0};
	uint8_t *copy = malloc(size ? size : 1);

	assert(copy);
	if (size)
		memcpy(copy, data, size);
	assert(aux_queue_add(queues, 0, (struct aux_piece){.at = at, .size = size, .data = copy},
			     &err));
}

/* Chunks of the sizes that `cuts` says, in turn.  damaged: its high bits say what is wrong with
 * them. */
static void cut(struct aux_queues *queues, struct bytes cuts, struct bytes trace, bool damaged)
{
	struct bc_error err = {0};
	uint64_t at = 0;

	for (size_t done = 0, i = 0; done < trace.size; i++) {
		uint8_t how = cuts.data[i % cuts.size];
		size_t left = trace.size - done, size = (how & 31u) + (i >= cuts.size);
		size = size < left ? size : left;
		add(queues, at, trace.data + done, size);
		if (damaged && how & 32)
			assert(aux_queue_lost(&queues->all.at[0], at + size, &err));
		at += size + (damaged && how & 64 ? how : 0);
		if (damaged && how & 128 && at >= size)
			at -= size / 2;
		done += size;
	}
}

static void check_cuts(struct bytes cuts, struct bytes trace, bool damaged,
		       const struct sums *plain)
{
	struct aux_queues queues = {0};
	struct sums sums = {0};
	struct bc_error err = {0};
	uint32_t number;

	assert(aux_queues_obtain(&queues, 0, AUX_NONE, 0, &number, &err));
	queues.all.at[0].overwrites = damaged && cuts.data[0] & 1;
	cut(&queues, cuts, trace, damaged);
	read_queue(&queues, &sums);
	if (!damaged)
		assert(sums.records == plain->records && sums.hash == plain->hash &&
		       sums.decoder.bad_bytes == plain->decoder.bad_bytes &&
		       sums.decoder.spoiled_records == plain->decoder.spoiled_records);
	assert(sums.records <= trace.size);
	aux_queues_free(&queues);
}

#define CUTS 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sums plain = {0};

	if (size < CUTS || size > 1u << 16)
		return 0;
	struct bytes cuts = {data, CUTS}, trace = {data + CUTS, size - CUTS};
	read_plain(trace, &plain);
	check_cuts(cuts, trace, false, &plain);
	check_cuts(cuts, trace, true, &plain);
	return 0;
}
