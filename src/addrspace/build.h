/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Is a file the build that was mapped, by its GNU build-id or Go's? */
#ifndef ADDRSPACE_BUILD_H
#define ADDRSPACE_BUILD_H

#include "src/addrspace/mapped_files.h"
#include "src/elf/image.h"

enum build {
	BUILD_NOT_TOLD, /* no id was recorded */
	BUILD_SAME,
	BUILD_OTHER,    /* another id was recorded, or the image has none */
};

enum build build_of(const struct mapped_files *files, uint32_t file, const struct image *image);

#endif
