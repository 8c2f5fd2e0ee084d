/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
#include "src/record/proof.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "src/base/attr.h"
#include "src/samples/perf_data/rings.h"

#define TURNS      64U     /* of the shortest part in a round */
#define STEPS_MOST 1000000 /* of the exact run; a round has some ten thousand */
#define RATE       4000    /* samples a second, as `record` asks for of a command */
#define RING       (64 << 10)
#define WAIT_MS    50

/* ---- the program ---- */

/* All of it is in one section, whose bounds the linker defines. */
#define PROOF_CODE __attribute__((noinline, used, section("proof_code")))
extern const char __start_proof_code[], __stop_proof_code[];

/* A loop of a branch that goes both ways, by a sequence of its own; no two are the same code.  The
 * empty assembler keeps the compiler from making one way of both. */
#define PART(number, factor)                                                                       \
	PROOF_CODE static uint64_t part_##number(uint64_t x, unsigned turns)                       \
	{                                                                                          \
		for (unsigned i = 0; i < turns; i++) {                                             \
			x = x * (factor) + (number);                                               \
			if (x >> 40 & 1) {                                                         \
				x ^= x >> 7;                                                       \
				__asm__ volatile("" : "+r"(x));                                    \
			} else {                                                                   \
				x += 13;                                                           \
				__asm__ volatile("" : "+r"(x));                                    \
			}                                                                          \
		}                                                                                  \
		return x;                                                                          \
	}
PART(0, 6364136223846793005u)
PART(1, 2862933555777941757u)
PART(2, 3202034522624059733u)
PART(3, 3935559000370003845u)

static uint64_t (*const parts[PROOF_PARTS])(uint64_t, unsigned) = {part_0, part_1, part_2, part_3};

PROOF_CODE static uint64_t proof_round(void)
{
	uint64_t x = 1;

	for (unsigned i = 0; i < PROOF_PARTS; i++)
		x = parts[i](x, TURNS << i);
	return x;
}

uint64_t proof_begin(void)
{
	return (uint64_t)(uintptr_t)__start_proof_code;
}

uint64_t proof_end(void)
{
	return (uint64_t)(uintptr_t)__stop_proof_code;
}

static bool is_inside(uint64_t at)
{
	return at - proof_begin() < proof_end() - proof_begin();
}

/* The part that holds an address: the last one that begins before it.  PROOF_PARTS: the code that
 * calls them. */
static unsigned part_of(uint64_t at)
{
	uint64_t best = (uint64_t)(uintptr_t)proof_round;
	unsigned part = PROOF_PARTS;

	best = best <= at ? best : 0;
	for (unsigned i = 0; i < PROOF_PARTS; i++) {
		uint64_t begin = (uint64_t)(uintptr_t)parts[i];
		if (begin <= at && begin >= best) {
			best = begin;
			part = i;
		}
	}
	return part;
}

/* ---- counts ---- */

void proof_counts_free(struct proof_counts *counts)
{
	proof_branch_vec_free(&counts->branches);
}

static int by_place(const void *a, const void *b)
{
	const struct proof_branch *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return (x->next > y->next) - (x->next < y->next);
}

/* Each branch once. */
static void counts_settle(struct proof_counts *counts)
{
	struct proof_branch_vec *all = &counts->branches;
	size_t kept = 0;

	if (!all->len)
		return;
	qsort(all->at, all->len, sizeof(*all->at), by_place);
	for (size_t i = 1; i < all->len; i++)
		if (by_place(&all->at[kept], &all->at[i]) == 0)
			all->at[kept].count += all->at[i].count;
		else
			all->at[++kept] = all->at[i];
	all->len = kept + 1;
}

/* How many of them are from here to there, whatever comes next. */
static uint64_t count_of(const struct proof_counts *counts, uint64_t from, uint64_t to)
{
	uint64_t count = 0;

	for (size_t i = 0; i < counts->branches.len; i++)
		if (counts->branches.at[i].from == from && counts->branches.at[i].to == to)
			count += counts->branches.at[i].count;
	return count;
}

static uint64_t count_all(const struct proof_counts *counts)
{
	uint64_t count = 0;

	for (size_t i = 0; i < counts->branches.len; i++)
		count += counts->branches.at[i].count;
	return count;
}

/* ---- the exact run ---- */

/* Ends a child and all that is left of it. */
static void end_child(pid_t child)
{
	kill(child, SIGKILL);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

/* In the child: nothing that this process does at its end or on a signal. */
static void begin_child(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGABRT, SIGBUS};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 0; i < BC_COUNT(numbers); i++)
		signal(numbers[i], SIG_DFL);
}

static volatile uint64_t result; /* so that no round is left out */

static pid_t start_traced(struct bc_error *err)
{
	int status;
	pid_t child = fork();

	if (child < 0) {
		bc_fail_errno(err, "cannot start a child");
		return -1;
	}
	if (!child) {
		begin_child();
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
			_exit(1);
		kill(getpid(), SIGSTOP);
		result = proof_round();
		_exit(0);
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR) {
			bc_fail_errno(err, "cannot wait for a child");
			return -1;
		}
	if (!WIFSTOPPED(status)) {
		bc_fail(err, BC_IO,
			"ptrace is refused, as in some containers: the exact run cannot be taken");
		return -1;
	}
	(void)ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)(uintptr_t)PTRACE_O_EXITKILL);
	return child;
}

/* Where the child is.  False: this processor's registers are not known here. */
static bool place_of(pid_t child, uint64_t *at)
{
	struct user_regs_struct registers;
	struct iovec space = {&registers, sizeof(registers)};

	if (ptrace(PTRACE_GETREGSET, child, (void *)(uintptr_t)NT_PRSTATUS, &space) != 0)
		return false;
#if defined(__x86_64__)
	*at = registers.rip;
	return true;
#elif defined(__aarch64__)
	*at = registers.pc;
	return true;
#else
	(void)at;
	return false;
#endif
}

#if defined(__aarch64__)
#define OWN_MACHINE MACHINE_AARCH64
#elif defined(__riscv)
#define OWN_MACHINE MACHINE_RISCV64
#else
#define OWN_MACHINE MACHINE_X86_64
#endif

/* The address after the instruction at `at`, which lies in the program. */
static uint64_t after(uint64_t at)
{
	const uint8_t *code = (const uint8_t *)__start_proof_code + (at - proof_begin());
	struct insn insn = insn_decode(OWN_MACHINE, (struct bytes){code, proof_end() - at}, at);

	return at + insn.size;
}

/* Adds a branch that was taken; the one before it is followed by this one. */
static bool add_branch(struct proof_counts *out, uint64_t from, uint64_t to, bool goes_on)
{
	struct proof_branch_vec *all = &out->branches;

	if (goes_on && all->len)
		all->at[all->len - 1].next = from;
	return proof_branch_vec_push(all, (struct proof_branch){from, to, 0, 1});
}

static bool step_all(pid_t child, struct proof_counts *out, struct bc_error *err)
{
	uint64_t at = 0, before = 0;
	bool goes_on = false; /* since the last branch it stayed in the program */
	int status;

	for (int step = 0; step < STEPS_MOST; step++) {
		if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) != 0)
			return bc_fail_errno(err, "cannot step through a child");
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
		if (!WIFSTOPPED(status))
			return out->instructions ||
			       bc_fail(err, BC_IO, "the child ended before its run");
		if (!place_of(child, &at))
			return bc_fail(err, BC_UNSUPPORTED,
				       "the exact run cannot be taken on this processor");
		bool inside = is_inside(at), was = before && is_inside(before);
		if (inside) {
			unsigned part = part_of(at);
			out->instructions++;
			if (part < PROOF_PARTS)
				out->parts[part]++;
		}
		if (inside && was && after(before) != at) {
			if (!add_branch(out, before, at, goes_on))
				return bc_fail_nomem(err);
			goes_on = true;
		} else if (!inside || !was) {
			goes_on = false;
		}
		before = at;
	}
	return bc_fail(err, BC_IO, "the exact run does not end");
}

bool proof_exact(struct proof_counts *out, struct bc_error *err)
{
	*out = (struct proof_counts){0};
	pid_t child = start_traced(err);
	if (child < 0)
		return false;
	bool ok = step_all(child, out, err);
	end_child(child);
	out->taken = count_all(out);
	counts_settle(out);
	return ok;
}

/* ---- samples ---- */

struct proof_sampling {
	const struct proof_counts *exact;
	struct proof_way *way;
	struct proof_counts counts;
	bool nomem;
};

/* Does the exact run have this branch, and after it that one (0: any)? */
static bool is_possible(const struct proof_counts *exact, uint64_t from, uint64_t to, uint64_t next)
{
	for (size_t i = 0; i < exact->branches.len; i++) {
		const struct proof_branch *it = &exact->branches.at[i];
		if (it->from == from && it->to == to && (!next || !it->next || it->next == next))
			return true;
	}
	return false;
}

/* The newest branch is first. */
static void take_stack(struct proof_sampling *p, const struct sample *sample)
{
	uint64_t next = 0;

	for (size_t i = 0; i < sample->branch_count; i++) {
		const struct branch *it = &sample->branches[i];
		/* Some processors record the code after the oldest one wrongly
		 * (count/stack.h). */
		bool known = is_inside(next) && !sample->partial && i + 1 < sample->branch_count;
		if (is_inside(it->from) && is_inside(it->to)) {
			p->way->branches++;
			p->way->impossible +=
				!is_possible(p->exact, it->from, it->to, known ? next : 0);
			p->nomem |= !proof_branch_vec_push(
				&p->counts.branches, (struct proof_branch){it->from, it->to, 0, 1});
		}
		next = it->from;
	}
}

static bool take_event(void *ctx, const struct event *event, struct bc_error *err)
{
	struct proof_sampling *p = ctx;
	const struct sample *sample = event->sample;

	if (event->kind != EVENT_SAMPLE)
		return true;
	if (!is_inside(sample->ip.v)) {
		p->way->others++;
		return true;
	}
	unsigned part = part_of(sample->ip.v);
	p->way->samples++;
	if (part < PROOF_PARTS)
		p->counts.parts[part]++;
	if (sample->has_stack)
		take_stack(p, sample);
	if (p->counts.branches.len > 65536)
		counts_settle(&p->counts);
	return !p->nomem || bc_fail_nomem(err);
}

static bool take_bytes(void *ctx, size_t ring, const struct ring_bytes *bytes, struct bc_error *err)
{
	struct perf_rings *rings = ctx;

	return perf_rings_take(rings, (uint32_t)ring, bytes->pieces[0], err) &&
	       (!bytes->pieces[1].size ||
		perf_rings_take(rings, (uint32_t)ring, bytes->pieces[1], err));
}

static double seconds_of_clock(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static bool sample_child(struct proof_sampling *p, struct opened_rings *opened, uint64_t samples,
			 double seconds, struct bc_error *err)
{
	const struct event_sink sink = {p, take_event};
	const struct bytes attr = {(const uint8_t *)&opened->attr, sizeof(opened->attr)};
	struct perf_rings rings;
	double deadline = seconds_of_clock() + seconds;

	bool ok = perf_rings_init(&rings, attr, (uint32_t)opened->rings.len, PERF_ORDER_PLAIN,
				  &sink, err);
	rings.name = "rings";
	perf_begin(opened);
	while (ok && p->way->samples < samples && seconds_of_clock() < deadline) {
		(void)perf_wait(opened, WAIT_MS, NULL);
		bool all;
		ok = perf_drain(opened, SIZE_MAX, take_bytes, &rings, &all, err) &&
		     perf_rings_round(&rings, err);
	}
	perf_end(opened);
	ok = ok && perf_rings_end(&rings, err);
	perf_rings_fini(&rings);
	p->way->lost = perf_lost(opened);
	return ok;
}

static pid_t start_sampled(struct bc_error *err)
{
	pid_t child = fork();

	if (child < 0)
		bc_fail_errno(err, "cannot start a child");
	if (child)
		return child;
	begin_child();
	for (;;)
		result = proof_round();
}

/* For two distributions, in percent, the part that both have. */
static double agree_in_parts(const struct proof_counts *a, const struct proof_counts *b)
{
	double all_a = 0, all_b = 0, both = 0;

	for (unsigned i = 0; i < PROOF_PARTS; i++) {
		all_a += (double)a->parts[i];
		all_b += (double)b->parts[i];
	}
	for (unsigned i = 0; all_a > 0 && all_b > 0 && i < PROOF_PARTS; i++) {
		double x = (double)a->parts[i] / all_a, y = (double)b->parts[i] / all_b;
		both += x < y ? x : y;
	}
	return 100 * both;
}

static double agree_in_branches(const struct proof_counts *exact, const struct proof_counts *other)
{
	double all = (double)count_all(exact), all_other = (double)count_all(other), both = 0;
	uint64_t from = 0, to = 0;

	for (size_t i = 0; all > 0 && all_other > 0 && i < exact->branches.len; i++) {
		const struct proof_branch *it = &exact->branches.at[i];
		if (it->from == from && it->to == to)
			continue; /* the same, with another one after it */
		from = it->from;
		to = it->to;
		double x = (double)count_of(exact, from, to) / all,
		       y = (double)count_of(other, from, to) / all_other;
		both += x < y ? x : y;
	}
	return 100 * both;
}

/* Samples in one way. What the kernel refuses is no failure of this function. */
static bool try_way(const struct perf_kernel *kernel, enum sampling_way way, uint64_t samples,
		    double seconds, struct proof *out, struct bc_error *err)
{
	struct proof_way *it = &out->ways[way];
	struct proof_sampling p = {.exact = &out->exact, .way = it};
	struct opened_rings rings;
	struct bc_error why;
	pid_t child = start_sampled(err);

	if (child < 0)
		return false;
	it->stacks = way == SAMPLING_STACKS;
	const struct perf_request request = {.target = PERF_TASKS,
					     .tasks = (struct task_vec){.at = &child, .len = 1},
					     .named = "the built-in program",
					     .event = way == SAMPLING_TIMER    ? "cpu-clock" :
						      way == SAMPLING_COUNTERS ? "cycles" :
										 NULL,
					     .frequency = RATE,
					     .ring = RING,
					     .basic = !it->stacks,
					     .require_branches = it->stacks};
	it->ran = perf_open(kernel, &request, &rings, &why);
	bool ok = true;
	if (it->ran) {
		snprintf(it->event, sizeof(it->event), "%s", rings.event);
		ok = sample_child(&p, &rings, samples, seconds, err);
		counts_settle(&p.counts);
		it->agreement = it->stacks ? agree_in_branches(&out->exact, &p.counts) :
					     agree_in_parts(&out->exact, &p.counts);
	} else {
		snprintf(it->why, sizeof(it->why), "%s", why.text);
	}
	perf_close(&rings);
	end_child(child);
	proof_counts_free(&p.counts);
	return ok;
}

bool proof_way_holds(const struct proof_way *way)
{
	return way->agreement >= PROOF_LEAST && way->impossible <= way->branches / 1000;
}

bool proof_run(const struct perf_kernel *kernel, uint64_t samples, double seconds,
	       struct proof *out, struct bc_error *err)
{
	*out = (struct proof){0};
	bool ok = proof_exact(&out->exact, err);
	for (int way = 0; ok && way < PROOF_WAYS; way++)
		ok = try_way(kernel, (enum sampling_way)way, samples, seconds, out, err);
	return ok;
}

void proof_free(struct proof *proof)
{
	proof_counts_free(&proof->exact);
}
