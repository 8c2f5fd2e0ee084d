/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* pthread_getattr_np, register names */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <ucontext.h>

#include "batconv/capture.h"

bool batconv_capture_thread_bounds(struct batconv_capture_bounds *out)
{
	pthread_attr_t attr;
	int before = errno;
	void *low;
	size_t size;

	bool ok = !pthread_getattr_np(pthread_self(), &attr);
	if (ok) {
		ok = !pthread_attr_getstack(&attr, &low, &size);
		pthread_attr_destroy(&attr);
	}
	errno = before;
	if (ok)
		*out = (struct batconv_capture_bounds){(uintptr_t)low, (uintptr_t)low + size};
	return ok;
}

struct registers {
	uint64_t pc, sp, fp;
};

static bool read_registers(const ucontext_t *context, struct registers *out)
{
#if defined(__x86_64__)
	const greg_t *r = context->uc_mcontext.gregs;

	*out = (struct registers){(uint64_t)r[REG_RIP], (uint64_t)r[REG_RSP], (uint64_t)r[REG_RBP]};
	return true;
#elif defined(__aarch64__)
	const mcontext_t *m = &context->uc_mcontext;

	*out = (struct registers){m->pc, m->sp, m->regs[29]};
	return true;
#else
	(void)context;
	(void)out;
	return false;
#endif
}

/* Both ABIs: the frame pointer points at the caller's frame pointer, and the
 * return address is after it.  Frames go up, so the walk ends. */
size_t batconv_capture_stack(const void *ucontext, const struct batconv_capture_bounds *bounds,
			     struct batconv_run_addr *out, size_t most)
{
	struct registers at;
	size_t count = 0;

	if (!most || !read_registers(ucontext, &at))
		return 0;
	out[count++].v = at.pc;
	if (!bounds || at.sp < bounds->low || at.sp >= bounds->high)
		return count;
	uint64_t lowest = at.sp;
	while (count < most && at.fp >= lowest && at.fp % sizeof(uint64_t) == 0 &&
	       at.fp < bounds->high && bounds->high - at.fp >= 2 * sizeof(uint64_t)) {
		uint64_t frame[2];
		memcpy(frame, (const void *)(uintptr_t)at.fp, sizeof(frame));
		if (!frame[1])
			break;
		out[count++].v = frame[1];
		lowest = at.fp + sizeof(frame);
		at.fp = frame[0];
	}
	return count;
}
