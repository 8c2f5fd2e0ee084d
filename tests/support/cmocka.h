/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* cmocka with what it needs to be included before it. */
#ifndef SUPPORT_CMOCKA_H
#define SUPPORT_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
