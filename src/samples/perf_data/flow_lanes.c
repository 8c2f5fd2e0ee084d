/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/perf_data/flow_lanes.h"

#include <stdlib.h>
#include <string.h>

#define BATCH_LEAST (2 * FLOW_BATCH_ROOM) /* branch outcomes that there is room for at first */

/* So many bytes of a source of a queue, and of its cuts, are kept in order to reach those of
 * another one, whose turn it is. */
#define SOURCE_MOST ((size_t)1 << 20)

bool flow_lanes_open(struct flow_lanes *lanes, const struct flow_reader *reader, struct bytes info,
		     uint64_t config, struct aux_queues *queues, struct bc_error *err)
{
	lanes->setup = reader->open(info, config, &lanes->facts, err);
	if (!lanes->setup)
		return false;
	lanes->reader = reader;
	lanes->queues = queues;
	return true;
}

void flow_lanes_free(struct flow_lanes *lanes)
{
	for (size_t i = 0; i < lanes->all.len; i++) {
		struct flow_lane *lane = &lanes->all.at[i];
		free(lane->decoder);
		free(lane->batch.at);
		flow_byte_vec_free(&lane->bytes);
		flow_cut_vec_free(&lane->cuts);
	}
	flow_lane_vec_free(&lanes->all);
	flow_queue_vec_free(&lanes->by_queue);
	if (lanes->setup)
		lanes->reader->close(lanes->setup);
	*lanes = (struct flow_lanes){0};
}

static bool grow(struct flow_batch *batch, size_t capacity, struct bc_error *err)
{
	struct flow_answer *at = realloc(batch->at, capacity * sizeof(*at));

	if (!at)
		return bc_fail_nomem(err);
	batch->at = at;
	batch->capacity = capacity;
	return true;
}

static void drop_batch(struct flow_batch *batch)
{
	free(batch->at);
	*batch = (struct flow_batch){0};
}

/* A lane for a source of a queue. */
static bool add_lane(struct flow_lanes *lanes, uint32_t number, uint32_t stream,
		     struct bc_error *err)
{
	const struct aux_queue *queue = &lanes->queues->all.at[number];
	struct flow_lane lane = {.source = {queue->cpu, queue->tid, stream, queue->reference},
				 .queue = number,
				 .next = lanes->by_queue.at[number].first};

	if (lanes->all.len == FLOW_LANES_MOST)
		return bc_fail(
			err, BC_FORMAT,
			"traces of more processors, threads and sources than the limit of %d",
			FLOW_LANES_MOST);
	size_t more = lanes->reader->more ? lanes->reader->more(lanes->setup, &lane.source) : 0;
	lane.decoder = calloc(1, lanes->reader->decoder_size + more);
	if (!lane.decoder || !flow_lane_vec_push(&lanes->all, lane)) {
		free(lane.decoder);
		return bc_fail_nomem(err);
	}
	lanes->by_queue.at[number].first = (uint32_t)lanes->all.len - 1;
	struct flow_lane *added = &lanes->all.at[lanes->all.len - 1];
	added->asks = lanes->reader->begin(added->decoder, lanes->setup, &added->source);
	return true;
}

/* ---- of several sources in one queue ---- */

/* Is a source of a kind that has no branch outcomes?  Asked once of each. */
static bool is_strange(struct flow_lanes *lanes, uint32_t number, uint8_t id)
{
	struct flow_queue *of = &lanes->by_queue.at[number];
	const struct aux_queue *queue = &lanes->queues->all.at[number];
	const struct flow_source source = {queue->cpu, queue->tid, id, queue->reference};
	uint64_t bit = UINT64_C(1) << (id & 63);

	if (!lanes->reader->knows || of->strange[id >> 6 & 1] & bit)
		return lanes->reader->knows;
	if (lanes->reader->knows(lanes->setup, &source))
		return false;
	of->strange[id >> 6 & 1] |= bit;
	return true;
}

/* The lane of a source.  FLOW_NO_LANE: it has none, as its bytes are not read, or err. */
static uint32_t lane_of(struct flow_lanes *lanes, uint32_t queue, uint8_t id, struct bc_error *err)
{
	for (uint32_t i = lanes->by_queue.at[queue].first; i != FLOW_NO_LANE;
	     i = lanes->all.at[i].next)
		if (lanes->all.at[i].source.stream == id)
			return i;
	if (is_strange(lanes, queue, id)) {
		err->code = BC_OK;
		return FLOW_NO_LANE;
	}
	return add_lane(lanes, queue, id, err) ? lanes->by_queue.at[queue].first : FLOW_NO_LANE;
}

/* Bytes that were read are forgotten when they are as many as the others. */
static void forget_read(struct flow_lane *lane)
{
	size_t left = lane->bytes.len - lane->begin;

	if (lane->begin < left || !lane->begin)
		return;
	if (left)
		memmove(lane->bytes.at, lane->bytes.at + lane->begin, left);
	for (size_t i = lane->next_cut; i < lane->cuts.len; i++) {
		lane->cuts.at[i].at -= lane->begin;
		lane->cuts.at[i - lane->next_cut] = lane->cuts.at[i];
	}
	lane->cuts.len -= lane->next_cut;
	lane->next_cut = 0;
	lane->bytes.len = left;
	lane->begin = 0;
}

/* Bytes of one source. */
static bool put_bytes(struct flow_lanes *lanes, uint32_t queue, const struct etm_byte *bytes,
		      unsigned count, struct bc_error *err)
{
	uint32_t number = lane_of(lanes, queue, bytes->id, err);

	if (number == FLOW_NO_LANE)
		return err->code == BC_OK;
	struct flow_lane *lane = &lanes->all.at[number];
	struct flow_byte_vec *to = &lane->bytes;
	if (to->cap - to->len < count)
		forget_read(lane);
	if (to->cap - to->len < count && !flow_byte_vec_reserve(to, 2 * to->cap + 64))
		return bc_fail_nomem(err);
	for (unsigned i = 0; i < count; i++)
		to->at[to->len + i] = bytes[i].data;
	to->len += count;
	return true;
}

/* Something is missing in the bytes of all sources.  For several cuts at one position the last says
 * what follows. */
static bool cut_all(struct flow_lanes *lanes, uint32_t queue, bool within, struct bc_error *err)
{
	for (uint32_t i = lanes->by_queue.at[queue].first; i != FLOW_NO_LANE;
	     i = lanes->all.at[i].next) {
		struct flow_lane *lane = &lanes->all.at[i];
		const struct flow_cut cut = {lane->bytes.len, within};
		if (lane->next_cut < lane->cuts.len &&
		    lane->cuts.at[lane->cuts.len - 1].at == cut.at)
			lane->cuts.at[lane->cuts.len - 1] = cut;
		else if (!flow_cut_vec_push(&lane->cuts, cut))
			return bc_fail_nomem(err);
	}
	return true;
}

/* Give out all frames of the window. */
static bool deal_frames(struct flow_lanes *lanes, uint32_t number, struct bc_error *err)
{
	struct aux_queue *queue = &lanes->queues->all.at[number];
	struct bytes rest = aux_queue_bytes(queue);
	struct etm_byte out[15];
	unsigned count = 0;

	for (;;) {
		enum etm_frame frame =
			etm_frame_next(&lanes->by_queue.at[number].frames, &rest, out, &count);
		if (frame == ETM_FRAME_CUT)
			break;
		if (frame == ETM_FRAME_BARRIER) {
			if (!cut_all(lanes, number, true, err))
				return false;
			continue;
		}
		for (unsigned i = 0, end; i < count; i = end) {
			for (end = i + 1; end < count && out[end].id == out[i].id;)
				end++;
			if (!put_bytes(lanes, number, out + i, end - i, err))
				return false;
		}
	}
	aux_queue_keep(queue, rest.size);
	return true;
}

/* Has a source as much as is kept?
 * waiting  one that waits */
static bool is_full(const struct flow_lanes *lanes, uint32_t queue, bool waiting)
{
	for (uint32_t i = lanes->by_queue.at[queue].first; i != FLOW_NO_LANE;
	     i = lanes->all.at[i].next) {
		const struct flow_lane *lane = &lanes->all.at[i];
		size_t kept = lane->bytes.len - lane->begin +
			      (lane->cuts.len - lane->next_cut) * sizeof(*lane->cuts.at);
		if (kept >= SOURCE_MOST && (lane->waits || !waiting))
			return true;
	}
	return false;
}

/* Read a window of a queue, for all of its sources. */
static enum aux_more read_frames(struct flow_lanes *lanes, uint32_t number, struct bc_error *err)
{
	if (is_full(lanes, number, false)) {
		lanes->by_queue.at[number].stopped = true;
		return AUX_NO_MORE;
	}
	enum aux_more more = aux_queue_read(lanes->queues, number, err);
	if (more == AUX_LOSS || more == AUX_GAP) {
		lanes->gaps += more == AUX_GAP;
		etm_frames_cut(&lanes->by_queue.at[number].frames);
		if (!cut_all(lanes, number, more == AUX_GAP, err))
			return AUX_FAILED;
	}
	if (more == AUX_FAILED || more == AUX_NO_MORE)
		return more;
	return deal_frames(lanes, number, err) ? AUX_MORE : AUX_FAILED;
}

/* ---- a lane ---- */

/* The bytes that can be read, up to what cuts them. */
static struct bytes bytes_of(const struct flow_lanes *lanes, const struct flow_lane *lane)
{
	if (lane->source.stream == FLOW_NO_STREAM)
		return aux_queue_bytes(&lanes->queues->all.at[lane->queue]);
	size_t end = lane->next_cut < lane->cuts.len ? lane->cuts.at[lane->next_cut].at :
						       lane->bytes.len;
	return (struct bytes){lane->bytes.at + lane->begin, end - lane->begin};
}

/* So many of these are left. */
static void keep(struct flow_lanes *lanes, struct flow_lane *lane, struct bytes were, size_t left)
{
	lane->read += were.size - left;
	if (lane->source.stream == FLOW_NO_STREAM)
		aux_queue_keep(&lanes->queues->all.at[lane->queue], left);
	else
		lane->begin += were.size - left;
}

/* More bytes of a source after those that are left. */
static enum aux_more more_of_source(struct flow_lanes *lanes, uint32_t number, struct bc_error *err)
{
	struct flow_lane *lane = &lanes->all.at[number];

	if (lane->next_cut < lane->cuts.len) {
		const struct flow_cut *cut = &lane->cuts.at[lane->next_cut++];
		lane->begin = cut->at;
		return cut->within ? AUX_GAP : AUX_LOSS;
	}
	forget_read(lane);
	size_t had = lane->bytes.len, cuts = lane->cuts.len;
	for (enum aux_more more; lane->bytes.len == had && lane->cuts.len == cuts;
	     lane = &lanes->all.at[number]) {
		more = read_frames(lanes, lane->queue, err);
		if (more == AUX_FAILED || more == AUX_NO_MORE)
			return more;
	}
	return AUX_MORE;
}

static enum aux_more read_more(struct flow_lanes *lanes, uint32_t number, struct bc_error *err)
{
	const struct flow_lane *lane = &lanes->all.at[number];

	if (lane->source.stream != FLOW_NO_STREAM)
		return more_of_source(lanes, number, err);
	enum aux_more more = aux_queue_read(lanes->queues, lane->queue, err);
	lanes->gaps += more == AUX_GAP;
	return more;
}

static bool same_place(const struct answer_place *a, const struct answer_place *b)
{
	return a->ticks == b->ticks && a->context == b->context && a->has_context == b->has_context;
}

/* The time of a batch.  If it begins without, the one after it is as near as can be. */
static void note_time(const struct flow_lanes *lanes, struct flow_lane *lane,
		      const struct aux_clock *clock, uint64_t ticks)
{
	const struct aux_clock *own = lanes->facts.clock.known ? &lanes->facts.clock : clock;

	if (lane->place.ticks)
		ticks = lane->place.ticks;
	if (ticks && own->known && !lanes->facts.timeless) {
		lane->time = aux_clock_ns(own, ticks);
		lane->stamped = true;
	} else if (!lane->stamped) {
		lane->time = lanes->queues->all.at[lane->queue].time;
	}
}

/* Does a batch that the decoder stopped at end here?  If not, it has room again. */
static bool ends_here(const struct flow_lanes *lanes, struct flow_lane *lane,
		      struct answer_place *now, struct bc_error *err)
{
	*now = lanes->reader->place(lane->decoder);
	if (!same_place(now, &lane->place)) {
		if (lane->batch.count)
			return true;
		lane->place = *now;
	}
	if (!flow_batch_full(&lane->batch))
		return false;
	return lane->batch.capacity >= FLOW_BATCH_MOST ||
	       !grow(&lane->batch, 2 * lane->batch.capacity, err);
}

bool flow_lane_next(struct flow_lanes *lanes, uint32_t number, const struct aux_clock *clock,
		    struct bc_error *err)
{
	const struct flow_reader *reader = lanes->reader;
	struct flow_lane *lane = &lanes->all.at[number];
	struct answer_place now = lane->place = reader->place(lane->decoder);

	lane->waits = false;
	lane->batch.count = 0;
	lane->read = 0;
	err->code = BC_OK;
	if (!lane->batch.at && !grow(&lane->batch, BATCH_LEAST, err))
		return false;
	for (;;) {
		struct bytes were = bytes_of(lanes, lane), rest = were;
		bool stopped = reader->read(lane->decoder, &rest, &lane->batch);
		keep(lanes, lane, were, rest.size);
		if (!stopped) {
			enum aux_more more = read_more(lanes, number, err);
			lane = &lanes->all.at[number];
			if (more == AUX_FAILED)
				return false;
			if (more == AUX_NO_MORE)
				break;
			if (more == AUX_MORE)
				continue;
			reader->cut(lane->decoder, more == AUX_GAP, &lane->batch);
		}
		if (ends_here(lanes, lane, &now, err))
			break;
	}
	if (err->code != BC_OK)
		return false;
	lane->waits = lane->batch.count;
	if (!lane->waits)
		drop_batch(&lane->batch);
	note_time(lanes, lane, clock, now.ticks);
	return true;
}

static bool begin_queue(struct flow_lanes *lanes, uint32_t number, struct bc_error *err)
{
	while (lanes->by_queue.len <= number)
		if (!flow_queue_vec_push(&lanes->by_queue,
					 (struct flow_queue){.first = FLOW_NO_LANE}))
			return bc_fail_nomem(err);
	struct flow_queue *queue = &lanes->by_queue.at[number];
	if (queue->begun)
		return true;
	queue->begun = true;
	queue->raw = !lanes->reader->frames || lanes->queues->all.at[number].raw;
	return !queue->raw || add_lane(lanes, number, FLOW_NO_STREAM, err);
}

bool flow_lanes_wake(struct flow_lanes *lanes, uint32_t number, const struct aux_clock *clock,
		     struct bc_error *err)
{
	if (!begin_queue(lanes, number, err))
		return false;
	while (!lanes->by_queue.at[number].raw &&
	       lanes->by_queue.at[number].first == FLOW_NO_LANE) {
		enum aux_more more = read_frames(lanes, number, err);
		if (more == AUX_FAILED || more == AUX_NO_MORE)
			return more == AUX_NO_MORE;
	}
	/* Reading one can add another one in front; and it stops when another one has too many
	 * bytes, which that one reads in its turn. */
	uint32_t first;
	do {
		lanes->by_queue.at[number].stopped = false;
		first = lanes->by_queue.at[number].first;
		for (uint32_t i = first; i != FLOW_NO_LANE; i = lanes->all.at[i].next)
			if (!lanes->all.at[i].waits && !flow_lane_next(lanes, i, clock, err))
				return false;
	} while (first != lanes->by_queue.at[number].first ||
		 (lanes->by_queue.at[number].stopped && !is_full(lanes, number, true)));
	return true;
}

struct answer_counts flow_lanes_counts(const struct flow_lanes *lanes)
{
	struct answer_counts sum = {0};

	for (size_t i = 0; i < lanes->all.len; i++) {
		struct answer_counts of = lanes->reader->counts(lanes->all.at[i].decoder);
		sum.bits += of.bits;
		sum.targets += of.targets;
		sum.dropped += of.dropped;
		sum.overflows += of.overflows;
		sum.bad_bytes += of.bad_bytes;
		sum.unknown_packets += of.unknown_packets;
	}
	return sum;
}
