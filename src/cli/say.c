/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/say.h"

#include <inttypes.h>
#include <stdarg.h>

#include "src/base/file.h"
#include "src/base/text.h"
#include "src/cli/operands.h"
#include "src/cli/options.h"

void say_format(char *line, size_t size, const char *fmt, va_list args)
{
	vsnprintf(line, size, fmt, args);
	make_printable(line);
}

void say(FILE *out, const char *fmt, ...)
{
	char line[8192];
	va_list args;

	va_start(args, fmt);
	say_format(line, sizeof(line), fmt, args);
	va_end(args);
	fprintf(out, "batconv: %s\n", line);
}

int fail(const struct bc_error *why)
{
	struct bc_error explained = *why, *err = &explained;

	operands_explain(NULL, err);
	fprintf(stderr, "batconv: %s\n", err->text);
	return err->code == BC_MISMATCH ? EXIT_WANTING : EXIT_FAILED;
}

int fail_file(const char *file, const struct bc_error *err)
{
	struct bc_error named = *err;

	bc_fail_prefix(&named, file);
	return fail(&named);
}

/* ---- what a user must know even with --quiet ---- */

void warn(const struct warnings *to, const char *fmt, ...)
{
	char line[8192];
	va_list args;

	va_start(args, fmt);
	say_format(line, sizeof(line), fmt, args);
	va_end(args);
	to->each(to->ctx, line);
}

void warn_of_loss(const char *path, const struct reader_report *report, const struct warnings *to)
{
	const struct perf_data_report *perf = &report->perf;

	if (report->packed_cut)
		warn(to, "%s: truncated, byte %" PRIu64 ": the %s data ends early; everything complete before that was used",
		     path, report->packed_cut_at, packing_name(report->packing));
	else if (report->cut)
		warn(to, "%s: truncated, line %" PRIu64 ", byte %" PRIu64 ": the text ends within a line; the lines "
			 "before it were used", path, report->cut_line, report->cut_at);
	if (perf->unfinished)
		warn(to, "%s: the recorder was stopped before it finished the file; everything recorded was used",
		     path);
	if (perf->truncated && !report->packed_cut)
		warn(to, "%s: truncated, byte %" PRIu64 ": the file ends within a record; the records before it were used%s",
		     path, perf->truncated_at, perf->trace.decoded ? ", and of a trace what is there" : "");
	if (perf->damaged_features && !perf->truncated)
		warn(to, "%s: damaged: %" PRIu64 " section%s or record%s beside the samples (build-ids, names of events "
			 "and the like); left out", path, perf->damaged_features,
		     plural(perf->damaged_features), plural(perf->damaged_features));
	if (perf->unknown_records)
		warn(to, "%s: warning: %" PRIu64 " record%s of unknown types skipped, the first of type %" PRIu32
			 ", byte %" PRIu64, path, perf->unknown_records, plural(perf->unknown_records),
		     perf->unknown_type, perf->unknown_at);
}

static void print_warning(void *ctx, const char *text)
{
	say(ctx, "%s", text);
}

bool tell_loss(const char *path, const struct reader_report *report)
{
	warn_of_loss(input_name(path), report, &(struct warnings){print_warning, stderr});
	return reader_report_is_partial(report);
}
