/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a file is, by how it begins. */
#ifndef FIGURES_FILE_KIND_H
#define FIGURES_FILE_KIND_H

#include "src/base/file.h"
#include "src/base/text.h"

enum file_kind {
	FILE_UNKNOWN, /* only a whole file may show text of perf script and pre-aggregated records */
	FILE_BINARY,  /* ELF */
	FILE_SIDE,    /* a side file (sparse.h) */
	FILE_NOTE,    /* a BAT's note alone */
	FILE_SAMPLES, /* perf.data, or perf2bolt's text */
	FILE_FDATA,
	FILE_YAML,
	FILE_BCMAPS,
	FILE_MAPS,    /* maps as text */
	FILE_STACKS,  /* raw call stacks */
	FILE_RESOLVED, /* what `stacks` prints, as text or folded */
	FILE_JSON,
	FILE_PPROF,
	FILE_RANGES,   /* what llvm-profgen reads: --format=profgen */
	FILE_COMPILER, /* a profile for the compiler */
	FILE_PAGE,     /* HTML, as of `report` */
	FILE_HEAT,     /* a picture of `heatmap` */
	FILE_LISTING,  /* text of `dump` */
	FILE_RINGS,    /* saved rings, of `record` */
	FILE_PERF_TEXT, /* what perf report, annotate or stat print */
	FILE_FOREIGN,   /* of another program: foreign.h */
	FILE_EMPTY,
	FILE_FOLDER,   /* a directory that is no recording */
	FILE_KIND_COUNT,
};

/* So much of a file is enough. */
#define FILE_KIND_LOOK ((size_t)4096)

/* start: its first bytes, decompressed; size < FILE_KIND_LOOK: all of it.  Never FILE_FOLDER. */
enum file_kind file_kind_of(struct text start);

/* "profile (fdata)" and the like */
const char *file_kind_name(enum file_kind kind);

#endif
