/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* syscall(), ppoll() */
#include "src/record/perf_open.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "src/base/attr.h"
#include "src/base/file.h"
#include "src/base/text.h"

#define RING_LEAST (size_t)(64 << 10) /* bytes: a smaller ring is not tried by itself */
#define BRS_EVENT  0xc4               /* retired taken branches: the one event of AMD's BRS */
#define BRS_PERIOD 500009             /* a prime, so that it is in step with no loop */

#define FORMAT_LOST                                                                                \
	(UINT64_C(1) << 4) /* PERF_FORMAT_LOST, which headers before Linux 6.0 have not */

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* ---- Linux ---- */

static int linux_open(struct perf_event_attr *attr, int task, int cpu, unsigned long flags)
{
	return (int)syscall(SYS_perf_event_open, attr, task, cpu, -1, flags | PERF_FLAG_FD_CLOEXEC);
}

static void *linux_map(int fd, size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return at == MAP_FAILED ? NULL : at;
}

static void linux_unmap(void *at, size_t size)
{
	munmap(at, size);
}

static int linux_control(int fd, unsigned long request, unsigned long value)
{
	return ioctl(fd, request, value);
}

static void linux_close(int fd)
{
	close(fd);
}

static bool linux_count(int fd, uint64_t *values, size_t count)
{
	return read(fd, values, count * sizeof(*values)) == (ssize_t)(count * sizeof(*values));
}

static bool linux_read(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : file_read_at(fd, text, size - 1, 0);

	if (fd >= 0)
		close(fd);
	text[got > 0 ? got : 0] = '\0';
	return got >= 0;
}

static uint64_t linux_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return UINT64_MAX;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
		(void)getrlimit(RLIMIT_NOFILE, &limit);
	return limit.rlim_cur;
}

const struct perf_kernel perf_kernel_linux = {linux_open,    linux_map,        linux_unmap,
					      linux_control, linux_close,      linux_count,
					      linux_read,    linux_descriptors};

/* ---- what the system says ---- */

/* A number from a file of /proc/sys; `otherwise` if it cannot be read. */
static int64_t sysctl_of(const struct perf_kernel *kernel, const char *path, int64_t otherwise)
{
	char text[64], *end;

	if (!kernel->read(path, text, sizeof(text)))
		return otherwise;
	long long number = strtoll(text, &end, 10);
	return end == text ? otherwise : number;
}

#define PARANOID         "/proc/sys/kernel/perf_event_paranoid"
#define PARANOID_UNKNOWN 2 /* Linux's own */

static int paranoid(const struct perf_kernel *kernel)
{
	return (int)sysctl_of(kernel, PARANOID, PARANOID_UNKNOWN);
}

/* A row of /proc/self/status, or -1. */
static int64_t status_of(const struct perf_kernel *kernel, const char *row, int base)
{
	char text[4096];
	const char *at =
		kernel->read("/proc/self/status", text, sizeof(text)) ? strstr(text, row) : NULL;

	return at ? (int64_t)strtoull(at + strlen(row), NULL, base) : -1;
}

/* "0-3,8" */
static bool add_cpus(const char *list, struct task_vec *out)
{
	while (*list >= '0' && *list <= '9') {
		char *end;
		unsigned long first = strtoul(list, &end, 10), last = first;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		for (; first <= last && out->len < 65536; first++)
			if (!task_vec_push(out, (int)first))
				return false;
		list = *end == ',' ? end + 1 : end;
	}
	return true;
}

static bool online_cpus(const struct perf_kernel *kernel, struct task_vec *out)
{
	char text[4096];

	if (kernel->read("/sys/devices/system/cpu/online", text, sizeof(text)) &&
	    !add_cpus(text, out))
		return false;
	long count = out->len ? 0 : sysconf(_SC_NPROCESSORS_ONLN);
	for (long i = 0; i < count; i++)
		if (!task_vec_push(out, (int)i))
			return false;
	return true;
}

/* Does the hardware show the types of branches?  Where it does not, the kernel decodes each branch
 * in the interrupt. */
static bool types_are_free(const struct perf_kernel *kernel)
{
#if defined(__aarch64__) || defined(__riscv)
	(void)kernel;
	return true;
#else
	char text[8192];

	return kernel->read("/proc/cpuinfo", text, sizeof(text)) && strstr(text, " arch_lbr");
#endif
}

/* ---- notes and refusals ---- */

BC_PRINTF(3, 4)
static bool note(struct opened_rings *rings, enum perf_note_kind kind, const char *fmt, ...)
{
	struct perf_note line = {.kind = kind};
	va_list args;

	va_start(args, fmt);
	vsnprintf(line.text, sizeof(line.text), fmt, args);
	va_end(args);
	return perf_note_vec_push(&rings->notes, line);
}

/* Everything of other users, and what runs in no process of ours. */
static bool is_wide(const struct perf_request *request)
{
	return request->target == PERF_CGROUP || request->target == PERF_MACHINE;
}

#define CAP_ADMIN   21
#define CAP_PERFMON 38

static bool refuse_rights(const struct perf_kernel *kernel, const struct perf_request *request,
			  int why, struct bc_error *err)
{
	int level = paranoid(kernel), enough = is_wide(request) ? 0 : 2;
	int64_t filter = status_of(kernel, "\nSeccomp:", 10),
		rights = status_of(kernel, "\nCapEff:", 16);
	bool has_right = rights > 0 && (rights >> CAP_PERFMON & 1 || rights >> CAP_ADMIN & 1);

	if (filter == 2 && (why == EPERM || has_right))
		return bc_fail(err, BC_IO,
			       "not allowed to record %s: a seccomp filter refuses perf_event_open, as in containers",
			       request->named) ||
		       bc_hint(err,
			       "record on the host, or start the container with --cap-add=PERFMON and a filter that allows it");
	if (level > 2 && !(rights > 0 && rights >> CAP_ADMIN & 1))
		return bc_fail(err, BC_IO,
			       "not allowed to record %s (kernel.perf_event_paranoid is %d, where this system wants CAP_SYS_ADMIN)",
			       request->named, level) ||
		       bc_hint(err,
			       "record as root, or let root run: sysctl kernel.perf_event_paranoid=%d",
			       enough);
	if (level > enough && !has_right)
		return bc_fail(err, BC_IO,
			       "not allowed to record %s (kernel.perf_event_paranoid is %d)",
			       request->named, level) ||
		       bc_hint(err,
			       "record as root, or let root run: sysctl kernel.perf_event_paranoid=%d (or setcap cap_perfmon=ep FILE)",
			       enough);
	if (request->target == PERF_TASKS && !has_right)
		return bc_fail(err, BC_IO,
			       "not allowed to record %s, which is another user's or has other rights",
			       request->named) ||
		       bc_hint(err,
			       "record as that user, as root, or with CAP_PERFMON and CAP_SYS_PTRACE");
	return bc_fail(
		err, BC_IO,
		"not allowed to record %s: %s, though kernel.perf_event_paranoid is %d: a security module (LSM) or a container refuses it",
		request->named, strerror(why), level);
}

/* The message for errno of perf_event_open(). */
static bool refuse(const struct perf_kernel *kernel, const struct perf_request *request,
		   const char *event, uint64_t wanted, int why, struct bc_error *err)
{
	switch (why) {
	case EACCES:
	case EPERM: return refuse_rights(kernel, request, why, err);
	case EBUSY:
		return bc_fail(err, BC_IO,
			       "%s: the counter is taken by another profiler, or by the kernel's watchdog",
			       event) ||
		       bc_hint(err,
			       "stop the other one (sysctl kernel.nmi_watchdog=0), or record with -e cpu-clock");
	case EMFILE:
	case ENFILE:
		return bc_fail(err, BC_IO,
			       "recording %s takes %" PRIu64 " descriptors, and %" PRIu64
			       " may be open (ulimit -n, LimitNOFILE=)",
			       request->named, wanted, kernel->descriptors()) ||
		       bc_hint(err, "raise that limit, or record with --cgroup or -a");
	case ESRCH:
		return bc_fail(err, BC_NOTFOUND, "no process to record: %s has ended",
			       request->named);
	case ENOSYS:
		return bc_fail(
			err, BC_IO,
			"this kernel has no perf_event_open: it was built without CONFIG_PERF_EVENTS, or is emulated (gVisor)");
	case ENODEV:
	case ENOENT:
		return bc_fail(err, BC_IO, "%s: this machine does not have the event", event) ||
		       bc_hint(err,
			       "record with -e cpu-clock, as in virtual machines without counters");
	case EOPNOTSUPP:
		return bc_fail(err, BC_IO, "%s: this machine cannot record it so", event) ||
		       bc_hint(err, "try --basic, or -e cpu-clock");
	case ENOMEM: return bc_fail_nomem(err);
	default: return bc_fail(err, BC_IO, "%s: perf_event_open: %s", event, strerror(why));
	}
}

/* ---- attributes ---- */

/* What all of them have.  No fields of a sample but what counting takes: with a branch stack of 32
 * each sample is 800 bytes anyhow. */
static struct perf_event_attr common(const struct perf_request *request)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.read_format = FORMAT_LOST,
		.disabled = 1,
		.inherit = !is_wide(request),
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.mmap = 1,
		.comm = 1,
		.enable_on_exec = request->target == PERF_COMMAND,
		.task = 1,
		.watermark = 1, /* of 0 bytes: Linux takes half of the ring */
		.sample_id_all = 1,
		.mmap2 = 1,
		.comm_exec = 1,
		.use_clockid = 1, /* so that times of /proc can be compared */
		.clockid = CLOCK_MONOTONIC,
	};

	attr.freq = !request->period;
	if (request->period)
		attr.sample_period = request->period;
	else
		attr.sample_freq = request->frequency;
	return attr;
}

static void add_branches(struct perf_event_attr *attr, bool types)
{
	attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
	attr->branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER |
				   (types ? PERF_SAMPLE_BRANCH_TYPE_SAVE : 0);
}

struct named_event {
	const char *name;
	uint32_t type;
	uint64_t config;
};

static const struct named_event named_events[] = {
	{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	{"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	{"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	{"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	{"branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	{"branch-brs", PERF_TYPE_RAW, BRS_EVENT},
	{"cpu/branch-brs/", PERF_TYPE_RAW, BRS_EVENT},
	{"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
	{"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
};

/* NAME, NAME:u, NAME/u, rHEX */
static bool parse_event(const char *text, struct named_event *out, struct bc_error *err)
{
	struct text name = text_of(text);

	if (text_ends(name, ":u") || (text_ends(name, "/u") && name.len > 2))
		name = text_first(name, name.len - (name.at[name.len - 2] == ':' ? 2 : 1));
	for (size_t i = 0; i < BC_COUNT(named_events); i++) {
		if (!text_is(name, named_events[i].name))
			continue;
		*out = named_events[i];
		return true;
	}
	*out = (struct named_event){"raw event", PERF_TYPE_RAW, 0};
	if (name.len > 1 && name.at[0] == 'r' && text_hex(text_from(name, 1), &out->config))
		return true;
	if (memchr(text, ',', strlen(text)))
		return bc_fail(err, BC_UNSUPPORTED, "-e %.100s: one event at a time", text);
	if (memchr(name.at, ':', name.len))
		return bc_fail(err, BC_UNSUPPORTED,
			       "-e %.100s: only code of programs is recorded: NAME or NAME:u",
			       text);
	return bc_fail(
		err, BC_UNSUPPORTED,
		"-e %.100s: no event that can be recorded: cycles, instructions, branches, branch-brs, cpu-clock, task-clock, or rHEX "
		"of the processor's manual",
		text);
}

bool perf_event_is_known(const char *event, struct bc_error *err)
{
	struct named_event named;

	return parse_event(event, &named, err);
}

/* ---- the search for an event ---- */

struct opening {
	const struct perf_kernel *kernel;
	const struct perf_request *request;
	struct opened_rings *out;
	struct task_vec cpus;
	int first; /* the descriptor of the event that the search opened; -1: none, or taken */
	struct bc_error *err;
};

static unsigned long flags_of(const struct perf_request *request)
{
	return request->target == PERF_CGROUP ? PERF_FLAG_PID_CGROUP : 0;
}

/* Opens one event.  A kernel that knows less of the attribute says how much it knows; one that does
 * not count what is lost refuses to be asked for it. */
static int open_one(const struct opening *o, struct perf_event_attr *attr, int task, int cpu)
{
	int fd = o->kernel->open(attr, task, cpu, flags_of(o->request));

	if (fd < 0 && errno == E2BIG && attr->size >= PERF_ATTR_SIZE_VER0 &&
	    attr->size < sizeof(*attr))
		fd = o->kernel->open(attr, task, cpu, flags_of(o->request));
	if (fd < 0 && errno == EINVAL && attr->read_format) {
		attr->read_format = 0;
		fd = o->kernel->open(attr, task, cpu, flags_of(o->request));
		if (fd < 0)
			attr->read_format = FORMAT_LOST; /* it was something else */
	}
	return fd;
}

/* Opens the first event with this attribute, of the first thread that is still there.  0, or errno.
 */
static int try_attr(struct opening *o, struct perf_event_attr *attr, const char *event)
{
	const struct task_vec *tasks = &o->request->tasks;
	int why = ESRCH;

	for (size_t t = 0; t < tasks->len && why == ESRCH; t++) {
		why = ENODEV;
		for (size_t c = 0; c < o->cpus.len && why == ENODEV; c++) {
			o->first = open_one(o, attr, tasks->at[t], o->cpus.at[c]);
			why = o->first < 0 ? errno : 0;
		}
	}
	if (!why) {
		o->out->attr = *attr;
		snprintf(o->out->event, sizeof(o->out->event), "%s", event);
	}
	return why;
}

static bool means_no_such_event(int why)
{
	return why == EINVAL || why == EOPNOTSUPP || why == ENOENT || why == ENODEV;
}

static bool say_branches(struct opening *o)
{
	return note(o->out, PERF_NOTE_EVENT, "branch stacks of %s%s", o->out->event,
		    o->out->attr.branch_sample_type & PERF_SAMPLE_BRANCH_TYPE_SAVE ?
			    ", with the types of branches" :
			    "") ||
	       bc_fail_nomem(o->err);
}

/* Zen 3: the sampler of branches takes no frequency. */
static int try_brs(struct opening *o)
{
	struct perf_event_attr attr = common(o->request);
	char text[64];

	if (!o->kernel->read("/sys/bus/event_source/devices/cpu/events/branch-brs", text,
			     sizeof(text)))
		return ENOENT;
	attr.type = PERF_TYPE_RAW;
	attr.config = BRS_EVENT;
	attr.freq = 0;
	attr.sample_period = o->request->period ? o->request->period : BRS_PERIOD;
	add_branches(&attr, false);
	return try_attr(o, &attr, "branch-brs:u");
}

/* The best event there is.  `tried`: what the last refusal was of. */
static int search(struct opening *o, const char **tried)
{
	struct perf_event_attr plain = common(o->request), attr;
	int why = EOPNOTSUPP;

	plain.type = PERF_TYPE_HARDWARE;
	plain.config = PERF_COUNT_HW_CPU_CYCLES;
	*tried = "cycles:u";
	for (int types = types_are_free(o->kernel) ? 1 : 0;
	     types >= 0 && !o->request->basic && means_no_such_event(why); types--) {
		attr = plain;
		add_branches(&attr, types);
		why = try_attr(o, &attr, "cycles:u");
	}
	if (why == EINVAL && !o->request->basic) {
		int brs = try_brs(o);
		if (!means_no_such_event(brs))
			why = brs;
		if (!brs && !o->request->period)
			(void)note(o->out, PERF_NOTE_EVENT,
				   "branch-brs takes no frequency: a sample each %d branches",
				   BRS_PERIOD);
	}
	if (!means_no_such_event(why) || o->request->require_branches)
		return why;
	attr = plain;
	why = try_attr(o, &attr, "cycles:u");
	if (!means_no_such_event(why))
		return why;
	*tried = "cpu-clock:u";
	attr = common(o->request);
	attr.type = PERF_TYPE_SOFTWARE; /* a period of cycles is one of nanoseconds, nearly */
	attr.config = PERF_COUNT_SW_CPU_CLOCK;
	return try_attr(o, &attr, *tried);
}

/* The event that the user named: with branch stacks if it can have them. */
static int open_named(struct opening *o, const struct named_event *named, char *text, size_t size)
{
	struct perf_event_attr plain = common(o->request), attr;
	bool software = named->type == PERF_TYPE_SOFTWARE;
	int why = EOPNOTSUPP;

	snprintf(text, size, "%.50s%s", o->request->event,
		 strstr(o->request->event, "/") || strstr(o->request->event, ":") ? "" : ":u");
	plain.type = named->type;
	plain.config = named->config;
	if (named->type == PERF_TYPE_RAW && named->config == BRS_EVENT && !o->request->period) {
		plain.freq = 0;
		plain.sample_period = BRS_PERIOD;
	}
	if (!o->request->basic && !software) {
		attr = plain;
		add_branches(&attr, types_are_free(o->kernel));
		why = try_attr(o, &attr, text);
		if (means_no_such_event(why) &&
		    attr.branch_sample_type & PERF_SAMPLE_BRANCH_TYPE_SAVE) {
			attr = plain;
			add_branches(&attr, false);
			why = try_attr(o, &attr, text);
		}
	}
	if (!means_no_such_event(why) || o->request->require_branches)
		return why;
	attr = plain;
	return try_attr(o, &attr, text);
}

static bool tell_plain(struct opening *o)
{
	const char *clock = o->out->attr.type == PERF_TYPE_SOFTWARE ? " (a virtual machine?)" : "";

	return o->request->basic || o->request->event ||
	       note(o->out, PERF_NOTE_INPUT,
		    "this machine gives no branch stacks%s: basic samples of %s; for a profile of a BOLTed program give --input=INPUT (to record -o FILE, or to convert), which infers branches",
		    clock, o->out->event) ||
	       bc_fail_nomem(o->err);
}

static bool choose(struct opening *o)
{
	char text[64];
	const char *tried = text;
	struct named_event named;

	if (o->request->event && !parse_event(o->request->event, &named, o->err))
		return false;
	int why = o->request->event ? open_named(o, &named, text, sizeof(text)) : search(o, &tried);
	if (!why)
		return perf_has_branches(o->out) ? say_branches(o) : tell_plain(o);
	if (means_no_such_event(why) && o->request->require_branches)
		return bc_fail(o->err, BC_MISMATCH,
			       "this machine gives no branch stacks (%s: %s), which --require-branches asks for",
			       tried, strerror(why)) ||
		       bc_hint(o->err,
			       "branch stacks need Intel LBR, AMD LbrExtV2 or BRS, or Arm BRBE, which few virtual machines have");
	return refuse(o->kernel, o->request, tried, (uint64_t)o->request->tasks.len * o->cpus.len,
		      why, o->err);
}

/* ---- all of them ---- */

/* The event that shows mappings and tasks while samples are off. */
static struct perf_event_attr sideband(const struct perf_event_attr *samples)
{
	struct perf_event_attr attr = *samples;

	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.freq = 0;
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	attr.branch_sample_type = 0;
	return attr;
}

static void without_sideband(struct perf_event_attr *samples)
{
	samples->mmap = samples->mmap2 = samples->comm = samples->comm_exec = samples->task = 0;
}

static bool add_event(struct opening *o, int fd, struct perf_ring *ring)
{
	if (!task_vec_push(&o->out->events, fd)) {
		o->kernel->close(fd);
		return bc_fail_nomem(o->err);
	}
	ring->count++;
	return true;
}

/* The event of a thread on a processor.  A thread that has ended and a processor that is off have
 * none. */
static bool open_task(struct opening *o, struct perf_event_attr attr, int task,
		      struct perf_ring *ring)
{
	int fd = open_one(o, &attr, task, ring->cpu);

	if (fd >= 0)
		return add_event(o, fd, ring);
	if ((errno == ESRCH && o->request->tasks.len > 1) || errno == ENODEV)
		return true;
	return refuse(o->kernel, o->request, o->out->event,
		      (uint64_t)o->request->tasks.len * o->cpus.len * (o->request->pauses ? 2 : 1),
		      errno, o->err);
}

static bool open_ring(struct opening *o, struct perf_event_attr attr, int cpu, bool tasks)
{
	struct perf_ring ring = {.cpu = cpu, .tasks = tasks, .first = o->out->events.len};

	for (size_t t = 0; t < o->request->tasks.len; t++)
		if (!open_task(o, attr, o->request->tasks.at[t], &ring))
			return false;
	return !ring.count || perf_ring_vec_push(&o->out->rings, ring) || bc_fail_nomem(o->err);
}

static bool open_events(struct opening *o)
{
	struct perf_event_attr samples = o->out->attr;

	if (o->request->pauses)
		without_sideband(&samples);
	for (size_t c = 0; c < o->cpus.len; c++)
		if ((o->request->pauses &&
		     !open_ring(o, sideband(&o->out->attr), o->cpus.at[c], true)) ||
		    !open_ring(o, samples, o->cpus.at[c], false))
			return false;
	return o->out->rings.len || refuse(o->kernel, o->request, o->out->event, 0, ESRCH, o->err);
}

/* ---- rings ---- */

static void unmap_rings(struct opened_rings *rings)
{
	for (size_t i = 0; i < rings->rings.len; i++) {
		if (rings->rings.at[i].page)
			rings->kernel->unmap(rings->rings.at[i].page, rings->size + page_size());
		rings->rings.at[i].page = NULL;
	}
}

/* 0, or errno; then none is mapped. */
static int map_rings(struct opened_rings *rings)
{
	for (size_t i = 0; i < rings->rings.len; i++) {
		struct perf_ring *ring = &rings->rings.at[i];
		ring->page = rings->kernel->map(rings->events.at[ring->first],
						rings->size + page_size());
		if (ring->page)
			continue;
		int why = errno;
		unmap_rings(rings);
		return why;
	}
	return 0;
}

/* All events of a processor write into the ring of the first one. */
static bool join_events(struct opening *o)
{
	for (size_t i = 0; i < o->out->rings.len; i++) {
		const struct perf_ring *ring = &o->out->rings.at[i];
		const int *events = o->out->events.at + ring->first;
		for (size_t k = 1; k < ring->count; k++)
			if (o->kernel->control(events[k], PERF_EVENT_IOC_SET_OUTPUT,
					       (unsigned long)events[0]) != 0)
				return bc_fail_errno(o->err, "the ring of processor %d", ring->cpu);
	}
	return true;
}

static bool make_rings(struct opening *o)
{
	struct opened_rings *out = o->out;
	size_t asked = o->request->ring, rings = out->rings.len;
	int why;

	for (out->size = asked; (why = map_rings(out)) == EPERM && out->size / 2 >= RING_LEAST;)
		out->size /= 2;
	if (why) {
		int64_t free_kib =
			sysctl_of(o->kernel, "/proc/sys/kernel/perf_event_mlock_kb", 516);
		if (why == EPERM)
			return bc_fail(o->err, BC_IO,
				       "%zu rings of %zu KiB exceed the locked memory (sysctl kernel.perf_event_mlock_kb is %" PRId64
				       " for each processor, then ulimit -l)",
				       rings, out->size >> 10, free_kib) ||
			       bc_hint(o->err,
				       "raise one of these limits, or give fewer pages with -m");
		errno = why;
		return bc_fail_errno(o->err, "a ring of %zu KiB", out->size >> 10);
	}
	if (out->size < asked &&
	    !note(out, PERF_NOTE_CHANGED,
		  "%zu rings of %zu KiB exceed the locked memory (sysctl kernel.perf_event_mlock_kb, ulimit -l): using %zu KiB",
		  rings, asked >> 10, out->size >> 10))
		return bc_fail_nomem(o->err);
	return join_events(o);
}

/* A rate above the kernel's limit is refused by it, and not made less. */
static bool limit_rate(struct opening *o, struct perf_request *request)
{
	int64_t most =
		sysctl_of(o->kernel, "/proc/sys/kernel/perf_event_max_sample_rate", INT64_MAX);

	if (request->period || most <= 0 || request->frequency <= (uint64_t)most)
		return true;
	uint64_t asked = request->frequency;
	request->frequency = (uint64_t)most;
	return !request->frequency_given ||
	       note(o->out, PERF_NOTE_CHANGED,
		    "-F %" PRIu64 " is above kernel.perf_event_max_sample_rate, which is %" PRId64
		    " and which the kernel lowers by itself: using that",
		    asked, most) ||
	       bc_fail_nomem(o->err);
}

bool perf_open(const struct perf_kernel *kernel, const struct perf_request *asked,
	       struct opened_rings *out, struct bc_error *err)
{
	static int everything = -1;
	struct perf_request request = *asked;
	struct opening o = {
		.kernel = kernel, .request = &request, .out = out, .first = -1, .err = err};

	*out = (struct opened_rings){.kernel = kernel};
	if (request.target == PERF_MACHINE)
		request.tasks = (struct task_vec){.at = &everything, .len = 1};
	if (request.target == PERF_CGROUP)
		request.tasks = (struct task_vec){.at = &request.cgroup, .len = 1};
	(void)kernel->descriptors();
	bool ok = (online_cpus(kernel, &o.cpus) || bc_fail_nomem(err)) &&
		  limit_rate(&o, &request) && choose(&o);
	if (o.first >= 0)
		kernel->close(o.first);
	ok = ok && open_events(&o) && make_rings(&o);
	task_vec_free(&o.cpus);
	return ok;
}

void perf_close(struct opened_rings *rings)
{
	unmap_rings(rings);
	for (size_t i = 0; i < rings->events.len; i++)
		rings->kernel->close(rings->events.at[i]);
	task_vec_free(&rings->events);
	perf_ring_vec_free(&rings->rings);
	perf_note_vec_free(&rings->notes);
}

/* ---- while it runs ---- */

static void control(struct opened_rings *rings, unsigned long request, bool tasks)
{
	for (size_t i = 0; i < rings->rings.len; i++) {
		const struct perf_ring *ring = &rings->rings.at[i];
		for (size_t k = 0; k < ring->count && (tasks || !ring->tasks); k++)
			(void)rings->kernel->control(rings->events.at[ring->first + k], request, 0);
	}
}

void perf_begin(struct opened_rings *rings)
{
	control(rings, PERF_EVENT_IOC_ENABLE, true);
}

void perf_end(struct opened_rings *rings)
{
	control(rings, PERF_EVENT_IOC_DISABLE, true);
}

void perf_pause(struct opened_rings *rings)
{
	control(rings, PERF_EVENT_IOC_DISABLE, false);
}

void perf_go_on(struct opened_rings *rings)
{
	control(rings, PERF_EVENT_IOC_ENABLE, false);
}

static bool drain_ring(const struct opened_rings *rings, size_t i, size_t most, perf_bytes_fn *take,
		       void *ctx, bool *all, struct bc_error *err)
{
	struct perf_event_mmap_page *page = rings->rings.at[i].page;
	const uint8_t *data = (const uint8_t *)page + page_size();
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), tail = page->data_tail;
	size_t at = (size_t)(tail & (rings->size - 1));
	size_t ready = head - tail < most ? (size_t)(head - tail) : most;
	size_t first = ready < rings->size - at ? ready : rings->size - at;

	const struct ring_bytes bytes = {{{data + at, first}, {data, ready - first}}};

	*all &= ready == head - tail;
	if (!ready)
		return true;
	if (!take(ctx, i, &bytes, err))
		return false;
	__atomic_store_n(&page->data_tail, tail + ready, __ATOMIC_RELEASE);
	return true;
}

bool perf_drain(struct opened_rings *rings, size_t tasks, perf_bytes_fn *take, void *ctx, bool *all,
		struct bc_error *err)
{
	*all = true;
	for (size_t i = 0; i < rings->rings.len; i++)
		if (!drain_ring(rings, i, rings->rings.at[i].tasks ? tasks : SIZE_MAX, take, ctx,
				all, err))
			return false;
	return true;
}

uint64_t perf_lost(const struct opened_rings *rings)
{
	uint64_t lost = 0, values[2]; /* the event's count, and that */

	for (size_t i = 0; rings->attr.read_format && i < rings->events.len; i++)
		if (rings->kernel->count(rings->events.at[i], values, BC_COUNT(values)))
			lost += values[1];
	return lost;
}

/* An event whose thread and all it inherited to have ended wakes nobody any more: another one of
 * the ring is watched. */
static size_t watch(const struct opened_rings *rings, struct pollfd *polled)
{
	size_t alive = 0;

	for (size_t i = 0; i < rings->rings.len; i++) {
		const struct perf_ring *ring = &rings->rings.at[i];
		bool ended = ring->watched == ring->count;
		polled[i] = (struct pollfd){
			ended ? -1 : rings->events.at[ring->first + ring->watched], POLLIN, 0};
		alive += !ended;
	}
	return alive;
}

bool perf_wait(struct opened_rings *rings, int milliseconds, const void *signals)
{
	struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
	struct pollfd *polled = calloc(rings->rings.len, sizeof(*polled));

	if (!polled) { /* no memory for that: by the clock alone */
		ppoll(NULL, 0, &time, signals);
		return true;
	}
	bool alive = watch(rings, polled);
	int got = alive ? ppoll(polled, rings->rings.len, &time, signals) : 0;
	for (size_t i = 0; got > 0 && i < rings->rings.len; i++)
		if (polled[i].revents & (POLLHUP | POLLERR | POLLNVAL))
			rings->rings.at[i].watched++;
	free(polled);
	return alive;
}
