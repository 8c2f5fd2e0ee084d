/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* All sections of an image, as batconv image --sections shows them. */
#ifndef CLI_IMAGE_SECTIONS_H
#define CLI_IMAGE_SECTIONS_H

#include "src/elf/image.h"
#include "src/output/json.h"

/* A line for each, also for those that no segment has, to stdout. */
void print_sections(const struct image *image);

/* "sections": an array of objects. */
void json_sections(struct json *json, const struct image *image);

#endif
