/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a file is, by how it begins: of all that batconv, BOLT and perf read or write, and of what
 * other tools write.  Each kind is a row, with what a file of it begins with.  A reader says itself
 * what is wrong with a file of its kind: two looser questions, for readers of profiles and of
 * samples, take what is only meant to be of one of theirs.
 */
#ifndef SAMPLES_FILE_KIND_H
#define SAMPLES_FILE_KIND_H

#include "src/base/file.h"
#include "src/samples/text_blocks.h"
#include "src/samples/read_options.h"

enum file_kind {
	FILE_UNKNOWN, /* only a whole file may show text of perf script and pre-aggregated records
		       */
	FILE_BINARY,  /* ELF */
	FILE_SIDE,    /* a side file (sparse.h) */
	FILE_NOTE,    /* a BAT's note alone */
	FILE_SAMPLES, /* perf.data, or perf2bolt's text */
	FILE_FDATA,
	FILE_YAML,
	FILE_BCMAPS,
	FILE_MAPS,     /* maps as text */
	FILE_STACKS,   /* raw call stacks */
	FILE_RESOLVED, /* what `stacks` prints, as text or folded */
	FILE_JSON,
	FILE_PPROF,
	FILE_RANGES,    /* what llvm-profgen reads: --format=profgen */
	FILE_COMPILER,  /* a profile for the compiler */
	FILE_PAGE,      /* HTML, as of `report` */
	FILE_HEAT,      /* a picture of `heatmap` */
	FILE_LISTING,   /* text of `dump` */
	FILE_RINGS,     /* saved rings, of `record` */
	FILE_PERF_TEXT, /* what perf report, annotate or stat print */
	FILE_FOREIGN,   /* of another program, which nothing here reads */
	FILE_EMPTY,
	FILE_SHARDS, /* a directory of shards, which represents these */
	FILE_FOLDER, /* a directory that is neither this nor a recording */
	FILE_KIND_COUNT,
};

/* A file of another profiler or tool. */
struct foreign {
	const char *noun;    /* "a profile of callgrind (valgrind)" */
	const char *instead; /* what to do */
};

/* So much of a file is enough. */
#define FILE_KIND_LOOK ((size_t)4096)

/* start: its first bytes, decompressed; size < FILE_KIND_LOOK: all of it.  Never a
 * directory.  *foreign: of FILE_FOREIGN, else NULL; foreign itself can be NULL. */
enum file_kind file_kind_of(struct text start, const struct foreign **foreign);

/* The same of a directory; NULL: it is none of another program. */
const struct foreign *foreign_folder(const char *path);

/* "profile (fdata)" and the like; "a profile (fdata)", "a heat map", for a sentence */
const char *file_kind_name(enum file_kind kind);
const char *file_kind_noun(enum file_kind kind);

/* ---- for readers of profiles ---- */

enum profile_kind {
	KIND_NOTHING, /* no byte, or only comments: fits all others */
	KIND_FDATA,
	KIND_YAML,
	KIND_PREAGG,
};

/* The kind that a profile which begins so is meant to be of.  KIND_NOTHING: of none */
enum profile_kind file_kind_of_profile(struct text start);

/* ---- for readers of samples ---- */

/* Binary formats of samples are recognized by so many bytes. */
#define SAMPLES_MAGIC_MOST ((size_t)16)

/* By these bytes.  INPUT_AUTO: it is text, or no samples */
enum input_format samples_format_of(struct text start);

/* By the first lines of a text.  whole: it is all of the file, else its last line may be cut and is
 * left out. *first: file is set; gets the first line that is no comment, with number 0 if there is
 * none.  INPUT_AUTO: no samples */
enum input_format samples_format_of_text(struct text start, bool whole, struct line *first);

/* The number of the line, of the first ones, that shows that the text is a dump of perf script -D;
 * 0: none does.  Some lines of such a dump look like samples. */
uint64_t samples_dump_line(struct text start, bool whole);

#endif
