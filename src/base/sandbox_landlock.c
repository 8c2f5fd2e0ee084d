/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* O_PATH, syscall() */
#include "src/base/sandbox_parts.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/output.h"

/* Landlock, as Linux documents it: the headers of an older system know less of it than
 * the kernel that the program runs on. */
#define LANDLOCK_CREATE 444
#define LANDLOCK_ADD 445
#define LANDLOCK_RESTRICT 446
#define LANDLOCK_TELL_VERSION 1u
#define LANDLOCK_PATH_BENEATH 1

enum {
	MAY_EXECUTE = 1 << 0,
	MAY_WRITE = 1 << 1,
	MAY_REMOVE_DIR = 1 << 4,
	MAY_REMOVE_FILE = 1 << 5,
	MAY_MAKE_FILE = 1 << 8,
	MAY_MAKE_ANY = 0x1fc0, /* devices, directories, files, sockets, FIFOs, links */
	MAY_MOVE = 1 << 13,     /* between directories; since version 2 */
	MAY_TRUNCATE = 1 << 14, /* since 3 */
	MAY_CONTROL = 1 << 15,  /* devices, by ioctl(); since 5 */
};
#define MAY_USE_TCP 3u /* bind, connect; since 4 */
#define SCOPED 3u      /* abstract sockets and signals of others; since 6 */

struct landlock_rules {
	uint64_t files, net, scoped;
};

struct landlock_beneath {
	uint64_t allowed;
	int32_t folder;
} __attribute__((packed));

static struct landlock_rules rules_of(long version)
{
	struct landlock_rules rules = {
		.files = MAY_EXECUTE | MAY_WRITE | MAY_REMOVE_DIR | MAY_REMOVE_FILE | MAY_MAKE_ANY};

	rules.files |= version >= 2 ? MAY_MOVE : 0;
	rules.files |= version >= 3 ? MAY_TRUNCATE : 0;
	rules.files |= version >= 5 ? MAY_CONTROL : 0;
	rules.net = version >= 4 ? MAY_USE_TCP : 0;
	rules.scoped = version >= 6 ? SCOPED : 0;
	return rules;
}

/* A kernel takes what it knows of the structure. */
static size_t rules_size(long version)
{
	return version >= 6 ? 24 : version >= 4 ? 16 : 8;
}

static void allow(int ruleset, const struct landlock_rules *rules, const char *path, uint64_t what)
{
	struct landlock_beneath beneath = {.allowed = what & rules->files,
					   .folder = open(path, O_PATH | O_CLOEXEC)};

	if (beneath.folder < 0)
		return; /* the output cannot be opened either, and says why */
	(void)!syscall(LANDLOCK_ADD, ruleset, LANDLOCK_PATH_BENEATH, &beneath, 0);
	close(beneath.folder);
}

static void allow_output(int ruleset, const struct landlock_rules *rules, const char *path)
{
	const uint64_t in_folder = MAY_WRITE | MAY_TRUNCATE | MAY_MAKE_FILE | MAY_REMOVE_FILE;
	struct stat st;
	char *target;

	if (!path || !strcmp(path, "-"))
		return;
	bool exists = stat(path, &st) == 0;
	if (exists && S_ISDIR(st.st_mode)) {
		allow(ruleset, rules, path, in_folder);
	} else if (exists && !S_ISREG(st.st_mode)) {
		allow(ruleset, rules, path, MAY_WRITE | MAY_TRUNCATE);
	} else if ((target = output_target(path))) {
		char *slash = strrchr(target, '/');
		slash[slash == target] = '\0';
		allow(ruleset, rules, target, in_folder);
		free(target);
	}
}

unsigned sandbox_landlock(const char *const *outputs, size_t count)
{
	long version = syscall(LANDLOCK_CREATE, NULL, (size_t)0, LANDLOCK_TELL_VERSION);

	if (version <= 0)
		return 0;
	struct landlock_rules rules = rules_of(version);
	int ruleset = (int)syscall(LANDLOCK_CREATE, &rules, rules_size(version), 0u);
	if (ruleset < 0)
		return 0;
	for (size_t i = 0; i < count; i++)
		allow_output(ruleset, &rules, outputs[i]);
	bool done = syscall(LANDLOCK_RESTRICT, ruleset, 0u) == 0;
	close(ruleset);
	return done ? (unsigned)version : 0;
}
