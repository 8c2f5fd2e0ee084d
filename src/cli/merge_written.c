/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/merge_written.h"

#include <stdlib.h>
#include <string.h>

char *merge_tmpdir(const char *output, bool folder)
{
	const char *given = getenv("TMPDIR");
	bool file = output && !output_is_stdout(output) && strncmp(output, "/dev/", 5) != 0;
	char *target = file && !folder ? output_target(output) : NULL;
	char *slash = target ? strrchr(target, '/') : NULL;

	if (slash) {
		slash[slash == target] = '\0';
		return target;
	}
	free(target);
	return strdup(file && folder ? output : given && *given ? given : "/tmp");
}

enum profile_kind merge_kind_of(const struct merge *merge)
{
	for (size_t i = 0; i < merge->count; i++)
		if (!merge->inputs[i].why && merge->inputs[i].head.kind)
			return merge->inputs[i].head.kind;
	return KIND_NOTHING;
}

static bool copy(const struct temporary *from, FILE *to, struct bc_error *err)
{
	char buffer[65536];

	for (uint64_t at = 0; at < from->size; at += sizeof(buffer)) {
		size_t size = from->size - at < sizeof(buffer) ? (size_t)(from->size - at) : sizeof(buffer);
		if (!temporary_read(from, at, buffer, size, err))
			return false;
		fwrite(buffer, 1, size, to);
	}
	return true;
}

typedef bool write_fn(struct merge *merge, const struct build_id *only, struct output *to, enum profile_kind *kind,
		      struct bc_error *err);

static bool write_text(struct merge *merge, const struct build_id *only, struct output *to, enum profile_kind *kind,
		       struct bc_error *err)
{
	return merge_write(merge, only, to->file, kind, err);
}

/* Writes a shard, whose text goes through the stream of the shard. */
static bool write_shard(struct merge *merge, const struct build_id *only, struct output *to, enum profile_kind *kind,
			struct bc_error *err)
{
	const struct merge_report *report = &merge->report, before = *report;
	struct shard shard = merge_shard(merge, only);
	FILE *text = shard_begin(&shard, to->file);

	if (!text)
		return bc_fail_nomem(err);
	bool ok = merge_write(merge, only, text, kind, err);
	if (fclose(text) != 0 && ok)
		ok = bc_fail_errno(err, "%s: cannot write", to->path ? to->path : "<stdout>");
	shard.records = report->records_out - before.records_out;
	for (int i = 0; i < 2; i++)
		shard.sums[i] = report->out[i] - before.out[i];
	if (ok)
		shard_end(&shard, to->file);
	return ok;
}

/* Merges into a temporary file, and copies that to the output when all went well: any record can
 * show that two inputs do not fit together, and a pipe cannot give back what it got. */
static bool write_aside(write_fn *write, struct merge *merge, const struct build_id *only, const struct output *to,
			enum profile_kind *kind, struct bc_error *err)
{
	struct temporary aside = temporary_in(merge->options.tmpdir);
	struct bc_error why;
	struct output there = {.file = temporary_stream(&aside, &why), .path = to->path};

	bool ok = (there.file || bc_fail_nomem(err)) && write(merge, only, &there, kind, err);
	if (there.file && (fclose(there.file) != 0 || why.code) && why.code) {
		*err = why;
		ok = false;
	}
	ok = ok && copy(&aside, to->file, err);
	temporary_close(&aside);
	return ok;
}

bool merge_write_whole(struct merge *merge, const struct build_id *only, struct output *to, enum profile_kind *kind,
		       struct bc_error *err)
{
	write_fn *write = merge->options.shard ? write_shard : write_text;

	return to->temporary ? write(merge, only, to, kind, err) : write_aside(write, merge, only, to, kind, err);
}
