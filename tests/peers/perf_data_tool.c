/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The reader of perf.data and the files of perf_cases.h, for perf_data_vs_perf.sh:
 *
 *   --cases          names of the files
 *   --build CASE     writes one of them to stdout
 *   --dump FILE...   prints what the reader delivers (FILE data.0 ... of a directory)
 *   --flow FILE...   with the branch outcomes of traces
 */
#include <string.h>

#include "src/samples/perf_data/perf_data.h"
#include "tests/support/perf_cases.h"
#include "tests/support/perf_log.h"

static int print_cases(void)
{
	for (size_t i = 0; i < PERF_CASES; i++)
		puts(perf_cases[i].name);
	return 0;
}

static int write_case(const char *name)
{
	for (size_t i = 0; i < PERF_CASES; i++) {
		if (strcmp(perf_cases[i].name, name))
			continue;
		struct build_perf b = {0};
		perf_case_build(&perf_cases[i], &b);
		bool ok = fwrite(b.data, 1, b.size, stdout) == b.size;
		build_perf_free(&b);
		return !ok;
	}
	fprintf(stderr, "no case %s\n", name);
	return 2;
}

static int dump(char **paths, int count, bool with_flow)
{
	struct file_stream streams[64];
	const struct event_sink sink = {stdout, perf_log_event};
	struct reader_report report = {0};
	struct bc_error err;

	for (int i = 0; i < count; i++)
		if (i == 64 || !stream_open(paths[i], &streams[i], &err))
			return 2;
	struct perf_data_input input = {
		.stream = streams, .more = streams + 1, .more_count = (size_t)count - 1};
	const struct flow_taker flow = {stdout, perf_log_flow, NULL};
	if (with_flow)
		input.flow = &flow;
	bool ok = perf_data_read(&input, &sink, &report, &err);
	if (!ok)
		fprintf(stderr, "%s\n", err.text);
	for (int i = 0; i < count; i++)
		stream_close(&streams[i]);
	return !ok;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--cases"))
		return print_cases();
	if (argc == 3 && !strcmp(argv[1], "--build"))
		return write_case(argv[2]);
	if (argc > 2 && !strcmp(argv[1], "--dump"))
		return dump(argv + 2, argc - 2, false);
	if (argc > 2 && !strcmp(argv[1], "--flow"))
		return dump(argv + 2, argc - 2, true);
	fputs("usage: perf_data_tool --cases | --build CASE | --dump FILE... | --flow FILE...\n",
	      stderr);
	return 2;
}
