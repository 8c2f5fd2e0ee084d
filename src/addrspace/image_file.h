/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef ADDRSPACE_IMAGE_FILE_H
#define ADDRSPACE_IMAGE_FILE_H

/* The files of an image space's mappings are two: the binary, and all others.  Of the binary
 * mapping.offset is the vaddr of its beginning, which leads straight on. */
enum image_file { FILE_OTHER, FILE_IMAGE };

#endif
