/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The summary of a conversion, for people and for machines. */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include <stdio.h>

#include "src/cli/sample_options.h"
#include "src/cli/say.h"
#include "src/flow/conversion.h"
#include "src/figures/figure_table.h"
#include "src/profile/yaml_profile.h"

struct summary {
	const struct conversion *conversion;
	const char *output; /* where the profile went; NULL if it was not written */
	const struct yaml_report *yaml; /* NULL: no YAML was written */
	const char *refusal; /* why the samples do not belong to the binary; or NULL */
	const struct map_file_vec *maps; /* that were given; or NULL */
	const char *format; /* of the profile, where its name should tell: "fdata"; or NULL */
};

/* How many lines the profile has without its head. */
size_t summary_records(const struct summary *summary);

/* What was brought back, or left out, by the rules of --restore. */
struct restored summary_restored(const struct summary *summary);

void summary_text(const struct summary *summary, bool verbose, FILE *out);

/* The last line: what to do, if the profile that was written is of no use as it is. */
void summary_next(const struct summary *summary, FILE *out);

/* What a user must know even with --quiet: inputs that were not read whole. */
void summary_warnings(const struct summary *summary, FILE *out);

/* The same one by one. */
void summary_each_warning(const struct summary *summary, warning_fn *each, void *ctx);

/* Rows of struct inferred, of the object "inferred" of this one and of quality's. */
extern const struct figure_row inferred_rows[];

/* A ledger as the object of its key. */
void ledger_json(struct json *json, const struct ledger *ledger, const struct ledger_words *words);

/* One JSON object, format "batconv-stats": docs/stats.md. */
void summary_json(const struct summary *summary, FILE *out);

#endif
