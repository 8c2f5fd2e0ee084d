/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/inspect.h"
#include "src/cli/print.h"

static void put_build_id(struct json *json, const struct build_id *id)
{
	json_bytes(json, "build_id", (struct text){(const char *)id->data, id->size});
}

static void put_binary(struct json *json, const struct inspected *found)
{
	const struct binary *binary = &found->binary;

	json_open(json, "binary", '{');
	if (binary->kind != BINARY_SECTION) {
		json_string(json, "machine", machine_name(binary->image.machine));
		json_string(json, "type", inspect_image_kind(&binary->image));
		put_build_id(json, &binary->image.build_id);
		if (binary->image.go_build_id.len)
			json_text(json, "go_build_id", binary->image.go_build_id);
	}
	json_string(json, "bolt", inspect_binary_kind(found));
	if (*found->bat_wrong) {
		json_string(json, "table_error", found->bat_wrong);
	} else if (binary->desc.size) {
		json_open(json, "table", '{');
		json_string(json, "layout", bat_layout_name(binary->bat.layout));
		json_string(json, "releases", layout_releases(binary->bat.layout));
		json_number(json, "fragments", binary->bat.fragment_count);
		json_number(json, "entries", binary->bat.entry_count);
		json_close(json, '}');
	}
	json_close(json, '}');
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

static void put_processes(struct json *json, const struct recording *r)
{
	json_number(json, "process_count", r->processes.len);
	json_open(json, "processes", '[');
	for (size_t i = 0; i < r->processes.len && i < INSPECT_LISTED; i++) {
		json_open(json, NULL, '{');
		if (r->processes.at[i].of != NO_PID)
			json_number(json, "pid", r->processes.at[i].of);
		json_text(json, "program", recording_program(r, (uint32_t)r->processes.at[i].of));
		json_number(json, "samples", r->processes.at[i].samples);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void put_file(struct json *json, const struct recording *r, const struct share *share, enum local_file local)
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
		put_build_id(json, &id);
		if (mapped_files_go_id(&r->mapped, number).len)
			json_text(json, "go_build_id", mapped_files_go_id(&r->mapped, number));
		if (path_kind_of(path) == PATH_FILE)
			json_string(json, "here", inspect_local(local));
	}
	json_number(json, "samples", share->samples);
	json_close(json, '}');
}

static void put_recording(struct json *json, const struct inspected *found)
{
	const struct recording *r = &found->recording;
	const struct perf_info *info = &r->report.perf.info;

	json_open(json, "recording", '{');
	json_string(json, "format", input_format_name(r->report.format));
	json_string(json, "perf", info->version);
	json_string(json, "hostname", info->hostname);
	json_string(json, "arch", info->arch);
	json_string(json, "command", info->cmdline);
	json_bool(json, "continues", r->report.continuation == CONTINUATION_OF_LAST);
	json_number(json, "samples", r->samples);
	json_number(json, "first_ns", r->first);
	json_number(json, "last_ns", r->last);
	json_number(json, "lost_events", r->report.perf.lost_events);
	json_number(json, "lost_samples", r->report.perf.lost_samples);
	json_bool(json, "whole", !reader_report_is_partial(&r->report));
	json_open(json, "branch_stacks", '{');
	json_number(json, "samples", r->with_stack);
	json_number(json, "entries", r->entries);
	json_number(json, "deepest", r->deepest);
	json_bool(json, "partial", r->report.perf.has_partial_stacks);
	json_close(json, '}');
	json_number(json, "call_stacks", r->with_chain);
	json_number(json, "aggregated_branches", r->branches);
	json_number(json, "aggregated_fall_throughs", r->fall_throughs);
	put_events(json, r);
	put_processes(json, r);
	json_number(json, "file_count", r->files.len);
	json_open(json, "files", '[');
	for (size_t i = 0; i < r->files.len && i < INSPECT_LISTED; i++)
		put_file(json, r, &r->files.at[i], found->local[i]);
	json_close(json, ']');
	json_close(json, '}');
}

static void put_profile(struct json *json, const struct profile_facts *p)
{
	json_open(json, "profile", '{');
	json_bool(json, "basic", p->basic);
	json_string(json, "events", p->events);
	json_string(json, "binary", p->binary);
	json_string(json, "build_id", p->build_id);
	json_string(json, "origin", p->origin);
	json_number(json, "functions", p->functions);
	json_number(json, "records", p->records);
	json_number(json, "count", p->count);
	json_number(json, "mispredicted", p->mispredicted);
	json_number(json, "other_lines", p->other_lines);
	json_close(json, '}');
}

void inspect_json(const struct inspected *found, FILE *out)
{
	struct json json = {.out = out};
	char next[8192];

	inspect_next(found, next, sizeof(next));
	json_open(&json, NULL, '{');
	json_string(&json, "format", "batconv-inspect");
	json_number(&json, "version", 1);
	json_string(&json, "file", found->path);
	json_string(&json, "kind", file_kind_name(found->kind));
	json_string(&json, "compression", packing_name(found->kind == FILE_SAMPLES ? found->recording.report.packing : found->packing));
	if (found->kind == FILE_BINARY || found->kind == FILE_SIDE || found->kind == FILE_NOTE)
		put_binary(&json, found);
	else if (found->kind == FILE_SAMPLES)
		put_recording(&json, found);
	else if (found->kind == FILE_FDATA || found->kind == FILE_YAML)
		put_profile(&json, &found->profile);
	else if (found->kind == FILE_JSON)
		json_string(&json, "json_format", found->json_format);
	json_string(&json, "next", next);
	json_close(&json, '}');
	putc('\n', out);
}
