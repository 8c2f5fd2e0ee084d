/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/perf_data/trace_owners.h"

#include <linux/perf_event.h>

#include "src/samples/aux/queue.h"
#include "src/samples/perf_data/perf_cursor.h"

#define SWITCH_OUT 0x2000

void trace_owners_free(struct trace_owners *owners)
{
	trace_task_vec_free(&owners->tasks);
	map_free(&owners->by_tid);
	trace_cpu_vec_free(&owners->cpus);
	map_free(&owners->by_cpu);
}

DEFINE_FIELD_MAP(by_tid, struct trace_task, tid);
DEFINE_FIELD_MAP(by_cpu, struct trace_cpu, cpu);

/* NULL: out of memory */
static struct trace_task *obtain_task(struct trace_owners *owners, uint32_t tid)
{
	uint32_t number;

	if (by_tid_find(&owners->by_tid, owners->tasks.at, tid, &number))
		return &owners->tasks.at[number];
	number = (uint32_t)owners->tasks.len;
	if (number > MAP_NUMBER_MOST || !map_reserve(&owners->by_tid, 1) ||
	    !trace_task_vec_push(&owners->tasks, (struct trace_task){.tid = tid, .pid = tid}))
		return NULL;
	by_tid_put(&owners->by_tid, tid, number);
	return &owners->tasks.at[number];
}

/* A thread is of this process. */
static bool set_task(struct trace_owners *owners, uint32_t pid, uint32_t tid, struct bc_error *err)
{
	struct trace_task *task = obtain_task(owners, tid);

	if (!task)
		return bc_fail_nomem(err);
	owners->changes += task->pid != pid;
	task->pid = pid;
	return true;
}

/* A process runs another program from a time on. */
static bool set_since(struct trace_owners *owners, uint32_t pid, uint64_t time, struct bc_error *err)
{
	struct trace_task *task = obtain_task(owners, pid);

	if (!task)
		return bc_fail_nomem(err);
	task->since = time;
	return true;
}

static bool set_cpu(struct trace_owners *owners, uint32_t cpu, struct trace_owner owner, struct bc_error *err)
{
	uint32_t number;

	if (cpu == AUX_NONE)
		return true;
	owners->changes++;
	if (by_cpu_find(&owners->by_cpu, owners->cpus.at, cpu, &number)) {
		owners->cpus.at[number].owner = owner;
		return true;
	}
	number = (uint32_t)owners->cpus.len;
	if (number > MAP_NUMBER_MOST || !map_reserve(&owners->by_cpu, 1) ||
	    !trace_cpu_vec_push(&owners->cpus, (struct trace_cpu){cpu, owner}))
		return bc_fail_nomem(err);
	by_cpu_put(&owners->by_cpu, cpu, number);
	return true;
}

static bool pid_of_thread(const struct trace_owners *owners, uint32_t tid, uint32_t *pid)
{
	uint32_t number;

	if (!by_tid_find(&owners->by_tid, owners->tasks.at, tid, &number))
		return false;
	*pid = owners->tasks.at[number].pid;
	return true;
}

/* The number that the kernel writes is the thread's outside of all containers.  If the recording knows no such thread, what
 * it says of the processor is nearer. */
struct trace_owner trace_owners_find(const struct trace_owners *owners, const struct trace_hint *hint)
{
	uint32_t pid, number;

	if (hint->cpu == AUX_NONE && hint->tid != AUX_NONE)
		return (struct trace_owner){pid_of_thread(owners, hint->tid, &pid) ? pid : hint->tid, hint->tid};
	if (hint->has_context && pid_of_thread(owners, hint->context, &pid))
		return (struct trace_owner){pid, hint->context};
	if (by_cpu_find(&owners->by_cpu, owners->cpus.at, hint->cpu, &number) && owners->cpus.at[number].owner.pid != NO_PID)
		return owners->cpus.at[number].owner;
	return hint->has_context ? (struct trace_owner){hint->context, hint->context} : (struct trace_owner){NO_PID, NO_PID};
}

struct perf_trailer trace_trailer(const struct perf_setup *setup, const struct perf_record *record)
{
	const struct perf_event *event = perf_events_of_record(&setup->events, record->body);

	return event ? perf_trailer_parse(&event->layout, record->body) : (struct perf_trailer){.cpu = PERF_NO_CPU};
}

static bool take_switch(struct trace_owners *owners, const struct perf_setup *setup, const struct perf_record *record, struct bc_error *err)
{
	struct perf_trailer trailer = trace_trailer(setup, record);
	struct perf_cursor c = perf_cursor(record->body);
	struct trace_owner runs = {trailer.pid, trailer.tid};

	if (record->type == PERF_RECORD_SWITCH_CPU_WIDE && (record->misc & SWITCH_OUT)) {
		runs.pid = cursor_u32(&c);
		runs.tid = cursor_u32(&c);
		if (!c.failed && runs.pid != NO_PID && !set_task(owners, runs.pid, runs.tid, err))
			return false;
	} else if (record->misc & SWITCH_OUT) {
		runs = (struct trace_owner){NO_PID, NO_PID};
	}
	return set_cpu(owners, trailer.cpu, runs, err);
}

static bool take_start(struct trace_owners *owners, const struct perf_setup *setup, const struct perf_record *record, struct bc_error *err)
{
	struct perf_cursor c = perf_cursor(record->body);
	uint32_t pid = cursor_u32(&c), tid = cursor_u32(&c);

	return c.failed || pid == NO_PID ||
	       (set_task(owners, pid, tid, err) && set_cpu(owners, trace_trailer(setup, record).cpu, (struct trace_owner){pid, tid}, err));
}

bool trace_owners_take(struct trace_owners *owners, const struct perf_setup *setup, uint64_t time, const struct perf_record *record,
		       struct bc_error *err)
{
	struct perf_comm comm;
	struct perf_task task;

	switch (record->type) {
	case PERF_RECORD_COMM:
		return !perf_record_comm(record, 0, &comm) ||
		       (set_task(owners, comm.pid, comm.tid, err) && (!comm.exec || set_since(owners, comm.pid, time, err)));
	case PERF_RECORD_FORK:
		return !perf_record_task(record, &task) ||
		       (set_task(owners, task.pid, task.tid, err) && (task.pid == task.parent_pid || set_since(owners, task.pid, time, err)));
	case PERF_RECORD_ITRACE_START: return take_start(owners, setup, record, err);
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE: return take_switch(owners, setup, record, err);
	default: return true;
	}
}

bool trace_owners_gone(const struct trace_owners *owners, uint32_t pid, uint64_t time)
{
	uint32_t number;

	return by_tid_find(&owners->by_tid, owners->tasks.at, pid, &number) && owners->tasks.at[number].since > time;
}
