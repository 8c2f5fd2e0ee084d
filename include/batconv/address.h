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
 *
 * Threads: different objects can be used by different threads at once.  A function that
 * takes a `const` object can be called by any number of threads at once for the same one,
 * while no other function changes or frees that object.  Of the other functions, one at a
 * time may be called for one object, but where it says that more may.
 *
 * Memory: what a function named ..._new or ..._open makes, the caller owns and gives back with
 * the ..._free or ..._close of the same name; NULL can be given back, too.  Strings and
 * arrays in a result belong to the object that it came from, as said there.  No function
 * keeps a pointer that it was given, but where it says so.
 *
 * Versions: programs that were linked with a release run with all releases of the same major
 * and minor version.  Within these, structs only grow by what is `reserved` in them: a
 * struct that a program fills in itself it sets to 0 first ("= {0}"), and enums get no new
 * members.
 */
#ifndef BATCONV_ADDRESS_H
#define BATCONV_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The version of these headers, and as one number that can be compared. */
#define BATCONV_VERSION_MAJOR 0
#define BATCONV_VERSION_MINOR 1
#define BATCONV_VERSION_PATCH 0
#define BATCONV_VERSION_NUMBER \
	(BATCONV_VERSION_MAJOR * 1000000 + BATCONV_VERSION_MINOR * 1000 + BATCONV_VERSION_PATCH)

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
	const char *function; /* as BOLT names it: "main", "emit/expr.c/1"; of the image */
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

/* What went wrong.  The caller owns it, and need not set it before a call.  It is the one
 * type of errors of libbatconv: a translation table that is damaged, of which libbat has a
 * struct bat_error, is BATCONV_FORMAT with the text of that. */
struct batconv_error {
	enum batconv_code code;
	char text[768]; /* one line without newline */
	uint64_t reserved[2]; /* 0 */
};

#ifdef __cplusplus
}
#endif

#endif
