/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The events of a recording, and which of them a record belongs to.  The kernel
 * gives each event one id per processor or thread; records carry it if more than
 * one event was recorded.
 */
#ifndef EVENT_PERF_DATA_EVENTS_H
#define EVENT_PERF_DATA_EVENTS_H

#include "src/base/vec.h"
#include "src/event/perf_data/sample.h"

struct perf_event {
	struct perf_attr attr;
	struct perf_sample_layout layout;
	bool partial_stacks; /* its branch stacks leave branches out */
	char label[PERF_EVENT_NAME_MAX + 1]; /* name and colon; "" if not known */
};
DEFINE_VEC(perf_event_vec, struct perf_event);

struct perf_event_id {
	uint64_t id;
	uint32_t event; /* index */
};
DEFINE_VEC(perf_event_id_vec, struct perf_event_id);

struct perf_events {
	struct perf_event_vec all;
	struct perf_event_id_vec ids;
	bool ids_sorted;
	uint64_t work;   /* rows of events and ids that were searched or sorted */
	uint8_t id_at;    /* bytes from the beginning of every sample's body,   */
	uint8_t id_back;  /* from the end of every trailer, or PERF_NO_FIELD     */
	bool same_layout; /* whatever the id */
};

void perf_events_free(struct perf_events *events);

/* Add an event.  ids: 8 bytes each, a rest is ignored. */
BC_MUST_USE bool perf_events_add(struct perf_events *events, const struct perf_attr *attr,
				 struct bytes ids, struct bc_error *err);

/* Name the event that has an id, or the event of an index.  Unknown ones are
 * ignored, and longer names cut. */
void perf_events_name_by_id(struct perf_events *events, uint64_t id, struct text name);
void perf_events_name(struct perf_events *events, size_t index, struct text name);

/* Name the events of a type and config that have no name so far. */
void perf_events_name_by_config(struct perf_events *events, uint32_t type, uint64_t config,
				struct text name);

/* The most rows that are searched or sorted.  A pipe can describe and name events at any
 * time, and each time all rows are. */
#define PERF_EVENTS_WORK_MOST (UINT64_C(1) << 24)

/* Call after the last perf_events_add() and before looking up.
 *
 * BC_FORMAT       there is no event; more than PERF_EVENTS_WORK_MOST
 * BC_UNSUPPORTED  samples of different layouts have their id in different
 *                 places, or none */
BC_MUST_USE bool perf_events_settle(struct perf_events *events, struct bc_error *err);

/* The event of a sample or of another record, by the id in its body.  NULL if no
 * event has that id.  A record without an id belongs to the first event, as do
 * those with id 0, which perf makes up. */
const struct perf_event *perf_events_of_sample(const struct perf_events *events,
					       struct bytes body);
const struct perf_event *perf_events_of_record(const struct perf_events *events,
					       struct bytes body);

#endif
