/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/support/tiny_run.h"
#include "tests/support/ledger_balances.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/profile/fdata.h"
#include "tests/support/cmocka.h"

void tiny_run_begin(struct tiny_run *run, const struct aggregate_options *options)
{
	static const struct image_match_options match = {.binary_path = "tiny"};
	struct bc_error err = {0};

	*run = (struct tiny_run){0};
	tiny_binary_init(&run->tiny);
	assert_true(
		aggregate_init(&run->aggregate, &run->tiny.binary.image, options, &match, &err));
	tiny_run_next(run);
}

void tiny_run_event(struct tiny_run *run, const struct event *event)
{
	struct bc_error err = {0};

	if (!aggregate_event(&run->aggregate, event, &err))
		fail_msg("%s", err.text);
}

void tiny_run_next(struct tiny_run *run)
{
	tiny_run_event(run, &(struct event){.kind = EVENT_BEGIN});
}

void tiny_run_map(struct tiny_run *run, uint32_t pid)
{
	const struct map_event map = {.pid = pid,
				      .start = {TINY_LOAD + TINY_BASE},
				      .size = TINY_SIZE,
				      .executable = true,
				      .path = text_of("/somewhere/tiny")};

	tiny_run_event(run, &(struct event){.kind = EVENT_MAP, .map = &map});
}

void tiny_run_trace(struct tiny_run *run, char kind, struct trace trace, uint64_t count,
		    uint64_t mispredicted)
{
	const struct trace_record record = {trace, count, mispredicted, kind == 'R'};

	tiny_run_event(run, &(struct event){.kind = EVENT_TRACES, .traces = {&record, 1}});
}

void tiny_run_sample(struct tiny_run *run, const struct sample *sample)
{
	tiny_run_event(run, &(struct event){.kind = EVENT_SAMPLE, .sample = sample});
}

void tiny_run_stack(struct tiny_run *run, uint32_t pid, const struct branch *branches, size_t count)
{
	const struct sample sample = {.pid = pid,
				      .has_stack = count > 0,
				      .branches = branches,
				      .branch_count = count,
				      .event = text_of("")};

	tiny_run_sample(run, &sample);
}

void tiny_run_address(struct tiny_run *run, uint32_t pid, uint64_t ip, const char *event)
{
	const struct sample sample = {.pid = pid, .ip = {ip}, .event = text_of(event)};

	tiny_run_sample(run, &sample);
}

static void compare(const struct tiny_run *run, const struct profile *profile, const char *lines)
{
	const struct name_vec *events = &run->aggregate.events;
	struct fdata_header header = {(const char *const *)events->at, events->len};
	const char *first = profile->basic ? "" : "boltedcollection\n";
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	struct bc_error err = {0};
	assert_true(fdata_write_profile(profile, &header, 2, out, &err));
	fclose(out);
	assert_memory_equal(text, first, strlen(first));
	assert_string_equal(text + strlen(first), lines);
	free(text);
}

void tiny_run_gives(struct tiny_run *run, unsigned threads, const char *lines)
{
	struct converted converted;
	struct located_counts located;
	struct cfg graphs = {0};
	struct bc_error err = {0};
	bool basic;

	assert_true(aggregate_finish(&run->aggregate, &basic, &err));
	struct totals *totals = &run->aggregate.totals;
	assert_true(located_make(&run->tiny.binary, basic ? &totals->basic : &totals->traces, basic,
				 &located, &err));
	assert_true(convert(
		&(struct convert_job){.located = &located, .graphs = &graphs, .threads = threads},
		&run->aggregate, &converted, &err));
	located_free(&located);
	run->ledgers = converted.ledgers;
	run->check = converted.check;
	run->found = converted.found;
	run->restored = converted.restored;
	assert_true(ledger_balances(&run->ledgers.samples));
	assert_true(ledger_balances(&run->ledgers.branches));
	assert_true(ledger_balances(&run->ledgers.traces));
	compare(run, &converted.profile, lines);
	profile_free(&converted.profile);
	cfg_free(&graphs);
	aggregate_fini(&run->aggregate);
	tiny_binary_fini(&run->tiny);
}
