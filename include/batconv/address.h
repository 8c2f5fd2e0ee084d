/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * libbatconv - addresses of profiles.
 *
 * The four kinds of addresses.  To mix them up is the usual bug of a profiler, so
 * each is a type of its own, and each step between two of them is one function:
 *
 *   run-time address   what a sample holds: of one process at one moment
 *   vaddr              as the ELF file has it: the space of p_vaddr and st_value
 *   file offset        a byte of the ELF file
 *   input address      function + offset in the binary that BOLT read
 *
 *   run-time -> vaddr     maps and image: batconv_maps_find(), batconv_image_base()
 *   vaddr <-> offset      batconv_image_to_offset(), batconv_image_to_vaddr()
 *   vaddr <-> input       batconv_image_to_input(), batconv_image_from_input()
 *
 * Functions return false where there is no answer.  Those that can fail take a
 * struct batconv_error of the caller's, filled when they do; what they were to change is
 * then as it was before.
 */
#ifndef BATCONV_ADDRESS_H
#define BATCONV_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define BATCONV_API __attribute__((visibility("default")))
#define BATCONV_MUST_USE __attribute__((warn_unused_result))
#else
#define BATCONV_API
#define BATCONV_MUST_USE
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct batconv_run_addr {
	uint64_t v;
};

struct batconv_vaddr {
	uint64_t v;
};

struct batconv_file_off {
	uint64_t v;
};

struct batconv_input_addr {
	const char *function; /* as BOLT names it: "main", "emit/expr.c/1" */
	uint64_t offset;      /* bytes from its beginning */
};

enum batconv_code {
	BATCONV_OK,
	BATCONV_NOMEM,       /* out of memory                                     */
	BATCONV_IO,          /* the system refused to open, read or write         */
	BATCONV_FORMAT,      /* the input is damaged                              */
	BATCONV_UNSUPPORTED, /* the input is fine, but not of a kind handled here */
	BATCONV_NOTFOUND,    /* what was asked for is not there                   */
	BATCONV_MISMATCH,    /* inputs that do not belong together                */
};

struct batconv_error {
	enum batconv_code code;
	char text[768]; /* one line without newline */
};

#ifdef __cplusplus
}
#endif

#endif
