/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Packets of ETMv4 and ETE, in CoreSight's frames or as they are, through a queue and its lanes.
 * The first bytes say which unit it is, and how the others are cut into chunks, where something was
 * lost, and how many bytes are missing; what follows is the trace.  Properties: wherever a trace is
 * cut into chunks that follow each other, each source has the same branch outcomes, at the same
 * positions; a branch outcome without a packet does not exist; with gaps every chunk is read to its
 * end; after what was lost comes an address.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/map.h"
#include "src/samples/aux/etm.h"
#include "src/samples/perf_data/flow_lanes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct sums {
	uint64_t answers, bits, hashes[ETM_IDS + 1];
	bool lost[ETM_IDS + 1];
	struct answer_counts counts;
};

static void add_word(uint8_t **at, uint64_t word)
{
	for (unsigned i = 0; i < 8; i++)
		*(*at)++ = (uint8_t)(word >> 8 * i);
}

/* Two units with the trace ids 10 and 11, as two bytes of the input say. */
static size_t write_info(uint8_t *to, uint8_t kind, uint8_t depth)
{
	uint8_t *at = to;
	bool ete = kind & 1;

	add_word(&at, 1); /* version */
	add_word(&at, UINT64_C(8) << 32 | 2);
	add_word(&at, 0);
	for (uint64_t cpu = 0; cpu < 2; cpu++) {
		add_word(&at, ete ? 0x5050505050505050 : 0x4040404040404040);
		add_word(&at, cpu);
		add_word(&at, ete ? 8 : 7);
		add_word(&at,
			 (kind & 2 ? UINT64_C(0x8080) : 0) | (kind & 4 ? UINT64_C(0x1000) : 0));
		add_word(&at, 0x10 + cpu);
		add_word(&at, kind & 8 ? 0x08800ea1 : 0x28000ea1);
		add_word(&at, 0x4100f453);
		add_word(&at, kind & 16 ? 0x0488 : 0x80001088);
		add_word(&at, depth & 0x80 ? (uint64_t)depth << 4 : depth);
		add_word(&at, 0xcc);
		if (ete)
			add_word(&at, 0x47735a13);
	}
	return (size_t)(at - to);
}

static void note(struct sums *sums, const struct flow_lane *lane)
{
	size_t source = lane->source.stream == FLOW_NO_STREAM ? ETM_IDS : lane->source.stream;
	uint64_t *hash = &sums->hashes[source];
	bool *lost = &sums->lost[source];

	assert(source <= ETM_IDS && lane->batch.count &&
	       lane->batch.count <= lane->batch.capacity &&
	       lane->batch.capacity <= 2 * FLOW_BATCH_MOST);
	for (size_t i = 0; i < lane->batch.count; i++) {
		const struct flow_answer *answer = &lane->batch.at[i];
		uint64_t place = hash_mix(hash_mix(lane->place.ticks, lane->place.context),
					  lane->place.has_context);
		sums->answers++;
		*hash = hash_mix(hash_mix(*hash, place), answer->kind);
		if (answer->kind == FLOW_BITS) {
			assert(answer->count && answer->count <= 64 &&
			       (answer->count == 64 || !(answer->value >> answer->count)) &&
			       !*lost);
			sums->bits += answer->count;
			for (unsigned bit = 0; bit < answer->count; bit++)
				*hash = hash_mix(hash_mix(*hash, FLOW_BITS),
						 answer->value >> bit & 1);
		} else {
			assert(answer->kind <= FLOW_FROM);
			assert(!*lost || answer->kind == FLOW_AT || answer->kind == FLOW_BEGIN);
			*hash = hash_mix(*hash, answer->value);
		}
		*lost = answer->kind == FLOW_LOST;
	}
}

static void read_lanes(struct aux_queues *queues, const uint8_t info[2], struct sums *sums)
{
	struct flow_lanes lanes = {0};
	struct aux_clock clock = {0};
	struct bc_error err = {0};
	uint8_t bytes[512];
	size_t size = write_info(bytes, info[0], info[1]);

	assert(flow_lanes_open(&lanes, &etm_reader, (struct bytes){bytes, size}, 0, queues, &err) &&
	       !lanes.facts.refused);
	bool any = true;
	while (any) {
		assert(flow_lanes_wake(&lanes, 0, &clock, &err));
		any = false;
		for (uint32_t i = 0; i < lanes.all.len; i++)
			for (; lanes.all.at[i].waits; any = true) {
				note(sums, &lanes.all.at[i]);
				assert(flow_lane_next(&lanes, i, &clock, &err));
			}
	}
	sums->counts = flow_lanes_counts(&lanes);
	assert(!queues->in_memory && !queues->all.at[0].left);
	assert(sums->counts.bits == sums->bits);
	flow_lanes_free(&lanes);
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
		done += size;
	}
}

static void check(const uint8_t info[2], struct bytes cuts, struct bytes trace, bool damaged,
		  struct sums *sums)
{
	struct aux_queues queues = {0};
	struct bc_error err = {0};
	uint32_t number;

	assert(aux_queues_obtain(&queues, 0, AUX_NONE, 0, &number, &err));
	queues.all.at[0].raw = info[0] & 128;
	cut(&queues, cuts, trace, damaged);
	read_lanes(&queues, info, sums);
	assert(sums->bits + sums->counts.dropped <= 24 * trace.size &&
	       sums->counts.bad_bytes <= trace.size && sums->counts.unknown_packets <= trace.size);
	assert(sums->answers <= 4 * trace.size);
	aux_queues_free(&queues);
}

#define CUTS 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t long_pieces[1] = {31};
	struct sums plain = {0}, other = {0}, damaged = {0};

	if (size < 2 + CUTS || size > 1u << 16)
		return 0;
	struct bytes cuts = {data + 2, CUTS}, trace = {data + 2 + CUTS, size - 2 - CUTS};
	check(data, (struct bytes){long_pieces, 1}, trace, false, &plain);
	check(data, cuts, trace, false, &other);
	assert(plain.bits == other.bits &&
	       !memcmp(plain.hashes, other.hashes, sizeof(plain.hashes)));
	assert(plain.counts.bad_bytes == other.counts.bad_bytes &&
	       plain.counts.targets == other.counts.targets &&
	       plain.counts.dropped == other.counts.dropped);
	check(data, cuts, trace, true, &damaged);
	return 0;
}
