/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which optimized binary addresses are of.  A build-id names BOLT's input; what shows what BOLT
 * made of it is the code: SHA-256 of class, machine, and address, size and bytes of every
 * executable segment.  Neither stripping nor another form of the table changes it.
 */
#ifndef ELF_CODE_DIGEST_H
#define ELF_CODE_DIGEST_H

#include <sys/stat.h>

#include "src/base/build_id.h"
#include "src/base/digest.h"
#include "src/elf/image.h"

/* So many bytes of it distinguish two in a name or a message. */
#define CODE_DIGEST_SHOWN 6

/* An executable segment: offsets [offset, offset + size) of the file are vaddrs from `vaddr` on. */
struct code_segment {
	uint64_t offset, size, vaddr;
};

/* The executable segments of an image, and how many there are, for free(); NULL: out of memory. */
struct code_segment *code_segments_of(const struct image *image, size_t *count);

/* SHA256_SIZE bytes, of an image that has all of its code: 3 ms a megabyte, 0.7 where the
 * processor has instructions for it. */
struct build_id code_digest_of(const struct image *image);

/* The same of an open file, in steps. */
struct code_digester {
	struct sha256 sha;
	int fd;             /* borrowed, as what follows */
	struct stat before; /* what the file was when that began */
	const struct code_segment *parts;
	size_t count, part;
	uint64_t done;  /* of this part */
	uint64_t holes; /* bytes that are not there */
};

/* Code that is larger, or has more of it in holes, is made to take time. */
#define CODE_DIGEST_MOST  ((uint64_t)512 << 20)
#define CODE_DIGEST_HOLES ((uint64_t)64 << 20)

enum code_digest_step {
	CODE_DIGEST_MORE,
	CODE_DIGEST_DONE,
	CODE_DIGEST_CHANGED, /* the file became another one meanwhile, or cannot be read */
	CODE_DIGEST_LARGE,   /* too large, or most of it is not there */
};

/* image: of the file, also of its head alone.  False: errno says why. */
BC_MUST_USE bool code_digest_begin(struct code_digester *digester, int fd,
				   const struct image *image, const struct code_segment *parts,
				   size_t count);

/* How many bytes are left to be read, at least one. */
uint64_t code_digest_left(const struct code_digester *digester);

/* Reads the next CODE_DIGEST_PIECE bytes. */
#define CODE_DIGEST_PIECE ((size_t)32 << 10)
enum code_digest_step code_digest_step(struct code_digester *digester, struct build_id *out);

#endif
