/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The binary that llvm-bolt is to read with a profile, and what it cannot do with it: for people
 * and as JSON.
 */
#ifndef CLI_BOLT_READS_H
#define CLI_BOLT_READS_H

#include "src/flow/conversion.h"
#include "src/elf/bolt_input.h"
#include "src/base/json.h"

struct bolt_reads {
	const char *path; /* NULL: not known, as the input of a BOLTed binary was not given */
	struct bolt_input input;
};

/* ... with the profile of a conversion that is open. */
struct bolt_reads bolt_reads_of(const struct conversion *conversion);

/* Each limit. */
typedef void bolt_limit_fn(void *ctx, const char *path, const char *text);
void bolt_reads_each(const struct bolt_reads *reads, bolt_limit_fn *each, void *ctx);

/* The object of this key; nothing where no file is known. */
void bolt_reads_json(const struct bolt_reads *reads, struct json *json, const char *key);

#endif
