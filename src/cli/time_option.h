/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Times on the command line, the same for every command. */
#ifndef CLI_TIME_OPTION_H
#define CLI_TIME_OPTION_H

#include "src/cli/options.h"

/* Reads a decimal number, with or without a fraction, in seconds (as perf script prints times) or
 * in the unit that follows it: s, ms, us or ns.  The result must be whole nanoseconds, and below
 * 2^64. */
bool time_parse(struct text text, uint64_t *ns);

/* The same into a struct number. */
option_reader option_time;

/* For messages and help: what an option takes that is read so. */
#define TIME_TAKES "seconds, or a number and s, ms, us or ns"
#define TIME_HELP "in seconds, or with a unit: 12.5, 12500ms (s, ms, us, ns)"

#endif
