/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/inspect.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/json.h"
#include "src/base/counts.h"
#include "src/base/text.h"
#include "src/code/pair.h"
#include "src/elf/load.h"
#include "src/figures/advice.h"
#include "src/figures/figure_table.h"
#include "src/figures/summary.h"

/* ---- what to do with it ---- */

/* What is this file on this machine, if many samples are in it? */
static enum local_file local_of(const struct inspected *found, struct text path)
{
	const struct recording *r = &found->recording;

	for (size_t i = 0; i < r->files.len && i < INSPECT_LISTED; i++)
		if (r->files.at[i].of < SHARE_UNKNOWN &&
		    text_equal(mapped_files_path(&r->mapped, (uint32_t)r->files.at[i].of), path))
			return found->local[i];
	return LOCAL_NONE;
}

/* The file with most samples that has a table here; else the program of the process with most
 * samples, if it is the same here; empty if there is none.  *bolted: it has a table. */
static struct text best_binary(const struct inspected *found, struct text program, bool *bolted)
{
	const struct recording *r = &found->recording;

	*bolted = false;
	for (size_t i = 0; i < INSPECT_LISTED; i++)
		if (found->local[i] == LOCAL_BAT) {
			*bolted = true;
			return mapped_files_path(&r->mapped, (uint32_t)r->files.at[i].of);
		}
	return program.len && local_of(found, program) == LOCAL_PLAIN ? program :
									(struct text){"", 0};
}

static char *copy(struct text path)
{
	return path.len ? strndup(path.at, path.len) : NULL;
}

/* What to do with a file. */
struct next {
	struct bolt_reads reads;  /* it, or of a recording the program that ran */
	char *ran;                /* ... its path */
	struct found_input input; /* of a BOLTed one */
	char line[8192]; /* the command that a user may want to run, or the program that reads the
			    file, without an end of line */
};

static void next_free(struct next *next)
{
	free(next->ran);
	found_input_free(&next->input);
}

/* The input binary of a BOLTed one; NULL: not found, or not sought. */
static const char *find_input(const struct inspected *found, const char *bolted, struct next *out)
{
	const struct debug_dirs dirs = {0};

	return found->seeks_input ? found_input_path(bolted, &dirs, &out->input) : NULL;
}

/* What llvm-bolt is to read: the file itself, or the program that ran. */
static void find_reads(const struct use *use, struct next *out)
{
	const char *path = use->kind == FILE_BINARY  ? use->path :
			   use->kind == FILE_SAMPLES ? use->ran :
						       NULL;
	struct file_facts facts;

	if (!path)
		return;
	file_facts_look(path, &facts);
	if (facts.opened && facts.trace == BOLT_NONE)
		out->reads = (struct bolt_reads){path, facts.bolt};
}

static enum recording_lack lack_of(const struct recording *r)
{
	const struct perf_data_report *perf = &r->report.perf;
	const struct perf_trace_report *trace = &perf->trace;

	if (perf_data_is_of_counters(perf))
		return LACKS_COUNTS;
	if (r->report.format == INPUT_PERF_DATA && perf_data_has_no_samples(perf))
		return LACKS_SAMPLES;
	if (trace->operations && !trace->branches)
		return LACKS_BRANCHES;
	if (trace->branches && trace->unattributed == trace->branches)
		return LACKS_OWNERS;
	if (trace->found && (!trace->buffers || !trace->bytes) && !r->samples)
		return LACKS_TRACE;
	return r->addresses && r->processes.len == 1 && r->processes.at[0].of == NO_PID ?
		       LACKS_PROCESSES :
		       LACKS_NOTHING;
}

static void find_next(const struct inspected *found, struct next *out)
{
	const struct recording *r = &found->recording;
	struct use use = {.path = found->path,
			  .kind = found->kind,
			  .table_is_bad = *found->bat_wrong,
			  .json_format = found->json_format,
			  .foreign = found->foreign};
	struct text program = {"", 0};

	if (found->kind == FILE_BINARY || found->kind == FILE_SIDE)
		use.trace = image_bolt_trace(&found->binary.image);
	if (found->kind == FILE_SAMPLES && r->processes.len && r->processes.at[0].of != NO_PID)
		program = recording_program(r, (uint32_t)r->processes.at[0].of);
	char *named = copy(path_without_deleted(program));
	out->ran = copy(path_without_deleted(best_binary(found, program, &use.ran_bolted)));
	use.ran = out->ran;
	use.named = named;
	if (found->kind == FILE_SAMPLES) {
		use.itrace = perf_trace_itrace(&r->report.perf.trace);
		use.lack = lack_of(r);
		use.trace_kind = r->report.perf.trace.kind;
		use.plain = r->report.format == INPUT_PREAGG && r->samples && !r->branches &&
			    !r->fall_throughs;
	}
	use.is_shard = found->is_shard;
	if (use.ran_bolted)
		use.input = find_input(found, use.ran, out);
	else if (use.trace == BOLT_TABLE)
		use.input = find_input(found, use.path, out);
	find_reads(&use, out);
	use.bolt = out->reads.input;
	advise_use(&use, out->line, sizeof(out->line));
	free(named);
}

/* ---- a binary ---- */

static const char *image_kind(const struct image *image)
{
	if (image_is_kernel(image))
		return "kernel";
	return !image->position_independent || image_is_pie(image) ? "program" : "shared library";
}

static const char *binary_kind(const struct inspected *found)
{
	switch (found->binary.kind) {
	case BINARY_BOLTED: return *found->bat_wrong ? "BOLTed, unreadable BAT section" : "BOLTed";
	case BINARY_UNTOUCHED: return "not BOLTed";
	case BINARY_LOST: return "BOLTed, no BAT section";
	case BINARY_SECTION: break;
	}
	return "BAT section alone";
}

FIGURE_READER(machine_of, struct image, figure_string(machine_name(it->machine)))
FIGURE_READER(kind_of, struct image, figure_string(image_kind(it)))
FIGURE_READER(id_or_nothing, struct build_id, it->size ? figure_of_build_id(it) : figure_lacks())
FIGURE_READER(id_or_none, struct build_id,
	      it->size ? figure_of_build_id(it) : figure_string("none"))

static const struct figure_row image_rows[] = {
	{"machine", "machine      {}, {type}\n", .read = machine_of},
	{"type", .read = kind_of},
	{"build_id", NULL, VALUE_BY(struct image, build_id, id_or_nothing)},
	{.text = "build-id     {}\n", VALUE_BY(struct image, build_id, id_or_none)},
	{"go_build_id", "Go build-id  {}\n", VALUE_BY(struct image, go_build_id, figure_of_some),
	 .any = true},
	{0},
};

FIGURE_READER(layout_of, struct binary, figure_string(bat_layout_name(it->bat.layout)))
FIGURE_READER(releases_of, struct binary, figure_string(bat_layout_releases(it->bat.layout)))

static const struct figure_row table_rows[] = {
	{"layout",
	 "BAT          layout {}, of {releases}: {fragments} fragment{fragments:s}, {entries} entr{entries:ies}\n",
	 .read = layout_of},
	{"releases", .read = releases_of},
	{"fragments", NULL, VALUE(struct binary, bat.fragment_count)},
	{"entries", NULL, VALUE(struct binary, bat.entry_count)},
	{0},
};

FIGURE_READER(bolt_of, struct inspected, figure_string(binary_kind(it)))

static const struct figure_row bolt_rows[] = {
	{"bolt", "BOLT         {}\n", .read = bolt_of},
	{"bat_error", "BAT          {}\n",
	 VALUE_BY(struct inspected, bat_wrong, figure_of_some_chars), .any = true},
	{0},
};

static void put_binary(struct json *json, const struct inspected *found)
{
	const struct binary *binary = &found->binary;

	json_open(json, "binary", '{');
	if (binary->kind != BINARY_SECTION)
		figures_json(image_rows, &binary->image, json);
	figures_json(bolt_rows, found, json);
	if (!*found->bat_wrong && binary->desc.size)
		figures_json_object(table_rows, binary, json, "bat");
	json_close(json, '}');
}

static void print_binary(const struct inspected *found, FILE *out)
{
	const struct binary *binary = &found->binary;

	if (binary->kind != BINARY_SECTION)
		figures_text(image_rows, &binary->image, false, "", out);
	figures_text(bolt_rows, found, false, "", out);
	if (!*found->bat_wrong && binary->desc.size)
		figures_text(table_rows, binary, false, "", out);
}

/* ---- a recording ---- */

static const char *local_text(enum local_file local)
{
	static const char *const texts[] = {[LOCAL_NONE] = "not on this machine",
					    [LOCAL_OTHER] = "another build on this machine",
					    [LOCAL_PLAIN] = "no BAT section",
					    [LOCAL_LOST] = "BOLTed, no BAT section",
					    [LOCAL_BAT] = "has a BAT section"};

	return texts[local];
}

static void put_events(struct json *json, const struct recording *r)
{
	json_open(json, "events", '[');
	for (size_t i = 0; i < r->events.len; i++) {
		json_open(json, NULL, '{');
		json_string(json, "name", r->names.at[r->events.at[i].of]);
		json_number(json, "samples", r->events.at[i].samples);
		json_close(json, '}');
	}
	json_close(json, ']');
}

/* Addresses of traces are in both. */
static void put_share(struct json *json, const struct share *share)
{
	json_number(json, "samples", share->samples);
	json_number(json, "trace_addresses", share->addresses);
}

static void put_processes(struct json *json, const struct recording *r)
{
	json_number(json, "process_count", r->processes.len);
	json_open(json, "processes", '[');
	for (size_t i = 0; i < r->processes.len && i < INSPECT_LISTED; i++) {
		json_open(json, NULL, '{');
		if (r->processes.at[i].of != NO_PID)
			json_number(json, "pid", r->processes.at[i].of);
		json_text(json, "program", recording_program(r, (uint32_t)r->processes.at[i].of));
		put_share(json, &r->processes.at[i]);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void put_file(struct json *json, const struct recording *r, const struct share *share,
		     enum local_file local)
{
	uint32_t number = (uint32_t)share->of;

	json_open(json, NULL, '{');
	if (share->of >= SHARE_UNKNOWN) {
		json_string(json, "kind", share->of == SHARE_KERNEL ? "kernel" : "unknown");
	} else {
		struct build_id id = mapped_files_id(&r->mapped, number);
		struct text path = mapped_files_path(&r->mapped, number);
		json_string(json, "kind", path_kind_of(path) == PATH_FILE ? "file" : "memory");
		json_text(json, "path", path);
		json_bytes(json, "build_id", (struct text){(const char *)id.data, id.size});
		if (mapped_files_go_id(&r->mapped, number).len)
			json_text(json, "go_build_id", mapped_files_go_id(&r->mapped, number));
		if (path_kind_of(path) == PATH_FILE)
			json_string(json, "on_this_host", local_text(local));
	}
	put_share(json, share);
	json_close(json, '}');
}

FIGURE_READER(format_of, struct recording, figure_string(input_format_name(it->report.format)))
FIGURE_READER(continues, struct recording,
	      figure_flag(it->report.continuation == CONTINUATION_OF_LAST))
FIGURE_READER(is_whole, struct recording, figure_flag(!reader_report_is_partial(&it->report)))

static const struct figure_row recording_rows[] = {
	{"format", .read = format_of},
	{"perf", NULL, VALUE(struct recording, report.perf.info.version)},
	FIGURES(struct recording, report.perf.info., hostname, arch),
	{"command", "command      {}\n", VALUE(struct recording, report.perf.info.cmdline),
	 .any = true},
	{"continues", "continues    the recording before: its processes are known from there\n",
	 .read = continues, .any = true},
	FIGURE(struct recording, , samples),
	{"first_ns", NULL, VALUE(struct recording, first)},
	{"last_ns", NULL, VALUE(struct recording, last)},
	FIGURES(struct recording, report.perf., lost_events, lost_samples, traced_samples,
		traced_bytes),
	{.rows = trace_rows, .at = offsetof(struct recording, report.perf.trace)},
	{"trace_addresses", NULL, VALUE(struct recording, addresses)},
	{"complete", .read = is_whole},
	{"branch_stacks", BEGIN},
	{"samples", NULL, VALUE(struct recording, with_stack)},
	FIGURES(struct recording, , entries, max_depth),
	{"partial", NULL, VALUE(struct recording, report.perf.has_partial_stacks)},
	{END},
	{"call_stacks", NULL, VALUE(struct recording, with_chain)},
	{"aggregated_branches", NULL, VALUE(struct recording, branches)},
	{"aggregated_fall_throughs", NULL, VALUE(struct recording, fall_throughs)},
	{0},
};

static void put_recording(struct json *json, const struct inspected *found)
{
	const struct recording *r = &found->recording;

	json_open(json, "recording", '{');
	figures_json(recording_rows, r, json);
	put_events(json, r);
	put_processes(json, r);
	json_number(json, "file_count", r->files.len);
	json_open(json, "files", '[');
	for (size_t i = 0; i < r->files.len && i < INSPECT_LISTED; i++)
		put_file(json, r, &r->files.at[i], found->local[i]);
	json_close(json, ']');
	json_close(json, '}');
}

static void label(const char *name, FILE *out)
{
	fprintf(out, "%-12s ", name);
}

static void print_shown(const char *text, FILE *out)
{
	print_name(text_of(text), out);
}

static void print_limit(void *out, const char *path, const char *text)
{
	label("llvm-bolt", out);
	print_shown(path, out);
	fprintf(out, ": %s\n", text);
}

static void print_recorder(const struct recording *r, FILE *out)
{
	const struct perf_info *info = &r->report.perf.info;

	if (*info->version || *info->simpleperf || *info->hostname || *info->arch) {
		const char *version = *info->simpleperf ? info->simpleperf : info->version;
		label("recorded", out);
		fputs(*info->simpleperf ? "by simpleperf " : "by perf ", out);
		print_shown(*version ? version : "(unknown)", out);
		if (*info->hostname) {
			fputs(" on ", out);
			print_shown(info->hostname, out);
		}
		if (*info->arch) {
			fputs(", ", out);
			print_shown(info->arch, out);
		}
		putc('\n', out);
	}
	figures_text(recording_rows, r, false, "", out);
}

static void print_trace(const struct perf_trace_report *trace, FILE *out)
{
	char line[256];

	if (!trace->found)
		return;
	trace_tell(trace, line, sizeof(line));
	fprintf(out, "trace        %s\n", line);
	if (trace->truncated || trace->partial || trace->collisions)
		fprintf(out,
			"             lost: the buffer was full %" PRIu64 " time%s, %" PRIu64
			" part%s incomplete, %" PRIu64 " with collisions of samples\n",
			trace->truncated, plural(trace->truncated), trace->partial,
			trace->partial == 1 ? " was" : "s were", trace->collisions);
	if (trace->snapshots)
		fprintf(out, "             snapshots: %" PRIu64 "\n", trace->snapshots);
	if (trace->overflows || trace->dropped || trace->late)
		fprintf(out,
			"             lost: %" PRIu64 " overflow%s, %" PRIu64
			" branch%s without an address, %" PRIu64 " that came too late\n",
			trace->overflows, plural(trace->overflows), trace->dropped,
			trace->dropped == 1 ? "" : "es", trace->late);
	if (trace->bad_bytes && trace->decoded)
		fprintf(out,
			"             damaged: %" PRIu64 " byte%s left out, %" PRIu64 " gap%s\n",
			trace->bad_bytes, plural(trace->bad_bytes), trace->gaps,
			plural(trace->gaps));
	else if (trace->gaps || trace->damaged)
		fprintf(out,
			"             damaged: %" PRIu64 " gap%s, %" PRIu64
			" operation%s left out\n",
			trace->gaps, plural(trace->gaps), trace->damaged, plural(trace->damaged));
}

static void print_counts(const struct recording *r, FILE *out)
{
	if (r->samples || r->report.format != INPUT_PREAGG)
		fprintf(out, "samples      %" PRIu64 "%s", r->samples,
			r->samples && r->first ? ", in " : "\n");
	if (r->samples && r->first)
		fprintf(out, "%.3f s\n", (double)(r->last - r->first) / 1e9);
	if (!r->samples && r->addresses && r->first)
		fprintf(out, "time         %.3f s\n", (double)(r->last - r->first) / 1e9);
	if (r->report.perf.lost_events || r->report.perf.lost_samples)
		fprintf(out, "lost         %" PRIu64 " record%s, %" PRIu64 " sample%s\n",
			r->report.perf.lost_events, plural(r->report.perf.lost_events),
			r->report.perf.lost_samples, plural(r->report.perf.lost_samples));
	print_trace(&r->report.perf.trace, out);
	if (r->report.perf.traced_samples)
		fprintf(out,
			"             %" PRIu64
			" sample%s with a part of a hardware trace (perf record --aux-sample), %" PRIu64
			" byte%s, not read: perf record without it "
			"records the trace as a whole\n",
			r->report.perf.traced_samples, plural(r->report.perf.traced_samples),
			r->report.perf.traced_bytes, plural(r->report.perf.traced_bytes));
	if (r->with_stack)
		fprintf(out,
			"branches     LBR with %.1f %% of the samples: %.1f entries on average, %zu at most%s\n",
			percent_of(r->with_stack, r->samples),
			(double)r->entries / (double)r->with_stack, r->max_depth,
			r->report.perf.has_partial_stacks ? "; some kinds of branches only" : "");
	else if (r->branches || r->fall_throughs)
		fprintf(out,
			"branches     %" PRIu64 ", and %" PRIu64
			" fall-throughs, aggregated before\n",
			r->branches, r->fall_throughs);
	else if (!r->report.perf.trace.decoded)
		fputs("branches     none\n", out);
	if (r->with_chain)
		fprintf(out, "call stacks  with %.1f %% of the samples\n",
			percent_of(r->with_chain, r->samples));
}

static void print_events(const struct recording *r, FILE *out)
{
	for (size_t i = 0; i < r->events.len; i++) {
		const char *name = r->names.at[r->events.at[i].of];
		if (!*name)
			continue;
		label(i ? "" : "events", out);
		if (r->events.at[i].samples) /* pre-aggregated records name events without counts */
			fprintf(out, "%5.1f %%  ", percent_of(r->events.at[i].samples, r->samples));
		print_shown(name, out);
		putc('\n', out);
	}
}

static void print_more(size_t count, const char *what, FILE *out)
{
	if (count > INSPECT_LISTED)
		fprintf(out, "%12s   and %zu more %s\n", "", count - INSPECT_LISTED, what);
}

static void print_processes(const struct recording *r, FILE *out)
{
	for (size_t i = 0; i < r->processes.len && i < INSPECT_LISTED; i++) {
		const struct share *share = &r->processes.at[i];
		label(i ? "" : "processes", out);
		fprintf(out, "%5.1f %%  ", percent_of(share->samples, r->samples + r->addresses));
		if (share->of == NO_PID)
			fputs("of no known pid", out);
		else
			fprintf(out, "%" PRIu64 " ", share->of);
		print_name(recording_program(r, (uint32_t)share->of), out);
		putc('\n', out);
	}
	print_more(r->processes.len, "processes", out);
}

static void print_files(const struct inspected *found, FILE *out)
{
	const struct recording *r = &found->recording;

	for (size_t i = 0; i < r->files.len && i < INSPECT_LISTED; i++) {
		const struct share *share = &r->files.at[i];
		label(i ? "" : "files", out);
		fprintf(out, "%5.1f %%  ", percent_of(share->samples, r->samples + r->addresses));
		if (share->of >= SHARE_UNKNOWN) {
			fputs(share->of == SHARE_KERNEL ? "the kernel" : "in no known mapping",
			      out);
		} else {
			struct text path = mapped_files_path(&r->mapped, (uint32_t)share->of);
			print_name(path.len ? path : text_of("anonymous memory"), out);
			if (path_kind_of(path) == PATH_FILE)
				fprintf(out, " (%s)", local_text(found->local[i]));
		}
		putc('\n', out);
	}
	print_more(r->files.len, "files", out);
}

static void print_recording(const struct inspected *found, FILE *out)
{
	const struct recording *r = &found->recording;

	print_recorder(r, out);
	print_counts(r, out);
	print_events(r, out);
	print_processes(r, out);
	print_files(found, out);
}

/* ---- a profile ---- */

FIGURE_READER(counted, struct profile_facts,
	      figure_string(it->basic ? "basic samples, by address" : "branches and fall-throughs"))

static const struct figure_row profile_rows[] = {
	FIGURE(struct profile_facts, , basic),
	{.text = "counts       {}\n", .read = counted},
	{"events", "events       {}\n", VALUE(struct profile_facts, events), .any = true},
	{"binary", "binary       {}\n", VALUE(struct profile_facts, binary), .any = true},
	{"build_id", "build-id     {}\n", VALUE(struct profile_facts, build_id), .any = true},
	{"origin", "origin       {}\n", VALUE(struct profile_facts, origin), .any = true},
	{"functions", "functions    {}\n", VALUE(struct profile_facts, functions)},
	FIGURES(struct profile_facts, , records, count, mispredicted),
	{0},
};

static void put_profile(struct json *json, const struct profile_facts *profile)
{
	json_open(json, "profile", '{');
	figures_json(profile_rows, profile, json);
	json_close(json, '}');
}

static void print_profile(const struct inspected *found, FILE *out)
{
	const struct profile_facts *p = &found->profile;

	figures_text(profile_rows, p, false, "", out);
	if (found->kind == FILE_YAML)
		fprintf(out,
			"blocks       %" PRIu64 "\nentered      %" PRIu64
			" time%s, all functions together\n",
			p->records, p->count, plural(p->count));
	else
		fprintf(out, "records      %" PRIu64 "; sum of counts %" PRIu64, p->records,
			p->count);
	if (found->kind != FILE_YAML && !p->basic)
		fprintf(out, ", %.1f %% of it mispredicted", percent_of(p->mispredicted, p->count));
	if (found->kind != FILE_YAML)
		putc('\n', out);
}

/* ---- a shard, of whatever kind ---- */

static const char *const mode_names[] = {
	[MODE_OPEN] = "open", [MODE_BRANCHES] = "branches", [MODE_PLAIN] = "basic"};

FIGURE_READER(mode_of, struct shard, figure_string(mode_names[it->mode]))

static const struct figure_row shard_rows[] = {
	{"identity", "shard        identity {}\n", VALUE(struct shard, id), .any = true},
	{"mode", .read = mode_of},
	FIGURES(struct shard, , records, scaled),
	{0},
};

/* ---- any file ---- */

void inspect_text(const struct inspected *found, FILE *out)
{
	enum packing packing =
		found->kind == FILE_SAMPLES ? found->recording.report.packing : found->packing;
	BC_AUTO(next_free) struct next next = {0};

	print_shown(found->path, out);
	fprintf(out, "\nkind         %s", file_kind_name(found->kind));
	if (found->kind == FILE_SAMPLES)
		fprintf(out, " (%s)", input_format_name(found->recording.report.format));
	if (found->foreign)
		fprintf(out, ": %s", found->foreign->noun);
	if (*found->json_format) {
		fputs(" (", out);
		print_shown(found->json_format, out);
		putc(')', out);
	}
	fprintf(out, "%s%s\n", packing ? ", compressed with " : "",
		packing ? packing_name(packing) : "");
	if (found->is_shard && !found->shard.id.size)
		fputs("shard        without an identity\n", out);
	if (found->is_shard)
		figures_text(shard_rows, &found->shard, false, "", out);
	if (found->kind == FILE_BINARY || found->kind == FILE_SIDE || found->kind == FILE_NOTE)
		print_binary(found, out);
	else if (found->kind == FILE_SAMPLES)
		print_recording(found, out);
	else if (found->kind == FILE_FDATA || found->kind == FILE_YAML)
		print_profile(found, out);
	find_next(found, &next);
	bolt_reads_each(&next.reads, print_limit, out);
	if (*next.line) {
		label("next", out);
		print_shown(next.line, out);
		putc('\n', out);
	}
}

void inspect_json(const struct inspected *found, FILE *out)
{
	struct json json = {.out = out};
	BC_AUTO(next_free) struct next next = {0};

	find_next(found, &next);
	json_open_document(&json, "batconv-inspect");
	json_string(&json, "file", found->path);
	json_string(&json, "kind", file_kind_name(found->kind));
	json_string(&json, "compression",
		    packing_name(found->kind == FILE_SAMPLES ? found->recording.report.packing :
							       found->packing));
	if (found->is_shard)
		figures_json_object(shard_rows, &found->shard, &json, "shard");
	if (found->kind == FILE_BINARY || found->kind == FILE_SIDE || found->kind == FILE_NOTE)
		put_binary(&json, found);
	else if (found->kind == FILE_SAMPLES)
		put_recording(&json, found);
	else if (found->kind == FILE_FDATA || found->kind == FILE_YAML)
		put_profile(&json, &found->profile);
	else if (found->kind == FILE_JSON)
		json_string(&json, "json_format", found->json_format);
	else if (found->foreign)
		json_string(&json, "foreign", found->foreign->noun);
	bolt_reads_json(&next.reads, &json, "llvm_bolt");
	json_string(&json, "next", next.line);
	json_close(&json, '}');
	putc('\n', out);
}
