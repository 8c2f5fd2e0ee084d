/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* All of libbatconv.  (libbatconv-capture, which a sampler links, has capture.h.) */
#ifndef BATCONV_BATCONV_H
#define BATCONV_BATCONV_H

#include "batconv/image.h"
#include "batconv/maps.h"
#include "batconv/resolve.h"
#include "batconv/translate.h"

#endif
