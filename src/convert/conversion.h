/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The main job, in the order in which it happens:
 *
 *   binary ----> image, functions, BAT ------------+
 *   samples ---> events --> vaddrs --> traces ----> profile
 *               (input)    (locate)   (aggregate)   (convert)
 */
#ifndef CONVERT_CONVERSION_H
#define CONVERT_CONVERSION_H

#include "src/addrspace/snapshots.h"
#include "src/event/input.h"
#include "src/infer/infer.h"
#include "src/pair/hash_source.h"
#include "src/probes/source.h"
#include "src/count/aggregate.h"
#include "src/profile/choice.h"
#include "src/profile/convert.h"
#include "src/profile/executed.h"
#include "src/profile/kept_counts.h"
#include "src/ranges/ranges.h"

struct conversion_options {
	const char *binary;
	const char *input; /* what llvm-bolt read; NULL: not given */
	const char *const *samples; /* paths; "-" is stdin */
	size_t sample_count;
	const bool *new_recording; /* by path: this file begins a new recording; or NULL */
	bool recordings_apart;     /* each file is a recording of its own */
	const struct snapshots *maps; /* of processes whose maps the samples do not tell; or NULL */
	enum input_format format;
	struct aggregate_options aggregate; /* .erratum: wanted where it applies */
	const char *image_name; /* take mappings of this name for the binary's; or NULL */
	bool ignore_build_id;   /* the name of a mapping decides, not its build-id */
	bool kernel_in_place;   /* as perf2bolt: a kernel is where its file says, whatever a recording tells */
	bool force;             /* convert samples of another build all the same */
	bool empty_will_do;     /* a profile without a record is no refusal */
	bool aggregate_only;    /* stop at the counts: they are the result */
	bool hashes;            /* the profile is to have hashes: YAML */
	const char *hash_file;  /* of functions that have none in the binary: hash_source.h; NULL: not given */
	bool without_hashes;    /* functions without hashes will do */
	bool probes;            /* and pseudo-probes */
	bool ranges;            /* what llvm-profgen reads is wanted, too: branch stacks, and the input's code */
	bool ranges_only;       /* and nothing else is written */
	bool executed;          /* count what ran in each function, too */
	bool keep_graphs;       /* the graphs that were built stay, with their code */
	struct debug_dirs debug; /* where debug files of a stripped binary are looked for, too */
	const struct function_choice *choice; /* functions whose code is read where they have no BAT;
						 NULL: all */
	unsigned threads;       /* 0: as many as there are processors */

	struct input_progress progress; /* called now and then while samples are read */
};

DEFINE_VEC(report_vec, struct reader_report);

struct conversion {
	struct binary opened; /* see conversion_binary() */
	struct pair pair; /* .output is NULL if the input was not given */
	struct cfg graphs; /* of the binary, each built once; after the conversion those that the YAML or figures need */
	struct hash_source hashes; /* without fragments if there is none */
	struct aggregate aggregate;
	struct report_vec inputs; /* one per samples path */
	size_t unread; /* 1 + number of the path that reading failed at; 0: none */
	struct recordings recordings; /* read so far */
	unsigned threads; /* that were used */
	size_t distinct; /* traces, or addresses */
	bool basic;      /* the profile is of addresses, not of branches */
	struct located_counts located; /* between conversion_settle() and conversion_convert() */
	struct ledgers ledgers;
	struct build_check check;
	struct returns_found found;
	struct restored restored;
	bool leave_out_unsited; /* of YAML: RESTORE_SITES */
	struct profile profile;
	bool is_inferred; /* the profile has branches that were inferred from addresses: */
	struct inferred inferred;
	struct bc_error not_inferred; /* why not, where that was wanted; else BC_OK */
	struct ranges ranges; /* if that was wanted */
	struct executed executed; /* if that was wanted */
	struct probe_source probes; /* if that was wanted */
	struct code_marks touched;  /* with probes: touched.h */
	struct code_marks left_out; /* the choice is not for these; none: all are chosen */
	struct kept_counts kept; /* options.aggregate_only: in place of a profile */
	bool no_disassembler; /* libLLVM was needed and is missing */
	bool partial; /* an input ended early; what was there is used */
};

/* The binary that was sampled; with the input, under the names of that. */
static inline const struct binary *conversion_binary(const struct conversion *conversion)
{
	return conversion->pair.output ? conversion->pair.output : &conversion->opened;
}

/* That and its input; NULL if the input was not given. */
static inline const struct pair *conversion_pair(const struct conversion *conversion)
{
	return conversion->pair.output ? &conversion->pair : NULL;
}

/* Zeroed `out` is filled as far as the job gets, also when it fails: the summary
 * of a refusal needs it.  Finish with conversion_free().
 *
 * BC_MISMATCH  the samples do not belong to the binary, or none of them does
 * BC_IO, BC_FORMAT, BC_UNSUPPORTED, BC_NOTFOUND, BC_NOMEM
 * The text names the file. */
BC_MUST_USE bool conversion_run(const struct conversion_options *options, struct conversion *out,
				struct bc_error *err);
void conversion_free(struct conversion *conversion);

/* Takes the hashes of a file for the profile, which conversion_begin() does with options.hash_file.  Errors as of
 * hash_source_open(). */
BC_MUST_USE bool conversion_take_hashes(const struct conversion_options *options, const char *path,
					struct conversion *conversion, struct bc_error *err);
static inline const struct hash_source *conversion_hashes(const struct conversion *conversion)
{
	return conversion->hashes.fragments.at ? &conversion->hashes : NULL;
}

/* The parts of conversion_run(): open the binary; then either deliver events to
 * conversion->aggregate and note what was read, or read all files of samples; then convert. */
BC_MUST_USE bool conversion_begin(const struct conversion_options *options,
				  struct conversion *out, struct bc_error *err);
BC_MUST_USE bool conversion_read(const struct conversion_options *options,
				 struct conversion *conversion, struct bc_error *err);
/* How to read the samples file of this number, without the options that differ by binary. */
struct reader_options conversion_reader_options(const struct conversion_options *options, size_t number,
						struct recordings *recordings);
BC_MUST_USE bool conversion_note_input(struct conversion *conversion,
				       const struct reader_report *report, struct bc_error *err);
/* conversion_settle() ends the counting, conversion_convert() makes the profile; conversion_end()
 * does both. */
BC_MUST_USE bool conversion_settle(const struct conversion_options *options, struct conversion *out,
				   struct bc_error *err);
BC_MUST_USE bool conversion_convert(const struct conversion_options *options, struct conversion *out,
				    struct bc_error *err);
BC_MUST_USE bool conversion_end(const struct conversion_options *options, struct conversion *out,
				struct bc_error *err);

#endif
