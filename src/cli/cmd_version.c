/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <lzma.h>
#include <stdio.h>
#include <yaml.h>
#include <zlib.h>
#include <zstd.h>

#include "src/base/attr.h"
#include "src/base/library.h"
#include "src/base/sandbox.h"
#include "src/cli/options.h"
#include "src/elf/libdw.h"
#include "src/isa/llvm.h"
#include "src/base/json.h"

struct arguments {
	bool json;
};

static const struct option_row rows[] = {
	JSON_ROW("print JSON"),
	COMMON_ROWS,
};

/* What the program was built with, or loads when it is needed. */
struct linked_library {
	const char *name, *key;
	const char *version; /* NULL: there is none, */
	const char *why;     /* as this says */
};

#define LIBRARIES_MOST 8

/* Which libLLVM and libdw would be loaded is known only by loading them now.  err: says why there
 * is no libdw */
static size_t find_libraries(struct linked_library *out, struct bc_error *err)
{
	struct llvm_context context;
	size_t count = 0;

	if (llvm_open(&context))
		llvm_close(&context);
	const char *libdw = libdw_version(err);
	out[count++] = (struct linked_library){"libLLVM", "libllvm", llvm_loaded(),
					       library_none() ? library_none() : "none found"};
	out[count++] = (struct linked_library){"libseccomp", "libseccomp", sandbox_library(),
					       "not built in (--sandbox denies no system calls)"};
	out[count++] = (struct linked_library){"libdw", "libdw", libdw,
					       library_none() ? library_none() : err->text};
	out[count++] =
		(struct linked_library){"libyaml", "libyaml", yaml_get_version_string(), NULL};
	out[count++] = (struct linked_library){"zstd", "zstd", ZSTD_versionString(), NULL};
	out[count++] = (struct linked_library){"lzma", "lzma", lzma_version_string(), NULL};
	out[count++] = (struct linked_library){"zlib", "zlib", zlibVersion(), NULL};
	return count;
}

static void version_json(const struct linked_library *libraries, size_t count)
{
	struct json json = {.out = stdout};

	json_open_document(&json, "batconv-version");
	json_string(&json, "batconv", BATCONV_VERSION);
	for (size_t i = 0; i < count; i++)
		if (libraries[i].version)
			json_string(&json, libraries[i].key, libraries[i].version);
		else
			json_null(&json, libraries[i].key);
	json_close(&json, '}');
	putchar('\n');
}

static void version_text(const struct linked_library *libraries, size_t count)
{
	puts("batconv " BATCONV_VERSION);
	for (size_t i = 0; i < count; i++)
		printf("%s: %s\n", libraries[i].name,
		       libraries[i].version ? libraries[i].version : libraries[i].why);
}

static int run_version(struct command_line *line)
{
	const struct arguments *args = line->arguments;
	struct linked_library libraries[LIBRARIES_MOST];
	struct bc_error err = {0};

	(args->json ? version_json : version_text)(libraries, find_libraries(libraries, &err));
	return EXIT_DONE;
}

const struct command version_command = {
	.name = "version",
	.args = "[OPTION]...",
	.help = "print the version, and those of the libraries it uses",
	.examples = "batconv version --json",
	COMMAND_OPTIONS(rows),
	.operands = NO_FILE,
	.count = {0, 0, NULL, "no operand is taken, not"},
	.size = sizeof(struct arguments),
	.run = run_version,
};
