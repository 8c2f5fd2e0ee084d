/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The self-check is silent about a conversion on the binary of tiny_binary.h, and not
 * about one in which a single number was changed. */
#include <stdlib.h>
#include <string.h>

#include "src/output/preagg.h"
#include "src/output/read_back.h"
#include "tests/support/cmocka.h"
#include "tests/support/tiny_run.h"

static struct tiny_run run;
static struct self_check check;
static struct converted converted;
static struct ledgers ledgers;
static bool basic;

static struct sample_sink checked_sink(void)
{
	return self_check_sink(&check, &run.aggregate, aggregate_sink(&run.aggregate));
}

/* Two samples of branches, and what was counted before. */
static void deliver(void)
{
	static const struct branch stack[] = {
		{TINY_LOAD + 0x102c, TINY_LOAD + 0x1400, 1}, {TINY_LOAD + 0x101c, TINY_LOAD + 0x1020, 0},
		{TINY_LOAD + 0x1104, TINY_LOAD + 0x1000, 0}, {0x7000, TINY_LOAD + 0x1100, 0}};

	tiny_run_map(&run, 7);
	tiny_run_stack(&run, 7, stack, 4);
	tiny_run_stack(&run, 7, stack, 2);
	tiny_run_stack(&run, 8, stack, 2); /* a process of others */
	tiny_run_trace(&run, 'T', (struct trace){0x1104, 0x1000, 0x102c}, 5, 1);
	tiny_run_trace(&run, 'T', (struct trace){0x5000, 0x1400, TRACE_BR_ONLY}, 3, 0);
}

static void deliver_addresses(void)
{
	tiny_run_map(&run, 7);
	tiny_run_address(&run, 7, TINY_LOAD + 0x1004, "cycles");
	tiny_run_address(&run, 7, TINY_LOAD + 0x1004, "cycles");
	tiny_run_address(&run, 7, TINY_LOAD + 0x1302, "cycles");
	tiny_run_address(&run, 7, 0x7000, "cycles");
}

static void begin(void (*how)(void))
{
	static const struct aggregate_options options = {.mode = MODE_AUTO, .self_check = true, .threads = 1};
	struct bc_error err = {0};

	tiny_run_begin(&run, &options);
	check = (struct self_check){.on = true};
	run.sink = checked_sink();
	how();
	assert_true(aggregate_finish(&run.aggregate, &basic, &err));
}

static void begin_branches(void)
{
	begin(deliver);
}

static void begin_addresses(void)
{
	begin(deliver_addresses);
}

static void convert_all(void)
{
	struct bc_error err = {0};

	assert_true(convert(&run.aggregate, &run.tiny.binary, basic, 1, &converted, &err));
	ledgers = run.aggregate.tally.ledgers;
	ledger_add(&ledgers.samples, &converted.ledgers.samples);
	ledger_add(&ledgers.branches, &converted.ledgers.branches);
	ledger_add(&ledgers.traces, &converted.ledgers.traces);
}

static void end(void)
{
	profile_free(&converted.profile);
	converted = (struct converted){0};
	aggregate_fini(&run.aggregate);
	tiny_binary_fini(&run.tiny);
}

static void is_fine(bool ok, const struct bc_error *err)
{
	if (!ok)
		print_error("%s\n", err->text);
	assert_true(ok);
}

static void complains(bool ok, const struct bc_error *err, const char *about)
{
	assert_false(ok);
	assert_int_equal(err->code, BC_BUG);
	if (!strstr(err->text, about))
		print_error("%s: not about %s\n", err->text, about);
	assert_true(strstr(err->text, about) && strstr(err->text, "self-check"));
}

static void counts_are(const char *about)
{
	struct bc_error err = {0};
	bool ok = self_check_counts(&check, basic, &err);

	if (about)
		complains(ok, &err, about);
	else
		is_fine(ok, &err);
}

static void profile_is(const char *about)
{
	struct bc_error err = {0};
	bool ok = self_check_ledgers(&check, &ledgers, &err) &&
		  self_check_profile(&check, &converted.profile, &converted.pushed, &ledgers, &err);

	if (about)
		complains(ok, &err, about);
	else
		is_fine(ok, &err);
}

static void sound(void **state)
{
	(void)state;
	begin_branches();
	counts_are(NULL);
	convert_all();
	assert_true(converted.profile.record_count > 4);
	profile_is(NULL);
	end();
	begin_addresses();
	assert_true(basic);
	counts_are(NULL);
	convert_all();
	assert_int_equal(converted.profile.record_count, 2);
	profile_is(NULL);
	end();
}

static struct count_row *some_row(struct counts *counts)
{
	for (size_t s = 0; s < COUNTS_SHARDS; s++)
		for (size_t i = 0; i < counts->shards[s].capacity; i++)
			if (counts->shards[s].rows[i].count)
				return &counts->shards[s].rows[i];
	return NULL;
}

static void wrong_counts(void **state)
{
	(void)state;
	begin_branches();
	struct ledgers *l = &run.aggregate.tally.ledgers;
	uint64_t *const numbers[] = {&l->samples.read, &l->branches.read, &l->traces.read, &l->memory.read,
				     &l->branches.dropped[ENTRY_KERNEL], &l->traces.dropped[RUN_OUTSIDE]};
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		++*numbers[i];
		counts_are(i < 4 ? "read" : "counted");
		--*numbers[i];
	}
	struct count_row *row = some_row(&run.aggregate.totals.traces);
	row->count++;
	counts_are("traces counted");
	row->count--;
	row->extra++;
	counts_are("of other places");
	row->extra--;
	row->key[2] ^= 4; /* the same count at another place */
	counts_are("of other places");
	row->key[2] ^= 4;
	counts_are(NULL);
	end();
	begin_addresses();
	some_row(&run.aggregate.totals.basic)->count--;
	counts_are("addresses counted");
	end();
}

static void wrong_ledgers(void **state)
{
	(void)state;
	begin_branches();
	convert_all();
	struct ledger *const all[] = {&ledgers.samples, &ledgers.branches, &ledgers.traces, &ledgers.memory};
	for (size_t i = 0; i < 4; i++) {
		all[i]->kept++;
		profile_is("kept and dropped");
		all[i]->kept--;
	}
	ledgers.memory.read++;
	ledgers.memory.kept++; /* it balances, and is not in the profile */
	profile_is("accesses to memory in the profile");
	end();
}

static void wrong_records(void **state)
{
	(void)state;
	begin_branches();
	convert_all();
	struct packed_record *r = converted.profile.records, first = r[0];
	size_t count = converted.profile.record_count;

	profile_is(NULL);

	r[0].count++;
	profile_is("records of the profile");
	r[0] = first;
	r[0].count--;
	r[1].count++; /* the sum stays */
	profile_is("of other places");
	r[0] = first;
	r[1].count--;
	r[0].mispredicted++;
	profile_is("of other places");
	r[0].mispredicted--;
	r[0] = r[1];
	r[1] = first; /* out of order */
	profile_is("does not belong behind");
	r[1] = r[0];
	profile_is("does not belong behind"); /* twice */
	r[0] = first;
	end();
	begin_branches();
	convert_all();
	r = converted.profile.records;
	first = r[count - 1];
	converted.profile.record_count--;
	profile_is("records of the profile");
	converted.profile.record_count++;
	r[count - 1].count = 0;
	profile_is("counts nothing");
	r[count - 1] = first;
	r[count - 1].to += 0x10000;
	profile_is("lies outside the input function");
	end();
}

/* TEXT, with one place changed, is not what was to be written. */
static void read_back_is(char *text, bool (*read)(struct text written, struct bc_error *err))
{
	struct bc_error err = {0};
	size_t size = strlen(text), noticed = 0;

	is_fine(read((struct text){text, size}, &err), &err);
	for (size_t i = 0; i < size; i++) {
		char was = text[i];
		text[i] = was == '1' ? '2' : '1';
		if (!read((struct text){text, size}, &err)) {
			complains(false, &err, "output");
			noticed++;
		}
		text[i] = was;
	}
	assert_int_equal(noticed, size);
	complains(read((struct text){text, size - 1}, &err), &err, "output");
	free(text);
}

static bool read_fdata(struct text written, struct bc_error *err)
{
	static const char *const events[] = {"cycles"};

	return fdata_read_back(&converted.profile, &(struct fdata_header){events, 1}, written, err);
}

static bool read_preagg(struct text written, struct bc_error *err)
{
	/* A last line without its end is none of batconv's. */
	return written.len && written.at[written.len - 1] == '\n'
		       ? preagg_read_back(&run.aggregate, basic, written, err)
		       : bc_fail(err, BC_BUG, "self-check: output without an end");
}

static void wrong_output(void **state)
{
	static const char *const events[] = {"cycles"};
	void (*const begins[])(void) = {begin_branches, begin_addresses};
	struct bc_error err = {0};
	char *text;
	size_t size;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		begins[i]();
		FILE *file = open_memstream(&text, &size);
		assert_true(preagg_write(&run.aggregate, basic, file, &err));
		fclose(file);
		char *from = strncmp(text, "E ", 2) ? text : strchr(text, '\n') + 1;
		read_back_is(strdup(from), read_preagg);
		free(text);
		convert_all();
		file = open_memstream(&text, &size);
		assert_true(fdata_write(&converted.profile, &(struct fdata_header){events, 1}, 1, file, &err));
		fclose(file);
		read_back_is(text, read_fdata);
		end();
	}
}

/* What the profile's records count. */
static uint64_t sum_of_records(void)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < converted.profile.record_count; i++) {
		struct record record = profile_record(&converted.profile, i);
		sum += record.kind == RECORD_ENTRY ? 0 : record.count;
	}
	return sum;
}

static void wrong_yaml(void **state)
{
	static const char calls[] = "    fid: 1\n        calls: [ { off: 0x0, fid: 2, cnt: %llu } ]\n";
	static const char wrong[] = "line %llu of the output is not what was to be written";
	static const struct {
		const char *more;
		unsigned line; /* 0: the sums are wrong */
	} rows[] = {
		{"    fid: 1\n", 3},  {"    fid: 0\n", 3},                        {"    fid: 7\n", 3},
		{"    fid: a\n", 3},  {"        succ: [ { bid: 1, cnt: - } ]\n", 3}, {"        events: a\n", 3},
		{"    id: 2\n        succ: [ { bid: 1, cnt: 1 } ]\n", 0},          {"        events: 1\n", 0},
	};
	struct yaml_report report = {.functions = 1};
	struct bc_error err = {0};
	char text[512], told[128];

	(void)state;
	begin_branches();
	convert_all();
	uint64_t sum = sum_of_records();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		int size = snprintf(text, sizeof(text), calls, (unsigned long long)sum);
		is_fine(yaml_read_back(&converted.profile, &report, (struct text){text, (size_t)size}, &err), &err);
		strcat(text, rows[i].more);
		snprintf(told, sizeof(told), rows[i].line ? wrong : "counts in the output add up to %llu",
			 rows[i].line ? (unsigned long long)rows[i].line : (unsigned long long)sum + 1);
		complains(yaml_read_back(&converted.profile, &report, text_of(text), &err), &err, told);
	}
	snprintf(text, sizeof(text), calls, (unsigned long long)sum);
	report.functions = 2;
	complains(yaml_read_back(&converted.profile, &report, text_of(text), &err), &err,
		  "1 functions in the output, should be 2");
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sound),	 cmocka_unit_test(wrong_counts),
		cmocka_unit_test(wrong_ledgers), cmocka_unit_test(wrong_records),
		cmocka_unit_test(wrong_output),	 cmocka_unit_test(wrong_yaml),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
