/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* --debug-dir, of the commands that name functions of stripped binaries. */
#ifndef CLI_DEBUG_OPTION_H
#define CLI_DEBUG_OPTION_H

#include "src/base/vec.h"
#include "src/elf/debug_file.h"

enum { OPTION_DEBUG_DIR = 4098 }; /* the id, which no other row has */

#define DEBUG_DIR_ROW                                                                     \
	{                                                                                 \
		OPTION_DEBUG_DIR, "debug-dir", "DIR", NO_FILE,                            \
		"also look below DIR for debug files of stripped binaries;\nrepeatable" \
	}

DEFINE_VEC(debug_dir_vec, const char *);

static inline struct debug_dirs debug_dirs_of(const struct debug_dir_vec *vec)
{
	return (struct debug_dirs){vec->at, vec->len};
}

#endif
