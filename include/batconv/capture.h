/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * libbatconv-capture - what a sampler does inside the program that it samples.
 *
 * While sampling nothing is looked up: a raw stack is a time, the id of a map and
 * addresses, and goes into a ring.  Maps are copied as the kernel writes them.  Both
 * come out as text that `batconv stacks` and `batconv maps` read.
 *
 *   batconv_capture_maps()         /proc/self/maps -> a file
 *   batconv_capture_stack()        registers of a signal -> addresses
 *   batconv_capture_ring_put()     time, map, addresses -> ring
 *   batconv_capture_ring_write()   ring -> a file
 *
 * The library needs libc only and keeps no state of its own: any number of threads can call
 * its functions at once, where not said otherwise.  Functions marked "AS"
 * are async-signal-safe: they take no locks, allocate nothing, and call nothing but
 * open, read, write, close, getpid and clock_gettime.  All leave errno as it was; those that the
 * system can refuse show its number in *error, for which NULL can be given.
 *
 * Memory, versions and text are as address.h says.
 */
#ifndef BATCONV_CAPTURE_H
#define BATCONV_CAPTURE_H

#include "batconv/address.h"

#ifdef __cplusplus
extern "C" {
#endif

/* AS.  The version of the library that the program runs with, as BATCONV_VERSION_NUMBER. */
BATCONV_API uint32_t batconv_capture_version(void);

/* AS.  The time of the stacks and of the maps: CLOCK_MONOTONIC in ns, perf's default
 * too. */
BATCONV_API uint64_t batconv_capture_time(void);

/* AS.  Append the maps of this process to a file, with a line before them that says
 * process, id and time.
 *
 * id      not used before in this process
 * error   errno of what could not be read or written; 0 where all was
 *
 * False if something could not: the file may have a part of them then. */
BATCONV_API BATCONV_MUST_USE bool batconv_capture_maps(int fd, uint32_t id, int *error);

/* A number that changes whenever a library was loaded or unloaded since; 0 if the C
 * library does not show.  Takes the dynamic linker's lock: not for signal handlers.
 * When it has changed, capture the maps again under the next id. */
BATCONV_API uint64_t batconv_capture_generation(void);

/* The part of memory that is the calling thread's stack. */
struct batconv_capture_bounds {
	uint64_t low, high; /* [low, high) */
};

/* For the calling thread; ask once per thread, not in a signal handler.  False if
 * the system does not show: without bounds there is the innermost address alone. */
BATCONV_API BATCONV_MUST_USE bool batconv_capture_thread_bounds(struct batconv_capture_bounds *out);

/* AS.  The call stack at a signal, innermost address first, by frame pointers
 * (-fno-omit-frame-pointer); reads nothing outside the bounds.  A function without
 * a frame pointer of its own ends the stack or is left out.
 *
 * ucontext  third argument of a handler that was set with SA_SIGINFO
 * bounds    of this thread; NULL: only the innermost address
 *
 * Returns how many of `most` were written; at least 1 on x86-64 and AArch64, 0 on
 * other processors. */
BATCONV_API size_t batconv_capture_stack(const void *ucontext,
					 const struct batconv_capture_bounds *bounds,
					 struct batconv_run_addr *out, size_t most);

/* A buffer of raw stacks that any number of signal handlers put into while one
 * thread takes out.  After fork() the child has a copy, with the stacks of its parent, which it
 * would write as its own: make another one there. */
struct batconv_capture_ring;

/* Make a ring of about `size` bytes (8 per address and 16 per stack; at least 4096, at most 2^35).
 * NULL when out of memory.  Not for signal handlers. */
BATCONV_API BATCONV_MUST_USE struct batconv_capture_ring *batconv_capture_ring_new(size_t size);

/* Free a ring that no thread and no signal handler uses any more; NULL can be given, too. */
BATCONV_API void batconv_capture_ring_free(struct batconv_capture_ring *ring);

/* AS.  Put a stack in.  count: from 1 on, the most is BATCONV_CAPTURE_STACK_MOST.  False if
 * the ring is full: the stack is dropped and counted. */
#define BATCONV_CAPTURE_STACK_MOST 65535
BATCONV_API bool batconv_capture_ring_put(struct batconv_capture_ring *ring, uint64_t time,
					  uint32_t map, const struct batconv_run_addr *addresses,
					  size_t count);

/* AS.  Append what is in the ring to a file, as lines
 *
 *   TIME pPIDmMAP ADDRESS ADDRESS ...
 *
 * and take it out.  One caller at a time, in addition to those that put.
 *
 * error   errno of what could not be written; 0 where all was
 *
 * False if it cannot be written: what was taken out so far is lost. */
BATCONV_API BATCONV_MUST_USE bool batconv_capture_ring_write(struct batconv_capture_ring *ring,
							     int fd, int *error);

/* AS.  How many stacks were dropped so far. */
BATCONV_API uint64_t batconv_capture_ring_dropped(const struct batconv_capture_ring *ring);

#ifdef __cplusplus
}
#endif

#endif
