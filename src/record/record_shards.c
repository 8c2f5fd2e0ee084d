/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/record/record_shards.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "src/samples/snapshots.h"
#include "src/base/output.h"
#include "src/elf/binary.h"

#define SUFFIX     ".zst"
#define NAME_MOST  100  /* characters of a binary's name */
#define STALE      600  /* seconds: a shard is written in less */
#define NAMES_MOST 1000 /* shards of one binary and second */

/* Letters that stand for themselves in a name on any system. */
static void plain_letters(char *name)
{
	if (*name == '.' || *name == '-')
		*name = '_';
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && !strchr("._+-", *name))
			*name = '_';
}

/* ---- the directory ---- */

/* Behind NAME.DIGEST, where a name of this host's shards goes on at `at`: what stands behind it;
 * NULL: it is none. */
static const char *behind_shard_at(const char *name, const char *at, size_t host)
{
	size_t digest = 2 * (size_t)CODE_DIGEST_SHOWN;

	/* Hosts can have names that end with that of another one: www.example.com, example.com. */
	if ((size_t)(at - name) < digest + 1 || at[-(ptrdiff_t)digest - 1] != '.' ||
	    strspn(at - digest, "0123456789abcdef") != digest)
		return NULL;
	at += host;
	if (strspn(at, "0123456789") != 8 || at[8] != 'T' || strspn(at + 9, "0123456789") != 6 ||
	    at[15] != 'Z')
		return NULL;
	at += 16;
	if (*at == '.' && isdigit((unsigned char)at[1]))
		at += 1 + strspn(at + 1, "0123456789");
	return strncmp(at, SUFFIX, strlen(SUFFIX)) ? NULL : at + strlen(SUFFIX);
}

/* A name of this host's shards, with what stands behind it; NULL: it is none. */
static const char *behind_shard(const struct record_shards *shards, const char *name)
{
	char middle[80];

	snprintf(middle, sizeof(middle), ".%s.", shards->host);
	for (const char *at = name; (at = strstr(at, middle)); at++) {
		const char *behind = behind_shard_at(name, at, strlen(middle));
		if (behind)
			return behind;
	}
	return NULL;
}

/* Removes what a run that was killed left: NAME.zst.XXXXXX. */
static void remove_stale(const struct record_shards *shards)
{
	DIR *folder = opendir(shards->folder);
	struct stat st;

	for (const struct dirent *entry; folder && (entry = readdir(folder));) {
		const char *behind = behind_shard(shards, entry->d_name);
		if (behind && strlen(behind) == 7 && *behind == '.' &&
		    fstatat(dirfd(folder), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode) && time(NULL) - st.st_mtime > STALE)
			(void)unlinkat(dirfd(folder), entry->d_name, 0);
	}
	if (folder)
		closedir(folder);
}

struct old_shard {
	char *name;
	struct timespec time;
	uint64_t size;
};
DEFINE_VEC(old_shard_vec, struct old_shard);

static int compare_age(const void *a, const void *b)
{
	const struct old_shard *x = a, *y = b;

	if (x->time.tv_sec != y->time.tv_sec)
		return x->time.tv_sec > y->time.tv_sec ? -1 : 1;
	if (x->time.tv_nsec != y->time.tv_nsec)
		return x->time.tv_nsec > y->time.tv_nsec ? -1 : 1;
	return strcmp(x->name, y->name);
}

static bool list_shards(const struct record_shards *shards, DIR *folder, struct old_shard_vec *out)
{
	struct stat st;

	for (const struct dirent *entry; (entry = readdir(folder));) {
		const char *behind = behind_shard(shards, entry->d_name);
		if (!behind || *behind ||
		    fstatat(dirfd(folder), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
		    !S_ISREG(st.st_mode))
			continue;
		char *name = strdup(entry->d_name);
		if (!name || !old_shard_vec_push(out, (struct old_shard){name, st.st_mtim,
									 (uint64_t)st.st_size})) {
			free(name);
			return false;
		}
	}
	return true;
}

/* Deletes this host's oldest shards. */
static void delete_oldest(struct record_shards *shards)
{
	struct old_shard_vec all = {0};
	DIR *folder = shards->keep.files || shards->keep.bytes ? opendir(shards->folder) : NULL;

	if (!folder)
		return;
	if (list_shards(shards, folder, &all)) {
		uint64_t bytes = 0;
		if (all.len)
			qsort(all.at, all.len, sizeof(*all.at), compare_age);
		for (size_t i = 0; i < all.len; i++) {
			bytes += all.at[i].size;
			bool too_many = shards->keep.files ? i >= shards->keep.files :
							     bytes > shards->keep.bytes;
			if (too_many && unlinkat(dirfd(folder), all.at[i].name, 0) == 0)
				shards->deleted++;
		}
	}
	for (size_t i = 0; i < all.len; i++)
		free(all.at[i].name);
	old_shard_vec_free(&all);
	closedir(folder);
}

static bool make_folder(struct record_shards *shards, struct bc_error *err)
{
	struct stat st;

	shards->made = mkdir(shards->folder, 0777) == 0;
	if (!shards->made &&
	    (errno != EEXIST || stat(shards->folder, &st) != 0 || !S_ISDIR(st.st_mode)))
		return bc_fail_errno(err, "%s: cannot be the directory of the shards",
				     shards->folder);
	if (access(shards->folder, W_OK | X_OK) != 0)
		return bc_fail_errno(err, "%s: no shards can be written there", shards->folder);
	remove_stale(shards);
	return true;
}

/* Said before the recording, and not when all is counted: a file beside it can be made, and is gone
 * again. */
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
			       "is a table alone, and no binary" :
			       "a side file without the digest of its binary's code: extract it again");
}

bool record_shards_open(struct record_shards *out, const char *output, const char *binary,
			uint64_t least, struct record_keep keep, struct bc_error *err)
{
	struct utsname own;

	*out = (struct record_shards){
		.binary = binary, .least = least, .keep = keep, .since = time(NULL)};
	snprintf(out->host, sizeof(out->host), "%.64s",
		 uname(&own) == 0 && *own.nodename ? own.nodename : "localhost");
	plain_letters(out->host);
	if (!binary) {
		out->folder = output;
		return make_folder(out, err);
	}
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
	if (shards->made)
		(void)rmdir(shards->folder); /* which it does only if it is empty */
}

/* ---- what is handed over ---- */

static struct recorded_binary *binary_of(struct record_shards *shards,
					 const struct recorded *recorded)
{
	for (size_t i = 0; i < shards->binaries.len; i++)
		if (build_id_same(&shards->binaries.at[i].digest, &recorded->digest))
			return &shards->binaries.at[i];
	struct recorded_binary new = {.path = strdup(recorded->path),
				      .digest = recorded->digest,
				      .build_id = recorded->build_id};
	if (!new.path || !recorded_binary_vec_push(&shards->binaries, new)) {
		free(new.path);
		return NULL;
	}
	return &shards->binaries.at[shards->binaries.len - 1];
}

static void count(struct recorded_binary *binary, const struct recorded *recorded)
{
	binary->samples += recorded->samples;
	binary->branches += recorded->branches;
	binary->bolted = recorded->bolted;
	binary->plain = recorded->plain;
}

/* The name of the next shard; number: of those of the same second. */
static bool shard_path(const struct record_shards *shards, const struct recorded *recorded,
		       unsigned number, char path[PATH_MAX], struct bc_error *err)
{
	char name[NAME_MOST + 1], digest[2 * BUILD_ID_MAX + 1], when[32] = "", more[16] = "";
	const char *slash = strrchr(recorded->path, '/');
	struct build_id first = recorded->digest;
	struct tm utc;

	struct text base = path_without_deleted(text_of(slash ? slash + 1 : recorded->path));
	snprintf(name, sizeof(name), "%.*s", (int)(base.len < NAME_MOST ? base.len : NAME_MOST),
		 base.at);
	plain_letters(name);
	first.size = first.size < CODE_DIGEST_SHOWN ? first.size : CODE_DIGEST_SHOWN;
	build_id_format(&first, digest);
	if (gmtime_r(&shards->since, &utc))
		strftime(when, sizeof(when), "%Y%m%dT%H%M%SZ", &utc);
	if (number)
		snprintf(more, sizeof(more), ".%u", number);
	const char *end = text_ends(text_of(shards->folder), "/") ? "" : "/";
	int length = snprintf(path, PATH_MAX, "%s%s%s.%s.%s.%s%s" SUFFIX, shards->folder, end, name,
			      digest, shards->host, when, more);
	return (length > 0 && length < PATH_MAX) ||
	       bc_fail(err, BC_IO, "%.200s: too long a path for a shard", shards->folder);
}

static bool open_and_fill(const char *path, const struct recorded *recorded, struct output *output,
			  struct bc_error *err)
{
	if (!output_open(path, output, err))
		return false;
	if (recorded_shard(recorded, output->file, err))
		return true;
	output_discard(output);
	return false;
}

static void took_name(struct recorded_binary *binary, char *file)
{
	free(binary->file);
	binary->file = file;
	binary->shards++;
}

/* Writes a shard under a name that no file has. */
static bool write_new(struct record_shards *shards, struct recorded *recorded,
		      struct recorded_binary *binary, struct bc_error *err)
{
	char path[PATH_MAX];

	for (unsigned number = 0; number < NAMES_MOST; number++) {
		struct output output;
		struct stat st;
		if (!shard_path(shards, recorded, number, path, err))
			return false;
		if (lstat(path, &st) == 0)
			continue;
		char *kept = strdup(path); /* nothing can fail once the file has its name */
		if (!kept)
			return bc_fail_nomem(err);
		if (!open_and_fill(path, recorded, &output, err) ||
		    !output_commit_new(&output, err)) {
			free(kept);
			if (err->code == BC_EXISTS)
				continue;
			return false;
		}
		took_name(binary, kept);
		return true;
	}
	return bc_fail(err, BC_IO,
		       "%.200s: the clock stands still: there are %d shards of this second", path,
		       NAMES_MOST);
}

/* The one shard, or the counts for a profile. */
static bool write_one(struct record_shards *shards, struct recorded *recorded,
		      struct recorded_binary *binary, struct bc_error *err)
{
	struct output output;

	if (!shards->file) {
		shards->counts = recorded->counts;
		recorded->counts = NULL;
		return true;
	}
	char *kept = strdup(shards->file);
	if (!kept)
		return bc_fail_nomem(err);
	if (!open_and_fill(shards->file, recorded, &output, err) || !output_commit(&output, err)) {
		free(kept);
		return false;
	}
	took_name(binary, kept);
	return true;
}

struct hand_over {
	struct record_shards *shards;
	bool last;
};

static bool take(void *ctx, struct recorded *recorded, struct bc_error *err)
{
	const struct hand_over *hand_over = ctx;
	struct record_shards *shards = hand_over->shards;
	bool few = recorded->samples < shards->least,
	     other = shards->binary && !build_id_same(&recorded->digest, &shards->digest);

	err->code = BC_OK;
	if (!hand_over->last && few)
		return false;
	if (other) {
		shards->other_samples += recorded->samples;
		return true;
	}
	if (few) {
		shards->few_samples += recorded->samples;
		shards->few_binaries++;
		return true;
	}
	struct recorded_binary *binary = binary_of(shards, recorded);
	if (!binary)
		return bc_fail_nomem(err);
	if (!(shards->binary ? write_one : write_new)(shards, recorded, binary, err))
		return false;
	count(binary, recorded);
	return true;
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
	struct hand_over hand_over = {shards, last};
	const struct recorded_taker taker = {&hand_over, take, last ? 0 : shards->least};
	time_t now = time(NULL);

	if (!last && shards->binary)
		return true; /* one file has all of it */
	bool ok = recorder_flush(recorder, &taker, err);

	if (ok)
		shards->since = now;
	if (shards->folder) /* also when the disk is full */
		delete_oldest(shards);
	return ok;
}
