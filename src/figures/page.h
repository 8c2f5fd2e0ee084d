/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The page that a report or a comparison is put into, src/figures/page.html, which is part of the
 * program; all that the page of a report shows, as one JSON object (docs/report.md); what a report
 * is of; and lists of its data, to which values are added while there is room.
 */
#ifndef FIGURES_PAGE_H
#define FIGURES_PAGE_H

#include <stdio.h>
#include <stdlib.h>

#include "src/base/attr.h"
#include "src/base/json.h"
#include "src/base/text.h"
#include "src/figures/overlap.h"
#include "src/figures/quality_report.h"
#include "src/figures/shown_code.h"
#include "src/verify/verify.h"

#define PAGE_PLACEHOLDER "@BATCONV_REPORT_DATA@" /* is in the page once */
#define PAGE_MOST        ((size_t)200000)        /* bytes of the page without data */
#define PAGE_DATA_MOST   ((size_t)800000)        /* bytes of data of a report */

/* The page without data. */
struct text page_template(void);

/* What of the page is before its data, and what is after: the data between them have no '<'. */
void page_begin(FILE *out);
void page_end(FILE *out);

/* The page with its data. */
void page_write(struct text data, FILE *out);

/* ---- all of it ---- */

struct report_data {
	const char *version; /* of batconv */
	const struct quality_report *quality;
	const struct quality_sources *sources;
	const char *against;                /* NULL: nothing to compare with */
	const struct flat_profile *other;   /* of it */
	const struct verify_report *verify; /* NULL: the binary was not checked */
};

/* Writes at most PAGE_DATA_MOST bytes, none of them '<'.  What is too much is left out and counted.
 * BC_NOMEM */
BC_MUST_USE bool report_data_write(const struct report_data *data, FILE *out, struct bc_error *err);

/* ---- what it is of ---- */

/* Both are whole, and `sources` has heat by byte. */
struct report_subject {
	const struct conversion *conversion;
	const struct quality_sources *sources;
};

static inline const struct binary *subject_binary(const struct report_subject *subject)
{
	return conversion_binary(subject->conversion);
}

/* NULL: the input was not given */
static inline const struct pair *subject_pair(const struct report_subject *subject)
{
	return conversion_pair(subject->conversion);
}

/* The binary's function of a number, or NULL: it has code nowhere. */
static inline const struct function *subject_function(const struct report_subject *subject,
						      struct name_number name)
{
	const struct function_table *table = &conversion_binary(subject->conversion)->functions;

	struct code_number code;

	return functions_code_of(table, name, &code) ? &table->at[code.v] : NULL;
}

/* ---- lists of its data ---- */

/* A list that may take so many bytes: values are added while they fit. */
struct page_part {
	size_t room;      /* bytes that are left */
	uint64_t base;    /* as of the list's json */
	struct json json; /* the next value is written here, between part_begin() and part_end() */
	char *text;
	size_t size;
};

/* false: out of memory */
BC_MUST_USE bool part_begin(struct page_part *part);

/* Adds the value to a list if there is room for it and for `more` bytes elsewhere, which are taken
 * from the room, too.  *added: it was. false: out of memory */
BC_MUST_USE bool part_end(struct page_part *part, size_t more, struct json *list, bool *added);

/* How many bytes the data may still take. */
size_t page_room_left(const struct json *json);

/* ---- parts of its data ---- */

/* Writes "functions" and "code": the functions of a report, the hottest first, a row of each; and
 * their blocks, edges, calls and instructions, as many as fit.  false: out of memory */
BC_MUST_USE bool functions_write(struct json *json, const struct report_subject *subject,
				 const struct code_parts *parts, struct source_lines *lines);

#endif
