/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The GNU attributes that the program uses. */
#ifndef BASE_ATTR_H
#define BASE_ATTR_H

#define BC_MUST_USE          __attribute__((__warn_unused_result__))
#define BC_PRINTF(fmt, args) __attribute__((__format__(__printf__, fmt, args)))

/* Calls fini(&variable) when the variable goes out of scope. */
#define BC_AUTO(fini) __attribute__((__cleanup__(fini)))

/* For what a macro defines, and not every user of the macro uses. */
#define BC_MAY_BE_UNUSED __attribute__((__unused__))

#define BC_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
