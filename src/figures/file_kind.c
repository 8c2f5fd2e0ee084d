/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/file_kind.h"

#include <string.h>

#include "src/samples/bcmaps.h"
#include "src/samples/maps_text.h"
#include "src/base/attr.h"
#include "src/base/sparse.h"
#include "src/elf/notes.h"
#include "src/samples/line.h"
#include "src/figures/foreign.h"

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
	[FILE_FOLDER] = "directory",
};

const char *file_kind_name(enum file_kind kind)
{
	return names[kind];
}

static const struct magic {
	const char *bytes;
	enum file_kind kind;
} magics[] = {
	{"\177ELF", FILE_BINARY},        {"PERFILE2", FILE_SAMPLES},       {"2ELIFREP", FILE_SAMPLES},
	{"PERFFILE", FILE_SAMPLES},      {"SIMPLEPERF", FILE_SAMPLES},     {"PERFTEXT", FILE_SAMPLES},
	{BCMAPS_MAGIC, FILE_BCMAPS},     {"boltedcollection\n", FILE_FDATA}, {"no_lbr", FILE_FDATA},
	{"# batconv-maps", FILE_MAPS},   {"<!doctype html", FILE_PAGE},      {"<!DOCTYPE html", FILE_PAGE},
	{"\033[0;40m", FILE_HEAT},       {"# To display the perf.data header info", FILE_PERF_TEXT},
	{" Percent |", FILE_PERF_TEXT},  {"batconv-rings ", FILE_RINGS},
	/* LLVM's profiles: raw, indexed, of samples (SPROF42, and its number as ULEB128). */
	{"\x81rforpl\xff", FILE_COMPILER}, {"\xfflprofi\x81", FILE_COMPILER},
	{"\x84\xe4\xd0\xb1\xf4\xc9\x94\xa8S", FILE_COMPILER}, {"\xff\xe5\xd0\xb1\xf4\xc9\x94\xa8S", FILE_COMPILER},
};

/* 1 NAME 1a 1 NAME 2b MISPREDICTIONS COUNT; a symbol is 0, 1, 3 or 4. */
static bool is_fdata_line(struct text line)
{
	struct text kind = text_word(&line), name = text_word(&line), offset = text_word(&line);
	struct text second = text_word(&line);
	uint64_t number;

	return kind.len == 1 && text_find(text_of("0134"), *kind.at) < 4 && name.len && text_hex(offset, &number) &&
	       second.len == 1 && text_dec(second, &number);
}

/* 7f0000001000-7f0000002000 r-xp ... */
static bool is_maps_line(struct text line)
{
	size_t dash = text_find(line, '-');
	uint64_t number;

	return dash < line.len && text_hex(text_first(line, dash), &number) && line.len > dash + 5 &&
	       text_find(line, ' ') > dash + 1 && text_find(line, ' ') < line.len;
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
	       text_hex(text_first(text_from(line, dash + 1), colon - dash - 1), &number) && is_number(text_from(line, colon + 1));
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
	return before > 1 && is_number(text_from(first, last)) && is_number(text_first(text_from(first, before), last - 1 - before)) &&
	       text_line(&rest, &line) && text_starts(line, " ");
}

/* TIME p77, or without a process TIME, and then "  0x401000         /srv/prog+0x1000" */
static bool is_resolved(struct text first, struct text rest)
{
	struct text line = {0}, time = text_word(&first), map = text_word(&first);
	uint64_t number;

	if (!is_number(time) || (map.len && *map.at != 'p' && *map.at != 'm') || !text_line(&rest, &line) || !text_starts(line, "  0x"))
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
	struct text frames = text_first(line, last - 1), offset = text_from(frames, text_find(frames, '+'));
	size_t place = frames.len;
	uint64_t number;

	if (text_find(frames, ';') < frames.len || (text_starts(offset, "+0x") && text_hex(text_from(offset, 3), &number)))
		return true;
	while (place && frames.at[place - 1] != ':')
		place--;
	return place && text_ends(frames, ")") && is_number(text_first(text_from(frames, place), frames.len - place - 1));
}

/* main 12: a stack of one frame, whose name alone does not tell that it is one.  Two such lines do: is_folded_names(). */
static bool is_named_count(struct text line)
{
	struct text name = text_word(&line);
	uint64_t number;

	return name.len && !text_hex(name, &number) && is_number(text_trim(line));
}

static bool is_folded_names(struct text first, struct text rest)
{
	struct text line;

	return is_named_count(first) && text_line(&rest, &line) && (is_named_count(line) || is_folded(line));
}

/* Finds the kind of a text by its first line that is no comment. */
static enum file_kind kind_of_text(struct text rest)
{
	struct text line;

	if (text_starts(rest, "Performance counter stats for "))
		return FILE_PERF_TEXT;
	while (text_line(&rest, &line)) {
		line = text_trim(line);
		if (!line.len || text_starts(line, "#"))
			continue;
		return is_fdata_line(line)   ? FILE_FDATA
		       : is_maps_line(line)  ? FILE_MAPS
		       : line_is_raw_stack(line) ? FILE_STACKS
		       : is_resolved(line, rest) || is_folded(line) || is_folded_names(line, rest) ? FILE_RESOLVED
		       : is_ranges(line, rest) ? FILE_RANGES
		       : is_compiler_profile(line, rest) ? FILE_COMPILER
		       : text_starts(line, "layout ") && text_find(line, ':') < line.len ? FILE_LISTING
					     : FILE_UNKNOWN;
	}
	return FILE_UNKNOWN;
}

/* Is it a pprof profile: a message whose first field, sample_type, is a message? */
static bool is_pprof(struct text start)
{
	return start.len > 4 && start.at[0] == 0x0a && start.at[2] == 0x08;
}

static bool is_yaml(struct text start)
{
	struct text first = {0}, second = {0};

	return text_line(&start, &first) && text_is(text_trim(first), "---") && text_line(&start, &second) &&
	       text_is(text_trim(second), "header:");
}

enum file_kind file_kind_of(struct text start)
{
	if (!start.len)
		return FILE_EMPTY;
	for (size_t i = 0; i < BC_COUNT(magics); i++)
		if (text_starts(start, magics[i].bytes))
			return magics[i].kind;
	if (sparse_is((const uint8_t *)start.at, start.len))
		return FILE_SIDE;
	if (bat_note_is_bare((struct bytes){(const uint8_t *)start.at, start.len}))
		return FILE_NOTE;
	if (is_pprof(start))
		return FILE_PPROF;
	if (foreign_of(start))
		return FILE_FOREIGN;
	struct text trimmed = text_trim(start);
	if (text_starts(trimmed, "{"))
		return FILE_JSON;
	return is_yaml(trimmed) ? FILE_YAML : kind_of_text(trimmed);
}
