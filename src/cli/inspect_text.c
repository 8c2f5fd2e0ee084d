/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <inttypes.h>
#include <string.h>

#include "src/cli/inspect.h"
#include "src/cli/print.h"
#include "src/cli/say.h"

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void label(const char *name, FILE *out)
{
	fprintf(out, "%-12s ", name);
}

static void print_shown(const char *text, FILE *out)
{
	print_name(text_of(text), out);
}

static void print_named(const char *name, const char *value, FILE *out)
{
	if (!*value)
		return;
	label(name, out);
	print_shown(value, out);
	putc('\n', out);
}

/* ---- a binary ---- */

static void print_binary(const struct inspected *found, FILE *out)
{
	const struct binary *binary = &found->binary;
	char id[2 * BUILD_ID_MAX + 1];

	if (binary->kind != BINARY_SECTION) {
		build_id_format(&binary->image.build_id, id);
		fprintf(out, "machine      %s, %s\nbuild-id     %s\n", machine_name(binary->image.machine),
			inspect_image_kind(&binary->image), *id ? id : "none");
		if (binary->image.go_build_id.len) {
			label("Go build-id", out);
			print_name(binary->image.go_build_id, out);
			putc('\n', out);
		}
	}
	label("BOLT", out);
	fprintf(out, "%s\n", inspect_binary_kind(found));
	if (*found->bat_wrong)
		print_named("table", found->bat_wrong, out);
	else if (binary->desc.size)
		fprintf(out, "table        layout %s, of %s: %" PRIu32 " fragments, %" PRIu32 " entries\n",
			bat_layout_name(binary->bat.layout), layout_releases(binary->bat.layout),
			binary->bat.fragment_count, binary->bat.entry_count);
}

/* ---- a recording ---- */

static void print_recorder(const struct recording *r, FILE *out)
{
	const struct perf_info *info = &r->report.perf.info;

	if (*info->version || *info->hostname || *info->arch) {
		label("recorded", out);
		fputs("by perf ", out);
		print_shown(*info->version ? info->version : "(unknown)", out);
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
	print_named("command", info->cmdline, out);
	if (r->report.continuation == CONTINUATION_OF_LAST)
		fputs("continues    the recording before: its processes are known from there\n", out);
}

static void print_counts(const struct recording *r, FILE *out)
{
	if (r->samples || r->report.format != INPUT_PREAGG)
		fprintf(out, "samples      %" PRIu64 "%s", r->samples, r->samples && r->first ? ", in " : "\n");
	if (r->samples && r->first)
		fprintf(out, "%.3f s\n", (double)(r->last - r->first) / 1e9);
	if (r->report.perf.lost_events || r->report.perf.lost_samples)
		fprintf(out, "lost         %" PRIu64 " records, %" PRIu64 " samples\n", r->report.perf.lost_events,
			r->report.perf.lost_samples);
	if (r->with_stack)
		fprintf(out, "branches     stacks of %.1f on average, %zu at most, with %.1f %% of the samples%s\n",
			(double)r->entries / (double)r->with_stack, r->deepest, percent(r->with_stack, r->samples),
			r->report.perf.has_partial_stacks ? "; some kinds of branches only" : "");
	else if (r->branches || r->fall_throughs)
		fprintf(out, "branches     %" PRIu64 ", and %" PRIu64 " fall-throughs, aggregated before\n", r->branches,
			r->fall_throughs);
	else
		fputs("branches     none\n", out);
	if (r->with_chain)
		fprintf(out, "call stacks  with %.1f %% of the samples\n", percent(r->with_chain, r->samples));
}

static void print_events(const struct recording *r, FILE *out)
{
	for (size_t i = 0; i < r->events.len; i++) {
		const char *name = r->names.at[r->events.at[i].of];
		if (!*name)
			continue;
		label(i ? "" : "events", out);
		if (r->events.at[i].samples) /* pre-aggregated records name events without counts */
			fprintf(out, "%5.1f %%  ", percent(r->events.at[i].samples, r->samples));
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
		fprintf(out, "%5.1f %%  ", percent(share->samples, r->samples));
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
		fprintf(out, "%5.1f %%  ", percent(share->samples, r->samples));
		if (share->of >= SHARE_UNKNOWN) {
			fputs(share->of == SHARE_KERNEL ? "the kernel" : "nothing that is known", out);
		} else {
			struct text path = mapped_files_path(&r->mapped, (uint32_t)share->of);
			print_name(path.len ? path : text_of("anonymous memory"), out);
			if (path_kind_of(path) == PATH_FILE)
				fprintf(out, " (%s)", inspect_local(found->local[i]));
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

static void print_profile(const struct inspected *found, FILE *out)
{
	const struct profile_facts *p = &found->profile;
	bool yaml = found->kind == FILE_YAML;

	fprintf(out, "counts       %s\n", p->basic ? "plain samples, by address" : "branches and fall-throughs");
	print_named("events", p->events, out);
	print_named("binary", p->binary, out);
	print_named("build-id", p->build_id, out);
	print_named("origin", p->origin, out);
	fprintf(out, "functions    %" PRIu64 "\n", p->functions);
	if (yaml)
		fprintf(out, "blocks       %" PRIu64 "\nentered      %" PRIu64 " times, all functions together\n", p->records,
			p->count);
	else
		fprintf(out, "records      %" PRIu64 ", which count %" PRIu64 "%s", p->records, p->count, p->basic ? "\n" : "");
	if (!yaml && !p->basic)
		fprintf(out, ", of them %.1f %% mispredicted\n", percent(p->mispredicted, p->count));
	if (p->other_lines)
		fprintf(out, "other lines  %" PRIu64 "\n", p->other_lines);
}

void inspect_text(const struct inspected *found, FILE *out)
{
	enum packing packing = found->kind == FILE_SAMPLES ? found->recording.report.packing : found->packing;
	char next[8192];

	print_shown(found->path, out);
	fprintf(out, "\nkind         %s", file_kind_name(found->kind));
	if (found->kind == FILE_SAMPLES)
		fprintf(out, " (%s)", input_format_name(found->recording.report.format));
	if (*found->json_format) {
		fputs(" (", out);
		print_shown(found->json_format, out);
		putc(')', out);
	}
	fprintf(out, "%s%s\n", packing ? ", compressed with " : "", packing ? packing_name(packing) : "");
	if (found->kind == FILE_BINARY || found->kind == FILE_SIDE || found->kind == FILE_NOTE)
		print_binary(found, out);
	else if (found->kind == FILE_SAMPLES)
		print_recording(found, out);
	else if (found->kind == FILE_FDATA || found->kind == FILE_YAML)
		print_profile(found, out);
	inspect_next(found, next, sizeof(next));
	print_named("next", next, out);
}
