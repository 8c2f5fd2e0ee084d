/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/count/filter.h"

#include <inttypes.h>
#include <stdio.h>

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

/* perf prints a colon behind an event's name, which users leave out. */
static struct text without_colon(struct text event)
{
	return text_ends(event, ":") ? text_first(event, event.len - 1) : event;
}

/* "cycles" of "cycles:u:": what stands before letters that modify an event (perf-list(1)). */
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
	       bc_fail(err, BC_MISMATCH,
		       "--event: there are %s and %.*s: name one (as perf script prints it, with the colon at its end)",
		       seen->meant, (int)event.len, event.at);
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
