/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The text that perf2bolt 23 makes with --profile-format=perfscript and reads
 * with -ps: what several runs of perf script printed, one behind the other,
 * with a head that says how long each is, in hexadecimal:
 *
 *   PERFTEXT;BUILDIDS=12c;MMAP=937f1;MAIN=5aec9a;TASK=9350a;MEM=0;
 *
 * MMAP and TASK have the records of mappings and processes with their times, and
 * samples among them, which are not used.  MAIN has the samples, without times.
 */
#ifndef EVENT_PERF_SCRIPT_PERF_TEXT_H
#define EVENT_PERF_SCRIPT_PERF_TEXT_H

#include "src/base/lines.h"
#include "src/event/perf_script/perf_script.h"

#define PERF_TEXT_MAGIC "PERFTEXT;"

/* Read such a text to its end: first all records, by time, then the samples.
 * Those are held until then, as the records of processes stand behind them.
 *
 * BC_FORMAT: a head that cannot be read, or what perf_script_line() finds
 * BC_NOMEM, BC_IO */
BC_MUST_USE bool perf_text_lines(struct perf_script *script, struct lines *lines,
				 struct bc_error *err);

#endif
