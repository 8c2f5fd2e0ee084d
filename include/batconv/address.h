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
 *   run-time <-> vaddr    maps and image: batconv_maps_find(), batconv_image_base()
 *   vaddr <-> offset      batconv_image_to_offset(), batconv_image_to_vaddr()
 *   vaddr <-> input       batconv_image_to_input(), batconv_image_from_input()
 *
 * Results and errors: a function whose last argument is a struct batconv_error can fail: it then
 * returns false and fills that of the caller, for which NULL can be given.  What it was to change
 * is then as it was before, and an object that it was to make is NULL.  Functions that return bool
 * without one look for something, and return false where there is no result; out is not set then.
 * What is not known in a result is NULL (with the size 0), never "".  All pointers that are given
 * must not be NULL, but where it says so and those to arrays of which there are 0.
 *
 * Threads: different objects can be used by different threads at once.  A function that
 * takes a `const` object can be called by any number of threads at once for the same one,
 * while no other function changes or frees that object.  For the other functions, one at a
 * time may be called for one object, but where it says that more may.
 *
 * Memory: what a function named ..._new or ..._open... makes, the caller owns and gives back with
 * the ..._free or ..._close of the same object; NULL can be given back, too.  (..._new returns the
 * object, or NULL when out of memory, its only reason; ..._open has more reasons, and an error.)
 * Strings and arrays in a result belong to the object that it came from, as said there.  No
 * function keeps a pointer that it was given, but where it says so.
 *
 * Files: a binary is mapped into memory as long as the object that opened it lives (an image, a
 * translator, a resolver).  Replace it by rename(), as installers do: of one
 * that is made shorter meanwhile the missing part cannot be read, and the program gets SIGBUS.  "-"
 * is the standard input of batconv_snapshots_add_file() and the standard output of
 * batconv_snapshots_write().
 *
 * Text: names and paths are bytes that end with a NUL, as the file has them: not all are UTF-8.
 *
 * Versions: programs that were linked with a release run with all later releases of the same major
 * version.  Within it
 *   - structs only grow by what is `reserved` in them, which is 0 until then.  A struct that a
 *     program fills in itself it sets to 0 first ("= {0}"): what is not 0 there, and not known to
 *     the library, is refused.  Those without `reserved` (the addresses below,
 *     batconv_capture_bounds) are final;
 *   - enums can get new members at their end, which an older program meets as numbers in results;
 *     numbers and bits that the library does not know are refused (BATCONV_ERROR_ARGUMENT);
 *   - functions are only added, under a new version of their symbols.
 */
#ifndef BATCONV_ADDRESS_H
#define BATCONV_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The version of these headers, and as one number that can be compared.  That of the libraries that
 * the program runs with: batconv_version() (maps.h), batconv_capture_version() (capture.h). */
#define BATCONV_VERSION_MAJOR 1
#define BATCONV_VERSION_MINOR 0
#define BATCONV_VERSION_PATCH 0
#define BATCONV_VERSION_NUMBER                                                                     \
	(BATCONV_VERSION_MAJOR * 1000000 + BATCONV_VERSION_MINOR * 1000 + BATCONV_VERSION_PATCH)

#if defined(__GNUC__)
#define BATCONV_API      __attribute__((visibility("default")))
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
	BATCONV_OK = 0,
	BATCONV_ERROR_NOMEM = 1,       /* out of memory                                     */
	BATCONV_ERROR_IO = 2,          /* the system refused to open, read or write         */
	BATCONV_ERROR_FORMAT = 3,      /* the input is damaged                              */
	BATCONV_ERROR_UNSUPPORTED = 4, /* the input is fine, but not of a kind handled here */
	BATCONV_ERROR_NOTFOUND = 5,    /* what was asked for is not there                   */
	BATCONV_ERROR_MISMATCH = 6,    /* inputs that do not belong together                */
	BATCONV_ERROR_ARGUMENT = 7,    /* the call is wrong: an option, a kind or a reserved
					  member that this release does not know, an id twice,
					  too little room                                    */
};

/* What went wrong.  The caller owns it, and need not set it before a call.  It is the one
 * type of errors of libbatconv: a translation table that is damaged, of which libbat has a
 * struct bat_error, is BATCONV_ERROR_FORMAT with the text of that. */
struct batconv_error {
	enum batconv_code code;
	char text[768];       /* one line of English without newline, for people */
	uint64_t reserved[2]; /* 0 */
};

#ifdef __cplusplus
}
#endif

#endif
