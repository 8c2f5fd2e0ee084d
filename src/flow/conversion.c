/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/conversion.h"

#include <inttypes.h>
#include <stdlib.h>

#include "src/base/parallel.h"
#include "src/elf/binary.h"
#include "src/code/blocks.h"
#include "src/profile/choice.h"
#include "src/profile/profile.h"
#include "src/samples/image_given.h"

/* Names the binary in an error of its code. */
static bool of_binary(const struct conversion *c, bool ok, struct bc_error *err)
{
	return ok || (err->code == BC_FORMAT && bc_fail_prefix(err, c->options.binary));
}

/* ---- open ---- */

/* Finds files that can be the input, where that is wanted: raw counts are those of the binary that
 * ran. */
static bool find_input(struct conversion *c, struct bc_error *err)
{
	return !c->options.find_input || c->options.input || conversion_wants(c, WANT_COUNTS) ||
	       input_files_find(c->options.binary, &c->options.debug, &c->found_input.files, err);
}

static bool open_input(struct conversion *c, bool names, struct bc_error *err)
{
	if (c->options.input)
		return pair_open(c->options.input, &c->opened, names, &c->pair, err);
	if (!pair_open_found(&c->found_input, &c->opened, names, &c->pair, err))
		return false;
	c->options.input = c->found_input.taken ? c->found_input.taken->path : NULL;
	return true;
}

static bool fail_without_input(const struct conversion *c, struct bc_error *err)
{
	bc_fail(err, BC_UNSUPPORTED,
		"%s: llvm-profgen wants addresses of the binary that llvm-bolt read to write it",
		c->options.binary);
	return bc_hint(err, "give that binary: --input=INPUT");
}

/* Opens the binary and the input. */
static bool open_binary(struct conversion *c, struct bc_error *err)
{
	bool names = rules_restore(&c->options.aggregate.rules, RESTORE_NAMES);

	if (!find_input(c, err))
		return false;
	const struct binary_parts parts = {.blocks = conversion_wants(c, WANT_YAML) ||
						     c->options.input ||
						     c->found_input.files.all.len,
					   .numbers_by_address = !names,
					   .debug = &c->options.debug};
	if (!binary_open_parts(c->options.binary, &parts, &c->opened, err) ||
	    !open_input(c, names, err))
		return false;
	return !conversion_wants(c, WANT_RANGES) ||
	       conversion_binary(c)->kind == BINARY_UNTOUCHED || c->options.input ||
	       fail_without_input(c, err);
}

#define HASHES_HINT                                                                                \
	"write fdata, or add --hashes=FILE, which 'batconv extract --hashes INPUT -o FILE' makes"

static bool fail_unhashed(const struct conversion *c, struct bc_error *err)
{
	bc_fail(err, BC_UNSUPPORTED,
		"%s: the YAML would have no hashes, and llvm-bolt does not optimize functions without them",
		c->options.binary);
	return bc_hint(err, HASHES_HINT);
}

/* A BAT has hashes only in the newest layout, and of the functions that llvm-bolt moved. */
static bool open_hashes(struct conversion *c, struct bc_error *err)
{
	const struct binary *binary = conversion_binary(c);

	if (!conversion_wants(c, WANT_YAML))
		return true;
	if (c->options.hash_file)
		return hash_source_open(c->options.hash_file, binary, c->options.binary,
					conversion_pair(c), &c->hashes, err);
	if (binary->kind == BINARY_UNTOUCHED)
		return !conversion_wants(c, WANT_HASHES) || fail_unhashed(c, err);
	if (bat_layout_has(binary->bat.layout, BAT_FEATURE_BLOCKS))
		return true;
	bc_fail(err, BC_UNSUPPORTED,
		"%s: BAT layout %s has no hashes, which YAML needs: llvm-bolt 19 and later write them",
		c->options.binary, bat_layout_name(binary->bat.layout));
	return bc_hint(err, HASHES_HINT);
}

/* Reads the pseudo-probes, so that damaged ones are known before the first sample is read. */
static bool read_probes(struct conversion *c, struct bc_error *err)
{
	if (!conversion_wants(c, WANT_PROBES) ||
	    probe_source_open(conversion_binary(c), conversion_pair(c), &c->probes, err))
		return true;
	return err->code == BC_FORMAT &&
	       bc_fail_prefix(err, c->probes.pair ? c->options.input : c->options.binary);
}

static struct image_match_options match_options(const struct conversion *c)
{
	const struct conversion_options *options = &c->options;

	return (struct image_match_options){options->binary, options->image_name,
					    options->ignore_build_id, options->as_perf2bolt,
					    options->as_perf2bolt};
}

static bool begin_counting(struct conversion *c, struct bc_error *err)
{
	const struct conversion_options *options = &c->options;
	const struct binary *binary = conversion_binary(c);
	struct aggregate_options how = options->aggregate;
	const struct image_match_options match = match_options(c);

	how.halves = conversion_wants(c, WANT_HALVES);
	c->threads = how.threads = options->threads ? options->threads : parallel_threads();
	how.erratum = how.erratum && binary->image.machine == MACHINE_X86_64 &&
		      binary->kind != BINARY_UNTOUCHED;
	return aggregate_init(&c->aggregate, &binary->image, &how, &match, err) &&
	       (!options->maps || image_space_give(&c->aggregate.space, options->maps, err));
}

/* ---- count ---- */

/* Counts samples that the reader met and could not deliver. */
static void count_undelivered(struct conversion *c, const struct perf_data_report *perf)
{
	aggregate_undelivered(&c->aggregate, SAMPLE_DROP_LATE, perf->late);
	aggregate_undelivered(&c->aggregate, SAMPLE_DROP_GUEST, perf->of_guests);
	aggregate_undelivered(&c->aggregate, SAMPLE_DROP_UNKNOWN_EVENT, perf->of_unknown_events);
}

static bool note_input(struct conversion *c, const struct reader_report *report,
		       struct bc_error *err)
{
	if (report->format == INPUT_PREAGG && filter_is_set(&c->aggregate.options.filter))
		return bc_fail(err, BC_UNSUPPORTED,
			       "pre-aggregated records have no process, event or time to choose by") ||
		       bc_hint(err, "leave out --pid, --event, --time and --max-samples");
	count_undelivered(c, &report->perf);
	c->aggregate.stacks_recorded |= report->perf.has_stacks;
	c->partial |= reader_report_is_partial(report);
	return report_vec_push(&c->inputs, *report) || bc_fail_nomem(err);
}

struct reader_options conversion_reader_options(const struct conversion_options *options,
						size_t number, struct recordings *recordings)
{
	return (struct reader_options){
		.format = options->format,
		.cut_will_do = true,
		.recordings = options->as_perf2bolt ? NULL : recordings,
		.new_recording = options->new_recording && options->new_recording[number],
	};
}

static const char *digest_start(const struct build_id *digest, char out[2 * BUILD_ID_MAX + 1])
{
	build_id_format(digest, out);
	out[2 * CODE_DIGEST_SHOWN] = '\0';
	return out;
}

/* Are the counts of a shard those of the binary's code? */
static bool owns_code(void *ctx, const struct build_id *code, const char *file,
		      struct bc_error *err)
{
	struct conversion *c = ctx;
	char theirs[2 * BUILD_ID_MAX + 1], ours[2 * BUILD_ID_MAX + 1];

	if (c->options.any_code)
		return true;
	if (!c->code.size)
		c->code = code_digest(conversion_binary(c));
	if (!c->code.size || build_id_same(code, &c->code))
		return true;
	return bc_fail(err, BC_MISMATCH,
		       "%s: byte 8: its counts are of other code, %s, than %s has, %s", file,
		       digest_start(code, theirs), c->options.binary,
		       digest_start(&c->code, ours)) ||
	       bc_hint(err, "give the binary that ran, or leave this shard out");
}

/* ---- directories of shards ---- */

static bool fits(const struct conversion *c, const struct listed_shard *shard)
{
	return shard->kind == KIND_PREAGG && build_id_same(&shard->id, &c->code);
}

/* Room for the samples that are named, and all shards of directories. */
static bool list_folders(struct conversion *c, struct bc_error *err)
{
	struct folder_shards *to = &c->folders;
	const struct conversion_options *options = &c->options;

	for (size_t i = 0; i < options->sample_count; i++) {
		if (!shard_list_is_folder(options->samples[i]))
			continue;
		to->first = to->first ? to->first : options->samples[i];
		if (!shard_list_add(&to->list, options->samples[i], err))
			return false;
	}
	if (!to->list.all.len)
		return true;
	size_t most = options->sample_count + to->list.all.len;
	to->paths = calloc(most, sizeof(*to->paths));
	to->begins = calloc(most, sizeof(*to->begins));
	return (to->paths && to->begins) || bc_fail_nomem(err);
}

static bool is_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	length -= length && folder[length - 1] == '/';
	return !strncmp(path, folder, length) && path[length] == '/' &&
	       !strchr(path + length + 1, '/');
}

/* A directory among the samples represents the shards in it that are of the binary's code. */
static bool take_folders(struct conversion *c, struct bc_error *err)
{
	struct folder_shards *to = &c->folders;
	struct conversion_options *options = &c->options;
	size_t count = 0, next = 0;

	if (!list_folders(c, err))
		return false;
	if (!to->paths) /* what a directory without shards is, its reader shows */
		return true;
	c->code = code_digest(conversion_binary(c));
	if (!c->code.size)
		return bc_fail(
			err, BC_UNSUPPORTED,
			"%s: has no digest of its code, by which shards of %s could be chosen",
			options->binary, to->first);
	for (size_t i = 0; i < options->sample_count; i++) {
		const char *path = options->samples[i];
		to->begins[count] = options->new_recording && options->new_recording[i];
		if (!shard_list_is_folder(path)) {
			to->paths[count++] = path;
			continue;
		}
		for (; next < to->list.all.len && is_below(to->list.all.at[next].path, path);
		     next++)
			if (fits(c, &to->list.all.at[next])) {
				to->paths[count++] = to->list.all.at[next].path;
				to->used++;
			}
	}
	if (!to->used)
		return bc_fail(
			err, BC_MISMATCH,
			"%s: has no shard of %s: %zu of other code, %zu damaged, %zu other file%s",
			to->first, options->binary, to->list.all.len - to->used,
			to->list.unreadable, to->list.others, plural(to->list.others));
	options->samples = to->paths;
	options->sample_count = count;
	options->new_recording = to->begins;
	return true;
}

static struct given_code code_of(const struct conversion *c)
{
	return (struct given_code){&conversion_binary(c)->image, match_options(c)};
}

/* Why nothing of a trace could be walked: what most of it was lost for. */
static bool fail_unwalked(const struct flow_walk_report *walked, struct bc_error *err)
{
	size_t most = 0;

	for (size_t i = 1; i < LOSS_COUNT; i++)
		most = walked->sums.lost[i] > walked->sums.lost[most] ? i : most;
	return bc_fail(
		err, BC_UNSUPPORTED,
		"nothing of the hardware trace could be followed through the code: %.0f %% of it ran %s%s%s%s",
		100.0 * (double)walked->sums.lost[most] / (double)walked->answers,
		walk_loss_words((enum walk_loss)most),
		walked->files.len ? ", most of that in " : "",
		walked->files.len ? walked->files.at[0].path : "",
		walk_loss_remedy((enum walk_loss)most));
}

/* A binary that nobody mapped, or of another machine, is reported by the checks of samples. */
static bool note_walk(struct conversion *c, const struct flow_walk *walk, struct bc_error *err)
{
	bool is_mapped = c->aggregate.space.report.processes && !c->aggregate.contradicted.code;

	if (!flow_walk_tell(walk, &c->walked, err))
		return false;
	c->fit = flow_walk_fit(walk, &conversion_binary(c)->image);
	return c->walked.sums.walked || !c->walked.answers || !is_mapped || c->options.force ||
	       fail_unwalked(&c->walked, err);
}

/* The build check has the branch outcomes of traces, too. */
static void note_fit(struct conversion *c)
{
	c->check.outcomes += c->fit.answered + c->fit.mismatched;
	c->check.mismatched += c->fit.mismatched;
}

static bool read_file(struct conversion *c, size_t number, struct flow_walk *walk,
		      struct recordings *recordings, struct bc_error *err)
{
	const char *path = c->options.samples[number];
	const struct event_sink sink = flow_walk_sink(walk);
	struct reader_options how = conversion_reader_options(&c->options, number, recordings);
	struct reader_report report = {0};

	how.build_id = conversion_binary(c)->image.build_id;
	how.pool = aggregate_pool(&c->aggregate);
	how.flow = flow_walk_taker(walk);
	how.owner = (struct code_owner){c, owns_code};
	if (input_run(path, &how, c->options.progress, &sink, &report, err))
		return note_input(c, &report, err);
	return (err->code == BC_UNSUPPORTED ||
		(err->code == BC_MISMATCH && c->options.sample_count > 1)) &&
	       !text_starts(text_of(err->text), input_name(path)) &&
	       bc_fail_prefix(err, input_name(path));
}

static bool read_files(struct conversion *c, struct flow_walk *walk, struct bc_error *err)
{
	struct recordings recordings = {0};

	for (size_t i = c->inputs.len; i < c->options.sample_count; i++)
		if (!read_file(c, i, walk, &recordings, err)) {
			c->unread = i + 1;
			return false;
		}
	return note_walk(c, walk, err);
}

static bool read_samples(struct conversion *c, struct bc_error *err)
{
	const struct given_code code = code_of(c);
	struct flow_walk *walk = flow_walk_make(&(struct flow_walk_options){
		&code, 1, &c->options.debug, c->threads, {&c->aggregate, aggregate_event}});
	bool ok = walk ? read_files(c, walk, err) : bc_fail_nomem(err);

	flow_walk_free(walk);
	return ok;
}

/* The compiler's map of a binary that llvm-bolt wrote is that of its input. */
static bool read_compiler_counts(struct conversion *c, struct bc_error *err)
{
	const struct binary *binary = conversion_binary(c);
	const struct event_sink sink = {&c->aggregate, aggregate_event};
	const struct compiler_job job = {binary, &c->graphs, c->options.force_map, c->threads};

	if (binary->kind != BINARY_UNTOUCHED)
		return bc_fail(err, BC_UNSUPPORTED,
			       "%s: llvm-bolt wrote it, and the compiler's map in it is that of the input binary",
			       c->options.binary) ||
		       bc_hint(err, "give the input binary to --from-compiler");
	return compiler_counts_read(&job, &sink, &c->compiler, err) ||
	       bc_fail_prefix(err, c->options.binary);
}

static bool locate(struct conversion *c, struct bc_error *err)
{
	struct totals *totals = &c->aggregate.totals;

	if (!aggregate_finish(&c->aggregate, &c->basic, err))
		return false;
	struct counts *counts = c->basic ? &totals->basic : &totals->traces;
	c->distinct = counts_used(counts);
	return located_make(conversion_binary(c), counts, c->basic, &c->located, err);
}

/* Basic samples have the ranges of llvm-profgen when branches are inferred. */
static bool check_ranges(const struct conversion *c, struct bc_error *err)
{
	return !conversion_wants(c, WANT_RANGES) || !c->basic ||
	       (c->aggregate.options.rules.infer && !conversion_wants(c, WANT_COUNTS)) ||
	       bc_fail(err, BC_UNSUPPORTED,
		       "%s: no LBR, so what llvm-profgen wants must be inferred",
		       c->options.binary) ||
	       bc_hint(err,
		       "leave out --format=preagg, --no-infer and --compat=perf2bolt, or record with -j any,u");
}

static bool count_executed(struct conversion *c, struct bc_error *err)
{
	const struct executed_options how = {.imputes = c->aggregate.options.impute,
					     .as_perf2bolt = c->options.as_perf2bolt};

	return !conversion_wants(c, WANT_EXECUTED) ||
	       executed_count(&c->located, &how, &c->graphs, c->threads, &c->executed, err);
}

/* ---- convert ---- */

static bool mark_functions(struct conversion *c, struct bc_error *err)
{
	const struct function_choice *choice = c->options.choice;

	if (choice && !choice_is_all(choice) &&
	    !choice_apply(choice, &c->located, &c->left_out, err))
		return false;
	return !conversion_wants(c, WANT_PROBES) || touched_functions(&c->located, &c->touched) ||
	       bc_fail_nomem(err);
}

/* What is wanted of counts: of all that were located, or of a half. */
static struct convert_job job_of(struct conversion *c, struct located_counts *located)
{
	return (struct convert_job){.located = located,
				    .left_out = c->left_out,
				    .keep_code = conversion_wants(c, WANT_GRAPHS),
				    .graphs = &c->graphs,
				    .threads = c->threads};
}

/* Makes the profile of the counts, which are freed unless they are the result, and the ranges of
 * traces.  With the counts as the result, the ranges alone need a profile: its calls. */
static bool make_profile(struct conversion *c, struct bc_error *err)
{
	bool ranges = conversion_wants(c, WANT_RANGES);
	struct convert_job job = job_of(c, &c->located);
	struct converted converted;

	job.pair = c->pair.output ? &c->pair : NULL;
	job.keep_counts = conversion_wants(c, WANT_COUNTS | WANT_HALVES);
	job.ranges = ranges && !c->basic ? &c->ranges : NULL;
	if (conversion_wants(c, WANT_COUNTS) && !ranges)
		return true;
	if (!convert(&job, &c->aggregate, &converted, err))
		return of_binary(c, false, err);
	c->profile = converted.profile;
	c->ledgers = converted.ledgers;
	c->check = converted.check;
	note_fit(c);
	c->found = converted.found;
	c->restored = converted.restored;
	c->no_disassembler = converted.no_disassembler;
	return true;
}

static bool convert_half(struct conversion *c, bool first, struct profile *out,
			 struct bc_error *err)
{
	struct counts counts;
	struct located_counts located = {0};
	struct converted converted = {0};
	bool ok = (counts_half(c->located.counts, first, &counts) || bc_fail_nomem(err)) &&
		  located_make(conversion_binary(c), &counts, false, &located, err);
	const struct convert_job job = job_of(c, &located);

	ok = ok && convert(&job, &c->aggregate, &converted, err);
	*out = converted.profile;
	located_free(&located);
	counts_free(&counts);
	return ok || of_binary(c, false, err);
}

/* Makes the profiles of two halves of branches.  They are compared with each other alone: nothing
 * is restored in them.  Their graphs are there already. */
static bool convert_halves(struct conversion *c, struct bc_error *err)
{
	if (!conversion_wants(c, WANT_HALVES) || c->basic)
		return true;
	c->has_halves = convert_half(c, true, &c->halves[0], err) &&
			convert_half(c, false, &c->halves[1], err);
	return c->has_halves;
}

/* Infers branches from basic samples where the code of the input binary is at hand.  If the binary
 * cannot be read as a graph, the profile stays one of addresses. */
static bool infer_branches(struct conversion *c, bool figures_only, struct bc_error *err)
{
	const struct pair *pair = conversion_pair(c);
	const struct infer_job job = {.graphs = pair ? &c->pair.graphs : &c->graphs,
				      .pair = pair,
				      .threads = c->threads,
				      .ranges =
					      conversion_wants(c, WANT_RANGES) ? &c->ranges : NULL,
				      .figures_only = figures_only};

	if (!conversion_can_infer(c) || infer(&job, &c->profile, &c->inferred, &c->not_inferred))
		return true;
	if (c->not_inferred.code == BC_NOMEM)
		return bc_fail_nomem(err);
	return !job.ranges ||
	       bc_fail(err, c->not_inferred.code, "%s: no ranges for llvm-profgen: %s",
		       c->options.binary, c->not_inferred.text);
}

/* Basic samples do not depend on each other: a half of each location's is a half of the
 * recording's.
 */
static bool split_samples(struct conversion *c, struct bc_error *err)
{
	return (profile_half(&c->profile, true, &c->halves[0]) &&
		profile_half(&c->profile, false, &c->halves[1])) ||
	       bc_fail_nomem(err);
}

static bool infer_halves(struct conversion *c, struct bc_error *err)
{
	const struct pair *pair = conversion_pair(c);
	const struct infer_job job = {
		.graphs = pair ? &c->pair.graphs : &c->graphs, .pair = pair, .threads = c->threads};
	struct inferred figures;

	c->has_halves = infer(&job, &c->halves[0], &figures, err) &&
			infer(&job, &c->halves[1], &figures, err);
	return c->has_halves;
}

bool conversion_measure_inference(struct conversion *c, struct bc_error *err)
{
	if (!infer_branches(c, true, err))
		return false;
	return !conversion_wants(c, WANT_HALVES) || !conversion_can_infer(c) ||
	       c->not_inferred.code || (split_samples(c, err) && infer_halves(c, err));
}

/* The halves are those of the samples, which the branches replace. */
static bool infer_profile(struct conversion *c, struct bc_error *err)
{
	bool halves = conversion_wants(c, WANT_DOUBTS) && conversion_can_infer(c) &&
		      c->ledgers.samples.read < DOUBTS_MOST;

	return (!halves || split_samples(c, err)) && infer_branches(c, false, err) &&
	       (!halves || c->not_inferred.code || infer_halves(c, err));
}

/* Builds the graphs of blocks that YAML needs, after those are freed that nobody needs any more. */
static bool build_blocks(struct conversion *c, struct bc_error *err)
{
	if (!conversion_wants(c, WANT_GRAPHS) && !c->has_halves) {
		pair_free_graphs(&c->pair);
		if (!conversion_wants(c, WANT_YAML | WANT_EXECUTED))
			cfg_free(&c->graphs);
	}
	return !conversion_wants(c, WANT_YAML) ||
	       of_binary(c,
			 blocks_build_graphs(c->profile.binary, c->profile.by_name,
					     c->profile.function_count, &c->graphs, c->threads,
					     err),
			 err);
}

static bool take_memory(struct conversion *c, struct bc_error *err)
{
	return memory_convert(&c->aggregate.memory, c->aggregate.options.names, &c->profile,
			      &c->ledgers.memory, err);
}

/* What records need in addition to those of samples. */
static bool complete_profile(struct conversion *c, struct bc_error *err)
{
	return (!c->aggregate.options.rules.infer || infer_profile(c, err)) &&
	       build_blocks(c, err) && take_memory(c, err);
}

/* Makes the counts the result: whatever was not dropped by now is kept.  For a profile only the
 * calls of the ranges stay. */
static bool keep_counts(struct conversion *c, struct bc_error *err)
{
	struct ledgers *l = &c->ledgers;
	struct ledger *ledgers[] = {&l->samples, &l->branches, &l->traces, &l->memory};

	profile_free(&c->profile);
	c->restored = (struct restored){0};
	c->no_disassembler = c->pair.graphs.no_disassembler;
	c->check = build_check_all(&conversion_binary(c)->image, &c->aggregate.totals.traces);
	note_fit(c);
	if (!preagg_counts_take(&c->located, &c->aggregate, &c->preagg, err))
		return false;
	*l = c->aggregate.counter.ledgers;
	c->found = c->aggregate.counter.found;
	l->branches.dropped[BRANCH_DROP_RETURN] += c->preagg.returns;
	l->memory.dropped[MEMORY_DROP_NO_ROOM] = l->memory.read - ledger_dropped(&l->memory);
	for (size_t i = 0; i < BC_COUNT(ledgers); i++)
		ledgers[i]->kept = ledgers[i]->read - ledger_dropped(ledgers[i]);
	return true;
}

/* ---- a kernel ---- */

bool kernel_is_assumed(const struct conversion *c, size_t number)
{
	const struct kernel_place_vec *places = &c->aggregate.kernels;

	return number < places->len && places->at[number].used &&
	       places->at[number].told != KERNEL_TOLD &&
	       !c->aggregate.space.kernel.options.in_place;
}

const char *kernel_remedy(const struct conversion *c, size_t number)
{
	if (c->inputs.at[number].format == INPUT_PERF_SCRIPT &&
	    c->aggregate.kernels.at[number].told == KERNEL_NOT_TOLD)
		return "perf script prints with --show-mmap-events, if it was recorded as root or after "
		       "`sysctl kernel.kptr_restrict=0`";
	return "record as root, or after `sysctl kernel.kptr_restrict=0`";
}

bool kernel_is_empty(const struct conversion *c)
{
	const struct kernel_space *kernel = &c->aggregate.space.kernel;

	return kernel->image && !kernel->options.in_place && !c->distinct &&
	       !c->ledgers.memory.kept;
}

bool kernel_check(const struct conversion *c, struct bc_error *err)
{
	if (!kernel_is_empty(c))
		return true;
	for (size_t i = 0; i < c->inputs.len; i++)
		if (kernel_is_assumed(c, i))
			return bc_fail(
				err, BC_MISMATCH,
				"%s: %s, and no sample lies where %s has its code: %s",
				input_name(c->options.samples[i]),
				c->aggregate.kernels.at[i].told == KERNEL_HIDDEN ?
					"the address of the kernel was hidden from perf (kptr_restrict)" :
					"does not show where the kernel was",
				c->options.binary, kernel_remedy(c, i));
	return true;
}

/* ---- check ---- */

/* Does the recording show by a build-id that this very file ran?  All that llvm-bolt makes of an
 * input has one id. */
static bool is_identified(const struct conversion *c)
{
	const struct image_report *seen = &c->aggregate.space.report;

	return conversion_binary(c)->kind == BINARY_UNTOUCHED && !c->options.ignore_build_id &&
	       seen->mappings && seen->identified == seen->mappings && !seen->mistaken;
}

enum belonging conversion_belonging(const struct conversion *c)
{
	enum belonging belonging = belonging_judge(build_check_worst(&c->check),
						   BUILD_CHECK_LIMIT_PERCENT, is_identified(c));

	return belonging == BELONGS_NOT && c->check.checked < c->options.least_checked ?
		       BELONGS_PERHAPS :
		       belonging;
}

#define OTHER_BUILD_HINT "give the binary that was recorded, or convert all the same with --force"

static bool fail_build(const struct conversion *c, struct bc_error *err)
{
	const char *of = c->options.sample_count == 1 ? " of " : "",
		   *only = c->options.sample_count == 1 ? input_name(c->options.samples[0]) : "";

	bc_fail(err, BC_MISMATCH,
		"%s: the samples%s%s are of another build: %.1f %% of their %s do not match its code (limit %.0f %%)",
		c->options.binary, of, only, build_check_rate(&c->check),
		build_check_words(&c->check, c->basic), BUILD_CHECK_LIMIT_PERCENT);
	return bc_hint(err, OTHER_BUILD_HINT);
}

/* Do the samples of a basic profile mismatch the segments of the binary?  Addresses alone show
 * little of the build, so the segments decide. */
static bool segments_disagree(const struct conversion *c)
{
	return c->basic && c->aggregate.space.report.misfits;
}

/* Counts are added to others: a recording of the binary that has none of it by chance fits those.
 */
static bool is_empty(const struct conversion *c)
{
	const struct ledgers *l = &c->ledgers;
	bool counts = conversion_wants(c, WANT_COUNTS) &&
		      (l->samples.kept || l->branches.kept || l->traces.kept);
	bool ranges = c->ranges.range_count || c->ranges.branch_count;

	return kernel_is_empty(c) ||
	       !(counts || ranges || c->profile.record_count || l->memory.kept);
}

static bool fail_contradicted(const struct conversion *c, struct bc_error *err)
{
	const char *path = c->options.samples[c->aggregate.contradicted_by];

	*err = c->aggregate.contradicted;
	return c->options.sample_count > 1 ? bc_fail_prefix(err, input_name(path)) : false;
}

#define RECORD_AGAIN "perf record -e cycles:u -j any,u -o perf.data -- PROGRAM"
#define PRINT_AGAIN                                                                                \
	"perf script --show-mmap-events --show-task-events -F pid,ip,brstack -i perf.data"

/* What became of most of what was read. */
static void describe_most(const struct ledgers *l, char *line, size_t size)
{
	const struct ledger *ledger = l->branches.read ? &l->branches : &l->samples;
	const struct ledger_words *words = l->branches.read ? &branch_words : &sample_words;
	size_t most = 0;

	for (size_t i = 1; i < words->reason_count; i++)
		most = ledger->dropped[i] > ledger->dropped[most] ? i : most;
	*line = '\0';
	if (!ledger->read)
		snprintf(line, size, ": there are none");
	else if (ledger->dropped[most])
		snprintf(line, size, ": most %s are %s", words->text, words->reasons[most].text);
}

static bool is_text(const struct conversion *c)
{
	bool text = c->inputs.len;

	for (size_t i = 0; i < c->inputs.len; i++)
		text &= c->inputs.at[i].format == INPUT_PERF_SCRIPT;
	return text;
}

/* For text, addresses that are outside may be offsets in files. */
static bool fail_empty(const struct conversion *c, struct bc_error *err)
{
	const struct ledgers *l = &c->ledgers;
	const char *first = c->options.sample_count ? c->options.samples[0] : "";
	bool records = false, offsets = is_text(c) && l->branches.dropped[BRANCH_DROP_OUTSIDE];
	char has[640], most[256];

	for (size_t i = 0; i < c->inputs.len; i++)
		records |= !reader_report_is_empty(&c->inputs.at[i]);
	if (!records && c->inputs.len) {
		bc_fail(err, BC_MISMATCH, "%s: is empty%s", input_name(first),
			c->inputs.len > 1 ? ", as all other inputs are" : "");
		return bc_hint(err, "run: " RECORD_AGAIN);
	}
	filter_tell(&c->aggregate.seen, has, sizeof(has));
	describe_most(l, most, sizeof(most));
	if (!c->options.sample_count) /* counts of a recording: no file can be named */
		return bc_fail(err, BC_MISMATCH, "%s: none of the samples can be used%s",
			       c->options.binary, most);
	bc_fail(err, BC_MISMATCH, "%s: none of the samples can be used%s%s%s", c->options.binary,
		*has ? "; " : most, has,
		offsets ? " (brstackoff prints offsets, not addresses)" : "");
	if (!offsets && l->samples.dropped[SAMPLE_DROP_NO_PROCESS] * 2 > l->samples.read)
		return bc_hint(err,
			       "if this is a later part of perf record --switch-output, give the "
			       "parts before it, too, or --maps=FIRST-PART");
	if (!offsets && !strcmp(first, "-"))
		return bc_hint(err, "write the samples to a file, which batconv inspect shows");
	return bc_hint(err, "run: %s%s", offsets ? PRINT_AGAIN : "batconv inspect ",
		       offsets ? "" : first);
}

/* Checks that the samples belong to this binary, and to this build of it. */
static bool check_samples(const struct conversion *c, struct bc_error *err)
{
	const struct image_report *seen = &c->aggregate.space.report;

	if (c->options.from_compiler)
		return true; /* they are of this very file */
	if (c->aggregate.contradicted.code)
		return fail_contradicted(c, err);
	if ((c->ledgers.samples.dropped[SAMPLE_DROP_NO_PROCESS] ||
	     c->ledgers.branches.dropped[BRANCH_DROP_NO_PROCESS]) &&
	    !seen->processes)
		return image_space_fail_unmapped(&c->aggregate.space, err);
	if (c->options.force)
		return true;
	if (!kernel_check(c, err))
		return false;
	if (conversion_belonging(c) == BELONGS_NOT)
		return fail_build(c, err);
	if (segments_disagree(c)) {
		bc_fail(err, BC_MISMATCH,
			"%s: %" PRIu64
			" mappings of it fit none of its executable segments: the profiled binary was another build",
			c->options.binary, seen->misfits);
		return bc_hint(err, OTHER_BUILD_HINT);
	}
	return !is_empty(c) || c->options.empty_will_do || fail_empty(c, err);
}

/* ---- the steps ---- */

bool conversion_open(struct conversion *c, struct bc_error *err)
{
	return open_binary(c, err) && open_hashes(c, err) && read_probes(c, err) &&
	       begin_counting(c, err) && take_folders(c, err);
}

bool conversion_count(struct conversion *c, struct bc_error *err)
{
	return (c->options.from_compiler ? read_compiler_counts(c, err) : read_samples(c, err)) &&
	       locate(c, err) && check_ranges(c, err) && count_executed(c, err);
}

/* The samples are checked last, so that the summary of a refusal is as full as any other. */
bool conversion_convert(struct conversion *c, struct bc_error *err)
{
	bool ok =
		mark_functions(c, err) && make_profile(c, err) && convert_halves(c, err) &&
		(conversion_wants(c, WANT_COUNTS) ? keep_counts(c, err) : complete_profile(c, err));

	located_free(&c->located);
	return ok && check_samples(c, err);
}

bool conversion_run(struct conversion *c, struct bc_error *err)
{
	return conversion_open(c, err) && conversion_count(c, err) && conversion_convert(c, err);
}

void conversion_free(struct conversion *conversion)
{
	profile_free(&conversion->profile);
	profile_free(&conversion->halves[0]);
	profile_free(&conversion->halves[1]);
	ranges_free(&conversion->ranges);
	executed_free(&conversion->executed);
	code_marks_free(&conversion->left_out);
	code_marks_free(&conversion->touched);
	probe_source_close(&conversion->probes);
	preagg_counts_free(&conversion->preagg);
	located_free(&conversion->located);
	aggregate_fini(&conversion->aggregate);
	report_vec_free(&conversion->inputs);
	flow_walk_report_free(&conversion->walked);
	hash_source_close(&conversion->hashes);
	cfg_free(&conversion->graphs);
	if (conversion->pair.output)
		pair_close(&conversion->pair);
	binary_close(&conversion->opened);
	found_input_free(&conversion->found_input);
	shard_list_free(&conversion->folders.list);
	free(conversion->folders.paths);
	free(conversion->folders.begins);
	*conversion = (struct conversion){0};
}

/* ---- several binaries from one pass over the samples ---- */

/* The consumer that hands each event on to the conversions of all binaries. */
struct fan {
	struct conversion_one *ones;
	size_t count;
	struct recordings recordings; /* read so far */
	struct flow_walk *walk;
};

static void fail_one(struct conversion_one *one, const struct bc_error *err)
{
	if (one->failed)
		return;
	one->failed = true;
	one->err = *err;
}

static bool is_aggregated(enum event_kind kind)
{
	return kind == EVENT_TRACES || kind == EVENT_ADDRESSES || kind == EVENT_NAME;
}

/* Delivers an event to each conversion that has not failed.  EVENT_END goes to failed ones, too,
 * because they may hold memory that they free then.  Fails when all have failed. */
static bool deliver_to_all(void *ctx, const struct event *event, struct bc_error *err)
{
	struct fan *fan = ctx;
	bool any = event->kind == EVENT_END;

	if (is_aggregated(event->kind))
		return bc_fail(err, BC_UNSUPPORTED,
			       "pre-aggregated records are of one binary, and here are several") ||
		       bc_hint(err, "convert them without --bin");
	for (size_t i = 0; i < fan->count; i++) {
		struct conversion_one *one = &fan->ones[i];
		struct bc_error own;
		if (one->failed && event->kind != EVENT_END)
			continue;
		if (aggregate_event(&one->conversion.aggregate, event, &own))
			any = true;
		else
			fail_one(one, &own);
	}
	return any || bc_fail(err, BC_MISMATCH, "no binary is left to convert for");
}

/* Returns how many did not fail before. */
static size_t fail_all(struct fan *fan, const struct bc_error *err)
{
	size_t left = 0;

	for (size_t i = 0; i < fan->count; i++) {
		fan->ones[i].unread = !fan->ones[i].failed;
		left += fan->ones[i].unread;
		fail_one(&fan->ones[i], err);
	}
	return left;
}

/* Opens all binaries.  False: none could be opened, so that the samples need not be read. */
static bool open_all(struct fan *fan)
{
	struct bc_error err;
	bool any = false;

	for (size_t i = 0; i < fan->count; i++) {
		struct conversion_one *one = &fan->ones[i];
		if (conversion_open(&one->conversion, &err))
			any = true;
		else
			fail_one(one, &err);
	}
	return any;
}

static bool read_one(struct fan *fan, size_t number, struct bc_error *err)
{
	const struct conversion_options *options = &fan->ones[0].conversion.options;
	struct reader_options how = conversion_reader_options(options, number, &fan->recordings);
	struct reader_report report = {0};
	const struct event_sink sink = flow_walk_sink(fan->walk);

	how.flow = flow_walk_taker(fan->walk);
	if (!input_run(options->samples[number], &how, options->progress, &sink, &report, err))
		return false;
	for (size_t i = 0; i < fan->count; i++)
		if (!fan->ones[i].failed && !note_input(&fan->ones[i].conversion, &report, err))
			return false;
	return true;
}

/* NULL: out of memory.  Those that failed are not opened. */
static struct flow_walk *make_walk(struct fan *fan)
{
	const struct conversion *first = &fan->ones[0].conversion;
	struct given_code *codes = calloc(fan->count, sizeof(*codes));
	struct flow_walk_options options = {.given = codes,
					    .dirs = &first->options.debug,
					    .sink = {fan, deliver_to_all},
					    .threads = 1};
	struct flow_walk *walk = NULL;

	for (size_t i = 0; codes && i < fan->count; i++)
		if (!fan->ones[i].failed) {
			codes[options.given_count++] = code_of(&fan->ones[i].conversion);
			options.threads = fan->ones[i].conversion.threads;
		}
	if (codes)
		walk = flow_walk_make(&options);
	free(codes);
	return walk;
}

static void note_walks(struct fan *fan)
{
	struct bc_error err;

	for (size_t i = 0; i < fan->count; i++)
		if (!fan->ones[i].failed && !note_walk(&fan->ones[i].conversion, fan->walk, &err))
			fail_one(&fan->ones[i], &err);
}

static size_t read_all(struct fan *fan)
{
	const struct conversion_options *options = &fan->ones[0].conversion.options;
	struct bc_error err = {0};
	size_t unread = 0;

	fan->walk = make_walk(fan);
	if (!fan->walk) {
		bc_fail_nomem(&err);
		fail_all(fan, &err);
	}
	for (size_t s = 0; fan->walk && s < options->sample_count && !unread; s++)
		if (!read_one(fan, s, &err)) {
			unread = fail_all(fan, &err) && err.code != BC_NOMEM ? s + 1 : 0;
			break;
		}
	if (fan->walk)
		note_walks(fan);
	flow_walk_free(fan->walk);
	return unread;
}

static void end_all(struct fan *fan)
{
	struct bc_error err;

	for (size_t i = 0; i < fan->count; i++) {
		struct conversion_one *one = &fan->ones[i];
		if (!one->failed && !(conversion_count(&one->conversion, &err) &&
				      conversion_convert(&one->conversion, &err)))
			fail_one(one, &err);
	}
}

/* For a directory each binary has shards of its own. */
static size_t run_apart(struct fan *fan)
{
	struct bc_error err;

	for (size_t i = 0; i < fan->count; i++)
		if (!conversion_run(&fan->ones[i].conversion, &err))
			fail_one(&fan->ones[i], &err);
	return 0;
}

static bool has_folder(const struct conversion_options *options)
{
	bool has = false;

	for (size_t i = 0; i < options->sample_count; i++)
		has |= shard_list_is_folder(options->samples[i]);
	return has;
}

size_t conversion_run_many(struct conversion_one *ones, size_t count)
{
	struct fan fan = {.ones = ones, .count = count};

	if (count && has_folder(&ones[0].conversion.options))
		return run_apart(&fan);
	if (!open_all(&fan))
		return 0;
	size_t unread = read_all(&fan);
	end_all(&fan);
	return unread;
}
