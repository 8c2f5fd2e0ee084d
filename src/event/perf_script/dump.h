/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Text of perf script -D (or perf report -D): each record as bytes, then as words.
 *
 *   0x490@perf.data [0x40]: event: 9
 *   . ... raw event: size 64 bytes
 *   1 14697900391567 0x490 [0x40]: PERF_RECORD_SAMPLE(IP, 0x2): 7/7: 0x7fb3e215e120 period: 1 addr: 0
 *
 * It is no input: what perf prints without -D stands between the dumps.
 */
#ifndef PERF_SCRIPT_DUMP_H
#define PERF_SCRIPT_DUMP_H

#include "src/base/text.h"

/* The message: what the input is, and what to give instead. */
#define PERF_DUMP_WHY \
	"perf script -D printed this, a dump of records: give the recording itself, or what " \
	"perf script --show-mmap-events prints"

/* Is a line one of such a dump, and of nothing else? */
bool perf_dump_fits(struct text line);

#endif
