/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/record/record_shards.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "src/base/output.h"
#include "src/elf/binary.h"
#include "src/record/live.h"

#define SUFFIX ".zst"

/* Said before the recording, and not when all is counted: a file next to it can be made, and is
 * gone again. */
static bool can_make(const char *file, struct bc_error *err)
{
	struct output output;
	struct stat st;

	if (output_is_stdout(file) || (lstat(file, &st) == 0 && !S_ISREG(st.st_mode)))
		return true; /* a pipe, or a link to somewhere else */
	if (!output_open(file, &output, err))
		return false;
	output_discard(&output);
	return true;
}

/* ---- open and close ---- */

static bool know_binary(struct record_shards *shards, struct bc_error *err)
{
	struct binary binary = {0};

	if (!binary_map(shards->binary, &binary, err))
		return false;
	shards->digest = code_digest(&binary);
	bool is_table = binary.kind == BINARY_SECTION;
	binary_close(&binary);
	return shards->digest.size ||
	       bc_fail(err, BC_UNSUPPORTED, "%s: %s", shards->binary,
		       is_table ?
			       "is a BAT section alone, and no binary" :
			       "a side file without the digest of its binary's code: extract it again");
}

bool record_shards_open(struct record_shards *out, const char *output, const char *binary,
			uint64_t least, struct record_keep keep, struct bc_error *err)
{
	*out = (struct record_shards){.binary = binary, .least = least, .since = time(NULL)};
	if (!binary)
		return shard_folder_open(output, keep, &out->folder, err);
	if (!can_make(output, err))
		return false;
	if (text_ends(text_of(output), SUFFIX))
		out->file = output;
	return know_binary(out, err);
}

void record_shards_close(struct record_shards *shards)
{
	for (size_t i = 0; i < shards->binaries.len; i++) {
		free(shards->binaries.at[i].path);
		free(shards->binaries.at[i].file);
	}
	recorded_binary_vec_free(&shards->binaries);
	recorded_counts_free(shards->counts);
	if (shards->folder.path)
		shard_folder_close(&shards->folder);
}

/* ---- what is handed over ---- */

/* The slot of a new binary: of the one with fewest samples, when there are too many. */
static struct recorded_binary *place_of(struct record_shards *shards)
{
	struct recorded_binary_vec *all = &shards->binaries;
	struct recorded_binary *least = all->at;

	if (all->len < RECORDED_BINARIES_MOST)
		return recorded_binary_vec_push(all, (struct recorded_binary){0}) ?
			       &all->at[all->len - 1] :
			       NULL;
	for (size_t i = 1; i < all->len; i++)
		if (all->at[i].samples < least->samples)
			least = &all->at[i];
	shards->forgotten_samples += least->samples;
	free(least->path);
	free(least->file);
	*least = (struct recorded_binary){0};
	return least;
}

struct recorded_binary *record_shards_binary(struct record_shards *shards,
					     const struct recorded *recorded)
{
	for (size_t i = 0; i < shards->binaries.len; i++)
		if (build_id_same(&shards->binaries.at[i].digest, &recorded->digest))
			return &shards->binaries.at[i];
	char *path = strdup(recorded->path);
	struct recorded_binary *binary = path ? place_of(shards) : NULL;
	if (!binary) {
		free(path);
		return NULL;
	}
	*binary = (struct recorded_binary){
		.path = path, .digest = recorded->digest, .build_id = recorded->build_id};
	return binary;
}

static void count(struct recorded_binary *binary, const struct recorded *recorded)
{
	binary->samples += recorded->samples;
	binary->branches += recorded->branches;
	binary->bolted = recorded->bolted;
	binary->plain = recorded->plain;
}

/* The path of the next shard; number: of those of the same second. */
static bool shard_path(const struct record_shards *shards, const struct recorded *recorded,
		       unsigned number, char path[PATH_MAX], struct bc_error *err)
{
	const struct shard_folder *folder = &shards->folder;
	const struct shard_name parts = {recorded->path, recorded->digest, folder->host,
					 shards->since, number};
	char name[SHARD_NAME_SIZE];

	shard_name_format(&parts, name);
	const char *end = text_ends(text_of(folder->path), "/") ? "" : "/";
	int length = snprintf(path, PATH_MAX, "%s%s%s", folder->path, end, name);
	return (length > 0 && length < PATH_MAX) ||
	       bc_fail(err, BC_IO, "%.200s: too long a path for a shard", folder->path);
}

typedef bool commit_fn(struct output *output, struct bc_error *err);

/* For as long as that takes, nothing that others look at is changed. */
static bool write_shard(const struct record_shards *shards, const char *path,
			const struct recorded *recorded, commit_fn *commit, struct bc_error *err)
{
	struct output output;

	if (shards->writes)
		shards->writes(shards->ctx, true);
	bool ok = output_open(path, &output, err);
	if (ok && !recorded_shard(recorded, output.file, err)) {
		output_discard(&output);
		ok = false;
	}
	ok = ok && commit(&output, err);
	if (shards->writes)
		shards->writes(shards->ctx, false);
	return ok;
}

static void took_name(struct record_shards *shards, struct recorded_binary *binary, char *file)
{
	shards->written++;
	free(binary->file);
	binary->file = file;
	binary->shards++;
}

/* Writes a shard under a name that no file has. */
static bool write_new(struct record_shards *shards, struct recorded *recorded,
		      struct recorded_binary *binary, struct bc_error *err)
{
	char path[PATH_MAX];

	for (unsigned number = 0; number < SHARD_NUMBERS; number++) {
		struct stat st;
		if (!shard_path(shards, recorded, number, path, err))
			return false;
		if (lstat(path, &st) == 0)
			continue;
		char *kept = strdup(path); /* nothing can fail once the file has its name */
		if (!kept)
			return bc_fail_nomem(err);
		if (!write_shard(shards, path, recorded, output_commit_new, err)) {
			free(kept);
			if (err->code == BC_EXISTS)
				continue;
			return false;
		}
		took_name(shards, binary, kept);
		shard_folder_add(&shards->folder, kept);
		return true;
	}
	return bc_fail(err, BC_IO,
		       "%.200s: the clock does not advance: there are %d shards of this second",
		       path, SHARD_NUMBERS);
}

static void keep_counts(struct record_shards *shards, struct recorded *recorded)
{
	shards->counts = recorded->counts;
	recorded->counts = NULL;
}

/* The one shard, or the counts for a profile. */
static bool write_one(struct record_shards *shards, struct recorded *recorded,
		      struct recorded_binary *binary, struct bc_error *err)
{
	if (!shards->file) {
		keep_counts(shards, recorded);
		return true;
	}
	char *kept = strdup(shards->file);
	if (!kept)
		return bc_fail_nomem(err);
	if (!write_shard(shards, shards->file, recorded, output_commit, err)) {
		free(kept);
		return false;
	}
	took_name(shards, binary, kept);
	if (shards->keeps)
		keep_counts(shards, recorded);
	return true;
}

static bool take(void *ctx, struct recorded *recorded, struct bc_error *err)
{
	struct record_shards *shards = ctx;

	err->code = BC_OK;
	if (shards->deadline && live_clock() > shards->deadline)
		return false;
	if (shards->binary && !build_id_same(&recorded->digest, &shards->digest)) {
		shards->other_samples += recorded->samples;
		return true;
	}
	struct recorded_binary *binary = record_shards_binary(shards, recorded);
	if (!binary)
		return bc_fail_nomem(err);
	if (!(shards->binary ? write_one : write_new)(shards, recorded, binary, err))
		return false;
	count(binary, recorded);
	return true;
}

static void take_few(void *ctx, uint64_t samples)
{
	struct record_shards *shards = ctx;

	shards->few_samples += samples;
	shards->few_binaries++;
}

static int hotter(const void *a, const void *b)
{
	const struct recorded_binary *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return strcmp(x->path, y->path);
}

void record_shards_sort(struct record_shards *shards)
{
	if (shards->binaries.len)
		qsort(shards->binaries.at, shards->binaries.len, sizeof(*shards->binaries.at),
		      hotter);
}

bool record_shards_write(struct record_shards *shards, struct recorder *recorder, bool last,
			 struct bc_error *err)
{
	const struct recorded_taker taker = {
		.ctx = shards, .take = take, .least = shards->least, .last = last, .few = take_few};
	time_t now = time(NULL);

	if (!last && shards->binary)
		return true; /* one file has all of it */
	bool ok = recorder_flush(recorder, &taker, err);

	if (ok)
		shards->since = now;
	if (shards->folder.path) /* also when the disk is full */
		shard_folder_keep(&shards->folder);
	return ok;
}
