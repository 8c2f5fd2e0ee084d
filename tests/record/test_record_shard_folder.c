/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which shards of a directory are left: by blocks and age, whoever else is at work there. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/record/shard_folder.h"
#include "tests/support/cmocka.h"
#include "tests/support/own_folder.h"

static char host[SHARD_HOST_SIZE];

static const char *path_of(const char *program, unsigned second)
{
	static char path[SHARD_NAME_SIZE + 8];
	char name[SHARD_NAME_SIZE];

	shard_name_format(&(struct shard_name){program, {6, {0x11}}, host, second, 0}, name);
	snprintf(path, sizeof(path), "out/%s", name);
	return path;
}

/* second: its age, too. */
static const char *put_shard(const char *program, unsigned second)
{
	const char *path = path_of(program, second);
	const struct timespec times[2] = {{second, 0}, {second, 0}};

	put_file(path, "a shard");
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	return path;
}

static void open_folder(struct record_keep keep, struct shard_folder *folder)
{
	struct bc_error err;

	assert_true(shard_folder_open("out", keep, folder, &err));
	snprintf(host, sizeof(host), "%s", folder->host);
}

static bool is_there(const char *program, unsigned second)
{
	return access(path_of(program, second), F_OK) == 0;
}

static void clean(void)
{
	assert_int_equal(system("rm -rf out"), 0);
}

/* The shards of 7 bytes take a block each. */
static void blocks(void **state)
{
	struct shard_folder folder;
	struct stat st;

	(void)state;
	open_folder((struct record_keep){0}, &folder);
	assert_int_equal(stat(put_shard("a", 1), &st), 0);
	shard_folder_close(&folder);
	uint64_t each = st.st_blocks > 0 ? (uint64_t)st.st_blocks * 512 : (uint64_t)st.st_size;
	put_shard("b", 2);
	put_shard("c", 3);
	open_folder((struct record_keep){.bytes = 3 * each}, &folder);
	assert_int_equal(folder.bytes, 3 * each);
	shard_folder_keep(&folder);
	assert_int_equal(folder.deleted, 0);
	shard_folder_add(&folder, put_shard("d", 4));
	assert_int_equal(folder.written_bytes, each);
	shard_folder_keep(&folder);
	assert_int_equal(folder.deleted, 1);
	assert_false(is_there("a", 1));
	assert_true(is_there("b", 2) && is_there("c", 3) && is_there("d", 4));
	shard_folder_close(&folder);
	clean();
}

/* What is younger than the account is found when the account has nothing older. */
static void files(void **state)
{
	struct shard_folder folder;

	(void)state;
	open_folder((struct record_keep){.files = 2}, &folder);
	for (unsigned i = 1; i <= 9; i++) {
		shard_folder_add(&folder, put_shard("a.zst", i));
		shard_folder_keep(&folder);
		for (unsigned k = 1; k <= 9; k++)
			assert_int_equal(is_there("a.zst", k), k <= i && k + 2 > i);
	}
	assert_int_equal(folder.deleted, 7);
	shard_folder_close(&folder);
	open_folder((struct record_keep){.files = 1}, &folder); /* run again */
	shard_folder_keep(&folder);
	assert_true(!is_there("a.zst", 8) && is_there("a.zst", 9));
	shard_folder_close(&folder);
	clean();
}

/* A collector that takes shards away has no other deleted instead. */
static void taken_away(void **state)
{
	struct shard_folder folder;

	(void)state;
	open_folder((struct record_keep){0}, &folder);
	for (unsigned i = 1; i <= 4; i++)
		put_shard("a", i);
	shard_folder_close(&folder);
	open_folder((struct record_keep){.files = 4}, &folder);
	for (unsigned i = 1; i <= 3; i++)
		assert_int_equal(unlink(path_of("a", i)), 0);
	shard_folder_add(&folder, put_shard("a", 5));
	shard_folder_keep(&folder);
	assert_int_equal(folder.deleted, 0);
	assert_int_equal(folder.files, 2);
	assert_true(is_there("a", 4) && is_there("a", 5));
	shard_folder_close(&folder);
	clean();
}

/* A link, a directory, another user's file, another host's, and what is no shard. */
static void not_ours(void **state)
{
	static const char others[] = "out/a.0123456789ab.elsewhere.20200101T000000Z.zst",
			  unfinished[] = ".Abc123";
	struct shard_folder folder;
	char fresh[300], stale[300];
	const struct timespec times[2] = {{1, 0}, {1, 0}};

	(void)state;
	open_folder((struct record_keep){0}, &folder);
	assert_int_equal(symlink(others, path_of("link", 1)), 0);
	assert_int_equal(mkdir(path_of("folder", 2), 0700), 0);
	put_file(others, "");
	snprintf(fresh, sizeof(fresh), "%s%s", path_of("fresh", 3), unfinished);
	snprintf(stale, sizeof(stale), "%s%s", path_of("stale", 4), unfinished);
	put_file(fresh, "");
	put_file(stale, "");
	assert_int_equal(utimensat(AT_FDCWD, stale, times, 0), 0);
	put_shard("theirs", 5);
	bool root = geteuid() == 0 && lchown(path_of("theirs", 5), 65534, 65534) == 0;
	put_shard("a", 6);
	put_shard("a", 7);
	shard_folder_close(&folder);

	open_folder((struct record_keep){.files = 1}, &folder);
	shard_folder_keep(&folder);
	assert_int_equal(folder.deleted, root ? 1 : 2);
	assert_false(is_there("a", 6));
	assert_true(is_there("a", 7) && is_there("folder", 2));
	assert_int_equal(is_there("theirs", 5), root);
	assert_int_equal(access(others, F_OK), 0);
	assert_int_equal(access(fresh, F_OK), 0);
	assert_int_not_equal(access(stale, F_OK), 0);
	shard_folder_close(&folder);
	clean();
}

/* More than are remembered at a time. */
static void many(void **state)
{
	struct shard_folder folder;

	(void)state;
	open_folder((struct record_keep){0}, &folder);
	for (unsigned i = 1; i <= 20000; i++)
		put_shard("a", i);
	shard_folder_close(&folder);
	open_folder((struct record_keep){.files = 3}, &folder);
	assert_int_equal(folder.files, 20000);
	shard_folder_keep(&folder);
	assert_int_equal(folder.deleted, 19997);
	assert_true(is_there("a", 19998) && is_there("a", 19999) && is_there("a", 20000));
	shard_folder_close(&folder);
	clean();
}

/* A file is in the way. */
static void no_folder(void **state)
{
	struct shard_folder folder;
	struct bc_error err = {0};

	(void)state;
	put_file("out", "");
	assert_false(shard_folder_open("out", (struct record_keep){0}, &folder, &err));
	assert_non_null(strstr(err.text, "out: cannot be the directory of the shards"));
	assert_int_equal(unlink("out"), 0);
}

/* However often it deletes, it leaves no file open. */
static void descriptors(void **state)
{
	struct shard_folder folder;

	(void)state;
	open_folder((struct record_keep){.files = 1}, &folder);
	int first = dup(0);
	close(first);
	for (unsigned i = 1; i <= 3; i++) {
		shard_folder_add(&folder, put_shard("a", i));
		shard_folder_keep(&folder);
	}
	assert_int_equal(folder.deleted, 2);
	int after = dup(0);
	close(after);
	assert_int_equal(after, first);
	shard_folder_close(&folder);
	clean();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks),      cmocka_unit_test(files),
		cmocka_unit_test(taken_away),  cmocka_unit_test(not_ours),
		cmocka_unit_test(many),        cmocka_unit_test(no_folder),
		cmocka_unit_test(descriptors),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
