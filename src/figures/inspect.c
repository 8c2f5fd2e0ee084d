/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* memmem() */
#include "src/figures/inspect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/samples/mapped_files.h"
#include "src/elf/binary.h"

void inspected_free(struct inspected *inspected)
{
	binary_close(&inspected->binary);
	recording_free(&inspected->recording);
}

static bool take_binary(struct inspected *out, struct bc_error *err)
{
	struct bat_error bat_err;

	if (!binary_map(out->path, &out->binary, err))
		return false;
	if (!binary_find_note(&out->binary, err)) {
		if (err->code == BC_FORMAT)
			snprintf(out->bat_wrong, sizeof(out->bat_wrong), "%s", err->text);
		return err->code == BC_NOTFOUND || err->code == BC_FORMAT || bc_fail_prefix(err, out->path);
	}
	if (bat_decode_offsets(out->binary.desc.data, out->binary.desc.size, &out->binary.bat, &bat_err))
		return true;
	snprintf(out->bat_wrong, sizeof(out->bat_wrong), "%s", bat_err.text);
	return bat_err.code != BAT_ERROR_NOMEM || bc_fail_nomem(err);
}

/* "format" or "schema" is the first key of what batconv writes; SARIF has "$schema". */
static void take_json(struct inspected *out, struct text start)
{
	static const char *const keys[] = {"\"format\":", "\"schema\":", "\"$schema\":"};

	for (size_t i = 0; i < BC_COUNT(keys); i++) {
		const char *at = memmem(start.at, start.len, keys[i], strlen(keys[i]));
		if (!at)
			continue;
		struct text rest = text_from(start, (size_t)(at - start.at) + strlen(keys[i]));
		struct text value = text_from(rest, text_find(rest, '"') + 1); /* empty if there is none */
		value = text_first(value, text_find(value, '"'));
		snprintf(out->json_format, sizeof(out->json_format), "%.*s", (int)(value.len < 63 ? value.len : 63), value.at);
		return;
	}
}

static enum local_file local_file_of(const struct mapped_files *files, uint32_t number)
{
	struct text path = path_without_deleted(mapped_files_path(files, number));
	struct binary binary;
	struct bc_error err;

	char *name = path_kind_of(path) == PATH_FILE ? strndup(path.at, path.len) : NULL;
	if (!name || !binary_map_named(name, NAMED_BY_MAPPING, &binary, &err)) {
		free(name);
		return LOCAL_NONE;
	}
	bool same = build_of(files, number, &binary.image) != BUILD_OTHER;
	bool has_bat = binary_find_note(&binary, &err), is_bolted = binary.kind != BINARY_UNTOUCHED;
	binary_close(&binary);
	free(name);
	return !same ? LOCAL_OTHER : has_bat ? LOCAL_BAT : is_bolted ? LOCAL_LOST : LOCAL_PLAIN;
}

/* Opens each file that the recording names, once, and notes what it is. */
static void look_for_files(struct inspected *out)
{
	const struct recording *r = &out->recording;

	for (size_t i = 0; i < r->files.len && i < INSPECT_LISTED; i++)
		if (r->files.at[i].of < SHARE_UNKNOWN)
			out->local[i] = local_file_of(&r->mapped, (uint32_t)r->files.at[i].of);
}

static bool take_samples(struct inspected *out, struct input_progress progress, struct carried *carried,
			 struct bc_error *err)
{
	bool unknown = out->kind == FILE_UNKNOWN;

	if (!recording_read(out->path, progress, carried, &out->recording, err)) {
		if (unknown && err->code == BC_FORMAT && !recording_has_any(&out->recording))
			return bc_fail(err, BC_FORMAT, "%s: is nothing that batconv, perf or BOLT reads or writes",
				       input_name(out->path));
		return false;
	}
	out->kind = FILE_SAMPLES;
	look_for_files(out);
	return true;
}

static bool look_at(const char *path, struct inspected *out, char *start, size_t *size, struct bc_error *err)
{
	struct file_stream stream;
	uint64_t taken;

	if (!stream_open(path, &stream, err))
		return false;
	struct bc_error damaged; /* what reads all of it tells more */
	out->is_shard = shard_look(&stream, &out->is_shard, &out->shard, &damaged) && out->is_shard;
	stream.cut_will_do = true;
	bool ok = stream_read(&stream, start, FILE_KIND_LOOK, size, err);
	out->packing = stream_packing(&stream, &taken);
	stream_close(&stream);
	return ok;
}

bool inspect_file(const char *path, struct input_progress progress, struct carried *carried,
		  struct inspected *out, struct bc_error *err)
{
	char start[FILE_KIND_LOOK];
	size_t size = 0;

	out->path = path;
	if (is_recording_folder(path)) {
		out->kind = FILE_SAMPLES;
		return take_samples(out, progress, carried, err);
	}
	out->foreign = foreign_folder(path);
	if (out->foreign) {
		out->kind = FILE_FOREIGN;
		return true;
	}
	if (!look_at(path, out, start, &size, err))
		return false;
	if (!size)
		return bc_fail(err, BC_FORMAT, "%s: is empty", path);
	out->kind = file_kind_of((struct text){start, size}, &out->foreign);
	switch (out->kind) {
	case FILE_BINARY:
	case FILE_SIDE:
	case FILE_NOTE: return take_binary(out, err);
	case FILE_SAMPLES:
	case FILE_UNKNOWN: return take_samples(out, progress, carried, err);
	case FILE_FDATA: return profile_facts_fdata(path, &out->profile, err);
	case FILE_YAML: return profile_facts_yaml(path, &out->profile, err);
	case FILE_JSON: take_json(out, (struct text){start, size}); break;
	case FILE_FOREIGN:
	case FILE_BCMAPS:
	case FILE_MAPS:
	case FILE_STACKS:
	case FILE_RESOLVED:
	case FILE_PPROF:
	case FILE_RANGES:
	case FILE_COMPILER:
	case FILE_PAGE:
	case FILE_HEAT:
	case FILE_LISTING:
	case FILE_RINGS:
	case FILE_PERF_TEXT:
	case FILE_EMPTY:
	case FILE_FOLDER:
	case FILE_KIND_COUNT: break;
	}
	return true;
}

const char *layout_releases(enum bat_layout layout)
{
	static const char *const releases[] = {
		[BAT_LAYOUT_FIXED] = "LLVM 14 to 17", [BAT_LAYOUT_DELTA] = "LLVM 18",
		[BAT_LAYOUT_EQUAL] = "a development version of early 2024", [BAT_LAYOUT_HASHED] = "LLVM 19 to 23"};

	return releases[layout];
}
