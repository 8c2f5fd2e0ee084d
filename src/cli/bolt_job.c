/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/bolt_job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/output.h"
#include "src/cli/private_folder.h"
#include "src/profile/fdata.h"

/* Releases whose tables have hashes, and some that are to come. */
enum { FIRST_RELEASE = 19, LAST_RELEASE = 60 };

static const char *called = "batconv";

void bolt_called_as(const char *path)
{
	called = path;
}

static bool is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

static bool try_path(char path[PATH_MAX], struct text folder, const char *name)
{
	int length = snprintf(path, PATH_MAX, "%.*s/%s", (int)folder.len, folder.at, name);

	return length > 0 && length < PATH_MAX && is_program(path);
}

static struct text folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == path ? text_of("/") : (struct text){path, slash ? (size_t)(slash - path) : 0};
}

/* The first folder of PATH with this program, from `*rest` on, which is moved on.  Relative ones are left out: what stands in
 * the present folder is not run. */
static bool next_in_path(struct text *rest, const char *name, char path[PATH_MAX])
{
	while (rest->len) {
		struct text folder = text_first(*rest, text_find(*rest, ':'));
		*rest = text_from(*rest, folder.len + (folder.len < rest->len));
		if (folder.len && *folder.at == '/' && try_path(path, folder, name))
			return true;
	}
	return false;
}

static struct text search_path(void)
{
	const char *path = getenv("PATH");

	return text_of(path ? path : "");
}

/* llvm-bolt, or llvm-bolt-22 beside a perf2bolt-22. */
static bool find_beside(char path[PATH_MAX])
{
	char self[PATH_MAX], name[64];
	const char *slash = strrchr(called, '/'), *dash = strrchr(called, '-');
	struct text rest = search_path();
	struct text folder = slash ? folder_of(called) : (struct text){NULL, 0};

	if (!slash && next_in_path(&rest, called, self))
		folder = folder_of(self);
	if (!folder.len)
		return false;
	bool versioned = dash && dash[1] && strspn(dash + 1, "0123456789") == strlen(dash + 1) && strlen(dash) < 8;
	snprintf(name, sizeof(name), "llvm-bolt%s", versioned ? dash : "");
	return try_path(path, folder, name) || try_path(path, folder, "llvm-bolt");
}

static bool find_in_path(char path[PATH_MAX])
{
	struct text all = search_path(), rest = all;
	char name[32];

	if (next_in_path(&rest, "llvm-bolt", path))
		return true;
	for (int release = LAST_RELEASE; release >= FIRST_RELEASE; release--) {
		snprintf(name, sizeof(name), "llvm-bolt-%d", release);
		rest = all;
		if (next_in_path(&rest, name, path))
			return true;
	}
	return false;
}

static bool find_debian(char path[PATH_MAX])
{
	for (int release = LAST_RELEASE; release >= FIRST_RELEASE; release--) {
		snprintf(path, PATH_MAX, "/usr/lib/llvm-%d/bin/llvm-bolt", release);
		if (is_program(path))
			return true;
	}
	return false;
}

bool bolt_find(const char *given, char path[PATH_MAX], struct bc_error *err)
{
	const char *variable = getenv("LLVM_BOLT");
	const char *named = given ? given : variable && *variable ? variable : NULL;

	if (!named)
		return find_beside(path) || find_in_path(path) || find_debian(path) ||
		       bc_fail(err, BC_NOTFOUND, "no llvm-bolt was found: --llvm-bolt=PATH or $LLVM_BOLT names one");
	if (strlen(named) >= PATH_MAX || !is_program(named))
		return bc_fail(err, BC_NOTFOUND, "%s: is no program (%s)", named, given ? "--llvm-bolt" : "$LLVM_BOLT");
	memcpy(path, named, strlen(named) + 1);
	return true;
}

static bool write_names(const struct profile *profile, struct bc_error *err)
{
	struct output output;

	if (!output_open(private_folder_file(PRIVATE_PROFILE), &output, err))
		return false;
	fdata_write_names(profile, output.file);
	return output_commit(&output, err);
}

static bool run(const struct bolt_job *job, const char *used, struct bc_error *err)
{
	char program[PATH_MAX + 2], bolt[] = "llvm-bolt", o[] = "-o", bat[] = "-enable-bat", lite[] = "-lite", all[] = "-lite=0",
	     data[] = "-data", strict[] = "-strict";
	bool chosen = (job->profile || job->data) && !job->strict; /* llvm-bolt takes -lite or -strict */
	char *words[12];
	size_t count = 0;

	if (chosen && !job->data && !write_names(job->profile, err))
		return false;
	/* What begins with a dash is no option. */
	if (snprintf(program, sizeof(program), "%s%s", *job->program == '-' ? "./" : "", job->program) >= (int)sizeof(program))
		return bc_fail(err, BC_IO, "%s: too long a path", job->program);
	words[count++] = bolt;
	words[count++] = program;
	words[count++] = o;
	words[count++] = (char *)private_folder_file(PRIVATE_BINARY);
	words[count++] = bat;
	words[count++] = chosen ? lite : all;
	if (chosen) {
		words[count++] = data;
		words[count++] = (char *)(job->data ? job->data : private_folder_file(PRIVATE_PROFILE));
	}
	if (job->strict)
		words[count++] = strict;
	words[count] = NULL;
	return private_folder_run(used, words, err);
}

bool bolt_job_run(const struct bolt_job *job, const struct binary *binary, struct hash_source *out, struct bc_error *err)
{
	char used[PATH_MAX];

	*out = (struct hash_source){0};
	bool ok = bolt_find(job->llvm_bolt, used, err) && private_folder_make(err) && run(job, used, err) &&
		  (hash_source_open(private_folder_file(PRIVATE_BINARY), binary, job->program, NULL, out, err) ||
		   bc_fail_prefix(err, used));
	private_folder_remove(); /* what was mapped stays so */
	return ok;
}
