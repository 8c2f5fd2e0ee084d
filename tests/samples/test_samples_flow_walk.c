/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Between a reader, which is played here, and a consumer, which logs what it gets: when rows are
 * delivered, whose they are, and what of a thread continues where. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/samples/flow_walk.h"
#include "tests/support/cmocka.h"

#define LOAD UINT64_C(0x555500000000)
#define BASE UINT64_C(0x1000)
#define SIZE 0x1000
#define PID  7

/* x86-64: 1000 je 1008, 1002 syscall, 1004 jmp 1000, 1008 jmp *rax */
static const uint8_t code[] = {0x74, 0x06, 0x0f, 0x05, 0xeb, 0xfa, 0x90, 0x90, 0xff, 0xe0};

static struct {
	uint8_t file[BASE + SIZE];
	struct segment segment;
	struct image image;
	struct flow_walk *walk;
	struct event_sink sink;
	char *text;
	size_t size;
	FILE *log;
	unsigned refuse; /* the number of the event that the consumer refuses, from 1; 0: none */
	unsigned events;
} w;

/* Rows of one event in any order: as sums of branches and lines. */
static bool log_event(void *ctx, const struct event *event, struct bc_error *err)
{
	uint64_t branches = 0, lines = 0;

	(void)ctx;
	if (++w.events == w.refuse)
		return bc_fail(err, BC_MISMATCH, "refused");
	switch (event->kind) {
	case EVENT_BEGIN: fprintf(w.log, "begin\n"); break;
	case EVENT_MAP:
		fprintf(w.log, "map %" PRIu32 " %" PRIx64 "\n", event->map->pid,
			event->map->start.v);
		break;
	case EVENT_EXEC: fprintf(w.log, "exec %" PRIu32 "\n", event->task.pid); break;
	case EVENT_FORK: fprintf(w.log, "fork %" PRIu32 "\n", event->task.pid); break;
	case EVENT_EXIT: fprintf(w.log, "exit %" PRIu32 "\n", event->task.pid); break;
	case EVENT_RAN:
		for (size_t i = 0; i < event->ran.count; i++) {
			branches += event->ran.at[i].from ? event->ran.at[i].count : 0;
			lines += event->ran.at[i].end ? event->ran.at[i].count : 0;
		}
		fprintf(w.log, "ran %" PRIu32 ": %" PRIu64 " branches, %" PRIu64 " lines\n",
			event->ran.pid, branches, lines);
		break;
	case EVENT_END: fprintf(w.log, "end\n"); break;
	case EVENT_CONTINUES:
	case EVENT_SAMPLE:
	case EVENT_TRACES:
	case EVENT_ADDRESSES:
	case EVENT_NAME:
	case EVENT_BUILD_IDS: break;
	}
	return true;
}

static bool give(const struct event *event)
{
	struct bc_error err = {0};
	bool ok = event_deliver(&w.sink, event, &err);

	assert_true(ok || err.code != BC_OK);
	return ok;
}

static void map(uint32_t pid, uint64_t start)
{
	const struct map_event event = {.pid = pid,
					.start.v = start,
					.size = SIZE,
					.offset.v = BASE,
					.executable = true,
					.path = text_of("/bin/prog")};

	assert_true(give(&(struct event){.kind = EVENT_MAP, .map = &event}));
}

static void task(enum event_kind kind, uint32_t pid, uint32_t parent)
{
	assert_true(give(&(struct event){.kind = kind, .task = {pid, pid, parent}}));
}

static void begin(unsigned threads)
{
	memset(&w, 0, sizeof(w));
	memset(w.file, 0x90, sizeof(w.file));
	memcpy(w.file + BASE, code, sizeof(code));
	w.segment = (struct segment){BASE, BASE, SIZE, SIZE, 0x1000, true};
	w.image = (struct image){.file = {w.file, sizeof(w.file)},
				 .machine = MACHINE_X86_64,
				 .position_independent = true,
				 .segments = &w.segment,
				 .segment_count = 1};
	const struct given_code given = {&w.image, {.binary_path = "/bin/prog"}};
	w.log = open_memstream(&w.text, &w.size);
	w.walk = flow_walk_make(
		&(struct flow_walk_options){&given, 1, NULL, threads, {NULL, log_event}});
	assert_non_null(w.walk);
	w.sink = flow_walk_sink(w.walk);
	assert_true(give(&(struct event){.kind = EVENT_BEGIN, .recording = true}));
	flow_walk_taker(w.walk)->begin(flow_walk_taker(w.walk)->ctx);
}

static bool flow(uint32_t lane, uint32_t pid, uint32_t tid, const struct flow_answer *at,
		 size_t count)
{
	const struct trace_flow one = {
		.rules = FLOW_PT, .lane = lane, .pid = pid, .tid = tid, .at = at, .count = count};
	struct bc_error err = {0};

	return flow_walk_taker(w.walk)->take(flow_walk_taker(w.walk)->ctx, &one, &err);
}
#define FLOW(lane, pid, tid, ...)                                                                  \
	assert_true(flow(lane, pid, tid, (const struct flow_answer[]){__VA_ARGS__},                \
			 BC_COUNT(((const struct flow_answer[]){__VA_ARGS__}))))
#define BEGIN(at)  {FLOW_BEGIN, 0, LOAD + (at)}
#define TARGET(at) {FLOW_TARGET, 0, LOAD + (at)}
#define STOP       {FLOW_STOP, 0, 0}
#define TAKEN      {FLOW_BITS, 1, 1}
#define NOT_TAKEN  {FLOW_BITS, 1, 0}

static void gives(const char *want)
{
	fclose(w.log);
	assert_string_equal(w.text, want);
	free(w.text);
	flow_walk_free(w.walk);
}

/* Rows come in front of a mapping over the executed code, not of another one; with exec and exit
 * lines end.
 */
static void in_front_of_what_changes(void **state)
{
	(void)state;
	begin(2);
	map(PID, LOAD + BASE);
	FLOW(0, PID, PID, BEGIN(0x1000), TAKEN, TARGET(0x1000), NOT_TAKEN);
	map(PID, LOAD + 0x100000);
	map(PID, LOAD + BASE);
	FLOW(0, PID, PID, STOP, BEGIN(0x1004), TAKEN, TARGET(0x1000));
	task(EVENT_EXEC, PID, 0);
	map(PID, LOAD + BASE);
	FLOW(0, PID, PID, BEGIN(0x1008), TARGET(0x1008));
	task(EVENT_EXIT, PID, 0);
	task(EVENT_EXIT, PID, 0);
	assert_true(give(&(struct event){.kind = EVENT_END}));
	gives("begin\n"
	      "map 7 555500001000\n"
	      "map 7 555500100000\n"
	      "ran 7: 1 branches, 2 lines\n"
	      "map 7 555500001000\n"
	      "ran 7: 4 branches, 3 lines\n"
	      "exec 7\n"
	      "map 7 555500001000\n"
	      "ran 7: 1 branches, 1 lines\n"
	      "exit 7\n"
	      "exit 7\n"
	      "end\n");
}

/* A thread continues on another processor: the line across the system call is one. */
static void on_another_processor(void **state)
{
	struct flow_walk_report report = {0};
	struct bc_error err;

	(void)state;
	begin(3);
	map(PID, LOAD + BASE);
	FLOW(0, PID, 20, BEGIN(0x1008), TARGET(0x1000), NOT_TAKEN, STOP);
	FLOW(1, PID, 21, BEGIN(0x1008), TARGET(0x1000), NOT_TAKEN, STOP);
	FLOW(1, PID, 20, BEGIN(0x1004), TAKEN, STOP);
	FLOW(0, PID, 21, BEGIN(0x1004), TAKEN, STOP);
	assert_true(give(&(struct event){.kind = EVENT_END}));
	assert_true(flow_walk_tell(w.walk, &report, &err));
	assert_int_equal(report.sums.mismatches, 0);
	assert_int_equal(report.branches, 6);
	assert_int_equal(report.answers, 6);
	flow_walk_report_free(&report);
	gives("begin\n"
	      "map 7 555500001000\n"
	      "ran 7: 6 branches, 8 lines\n"
	      "end\n");
}

/* A child has what its parent has mapped, and rows of its own. */
static void of_a_child(void **state)
{
	(void)state;
	begin(1);
	map(PID, LOAD + BASE);
	task(EVENT_FORK, PID + 1, PID);
	FLOW(0, PID + 1, PID + 1, BEGIN(0x1008), TARGET(0x1008), TARGET(0x1008));
	FLOW(0, PID, PID, BEGIN(0x1008), TARGET(0x1008));
	task(EVENT_FORK, PID + 1, PID);
	assert_true(give(&(struct event){.kind = EVENT_END}));
	gives("begin\n"
	      "map 7 555500001000\n"
	      "fork 8\n"
	      "ran 8: 2 branches, 2 lines\n"
	      "fork 8\n"
	      "ran 7: 1 branches, 1 lines\n"
	      "end\n");
}

/* The next recording has other processes. */
static void of_two_recordings(void **state)
{
	struct flow_walk_report report = {0};
	struct bc_error err;

	(void)state;
	begin(2);
	map(PID, LOAD + BASE);
	FLOW(0, PID, PID, BEGIN(0x1008), TARGET(0x1008));
	assert_true(give(&(struct event){.kind = EVENT_END}));
	assert_true(give(&(struct event){.kind = EVENT_BEGIN, .recording = true}));
	flow_walk_taker(w.walk)->begin(flow_walk_taker(w.walk)->ctx);
	FLOW(0, PID, PID, TARGET(0x1008), TARGET(0x1008));
	FLOW(0, NO_PID, NO_PID, TARGET(0x1008));
	assert_true(give(&(struct event){.kind = EVENT_END}));
	assert_true(flow_walk_tell(w.walk, &report, &err));
	assert_int_equal(report.sums.walked, 1);
	assert_int_equal(report.sums.lost[LOSS_NO_PROCESS], 3);
	flow_walk_report_free(&report);
	gives("begin\n"
	      "map 7 555500001000\n"
	      "ran 7: 1 branches, 1 lines\n"
	      "end\n"
	      "begin\n"
	      "end\n");
}

/* After an error of the consumer only the end follows. */
static void refused(void **state)
{
	(void)state;
	begin(2);
	w.refuse = 3;
	map(PID, LOAD + BASE);
	FLOW(0, PID, PID, BEGIN(0x1008), TARGET(0x1008));
	assert_false(give(&(struct event){.kind = EVENT_EXEC, .task = {PID, PID, 0}}));
	assert_true(give(&(struct event){.kind = EVENT_END}));
	gives("begin\n"
	      "map 7 555500001000\n"
	      "end\n");
}

/* Files in which branch outcomes were lost, those with most first. */
static void files_of_loss(void **state)
{
	struct flow_walk_report report = {0};
	struct bc_error err;
	const char *const paths[] = {"/no/such/a", "/no/such/b", "[vdso]"};

	(void)state;
	begin(2);
	for (uint64_t i = 0; i < BC_COUNT(paths); i++) {
		const struct map_event event = {.pid = PID,
						.start.v = LOAD + (i << 20),
						.size = SIZE,
						.executable = true,
						.path = text_of(paths[i]),
						.build_id = {2, {1, 2}}};
		assert_true(give(&(struct event){.kind = EVENT_MAP, .map = &event}));
		for (uint64_t n = 0; n <= i; n++)
			FLOW(0, PID, PID, {FLOW_TARGET, 0, LOAD + (i << 20) + n});
	}
	assert_true(give(&(struct event){.kind = EVENT_END}));
	assert_true(flow_walk_tell(w.walk, &report, &err));
	assert_int_equal(report.answers, 6);
	assert_int_equal(report.sums.walked, 0);
	assert_int_equal(report.files.len, 3);
	assert_string_equal(report.files.at[0].path, "[vdso]");
	assert_int_equal(report.files.at[0].loss, LOSS_VDSO);
	assert_int_equal(report.files.at[0].answers, 3);
	assert_string_equal(report.files.at[1].path, "/no/such/b");
	assert_int_equal(report.files.at[1].loss, LOSS_NO_FILE);
	assert_int_equal(report.files.at[1].id.size, 2);
	flow_walk_report_free(&report);
	fclose(w.log);
	free(w.text);
	flow_walk_free(w.walk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_front_of_what_changes),
		cmocka_unit_test(on_another_processor),
		cmocka_unit_test(of_a_child),
		cmocka_unit_test(of_two_recordings),
		cmocka_unit_test(refused),
		cmocka_unit_test(files_of_loss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
