/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/count/recount/count.h"
#include "tests/support/image_locate.h"

#include <stdlib.h>
#include <string.h>

#include "src/samples/reader.h"
#include "tests/count/recount/mistakes.h"

#define ERRATUM_STACK  32
#define ERRATUM_NEWEST 2
#define KERNEL_HALF    (UINT64_C(1) << 63)

static void put(struct row_vec *rows, uint64_t a, uint64_t b, uint64_t c, uint64_t count,
		uint64_t mispredicted)
{
	rows_put(rows, (struct row){{a, b, c}, count, mispredicted});
}

static void note_event(struct count *c, struct text name)
{
	size_t length = text_find(name, '\0');
	char *copy = NULL;

	for (size_t i = 0; i < c->events.len; i++)
		if (text_is(text_first(name, length), c->events.at[i]))
			return;
	if (!length)
		return;
	copy = strndup(name.at, length);
	must_have_memory(copy && text_vec_push(&c->events, copy));
}

/* Stacks. */

static bool has_image(const struct count *c, uint32_t pid)
{
	return process_view(&c->space, pid).has_image;
}

/* 0: outside the binary. */
static uint64_t place_of(const struct count *c, uint32_t pid, uint64_t run)
{
	struct vaddr at = {0};

	return image_space_locate(&c->space, pid, (struct run_addr){run}, &at) == LOCATED_IMAGE ?
		       at.v :
		       0;
}

static bool of_kernel(const struct branch *b)
{
	return b->from >= KERNEL_HALF || b->to >= KERNEL_HALF;
}

/* From the first stack of 32 branches on the two newest of each stack are wrong. */
static size_t wrong_entries(struct count *c, const struct sample *sample)
{
	size_t user = 0;

	if (c->options.keep_newest || c->binary->kind == BINARY_UNTOUCHED ||
	    c->binary->image.machine != MACHINE_X86_64)
		return 0;
	for (size_t i = 0; i < sample->branch_count; i++)
		user += !of_kernel(&sample->branches[i]);
	if (user == ERRATUM_STACK)
		c->erratum_seen = true;
	return c->erratum_seen ? ERRATUM_NEWEST : 0;
}

/* A branch, and the executed code from where it went to the source of the next newer one: `end`. */
static void count_entry(struct count *c, uint32_t pid, const struct branch *b, uint64_t end)
{
	uint64_t from = place_of(c, pid, b->from), to = place_of(c, pid, b->to);
	bool has_end = end != TRACE_BR_ONLY;

	bool returns = (b->flags & BRANCH_TYPE) == BRANCH_TYPE_RETURN;

	numbers_add(&c->numbers, "traces.read", has_end);
	if (from && returns) {
		put(&c->returns, from, 0, 0, 1, 0);
		put(&c->typed, from, 0, 0, 1, 0);
	}
	if (!from && to) {
		put(&c->outside, to, b->from, end, 1, b->flags & BRANCH_MISPREDICTED);
		if (returns)
			put(&c->outside_returns, b->from, 0, 0, 1, 0);
	} else if (from || to) {
		put(&c->traces, to, from, end, 1, b->flags & BRANCH_MISPREDICTED);
	} else {
		numbers_add(&c->numbers, "branches.dropped.outside", 1);
		numbers_add(&c->numbers, "traces.dropped.out_of_range", has_end);
	}
}

static void count_stack(struct count *c, const struct sample *sample)
{
	bool kernel_counts = image_is_kernel(&c->binary->image);
	size_t wrong = wrong_entries(c, sample);
	uint64_t end = TRACE_BR_ONLY;

	for (size_t i = 0; i < sample->branch_count; i++) {
		const struct branch *b = &sample->branches[i];
		if (of_kernel(b) && !kernel_counts) {
			numbers_add(&c->numbers, "branches.dropped.kernel", 1);
		} else if (wrong) {
			wrong--;
			numbers_add(&c->numbers, "branches.dropped.erratum", 1);
		} else {
			count_entry(c, sample->pid, b, end);
			end = sample->partial ? TRACE_BR_ONLY : place_of(c, sample->pid, b->from);
		}
	}
}

/* Arm SPE samples one branch, taken or not; where the taken one before it led to is an entry
 * without a source. */
static bool is_spe(const struct count *c, const struct sample *sample)
{
	size_t entries = sample->branch_count;

	return c->binary->image.machine == MACHINE_AARCH64 &&
	       (entries == 1 || (entries == 2 && !sample->branches[1].from));
}

static void count_spe(struct count *c, const struct sample *sample)
{
	const struct branch *b = &sample->branches[0], *before = &sample->branches[1];
	bool user = !image_is_kernel(&c->binary->image), two = sample->branch_count == 2;
	bool taken = !(b->flags & BRANCH_NOT_TAKEN),
	     line = two && (taken || c->options.as_perf2bolt);
	uint64_t times = two && taken && !c->options.as_perf2bolt ? 2 : 1;

	if (of_kernel(b) && user) {
		numbers_add(&c->numbers, "branches.dropped.kernel", sample->branch_count);
		return;
	}
	if (!b->from) {
		numbers_add(&c->numbers, "branches.dropped.no_source", sample->branch_count);
		return;
	}
	uint64_t from = place_of(c, sample->pid, b->from),
		 to = place_of(c, sample->pid, taken ? b->to : b->from + 4);
	if (from || to)
		put(&c->traces, to, from, TRACE_BR_ONLY, times,
		    b->flags & BRANCH_MISPREDICTED ? times : 0);
	else
		numbers_add(&c->numbers, "branches.dropped.outside", times);
	numbers_add(&c->numbers, "branches.dropped.no_source", sample->branch_count - times);
	if (!line || (of_kernel(before) && user))
		return;
	numbers_add(&c->numbers, "traces.read", 1);
	uint64_t start = place_of(c, sample->pid, before->to);
	if (start || from)
		put(&c->traces, start, TRACE_FT_ONLY, from, 1, 0);
	else
		numbers_add(&c->numbers, "traces.dropped.out_of_range", 1);
}

static void take_stack(struct count *c, const struct sample *sample)
{
	c->branches_seen = true;
	numbers_add(&c->numbers, "samples.read", 1);
	numbers_add(&c->numbers, "branches.read", sample->branch_count);
	if (has_image(c, sample->pid)) {
		numbers_add(&c->numbers, "samples.kept", 1);
		(is_spe(c, sample) ? count_spe : count_stack)(c, sample);
	} else {
		numbers_add(&c->numbers, "samples.dropped.no_process", 1);
		numbers_add(&c->numbers, "branches.dropped.dropped_sample", sample->branch_count);
	}
}

/* Addresses. */

static const char *why_not(enum located located)
{
	switch (located) {
	case LOCATED_NO_PROCESS: return "samples.dropped.no_process";
	case LOCATED_KERNEL: return "samples.dropped.kernel";
	case LOCATED_OTHER: return "samples.dropped.other_image";
	case LOCATED_IMAGE:
	case LOCATED_UNKNOWN: break;
	}
	return "samples.dropped.unknown_memory";
}

static void take_address(struct count *c, const struct sample *sample)
{
	struct vaddr at = {0};
	enum located located = image_space_locate(&c->space, sample->pid, sample->ip, &at);

	numbers_add(&c->numbers, "branches.read", sample->branch_count);
	numbers_add(&c->numbers, "branches.dropped.basic_mode", sample->branch_count);
	numbers_add(&c->plain, "samples.read", 1);
	if (sample->no_ip) {
		numbers_add(&c->plain, "samples.dropped.no_address", 1);
		return;
	}
	if (has_image(c, sample->pid))
		note_event(c, sample->event);
	if (located == LOCATED_IMAGE)
		put(&c->addresses, at.v, 0, 0, 1, 0);
	else
		numbers_add(&c->plain, why_not(located), 1);
}

/* Loads from memory. */

static bool is_load(const struct sample *sample)
{
	static const char word[] = "mem-loads";
	size_t length = strlen(word);

	for (size_t i = 0; sample->data.v && i + length <= sample->event.len; i++)
		if (!memcmp(sample->event.at + i, word, length))
			return true;
	return false;
}

/* Data is as far from where the file has it as the code is. */
static void take_load(struct count *c, const struct sample *sample)
{
	struct vaddr at = {0};

	numbers_add(&c->numbers, "memory.read", 1);
	if (image_space_locate(&c->space, sample->pid, sample->ip, &at) != LOCATED_IMAGE) {
		bool own = has_image(c, sample->pid);
		numbers_add(&c->numbers, own ? "memory.dropped.code" : "memory.dropped.no_process",
			    1);
		return;
	}
	struct vaddr data = {sample->data.v - (sample->ip.v - at.v)};
	if (image_segment_at(&c->binary->image, data))
		put(&c->accesses, at.v, data.v, 0, 1, 0);
	else
		numbers_add(&c->numbers, "memory.dropped.unnamed", 1);
}

/* Samples. */

/* perf prints a colon after an event's name, which users leave out. */
static bool same_event(struct text a, struct text b)
{
	bool exact = text_ends(a, ":");

	if (exact)
		a.len--;
	if (text_ends(b, ":"))
		b.len--;
	if (text_equal(a, b))
		return true;
	/* A modifier that is left out, all of its letters in lower or upper case. */
	struct text rest = text_from(b, a.len);
	if (exact || !a.len || rest.len < 2 || *rest.at != ':' ||
	    !text_equal(text_first(b, a.len), a))
		return false;
	for (size_t i = 1; i < rest.len; i++)
		if (!strchr("ukhIGHpPSDWeb", rest.at[i]))
			return false;
	return true;
}

/* NULL: it is wanted. */
static const char *why_unwanted(const struct count *c, const struct sample *sample, uint64_t seen)
{
	if (c->options.most && seen >= c->options.most)
		return "samples.dropped.past_limit";
	if (c->options.has_pid && sample->pid != c->options.pid)
		return "samples.dropped.other_pid";
	if (c->options.event.len && !same_event(c->options.event, sample->event))
		return "samples.dropped.other_event";
	return NULL;
}

static void take_wanted(struct count *c, const struct sample *sample)
{
	bool stack = sample->branch_count && !c->options.basic, load = is_load(sample);

	if (load)
		take_load(c, sample);
	if (stack)
		take_stack(c, sample);
	else if (!load || c->options.basic)
		take_address(c, sample);
}

static void take_sample(struct count *c, const struct sample *sample)
{
	const char *why = why_unwanted(c, sample, c->seen++);
	struct sample placed = *sample;

	if (why) {
		numbers_add(&c->numbers, "samples.read", 1);
		numbers_add(&c->numbers, why, 1);
		numbers_add(&c->numbers, "branches.read", sample->branch_count);
		numbers_add(&c->numbers, "branches.dropped.dropped_sample", sample->branch_count);
		return;
	}
	if (sample->ip_file.len)
		placed.ip = image_space_find_place(&c->space, sample->pid, sample->ip_file,
						   sample->ip.v);
	take_wanted(c, &placed);
}

/* What was aggregated before. */

static void take_trace(struct count *c, const struct trace_record *record)
{
	const struct trace *t = &record->trace;
	uint64_t branches = t->branch.word < TRACE_FT_RETURN ? record->count : 0;
	uint64_t runs = t->to.word != TRACE_BR_ONLY ? record->count : 0;

	numbers_add(&c->numbers, "branches.read", branches);
	numbers_add(&c->numbers, "traces.read", runs);
	if (c->options.basic) {
		numbers_add(&c->numbers, "branches.dropped.basic_mode", branches);
		numbers_add(&c->numbers, "traces.dropped.basic_mode", runs);
		return;
	}
	c->branches_seen = true;
	if (record->is_return)
		put(&c->returns, t->branch.word, 0, 0, 1, 0);
	if (record->count)
		put(&c->traces, t->from.word, t->branch.word, t->to.word, record->count,
		    record->mispredicted);
}

/* Hardware traces, walked. */
static void take_ran(struct count *c, uint32_t pid, const struct ran_trace *row)
{
	const struct branch b = {row->from, row->to, 0};
	uint64_t branches = row->from ? row->count : 0, runs = row->end ? row->count : 0;

	c->branches_seen = true;
	numbers_add(&c->numbers, "branches.read", branches);
	if ((c->options.has_pid && pid != c->options.pid) || !has_image(c, pid)) {
		numbers_add(&c->numbers, "branches.dropped.no_process", branches);
		return;
	}
	if (of_kernel(&b) && !image_is_kernel(&c->binary->image)) {
		numbers_add(&c->numbers, "branches.dropped.kernel", branches);
		return;
	}
	uint64_t from = row->from ? place_of(c, pid, row->from) : TRACE_FT_ONLY,
		 to = place_of(c, pid, row->to);
	uint64_t end = row->end ? place_of(c, pid, row->end) : TRACE_BR_ONLY;
	numbers_add(&c->numbers, "traces.read", runs);
	if (row->is_return && from)
		put(&c->returns, from, 0, 0, 1, 0);
	if (row->is_return && !from && to)
		put(&c->outside_returns, row->from, 0, 0, 1, 0);
	if (!from && to) {
		put(&c->outside, to, row->from, end, row->count, 0);
	} else if ((row->from && from) || to || (!row->from && end)) {
		put(&c->traces, to, from, end, row->count, 0);
	} else {
		numbers_add(&c->numbers, "branches.dropped.outside", branches);
		numbers_add(&c->numbers, "traces.dropped.out_of_range", runs);
	}
}

static void take_counted(struct count *c, const struct address_record *record)
{
	numbers_add(&c->plain, "samples.read", record->count);
	if (record->count)
		put(&c->addresses, record->at.v, 0, 0, record->count, 0);
}

static void begin_input(struct count *c, bool recording)
{
	if (recording)
		image_space_forget(&c->space);
	c->erratum_seen = false;
	c->seen = 0;
}

static bool on_event(void *ctx, const struct event *event, struct bc_error *err)
{
	struct count *c = ctx;

	switch (event->kind) {
	case EVENT_BEGIN: begin_input(c, event->recording); break;
	case EVENT_CONTINUES:
	case EVENT_MAP:
	case EVENT_EXEC:
	case EVENT_FORK:
	case EVENT_EXIT: return image_space_event(&c->space, event, err);
	case EVENT_SAMPLE: take_sample(c, event->sample); break;
	case EVENT_RAN:
		for (size_t i = 0; i < event->ran.count; i++)
			take_ran(c, event->ran.pid, &event->ran.at[i]);
		break;
	case EVENT_TRACES:
		for (size_t i = 0; i < event->traces.count; i++)
			take_trace(c, &event->traces.at[i]);
		break;
	case EVENT_ADDRESSES:
		for (size_t i = 0; i < event->addresses.count; i++)
			take_counted(c, &event->addresses.at[i]);
		break;
	case EVENT_NAME: note_event(c, event->name); break;
	case EVENT_BUILD_IDS: /* can refuse samples, and counts none */
	case EVENT_END: break;
	}
	return true;
}

bool count_begin(struct count *count, const struct binary *binary, const char *path,
		 const struct count_options *options, struct bc_error *err)
{
	struct image_match_options match = {.binary_path = path,
					    .image_name = options->image_name,
					    .ignore_build_id = options->ignore_build_id};

	*count = (struct count){.options = *options, .binary = binary};
	return image_space_init(&count->space, &binary->image, &match, err);
}

bool count_read(struct count *count, const char *samples, struct bc_error *err)
{
	const struct event_sink sink = {count, on_event};
	struct reader_options how = {.build_id = count->binary->image.build_id,
				     .cut_will_do = true,
				     .recordings = &count->recordings};
	struct reader_report report = {0};

	if (!input_run(samples, &how, (struct input_progress){0}, &sink, &report, err))
		return false;
	const struct perf_data_report *perf = &report.perf;
	count->branches_recorded |= perf->has_stacks;
	numbers_add(&count->numbers, "samples.read",
		    perf->late + perf->of_guests + perf->of_unknown_events);
	numbers_add(&count->numbers, "samples.dropped.late", perf->late);
	numbers_add(&count->numbers, "samples.dropped.guest", perf->of_guests);
	numbers_add(&count->numbers, "samples.dropped.unknown_event", perf->of_unknown_events);
	return true;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool has_row(const struct row_vec *rows, uint64_t key)
{
	for (size_t i = 0; i < rows->len; i++)
		if (rows->at[i].key[0] == key)
			return true;
	return false;
}

/* One entry with the type of a return shows what all of its source are. */
static void settle_outside(struct count *c)
{
	rows_add_up(&c->outside_returns);
	rows_add_up(&c->outside);
	for (size_t i = 0; i < c->outside.len; i++) {
		const struct row *row = &c->outside.at[i];
		bool returns = has_row(&c->outside_returns, row->key[1]);
		put(&c->traces, row->key[0], returns ? TRACE_FT_RETURN : TRACE_EXTERNAL,
		    row->key[2], row->count, row->mispredicted);
		numbers_add(&c->numbers, "branches.dropped.return", returns ? row->count : 0);
		numbers_add(&c->numbers, "returns.by_type", returns ? row->count : 0);
	}
}

/* Where there are branches, basic samples say nothing. */
void count_end(struct count *c)
{
	uint64_t plain = numbers_get(&c->plain, "samples.read");

	/* Where there is no sample, what was asked of the events decides. */
	bool no_basic = numbers_get(&c->numbers, "memory.read") || c->branches_recorded;
	c->is_basic = !c->branches_seen && (plain || !no_basic);
	if (c->is_basic) {
		numbers_merge(&c->numbers, &c->plain);
	} else {
		numbers_add(&c->numbers, "samples.read", plain);
		numbers_add(&c->numbers, "samples.dropped.no_branch_stack", plain);
	}
	settle_outside(c);
	rows_add_up(&c->traces);
	rows_add_up(&c->typed);
	rows_add_up(&c->addresses);
	rows_add_up(&c->accesses);
	rows_add_up(&c->returns);
	if (c->events.len)
		qsort(c->events.at, c->events.len, sizeof(char *), compare_names);
	numbers_add(&c->numbers, "distinct", c->is_basic ? c->addresses.len : c->traces.len);
}

void count_keep(struct count *c, size_t records)
{
	static const char *const ledgers[][3] = {{"samples", "samples.read", "samples.kept"},
						 {"branches", "branches.read", "branches.kept"},
						 {"traces", "traces.read", "traces.kept"}};

	for (size_t i = 0; i < BC_COUNT(ledgers); i++) {
		uint64_t kept = numbers_get(&c->numbers, ledgers[i][1]) -
				numbers_dropped(&c->numbers, ledgers[i][0]);
		numbers_add(&c->numbers, ledgers[i][2],
			    kept - numbers_get(&c->numbers, ledgers[i][2]));
	}
	numbers_add(&c->numbers, "memory.dropped.unsupported",
		    numbers_get(&c->numbers, "memory.read") -
			    numbers_dropped(&c->numbers, "memory"));
	numbers_add(&c->numbers, "records", records);
}

bool count_says_return(const struct count *count, uint64_t branch)
{
	return has_row(&count->returns, branch);
}

bool count_is_typed(const struct count *count, uint64_t branch)
{
	return has_row(&count->typed, branch);
}

void count_free(struct count *c)
{
	image_space_fini(&c->space);
	row_vec_free(&c->traces);
	row_vec_free(&c->addresses);
	row_vec_free(&c->accesses);
	row_vec_free(&c->returns);
	row_vec_free(&c->typed);
	row_vec_free(&c->outside);
	row_vec_free(&c->outside_returns);
	for (size_t i = 0; i < c->events.len; i++)
		free(c->events.at[i]);
	text_vec_free(&c->events);
}
