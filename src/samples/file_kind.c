/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/file_kind.h"

#include <stdio.h>
#include <string.h>

#include "src/base/sparse.h"
#include "src/elf/notes.h"
#include "src/samples/bcmaps.h"
#include "src/samples/perf_script/perf_script.h"
#include "src/samples/preagg_read.h"

static const char *const names[FILE_KIND_COUNT] = {
	[FILE_UNKNOWN] = "unknown",
	[FILE_BINARY] = "binary",
	[FILE_SIDE] = "side file",
	[FILE_NOTE] = "BAT note",
	[FILE_SAMPLES] = "recording",
	[FILE_FDATA] = "profile (fdata)",
	[FILE_YAML] = "profile (YAML)",
	[FILE_BCMAPS] = "maps (.bcmaps)",
	[FILE_MAPS] = "maps (text)",
	[FILE_STACKS] = "raw call stacks",
	[FILE_RESOLVED] = "resolved call stacks",
	[FILE_JSON] = "JSON",
	[FILE_PPROF] = "pprof profile",
	[FILE_RANGES] = "ranges for llvm-profgen",
	[FILE_COMPILER] = "profile for the compiler",
	[FILE_PAGE] = "page (HTML)",
	[FILE_HEAT] = "heat map",
	[FILE_LISTING] = "table (text)",
	[FILE_RINGS] = "saved rings",
	[FILE_PERF_TEXT] = "text of perf report, annotate or stat",
	[FILE_FOREIGN] = "file of another program",
	[FILE_EMPTY] = "empty file",
	[FILE_SHARDS] = "directory of shards",
	[FILE_FOLDER] = "directory",
};

const char *file_kind_name(enum file_kind kind)
{
	return names[kind];
}

static const char *const nouns[FILE_KIND_COUNT] = {
	[FILE_UNKNOWN] = "text or data of another kind",
	[FILE_BINARY] = "a binary",
	[FILE_SIDE] = "a side file of a binary",
	[FILE_NOTE] = "a BAT section alone",
	[FILE_SAMPLES] = "a recording",
	[FILE_FDATA] = "a profile (fdata)",
	[FILE_YAML] = "a profile (YAML)",
	[FILE_BCMAPS] = "a file of maps",
	[FILE_MAPS] = "a file of maps",
	[FILE_STACKS] = "a file of raw call stacks",
	[FILE_RESOLVED] = "a list of resolved call stacks (batconv stacks)",
	[FILE_JSON] = "a JSON file",
	[FILE_PPROF] = "a profile of pprof",
	[FILE_RANGES] = "a profile for llvm-profgen (--format=profgen)",
	[FILE_COMPILER] = "a profile for the compiler",
	[FILE_PAGE] = "a page (HTML)",
	[FILE_HEAT] = "a heat map",
	[FILE_LISTING] = "a table as text",
	[FILE_RINGS] = "a file of saved rings (batconv record --save-rings)",
	[FILE_PERF_TEXT] = "what perf report, annotate or stat prints",
	[FILE_FOREIGN] = "a file of another program", /* its row says of which */
	[FILE_EMPTY] = "empty",
	[FILE_SHARDS] = "a directory of shards",
	[FILE_FOLDER] = "a directory",
};

const char *file_kind_noun(enum file_kind kind)
{
	return nouns[kind];
}

/* ---- kinds that a few bytes do not show ---- */

/* 1 NAME 1a 1 NAME 2b MISPREDICTIONS COUNT; a symbol is 0, 1, 3 or 4. */
static bool is_fdata_line(struct text line, struct text rest)
{
	struct text kind = text_word(&line), name = text_word(&line), offset = text_word(&line);
	struct text second = text_word(&line);
	uint64_t number;

	(void)rest;
	return kind.len == 1 && text_find(text_of("0134"), *kind.at) < 4 && name.len &&
	       text_hex(offset, &number) && second.len == 1 && text_dec(second, &number);
}

/* 7f0000001000-7f0000002000 r-xp ... */
static bool is_maps_line(struct text line, struct text rest)
{
	size_t dash = text_find(line, '-');
	uint64_t number;

	(void)rest;
	return dash < line.len && text_hex(text_first(line, dash), &number) &&
	       line.len > dash + 5 && text_find(line, ' ') > dash + 1 &&
	       text_find(line, ' ') < line.len;
}

static bool is_number(struct text word)
{
	uint64_t number;

	return text_dec(word, &number);
}

/* 14, and then 190-1bc:246666 */
static bool is_ranges(struct text first, struct text rest)
{
	struct text line = {0};
	uint64_t number;

	if (!is_number(first) || !text_line(&rest, &line))
		return false;
	size_t dash = text_find(line, '-'), colon = text_find(line, ':');
	return dash < colon && colon < line.len && text_hex(text_first(line, dash), &number) &&
	       text_hex(text_first(text_from(line, dash + 1), colon - dash - 1), &number) &&
	       is_number(text_from(line, colon + 1));
}

/* main:184019:0, and then " 4: 534" */
static bool is_compiler_profile(struct text first, struct text rest)
{
	struct text line = {0};
	size_t last = first.len, before;

	while (last && first.at[last - 1] != ':')
		last--;
	for (before = last ? last - 1 : 0; before && first.at[before - 1] != ':'; before--)
		;
	return before > 1 && is_number(text_from(first, last)) &&
	       is_number(text_first(text_from(first, before), last - 1 - before)) &&
	       text_line(&rest, &line) && text_starts(line, " ");
}

/* TIME p77, or without a process TIME, and then "  0x401000         /srv/prog+0x1000" */
static bool is_frames(struct text first, struct text rest)
{
	struct text line = {0}, time = text_word(&first), map = text_word(&first);
	uint64_t number;

	if (!is_number(time) || (map.len && *map.at != 'p' && *map.at != 'm') ||
	    !text_line(&rest, &line) || !text_starts(line, "  0x"))
		return false;
	struct text address = text_word(&line);
	return text_hex(text_from(address, 2), &number) && text_trim(line).len;
}

/* main;inner 12, or of one frame prog+0x1000 12, main (main.c:7) 12 */
static bool is_folded(struct text line)
{
	size_t last = line.len;

	while (last && line.at[last - 1] != ' ')
		last--;
	if (!last || !is_number(text_from(line, last)))
		return false;
	struct text frames = text_first(line, last - 1),
		    offset = text_from(frames, text_find(frames, '+'));
	size_t place = frames.len;
	uint64_t number;

	if (text_find(frames, ';') < frames.len ||
	    (text_starts(offset, "+0x") && text_hex(text_from(offset, 3), &number)))
		return true;
	while (place && frames.at[place - 1] != ':')
		place--;
	return place && text_ends(frames, ")") &&
	       is_number(text_first(text_from(frames, place), frames.len - place - 1));
}

/* main 12: a stack of one frame, whose name alone does not show that it is one.  Two such lines do:
 * is_folded_names(). */
static bool is_named_count(struct text line)
{
	struct text name = text_word(&line);
	uint64_t number;

	return name.len && !text_hex(name, &number) && is_number(text_trim(line));
}

static bool is_folded_names(struct text first, struct text rest)
{
	struct text line;

	return is_named_count(first) && text_line(&rest, &line) &&
	       (is_named_count(line) || is_folded(line));
}

static bool is_resolved(struct text first, struct text rest)
{
	return is_frames(first, rest) || is_folded(first) || is_folded_names(first, rest);
}

static bool is_raw_stack(struct text line, struct text rest)
{
	(void)rest;
	return line_is_raw_stack(line);
}

static bool is_listing(struct text line, struct text rest)
{
	(void)rest;
	return text_starts(line, "layout ") && text_find(line, ':') < line.len;
}

/* @[frame+1 ... or @name[...]: 12, as bpftrace prints its maps; lines of other output can come
 * before. */
static bool is_bpftrace(struct text rest)
{
	struct text line;

	rest = text_trim(rest);
	while (text_line(&rest, &line))
		if (text_starts(line, "@") &&
		    (text_find(line, '[') < line.len || text_find(line, ':') < line.len))
			return true;
		else if (line.len && !text_starts(line, "Attach"))
			return false;
	return false;
}

/* A number, or a time of day. */
static bool is_time(struct text word)
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

	rest = text_trim(rest);
	(void)!text_line(&rest, &line);
	do
		word = text_word(&line);
	while (is_time(word));
	size_t open = text_find(word, '(');
	return open < word.len && is_name(text_first(word, open)) &&
	       text_find(line, '=') < line.len;
}

/* A pprof profile: a message whose first field, sample_type, is a message. */
static bool is_pprof(struct text start)
{
	return start.len > 4 && start.at[0] == 0x0a && start.at[2] == 0x08;
}

static bool is_side(struct text start)
{
	return sparse_is((const uint8_t *)start.at, start.len);
}

static bool is_note(struct text start)
{
	return bat_note_is_bare((struct bytes){(const uint8_t *)start.at, start.len});
}

static bool is_json(struct text start)
{
	return text_starts(text_trim(start), "{");
}

static bool is_perf_stat(struct text start)
{
	return text_starts(text_trim(start), "Performance counter stats for ");
}

static bool is_yaml(struct text start)
{
	struct text first = {0}, second = {0};

	start = text_trim(start);
	return text_line(&start, &first) && text_is(text_trim(first), "---") &&
	       text_line(&start, &second) && text_is(text_trim(second), "header:");
}

/* ---- the rows ---- */

#define WITH_PERF                                                                                  \
	"record with perf: perf record -e cycles:u -j any,u -- PROG, "                             \
	"then batconv BINARY perf.data -o prog.fdata"
#define WITH_RECORDING                                                                             \
	"batconv BINARY perf.data -o prog.fdata, with the perf.data that it was made from"

#define IN_JSON SIZE_MAX

/* Files are of the first row that fits. */
static const struct row {
	enum file_kind kind;
	const char *bytes; /* what it begins with; NULL: `is` shows */
	size_t at;         /* where these bytes are; IN_JSON: anywhere in a file of JSON */
	bool (*is)(struct text start);
	enum input_format format; /* of FILE_SAMPLES */
	struct foreign foreign;   /* of FILE_FOREIGN */
} rows[] = {
	{FILE_BINARY, .bytes = "\177ELF"},
	{FILE_SAMPLES, .bytes = "PERFILE2", .format = INPUT_PERF_DATA},
	{FILE_SAMPLES, .bytes = "2ELIFREP",
	 .format = INPUT_PERF_DATA}, /* of the other byte order */
	{FILE_SAMPLES, .bytes = "PERFFILE", .format = INPUT_PERF_DATA},
	{FILE_SAMPLES, .bytes = "SIMPLEPERF", .format = INPUT_PERF_DATA},
	{FILE_SAMPLES, .bytes = PERF_TEXT_MAGIC, .format = INPUT_PERF_SCRIPT},
	{FILE_BCMAPS, .bytes = BCMAPS_MAGIC},
	{FILE_FDATA, .bytes = "boltedcollection\n"},
	{FILE_FDATA, .bytes = "no_lbr"},
	{FILE_MAPS, .bytes = "# batconv-maps"},
	{FILE_PAGE, .bytes = "<!doctype html"},
	{FILE_PAGE, .bytes = "<!DOCTYPE html"},
	{FILE_HEAT, .bytes = "\033[0;40m"},
	{FILE_PERF_TEXT, .bytes = "# To display the perf.data header info"},
	{FILE_PERF_TEXT, .bytes = " Percent |"},
	{FILE_RINGS, .bytes = "batconv-rings "},
	/* LLVM's profiles: raw, indexed, of samples (SPROF42, and its number as ULEB128). */
	{FILE_COMPILER, .bytes = "\x81rforpl\xff"},
	{FILE_COMPILER, .bytes = "\xfflprofi\x81"},
	{FILE_COMPILER, .bytes = "\x84\xe4\xd0\xb1\xf4\xc9\x94\xa8S"},
	{FILE_COMPILER, .bytes = "\xff\xe5\xd0\xb1\xf4\xc9\x94\xa8S"},
	{FILE_SIDE, .is = is_side},
	{FILE_NOTE, .is = is_note},
	{FILE_PPROF, .is = is_pprof},
	{FILE_FOREIGN, .bytes = ".build-id/",
	 .foreign =
		 {"an archive of perf archive (binaries by their build-ids)",
		  "unpack it with tar -xf into DIR, and give --debug-dir=DIR with the perf.data"}},
	{FILE_FOREIGN, .bytes = "ustar", .at = 257,
	 .foreign = {"a tar archive", "unpack it with tar -xf, and inspect the files"}},
	{FILE_FOREIGN, .bytes = "BZh",
	 .foreign = {"a file compressed with bzip2 (perf archive writes such)",
		     "unpack it with bunzip2, and inspect the result"}},
	{FILE_FOREIGN, .bytes = "# callgrind format",
	 .foreign = {"a profile of callgrind (valgrind)", WITH_PERF}},
	{FILE_FOREIGN, .bytes = "version: 1\ncreator: callgrind",
	 .foreign = {"a profile of callgrind (valgrind)", WITH_PERF}},
	{FILE_FOREIGN, .bytes = "desc: I1 cache",
	 .foreign = {"a profile of cachegrind (valgrind)", WITH_PERF}},
	{FILE_FOREIGN, .bytes = "/* CTF 1.",
	 .foreign = {"metadata of a CTF trace", WITH_RECORDING}},
	{FILE_FOREIGN, .bytes = "\x57\x1d\xd1\x75",
	 .foreign = {"metadata of a CTF trace", WITH_RECORDING}},
	{FILE_FOREIGN, .bytes = "\xc1\x1f\xfc\xc1",
	 .foreign = {"a stream of a CTF trace", WITH_RECORDING}},
	{FILE_FOREIGN, .bytes = "Cmdline: ",
	 .foreign = {"a report of simpleperf",
		     "simpleperf's perf.data: batconv BINARY perf.data -o prog.fdata"}},
	{FILE_FOREIGN, .bytes = "adcg",
	 .foreign = {"counts of gcov (.gcda)", "-fprofile-use of gcc; for BOLT " WITH_PERF}},
	{FILE_FOREIGN, .bytes = "oncg",
	 .foreign = {"notes of gcov (.gcno)", "an input of gcov; for BOLT " WITH_PERF}},
	{FILE_FOREIGN, .bytes = "        -:    0:Source:", .foreign = {"text of gcov", WITH_PERF}},
	{FILE_FOREIGN, .bytes = "gmon", .foreign = {"a profile of gprof (gmon.out)", WITH_PERF}},
	{FILE_FOREIGN, .bytes = "https://www.speedscope.app/", .at = IN_JSON,
	 .foreign = {"a profile of speedscope (JSON)", WITH_RECORDING}},
	{FILE_FOREIGN, .bytes = "\"traceEvents\"", .at = IN_JSON,
	 .foreign = {"a trace for Chrome or Perfetto (JSON)", WITH_RECORDING}},
	{FILE_FOREIGN, .bytes = "\"linux-perf-json-version\"", .at = IN_JSON,
	 .foreign = {"JSON of perf data convert", WITH_RECORDING}},
	{FILE_FOREIGN, .bytes = "# tracer: ", .foreign = {"a trace of ftrace", WITH_PERF}},
	{FILE_FOREIGN, .bytes = "\x17\x08\x44tracing",
	 .foreign = {"a trace of trace-cmd", WITH_PERF}},
	{FILE_FOREIGN, .bytes = "FLR",
	 .foreign = {"a recording of Java's Flight Recorder", WITH_PERF}},
	{FILE_FOREIGN, .is = is_bpftrace, .foreign = {"a print of maps by bpftrace", WITH_PERF}},
	{FILE_FOREIGN, .is = is_strace, .foreign = {"a trace of strace or ltrace", WITH_PERF}},
	{FILE_JSON, .is = is_json},
	{FILE_YAML, .is = is_yaml},
	{FILE_PERF_TEXT, .is = is_perf_stat},
};

static bool has_within(struct text start, const char *bytes)
{
	size_t length = strlen(bytes);

	for (struct text rest = start; rest.len >= length; rest = text_from(rest, 1))
		if (text_starts(rest, bytes))
			return true;
	return false;
}

static bool fits(const struct row *row, struct text start)
{
	if (row->is)
		return row->is(start);
	if (row->at != IN_JSON)
		return text_starts(text_from(start, row->at), row->bytes);
	return (is_json(start) || text_starts(text_trim(start), "[")) &&
	       has_within(start, row->bytes);
}

/* What the first line of a text shows that is no comment. */
static const struct line_row {
	enum file_kind kind;
	bool (*is)(struct text line, struct text rest);
} line_rows[] = {
	{FILE_FDATA, is_fdata_line}, {FILE_MAPS, is_maps_line},
	{FILE_STACKS, is_raw_stack}, {FILE_RESOLVED, is_resolved},
	{FILE_RANGES, is_ranges},    {FILE_COMPILER, is_compiler_profile},
	{FILE_LISTING, is_listing},
};

static enum file_kind kind_of_text(struct text rest)
{
	struct text line;

	while (text_line(&rest, &line)) {
		line = text_trim(line);
		if (!line.len || text_starts(line, "#"))
			continue;
		for (size_t i = 0; i < BC_COUNT(line_rows); i++)
			if (line_rows[i].is(line, rest))
				return line_rows[i].kind;
		return FILE_UNKNOWN;
	}
	return FILE_UNKNOWN;
}

static const struct row *row_of(struct text start)
{
	for (size_t i = 0; i < BC_COUNT(rows); i++)
		if (fits(&rows[i], start))
			return &rows[i];
	return NULL;
}

enum file_kind file_kind_of(struct text start, const struct foreign **foreign)
{
	const struct row *row = row_of(start);

	if (foreign)
		*foreign = row && row->kind == FILE_FOREIGN ? &row->foreign : NULL;
	return !start.len ? FILE_EMPTY : row ? row->kind : kind_of_text(text_trim(start));
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

/* ---- profiles ---- */

/* A digit and a blank: the kind of the first location of a line. */
static bool can_be_fdata(struct text start)
{
	const struct row *row = row_of(start);

	return (row && row->kind == FILE_FDATA) ||
	       (start.len > 1 && start.at[0] >= '0' && start.at[0] <= '5' && start.at[1] == ' ');
}

/* The letter of a record in its first line that is no comment, if it has one. */
static bool can_be_preagg(struct text start)
{
	struct text line;

	while (text_line(&start, &line)) {
		struct text word = text_word(&line);
		if (word.len && !text_starts(word, "#") && !text_starts(word, "//"))
			return word.len == 1 && *word.at && strchr("ESTRBFfr", *word.at);
	}
	return true;
}

enum profile_kind file_kind_of_profile(struct text start)
{
	return text_starts(start, "---") ? KIND_YAML :
	       can_be_fdata(start)       ? KIND_FDATA :
	       can_be_preagg(start)      ? KIND_PREAGG :
					   KIND_NOTHING;
}

/* ---- samples ---- */

enum input_format samples_format_of(struct text start)
{
	const struct row *row = row_of(start);

	return row ? row->format : INPUT_AUTO;
}

/* So many lines are looked at; of a format's votes comments do not count. */
#define LOOK_LINES 64

/* The next line of a text.  Unless the text is whole, its last line may be cut and is left out. */
static bool next_line(struct text *rest, bool whole, struct line *out)
{
	size_t len = text_find(*rest, '\n');

	if (!rest->len || (len == rest->len && !whole))
		return false;
	out->text = text_first(*rest, len);
	out->number++;
	*rest = text_from(*rest, len + 1);
	return true;
}

/* The format that most of the first lines fit.  A line that fits both is one of pre-aggregated
 * records: `T 1 2 3 4` could be a sample of a program called T.  Prose has lines that look like
 * samples: where the first one is none, neither may most of them be. */
enum input_format samples_format_of_text(struct text start, bool whole, struct line *first)
{
	struct line line = *first;
	size_t preagg = 0, damaged = 0, script = 0, looked = 0;
	bool first_fits = false;

	while (looked < LOOK_LINES && next_line(&start, whole, &line)) {
		struct text text = text_trim(line.text);
		if (!text.len || text_starts(text, "#") || text_starts(text, "//"))
			continue;
		if (!looked++)
			*first = line;
		if (line_is_raw_stack(text))
			continue;
		bool is_preagg = preagg_fits(&line),
		     is_script = !is_preagg && perf_script_fits(&line);
		preagg += is_preagg;
		damaged += is_script && preagg_almost_fits(&line);
		script += is_script;
		first_fits |= looked == 1 && (is_preagg || is_script);
	}
	size_t most = script > preagg ? script : preagg;
	if (!most || (!first_fits && 2 * most <= looked))
		return INPUT_AUTO;
	/* "T 10 20 30 x" fits a process "T" of perf script: a damaged record, if all lines are. */
	return script > preagg && damaged < script ? INPUT_PERF_SCRIPT : INPUT_PREAGG;
}

uint64_t samples_dump_line(struct text start, bool whole)
{
	struct line line = {0};

	for (size_t i = 0; i < LOOK_LINES && next_line(&start, whole, &line); i++)
		if (perf_dump_fits(line.text))
			return line.number;
	return 0;
}
