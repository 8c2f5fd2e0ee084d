/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#undef NDEBUG /* what is asserted here must be done, too */
#include "tests/support/convert_all.h"
#include "tests/support/ledger_balances.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/profile/fdata.h"
#include "src/flow/ranges.h"

void error_check(const struct bc_error *err)
{
	assert(err->code != BC_OK);
	assert(memchr(err->text, 0, sizeof(err->text)));
	assert(*err->text && !strchr(err->text, '\n'));
}

/* Makes a file of the content, which can be read from its beginning. */
static int file_of(struct text content)
{
	FILE *file = tmpfile();

	assert(file && fwrite(content.at, 1, content.len, file) == content.len);
	assert(!fflush(file));
	int fd = dup(fileno(file));
	assert(fd >= 0 && !fclose(file) && !lseek(fd, 0, SEEK_SET));
	return fd;
}

bool convert_read(struct aggregate *aggregate, struct text samples, struct bc_error *err)
{
	const struct event_sink sink = {aggregate, aggregate_event};
	struct reader_options options = {.format = INPUT_AUTO};
	struct reader_report report = {0};
	struct file_stream stream = {.name = "samples", .fd = file_of(samples)};

	bool ok = reader_run(&stream, &options, &sink, &report, err);
	stream_close(&stream);
	return ok;
}

static void sweep_trace(struct aggregate *aggregate, uint64_t branch, uint64_t from, uint64_t to)
{
	const struct trace_record record = {trace_of_words(branch, from, to), 1 + (to & 7), 1,
					    from & 1};
	const struct event event = {.kind = EVENT_TRACES, .traces = {&record, 1}};
	struct bc_error err = {0};

	assert(aggregate_event(aggregate, &event, &err));
}

void convert_sweep(struct aggregate *aggregate, const struct binary *binary)
{
	const struct function_table *functions = &binary->functions;
	uint64_t before = TRACE_EXTERNAL;

	for (size_t i = 0; i < functions->count; i++) {
		uint64_t begin = functions->at[i].address;
		uint64_t end = begin + functions->at[i].extent;
		for (uint64_t at = begin; at < end && at - begin < 0x100; at += 7)
			sweep_trace(aggregate, before, at, end - 1);
		sweep_trace(aggregate, TRACE_FT_ONLY, begin, end);
		sweep_trace(aggregate, end - 1, begin, TRACE_BR_ONLY);
		before = begin + (end - begin) / 2;
	}
}

/* Checks that records are sorted by the printed name of the function that lists them. */
static void check_records(const struct profile *profile)
{
	const char *before = "";

	for (size_t i = 0; i < profile->record_count; i++) {
		struct record record = profile_record(profile, i);
		const struct function *owner =
			record.kind == RECORD_ENTRY ? record.to.function : record.from.function;
		assert(owner && record.count);
		assert(strcmp(before, owner->printed) <= 0);
		before = owner->printed;
	}
}

static void check_writing(const struct profile *profile, const struct aggregate *aggregate,
			  FILE *out)
{
	const struct name_vec *events = &aggregate->events;
	struct fdata_header header = {(const char *const *)events->at, events->len};
	struct bc_error err = {0};

	bool written = fdata_write_profile(profile, &header, 1, out, &err);
	assert(written && !ferror(out));
}

void convert_check(struct aggregate *aggregate, const struct binary *binary, unsigned threads)
{
	FILE *out = fopen("/dev/null", "w");

	assert(out);
	convert_check_to(aggregate, binary, threads, out);
	fclose(out);
}

void convert_check_to(struct aggregate *aggregate, const struct binary *binary, unsigned threads,
		      FILE *out)
{
	convert_check_pair(aggregate, binary, NULL, threads, out);
}

/* Checks the ranges for llvm-profgen: nothing is lost, both lists are sorted, and no range ends
 * before it begins. */
static void check_ranges(const struct ranges *ranges, FILE *out)
{
	assert(ledger_balances(&ranges->runs) && ledger_balances(&ranges->steps));
	for (size_t i = 0; i < ranges->range_count + ranges->branch_count; i++) {
		const struct counted_range *at = &ranges->at[i];
		bool first = !i || i == ranges->range_count;
		assert(at->count && (i >= ranges->range_count || at->from <= at->to));
		assert(first || at[-1].from < at->from ||
		       (at[-1].from == at->from && at[-1].to < at->to));
	}
	profgen_write(ranges, out);
}

void convert_check_pair(struct aggregate *aggregate, const struct binary *binary, struct pair *pair,
			unsigned threads, FILE *out)
{
	struct converted converted;
	struct located_counts located;
	struct cfg graphs = {0};
	struct ranges ranges = {0};
	struct bc_error err = {0};
	bool basic;

	assert(aggregate_finish(aggregate, &basic, &err));
	assert(located_make(binary, basic ? &aggregate->totals.basic : &aggregate->totals.traces,
			    basic, &located, &err));
	const struct convert_job job = {.located = &located,
					.pair = pair,
					.graphs = &graphs,
					.threads = threads,
					.ranges = pair && !basic ? &ranges : NULL};
	assert(convert(&job, aggregate, &converted, &err));
	if (job.ranges)
		check_ranges(&ranges, out);
	ranges_free(&ranges);
	located_free(&located);
	assert(ledger_balances(&converted.ledgers.samples));
	assert(ledger_balances(&converted.ledgers.branches));
	assert(ledger_balances(&converted.ledgers.traces));
	double rate = build_check_rate(&converted.check);
	assert(rate >= 0 && rate <= 100);
	check_records(&converted.profile);
	check_writing(&converted.profile, aggregate, out);
	profile_free(&converted.profile);
	cfg_free(&graphs);
	aggregate_fini(aggregate);
}
