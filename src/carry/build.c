/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/carry/build.h"

#include <stdlib.h>

#include "src/elf/function_names.h"

static bool check_kind(const struct carry_build *build, struct bc_error *err)
{
	if (build->binary.kind != BINARY_UNTOUCHED)
		return bc_fail(
			err, BC_UNSUPPORTED,
			"%s: llvm-bolt wrote it: a profile is of what llvm-bolt read, so give "
			"that binary",
			build->path);
	return image_has_code(&build->binary.image) ||
	       bc_fail(err, BC_UNSUPPORTED, "%s: " IMAGE_NO_CODE, build->path);
}

static bool note_name(void *ctx, uint32_t function, struct text name)
{
	struct carry_build *build = ctx;
	uint32_t before = build->names.len, number;

	if (!strings_intern(&build->names, name, &number))
		return false;
	if (build->names.len == before)
		return true;
	/* Powers of two, so that few names move the table. */
	if (!(number & (number - 1))) {
		uint32_t *at =
			realloc(build->function_of, ((size_t)2 * number + 2) * sizeof(uint32_t));
		if (!at)
			return false;
		build->function_of = at;
	}
	build->function_of[number] = function;
	return true;
}

static bool open_all(struct carry_build *build, struct bc_error *err)
{
	struct bc_error ignored;

	if (!binary_open(build->path, &build->binary, err) || !check_kind(build, err))
		return false;
	const struct binary *binary = &build->binary;
	if (!targets_open(&binary->image, &binary->functions, &build->targets, err))
		return bc_fail_prefix(err, build->path);
	if (!function_names_each(&binary->functions, note_name, build))
		return bc_fail_nomem(err);
	/* What has no debug information is carried without. */
	if (!debug_lines_open(build->path, NULL, true, &build->lines, &ignored))
		build->lines = NULL;
	if (build->lines && !debug_lines_has(build->lines)) {
		debug_lines_close(build->lines);
		build->lines = NULL;
	}
	return true;
}

bool carry_build_open(const char *path, struct carry_build *out, struct bc_error *err)
{
	*out = (struct carry_build){.path = path};
	if (open_all(out, err))
		return true;
	carry_build_close(out);
	return false;
}

void carry_build_close(struct carry_build *build)
{
	if (build->lines)
		debug_lines_close(build->lines);
	strings_free(&build->names);
	free(build->function_of);
	targets_close(&build->targets);
	cfg_free(&build->graphs);
	binary_close(&build->binary);
	*build = (struct carry_build){0};
}

const struct function *carry_build_named(const struct carry_build *build, struct text name)
{
	uint32_t number;

	return name.len && strings_find(&build->names, name, &number) ?
		       &build->binary.functions.at[build->function_of[number]] :
		       NULL;
}

const struct graph *carry_build_graph(const struct carry_build *build,
				      const struct function *function)
{
	const struct graph *graph = cfg_find(&build->graphs, function);

	return graph && graph->count && graph->code.first_insn ? graph : NULL;
}
