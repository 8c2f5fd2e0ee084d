/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/output.h"
#include "src/flow/bolt_job.h"
#include "src/cli/options.h"
#include "src/cli/operands.h"
#include "src/cli/sample_options.h"
#include "src/figures/summary.h"
#include "src/elf/binary.h"
#include "src/elf/rewrite.h"

static bool write_side_file(const struct binary *subject, FILE *out, struct bc_error *err)
{
	return side_file_write(&subject->image, code_digest(subject), out, err);
}

static bool write_hashes(const struct binary *subject, FILE *out, struct bc_error *err)
{
	return side_file_write_hashes(&subject->image, out, err);
}

typedef bool write_fn(const struct binary *subject, FILE *out, struct bc_error *err);

static bool write_parts(const struct binary *subject, write_fn *write, const char *to,
			struct bc_error *err)
{
	struct output output;

	if (!output_open(to, &output, err))
		return false;
	return output_end(&output, write(subject, output.file, err), err);
}

static bool write_note(const struct binary *subject, FILE *out, struct bc_error *err)
{
	(void)err; /* output_commit() says what is wrong with the stream */
	fwrite(subject->section.data, 1, subject->section.size, out);
	return true;
}

static bool extract(const char *path, const char *to, bool note, struct bc_error *err)
{
	BC_AUTO(binary_close) struct binary subject = {0};

	if (!binary_map(path, &subject, err))
		return false;
	if (!binary_find_note(&subject, err))
		return bc_fail_prefix(err, path);
	if (subject.kind == BINARY_SECTION && !note)
		return bc_fail(err, BC_UNSUPPORTED,
			       "%s: a section alone has no code and no symbols", path);
	return write_parts(&subject, note ? write_note : write_side_file, to, err);
}

struct arguments {
	const char *output;
	bool hashes, note;
	struct bolt_job job;
	const char *const *samples;
	size_t sample_count;
};

/* Runs llvm-bolt, and writes what a hash source needs of its output. */
static bool keep_hashes(const struct arguments *args, const struct profile *profile,
			struct bc_error *err)
{
	BC_AUTO(binary_close) struct binary program = {0};
	BC_AUTO(hash_source_close) struct hash_source source = {0};
	struct bolt_job job = args->job;

	job.profile = profile;
	return binary_open(job.program, &program, err) &&
	       bolt_job_run(&job, &program, &source, err) &&
	       write_parts(&source.table, write_hashes, args->output, err);
}

/* The program must be what llvm-bolt can read; the functions in samples are those that the profile
 * has. */
static bool extract_hashes(const struct arguments *args, struct bc_error *err)
{
	BC_AUTO(conversion_free)
	struct conversion conversion = {.options = {.wants = WANT_RECORDS,
						    .binary = args->job.program,
						    .samples = args->samples,
						    .sample_count = args->sample_count}};
	BC_AUTO(binary_close) struct binary program = {0};
	struct summary summary = {.conversion = &conversion};

	if (!binary_map(args->job.program, &program, err))
		return false;
	if (program.kind != BINARY_UNTOUCHED)
		return bc_fail(
			err, BC_UNSUPPORTED,
			"%s: llvm-bolt wrote it: --hashes is for the binary that llvm-bolt reads",
			args->job.program);
	if (!args->sample_count)
		return keep_hashes(args, NULL, err);
	sample_options_as_recorded(&conversion.options);
	conversion.options.aggregate.rules =
		(struct profile_rules){0}; /* as perf2bolt, which finds some functions more */
	if (!conversion_run(&conversion, err))
		return false;
	summary_warnings(&summary, stderr);
	return keep_hashes(args, &conversion.profile, err);
}

static const struct option_row rows[] = {
	{'o', "output", "FILE", FILE_WRITTEN, "write to FILE", INTO(output)},
	{0, "note", NULL, NO_FILE, "write only the bytes of the BAT section", INTO(note)},
	{0, "hashes", NULL, NO_FILE,
	 "run llvm-bolt once on BINARY, which it did not write, and\nwrite the hashes of its functions, for 'convert --hashes'",
	 INTO(hashes)},
	{0, "data", "PROFILE", FILE_READ,
	 "with --hashes: only of functions in this profile (fdata or\nYAML); so, too, if samples follow BINARY",
	 INTO(job.data), .place = PLACE_PROFILE},
	{0, "llvm-bolt", "PATH", FILE_READ,
	 "with --hashes: the llvm-bolt to run (default: $LLVM_BOLT,\nelse the one next to batconv, in PATH, in /usr/lib/llvm-N)",
	 INTO(job.llvm_bolt)},
	SANDBOX_ROW,
	COMMON_ROWS,
};

static int check(struct command_line *line)
{
	static const struct operand_count one = ONE_BINARY;
	struct arguments *args = line->arguments;

	args->job.program = line->operands.at[0];
	args->samples = line->operands.at + 1;
	args->sample_count = line->operands.len - 1;
	if (!args->hashes && args->sample_count)
		return usage_error(line->command, one.too_many, args->samples[0]);
	if (!args->hashes && (args->job.data || args->job.llvm_bolt))
		return usage_error(line->command, "--data and --llvm-bolt are for --hashes", NULL);
	if (args->hashes && args->note)
		return usage_error(line->command, "--hashes and --note exclude each other", NULL);
	if (args->hashes && line->sandbox)
		return usage_error(line->command,
				   "--hashes runs llvm-bolt, and --sandbox forbids to run programs",
				   NULL);
	if (args->sample_count && args->job.data)
		return usage_error(line->command, "--data and samples exclude each other", NULL);
	return args->output ? EXIT_DONE : usage_error(line->command, "no -o given", NULL);
}

static int run_extract(struct command_line *line)
{
	const struct arguments *args = line->arguments;
	struct bc_error err;

	bool ok = args->hashes ? extract_hashes(args, &err) :
				 extract(args->job.program, args->output, args->note, &err);
	return ok ? EXIT_DONE : fail(&err);
}

const struct command extract_command = {
	.name = "extract",
	.args = "[OPTION]... -o FILE BINARY [SAMPLES...]",
	.help = "write a side file that replaces a binary\n\n"
		"A side file holds what conversions read: the BAT section, segments, symbols and\n"
		"code, without debug information, compressed.  Every command of batconv accepts it\n"
		"instead of the binary, so hosts that convert do not need the binary.\n"
		"With --hashes, BINARY is not BOLTed, and the side file holds only what\n"
		"'convert --hashes=FILE' reads.",
	.examples =
		"batconv extract prog.bolt -o prog.bat                    # instead of prog.bolt, in any command\n"
		"batconv extract --note prog.bolt -o note                 # the bytes of the BAT section\n"
		"batconv extract --hashes prog -o prog.hashes             # for: batconv --hashes=prog.hashes",
	COMMAND_OPTIONS(rows),
	.operands = FILE_READ,
	.places = {PLACE_TABLE, PLACE_SAMPLES},
	.advised_output = "prog.side",
	.count = {1, 0, "no binary given", NULL},
	.size = sizeof(struct arguments),
	.check = check,
	.run = run_extract,
};
