/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Packets of Intel PT.  The first bytes say what the clocks are, and how the others are cut into
 * chunks; what follows is the trace. Properties: wherever a trace is cut into chunks that follow
 * each other, and with batches of any size, it has the same branch outcomes; no more branch
 * outcomes than bytes allow; after FLOW_LOST nothing is reported until the address is known again;
 * a reader never is still; no bit above those that are reported; with gaps, the same holds for each
 * part.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/map.h"
#include "src/samples/aux/pt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST 4096

struct reading {
	struct pt_decoder decoder;
	struct flow_answer answers[MOST];
	struct flow_batch batch;
	uint64_t hash, bits, targets, others;
	bool lost;
};

/* Bits one by one, so that it makes no difference how many an outcome has. */
static void note(struct reading *r)
{
	for (size_t i = 0; i < r->batch.count; i++) {
		const struct flow_answer *a = &r->batch.at[i];
		assert(a->kind <= FLOW_LOST);
		if (r->lost)
			assert(a->kind == FLOW_LOST || a->kind == FLOW_AT || a->kind == FLOW_BEGIN);
		r->lost = a->kind == FLOW_LOST;
		if (a->kind != FLOW_BITS) {
			r->hash = hash_mix(r->hash, hash_mix(a->kind, a->value));
			r->targets += a->kind == FLOW_TARGET;
			r->others++;
			continue;
		}
		assert(a->count && a->count <= 64 && (a->count == 64 || !(a->value >> a->count)));
		for (unsigned k = 0; k < a->count; k++)
			r->hash = hash_mix(r->hash, 100 + (a->value >> k & 1));
		r->bits += a->count;
	}
	r->batch.count = 0;
}

static void start(struct reading *r, const uint8_t *how, size_t capacity)
{
	memset(r, 0, sizeof(*r));
	r->batch = (struct flow_batch){.at = r->answers, .capacity = capacity};
	r->decoder.timing = (struct pt_timing){
		.mtc_shift = how[0] & 15, .tsc = how[1], .ctc = how[2] & 3, .ratio = how[3]};
	r->decoder.now = (uint64_t)how[4] << 56;
	r->lost = true; /* nothing is known yet */
}

/* What is left of a chunk, which is in front of the next. */
static size_t read_piece(struct reading *r, const uint8_t *data, size_t size)
{
	struct bytes rest = {data, size};

	for (;;) {
		size_t before = rest.size;
		uint64_t place = r->decoder.place;
		bool stopped = pt_read(&r->decoder, &rest, &r->batch);
		assert(rest.size <= before && (!rest.size || rest.data + rest.size == data + size));
		if (!stopped)
			break;
		assert(flow_batch_full(&r->batch) || r->decoder.place != place); /* so it continues
		*/
		note(r);
	}
	assert(rest.size < PT_PACKET_MOST);
	return rest.size;
}

static void check(const struct reading *r, size_t size)
{
	assert(r->bits <= 6 * size && r->others <= 3 * size + 1);
	assert(r->bits == r->decoder.counts.bits && r->targets == r->decoder.counts.targets);
	assert(r->decoder.counts.bad_bytes <= size && r->decoder.counts.overflows <= size);
}

#define HOW 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct reading whole, parts;

	if (size < 2 * HOW || size > 1u << 16)
		return 0;
	const uint8_t *how = data, *cuts = data + HOW, *trace = data + 2 * HOW;
	size_t trace_size = size - 2 * HOW;
	start(&whole, how, MOST);
	read_piece(&whole, trace, trace_size);
	note(&whole);
	check(&whole, trace_size);

	start(&parts, how, 2 * FLOW_BATCH_ROOM + (how[5] & 63));
	size_t at = 0, left = 0;
	for (size_t i = 0; at < trace_size; i++) {
		size_t step = 1u + (cuts[i % HOW] & 63),
		       piece = step < trace_size - at ? step : trace_size - at;
		left = read_piece(&parts, trace + at - left, left + piece);
		at += piece;
	}
	note(&parts);
	assert(parts.hash == whole.hash && parts.bits == whole.bits &&
	       parts.others == whole.others);
	assert(parts.decoder.now == whole.decoder.now &&
	       parts.decoder.counts.bad_bytes == whole.decoder.counts.bad_bytes);

	start(&parts, how, MOST);
	for (at = 0; at < trace_size;) {
		size_t step = 16u * (1u + cuts[at % HOW]),
		       piece = step < trace_size - at ? step : trace_size - at;
		read_piece(&parts, trace + at, piece);
		pt_cut(&parts.decoder, &parts.batch);
		note(&parts);
		at += piece;
	}
	check(&parts, trace_size);
	return 0;
}
