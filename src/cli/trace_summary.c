/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/trace_summary.h"

#include <inttypes.h>
#include <stdio.h>

FIGURE_READER(kind_of, struct perf_trace_report, figure_string(perf_trace_name(it)))

const struct figure_row trace_rows[] = {
	{"trace", BEGIN, IF(struct perf_trace_report, found)},
	{"kind", .read = kind_of},
	FIGURES(struct perf_trace_report, , buffers, bytes, snapshots, truncated, partial, collisions),
	FIGURES(struct perf_trace_report, , operations, branches, unowned, gaps, cut, bad_bytes, unknown_packets),
	FIGURES(struct perf_trace_report, , lanes, bits, targets, dropped, overflows, late),
	{END},
	{0},
};

static bool is_read(const struct perf_trace_report *trace)
{
	return trace->kind == PERF_TRACE_ARM_SPE;
}

void trace_tell(const struct perf_trace_report *trace, char *line, size_t size)
{
	char read[160] = "";

	if (is_read(trace))
		snprintf(read, sizeof(read), ": %" PRIu64 " operation%s sampled, of which %" PRIu64 " %s", trace->operations, plural(trace->operations),
			 trace->branches, trace->branches == 1 ? "is a branch" : "are branches");
	else if (trace->decoded)
		snprintf(read, sizeof(read), ", of %" PRIu64 " %s: %" PRIu64 " branch%s taken or not, %" PRIu64 " address%s where others led",
			 trace->lanes, trace->lanes == 1 ? "processor or thread" : "processors or threads", trace->bits, trace->bits == 1 ? "" : "es", trace->targets, trace->targets == 1 ? "" : "es");
	snprintf(line, size, "%" PRIu64 " byte%s of a trace (%s) in %" PRIu64 " piece%s%s", trace->bytes, plural(trace->bytes),
		 perf_trace_name(trace), trace->buffers, plural(trace->buffers), read);
}

static const char *overflow_remedy(const struct perf_trace_report *trace)
{
	if (trace->kind == PERF_TRACE_ARM_ETM)
		return "a larger buffer (perf record -m,64M), a share of the time (cs_etm/autofdo/u, with strobing) or an address filter "
		       "(--filter 'filter * @ PROG') help";
	return "without kernel (:u) and without cycles (cyc=0), or with an address filter (--filter 'filter * @ PROG'), there is less to write";
}

void warn_of_trace(const char *path, const struct perf_trace_report *trace, const struct warnings *to)
{
	const char *itrace = perf_trace_itrace(trace);

	if (trace->refused)
		warn(to, "%s: warning: its trace of the processor (%s) is not read, as it is %s", path, perf_trace_name(trace), trace->refused);
	else if (itrace)
		warn(to, "%s: has traces of the processor (%s), which are not decoded here; convert what `perf script --itrace=%s -F pid,ip,brstack "
			 "--show-mmap-events` prints", path, perf_trace_name(trace), itrace);
	else if (trace->found && !trace->buffers)
		warn(to, "%s: warning: says that there was a trace of the processor (%s), but has none of its bytes: record again", path,
		     perf_trace_name(trace));
	if (trace->operations && !trace->branches)
		warn(to, "%s: warning: none of the sampled operations is a branch: perf record -e arm_spe_0/branch_filter=1/u samples branches", path);
	if (trace->unowned)
		warn(to, "%s: warning: nobody knows in which process %" PRIu64 " branch%s ran, which cannot be used: perf record as root, with a kernel of "
			 "CONFIG_PID_IN_CONTEXTIDR, has the processor write it, and --per-thread records one program without", path, trace->unowned,
		     trace->unowned == 1 ? "" : "es");
	if (trace->truncated)
		warn(to, "%s: warning: the buffer of the trace was full %" PRIu64 " time%s, and what ran then is missing: a larger one "
			 "(perf record -m,16M) or %s help", path, trace->truncated, plural(trace->truncated),
		     is_read(trace) ? "fewer samples (-c)" : "an address filter (--filter 'filter * @ PROG')");
	if (trace->overflows)
		warn(to, "%s: warning: the processor could not write its trace fast enough %" PRIu64 " time%s, and what ran then is missing: %s", path,
		     trace->overflows, plural(trace->overflows), overflow_remedy(trace));
	if (trace->decoded && trace->bytes && !trace->lanes)
		warn(to, "%s: warning: nothing of the trace is read, as its bytes stand in front of the record that says of which kind they are "
			 "(AUXTRACE_INFO): a file can be read in any order, so write the pipe into one first", path);
	if (trace->decoded && trace->gaps)
		warn(to, "%s: warning: damaged: bytes of the trace are missing at %" PRIu64 " place%s, and what ran up to the next one where reading can begin "
			 "is left out", path, trace->gaps, plural(trace->gaps));
	if (trace->decoded && trace->bad_bytes)
		warn(to, "%s: warning: damaged: %" PRIu64 " byte%s of the trace %s left out: in no packet, or behind such a byte, before the next place "
			 "where reading can begin", path, trace->bad_bytes, plural(trace->bad_bytes), trace->bad_bytes == 1 ? "is" : "are");
	if (!trace->decoded && (trace->cut || trace->bad_bytes))
		warn(to, "%s: warning: damaged: %" PRIu64 " sampled operation%s of the trace left out, as %s cut or damaged", path, trace->cut,
		     plural(trace->cut), trace->cut == 1 ? "it is" : "they are");
	if (trace->unknown_packets)
		warn(to, "%s: warning: %" PRIu64 " packet%s of unknown kinds in the trace skipped", path, trace->unknown_packets,
		     plural(trace->unknown_packets));
}
