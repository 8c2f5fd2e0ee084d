/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/count/aggregate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/counts.h"
#include "src/samples/image_given.h"
#include "src/samples/image_space.h"

/* Events are few: a list will do. */
#define EVENTS_MOST 1024

static bool add_event(struct aggregate *a, struct text name, struct bc_error *err)
{
	name = text_first(name, text_find(name, '\0')); /* a list of strings */
	for (size_t i = 0; i < a->events.len; i++)
		if (text_is(name, a->events.at[i]))
			return true;
	if (a->events.len == EVENTS_MOST)
		return bc_fail(err, BC_FORMAT, "the samples are of more than %d events",
			       EVENTS_MOST);
	char *copy = name.len ? strndup(name.at, name.len) : NULL;
	if (!name.len || (copy && name_vec_push(&a->events, copy)))
		return true;
	free(copy);
	return bc_fail_nomem(err);
}

/* Samples of one process come in a row. */
static struct process_view *view_of(struct aggregate *a, uint32_t pid)
{
	if (a->view_pid != pid || a->view_changes != a->space.changes) {
		a->view = process_view(&a->space, pid);
		a->view_pid = pid;
		a->view_changes = a->space.changes;
	}
	return &a->view;
}

static bool take_stack(struct aggregate *a, const struct sample *sample,
		       struct event_memory *memory, struct bc_error *err)
{
	struct process_view *view = view_of(a, sample->pid);
	bool single = a->space.match.image->machine == MACHINE_AARCH64 && stack_is_single(sample);
	bool erratum = a->options.erratum && view->has_image;
	struct stack_use use = {.skip = erratum ? stack_erratum(&a->erratum_seen, sample) : 0,
				.typed = !single &&
					 stack_is_typed(&a->types_seen, a->samples_seen, sample),
				.single = single,
				.even = a->options.rules.even_lines,
				.first = a->options.halves &&
					 halve_is_first(a->inputs_seen << 48 ^ a->samples_seen)};

	if (a->batches && memory)
		return batches_add_stack(a->batches, view, sample, use, memory, err);
	return sample_counter_stack(&a->counter, view, sample, use, err);
}

/* The sample has no address: its line of text was cut, or only looks like a sample. */
static bool leave_out_address(struct aggregate *a)
{
	a->counter.addresses.read++;
	a->counter.addresses.dropped[SAMPLE_DROP_NO_ADDRESS]++;
	return true;
}

static bool take_address(struct aggregate *a, const struct sample *sample,
			 struct event_memory *memory, struct bc_error *err)
{
	struct process_view *view = view_of(a, sample->pid);

	a->counter.ledgers.branches.read += sample->branch_count;
	a->counter.ledgers.branches.dropped[BRANCH_DROP_BASIC_MODE] += sample->branch_count;
	if (sample->no_ip)
		return leave_out_address(a);
	if (view->has_image && !add_event(a, sample->event, err))
		return false;
	if (a->batches && memory)
		return batches_add_address(a->batches, view, sample, memory, err);
	return sample_counter_address(&a->counter, view, sample->ip, err);
}

/* perf's name for sampled loads, whatever is around it. */
static bool is_access(const struct sample *sample)
{
	static const char name[] = "mem-loads";

	for (size_t i = 0; sample->data.v && i + sizeof(name) <= sample->event.len + 1; i++)
		if (text_starts(text_from(sample->event, i), name))
			return true;
	return false;
}

/* All segments of a binary are loaded with one base, so a data address is translated like a code
 * address. */
static bool take_access(struct aggregate *a, const struct sample *sample, struct bc_error *err)
{
	struct ledger *ledger = &a->counter.ledgers.memory;
	struct process_view *view = view_of(a, sample->pid);
	struct vaddr at;

	ledger->read++;
	if (process_view_locate(view, sample->ip, &at) != LOCATED_IMAGE) {
		ledger->dropped[view->has_image ? MEMORY_DROP_CODE : MEMORY_DROP_NO_PROCESS]++;
		return true;
	}
	struct vaddr data = {sample->data.v - (view->last->start - view->last->offset)};
	uint64_t key[COUNT_KEY_WORDS] = {at.v, data.v};
	if (!image_segment_at(a->space.match.image, data)) {
		ledger->dropped[MEMORY_DROP_UNNAMED]++;
		return true;
	}
	return count_table_add(&a->memory, key, 1, 0) || bc_fail_nomem(err);
}

static bool leave_out(struct aggregate *a, const struct sample *sample, enum sample_drop why)
{
	struct ledgers *ledgers = &a->counter.ledgers;

	ledgers->samples.read++;
	ledgers->samples.dropped[why]++;
	ledgers->branches.read += sample->branch_count;
	ledgers->branches.dropped[BRANCH_DROP_DROPPED_SAMPLE] += sample->branch_count;
	return true;
}

static bool use_sample(struct aggregate *a, const struct sample *sample,
		       struct event_memory *memory, struct bc_error *err)
{
	bool stack = a->options.mode == MODE_AUTO && sample->branch_count;

	if (is_access(sample)) {
		if (!take_access(a, sample, err))
			return false;
		if (!stack && a->options.mode == MODE_AUTO)
			return true;
	}
	return stack ? take_stack(a, sample, memory, err) : take_address(a, sample, memory, err);
}

static bool take_sample(struct aggregate *a, const struct event *event, struct bc_error *err)
{
	const struct sample *sample = event->sample;
	enum sample_drop unwanted = filter_check(&a->options.filter, event, a->samples_seen++);

	if (filter_is_set(&a->options.filter) &&
	    !filter_note(&a->seen, &a->options.filter, sample, event->time, unwanted, err))
		return false;
	if (unwanted != SAMPLE_KEPT)
		return leave_out(a, sample, unwanted);
	if (!image_given_place(&a->space, sample->pid, event->time, err))
		return false;
	kernel_space_sample(&a->space.kernel, sample);
	a->placed |= view_of(a, sample->pid)->has_image;
	a->given += a->space.given && view_of(a, sample->pid)->given;
	if (!sample->ip_file.len)
		return use_sample(a, sample, event->memory, err);
	struct sample placed = *sample;
	placed.ip = image_space_find_place(&a->space, sample->pid, sample->ip_file, sample->ip.v);
	return use_sample(a, &placed, event->memory, err);
}

/* Drops a trace: only addresses are counted. */
static bool leave_out_trace(struct aggregate *a, const struct trace_record *record,
			    struct bc_error *err)
{
	struct ledgers *ledgers = &a->counter.ledgers;
	uint64_t branches = trace_has_branch(&record->trace) ? record->count : 0;
	uint64_t fall_throughs = trace_has_fall_through(&record->trace) ? record->count : 0;

	ledgers->branches.dropped[BRANCH_DROP_BASIC_MODE] += branches;
	ledgers->traces.dropped[TRACE_DROP_BASIC_MODE] += fall_throughs;
	return ledger_read(&ledgers->branches, branches, err) &&
	       ledger_read(&ledgers->traces, fall_throughs, err);
}

static bool leave_out_traces(struct aggregate *a, const struct event *event, struct bc_error *err)
{
	for (size_t i = 0; i < event->traces.count; i++)
		if (!leave_out_trace(a, &event->traces.at[i], err))
			return false;
	return true;
}

static bool take_traces(struct aggregate *a, const struct event *event, struct bc_error *err)
{
	const struct trace_record *traces = event->traces.at;
	size_t count = event->traces.count;

	a->placed = true;
	if (a->options.mode == MODE_BASIC)
		return leave_out_traces(a, event, err);
	for (size_t i = 0; i < count; i++)
		if (traces[i].is_return && !returns_add(&a->returns, traces[i].trace.branch))
			return bc_fail_nomem(err);
	if (a->batches && event->memory)
		return batches_add_traces(a->batches, traces, count, event->memory, err);
	for (size_t i = 0; i < count; i++)
		if (!sample_counter_trace(&a->counter, &traces[i], err))
			return false;
	return true;
}

/* Rows have no time, no event and no number. */
static bool take_ran(struct aggregate *a, const struct event *event, struct bc_error *err)
{
	const struct filter *filter = &a->options.filter;
	struct process_view none = {0};

	if (filter->event.len || filter->from_ns || filter->to_ns || filter->most)
		return bc_fail(err, BC_UNSUPPORTED,
			       "a hardware trace has no samples among which --event, --time and --max-samples can choose") ||
		       bc_hint(err, "leave these options out; --pid chooses processes");
	if (a->options.mode == MODE_BASIC)
		return bc_fail(err, BC_UNSUPPORTED,
			       "a hardware trace has branches only, and no samples of addresses") ||
		       bc_hint(err, "leave out --basic (perf2bolt: -ba, -nl, -basic-events)");
	bool wanted = filter_has_pid(filter, event->ran.pid);
	if (!wanted && !filter_note(&a->seen, filter, &(struct sample){.pid = event->ran.pid}, 0,
				    SAMPLE_DROP_OTHER_PID, err))
		return false;
	if (wanted && !image_given_place(&a->space, event->ran.pid, event->time, err))
		return false;
	struct process_view *view = wanted ? view_of(a, event->ran.pid) : &none;
	a->placed |= view->has_image;
	return sample_counter_ran(&a->counter, view, event->ran.at, event->ran.count, err);
}

static bool take_addresses(struct aggregate *a, const struct event *event, struct bc_error *err)
{
	a->placed = true;
	for (size_t i = 0; i < event->addresses.count; i++) {
		const struct address_record *record = &event->addresses.at[i];
		if (!sample_counter_basic(&a->counter, record->at, record->count, err))
			return false;
	}
	return true;
}

static bool begin_input(struct aggregate *a, bool recording)
{
	if (recording)
		image_space_forget(&a->space);
	a->erratum_seen = a->types_seen = a->placed = false;
	a->samples_seen = 0;
	a->inputs_seen++;
	return true;
}

static bool note_late_build_ids(struct aggregate *a, const struct event *event,
				struct bc_error *err)
{
	if (late_build_ids_check(&a->space, event->build_ids.at, event->build_ids.count, err))
		return true;
	if (err->code != BC_MISMATCH)
		return false;
	if (!a->contradicted.code) {
		a->contradicted = *err;
		a->contradicted_by = a->inputs_seen - 1;
	}
	return true;
}

static bool end_input(struct aggregate *a, struct bc_error *err)
{
	bool noted = kernel_place_vec_push(&a->kernels, a->space.kernel.place) &&
		     flag_vec_push(&a->used, a->placed);

	return (!a->batches || batches_drain(a->batches, err)) && (noted || bc_fail_nomem(err));
}

bool aggregate_event(void *aggregate, const struct event *event, struct bc_error *err)
{
	struct aggregate *a = aggregate;

	switch (event->kind) {
	case EVENT_BEGIN: return begin_input(a, event->recording);
	case EVENT_CONTINUES:
	case EVENT_MAP:
	case EVENT_EXEC:
	case EVENT_FORK:
	case EVENT_EXIT: return image_space_event(&a->space, event, err);
	case EVENT_SAMPLE: return take_sample(a, event, err);
	case EVENT_RAN: return take_ran(a, event, err);
	case EVENT_TRACES: return take_traces(a, event, err);
	case EVENT_ADDRESSES: return take_addresses(a, event, err);
	case EVENT_NAME: return add_event(a, event->name, err);
	case EVENT_BUILD_IDS: return note_late_build_ids(a, event, err);
	case EVENT_END: return end_input(a, err);
	}
	return true;
}

struct pool *aggregate_pool(struct aggregate *aggregate)
{
	return batches_pool(aggregate->batches);
}

void aggregate_undelivered(struct aggregate *aggregate, enum sample_drop why, uint64_t count)
{
	aggregate->counter.ledgers.samples.read += count;
	aggregate->counter.ledgers.samples.dropped[why] += count;
}

bool aggregate_init(struct aggregate *aggregate, const struct image *image,
		    const struct aggregate_options *options,
		    const struct image_match_options *match, struct bc_error *err)
{
	*aggregate = (struct aggregate){.options = *options};
	aggregate->counter.totals = &aggregate->totals;
	counts_init(&aggregate->totals.traces);
	counts_init(&aggregate->totals.basic);
	counts_init(&aggregate->totals.ends);
	aggregate->totals.with_ends = options->ends;
	aggregate->totals.halves = options->halves;
	return image_space_init(&aggregate->space, image, match, err) &&
	       (options->threads < 2 ||
		batches_start(options->threads, &aggregate->counter, &aggregate->batches, err));
}

void aggregate_fini(struct aggregate *aggregate)
{
	batches_stop(aggregate->batches);
	image_space_fini(&aggregate->space);
	sample_counter_free(&aggregate->counter);
	counts_free(&aggregate->totals.traces);
	counts_free(&aggregate->totals.basic);
	counts_free(&aggregate->totals.ends);
	returns_free(&aggregate->returns);
	count_table_free(&aggregate->memory);
	kernel_place_vec_free(&aggregate->kernels);
	flag_vec_free(&aggregate->used);
	for (size_t i = 0; i < aggregate->events.len; i++)
		free(aggregate->events.at[i]);
	name_vec_free(&aggregate->events);
}

static int compare_events(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Each branch can become one more trace, whose end is guessed: sums of all must fit, too. */
static bool imputed_fits(const struct ledgers *ledgers, struct bc_error *err)
{
	struct ledger traces = ledgers->traces;

	return ledger_read(&traces, ledgers->branches.read, err);
}

/* Types of the binary's own branches say no more than R records. */
static bool add_typed_returns(struct aggregate *a, struct bc_error *err)
{
	const struct number_set *typed = &a->counter.types.inside;
	bool ok = !typed->has_zero || returns_add(&a->returns, (struct trace_end){0});

	for (size_t i = 0; ok && i < typed->capacity; i++)
		ok = !typed->at[i] || returns_add(&a->returns, (struct trace_end){typed->at[i]});
	return ok || bc_fail_nomem(err);
}

bool aggregate_finish(struct aggregate *aggregate, bool *basic, struct bc_error *err)
{
	struct sample_counter *counter = &aggregate->counter;
	struct ledger *samples = &counter->ledgers.samples;

	if (aggregate->batches && !batches_collect(aggregate->batches, err))
		return false;
	if (!sample_counter_settle_types(counter, err) || !sample_counter_flush(counter, err) ||
	    !add_typed_returns(aggregate, err))
		return false;
	if (aggregate->options.impute && !imputed_fits(&counter->ledgers, err))
		return false;
	if (!counts_settle(&aggregate->totals.traces, aggregate->options.threads) ||
	    !counts_settle(&aggregate->totals.basic, aggregate->options.threads) ||
	    !counts_settle(&aggregate->totals.ends, aggregate->options.threads))
		return bc_fail_nomem(err);
	*basic = !counter->branches_seen &&
		 (counter->addresses.read ||
		  !(aggregate->stacks_recorded || counter->ledgers.memory.read));
	if (*basic) {
		ledger_add(samples, &counter->addresses);
	} else {
		/* Basic samples say nothing about branches. */
		samples->read += counter->addresses.read;
		samples->dropped[SAMPLE_DROP_NO_STACK] += counter->addresses.read;
	}
	if (aggregate->events.len)
		qsort(aggregate->events.at, aggregate->events.len, sizeof(char *), compare_events);
	return true;
}

/* ---- which samples the user wants ---- */

bool filter_is_set(const struct filter *filter)
{
	return filter->pid_count || filter->event.len || filter->from_ns || filter->to_ns ||
	       filter->most;
}

bool filter_has_pid(const struct filter *filter, uint32_t pid)
{
	for (size_t i = 0; i < filter->pid_count; i++)
		if (filter->pids[i] == pid)
			return true;
	return !filter->pid_count;
}

/* perf prints a colon after an event's name, which users leave out. */
static struct text without_colon(struct text event)
{
	return text_ends(event, ":") ? text_first(event, event.len - 1) : event;
}

/* "cycles" of "cycles:u:": what is before letters that modify an event (perf-list(1)). */
static struct text without_modifier(struct text event)
{
	static const char letters[] = "ukhIGHpPSDWeb";
	size_t end = event.len;

	while (end && event.at[end - 1] != ':' &&
	       text_find(text_of(letters), event.at[end - 1]) < sizeof(letters) - 1)
		end--;
	return end > 1 && end < event.len && event.at[end - 1] == ':' ? text_first(event, end - 1) :
									event;
}

static bool is_event(struct text wanted, struct text event)
{
	event = without_colon(event);
	return text_equal(without_colon(wanted), event) ||
	       text_equal(wanted, without_modifier(event));
}

static void note_event(struct filter_seen *seen, struct text event)
{
	char name[FILTER_NAME];

	event = without_colon(event);
	snprintf(name, sizeof(name), "%.*s", (int)text_first(event, FILTER_NAME).len,
		 event.len ? event.at : "");
	for (size_t i = 0; i < seen->event_count; i++)
		if (!strcmp(seen->events[i], name))
			return;
	if (seen->event_count < FILTER_SEEN)
		memcpy(seen->events[seen->event_count++], name, sizeof(name));
}

static void note_pid(struct filter_seen *seen, uint32_t pid)
{
	for (size_t i = 0; i < seen->pid_count; i++)
		if (seen->pids[i] == pid)
			return;
	if (seen->pid_count < FILTER_SEEN)
		seen->pids[seen->pid_count++] = pid;
}

static void note_time(struct filter_seen *seen, uint64_t time)
{
	if (!seen->other_times || time < seen->first_ns)
		seen->first_ns = time;
	if (time > seen->last_ns)
		seen->last_ns = time;
	seen->other_times = true;
}

static bool note_meant(struct filter_seen *seen, struct text event, struct bc_error *err)
{
	event = text_first(without_colon(event), FILTER_NAME - 1);
	if (!*seen->meant)
		snprintf(seen->meant, sizeof(seen->meant), "%.*s", (int)event.len,
			 event.len ? event.at : "");
	return text_is(event, seen->meant) ||
	       bc_fail(err, BC_MISMATCH, "--event: both %s and %.*s fit", seen->meant,
		       (int)event.len, event.at) ||
	       bc_hint(err, "name one as perf script prints it, with the colon at its end");
}

bool filter_note(struct filter_seen *seen, const struct filter *filter, const struct sample *sample,
		 uint64_t time, enum sample_drop why, struct bc_error *err)
{
	if (why == SAMPLE_DROP_OTHER_EVENT)
		note_event(seen, sample->event);
	else if (why == SAMPLE_DROP_OTHER_PID)
		note_pid(seen, sample->pid);
	else if (why == SAMPLE_DROP_OTHER_TIME)
		note_time(seen, time);
	return why != SAMPLE_KEPT || !filter->event.len || note_meant(seen, sample->event, err);
}

static size_t advance(size_t size, size_t len, int more)
{
	return more < 0 || len + (size_t)more >= size ? size - 1 : len + (size_t)more;
}

void filter_tell(const struct filter_seen *seen, char *line, size_t size)
{
	const uint64_t second = 1000000000, first = seen->first_ns, last = seen->last_ns;
	size_t len = 0;

	*line = '\0';
	for (size_t i = 0; i < seen->event_count; i++)
		len = advance(size, len,
			      snprintf(line + len, size - len, "%s%s",
				       i ? ", " : "events of the recording: ",
				       *seen->events[i] ? seen->events[i] : "without a name"));
	for (size_t i = 0; i < seen->pid_count; i++)
		len = advance(
			size, len,
			seen->pids[i] == NO_PID ?
				snprintf(line + len, size - len, "%sunknown",
					 i ? ", " : "processes of the recording: ") :
				snprintf(line + len, size - len, "%s%" PRIu32,
					 i ? ", " : "processes of the recording: ", seen->pids[i]));
	if (seen->event_count == FILTER_SEEN || seen->pid_count == FILTER_SEEN)
		len = advance(size, len,
			      snprintf(line + len, size - len, " and more (batconv inspect)"));
	if (seen->other_times && last)
		advance(size, len,
			snprintf(line + len, size - len,
				 "%stimes that --time leaves out: %" PRIu64 ".%09" PRIu64
				 " to %" PRIu64 ".%09" PRIu64,
				 len ? "; " : "", first / second, first % second, last / second,
				 last % second));
	else if (seen->other_times)
		advance(size, len,
			snprintf(line + len, size - len,
				 "%sthe samples have no times (perf script -F +time)",
				 len ? "; " : ""));
}

enum sample_drop filter_check(const struct filter *filter, const struct event *event, uint64_t seen)
{
	const struct sample *sample = event->sample;

	if (filter->most && seen >= filter->most)
		return SAMPLE_DROP_PAST_LIMIT;
	if (!filter_has_pid(filter, sample->pid))
		return SAMPLE_DROP_OTHER_PID;
	if (filter->event.len && !is_event(filter->event, sample->event))
		return SAMPLE_DROP_OTHER_EVENT;
	if (event->time < filter->from_ns || (filter->to_ns && event->time >= filter->to_ns))
		return SAMPLE_DROP_OTHER_TIME;
	return SAMPLE_KEPT;
}
