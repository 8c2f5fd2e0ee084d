/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the commands that read samples of a binary have in common: options that say how the
 * samples are read and the binary is found, the operands OPTIMIZED SAMPLES..., and how they are
 * measured.
 */
#ifndef CLI_SAMPLE_OPTIONS_H
#define CLI_SAMPLE_OPTIONS_H

#include <stdio.h>

#include "src/samples/snapshots.h"
#include "src/base/vec.h"
#include "src/cli/options.h"
#include "src/figures/summary.h"
#include "src/flow/conversion.h"
#include "src/samples/reader.h"
#include "src/code/pair.h"
#include "src/profile/flat.h"
#include "src/figures/quality.h"

/* Rows of commands whose arguments have a `conversion` and `debug_dirs`. */
/* clang-format off */
#define INPUT_FORMAT_ROW \
	{0, "input-format", "FORMAT:auto,preagg,perf-script,perf-data", NO_FILE, \
	 "auto (default: by content), preagg, perf-script\nor perf-data", INTO(conversion.format), .of_samples = true}
#define BASIC_ROW \
	{0, "basic", NULL, NO_FILE, \
	 "use sampled addresses, not branch stacks\n(default: branch stacks if there are any)", \
	 INTO_SET(conversion.aggregate.mode, MODE_BASIC), .of_samples = true}
#define IMAGE_ROW \
	{0, "image", "NAME", NO_FILE, \
	 "the name of the binary when it was recorded, if it was\nrenamed since (full path or file name)", \
	 INTO(conversion.image_name), .of_samples = true}
/* clang-format on */
/* For a `compiled`, too. */
/* clang-format off */
#define FROM_COMPILER_ROWS \
	{0, "from-compiler", "BINARY", FILE_READ, \
	 "instead of OPTIMIZED SAMPLES: the profile of BINARY from\nthe counts that the compiler left in it (clang\n" \
	 "-fbasic-block-address-map -mllvm -pgo-analysis-map=all)", \
	 INTO(compiled), .place = PLACE_IMAGE}, \
	{0, "force-map", NULL, NO_FILE, \
	 "with --from-compiler: take a map without any count, too", INTO(conversion.force_map)}
#define SAMPLE_ROWS INPUT_FORMAT_ROW, BASIC_ROW, IMAGE_ROW, CODE_DIR_ROW, THREADS_ROW(conversion.threads)
/* clang-format on */

/* The row of --yaml-for, for a struct of arguments with this field. */
/* clang-format off */
#define YAML_FOR_ROW(field) \
	{ \
		0, "yaml-for", "RELEASE", NO_FILE, \
		"write YAML with all keys that llvm-bolt of this release\nreads, such as 22 (default: those that 18 and later read)", INTO(field), \
		.takes = "a release of llvm-bolt from 18 on", .least = YAML_RELEASE_FIRST \
	}
/* clang-format on */

/* Samples are counted as 'convert' counts them, but nothing is inferred from basic ones: they are
 * shown as they were recorded. */
void sample_options_as_recorded(struct conversion_options *options);

/* Takes the operands OPTIMIZED SAMPLES..., and the directories of --debug-dir.  EXIT_DONE, or
 * EXIT_USAGE after a message. */
int sample_operands(const struct command_line *line, const struct words *debug_dirs,
		    struct conversion_options *options);

/* For --from-compiler=BINARY: takes it instead, with the counts that the compiler left in
 * it; no operand and no option of samples may be there.  If `binary` is NULL, nothing is taken, and
 * --force-map may not be there.  EXIT_DONE, or EXIT_USAGE after a message. */
int compiler_in_place_of_samples(const struct command_line *line, const char *binary,
				 const struct words *debug_dirs,
				 struct conversion_options *options);

DEFINE_VEC(pid_vec, uint32_t);
option_reader option_pids; /* with commas, into a struct map_file_vec */
#define PIDS_TAKES "process ids with commas"

/* ---- times ---- */

/* Reads a decimal number, with or without a fraction, in seconds (as perf script prints times) or
 * in the unit that follows it: s, ms, us or ns.  The result must be whole nanoseconds, and below
 * 2^64. */
bool time_parse(struct text text, uint64_t *ns);

/* The same into a struct number. */
option_reader option_time;

/* How long, as ns: 10, 1.5s, 200ms, 10m, 1h, 2d; from a millisecond to ten years. */
option_reader option_duration;

/* For messages and help: what an option takes that is read so. */
#define TIME_TAKES "seconds, or a number and s, ms, us or ns"
#define TIME_HELP  "in seconds, or with a unit: 12.5, 12500ms (s, ms, us, ns)"

/* ---- --maps ---- */

option_reader option_maps; /* into a struct map_file_vec */

/* Reads all files into one indexed set of snapshots.  A later part of a recording continues where
 * the part in the file before ended.  Errors of maps_open(), after which `out` is to be freed, too.
 * */
BC_MUST_USE bool maps_option_read(struct map_file_vec *files, struct snapshots *out,
				  struct bc_error *err);

/* Whether something of them could not be read (reader_report_is_partial()). */
bool maps_option_partial(const struct map_file_vec *files);

/* ---- --no-input ---- */

/* The row, for a struct of arguments with a `no_input`. */
/* clang-format off */
#define NO_INPUT_ROW \
	{ \
		0, "no-input", NULL, NO_FILE, \
		"do not look for INPUT by its build-id (default: where --input\n" \
		"is not given, next to the binary and where debug files are)", INTO(no_input), .of_samples = true \
	}
/* clang-format on */

#define BOTH_INPUTS "--input and --no-input exclude each other"

/* Is it looked for, with or without --no-input?  $BATCONV_NO_INPUT, if it is set and not empty,
 * represents the option. */
bool input_is_sought(bool no_input);

/* ---- what quality, report and overlap measure ---- */

/* Measures samples of another build, too: whether the build fits is one of the figures. Zeroed
 * conversion and sources (except for what is asked of them) are to be freed either way.  The text
 * of an error says which operand is of the wrong kind, if one is.
 *
 * BC_MISMATCH  none of the samples is of the binary
 * BC_IO, BC_FORMAT, BC_UNSUPPORTED, BC_NOTFOUND, BC_NOMEM */
BC_MUST_USE bool measure_samples(struct conversion *conversion, struct quality_sources *sources,
				 struct quality *out, struct bc_error *err);

/* A profile that a command compares with: fdata, BOLT's YAML, or samples, which are converted
 * first.
 *
 * What is neither fdata nor YAML is taken for samples of a binary, if there is one (else NULL).
 * infer: branches of basic ones are inferred, where the code of the input is known.  If a
 * recording was cut short, what is there is used, and *partial is set.
 *
 * BC_MISMATCH  samples of another build
 * BC_IO, BC_FORMAT, BC_UNSUPPORTED, BC_NOTFOUND, BC_NOMEM */
BC_MUST_USE bool profile_input_read(const char *path, const char *binary, bool infer,
				    struct flat_profile *out, bool *partial, struct bc_error *err);

#endif
