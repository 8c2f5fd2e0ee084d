/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/check/verify.h"

#include <stdlib.h>

#include "src/check/input.h"
#include "src/check/section_order.h"
#include "src/elf/binary_open.h"

static bool check_code(const struct verify_options *options, struct verify_report *report,
		       const struct block_starts *starts, const struct input *input,
		       struct bc_error *err)
{
	const struct binary *subject = &report->subject;
	struct findings *findings = &report->findings;

	bool ok = options->no_code || check_output_code(subject, starts, options->threads, findings);
	if (ok && input)
		ok = check_input(subject, input, starts, options->threads, !options->no_code, findings);
	if (!ok)
		return bc_fail_nomem(err);
	if (input && !work_check(input->image.work, err))
		return bc_fail_prefix(err, options->input);
	report->code = options->no_code ? CODE_NOT_ASKED
		       : code_decoder_complete(subject->image.machine) ? CODE_CHECKED
								       : CODE_PARTLY;
	return true;
}

static bool check_blocks_and_code(const struct verify_options *options, struct verify_report *report,
				  const struct input *input, struct bc_error *err)
{
	BC_AUTO(block_starts_free) struct block_starts starts = {0};
	struct binary *subject = &report->subject;
	struct findings *findings = &report->findings;

	if (!block_starts_make(&subject->bat, &starts) ||
	    !check_blocks(subject, &starts, !options->no_code, findings))
		return bc_fail_nomem(err);
	check_parents(subject, findings);
	if (subject->kind == BINARY_SECTION)
		return true;
	check_fragments(subject, findings);
	return check_code(options, report, &starts, input, err);
}

static bool check_table(const struct verify_options *options, struct verify_report *report,
			const struct input *input, struct bc_error *err)
{
	if (!check_canonical(&report->subject, &report->findings))
		return bc_fail_nomem(err);
	return !check_structure(&report->subject, &report->findings) ||
	       check_blocks_and_code(options, report, input, err);
}

static bool link_table(struct binary *subject, struct bc_error *err)
{
	return binary_build_functions(subject, err) && binary_keep_parents(subject, err) &&
	       binary_settle(subject, err);
}

static bool verify(const struct verify_options *options, struct verify_report *report,
		   const struct input *input, struct bc_error *err)
{
	struct binary *subject = &report->subject;

	report->code = CODE_NONE;
	if (!check_note(subject, &report->findings, err) ||
	    !check_decoding(subject, &report->findings, err))
		return err->code == BC_OK || bc_fail_prefix(err, options->binary);
	report->decoded = true;
	if (!link_table(subject, err))
		return bc_fail_prefix(err, options->binary);
	report->linked = subject->kind != BINARY_SECTION;
	if (report->linked)
		coverage_measure(subject, &report->coverage);
	if (!check_table(options, report, input, err))
		return false;
	if (!findings_locate(&report->findings, subject) || report->findings.nomem)
		return bc_fail_nomem(err);
	return true;
}

bool verify_subject(const struct verify_options *options, struct verify_report *report,
		    struct bc_error *err)
{
	struct input input;

	*err = (struct bc_error){0};
	findings_init(&report->findings, options->most);
	if (!options->input)
		return verify(options, report, NULL, err);
	if (!input_open(options->input, &input, err))
		return false;
	bool ok = verify(options, report, &input, err);
	input_close(&input);
	return ok;
}

/* If a file cannot be opened because of its segments, the finding about these is reported. */
static bool misaligned(const char *path, struct findings *findings)
{
	struct file_map file;
	struct bc_error err;

	if (!file_map(path, &file, &err))
		return false;
	bool good = check_segments((struct bytes){file.data, file.size}, findings);
	file_unmap(&file);
	return !good;
}

bool verify_run(const struct verify_options *options, struct verify_report *out,
		struct bc_error *err)
{
	struct verify_report report = {.code = CODE_NONE};

	findings_init(&report.findings, options->most);
	if (!binary_map(options->binary, &report.subject, err)) {
		*out = report;
		return err->code == BC_FORMAT && misaligned(options->binary, &out->findings);
	}
	bool ok = verify_subject(options, &report, err);
	if (ok)
		*out = report;
	else
		verify_free(&report);
	return ok;
}

void verify_free(struct verify_report *report)
{
	findings_free(&report->findings);
	binary_close(&report->subject);
}
