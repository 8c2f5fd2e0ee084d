/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/foreign.h"

#include <stdio.h>
#include <string.h>

#include "src/base/attr.h"
#include "src/base/file.h"

#define WITH_PERF                                                                                  \
	"record with perf: perf record -e cycles:u -j any,u -- PROG, then batconv PROG perf.data " \
	"-o prog.fdata"
#define WITH_RECORDING                                                                             \
	"batconv PROG perf.data -o prog.fdata, with the perf.data that it was made from"

/* What a file begins with.  at: where in the file. */
static const struct {
	struct foreign foreign;
	const char *bytes;
	size_t at;
} beginnings[] = {
	{{"an archive of perf archive (binaries by their build-ids)",
	  "unpack it with tar -xf into DIR, and give --debug-dir=DIR with the perf.data"},
	 ".build-id/",
	 0},
	{{"a tar archive", "unpack it with tar -xf, and inspect the files"}, "ustar", 257},
	{{"a file compressed with bzip2 (perf archive writes such)",
	  "unpack it with bunzip2, and inspect the result"},
	 "BZh",
	 0},
	{{"a profile of callgrind (valgrind)", WITH_PERF}, "# callgrind format", 0},
	{{"a profile of callgrind (valgrind)", WITH_PERF}, "version: 1\ncreator: callgrind", 0},
	{{"a profile of cachegrind (valgrind)", WITH_PERF}, "desc: I1 cache", 0},
	{{"metadata of a CTF trace", WITH_RECORDING}, "/* CTF 1.", 0},
	{{"metadata of a CTF trace", WITH_RECORDING}, "\x57\x1d\xd1\x75", 0},
	{{"a stream of a CTF trace", WITH_RECORDING}, "\xc1\x1f\xfc\xc1", 0},
	{{"a report of simpleperf", "simpleperf's perf.data: batconv PROG perf.data -o prog.fdata"},
	 "Cmdline: ",
	 0},
	{{"counts of gcov (.gcda)", "-fprofile-use of gcc; for BOLT " WITH_PERF},
	 "adcg",
	 0},
	{{"notes of gcov (.gcno)", "an input of gcov; for BOLT " WITH_PERF}, "oncg", 0},
	{{"text of gcov", WITH_PERF}, "        -:    0:Source:", 0},
	{{"a profile of gprof (gmon.out)", WITH_PERF}, "gmon", 0},
	{{"a profile of speedscope (JSON)", WITH_RECORDING},
	 "https://www.speedscope.app/",
	 SIZE_MAX},
	{{"a trace for Chrome or Perfetto (JSON)", WITH_RECORDING}, "\"traceEvents\"", SIZE_MAX},
	{{"JSON of perf data convert", WITH_RECORDING}, "\"linux-perf-json-version\"", SIZE_MAX},
	{{"a trace of ftrace", WITH_PERF}, "# tracer: ", 0},
	{{"a trace of trace-cmd", WITH_PERF}, "\x17\x08\x44tracing", 0},
	{{"a recording of Java's Flight Recorder", WITH_PERF}, "FLR", 0},
};

static bool begins(struct text start, size_t i)
{
	size_t length = text_of(beginnings[i].bytes).len;

	if (beginnings[i].at != SIZE_MAX)
		return text_starts(text_from(start, beginnings[i].at), beginnings[i].bytes);
	if (!text_starts(text_trim(start), "{") && !text_starts(text_trim(start), "["))
		return false;
	for (struct text rest = start; rest.len >= length; rest = text_from(rest, 1))
		if (text_starts(rest, beginnings[i].bytes))
			return true;
	return false;
}

/* ---- text ---- */

/* @[frame+1 ... or @name[...]: 12, as bpftrace prints its maps; lines of other output can come
 * before. */
static bool is_bpftrace(struct text rest)
{
	struct text line;

	while (text_line(&rest, &line))
		if (text_starts(line, "@") &&
		    (text_find(line, '[') < line.len || text_find(line, ':') < line.len))
			return true;
		else if (line.len && !text_starts(line, "Attach"))
			return false;
	return false;
}

/* A number, or a time of day. */
static bool is_number(struct text word)
{
	size_t i = 0;

	while (i < word.len && memchr("0123456789.:", word.at[i], 12))
		i++;
	return i && i == word.len;
}

static bool is_name(struct text word)
{
	size_t i = 0;

	while (i < word.len && (word.at[i] == '_' || (word.at[i] >= 'a' && word.at[i] <= 'z') ||
				(word.at[i] >= '0' && word.at[i] <= '9')))
		i++;
	return i && i == word.len;
}

/* execve("/bin/true", ["true"], 0x7ffd) = 0, which a process id and a time can precede */
static bool is_strace(struct text rest)
{
	struct text line = {0}, word;

	(void)!text_line(&rest, &line);
	do
		word = text_word(&line);
	while (is_number(word));
	size_t open = text_find(word, '(');
	return open < word.len && is_name(text_first(word, open)) &&
	       text_find(line, '=') < line.len;
}

static const struct {
	struct foreign foreign;
	bool (*is)(struct text start);
} texts[] = {
	{{"a print of maps by bpftrace", WITH_PERF}, is_bpftrace},
	{{"a trace of strace or ltrace", WITH_PERF}, is_strace},
};

const struct foreign *foreign_of(struct text start)
{
	for (size_t i = 0; i < BC_COUNT(beginnings); i++)
		if (begins(start, i))
			return &beginnings[i].foreign;
	for (size_t i = 0; i < BC_COUNT(texts); i++)
		if (texts[i].is(text_trim(start)))
			return &texts[i].foreign;
	return NULL;
}

const struct foreign *foreign_folder(const char *path)
{
	static const struct foreign ctf = {"a CTF trace (perf data convert --to-ctf, LTTng)",
					   WITH_RECORDING};
	char file[4096], start[8];
	struct bc_error ignored;
	size_t size;

	snprintf(file, sizeof(file), "%s/metadata", path);
	if (!file_peek(file, start, sizeof(start), &size, &ignored))
		return NULL;
	struct text text = {start, size};
	return text_starts(text, "/* CTF") || text_starts(text, "\x57\x1d\xd1\x75") ? &ctf : NULL;
}
