/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/self_check.h"

#include <inttypes.h>
#include <stdlib.h>

/* A test builds this file to count wrongly, to see that it is noticed. */
#ifndef SELF_CHECK_MISCOUNT
#define SELF_CHECK_MISCOUNT 0
#endif

#define ERRATUM_STACK 32
#define KERNEL_HALF (UINT64_C(1) << 63)

static bool fail(struct bc_error *err, const char *what, uint64_t is, uint64_t should)
{
	return bc_fail(err, BC_BUG, "self-check: %s: %" PRIu64 ", should be %" PRIu64, what, is, should);
}

static bool same(uint64_t is, uint64_t should, const char *what, struct bc_error *err)
{
	return is == should || fail(err, what, is, should);
}

void check_sum_merge(struct check_sum *sum, const struct check_sum *from)
{
	sum->plain += from->plain;
	sum->count += from->count;
	sum->extra += from->extra;
}

/* What is counted where. */

static bool is_load(const struct sample *sample)
{
	const char *word = "mem-loads";
	size_t length = strlen(word);

	for (size_t i = 0; sample->data.v && i + length <= sample->event.len; i++)
		if (!memcmp(sample->event.at + i, word, length))
			return true;
	return false;
}

static bool of_kernel(const struct branch *b)
{
	return b->from >= KERNEL_HALF || b->to >= KERNEL_HALF;
}

static size_t skipped_entries(struct self_check *s, const struct sample *sample)
{
	size_t user = 0;

	if (!s->aggregate->options.erratum)
		return 0;
	for (size_t i = 0; i < sample->branch_count; i++)
		user += !of_kernel(&sample->branches[i]);
	s->erratum_seen |= user == ERRATUM_STACK;
	return s->erratum_seen ? 2 : 0;
}

static uint64_t place_of(struct process_view *view, uint64_t run)
{
	struct vaddr at = {0};

	return process_view_locate(view, (struct run_addr){run}, &at) == LOCATED_IMAGE ? at.v : TRACE_EXTERNAL;
}

/* A trace is a branch and what ran until the next newer one. */
static void expect_stack(struct self_check *s, const struct sample *sample, struct process_view view)
{
	size_t skip = view.has_image ? skipped_entries(s, sample) : 0;
	uint64_t end = TRACE_BR_ONLY;

	for (size_t i = 0; view.has_image && i < sample->branch_count; i++) {
		const struct branch *b = &sample->branches[i];
		if (of_kernel(b) && !view.is_kernel)
			continue;
		if (skip) {
			skip--;
			continue;
		}
		uint64_t from = place_of(&view, b->from), to = place_of(&view, b->to);
		s->runs += end != TRACE_BR_ONLY;
		if (from != TRACE_EXTERNAL || to != TRACE_EXTERNAL)
			check_sum_add(&s->traces, check_hash(to, from, end), 1,
				      b->flags & BRANCH_MISPREDICTED);
		end = sample->partial ? TRACE_BR_ONLY : from;
	}
}

static void expect_sample(struct self_check *s, const struct sample *sample)
{
	bool automatic = s->aggregate->options.mode == MODE_AUTO;
	bool stack = automatic && sample->branch_count;
	struct vaddr at = {0};

	if (filter_check(&s->aggregate->options.filter, sample, s->seen++) != SAMPLE_DROP_COUNT) {
		s->samples++;
		s->branches += sample->branch_count;
		return;
	}
	bool load = is_load(sample);
	s->accesses += load;
	if (load && !stack && automatic)
		return;
	struct process_view view = process_view(&s->aggregate->maps, sample->pid);
	s->samples += 1 + SELF_CHECK_MISCOUNT;
	s->branches += sample->branch_count;
	if (stack)
		expect_stack(s, sample, view);
	else if (process_view_locate(&view, sample->ip, &at) == LOCATED_IMAGE)
		check_sum_add(&s->basic, check_hash(at.v, 0, 0), 1, 0);
}

static void add_counted(struct self_check *s, uint64_t *to, uint64_t count)
{
	s->overflow |= count > UINT64_MAX - *to;
	*to += count;
}

static void expect_trace(struct self_check *s, const struct trace *trace, uint64_t count,
			 uint64_t mispredicted)
{
	if (trace->branch < TRACE_FT_RETURN)
		add_counted(s, &s->branches, count);
	if (trace->to != TRACE_BR_ONLY)
		add_counted(s, &s->runs, count);
	if (count && s->aggregate->options.mode == MODE_AUTO) {
		s->overflow |= mispredicted > count;
		check_sum_add(&s->traces, check_hash(trace->from, trace->branch, trace->to), count,
			      mispredicted);
	}
}

/* The sink in between. */

static bool on_map(void *ctx, const struct map_event *event, struct bc_error *err)
{
	const struct sample_sink *inner = &((struct self_check *)ctx)->inner;

	return inner->map(inner->ctx, event, err);
}

static bool on_exec(void *ctx, uint32_t pid, struct bc_error *err)
{
	const struct sample_sink *inner = &((struct self_check *)ctx)->inner;

	return inner->exec(inner->ctx, pid, err);
}

static bool on_fork(void *ctx, uint32_t parent, uint32_t child, struct bc_error *err)
{
	const struct sample_sink *inner = &((struct self_check *)ctx)->inner;

	return inner->fork(inner->ctx, parent, child, err);
}

static bool on_exit(void *ctx, uint32_t pid, uint32_t tid, struct bc_error *err)
{
	const struct sample_sink *inner = &((struct self_check *)ctx)->inner;

	return inner->exit(inner->ctx, pid, tid, err);
}

static bool on_sample(void *ctx, const struct sample *sample, struct bc_error *err)
{
	struct self_check *s = ctx;

	expect_sample(s, sample);
	return s->inner.sample(s->inner.ctx, sample, err);
}

static bool on_trace(void *ctx, const struct trace *trace, bool is_return, uint64_t count,
		     uint64_t mispredicted, struct bc_error *err)
{
	struct self_check *s = ctx;

	expect_trace(s, trace, count, mispredicted);
	return s->inner.trace(s->inner.ctx, trace, is_return, count, mispredicted, err);
}

static bool on_traces(void *ctx, const struct trace_record *records, size_t count,
		      struct sample_memory *memory, struct bc_error *err)
{
	struct self_check *s = ctx;

	for (size_t i = 0; i < count; i++)
		expect_trace(s, &records[i].trace, records[i].count, records[i].mispredicted);
	return s->inner.traces(s->inner.ctx, records, count, memory, err);
}

static bool on_basic(void *ctx, struct vaddr at, uint64_t count, struct bc_error *err)
{
	struct self_check *s = ctx;

	add_counted(s, &s->samples, count);
	check_sum_add(&s->basic, check_hash(at.v, 0, 0), count, 0);
	return s->inner.basic(s->inner.ctx, at, count, err);
}

static bool on_event(void *ctx, struct text name, struct bc_error *err)
{
	const struct sample_sink *inner = &((struct self_check *)ctx)->inner;

	return inner->event(inner->ctx, name, err);
}

static void on_recording(void *ctx)
{
	const struct sample_sink *inner = &((struct self_check *)ctx)->inner;

	if (inner->recording)
		inner->recording(inner->ctx);
}

static bool on_settle(void *ctx, struct bc_error *err)
{
	const struct sample_sink *inner = &((struct self_check *)ctx)->inner;

	return !inner->settle || inner->settle(inner->ctx, err);
}

struct sample_sink self_check_sink(struct self_check *check, const struct aggregate *aggregate,
				   struct sample_sink inner)
{
	check->aggregate = aggregate;
	check->inner = inner;
	check->seen = 0;
	check->erratum_seen = false;
	return (struct sample_sink){
		.ctx = check, .map = on_map, .exec = on_exec, .fork = on_fork, .exit = on_exit,
		.sample = on_sample, .trace = on_trace, .traces = inner.traces ? on_traces : NULL,
		.basic = on_basic, .event = on_event,
		.recording = on_recording, .settle = on_settle,
	};
}

void self_check_undelivered(struct self_check *check, uint64_t count)
{
	check->samples += count;
}

/* What was counted. */

struct counted {
	struct check_sum keys;   /* of all rows */
	uint64_t branches, runs; /* of traces: rows that have one, times their counts */
};

static void add_row(struct counted *sum, const struct count_row *row)
{
	struct trace trace = trace_of(row->key);

	check_sum_add(&sum->keys, check_hash(row->key[0], row->key[1], row->key[2]), row->count,
		      row->extra);
	if (trace.branch < TRACE_FT_RETURN)
		sum->branches += row->count;
	if (trace.to != TRACE_BR_ONLY)
		sum->runs += row->count;
}

static void add_table(struct counted *sum, const struct count_table *table)
{
	for (size_t i = 0; i < table->capacity; i++)
		if (table->rows[i].count)
			add_row(sum, &table->rows[i]);
}

static struct counted add_all(const struct counts *counts)
{
	struct counted sum = {0};

	for (size_t i = 0; i < COUNTS_SHARDS; i++)
		add_table(&sum, &counts->shards[i]);
	return sum;
}

struct check_sum check_sum_counts(const struct counts *counts)
{
	return add_all(counts).keys;
}

static bool same_sums(const struct check_sum *is, const struct check_sum *should, const char *what,
		      struct bc_error *err)
{
	if (!same(is->plain, should->plain, what, err))
		return false;
	return (is->count == should->count && is->extra == should->extra) ||
	       bc_fail(err, BC_BUG, "self-check: %s: the counts add up, but some are of other places", what);
}

static uint64_t left_of(const struct ledger *ledger)
{
	return ledger->read - ledger_dropped(ledger);
}

bool self_check_counts(const struct self_check *check, bool basic, struct bc_error *err)
{
	if (!check->on || check->overflow || !check->aggregate)
		return true;
	const struct aggregate *a = check->aggregate;
	const struct ledgers *ledgers = &a->tally.ledgers;
	struct counted traces = add_all(&a->totals.traces), addresses = add_all(&a->totals.basic);
	struct counted loads = {0};

	add_table(&loads, &a->memory);
	return same(ledgers->samples.read, check->samples, "samples read", err) &&
	       same(ledgers->branches.read, check->branches, "branches read", err) &&
	       same(ledgers->memory.read, check->accesses, "accesses to memory read", err) &&
	       same(ledgers->traces.read, check->runs, "fall-throughs read", err) &&
	       same_sums(&traces.keys, &check->traces, "traces counted", err) &&
	       same_sums(&addresses.keys, &check->basic, "addresses counted", err) &&
	       same(traces.branches, left_of(&ledgers->branches), "branches counted", err) &&
	       same(traces.runs, left_of(&ledgers->traces), "fall-throughs counted", err) &&
	       same(loads.keys.plain, left_of(&ledgers->memory), "accesses to memory counted", err) &&
	       (!basic || same(addresses.keys.plain, left_of(&ledgers->samples), "samples counted", err));
}

bool self_check_ledgers(const struct self_check *check, const struct ledgers *l, struct bc_error *err)
{
	const struct {
		const struct ledger *ledger;
		const char *what;
	} all[] = {{&l->samples, "samples kept and dropped"},
		   {&l->branches, "branches kept and dropped"},
		   {&l->traces, "fall-throughs kept and dropped"},
		   {&l->memory, "accesses to memory kept and dropped"}};

	for (size_t i = 0; check->on && !check->overflow && i < BC_COUNT(all); i++)
		if (!same(all[i].ledger->kept + ledger_dropped(all[i].ledger), all[i].ledger->read,
			  all[i].what, err))
			return false;
	return true;
}

/* The profile. */

static uint64_t place_word(const struct binary *binary, const struct input_place *place)
{
	if (!place->function)
		return 0;
	return ((uint64_t)(place->function - binary->functions.at) + 1) << 32 | place->offset;
}

void self_check_record(struct check_sum *pushed, const struct binary *binary,
		       const struct record *record)
{
	check_sum_add(pushed, check_hash(place_word(binary, &record->from),
					 place_word(binary, &record->to), record->kind),
		      record->count, record->count ? record->mispredicted : 0);
}

/* How far into each input function the table leads, and where BOLT left it alone, its size. */

static uint64_t emitted_end(const struct bat_table *bat, const struct bat_fragment *f, uint64_t size)
{
	const struct bat_entry *entries = bat->entries + f->first_entry;
	uint64_t most = f->entry_count ? entries[0].output : size; /* before the first: unchanged */

	for (uint32_t i = 0; i < f->entry_count; i++) {
		uint64_t next = i + 1 < f->entry_count ? entries[i + 1].output : size;
		uint64_t length = next > entries[i].output ? next - entries[i].output : 1;
		uint64_t end = bat_entry_input(entries[i]) + (length < size ? length : size);
		if (entries[i].output < size && end > most)
			most = end;
	}
	return most;
}

static uint64_t *input_ends(const struct binary *binary)
{
	const struct function_table *functions = &binary->functions;
	uint64_t *ends = calloc(functions->count + 1, sizeof(*ends));

	for (size_t i = 0; ends && i < functions->count; i++) {
		const struct function *f = &functions->at[i];
		struct place begin = binary_place(binary, (struct vaddr){f->address}, f);
		const struct function *owner = binary_owner(binary, begin);
		uint64_t size = function_extent(functions, f);
		uint64_t end = begin.fragment ? emitted_end(&binary->bat, begin.fragment, size) : size;
		if (owner && end > ends[owner - functions->at])
			ends[owner - functions->at] = end;
	}
	return ends;
}

static bool is_inside(const struct binary *binary, const uint64_t *ends, struct input_place place,
		      struct bc_error *err)
{
	if (!place.function || place.offset < ends[place.function - binary->functions.at])
		return true;
	return bc_fail(err, BC_BUG, "self-check: offset 0x%" PRIx32 " lies outside the input function %.200s",
		       place.offset, place.function->printed);
}

/* Below 0, 0 or above, as the profile orders what it lists; NULL comes first. */
static int by_name(const struct function *a, const struct function *b, bool printed)
{
	if (a == b || !a || !b)
		return (a != NULL) - (b != NULL);
	int order = printed ? strcmp(a->printed, b->printed) : strcmp(a->primary, b->primary);

	return order ? order : (a->address > b->address) - (a->address < b->address);
}

static const struct function *listed_under(const struct record *record)
{
	return record->kind == RECORD_ENTRY ? record->to.function : record->from.function;
}

static int compare_records(const struct record *a, const struct record *b)
{
	int order = by_name(listed_under(a), listed_under(b), false);

	if (order)
		return order;
	if ((a->kind == RECORD_ENTRY) != (b->kind == RECORD_ENTRY))
		return a->kind == RECORD_ENTRY ? 1 : -1;
	if (a->from.offset != b->from.offset)
		return a->from.offset < b->from.offset ? -1 : 1;
	order = by_name(a->to.function, b->to.function, true);
	return order ? order : (a->to.offset > b->to.offset) - (a->to.offset < b->to.offset);
}

static bool check_records(const struct profile *profile, const uint64_t *ends, struct check_sum *sum,
			  struct bc_error *err)
{
	struct record last = {0};

	for (size_t i = 0; i < profile->record_count; i++) {
		struct record record = profile_record(profile, i);
		if (!listed_under(&record))
			return bc_fail(err, BC_BUG, "self-check: record %zu is of no function", i);
		if (i && compare_records(&last, &record) >= 0)
			return bc_fail(err, BC_BUG, "self-check: record %zu does not belong behind the one before", i);
		if (!record.count)
			return bc_fail(err, BC_BUG, "self-check: record %zu counts nothing", i);
		if (!is_inside(profile->binary, ends, record.from, err) ||
		    !is_inside(profile->binary, ends, record.to, err))
			return false;
		self_check_record(sum, profile->binary, &record);
		last = record;
	}
	return true;
}

static bool check_accesses(const struct profile *profile, const uint64_t *ends,
			   const struct ledger *ledger, struct bc_error *err)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < profile->accesses.len; i++) {
		const struct access *a = &profile->accesses.at[i];
		if (!is_inside(profile->binary, ends, (struct input_place){a->function, a->offset}, err))
			return false;
		if (a->data_offset >= a->data->size)
			return bc_fail(err, BC_BUG, "self-check: offset 0x%" PRIx64 " lies outside the data %.200s",
				       a->data_offset, a->data->name);
		sum += a->count;
	}
	return same(sum, ledger->kept, "accesses to memory in the profile", err);
}

/* A branch that is kept is one record, a fall-through that is kept one or more. */
static bool check_total(const struct profile *profile, const struct check_sum *sum,
			const struct ledgers *ledgers, struct bc_error *err)
{
	uint64_t kept = profile->basic ? ledgers->samples.kept : ledgers->branches.kept + ledgers->traces.kept;

	if (profile->basic)
		return same(sum->plain, kept, "samples in the profile", err);
	return sum->plain >= kept || fail(err, "branches and fall-throughs in the profile", sum->plain, kept);
}

/* A fall-through counts for each of its edges: sums of more than that could wrap. */
#define COUNTS_MOST (UINT64_C(1) << 40)

bool self_check_profile(const struct self_check *check, const struct profile *profile,
			const struct check_sum *pushed, const struct ledgers *ledgers, struct bc_error *err)
{
	struct check_sum sum = {0};

	if (!check->on)
		return true;
	bool moderate = !check->overflow && check->samples < COUNTS_MOST &&
			check->branches < COUNTS_MOST && check->runs < COUNTS_MOST;
	uint64_t *ends = input_ends(profile->binary);
	if (!ends)
		return bc_fail_nomem(err);
	bool ok = check_records(profile, ends, &sum, err) &&
		  (!moderate || (same_sums(&sum, pushed, "records of the profile", err) &&
				 check_total(profile, &sum, ledgers, err))) &&
		  check_accesses(profile, ends, &ledgers->memory, err);
	free(ends);
	return ok;
}

/* The input binary.  Its functions are known by two names, of which the profile has one. */

struct known {
	const char *name;
	const struct function *function;
};

static int compare_known(const void *a, const void *b)
{
	return strcmp(((const struct known *)a)->name, ((const struct known *)b)->name);
}

static struct known *known_functions(const struct function_table *input)
{
	struct known *known = malloc((2 * input->count + 1) * sizeof(*known));

	for (size_t i = 0; known && i < input->count; i++) {
		known[2 * i] = (struct known){input->at[i].primary, &input->at[i]};
		known[2 * i + 1] = (struct known){input->at[i].printed, &input->at[i]};
	}
	if (known && input->count)
		qsort(known, 2 * input->count, sizeof(*known), compare_known);
	return known;
}

static const struct known *first_of(const struct known *known, size_t count, const char *name)
{
	struct known key = {name, NULL};

	while (count) {
		size_t half = count / 2;
		bool below = compare_known(&known[half], &key) < 0;
		known += below ? half + 1 : 0;
		count = below ? count - half - 1 : half;
	}
	return known;
}

static bool check_place(const struct function_table *input, const struct known *known,
			struct input_place place, struct bc_error *err)
{
	const struct known *end = known + 2 * input->count;
	const char *name = place.function ? place.function->printed : NULL;
	bool any = false;

	if (!name || text_starts(text_of(name), ".bolt.org.")) /* code without a symbol, by its section */
		return true;
	for (const struct known *k = first_of(known, 2 * input->count, name); k < end && !strcmp(k->name, name); k++) {
		any = true;
		if (place.offset < function_extent(input, k->function))
			return true;
	}
	if (!any)
		return bc_fail(err, BC_NOTFOUND, "self-check: no function %.200s here: is it the input binary?", name);
	return bc_fail(err, BC_BUG, "self-check: offset 0x%" PRIx32 " of the profile lies outside %.200s here",
		       place.offset, name);
}

bool self_check_input(const struct profile *profile, const struct function_table *input, struct bc_error *err)
{
	struct known *known = known_functions(input);
	bool ok = known || bc_fail_nomem(err);

	for (size_t i = 0; ok && i < profile->record_count; i++) {
		struct record record = profile_record(profile, i);
		ok = check_place(input, known, record.from, err) && check_place(input, known, record.to, err);
	}
	for (size_t i = 0; ok && i < profile->accesses.len; i++) {
		const struct access *a = &profile->accesses.at[i];
		ok = check_place(input, known, (struct input_place){a->function, a->offset}, err);
	}
	free(known);
	return ok;
}
