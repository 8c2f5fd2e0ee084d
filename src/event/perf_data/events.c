/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/event/perf_data/events.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <string.h>

#include "src/base/search.h"

void perf_events_free(struct perf_events *events)
{
	perf_event_vec_free(&events->all);
	perf_event_id_vec_free(&events->ids);
	*events = (struct perf_events){0};
}

static void set_label(struct perf_event *event, struct text name)
{
	struct text cut = text_first(name, PERF_EVENT_NAME_MAX - 1);

	if (!cut.len)
		return;
	memcpy(event->label, cut.at, cut.len);
	memcpy(event->label + cut.len, ":", 2);
}

bool perf_events_add(struct perf_events *events, const struct perf_attr *attr, struct bytes ids,
		     struct bc_error *err)
{
	struct perf_event event = {.attr = *attr};
	char name[PERF_EVENT_NAME_MAX];

	perf_sample_layout(attr, &event.layout);
	event.partial_stacks = (attr->sample_type & PERF_SAMPLE_BRANCH_STACK) &&
			       !(attr->branch_sample_type & PERF_SAMPLE_BRANCH_ANY);
	perf_attr_name(attr, name);
	set_label(&event, text_of(name));
	uint32_t index = (uint32_t)events->all.len;
	if (!perf_event_vec_push(&events->all, event))
		return bc_fail_nomem(err);
	for (size_t at = 0; ids.size - at >= 8; at += 8)
		if (!perf_event_id_vec_push(&events->ids,
					    (struct perf_event_id){le64(ids.data + at), index}))
			return bc_fail_nomem(err);
	events->ids_sorted = false;
	return true;
}

static int compare_ids(const void *a, const void *b)
{
	const struct perf_event_id *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

DEFINE_SEARCH(first_id_from, struct perf_event_id, uint64_t, item->id < key)

/* The row of an id, with the first of the events that have it; NULL: no event has it. */
static const struct perf_event_id *find_id(const struct perf_events *events, uint64_t id)
{
	size_t first = first_id_from(events->ids.at, events->ids.len, id);

	return first < events->ids.len && events->ids.at[first].id == id ? &events->ids.at[first] : NULL;
}

/* Counts work: `count` rows are going to be searched or sorted.  Returns false when that was
 * too much: then names are left out, and perf_events_settle() fails. */
static bool spend_work(struct perf_events *events, size_t count)
{
	if (events->work <= PERF_EVENTS_WORK_MOST)
		events->work += count;
	return events->work <= PERF_EVENTS_WORK_MOST;
}

static bool sort_ids(struct perf_events *events)
{
	if (!events->ids_sorted && !spend_work(events, events->ids.len))
		return false;
	if (events->ids.len && !events->ids_sorted)
		qsort(events->ids.at, events->ids.len, sizeof(*events->ids.at), compare_ids);
	events->ids_sorted = true;
	return true;
}

/* The offset of a field if it is the same in all events, or PERF_NO_FIELD. */
static uint8_t common(uint8_t so_far, uint8_t here)
{
	return so_far == here ? here : PERF_NO_FIELD;
}

bool perf_events_settle(struct perf_events *events, struct bc_error *err)
{
	const struct perf_event *first = events->all.at;

	if (!events->all.len)
		return bc_fail(err, BC_FORMAT, "no event is described before the first record");
	if (!sort_ids(events) || !spend_work(events, events->all.len))
		return bc_fail(err, BC_FORMAT, "its events are described or named over and over: more than the limit of %"
			       PRIu64 " looks at them", PERF_EVENTS_WORK_MOST);
	events->same_layout = true;
	events->id_at = first->layout.id;
	events->id_back = first->layout.end_id;
	for (size_t i = 1; i < events->all.len; i++) {
		const struct perf_sample_layout *layout = &events->all.at[i].layout;
		events->id_at = common(events->id_at, layout->id);
		events->id_back = common(events->id_back, layout->end_id);
		if (!perf_sample_layout_equal(&first->layout, layout))
			events->same_layout = false;
	}
	if (!events->same_layout && events->id_at == PERF_NO_FIELD)
		return bc_fail(err, BC_UNSUPPORTED,
			       "its events record different fields and nothing tells their samples "
			       "apart");
	return true;
}

void perf_events_name(struct perf_events *events, size_t index, struct text name)
{
	if (index < events->all.len)
		set_label(&events->all.at[index], name);
}

void perf_events_name_by_id(struct perf_events *events, uint64_t id, struct text name)
{
	const struct perf_event_id *row = sort_ids(events) ? find_id(events, id) : NULL;
	if (row)
		perf_events_name(events, row->event, name);
}

void perf_events_name_by_config(struct perf_events *events, uint32_t type, uint64_t config,
				struct text name)
{
	size_t count = spend_work(events, events->all.len) ? events->all.len : 0;

	for (size_t i = 0; i < count; i++) {
		struct perf_event *event = &events->all.at[i];
		if (event->attr.type == type && event->attr.config == config && !*event->label)
			set_label(event, name);
	}
}

static const struct perf_event *by_id(const struct perf_events *events, uint64_t id)
{
	if (!id)
		return &events->all.at[0];
	const struct perf_event_id *row = find_id(events, id);
	return row ? &events->all.at[row->event] : NULL;
}

const struct perf_event *perf_events_of_sample(const struct perf_events *events, struct bytes body)
{
	uint8_t at = events->id_at;

	if (events->all.len == 1 || at == PERF_NO_FIELD)
		return &events->all.at[0];
	return body.size >= (size_t)at + 8 ? by_id(events, le64(body.data + at)) : NULL;
}

const struct perf_event *perf_events_of_record(const struct perf_events *events, struct bytes body)
{
	uint8_t back = events->id_back;

	if (events->all.len == 1 || events->same_layout || back == PERF_NO_FIELD ||
	    body.size < back)
		return &events->all.at[0];
	return by_id(events, le64(body.data + body.size - back));
}
