/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Counts samples a second time, and compares with what batconv wrote from them:
 *
 *   recount BINARY SAMPLES... [OPTION]...
 *
 * Each mistake is a line; exits 1 if there is one, 2 if something could not be read.  Nothing
 * of src/profile, src/output or src/convert is used: scripts/check-layering holds it.
 */
#include <stdio.h>
#include <string.h>

#include "src/elf/binary.h"
#include "tests/count/recount/fdata.h"
#include "tests/count/recount/kept.h"
#include "tests/count/recount/mistakes.h"
#include "tests/count/recount/preagg.h"
#include "tests/count/recount/stats.h"
#include "tests/count/recount/yaml.h"

static const char usage[] =
	"usage: recount BINARY SAMPLES... [OPTION]...\n"
	"\n"
	"  --compat=perf2bolt, --basic, --keep-newest, --max-samples=N, --pid=PID, --event=NAME   as given to batconv\n"
	"  --image=NAME, --ignore-build-id                                    likewise\n"
	"  --preagg=FILE, --fdata=FILE or --yaml=FILE   what it wrote: one of them\n"
	"  --stats=FILE    what it wrote with --stats-file\n"
	"  --input=INPUT   every place in the fdata must be in this binary\n";

struct arguments {
	const char *binary;
	const char *const *samples;
	size_t sample_count;
	struct count_options options;
	const char *preagg, *fdata, *yaml, *stats, *input;
};

/* --NAME=VALUE */
static bool has_value(const char *word, const char *name, const char **out)
{
	size_t length = strlen(name);

	if (strncmp(word, name, length) != 0 || word[length] != '=')
		return false;
	*out = word + length + 1;
	return true;
}

static bool take_option(const char *word, struct arguments *a)
{
	const char *value = "";

	if (!strcmp(word, "--basic"))
		return a->options.basic = true;
	if (!strcmp(word, "--keep-newest"))
		return a->options.keep_newest = true;
	if (!strcmp(word, "--compat=perf2bolt"))
		return a->options.as_perf2bolt = true;
	if (!strcmp(word, "--ignore-build-id"))
		return a->options.ignore_build_id = true;
	if (has_value(word, "--max-samples", &value))
		return text_dec(text_of(value), &a->options.most);
	if (has_value(word, "--pid", &value))
		return a->options.has_pid = text_dec(text_of(value), &a->options.pid);
	if (has_value(word, "--event", &value)) {
		a->options.event = text_of(value);
		return true;
	}
	return has_value(word, "--image", &a->options.image_name) ||
	       has_value(word, "--preagg", &a->preagg) || has_value(word, "--fdata", &a->fdata) ||
	       has_value(word, "--yaml", &a->yaml) || has_value(word, "--stats", &a->stats) ||
	       has_value(word, "--input", &a->input);
}

static bool parse(int argc, char **argv, struct arguments *out)
{
	int first = 1;

	while (first < argc && strncmp(argv[first], "--", 2) != 0)
		first++;
	for (int i = first; i < argc; i++)
		if (!take_option(argv[i], out))
			return false;
	int files = !!out->preagg + !!out->fdata + !!out->yaml;
	if (first < 3 || files != 1 || (out->yaml && !out->stats))
		return false;
	out->options.fdata = out->fdata;
	out->options.yaml = out->yaml;
	out->binary = argv[1];
	out->samples = (const char *const *)argv + 2;
	out->sample_count = (size_t)first - 2;
	return true;
}

/* The counts are all there is to compare. */
static bool compare_counts(const struct arguments *a, struct count *count, struct bc_error *err)
{
	struct numbers stats = {0};

	struct row_vec kept = {0};

	kept_rows(count, &kept);
	count_keep(count, kept.len);
	bool ok = preagg_compare(a->preagg, count, &kept, err);
	row_vec_free(&kept);
	return ok && (!a->stats || stats_compare(a->stats, count, &stats, err));
}

static bool compare_files(const struct arguments *a, const struct should *should,
			  struct bc_error *err)
{
	struct numbers stats = {0};
	struct input input = {0};

	bool ok = (!a->stats || stats_compare(a->stats, should->count, &stats, err)) &&
		  (!a->input || input_open(a->input, &input, err)) &&
		  (!a->fdata || fdata_compare(a->fdata, should, a->input ? &input : NULL, err)) &&
		  (!a->yaml || yaml_compare(a->yaml, should, &stats, err));
	input_close(&input);
	return ok;
}

static bool compare_profile(const struct arguments *a, struct count *count, struct bc_error *err)
{
	struct should should;

	bool ok = should_be(count, &should, err) && compare_files(a, &should, err);
	should_free(&should);
	return ok;
}

static bool run(const struct arguments *a, struct bc_error *err)
{
	static struct count count;
	struct binary binary = {0};

	const struct binary_parts parts = {.numbers_by_address = true};
	bool ok = binary_open_parts(a->binary, &parts, &binary, err) &&
		  count_begin(&count, &binary, a->binary, &a->options, err);
	for (size_t i = 0; ok && i < a->sample_count; i++)
		ok = count_read(&count, a->samples[i], err);
	if (ok) {
		count_end(&count);
		ok = a->preagg ? compare_counts(a, &count, err) : compare_profile(a, &count, err);
	}
	count_free(&count);
	binary_close(&binary);
	return ok;
}

int main(int argc, char **argv)
{
	struct arguments arguments = {0};
	struct bc_error err = {0};

	if (!parse(argc, argv, &arguments)) {
		fputs(usage, stderr);
		return 2;
	}
	if (!run(&arguments, &err)) {
		fprintf(stderr, "recount: %s\n", err.text);
		return 2;
	}
	return mistake_count() != 0;
}
