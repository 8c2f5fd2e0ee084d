/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A ring of 64-bit words.  A stack is
 *
 *   count << 32 | map, time, addresses
 *
 * A writer first reserves its words by moving `head`, then fills them, the first one
 * last: while that is 0 the stack is not there yet.  The reader makes all words 0
 * again before it moves `tail` over them.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "batconv/capture.h"
#include "lib/capture/writer.h"

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "signal handlers need lock-free 64-bit atomics");

#define HEADER_WORDS 2
#define WORDS_LEAST  512

struct batconv_capture_ring {
	size_t bytes;                /* of the whole */
	uint64_t words;              /* a power of two */
	_Atomic uint64_t head, tail; /* in words, ever growing */
	_Atomic uint64_t dropped;
	_Atomic uint64_t at[];
};

struct batconv_capture_ring *batconv_capture_ring_new(size_t size)
{
	uint64_t words = WORDS_LEAST;
	int before = errno;

	while (words < size / sizeof(uint64_t) && words < (UINT64_C(1) << 32))
		words *= 2;
	size_t bytes = sizeof(struct batconv_capture_ring) + (size_t)words * sizeof(uint64_t);
	struct batconv_capture_ring *ring =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	errno = before;
	if (ring == MAP_FAILED)
		return NULL;
	ring->bytes = bytes;
	ring->words = words;
	return ring;
}

void batconv_capture_ring_free(struct batconv_capture_ring *ring)
{
	if (ring)
		munmap(ring, ring->bytes);
}

static _Atomic uint64_t *word(struct batconv_capture_ring *ring, uint64_t number)
{
	return &ring->at[number & (ring->words - 1)];
}

/* Reserves words for a writer.  False: the ring has no room. */
static bool reserve(struct batconv_capture_ring *ring, uint64_t need, uint64_t *out)
{
	uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);

	do {
		uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
		if (ring->words - (head - tail) < need)
			return false;
	} while (!atomic_compare_exchange_weak_explicit(
		&ring->head, &head, head + need, memory_order_relaxed, memory_order_relaxed));
	*out = head;
	return true;
}

bool batconv_capture_ring_put(struct batconv_capture_ring *ring, uint64_t time, uint32_t map,
			      const struct batconv_run_addr *addresses, size_t count)
{
	uint64_t at;

	if (!count || count > BATCONV_CAPTURE_STACK_MOST ||
	    !reserve(ring, HEADER_WORDS + count, &at)) {
		atomic_fetch_add_explicit(&ring->dropped, 1, memory_order_relaxed);
		return false;
	}
	atomic_store_explicit(word(ring, at + 1), time, memory_order_relaxed);
	for (size_t i = 0; i < count; i++)
		atomic_store_explicit(word(ring, at + HEADER_WORDS + i), addresses[i].v,
				      memory_order_relaxed);
	atomic_store_explicit(word(ring, at), (uint64_t)count << 32 | map, memory_order_release);
	return true;
}

/* Takes a word out of the ring and makes it 0 there. */
static uint64_t take(struct batconv_capture_ring *ring, uint64_t number)
{
	uint64_t value = atomic_load_explicit(word(ring, number), memory_order_relaxed);

	atomic_store_explicit(word(ring, number), 0, memory_order_relaxed);
	return value;
}

static void write_stack(struct batconv_capture_ring *ring, uint64_t at, uint64_t header,
			uint64_t pid, struct capture_writer *w)
{
	capture_number(w, take(ring, at + 1), 10);
	capture_text(w, " p");
	capture_number(w, pid, 10);
	capture_text(w, "m");
	capture_number(w, header & UINT32_MAX, 10);
	for (uint64_t i = 0; i < header >> 32; i++) {
		capture_text(w, " ");
		capture_number(w, take(ring, at + HEADER_WORDS + i), 16);
	}
	capture_text(w, "\n");
}

bool batconv_capture_ring_write(struct batconv_capture_ring *ring, int fd, int *error)
{
	struct capture_writer w = {.fd = fd};
	uint64_t pid = (uint64_t)getpid(), at = atomic_load(&ring->tail), header;
	int before = errno;

	while (at < atomic_load_explicit(&ring->head, memory_order_relaxed) &&
	       (header = atomic_load_explicit(word(ring, at), memory_order_acquire))) {
		take(ring, at);
		write_stack(ring, at, header, pid, &w);
		at += HEADER_WORDS + (header >> 32);
		atomic_store_explicit(&ring->tail, at, memory_order_release);
	}
	capture_flush(&w);
	errno = before;
	if (error)
		*error = w.error;
	return !w.error;
}

uint64_t batconv_capture_ring_dropped(const struct batconv_capture_ring *ring)
{
	return atomic_load_explicit(&ring->dropped, memory_order_relaxed);
}
