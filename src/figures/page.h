/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The page that a report is put into: src/figures/page.html, which is part of the program. */
#ifndef FIGURES_PAGE_H
#define FIGURES_PAGE_H

#include <stdio.h>

#include "src/base/text.h"

#define PAGE_PLACEHOLDER "@BATCONV_REPORT_DATA@" /* stands in the page once */
#define PAGE_MOST ((size_t)200000)               /* bytes of the page without data */
#define PAGE_DATA_MOST ((size_t)800000)          /* bytes of data */

/* The page without data. */
struct text page_template(void);

/* Writes the page with its data, which has no '<'. */
void page_write(struct text data, FILE *out);

#endif
