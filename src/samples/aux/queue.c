/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/aux/queue.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* No window is smaller, so that a packet fits. */
#define WINDOW_LEAST 64

static uint64_t key_of(uint32_t cpu, uint32_t tid, uint32_t index)
{
	if (cpu != AUX_NONE)
		return (uint64_t)1 << 32 | cpu;
	return tid != AUX_NONE ? (uint64_t)2 << 32 | tid : (uint64_t)3 << 32 | index;
}

static bool has_key(const struct aux_queue *all, uint32_t number, uint64_t key)
{
	const struct aux_queue *queue = &all[number];

	return key_of(queue->cpu, queue->tid, queue->index) == key;
}

DEFINE_MAP(by_key, const struct aux_queue *, uint64_t, hash_number, has_key);

static void drop_window(struct aux_queue *queue)
{
	free(queue->window);
	queue->window = NULL;
	queue->begin = queue->end = queue->capacity = 0;
}

static void drop_pieces(struct aux_queues *queues, struct aux_queue *queue)
{
	for (size_t i = queue->first; i < queue->pieces.len; i++) {
		queues->in_memory -= queue->pieces.at[i].data ? queue->pieces.at[i].size : 0;
		free(queue->pieces.at[i].data);
	}
	aux_piece_vec_free(&queue->pieces);
}

void aux_queues_free(struct aux_queues *queues)
{
	for (size_t i = 0; i < queues->all.len; i++) {
		struct aux_queue *queue = &queues->all.at[i];
		drop_window(queue);
		drop_pieces(queues, queue);
		aux_position_vec_free(&queue->losses);
	}
	aux_queue_vec_free(&queues->all);
	map_free(&queues->by_key);
}

bool aux_queues_obtain(struct aux_queues *queues, uint32_t cpu, uint32_t tid, uint32_t index,
		       uint32_t *number, struct bc_error *err)
{
	uint64_t key = key_of(cpu, tid, index);

	if (by_key_find(&queues->by_key, queues->all.at, key, number))
		return true;
	if (queues->all.len == AUX_QUEUES_MOST)
		return bc_fail(err, BC_FORMAT,
			       "traces of more processors and threads than the limit of %d",
			       AUX_QUEUES_MOST);
	*number = (uint32_t)queues->all.len;
	if (!map_reserve(&queues->by_key, 1) ||
	    !aux_queue_vec_push(&queues->all,
				(struct aux_queue){.cpu = cpu, .tid = tid, .index = index}))
		return bc_fail_nomem(err);
	by_key_put(&queues->by_key, key, *number);
	return true;
}

struct aux_queue *aux_queues_find(struct aux_queues *queues, uint32_t cpu, uint32_t tid)
{
	uint32_t number;

	if (cpu != AUX_NONE &&
	    by_key_find(&queues->by_key, queues->all.at, key_of(cpu, AUX_NONE, 0), &number))
		return &queues->all.at[number];
	if (tid != AUX_NONE &&
	    by_key_find(&queues->by_key, queues->all.at, key_of(AUX_NONE, tid, 0), &number))
		return &queues->all.at[number];
	return NULL;
}

/* Chunks that were read are forgotten when they are as many as the others. */
static void forget_read(struct aux_queue *queue)
{
	size_t left = queue->pieces.len - queue->first;

	if (queue->first < left || !queue->first)
		return;
	if (left)
		memmove(queue->pieces.at, queue->pieces.at + queue->first,
			left * sizeof(*queue->pieces.at));
	queue->pieces.len = left;
	queue->first = 0;
}

bool aux_queue_add(struct aux_queues *queues, uint32_t number, struct aux_piece piece,
		   struct bc_error *err)
{
	struct aux_queue *queue = &queues->all.at[number];

	if (!piece.size || piece.size > UINT64_MAX - piece.at) {
		free(piece.data);
		return true;
	}
	forget_read(queue);
	if (!aux_piece_vec_push(&queue->pieces, piece)) {
		free(piece.data);
		return bc_fail_nomem(err);
	}
	queue->left += piece.size;
	queues->in_memory += piece.data ? piece.size : 0;
	return true;
}

bool aux_queue_lost(struct aux_queue *queue, uint64_t position, struct bc_error *err)
{
	struct aux_position_vec *losses = &queue->losses;

	if (losses->len && losses->at[losses->len - 1] >= position)
		return true; /* reported already */
	return aux_position_vec_push(losses, position) || bc_fail_nomem(err);
}

/* The next chunk with bytes to read.  *at, *left: of these. */
static struct aux_piece *next_piece(struct aux_queues *queues, struct aux_queue *queue,
				    uint64_t *at, uint64_t *left)
{
	for (; queue->first < queue->pieces.len; queue->first++, queue->taken = 0) {
		struct aux_piece *piece = &queue->pieces.at[queue->first];
		*at = piece->at + queue->taken;
		/* What is in a picture of a ring was in the one before, too: perhaps all of it. */
		if (queue->overwrites && queue->begun && *at < queue->position) {
			uint64_t behind = queue->position - *at, rest = piece->size - queue->taken;
			uint64_t again = behind < rest ? behind : rest;
			queue->taken += again;
			queue->left -= again;
			*at += again;
		}
		*left = piece->size - queue->taken;
		if (*left)
			return piece;
		queues->in_memory -= piece->data ? piece->size : 0;
		free(piece->data);
		piece->data = NULL;
	}
	return NULL;
}

/* Was something lost in front of a position?  Losses before it are passed. */
static bool lost_at(const struct aux_queue *queue, uint64_t position)
{
	return queue->next_loss < queue->losses.len &&
	       queue->losses.at[queue->next_loss] == position;
}

static void pass_losses(struct aux_queue *queue, uint64_t position)
{
	while (queue->next_loss < queue->losses.len &&
	       queue->losses.at[queue->next_loss] < position)
		queue->next_loss++;
}

/* Up to the next loss. */
static uint64_t without_loss(const struct aux_queue *queue, uint64_t at, uint64_t size)
{
	for (size_t i = queue->next_loss; i < queue->losses.len; i++) {
		uint64_t loss = queue->losses.at[i];
		if (loss > at)
			return loss - at < size ? loss - at : size;
	}
	return size;
}

/* Room after the bytes that were not taken, which move to the front. */
static bool make_room(struct aux_queue *queue, struct bc_error *err)
{
	size_t kept = queue->end - queue->begin;
	uint64_t want = kept + queue->left < AUX_WINDOW ? kept + queue->left : AUX_WINDOW;

	if (kept)
		memmove(queue->window, queue->window + queue->begin, kept);
	queue->begin = 0;
	queue->end = kept;
	if (want < WINDOW_LEAST)
		want = WINDOW_LEAST;
	if (want > queue->capacity) {
		uint8_t *window = realloc(queue->window, (size_t)want);
		if (!window)
			return bc_fail_nomem(err);
		queue->window = window;
		queue->capacity = (size_t)want;
	}
	return queue->end < queue->capacity ||
	       bc_fail(err, BC_FORMAT, "a packet of a trace that is longer than %zu bytes",
		       AUX_WINDOW);
}

static bool read_piece(struct aux_queues *queues, const struct aux_piece *piece, uint64_t from,
		       uint8_t *to, size_t size, struct bc_error *err)
{
	if (!piece->data)
		return queues->file.read(queues->file.ctx, piece->file_at + from, to, size, err);
	memcpy(to, piece->data + from, size);
	return true;
}

enum aux_more aux_queue_read(struct aux_queues *queues, uint32_t number, struct bc_error *err)
{
	struct aux_queue *queue = &queues->all.at[number];
	uint64_t at, left;
	const struct aux_piece *piece = next_piece(queues, queue, &at, &left);
	enum aux_more more = AUX_MORE;

	if (!piece) {
		if (queue->begin == queue->end)
			drop_window(queue);
		return AUX_NO_MORE;
	}
	pass_losses(queue, at);
	if (lost_at(queue, at)) {
		more = AUX_LOSS;
		queue->next_loss++;
	} else if (queue->begun ? at != queue->position : queue->overwrites && at) {
		more = AUX_GAP;
	}
	if (more != AUX_MORE)
		queue->begin = queue->end;
	if (!make_room(queue, err))
		return AUX_FAILED;
	left = without_loss(queue, at, left);
	size_t room = queue->capacity - queue->end, size = left < room ? (size_t)left : room;
	if (!read_piece(queues, piece, queue->taken, queue->window + queue->end, size, err))
		return AUX_FAILED;
	queue->end += size;
	queue->taken += size;
	queue->left -= size;
	queue->position = at + size;
	queue->time = piece->time;
	queue->begun = true;
	return more;
}
