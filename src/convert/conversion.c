/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/convert/conversion.h"

#include <inttypes.h>
#include <stdlib.h>

#include "src/addrspace/image_given.h"
#include "src/base/parallel.h"
#include "src/convert/kernel_check.h"
#include "src/elf/binary_open.h"
#include "src/profile/blocks.h"
#include "src/profile/input_graphs.h"
#include "src/profile/memory.h"
#include "src/profile/touched.h"
#include "src/restore/restore.h"

static unsigned thread_count(const struct conversion_options *options)
{
	return options->threads ? options->threads : parallel_threads();
}

/* Counts samples that the reader met and could not deliver. */
static void count_undelivered(struct conversion *c, const struct perf_data_report *perf)
{
	aggregate_undelivered(&c->aggregate, SAMPLE_DROP_LATE, perf->late);
	aggregate_undelivered(&c->aggregate, SAMPLE_DROP_GUEST, perf->of_guests);
	aggregate_undelivered(&c->aggregate, SAMPLE_DROP_UNKNOWN_EVENT, perf->of_unknown_events);
}

bool conversion_note_input(struct conversion *c, const struct reader_report *report,
			   struct bc_error *err)
{
	if (report->format == INPUT_PREAGG && filter_is_set(&c->aggregate.options.filter))
		return bc_fail(err, BC_UNSUPPORTED,
			       "pre-aggregated records have no process, event or time: --pid, --event, "
			       "--time and --max-samples cannot choose among them");
	count_undelivered(c, &report->perf);
	c->aggregate.stacks_recorded |= report->perf.has_stacks;
	c->partial |= reader_report_is_partial(report);
	return report_vec_push(&c->inputs, *report) || bc_fail_nomem(err);
}

struct reader_options conversion_reader_options(const struct conversion_options *options, size_t number,
						struct recordings *recordings)
{
	return (struct reader_options){
		.format = options->format,
		.cut_will_do = true,
		.recordings = options->recordings_apart ? NULL : recordings,
		.new_recording = options->new_recording && options->new_recording[number],
	};
}

static bool read_samples(const struct conversion_options *options, size_t number, struct conversion *c,
			 struct bc_error *err)
{
	const struct event_sink sink = {&c->aggregate, aggregate_event};
	struct reader_options how = conversion_reader_options(options, number, &c->recordings);
	struct reader_report report = {0};

	how.build_id = conversion_binary(c)->image.build_id;
	how.pool = aggregate_pool(&c->aggregate);
	if (input_run(options->samples[number], &how, options->progress, &sink, &report, err))
		return conversion_note_input(c, &report, err);
	return err->code == BC_MISMATCH && options->sample_count > 1 &&
	       bc_fail_prefix(err, input_name(options->samples[number]));
}

bool conversion_read(const struct conversion_options *options, struct conversion *c,
		     struct bc_error *err)
{
	for (size_t i = 0; i < options->sample_count; i++)
		if (!read_samples(options, i, c, err)) {
			c->unread = i + 1;
			return false;
		}
	return true;
}

static bool begin_counting(const struct conversion_options *options, struct conversion *c,
			   struct bc_error *err)
{
	struct aggregate_options how = options->aggregate;
	struct image_match_options match = {options->binary, options->image_name,
					    options->ignore_build_id, options->kernel_in_place};

	c->threads = thread_count(options);
	how.threads = c->threads;
	how.erratum = how.erratum && conversion_binary(c)->image.machine == MACHINE_X86_64 && conversion_binary(c)->kind != BINARY_UNTOUCHED;
	return aggregate_init(&c->aggregate, &conversion_binary(c)->image, &how, &match, err) &&
	       (!options->maps || image_space_give(&c->aggregate.space, options->maps, err));
}

static bool fail_build(const struct conversion_options *options, const struct conversion *c,
		       struct bc_error *err)
{
	return bc_fail(err, BC_MISMATCH,
		       "%s: the samples are of another build: %.1f %% of their %s disagree "
		       "with its code (limit %.0f %%; --force converts all the same)",
		       options->binary, build_check_rate(&c->check),
		       c->basic ? "addresses" : "branches", BUILD_CHECK_LIMIT_PERCENT);
}

/* Do the samples of a basic profile disagree with the segments of the binary?  Addresses alone show
 * little of the build, so the segments decide. */
static bool segments_disagree(const struct conversion *c)
{
	return c->basic && c->aggregate.space.report.misfits;
}

static bool is_empty(const struct conversion *c)
{
	const struct ledgers *l = &c->ledgers;

	return kernel_is_empty(c) || (!l->samples.kept && !l->branches.kept && !l->traces.kept && !l->memory.kept);
}

static bool fail_contradicted(const struct conversion_options *options, const struct conversion *c,
			      struct bc_error *err)
{
	const char *path = options->samples[c->aggregate.contradicted_by];

	*err = c->aggregate.contradicted;
	return options->sample_count > 1 ? bc_fail_prefix(err, input_name(path)) : false;
}

static bool fail_empty(const struct conversion_options *options, const struct conversion *c, struct bc_error *err)
{
	char has[640];
	bool records = false;

	for (size_t i = 0; i < c->inputs.len; i++)
		records |= !reader_report_is_empty(&c->inputs.at[i]);
	if (!records && c->inputs.len)
		return bc_fail(err, BC_MISMATCH, "%s: is empty%s (--force writes an empty profile)", input_name(options->samples[0]),
			       c->inputs.len > 1 ? ", as all other inputs are" : "");
	filter_tell(&c->aggregate.seen, has, sizeof(has));
	return bc_fail(err, BC_MISMATCH, "%s: none of the samples can be used%s%s (--force writes an empty profile)",
		       options->binary, *has ? "; " : "", has);
}

/* Checks that the samples belong to this binary, and to this build of it. */
static bool check_samples(const struct conversion_options *options, struct conversion *c,
			  struct bc_error *err)
{
	const struct image_report *seen = &c->aggregate.space.report;

	if (c->aggregate.contradicted.code)
		return fail_contradicted(options, c, err);
	if (c->ledgers.samples.dropped[SAMPLE_DROP_NO_PROCESS] && !seen->processes)
		return image_space_fail_unmapped(&c->aggregate.space, err);
	if (options->force)
		return true;
	if (!kernel_check(options, c, err))
		return false;
	if (build_check_rate(&c->check) > BUILD_CHECK_LIMIT_PERCENT)
		return fail_build(options, c, err);
	if (segments_disagree(c))
		return bc_fail(err, BC_MISMATCH,
			       "%s: %" PRIu64 " mappings of it fit none of its executable segments: what "
			       "ran was another build (--force converts all the same)",
			       options->binary, seen->misfits);
	if (is_empty(c) && !options->empty_will_do)
		return fail_empty(options, c, err);
	return true;
}

/* Infers branches from plain samples where the code of the input binary is at hand.  If the binary
 * cannot be read as a graph, the profile stays one of addresses. */
static bool infer_branches(const struct conversion_options *options, struct conversion *c, struct bc_error *err)
{
	const struct infer_job job = {conversion_pair(c) ? &c->pair.graphs : &c->graphs, conversion_pair(c), c->threads,
				      options->ranges ? &c->ranges : NULL};

	if (!c->basic || !c->aggregate.options.rules.infer || (conversion_binary(c)->kind != BINARY_UNTOUCHED && !job.pair))
		return true;
	c->is_inferred = infer(&job, &c->profile, &c->inferred, &c->not_inferred);
	if (c->is_inferred)
		return true;
	if (c->not_inferred.code == BC_NOMEM)
		return bc_fail_nomem(err);
	return !options->ranges || bc_fail(err, c->not_inferred.code, "%s: no ranges for llvm-profgen: %s", options->binary,
					   c->not_inferred.text);
}

/* Restores parts of a profile of branches.  Plain samples have no branches to restore anything
 * from. */
static bool restore(struct conversion *c, struct converted *converted, struct bc_error *err)
{
	const struct restoration how = {&c->pair, c->aggregate.options.rules, c->threads,
					&converted->restored};

	return !c->pair.output || c->basic || restore_profile(&how, &converted->profile, err);
}

/* Makes the profile of the counts, which are freed unless they are the result, and the calls of the ranges. */
static bool make_profile(const struct conversion_options *options, struct conversion *c, struct converted *out, struct bc_error *err)
{
	const struct pair *pair = conversion_pair(c);
	const struct convert_job job = {&c->located, pair, options->aggregate_only, options->keep_graphs, &c->graphs, c->threads};

	bool ok = convert(&job, &c->aggregate, out, err) && restore(c, out, err);
	if (!ok)
		return err->code == BC_FORMAT && bc_fail_prefix(err, options->binary);
	if (!options->ranges || c->basic || ranges_take_calls(&out->profile, pair, &c->ranges, err))
		return true;
	profile_free(&out->profile);
	return false;
}

/* Frees the graphs that nobody needs any more. */
static void free_graphs(const struct conversion_options *options, struct conversion *c)
{
	if (options->keep_graphs)
		return;
	pair_free_graphs(&c->pair);
	if (!options->hashes && !options->executed)
		cfg_free(&c->graphs);
}

static bool convert_all(const struct conversion_options *options, struct conversion *c, struct bc_error *err)
{
	struct converted converted;

	if (!make_profile(options, c, &converted, err))
		return false;
	c->profile = converted.profile;
	c->check = converted.check;
	c->no_disassembler |= converted.no_disassembler;
	c->ledgers = c->aggregate.counter.ledgers;
	c->found.by_type = c->aggregate.counter.found.by_type + converted.found.by_type;
	c->found.by_place = converted.found.by_place;
	c->restored = converted.restored;
	c->restored.count[RESTORE_NAMES] = profile_renumbered(&c->profile);
	ledger_add(&c->ledgers.samples, &converted.ledgers.samples);
	ledger_add(&c->ledgers.branches, &converted.ledgers.branches);
	ledger_add(&c->ledgers.traces, &converted.ledgers.traces);
	if (!infer_branches(options, c, err))
		return false;
	free_graphs(options, c);
	if (options->hashes && !blocks_build_graphs(&c->profile, &c->graphs, c->threads, err))
		return err->code == BC_FORMAT && bc_fail_prefix(err, options->binary);
	return memory_convert(&c->aggregate.memory, c->aggregate.options.names, &c->profile, &c->ledgers.memory, err);
}

/* Makes the counts the result: whatever was not dropped by now is kept. */
static bool keep_counts(const struct conversion_options *options, struct conversion *c, struct bc_error *err)
{
	struct ledger *ledgers[] = {&c->ledgers.samples, &c->ledgers.branches, &c->ledgers.traces,
				    &c->ledgers.memory};

	if (options->ranges) {
		struct converted converted; /* for the calls of the ranges alone */
		if (!make_profile(options, c, &converted, err))
			return false;
		profile_free(&converted.profile);
	}
	c->check = build_check_all(&conversion_binary(c)->image, &c->aggregate.totals.traces);
	if (!kept_counts_take(&c->aggregate, conversion_binary(c), c->basic, &c->kept, err))
		return false;
	c->ledgers = c->aggregate.counter.ledgers;
	c->found = c->aggregate.counter.found;
	c->ledgers.branches.dropped[BRANCH_DROP_RETURN] += c->kept.returns;
	c->ledgers.memory.dropped[MEMORY_DROP_NO_ROOM] =
		c->ledgers.memory.read - ledger_dropped(&c->ledgers.memory);
	for (size_t i = 0; i < BC_COUNT(ledgers); i++)
		ledgers[i]->kept = ledgers[i]->read - ledger_dropped(ledgers[i]);
	return true;
}

bool conversion_take_hashes(const struct conversion_options *options, const char *path, struct conversion *c,
			    struct bc_error *err)
{
	return hash_source_open(path, conversion_binary(c), options->binary, conversion_pair(c), &c->hashes, err);
}

static bool fail_unhashed(const struct conversion_options *options, struct bc_error *err)
{
	return bc_fail(err, BC_UNSUPPORTED,
		       "%s: the YAML would have no hashes, and llvm-bolt does not optimise functions without them: write fdata, "
		       "or add --hashes=FILE, which 'batconv extract --hashes PROG -o FILE' makes (--without-hashes writes it all the same)",
		       options->binary);
}

/* A BAT has hashes only in the newest layout, and of the functions that llvm-bolt moved. */
static bool open_hashes(const struct conversion_options *options, struct conversion *c, struct bc_error *err)
{
	if (!options->hashes)
		return true;
	if (options->hash_file)
		return conversion_take_hashes(options, options->hash_file, c, err);
	if (conversion_binary(c)->kind == BINARY_UNTOUCHED)
		return options->without_hashes || fail_unhashed(options, err);
	return conversion_binary(c)->bat.layout == BAT_HASHED ||
	       bc_fail(err, BC_UNSUPPORTED,
		       "%s: BAT layout %s has no hashes, and YAML is made of the hashes of functions and blocks that llvm-bolt 19 and "
		       "later put there; fdata needs none, and --hashes=FILE ('batconv extract --hashes PROG -o FILE') gives them",
		       options->binary, bat_layout_name(conversion_binary(c)->bat.layout));
}

/* Opens the binary, the input and the file with hashes. */
static bool open_binary(const struct conversion_options *options, struct conversion *c,
			struct bc_error *err)
{
	const struct profile_rules *rules = &options->aggregate.rules;
	const struct binary_parts parts = {.blocks = options->hashes || options->input,
					   .numbers_by_address = !rules_restore(rules, RESTORE_NAMES),
					   .debug = &options->debug};

	if (!binary_open_parts(options->binary, &parts, &c->opened, err))
		return false;
	if (options->input && !pair_open(options->input, &c->opened, rules_restore(rules, RESTORE_NAMES), &c->pair, err))
		return false;
	if (options->ranges && conversion_binary(c)->kind != BINARY_UNTOUCHED && !options->input)
		return bc_fail(err, BC_UNSUPPORTED,
			       "%s: llvm-profgen wants addresses of the binary that llvm-bolt read to write it: "
			       "--input=PROG", options->binary);
	return open_hashes(options, c, err);
}

/* Reads the pseudo-probes, so that damaged ones are known before the first sample is read. */
static bool read_probes(const struct conversion_options *options, struct conversion *c, struct bc_error *err)
{
	const struct pair *pair = conversion_pair(c);

	if (!options->probes || probe_source_open(conversion_binary(c), pair, &c->probes, err))
		return true;
	return err->code == BC_FORMAT && bc_fail_prefix(err, c->probes.pair ? options->input : options->binary);
}

bool conversion_begin(const struct conversion_options *options, struct conversion *out,
		      struct bc_error *err)
{
	out->leave_out_unsited = rules_restore(&options->aggregate.rules, RESTORE_SITES);
	return open_binary(options, out, err) && read_probes(options, out, err) && begin_counting(options, out, err);
}

/* Makes the ranges of llvm-profgen from the counts, before these become a profile.  Plain samples have theirs when branches are
 * inferred. */
static bool make_ranges(const struct conversion_options *options, struct conversion *c, struct bc_error *err)
{
	const struct ranges_job job = {&c->located, &c->aggregate.returns, conversion_pair(c), c->threads};

	if (c->basic && (!c->aggregate.options.rules.infer || options->aggregate_only))
		return bc_fail(err, BC_UNSUPPORTED,
			       "%s: no branch stacks: what llvm-profgen wants must be inferred, without --format=preagg, --no-infer "
			       "and --compat=perf2bolt (or record with -j any,u)", options->binary);
	if (c->basic)
		return true;
	return ranges_make(&job, &c->ranges, err) || (err->code == BC_FORMAT && bc_fail_prefix(err, options->binary));
}

/* Builds the graphs of the input that ranges and the profile are walked through.  Inference has its own. */
static bool build_input_graphs(const struct conversion_options *options, struct conversion *c, struct bc_error *err)
{
	if (!c->pair.output || c->basic || (options->aggregate_only && !options->ranges))
		return true;
	if (!input_graphs_build(&c->located, &c->aggregate.options.rules, &c->pair, c->threads, err))
		return err->code == BC_FORMAT && bc_fail_prefix(err, options->binary);
	c->no_disassembler = c->pair.graphs.no_disassembler;
	return true;
}

bool conversion_settle(const struct conversion_options *options, struct conversion *out, struct bc_error *err)
{
	struct totals *totals = &out->aggregate.totals;

	if (!aggregate_finish(&out->aggregate, &out->basic, err))
		return false;
	struct counts *counts = out->basic ? &totals->basic : &totals->traces;
	out->distinct = counts_used(counts);
	return located_make(conversion_binary(out), counts, out->basic, &out->located, err) &&
	       build_input_graphs(options, out, err) && (!options->ranges || make_ranges(options, out, err)) &&
	       (!options->executed || executed_count(&out->located, out->aggregate.options.impute, &out->graphs, out->threads, &out->executed, err));
}

/* Makes the profile, and checks the samples last, so that the summary of a refusal is as full as any
 * other. */
bool conversion_convert(const struct conversion_options *options, struct conversion *out, struct bc_error *err)
{
	if (options->choice && !choice_is_all(options->choice) &&
	    !choice_apply(options->choice, &out->located, &out->left_out, err))
		return false;
	out->aggregate.left_out = out->left_out;
	if (options->probes && !touched_functions(&out->located, &out->touched))
		return bc_fail_nomem(err);
	bool ok = options->aggregate_only ? keep_counts(options, out, err) : convert_all(options, out, err);
	located_free(&out->located);
	return ok && check_samples(options, out, err);
}

bool conversion_end(const struct conversion_options *options, struct conversion *out,
		    struct bc_error *err)
{
	return conversion_settle(options, out, err) && conversion_convert(options, out, err);
}

bool conversion_run(const struct conversion_options *options, struct conversion *out,
		    struct bc_error *err)
{
	return conversion_begin(options, out, err) && conversion_read(options, out, err) &&
	       conversion_end(options, out, err);
}

void conversion_free(struct conversion *conversion)
{
	profile_free(&conversion->profile);
	ranges_free(&conversion->ranges);
	executed_free(&conversion->executed);
	code_marks_free(&conversion->left_out);
	code_marks_free(&conversion->touched);
	probe_source_close(&conversion->probes);
	kept_counts_free(&conversion->kept);
	located_free(&conversion->located);
	aggregate_fini(&conversion->aggregate);
	report_vec_free(&conversion->inputs);
	hash_source_close(&conversion->hashes);
	cfg_free(&conversion->graphs);
	if (conversion->pair.output)
		pair_close(&conversion->pair);
	binary_close(&conversion->opened);
	*conversion = (struct conversion){0};
}
