/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/filter.h"

bool filter_is_set(const struct filter *filter)
{
	return filter->pid_count || filter->event.len || filter->from_ns || filter->to_ns ||
	       filter->most;
}

static bool has_pid(const struct filter *filter, uint32_t pid)
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

enum sample_drop filter_check(const struct filter *filter, const struct event *event, uint64_t seen)
{
	const struct sample *sample = event->sample;

	if (filter->most && seen >= filter->most)
		return SAMPLE_PAST_LIMIT;
	if (!has_pid(filter, sample->pid))
		return SAMPLE_OTHER_PID;
	if (filter->event.len &&
	    !text_equal(without_colon(filter->event), without_colon(sample->event)))
		return SAMPLE_OTHER_EVENT;
	if (event->time < filter->from_ns || (filter->to_ns && event->time >= filter->to_ns))
		return SAMPLE_OTHER_TIME;
	return SAMPLE_DROP_COUNT;
}
