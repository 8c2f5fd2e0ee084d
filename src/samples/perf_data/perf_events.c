/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/perf_data/perf_events.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "src/base/sort.h"
#include "src/samples/perf_data/perf_records.h"

/* Offsets in struct perf_event_attr; they are ABI. */
enum {
	AT_TYPE = 0,
	AT_SIZE = 4,
	AT_CONFIG = 8,
	AT_SAMPLE_TYPE = 24,
	AT_READ_FORMAT = 32,
	AT_FLAGS = 40,
	AT_BRANCH_SAMPLE_TYPE = 72,
	AT_REGS_USER = 80,
	AT_REGS_INTR = 96,
};

static uint64_t field64(struct bytes attr, size_t at)
{
	return range_fits(at, 8, attr.size) ? le64(attr.data + at) : 0;
}

size_t perf_attr_size(struct bytes bytes)
{
	if (bytes.size < PERF_ATTR_SMALLEST)
		return 0;
	uint32_t size = le32(bytes.data + AT_SIZE);
	if (!size)
		size = PERF_ATTR_SMALLEST;
	return size >= PERF_ATTR_SMALLEST && size <= bytes.size ? size : 0;
}

bool perf_attr_parse(struct bytes bytes, struct perf_attr *out)
{
	struct bytes attr = bytes_first(bytes, perf_attr_size(bytes));

	if (!attr.size)
		return false;
	*out = (struct perf_attr){
		.type = le32(attr.data + AT_TYPE),
		.config = field64(attr, AT_CONFIG),
		.sample_type = field64(attr, AT_SAMPLE_TYPE),
		.read_format = field64(attr, AT_READ_FORMAT),
		.flags = field64(attr, AT_FLAGS),
		.branch_sample_type = field64(attr, AT_BRANCH_SAMPLE_TYPE),
		.regs_user = field64(attr, AT_REGS_USER),
		.regs_intr = field64(attr, AT_REGS_INTR),
	};
	return true;
}

static const char *const hardware_names[] = {
	[PERF_COUNT_HW_CPU_CYCLES] = "cycles",
	[PERF_COUNT_HW_INSTRUCTIONS] = "instructions",
	[PERF_COUNT_HW_CACHE_REFERENCES] = "cache-references",
	[PERF_COUNT_HW_CACHE_MISSES] = "cache-misses",
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = "branches",
	[PERF_COUNT_HW_BRANCH_MISSES] = "branch-misses",
	[PERF_COUNT_HW_BUS_CYCLES] = "bus-cycles",
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = "stalled-cycles-frontend",
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = "stalled-cycles-backend",
	[PERF_COUNT_HW_REF_CPU_CYCLES] = "ref-cycles",
};

static const char *const software_names[] = {
	[PERF_COUNT_SW_CPU_CLOCK] = "cpu-clock",
	[PERF_COUNT_SW_TASK_CLOCK] = "task-clock",
	[PERF_COUNT_SW_PAGE_FAULTS] = "page-faults",
	[PERF_COUNT_SW_CONTEXT_SWITCHES] = "context-switches",
	[PERF_COUNT_SW_CPU_MIGRATIONS] = "cpu-migrations",
	[PERF_COUNT_SW_PAGE_FAULTS_MIN] = "minor-faults",
	[PERF_COUNT_SW_PAGE_FAULTS_MAJ] = "major-faults",
	[PERF_COUNT_SW_ALIGNMENT_FAULTS] = "alignment-faults",
	[PERF_COUNT_SW_EMULATION_FAULTS] = "emulation-faults",
	[PERF_COUNT_SW_DUMMY] = "dummy",
};

static const char *generic_name(const struct perf_attr *attr)
{
	/* The upper half of a hardware config is the PMU's number. */
	uint64_t index = attr->config & UINT32_MAX;

	if (attr->type == PERF_TYPE_HARDWARE && index < BC_COUNT(hardware_names))
		return hardware_names[index];
	if (attr->type == PERF_TYPE_SOFTWARE && attr->config < BC_COUNT(software_names))
		return software_names[attr->config];
	return NULL;
}

/* Append the processor modes that are counted, in perf's letters ("u", "k", ...): perf
 * prints them only if some mode is excluded. */
static void format_modifiers(const struct perf_attr *attr, char out[16])
{
	uint64_t flags = attr->flags, precise = flags >> PERF_ATTR_PRECISE_SHIFT & 3;
	bool modes =
		flags & (PERF_ATTR_EXCLUDE_USER | PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_HV);
	bool no_guest = flags & PERF_ATTR_EXCLUDE_GUEST, guest_expected = modes || precise;
	char *end = out;

	*end++ = ':';
	if (modes && !(flags & PERF_ATTR_EXCLUDE_KERNEL))
		*end++ = 'k';
	if (modes && !(flags & PERF_ATTR_EXCLUDE_USER))
		*end++ = 'u';
	if (modes && !(flags & PERF_ATTR_EXCLUDE_HV))
		*end++ = 'h';
	for (uint64_t i = 0; i < precise; i++)
		*end++ = 'p';
	if ((flags & PERF_ATTR_EXCLUDE_HOST) || no_guest == guest_expected) {
		if (!(flags & PERF_ATTR_EXCLUDE_HOST))
			*end++ = 'H';
		if (!no_guest)
			*end++ = 'G';
	}
	*end = '\0';
	if (end == out + 1)
		*out = '\0';
}

void perf_attr_name(const struct perf_attr *attr, char out[PERF_EVENT_NAME_MAX])
{
	const char *name = generic_name(attr);
	char modifiers[16];

	format_modifiers(attr, modifiers);
	if (name)
		snprintf(out, PERF_EVENT_NAME_MAX, "%s%s", name, modifiers);
	else if (attr->type == PERF_TYPE_RAW)
		snprintf(out, PERF_EVENT_NAME_MAX, "raw 0x%" PRIx64 "%s", attr->config, modifiers);
	else
		*out = '\0';
}

/* Bits that are younger than the header that this may be compiled with. */
#define FORMAT_LOST     (UINT64_C(1) << 4)
#define BRANCH_HW_INDEX (UINT64_C(1) << 17)
#define BRANCH_COUNTERS (UINT64_C(1) << 19)

/* Each takes branches of one kind. */
#define BRANCH_KINDS                                                                               \
	(PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_ANY_RETURN |                             \
	 PERF_SAMPLE_BRANCH_IND_CALL | PERF_SAMPLE_BRANCH_ABORT_TX | PERF_SAMPLE_BRANCH_IN_TX |    \
	 PERF_SAMPLE_BRANCH_NO_TX | PERF_SAMPLE_BRANCH_COND | PERF_SAMPLE_BRANCH_CALL_STACK |      \
	 PERF_SAMPLE_BRANCH_IND_JUMP | PERF_SAMPLE_BRANCH_CALL)
#define SAMPLE_WEIGHT_STRUCT (UINT64_C(1) << 24)
#define REGS_ABI_SIMD        (UINT64_C(1) << 2)

/* Fields of eight bytes each between the ones that vary in size. */
#define FIXED_BEFORE_READ                                                                          \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |             \
	 PERF_SAMPLE_PERIOD)
#define FIXED_BEFORE_AUX                                                                           \
	(PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP | PERF_SAMPLE_DATA_PAGE_SIZE |                 \
	 PERF_SAMPLE_CODE_PAGE_SIZE)
#define BEHIND_STACK                                                                               \
	(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT |                     \
	 SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION |                   \
	 PERF_SAMPLE_REGS_INTR | FIXED_BEFORE_AUX | PERF_SAMPLE_AUX)

static uint8_t bit_count(uint64_t mask)
{
	return (uint8_t)__builtin_popcountll(mask);
}

/* The offset of the next field of eight bytes, or PERF_NO_FIELD if `type` does not have it.
 * *end moves after the field. */
static uint8_t next_field(uint64_t type, uint64_t bit, uint8_t *end)
{
	uint8_t at = *end;

	if (!(type & bit))
		return PERF_NO_FIELD;
	*end = (uint8_t)(at + 8);
	return at;
}

static void lay_out_fields(uint64_t type, struct perf_sample_layout *out)
{
	uint8_t end = 0;
	uint8_t identifier = next_field(type, PERF_SAMPLE_IDENTIFIER, &end);

	out->ip = next_field(type, PERF_SAMPLE_IP, &end);
	out->tid = next_field(type, PERF_SAMPLE_TID, &end);
	out->time = next_field(type, PERF_SAMPLE_TIME, &end);
	out->addr = next_field(type, PERF_SAMPLE_ADDR, &end);
	out->id = next_field(type, PERF_SAMPLE_ID, &end);
	next_field(type, PERF_SAMPLE_STREAM_ID, &end);
	next_field(type, PERF_SAMPLE_CPU, &end);
	out->period = next_field(type, PERF_SAMPLE_PERIOD, &end);
	out->fixed_size = end;
	if (identifier != PERF_NO_FIELD)
		out->id = identifier;
}

/* Offsets in the trailer are counted back from the end of a record. */
static void lay_out_trailer(const struct perf_attr *attr, struct perf_sample_layout *out)
{
	uint64_t type = attr->flags & PERF_ATTR_SAMPLE_ID_ALL ? attr->sample_type : 0;
	uint8_t end = 0, identifier, id;

	out->end_tid = out->end_time = out->end_id = out->end_cpu = PERF_NO_FIELD;
	/* next_field() returns the size of what is after a field; the field has 8 bytes more.
	 */
	identifier = next_field(type, PERF_SAMPLE_IDENTIFIER, &end);
	if (next_field(type, PERF_SAMPLE_CPU, &end) != PERF_NO_FIELD)
		out->end_cpu = end;
	next_field(type, PERF_SAMPLE_STREAM_ID, &end);
	id = next_field(type, PERF_SAMPLE_ID, &end);
	if (identifier != PERF_NO_FIELD)
		out->end_id = 8;
	else if (id != PERF_NO_FIELD)
		out->end_id = (uint8_t)(id + 8);
	if (next_field(type, PERF_SAMPLE_TIME, &end) != PERF_NO_FIELD)
		out->end_time = end;
	if (next_field(type, PERF_SAMPLE_TID, &end) != PERF_NO_FIELD)
		out->end_tid = end;
	out->end_size = end;
}

void perf_sample_layout(const struct perf_attr *attr, struct perf_sample_layout *out)
{
	*out = (struct perf_sample_layout){
		.sample_type = attr->sample_type,
		.read_format = attr->read_format,
		.stack_extra = attr->branch_sample_type & BRANCH_HW_INDEX ? 8 : 0,
		.stack_counters = attr->branch_sample_type & BRANCH_COUNTERS,
		.regs_user = bit_count(attr->regs_user),
		.regs_intr = bit_count(attr->regs_intr),
	};
	lay_out_fields(attr->sample_type, out);
	lay_out_trailer(attr, out);
}

bool perf_sample_layout_equal(const struct perf_sample_layout *a,
			      const struct perf_sample_layout *b)
{
	return a->sample_type == b->sample_type && a->read_format == b->read_format &&
	       a->stack_extra == b->stack_extra && a->stack_counters == b->stack_counters &&
	       a->regs_user == b->regs_user && a->regs_intr == b->regs_intr &&
	       a->end_size == b->end_size;
}

/* Counter values: one, or those of a group. */
static void skip_read(struct perf_cursor *c, uint64_t format)
{
	size_t times = 8 * (size_t)bit_count(format & (PERF_FORMAT_TOTAL_TIME_ENABLED |
						       PERF_FORMAT_TOTAL_TIME_RUNNING));
	size_t each = 8 + 8 * (size_t)bit_count(format & (PERF_FORMAT_ID | FORMAT_LOST));
	uint64_t count = format & PERF_FORMAT_GROUP ? cursor_u64(c) : 1;

	cursor_take(c, times);
	cursor_skip(c, count, each);
}

/* Vectors and predicates: how many there are of each, and of how many words. */
static void skip_vectors(struct perf_cursor *c)
{
	uint64_t sizes = cursor_u64(c);
	uint64_t vectors = (sizes & 0xffff) * (sizes >> 16 & 0xffff);
	uint64_t predicates = (sizes >> 32 & 0xffff) * (sizes >> 48);

	cursor_skip(c, vectors + predicates, 8);
}

/* The registers are there only if the ABI before them is not "none". */
static void skip_regs(struct perf_cursor *c, uint8_t count)
{
	uint64_t abi = cursor_u64(c);

	if (abi == PERF_SAMPLE_REGS_ABI_NONE)
		return;
	cursor_skip(c, count, 8);
	if (abi & REGS_ABI_SIMD)
		skip_vectors(c);
}

static void skip_user_stack(struct perf_cursor *c)
{
	uint64_t size = cursor_u64(c);

	cursor_take(c, size);
	if (size)
		cursor_u64(c); /* how much of it was used */
}

static void parse_chain(struct perf_cursor *c, struct perf_sample *out)
{
	uint64_t count = cursor_u64(c);

	out->callchain = c->rest.data;
	cursor_skip(c, count, 8);
	out->callchain_count = c->failed ? 0 : (size_t)count;
}

/* Read the fields between the fixed ones and the branch stack. */
static void parse_to_stack(const struct perf_sample_layout *layout, struct perf_cursor *c,
			   struct perf_sample *out)
{
	uint64_t type = layout->sample_type;

	if (type & PERF_SAMPLE_READ)
		skip_read(c, layout->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		parse_chain(c, out);
	if (type & PERF_SAMPLE_RAW)
		cursor_take(c, cursor_u32(c)); /* the size makes both a multiple of 8 */
}

static bool parse_behind_stack(const struct perf_sample_layout *layout, struct perf_cursor c,
			       struct perf_sample *out)
{
	uint64_t type = layout->sample_type, data_src = 0, trace_size = 0;

	if (type & PERF_SAMPLE_REGS_USER)
		skip_regs(&c, layout->regs_user);
	if (type & PERF_SAMPLE_STACK_USER)
		skip_user_stack(&c);
	if (type & (PERF_SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT))
		cursor_u64(&c);
	if (type & PERF_SAMPLE_DATA_SRC)
		data_src = cursor_u64(&c);
	if (type & PERF_SAMPLE_TRANSACTION)
		cursor_u64(&c);
	if (type & PERF_SAMPLE_REGS_INTR)
		skip_regs(&c, layout->regs_intr);
	cursor_skip(&c, bit_count(type & FIXED_BEFORE_AUX), 8);
	if (type & PERF_SAMPLE_AUX) {
		trace_size = cursor_u64(&c);
		cursor_take(&c, trace_size);
	}
	if (c.failed)
		return false;
	out->data_src = data_src;
	out->trace_size = trace_size;
	return true;
}

static bool parse_stack(const struct perf_sample_layout *layout, struct perf_cursor *c,
			struct perf_sample *out)
{
	uint64_t count = cursor_u64(c);

	if (c->failed)
		return false;
	out->has_stack = true;
	/* For a sample without a branch stack the kernel leaves out the hardware index, but perf
	 * inject writes it.  The words that follow show which it was. */
	if (!count) {
		struct perf_cursor next = *c;
		cursor_take(&next, layout->stack_extra);
		if (!next.failed && parse_behind_stack(layout, next, out))
			*c = next;
		return true;
	}
	cursor_take(c, layout->stack_extra);
	out->branches = c->rest.data;
	cursor_skip(c, count, sizeof(struct branch));
	if (layout->stack_counters)
		cursor_skip(c, count, 8);
	out->branch_count = c->failed ? 0 : (size_t)count;
	return !c->failed;
}

static uint64_t at64(const uint8_t *body, uint8_t at)
{
	return at == PERF_NO_FIELD ? 0 : le64(body + at);
}

bool perf_sample_parse(const struct perf_sample_layout *layout, struct bytes body,
		       struct perf_sample *out)
{
	if (body.size < layout->fixed_size)
		return false;
	*out = (struct perf_sample){
		.ip = at64(body.data, layout->ip),
		.time = at64(body.data, layout->time),
		.addr = at64(body.data, layout->addr),
		.id = at64(body.data, layout->id),
		.period = at64(body.data, layout->period),
	};
	if (layout->tid != PERF_NO_FIELD) {
		out->pid = le32(body.data + layout->tid);
		out->tid = le32(body.data + layout->tid + 4);
	}
	struct perf_cursor c = perf_cursor(bytes_from(body, layout->fixed_size));
	parse_to_stack(layout, &c, out);
	if ((layout->sample_type & PERF_SAMPLE_BRANCH_STACK) && !parse_stack(layout, &c, out))
		return false;
	if (layout->sample_type & BEHIND_STACK)
		return parse_behind_stack(layout, c, out);
	return !c.failed;
}

static bool can_read_in_place(const uint8_t *at)
{
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ &&
	       (uintptr_t)at % _Alignof(struct branch) == 0;
}

const struct branch *perf_branches(const struct perf_sample *sample, struct branch *scratch)
{
	const uint8_t *at = sample->branches;

	if (can_read_in_place(at))
		return (const struct branch *)(const void *)at;
	for (size_t i = 0; i < sample->branch_count; i++, at += sizeof(struct branch))
		scratch[i] = (struct branch){le64(at), le64(at + 8), le64(at + 16)};
	return scratch;
}

size_t perf_callchain(const struct perf_sample *sample, uint64_t *out)
{
	size_t count = 0;

	/* The marks are the topmost addresses: PERF_CONTEXT_MAX is -4095. */
	for (size_t i = 0; i < sample->callchain_count && i < PERF_CALLCHAIN_MAX; i++) {
		uint64_t at = le64(sample->callchain + 8 * i);
		if (at < (uint64_t)PERF_CONTEXT_MAX)
			out[count++] = at;
	}
	return count;
}

uint64_t perf_sample_time(const struct perf_sample_layout *layout, struct bytes body)
{
	return body.size < layout->fixed_size ? 0 : at64(body.data, layout->time);
}

static uint64_t back64(struct bytes body, uint8_t back)
{
	return back == PERF_NO_FIELD ? 0 : le64(body.data + body.size - back);
}

struct perf_trailer perf_trailer_parse(const struct perf_sample_layout *layout, struct bytes body)
{
	if (body.size < layout->end_size)
		return (struct perf_trailer){.cpu = PERF_NO_CPU};
	struct perf_trailer out = {
		.time = back64(body, layout->end_time),
		.id = back64(body, layout->end_id),
		.cpu = layout->end_cpu == PERF_NO_FIELD ?
			       PERF_NO_CPU :
			       le32(body.data + body.size - layout->end_cpu),
	};
	if (layout->end_tid != PERF_NO_FIELD) {
		out.pid = le32(body.data + body.size - layout->end_tid);
		out.tid = le32(body.data + body.size - layout->end_tid + 4);
	}
	return out;
}

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

/* The kernel refuses an event without any kind; perf inject --itrace writes one, with stacks of all
 * branches. */
static bool has_partial_stacks(const struct perf_attr *attr)
{
	return attr->sample_type & PERF_SAMPLE_BRANCH_STACK &&
	       attr->branch_sample_type & BRANCH_KINDS &&
	       !(attr->branch_sample_type & PERF_SAMPLE_BRANCH_ANY);
}

bool perf_events_add(struct perf_events *events, const struct perf_attr *attr, struct bytes ids,
		     struct bc_error *err)
{
	struct perf_event event = {.attr = *attr};
	char name[PERF_EVENT_NAME_MAX];

	perf_sample_layout(attr, &event.layout);
	event.partial_stacks = has_partial_stacks(attr);
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

	return first < events->ids.len && events->ids.at[first].id == id ? &events->ids.at[first] :
									   NULL;
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
		return bc_fail(
			err, BC_FORMAT,
			"its events are described or named over and over: more than the limit of %" PRIu64
			" looks at them",
			PERF_EVENTS_WORK_MOST);
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
		return bc_fail(
			err, BC_UNSUPPORTED,
			"its events record different fields, and nothing distinguishes their samples");
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
