/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "src/base/file.h"
#include "src/base/counts.h"
#include "src/flow/conversion.h"

/* At most so many inputs are compared with each other. */
#define DOUBLES_MOST ((size_t)256)

/* Less than this share of a trace is not worth a warning. */
#define LITTLE_PERCENT 1.0

#define FILES_NAMED 3

/* With fewer samples than these a layout may not be stable: docs/stats.md. */
#define LBR_SAMPLES_FEW   1000
#define BASIC_SAMPLES_FEW 10000

/* ... and where inference uses less of them, or reassigns more: docs/quality.md, "Inferred". */
#define INFERRED_ENOUGH 90.0 /* percent */
#define REASSIGNED_MUCH 20.0

/* ---- one input ---- */

static void warn_of_loss(const char *path, const struct reader_report *report,
			 const struct warnings *to)
{
	const struct perf_data_report *perf = &report->perf;

	if (report->packed_cut)
		warn(to,
		     "%s: truncated, byte %" PRIu64
		     ": the %s data ends early; everything complete before that was used",
		     path, report->packed_cut_at, packing_name(report->packing));
	else if (report->cut)
		warn(to,
		     "%s: truncated, line %" PRIu64 ", byte %" PRIu64
		     ": the text ends within a line; the lines "
		     "before it were used",
		     path, report->cut_line, report->cut_at);
	if (perf->unfinished)
		warn(to,
		     "%s: the recorder was stopped before it finished the file; everything recorded was used",
		     path);
	if (perf->truncated && !report->packed_cut)
		warn(to,
		     "%s: truncated, byte %" PRIu64
		     ": the file ends within a record; the records before it were used%s",
		     path, perf->truncated_at,
		     perf->trace.decoded ? ", and of a trace what is there" : "");
	if (perf->damaged_features && !perf->truncated)
		warn(to,
		     "%s: damaged: %" PRIu64
		     " section%s or record%s next to the samples (build-ids, names of events "
		     "and the like); left out",
		     path, perf->damaged_features, plural(perf->damaged_features),
		     plural(perf->damaged_features));
	if (perf->unknown_records)
		warn(to,
		     "%s: %" PRIu64 " record%s of unknown types skipped, the first of type %" PRIu32
		     ", byte %" PRIu64,
		     path, perf->unknown_records, plural(perf->unknown_records), perf->unknown_type,
		     perf->unknown_at);
}

bool tell_loss(const char *path, const struct reader_report *report)
{
	warn_of_loss(input_name(path), report, &(struct warnings){warn_by_line, stderr});
	return reader_report_is_partial(report);
}

static bool is_read(const struct perf_trace_report *trace)
{
	return trace->kind == PERF_TRACE_ARM_SPE;
}

static const char *overflow_remedy(const struct perf_trace_report *trace)
{
	if (trace->kind == PERF_TRACE_ARM_ETM)
		return "a larger buffer (perf record -m,64M), a share of the time (cs_etm/autofdo/u, with strobing) or an address filter "
		       "(--filter 'filter * @ PROG') help";
	return "without kernel (:u) and without cycles (cyc=0), or with an address filter (--filter 'filter * @ PROG'), there is less to write";
}

static void warn_of_trace(const char *path, const struct perf_trace_report *trace,
			  const struct warnings *to)
{
	const char *itrace = perf_trace_itrace(trace);

	if (trace->refused)
		warn(to, "%s: its hardware trace (%s) is not read, as it is %s", path,
		     perf_trace_name(trace), trace->refused);
	else if (itrace)
		warn(to,
		     "%s: has hardware traces (%s), which are not decoded here; convert what `perf script --itrace=%s -F pid,ip,brstack "
		     "--show-mmap-events` prints",
		     path, perf_trace_name(trace), itrace);
	else if (trace->found && !trace->buffers)
		warn(to,
		     "%s: says that there was a hardware trace (%s), but has none of its bytes: record again",
		     path, perf_trace_name(trace));
	if (trace->operations && !trace->branches)
		warn(to,
		     "%s: none of the sampled operations is a branch: perf record -e arm_spe_0/branch_filter=1/u samples branches",
		     path);
	if (trace->unattributed)
		warn(to,
		     "%s: %" PRIu64
		     " branch%s cannot be used, as their process is not recorded: record as root with a kernel of "
		     "CONFIG_PID_IN_CONTEXTIDR, or one program with --per-thread",
		     path, trace->unattributed, trace->unattributed == 1 ? "" : "es");
	if (trace->truncated)
		warn(to,
		     "%s: the buffer of the trace was full %" PRIu64
		     " time%s, and what was executed then is missing: record with a larger one "
		     "(-m,16M) or %s",
		     path, trace->truncated, plural(trace->truncated),
		     is_read(trace) ? "fewer samples (-c)" :
				      "an address filter (--filter 'filter * @ PROG')");
	if (trace->overflows)
		warn(to,
		     "%s: the processor could not write its trace fast enough %" PRIu64
		     " time%s, and what was executed then is missing: %s",
		     path, trace->overflows, plural(trace->overflows), overflow_remedy(trace));
	if (trace->decoded && trace->bytes && !trace->queues)
		warn(to,
		     "%s: the trace cannot be read from a pipe, as its bytes precede the record of their kind (AUXTRACE_INFO): "
		     "write the pipe into a file first",
		     path);
	if (trace->decoded && trace->gaps)
		warn(to,
		     "%s: damaged: bytes of the trace are missing at %" PRIu64
		     " point%s, and what was executed up to the next synchronization point is left out",
		     path, trace->gaps, plural(trace->gaps));
	if (trace->decoded && trace->bad_bytes)
		warn(to,
		     "%s: damaged: %" PRIu64
		     " byte%s of the trace %s left out, which belong to no packet or precede the next synchronization point",
		     path, trace->bad_bytes, plural(trace->bad_bytes),
		     trace->bad_bytes == 1 ? "is" : "are");
	if (!trace->decoded && (trace->damaged || trace->bad_bytes))
		warn(to,
		     "%s: damaged: %" PRIu64
		     " sampled operation%s of the trace left out, as %s cut or damaged",
		     path, trace->damaged, plural(trace->damaged),
		     trace->damaged == 1 ? "it is" : "they are");
	if (trace->unknown_packets)
		warn(to, "%s: %" PRIu64 " packet%s of unknown kinds in the trace skipped", path,
		     trace->unknown_packets, plural(trace->unknown_packets));
}

/* ---- what became of traces ---- */

static size_t advance(size_t size, size_t len, int more)
{
	return more < 0 || len + (size_t)more >= size ? size - 1 : len + (size_t)more;
}

/* "libc.so.6 (build-id ...), ld.so and 3 more" */
static void name_files(const struct flow_walk_report *walked, enum walk_loss loss, char *line,
		       size_t size)
{
	size_t named = 0, more = 0, len = 0;

	*line = '\0';
	for (size_t i = 0; i < walked->files.len; i++) {
		const struct lost_file *file = &walked->files.at[i];
		char id[2 * BUILD_ID_MAX + 1];
		if (file->loss != loss)
			continue;
		if (named == FILES_NAMED) {
			more++;
			continue;
		}
		build_id_format(&file->id, id);
		len = advance(size, len,
			      snprintf(line + len, size - len, "%s%s%s%s%s", named ? ", " : ": ",
				       file->path, *id ? " (build-id " : "", id, *id ? ")" : ""));
		named++;
	}
	if (more)
		advance(size, len, snprintf(line + len, size - len, " and %zu more", more));
}

static void warn_of_walk(const struct flow_walk_report *walked, const struct warnings *to)
{
	char files[600];

	for (size_t i = 0; i < LOSS_COUNT; i++) {
		double share = percent_of(walked->sums.lost[i], walked->answers);
		if (!walked->sums.lost[i] || share < LITTLE_PERCENT)
			continue;
		name_files(walked, (enum walk_loss)i, files, sizeof(files));
		warn(to, "%.1f %% of the trace ran %s%s%s", share,
		     walk_loss_words((enum walk_loss)i), files,
		     walk_loss_remedy((enum walk_loss)i));
	}
}

/* ---- a kernel ---- */

static void warn_of_kernel(const struct conversion *c, size_t number, const struct warnings *to)
{
	if (kernel_is_assumed(c, number))
		warn(to, "%s: %s; it is taken to be where %s has it: %s",
		     input_name(c->options.samples[number]),
		     c->aggregate.kernels.at[number].told == KERNEL_HIDDEN ?
			     "the address of the kernel was hidden from perf (kptr_restrict)" :
			     "does not show where the kernel was",
		     c->options.binary, kernel_remedy(c, number));
}

/* ---- the input binary ---- */

void found_input_warn(const struct found_input *found, const struct warnings *to)
{
	if (!found->taken && found->refused.code == BC_IO)
		warn(to, "no input binary was found, and this file may be it: %s",
		     found->refused.text);
	else if (found->refused.code && found->refused.code != BC_IO)
		warn(to, "not taken as the input binary, although its build-id is right: %s",
		     found->refused.text);
	if (found->doubt.code)
		warn(to, "%s", found->doubt.text);
}

void found_input_tell(const struct found_input *found)
{
	found_input_say(found, stderr);
	found_input_warn(found, &(struct warnings){warn_by_line, stderr});
}

/* ---- the conversion ---- */

static bool keeps_none(const struct ledgers *l)
{
	return !l->samples.kept && !l->branches.kept && !l->traces.kept && !l->memory.kept;
}

/* So few that are used can be those of processes that a later part of a recording has by chance. */
#define PART_SAMPLES_FEW 100

/* What must be said of samples that do not fit the code; NULL: nothing. */
static const char *belonging_doubt(enum belonging belonging)
{
	switch (belonging) {
	case BELONGS_BY_ID: return "have the right build-id, but fit badly";
	case BELONGS_PERHAPS: return "may be of another build";
	case BELONGS_NOT: return "are of another build";
	case BELONGS: break;
	}
	return NULL;
}

/* Warns of signs that the recording is of another program: its mappings or its few branches
 * do not match the binary, or nothing of it was kept. */
static void warn_of_little(const struct summary *summary, const struct warnings *to)
{
	const struct conversion *c = summary->conversion;
	const struct image_match *match = &c->aggregate.space.match;
	const struct ledgers *l = &c->ledgers;
	uint64_t misfits = c->aggregate.space.report.misfits;
	const char *renamed = c->aggregate.space.report.renamed;

	if (conversion_binary(c)->debug.refused.code)
		warn(to, "%s", conversion_binary(c)->debug.refused.text);
	if (c->no_disassembler)
		warn(to, "libLLVM is missing, which a few functions without a BAT map need: "
			 "their fall-throughs were dropped");
	if (match->also_found)
		warn(to, "mapped as %s and as %s: taken for one file; --image=PATH chooses",
		     match->found, match->also_found);
	if (renamed)
		warn(to,
		     "%s, of another name, has the binary's build-id, which came too late: its "
		     "samples were not counted",
		     renamed);
	if (misfits)
		warn(to,
		     "%" PRIu64 " mapping%s of %s fit%s none of its executable segments and "
		     "%s not used: the profiled binary was another build of it",
		     misfits, plural(misfits), summary->conversion->options.binary,
		     misfits == 1 ? "s" : "", misfits == 1 ? "was" : "were");
	const char *doubt = belonging_doubt(conversion_belonging(c));
	bool measured = c->options.force && !summary->output; /* by quality, which has a verdict */
	if (doubt && !summary->refusal && !measured)
		warn(to,
		     "the samples %s: %.1f %% of their %" PRIu64 " %s do not match the code of %s",
		     doubt, build_check_rate(&c->check), build_check_worst(&c->check).compared,
		     build_check_words(&c->check, c->basic), c->options.binary);
	if (keeps_none(l) && !summary->refusal)
		warn(to, "no sample could be used: the result is empty");
	uint64_t kept = l->samples.kept, elsewhere = l->samples.dropped[SAMPLE_DROP_NO_PROCESS];
	if (summary->output && kept && kept < PART_SAMPLES_FEW && elsewhere * 2 > l->samples.read)
		warn(to,
		     "only %" PRIu64 " of %" PRIu64
		     " samples %s in processes that mapped %s: a later part of perf record --switch-output needs the parts "
		     "before it, or --maps=FIRST-PART",
		     kept, l->samples.read, kept == 1 ? "is" : "are", c->options.binary);
}

/* Files that were taken although more of their code mismatches than may. */
static void warn_of_doubts(const struct conversion *c, const struct warnings *to)
{
	const struct bc_error *doubts[] = {&c->pair.doubt, &c->hashes.pair.doubt};

	for (size_t i = 0; i < BC_COUNT(doubts); i++)
		if (doubts[i]->code)
			warn(to, "%s", doubts[i]->text);
}

static void warn_of_probes(const struct summary *summary, const struct warnings *to)
{
	const struct probe_source *probes = &summary->conversion->probes;

	if (!conversion_wants(summary->conversion, WANT_PROBES) || summary->refusal)
		return;
	if (!probes->found)
		warn(to,
		     "no pseudo-probes are written: %s has not both .pseudo_probe and .pseudo_probe_desc",
		     summary->conversion->options.binary);
	if (probes->placed.unplaced)
		warn(to, "%zu pseudo-probe%s not written: no symbol shows where %s function%s",
		     probes->placed.unplaced, probes->placed.unplaced == 1 ? " was" : "s were",
		     probes->placed.unplaced == 1 ? "its" : "their",
		     probes->placed.unplaced == 1 ? " is" : "s are");
}

static void warn_of_hashes(const struct summary *summary, const struct warnings *to)
{
	const struct yaml_report *yaml = summary->yaml;

	if (!yaml || !yaml->unhashed || !conversion_wants(summary->conversion, WANT_HASHES) ||
	    summary->refusal)
		return;
	warn(to,
	     "YAML: %zu function%s with %.1f %% of the counts ha%s no hashes, so that llvm-bolt does not optimize %s: "
	     "--hashes=FILE gives them ('batconv extract --hashes INPUT -o FILE'), and fdata needs none",
	     yaml->unhashed, plural(yaml->unhashed), percent_of(yaml->unhashed_count, yaml->count),
	     yaml->unhashed == 1 ? "s" : "ve", yaml->unhashed == 1 ? "it" : "them");
}

/* Warns of a compiler's profile that is not of this code. */
static void warn_of_compiler(const struct summary *summary, const struct warnings *to)
{
	const struct compiler_counts *f = &summary->conversion->compiler;

	if (!summary->conversion->options.from_compiler || summary->refusal)
		return;
	if (f->forced)
		warn(to,
		     "no function has a count: this profile is of the compiler's guesses, and can make the program slower");
	if (compiler_counts_few(f))
		warn(to,
		     "only %.1f %% of the functions of the compiler's map have a count (limit %.0f %%): its profile was of other code, or of too "
		     "little, and this one can make the program slower; build with a new one",
		     compiler_counted_percent(f), COMPILER_COUNTED_LEAST);
	if (compiler_counts_older(f))
		warn(to,
		     "%.1f %% of the functions with a count are called more often than they were entered (limit %.0f %%): the compiler's profile "
		     "was of older code, and this one can make the program slower; build with a new one",
		     compiler_undercounted_percent(f), COMPILER_CONTRADICTED_MOST);
}

/* Warns of a file whose name says that it is of another format. */
static void warn_of_name(const struct summary *summary, const struct warnings *to)
{
	static const struct {
		const char *end, *format;
	} ends[] = {
		{".fdata", "fdata"}, {".yaml", "yaml"}, {".yml", "yaml"}, {".preagg", "preagg"}};

	for (size_t i = 0; summary->output && summary->format && i < BC_COUNT(ends); i++)
		if (text_ends(text_of(summary->output), ends[i].end) &&
		    strcmp(ends[i].format, summary->format) != 0)
			warn(to, "%s is %s: --format=%s writes what its name says", summary->output,
			     summary->format, ends[i].format);
}

static void warn_of_input(const char *path, const struct reader_report *report, bool refused,
			  const struct warnings *to)
{
	const struct perf_data_report *perf = &report->perf;

	warn_of_loss(path, report, to);
	if (!refused && reader_report_is_empty(report))
		warn(to, "%s: %s", path, report->lines ? "has only comments" : "is empty");
	if (perf->has_partial_stacks)
		warn(to,
		     "%s: its branch stacks hold some kinds of branches only, so fall-throughs are not known: "
		     "record with -j any,u",
		     path);
	if (perf->traced_samples)
		warn(to,
		     "%s: %" PRIu64
		     " sample%s %s a part of a hardware trace (perf record --aux-sample), which is not read: "
		     "record the whole trace, with -e intel_pt//u (Arm: cs_etm//u)",
		     path, perf->traced_samples, plural(perf->traced_samples),
		     perf->traced_samples == 1 ? "has" : "have");
	warn_of_trace(path, &perf->trace, to);
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return !strcmp(a, b) ? strcmp(a, "-") != 0 :
			       !stat(a, &x) && !stat(b, &y) && S_ISREG(x.st_mode) &&
				       x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Are two inputs the same recording?  Two different ones never agree in all of this. */
static bool same_recording(const struct reader_report *a, const struct reader_report *b)
{
	const struct perf_data_report *x = &a->perf, *y = &b->perf;

	return a->format == INPUT_PERF_DATA && b->format == INPUT_PERF_DATA && x->first_ns &&
	       x->first_ns == y->first_ns && x->last_ns == y->last_ns &&
	       x->delivered == y->delivered &&
	       !memcmp(x->records, y->records, sizeof(x->records)) &&
	       !strcmp(x->info.hostname, y->info.hostname);
}

/* Warns of a recording that was given twice, so that its samples count twice: a user may want that,
 * but hardly ever does. */
static void warn_of_doubles(const struct summary *summary, const struct warnings *to)
{
	const struct report_vec *inputs = &summary->conversion->inputs;
	const char *const *paths = summary->conversion->options.samples;

	for (size_t i = 1; i < inputs->len && i < DOUBLES_MOST; i++)
		for (size_t k = 0; k < i; k++) {
			bool same = same_file(paths[k], paths[i]);
			if (!same && !same_recording(&inputs->at[k], &inputs->at[i]))
				continue;
			warn(to, "%s and %s are one %s: its samples count twice",
			     input_name(paths[k]), input_name(paths[i]),
			     same ? "file" : "recording");
			break;
		}
}

/* Warns of an input of which nothing is used, among others: none of its processes has the binary.
 */
static void warn_of_unused(const struct summary *summary, const struct warnings *to)
{
	const struct conversion *c = summary->conversion;
	const struct flag_vec *used = &c->aggregate.used;

	if (summary->refusal || c->options.one_of_many ||
	    filter_is_set(&c->aggregate.options.filter))
		return;
	for (size_t i = 0; c->inputs.len > 1 && i < c->inputs.len && i < used->len; i++)
		if (!used->at[i] && !reader_report_is_empty(&c->inputs.at[i]))
			warn(to,
			     "%s: nothing of it is used: it has no sample or trace of a process that had mapped %s "
			     "('batconv inspect' shows the profiled binaries)",
			     input_name(c->options.samples[i]), c->options.binary);
}

/* What a directory has in addition to the shards that are used. */
static void warn_of_folders(const struct conversion *c, const struct warnings *to)
{
	const struct folder_shards *folders = &c->folders;
	size_t other = folders->list.all.len - folders->used;

	if (folders->used && other + folders->list.unreadable + folders->list.others)
		warn(to,
		     "%s: %zu shard%s of %s; left out: %zu of other code, %zu damaged, %zu other file%s",
		     folders->first, folders->used, plural(folders->used), c->options.binary, other,
		     folders->list.unreadable, folders->list.others, plural(folders->list.others));
}

void tell_inputs(const struct conversion *c)
{
	const struct warnings to = {warn_by_line, stderr};

	warn_of_folders(c, &to);
	for (size_t i = 0; i < c->inputs.len; i++) {
		warn_of_loss(input_name(c->options.samples[i]), &c->inputs.at[i], &to);
		warn_of_kernel(c, i, &to);
	}
}

/* Warns of what was not read of the inputs. */
static void warn_of_inputs(const struct summary *summary, const struct warnings *to)
{
	const struct report_vec *inputs = &summary->conversion->inputs;

	warn_of_walk(&summary->conversion->walked, to);
	for (size_t i = 0; summary->maps && i < summary->maps->len; i++)
		warn_of_loss(input_name(summary->maps->at[i].path), &summary->maps->at[i].report,
			     to);
	for (size_t i = 0; i < inputs->len; i++) {
		warn_of_input(input_name(summary->conversion->options.samples[i]), &inputs->at[i],
			      summary->refusal, to);
		if (!summary->refusal)
			warn_of_kernel(summary->conversion, i, to);
	}
}

static void take_first(void *ctx, const char *text)
{
	char **first = ctx;

	if (!*first)
		*first = strdup(text);
}

void summary_add_cause(const struct summary *summary, struct bc_error *why)
{
	const struct bc_error before = *why;
	const char *hint = bc_error_hint(&before);
	const struct ledgers *l = &summary->conversion->ledgers;
	char *cause = NULL;

	if (l->branches.read ? l->branches.kept || l->traces.kept : !keeps_none(l))
		return;
	warn_of_inputs(summary, &(struct warnings){take_first, &cause});
	if (!cause)
		return;
	bc_fail(why, before.code, "%s; %s", before.text, cause);
	if (hint)
		bc_hint(why, "%s", hint);
	free(cause);
}

void summary_each_warning(const struct summary *summary, warning_fn *each, void *ctx)
{
	struct warnings to = {each, ctx};

	found_input_warn(&summary->conversion->found_input, &to);
	warn_of_doubts(summary->conversion, &to);
	warn_of_folders(summary->conversion, &to);
	warn_of_little(summary, &to);
	warn_of_doubles(summary, &to);
	warn_of_unused(summary, &to);
	warn_of_probes(summary, &to);
	warn_of_hashes(summary, &to);
	warn_of_name(summary, &to);
	warn_of_compiler(summary, &to);
	if (summary->next)
		carry_report_warnings(summary->next, &to);
	warn_of_inputs(summary, &to);
}

/* ---- is the profile good enough? ---- */

/* One warning with all reasons.  For counted branches, as a hardware trace or pre-aggregated
 * records have them, no one knows of how many samples they are. */
static void warn_of_few(const struct summary *summary, const struct warnings *to)
{
	const struct conversion *c = summary->conversion;
	uint64_t samples = c->ledgers.samples.kept;
	bool sampled = samples && !c->walked.answers && !c->options.from_compiler;
	bool few = sampled && samples < (c->basic ? BASIC_SAMPLES_FEW : LBR_SAMPLES_FEW);
	double share = inferred_percent(&c->inferred), moved = inferred_moved_percent(&c->inferred);
	bool little = sampled && c->profile.of_input && share < INFERRED_ENOUGH;
	bool vague = sampled && c->profile.of_input && moved > REASSIGNED_MUCH;
	bool worse = summary->gain.known && summary->gain.verdict == GAIN_DOUBTFUL;
	bool enough = summary->gain.known && summary->gain.verdict == GAIN_ENOUGH;
	char only[80] = "", inferred[80] = "", reassigned[80] = "";

	if (summary->refusal || !(few || little || vague || worse) || (enough && !little))
		return;
	if (few)
		snprintf(only, sizeof(only), "only %" PRIu64 " sample%s (at least %d are advised)",
			 samples, plural(samples), c->basic ? BASIC_SAMPLES_FEW : LBR_SAMPLES_FEW);
	if (little)
		snprintf(inferred, sizeof(inferred), "%sbranches inferred from only %.1f %%",
			 few ? ", " : "", share);
	if (vague)
		snprintf(reassigned, sizeof(reassigned), "%s%.1f %% reassigned by inference",
			 few || little ? ", " : "", moved);
	if (worse)
		warn(to,
		     "%s%s%s%sthe next binary may take more branches than the program without llvm-bolt (expected: %+.0f to %+.0f %%); 'batconv quality' explains why",
		     only, inferred, reassigned, few || little || vague ? ": " : "",
		     -summary->gain.low, -summary->gain.high);
	else
		warn(to,
		     "%s%s%s: the layout may not be stable; record for longer, or measure it with 'batconv quality'",
		     only, inferred, reassigned);
}

static void warn_of_names(const struct conversion *c, const struct warnings *to)
{
	const struct binary *binary = conversion_binary(c);

	if (binary->functions.stripped &&
	    binary->kind != BINARY_UNTOUCHED) /* else it is a limit of llvm-bolt */
		warn(to,
		     "%s: stripped: functions are named by address, which llvm-bolt will not match",
		     c->options.binary);
}

void summary_each_doubt(const struct summary *summary, warning_fn *each, void *ctx)
{
	struct warnings to = {each, ctx};

	warn_of_names(summary->conversion, &to);
	warn_of_few(summary, &to);
}

void summary_warnings(const struct summary *summary, FILE *out)
{
	summary_each_warning(summary, warn_by_line, out);
}
