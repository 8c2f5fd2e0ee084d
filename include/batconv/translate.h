/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a profiler needs of a BOLTed program: addresses of it -> the function, the address and the
 * source lines in the binary that llvm-bolt read.
 *
 * A BOLTed binary keeps the names of its functions but splits, copies and moves their code, and
 * keeps the source lines of the input, which are wrong for it, unless llvm-bolt was asked to update
 * them. A translator goes through the translation table to the input and takes the lines from
 * there.
 *
 * One thread at a time may use a translator.  Different translators can be used by different
 * threads.
 */
#ifndef BATCONV_TRANSLATE_H
#define BATCONV_TRANSLATE_H

#include "batconv/resolve.h"

#ifdef __cplusplus
extern "C" {
#endif

struct batconv_translator;

/* Make a translator.
 *
 * bolted   the binary that runs.  One without a table is its own input.
 * input    the binary that llvm-bolt read, or NULL: functions and offsets are known without it,
 *          vaddrs and lines are not
 * lookup   BATCONV_LOOKUP_LINES and BATCONV_LOOKUP_INLINES (resolve.h), for which an input is
 *          needed; or 0. BATCONV_LOOKUP_FUNCTIONS and BATCONV_LOOKUP_INPUT are always looked for,
 *          and can be given
 *
 * Errors as of batconv_image_open(), of either file.  BATCONV_ERROR_MISMATCH: the input is not what
 * llvm-bolt read to write `bolted`, or llvm-bolt did not write that.  BATCONV_ERROR_NOTFOUND: lines
 * were asked for without an input, or an input was given and `bolted` has lost its table.
 * BATCONV_ERROR_ARGUMENT: a bit that this release does not know. */
BATCONV_API BATCONV_MUST_USE bool batconv_translator_open(const char *bolted, const char *input,
							  uint32_t lookup,
							  struct batconv_translator **out,
							  struct batconv_error *err);
BATCONV_API void batconv_translator_close(struct batconv_translator *translator);

struct batconv_location {
	struct batconv_input_addr
		input;  /* function NULL: the address is in no function that is known, ... */
	bool has_vaddr; /* ... and nothing of what follows is set */
	struct batconv_vaddr vaddr; /* of `input` in the input binary */
	const char *file;           /* of the source; NULL: not known, or not asked for */
	uint32_t line;              /* 0: not known, or not asked for */
	size_t inlined;       /* calls that were inlined there, by batconv_location_inlined() */
	const void *calls;    /* for batconv_location_inlined() */
	uint64_t reserved[2]; /* 0 */
};

/* How the addresses of a call came about. */
enum batconv_addresses {
	BATCONV_ADDRESSES_INSTRUCTIONS = 0, /* each is of an instruction */
	BATCONV_ADDRESSES_CALL_STACK =
		1, /* innermost first: the first is of an instruction, those after it are
		      return addresses.  A return address gets the function and the lines
		      of the call in front of it (one byte before), and the offset and vaddr
		      of the return address itself */
};

/* Translate vaddrs of the binary that runs, at[0 .. count), to out[0 .. count).  What is not known
 * of an address is left out: a result is there for each.  Strings live as long as the translator.
 * An address that was asked for before is not looked up in DWARF again.
 *
 * BATCONV_ERROR_ARGUMENT (a kind that this release does not know), BATCONV_ERROR_NOMEM,
 * BATCONV_ERROR_UNSUPPORTED (lines without libdw): then out[] is not to be used, and the same call
 * can be made again. */
BATCONV_API BATCONV_MUST_USE bool batconv_translate(struct batconv_translator *translator,
						    enum batconv_addresses kind,
						    const struct batconv_vaddr *at, size_t count,
						    struct batconv_location *out,
						    struct batconv_error *err);

/* The calls that were inlined where a location is: number 0 is the innermost one.  False: there
 * are no more. */
BATCONV_API bool batconv_location_inlined(const struct batconv_location *location, size_t number,
					  struct batconv_inlined *out);

#ifdef __cplusplus
}
#endif

#endif
