/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* MD5 (RFC 1321): not for security, but because LLVM numbers functions by it. */
#ifndef BASE_MD5_H
#define BASE_MD5_H

#include "src/base/text.h"

/* The first eight bytes of a name's digest, as a little-endian number: LLVM's GUID of a function
 * of that name. */
uint64_t md5_guid(struct text name);

#endif
