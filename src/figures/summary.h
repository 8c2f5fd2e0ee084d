/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The summary of a conversion, for people and for machines. */
#ifndef FIGURES_SUMMARY_H
#define FIGURES_SUMMARY_H

#include <stdio.h>

#include "src/base/say.h"
#include "src/elf/bolt_input.h"
#include "src/figures/carry_report.h"
#include "src/figures/figure_table.h"
#include "src/figures/gain.h"
#include "src/flow/conversion.h"
#include "src/profile/yaml.h"

/* A file of maps that was given. */
struct map_file {
	const char *path;
	struct reader_report report; /* when it was read */
};
DEFINE_VEC(map_file_vec, struct map_file);

struct summary {
	const struct conversion *conversion;
	const char *output;              /* where the profile went; NULL if it was not written */
	const struct yaml_report *yaml;  /* NULL: no YAML was written */
	const struct bc_error *refusal;  /* why the samples do not belong to the binary; or NULL */
	const struct map_file_vec *maps; /* that were given; or NULL */
	const char *format; /* of the profile, where its name should show: "fdata"; or NULL */
	struct gain gain;   /* WANT_DOUBTS: of the next binary; or not known */
	const struct carry_report *next; /* the profile was carried to the next build; or NULL */
};

/* What was read, how much of it is used, what was lost and why, what was written: a row each.
 * verbose: each with all that is known about it. */
void summary_text(const struct summary *summary, bool verbose, FILE *out);

/* Is it enough, and can it be trusted: warnings, in text that is not --quiet. */
void summary_doubts(const struct summary *summary, FILE *out);

/* The last line: what to do with the profile. */
void summary_next(const struct summary *summary, FILE *out);

/* What a user must know even with --quiet: inputs that were not read whole. */
void summary_warnings(const struct summary *summary, FILE *out);

/* The same one by one; and why the profile itself is perhaps not good enough: of too few samples,
 * of addresses that no symbol names. */
void summary_each_warning(const struct summary *summary, warning_fn *each, void *ctx);
void summary_each_doubt(const struct summary *summary, warning_fn *each, void *ctx);

/* Adds to the refusal of samples of which nothing was kept what was not read of the inputs: the
 * first of these warnings. */
void summary_add_cause(const struct summary *summary, struct bc_error *why);

/* ---- parts of it, for other commands ---- */

/* The binary that llvm-bolt is to read with a profile, and what it cannot do with it. */
struct bolt_reads {
	const char *path; /* NULL: not known, as the input of a BOLTed binary was not given */
	struct bolt_input input;
};

/* ... with the profile of a conversion that is open. */
struct bolt_reads bolt_reads_of(const struct conversion *conversion);

/* Each limit. */
typedef void bolt_limit_fn(void *ctx, const char *path, const char *text);
void bolt_reads_each(const struct bolt_reads *reads, bolt_limit_fn *each, void *ctx);

/* The object of this key; nothing where no file is known. */
void bolt_reads_json(const struct bolt_reads *reads, struct json *json, const char *key);

/* The same for a row of a conversion. */
void bolt_reads_write(struct json *json, const struct figure_row *row, const void *conversion);

/* One line: which file was found to be the input; nothing if none was.  Then why a file was not
 * taken.  Then both on stderr. */
void found_input_say(const struct found_input *found, FILE *out);
void found_input_warn(const struct found_input *found, const struct warnings *to);
void found_input_tell(const struct found_input *found);

/* Says on stderr what of an input was not read, and why.  Returns reader_report_is_partial(). */
bool tell_loss(const char *path, const struct reader_report *report);

/* The same of all inputs, what directories have in addition to the shards that are used, and if the
 * kernel was taken to be where its file says, as an input does not show. */
void tell_inputs(const struct conversion *conversion);

/* "1881344 bytes of a trace (Arm SPE) in 2 buffers: 48285 operations sampled, of which 48285 are
 * branches".  Call it if trace->found. */
void trace_tell(const struct perf_trace_report *trace, char *line, size_t size);

/* For a struct perf_trace_report: an object `trace`, if there is one. */
extern const struct figure_row trace_rows[];

/* For a struct flow_walk_report: what became of hardware traces that were walked through
 * the code. */
extern const struct figure_row walk_rows[];

/* Rows of struct inferred, of the object "inferred" of this one and of quality's. */
extern const struct figure_row inferred_rows[];

/* A ledger as the object of its key. */
void ledger_json(struct json *json, const struct ledger *ledger, const struct ledger_words *words);

/* One JSON object, format "batconv-stats": docs/stats.md. */
void summary_json(const struct summary *summary, FILE *out);

#endif
