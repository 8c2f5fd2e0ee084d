/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A BAT section for people and scripts to read. */
#ifndef FIGURES_DUMP_H
#define FIGURES_DUMP_H

#include <stdio.h>

#include "src/elf/binary.h"

struct dump {
	const struct binary *subject;
	const char *only; /* functions of this name, with or without /file/N; or NULL */
	bool has_address; /* or the one that holds this address */
	uint64_t address;
	bool demangled;
};

/* Is this fragment to be shown? */
bool dump_shows(const struct dump *dump, uint32_t fragment);

/* Functions by name, each with its fragments and their entries.  False: no memory. */
bool dump_text(const struct dump *dump, FILE *out);

/* docs/schema/bat.schema.json; batconv encode reads it. */
void dump_json(const struct dump *dump, FILE *out);

/* Every stored field with its offset. */
bool dump_raw(const struct dump *dump, FILE *out);

/* Layout, counts, what takes the bytes.  False: no memory. */
bool dump_summary_text(const struct dump *dump, FILE *out);
bool dump_summary_json(const struct dump *dump, FILE *out);

/* Where an address of the output binary lies in the input binary.  False: in no
 * mapped fragment. */
bool dump_translate(const struct dump *dump, uint64_t address, FILE *out);

#endif
