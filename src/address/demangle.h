/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* C++ names as a person writes them, by the C++ runtime's own function; it is
 * loaded when first asked for. */
#ifndef ADDRESS_DEMANGLE_H
#define ADDRESS_DEMANGLE_H

/* The plain name, or the name itself where it is not mangled, or where there is no
 * C++ runtime.  What BOLT put after it (/file.c/1, .cold.0) stays.  Valid until
 * the next call; for one thread. */
const char *demangle(const char *name);

#endif
