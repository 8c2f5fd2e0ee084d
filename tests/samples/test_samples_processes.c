/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What events do to the table of processes, for an owner that keeps every mapping. */
#include "src/samples/processes.h"

#include "tests/support/cmocka.h"

struct owned_process {
	struct process process;
	unsigned begun;         /* how often its owner was asked to begin it */
	uint32_t parent;        /* of the last time; 0: none */
	enum event_kind reason; /* likewise */
};

struct table {
	struct processes processes;
	unsigned continued;
};

static void owner_begin(void *ctx, struct process *process, const struct process *parent,
			const struct event *event)
{
	struct owned_process *own = (struct owned_process *)process;

	(void)ctx;
	own->begun++;
	own->parent = parent ? parent->pid : 0;
	own->reason = event->kind;
}

static const struct process_owner owner;

static bool owner_map(void *ctx, const struct event *event, struct bc_error *err)
{
	const struct map_event *map = event->map;
	const struct mapping mapping = {.start = map->start.v, .end = map->start.v + map->size};
	struct table *table = ctx;
	struct process *process = processes_mapped(&table->processes, &owner, ctx, event);

	return (process && map_set_replace(&process->maps, mapping.start, mapping.end, &mapping)) ||
	       bc_fail_nomem(err);
}

static bool owner_go_on(void *ctx, const struct event *event, struct bc_error *err)
{
	struct table *table = ctx;

	(void)event;
	if (table->continued++)
		return bc_fail(err, BC_FORMAT, "continues twice");
	return true;
}

static const struct process_owner owner = {
	.size = sizeof(struct owned_process),
	.begin = owner_begin,
	.map = owner_map,
	.go_on = owner_go_on,
};

static void happens(struct table *table, struct event event)
{
	struct bc_error err = {0};

	if (!processes_event(&table->processes, &owner, table, &event, &err))
		fail_msg("%s", err.text);
}

static void maps(struct table *table, uint32_t pid, uint64_t start)
{
	const struct map_event map = {.pid = pid, .start = {start}, .size = 0x1000};

	happens(table, (struct event){.kind = EVENT_MAP, .map = &map});
}

static void task(struct table *table, enum event_kind kind, uint32_t pid, uint32_t tid,
		 uint32_t parent)
{
	happens(table, (struct event){.kind = kind, .task = {pid, tid, parent}});
}

static void exec(struct table *table, uint32_t pid)
{
	task(table, EVENT_EXEC, pid, pid, 0);
}

static void forks(struct table *table, uint32_t parent, uint32_t child)
{
	task(table, EVENT_FORK, child, child, parent);
}

static void thread_begins(struct table *table, uint32_t pid, uint32_t tid)
{
	task(table, EVENT_FORK, pid, tid, pid);
}

static void exits(struct table *table, uint32_t pid, uint32_t tid)
{
	task(table, EVENT_EXIT, pid, tid, 0);
}

static const struct owned_process *find(const struct table *table, uint32_t pid)
{
	return (const struct owned_process *)processes_find(&table->processes, pid);
}

static bool is_mapped(const struct table *table, uint32_t pid, uint64_t at)
{
	return map_set_find(find(table, pid)->process.maps, at);
}

static bool has_ended(const struct table *table, uint32_t pid)
{
	return process_has_ended(&find(table, pid)->process);
}

static void exec_replaces_what_was_mapped(void **state)
{
	struct table table = {0};

	(void)state;
	exec(&table, 1);
	maps(&table, 1, 0x1000);
	thread_begins(&table, 1, 2);
	assert_true(is_mapped(&table, 1, 0x1fff));
	exec(&table, 1);
	assert_null(find(&table, 1)->process.maps);
	assert_int_equal(find(&table, 1)->process.threads, 0);
	assert_int_equal(find(&table, 1)->begun, 2);
	assert_int_equal(find(&table, 1)->parent, 0);
	assert_int_equal(find(&table, 1)->reason, EVENT_EXEC);
	exec(&table, NO_PID);
	assert_int_equal(table.processes.all.len, 1);
	processes_free(&table.processes);
}

/* perf shows the mappings of programs that began before the recording without an EXEC. */
static void a_mapping_makes_its_process_known(void **state)
{
	struct table table = {0};

	(void)state;
	maps(&table, 7, 0x1000);
	maps(&table, 7, 0x3000);
	assert_int_equal(table.processes.all.len, 1);
	assert_int_equal(find(&table, 7)->begun, 0);
	assert_int_equal(map_set_count(find(&table, 7)->process.maps), 2);
	assert_null(find(&table, 8));
	processes_free(&table.processes);
}

static void a_child_has_the_mappings_of_its_parent(void **state)
{
	struct table table = {0};

	(void)state;
	maps(&table, 1, 0x1000);
	forks(&table, 1, 2);
	assert_ptr_equal(find(&table, 2)->process.maps, find(&table, 1)->process.maps);
	assert_int_equal(find(&table, 2)->parent, 1);
	maps(&table, 1, 0x3000); /* which is the parent's alone */
	maps(&table, 2, 0x5000);
	assert_true(is_mapped(&table, 1, 0x3000) && !is_mapped(&table, 1, 0x5000));
	assert_true(is_mapped(&table, 2, 0x5000) && !is_mapped(&table, 2, 0x3000));
	assert_true(is_mapped(&table, 2, 0x1000));
	forks(&table, 9, 3); /* of a parent that nobody knows */
	assert_int_equal(find(&table, 3)->parent, 0);
	assert_null(find(&table, 3)->process.maps);
	assert_null(find(&table, 9));
	forks(&table, NO_PID, 4);
	forks(&table, 1, NO_PID);
	assert_int_equal(table.processes.all.len, 3);
	processes_free(&table.processes);
}

/* The record of a fork of many processors can come after mappings of the child. */
static void a_fork_replaces_what_the_child_had(void **state)
{
	struct table table = {0};

	(void)state;
	maps(&table, 1, 0x1000);
	maps(&table, 2, 0x5000);
	forks(&table, 1, 2);
	assert_true(is_mapped(&table, 2, 0x1000) && !is_mapped(&table, 2, 0x5000));
	forks(&table, 2, 1); /* the other way round: nothing of it is lost */
	assert_true(is_mapped(&table, 1, 0x1000));
	processes_free(&table.processes);
}

static void a_process_ends_with_its_last_thread(void **state)
{
	struct table table = {0};

	(void)state;
	exec(&table, 1);
	maps(&table, 1, 0x1000);
	thread_begins(&table, 1, 11);
	thread_begins(&table, 1, 12);
	assert_int_equal(find(&table, 1)->begun, 1); /* a thread begins no process */
	exits(&table, 1, 1);
	exits(&table, 1, 11);
	assert_false(has_ended(&table, 1));
	exits(&table, 1, 12);
	assert_true(has_ended(&table, 1));
	assert_true(is_mapped(&table, 1, 0x1000)); /* for samples that come late */
	exits(&table, 1, 13);                      /* one that began before the recording */
	assert_int_equal(find(&table, 1)->process.threads, 0);
	exits(&table, 5, 5); /* of a process that nobody knows */
	assert_null(find(&table, 5));
	processes_free(&table.processes);
}

static void a_thread_that_began_before_ends_nothing(void **state)
{
	struct table table = {0};

	(void)state;
	exec(&table, 1);
	exits(&table, 1, 11);
	assert_false(has_ended(&table, 1));
	thread_begins(&table, 2, 22); /* it makes its process known */
	assert_int_equal(find(&table, 2)->process.threads, 1);
	exits(&table, 2, 2);
	assert_false(has_ended(&table, 2));
	exits(&table, 2, 22);
	assert_true(has_ended(&table, 2));
	processes_free(&table.processes);
}

/* Each event of a pid whose process has ended is of another process. */
static void pids_are_used_again(void **state)
{
	static const enum event_kind kinds[] = {EVENT_MAP, EVENT_FORK, EVENT_EXEC};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(kinds); i++) {
		struct table table = {0};
		maps(&table, 1, 0x1000);
		exits(&table, 1, 1);
		if (kinds[i] == EVENT_MAP)
			maps(&table, 1, 0x3000);
		else if (kinds[i] == EVENT_FORK)
			thread_begins(&table, 1, 11);
		else
			exec(&table, 1);
		assert_false(is_mapped(&table, 1, 0x1000));
		assert_int_equal(is_mapped(&table, 1, 0x3000), kinds[i] == EVENT_MAP);
		assert_int_equal(find(&table, 1)->begun, 1);
		assert_int_equal(find(&table, 1)->reason, kinds[i]);
		assert_false(has_ended(&table, 1));
		processes_free(&table.processes);
	}
}

/* Its child began while it lived, though the record comes when it has ended. */
static void a_parent_that_has_ended(void **state)
{
	struct table table = {0};

	(void)state;
	maps(&table, 1, 0x1000);
	exits(&table, 1, 1);
	forks(&table, 1, 2);
	assert_true(is_mapped(&table, 2, 0x1000));
	assert_false(has_ended(&table, 2));
	processes_free(&table.processes);
}

static bool has_maps(const struct process *process)
{
	return process->maps;
}

static void a_recording_goes_on(void **state)
{
	struct table before = {0}, now = {0};
	struct bc_error err = {0};
	const struct event continues = {.kind = EVENT_CONTINUES};

	(void)state;
	maps(&before, 1, 0x1000);
	maps(&before, 2, 0x1000);
	maps(&before, 3, 0x1000);
	maps(&now, 2, 0x3000);
	exec(&now, 3); /* of its mappings nothing is reported */
	assert_true(processes_adopt(&now.processes, &before.processes, has_maps));
	assert_true(is_mapped(&now, 1, 0x1000));
	assert_true(is_mapped(&now, 2, 0x3000) && !is_mapped(&now, 2, 0x1000));
	assert_true(is_mapped(&now, 3, 0x1000));
	assert_null(before.processes.all.at[0]);
	assert_non_null(before.processes.all.at[1]);
	assert_null(before.processes.all.at[2]);
	happens(&now, continues); /* which is for the owner */
	assert_int_equal(now.continued, 1);
	assert_false(processes_event(&now.processes, &owner, &now, &continues, &err));
	assert_string_equal(err.text, "continues twice");
	processes_free(&before.processes);
	processes_free(&now.processes);
}

static bool is_below(const struct process *process, uint64_t how)
{
	return process->pid < how;
}

static void those_left_are_found(void **state)
{
	struct table table = {0};

	(void)state;
	for (uint32_t pid = 1; pid <= 100; pid++)
		maps(&table, pid, pid * 0x1000);
	processes_forget(&table.processes, is_below, 60);
	assert_int_equal(table.processes.all.len, 41);
	assert_null(find(&table, 59));
	for (uint32_t pid = 60; pid <= 100; pid++)
		assert_true(is_mapped(&table, pid, pid * 0x1000));
	maps(&table, 59, 0x1000);
	assert_int_equal(table.processes.all.len, 42);
	processes_free(&table.processes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exec_replaces_what_was_mapped),
		cmocka_unit_test(a_mapping_makes_its_process_known),
		cmocka_unit_test(a_child_has_the_mappings_of_its_parent),
		cmocka_unit_test(a_fork_replaces_what_the_child_had),
		cmocka_unit_test(a_process_ends_with_its_last_thread),
		cmocka_unit_test(a_thread_that_began_before_ends_nothing),
		cmocka_unit_test(pids_are_used_again),
		cmocka_unit_test(a_parent_that_has_ended),
		cmocka_unit_test(a_recording_goes_on),
		cmocka_unit_test(those_left_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
