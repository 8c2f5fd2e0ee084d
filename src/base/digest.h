/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* MD5 (RFC 1321): not for security, but because LLVM numbers functions by it. */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/base/text.h"

/* The first eight bytes of a name's digest, as a little-endian number: LLVM's GUID of a function
 * of that name. */
uint64_t md5_guid(struct text name);

/* SHA-256 (FIPS 180-4). */

#define SHA256_SIZE 32

struct sha256 {
	uint32_t state[8];
	uint64_t size; /* bytes so far */
	bool fast;     /* by the processor's instructions for it */
	uint8_t block[64];
};

void sha256_begin(struct sha256 *sha);
void sha256_add(struct sha256 *sha, const void *data, size_t size);
void sha256_end(struct sha256 *sha, uint8_t out[SHA256_SIZE]);

#endif
