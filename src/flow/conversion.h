/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The main job, in the order in which it happens:
 *
 *   conversion_open()      binary, input, hashes, pseudo-probes
 *   conversion_count()     samples --> events --> counted traces or addresses --> located; figures
 *   conversion_convert()   --> profile, restored or inferred, and ranges; YAML's blocks, accesses
 *                          to memory; does it fit the binary?
 */
#ifndef FLOW_CONVERSION_H
#define FLOW_CONVERSION_H

#include "src/code/hash_source.h"
#include "src/count/aggregate.h"
#include "src/flow/compiler_counts.h"
#include "src/flow/convert.h"
#include "src/flow/infer.h"
#include "src/flow/ranges.h"
#include "src/profile/choice.h"
#include "src/profile/density.h"
#include "src/profile/probes.h"
#include "src/profile/shard_list.h"
#include "src/samples/flow_walk.h"
#include "src/samples/reader.h"
#include "src/samples/snapshots.h"

/* The gain of a timer's samples was measured with up to 10,000 (docs/quality.md, "Gain"), and
 * measuring it takes the time of two more inferences. */
#define DOUBTS_MOST 16384

/* Outputs, as bits.  Zero: whoever needs the counted samples only ends with conversion_count(). */
enum conversion_wants {
	WANT_RECORDS = 1 << 0, /* the profile is records: fdata or YAML */
	WANT_COUNTS = 1 << 1,  /* the profile is the counts themselves: pre-aggregated records or a
				  shard.  Without WANT_RECORDS and WANT_YAML */
	WANT_RANGES = 1 << 2,  /* what llvm-profgen reads; it needs branch stacks or inference, and
				  the input's code */
	WANT_YAML = 1 << 3,    /* what YAML needs of the records: blocks and hashes */
	WANT_HASHES =
		1 << 4, /* of YAML: functions without hashes are refused where nothing gives any */
	WANT_PROBES = 1 << 5,   /* of YAML: pseudo-probes */
	WANT_EXTERN = 1 << 9,   /* of YAML: the key `extern` */
	WANT_EXECUTED = 1 << 6, /* how much ran in each function */
	WANT_GRAPHS = 1 << 7,   /* the graphs that were built stay, with their code */
	WANT_HALVES = 1 << 8,   /* the profiles of two halves of the samples, too */
	WANT_DOUBTS = 1 << 10,  /* the same of basic samples alone, if branches are inferred from
				   fewer than DOUBTS_MOST; and the graphs stay then */
};

struct conversion_options {
	unsigned wants; /* enum conversion_wants */
	const char *binary;
	const char *input;     /* what llvm-bolt read; NULL: not given.  One that was found is here
			      in .options of the conversion */
	bool find_input;       /* where it is not given, one that is found by its build-id will do:
			      elf/code_files.h */
	const char *hash_file; /* of functions that have none in the binary: hash_source.h; NULL:
				    not given */
	struct debug_dirs debug; /* where debug files of a stripped binary are looked for, too */

	bool from_compiler; /* the counts are those that the compiler left in the binary: there are
			       no samples */
	bool force_map;     /* ... and will do without a count of any function */

	const char *const *samples; /* paths; "-" is stdin */
	size_t sample_count;
	enum input_format format;
	const bool *new_recording;    /* by path: this file begins a new recording; or NULL */
	const struct snapshots *maps; /* of processes whose maps the samples do not show; or NULL */
	const char *image_name;       /* take mappings of this name for the binary's; or NULL */
	bool ignore_build_id;         /* the name of a mapping decides, not its build-id */
	bool as_perf2bolt; /* each file is a recording of its own, and a kernel is where its file
			      says, whatever a recording shows; density.h */
	struct aggregate_options aggregate; /* .erratum: wanted where it applies */

	const struct function_choice
		*choice;        /* functions whose code is read where they have no BAT; NULL: all */
	bool force;             /* convert samples of another build all the same ... */
	bool any_code;          /* ... and shards that say that they are of other code */
	uint64_t least_checked; /* and those of which fewer branches than this were checked */
	bool one_of_many; /* other binaries are converted from the same samples: an input can be of
			     one of those */
	bool empty_will_do; /* a profile without a record is no refusal */
	unsigned threads;   /* 0: as many as there are processors */

	struct input_progress progress; /* called now and then while samples are read */
};

DEFINE_VEC(report_vec, struct reader_report);

/* Paths of samples with the shards of directories instead of these. */
struct folder_shards {
	struct shard_list list;
	const char **paths; /* owned: .samples, and */
	bool *begins;       /* .new_recording; NULL: no path is such a directory */
	const char *first;  /* the first directory */
	size_t used;        /* shards that are of the binary's code */
};

struct conversion {
	struct conversion_options options; /* set by the caller, as .partial can be; all else is
					      zeroed at the beginning */

	/* What is known: conversion_open() */
	struct binary opened; /* see conversion_binary() */
	struct build_id code; /* code_digest() of it, once a shard was met; size 0: none was, or it
				 is not known */
	struct pair pair;     /* .output is NULL if there is no input */
	struct found_input found_input;
	struct hash_source hashes;    /* without fragments if there is none */
	struct probe_source probes;   /* WANT_PROBES */
	unsigned threads;             /* that are used */
	struct folder_shards folders; /* of the paths that are directories of shards */

	/* What was read and counted: conversion_count() */
	struct report_vec inputs;       /* one per samples path */
	struct flow_walk_report walked; /* hardware traces, in all of them */
	struct walk_fit fit;            /* ... and in the code of the binary */
	size_t unread;                  /* 1 + number of the path that reading failed at; 0: none */
	bool partial;                   /* an input or maps ended early; what was there is used */
	struct aggregate aggregate;
	struct compiler_counts compiler; /* .from_compiler */
	bool basic;                      /* the profile is of addresses, not of branches */
	size_t distinct;                 /* traces, or addresses */
	struct located_counts located;   /* until conversion_convert() ends */
	struct cfg graphs; /* of the binary, each built once; after the conversion those that the
			      YAML or figures need */
	struct executed executed; /* WANT_EXECUTED */

	/* The result: conversion_convert() */
	struct ledgers ledgers;
	struct build_check check;
	struct returns_found found;
	struct restored restored;
	struct profile profile; /* .of_input: its branches were inferred from addresses: */
	struct inferred inferred;
	struct bc_error not_inferred; /* why not, where that was wanted; else BC_OK */
	struct profile
		halves[2]; /* WANT_HALVES: of branches, as .profile, with nothing restored; of basic
			      samples they are inferred: conversion_measure_inference() */
	bool has_halves;
	struct ranges ranges;        /* WANT_RANGES */
	struct preagg_counts preagg; /* WANT_COUNTS */
	struct code_marks touched;   /* WANT_PROBES: choice.h */
	struct code_marks left_out;  /* the choice is not for these; none: all are chosen */
	bool no_disassembler;        /* libLLVM was needed and is missing */
};

static inline bool conversion_wants(const struct conversion *conversion, unsigned any)
{
	return conversion->options.wants & any;
}

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

/* Can branches be inferred from the samples, as conversion_count() has them: basic ones, and the
 * code of the input is known? */
static inline bool conversion_can_infer(const struct conversion *conversion)
{
	return conversion->basic &&
	       (conversion_binary(conversion)->kind == BINARY_UNTOUCHED || conversion->pair.output);
}

static inline const struct hash_source *conversion_hashes(const struct conversion *conversion)
{
	return conversion->hashes.fragments.at ? &conversion->hashes : NULL;
}

/* Are the samples of this build of the binary? */
enum belonging conversion_belonging(const struct conversion *conversion);

/* The conversion is filled as far as the job gets, also when it fails: the summary
 * of a refusal needs it.  Finish with conversion_free().
 *
 * BC_MISMATCH  the samples do not belong to the binary, or none of them does
 * BC_IO, BC_FORMAT, BC_UNSUPPORTED, BC_NOTFOUND, BC_NOMEM
 * The text names the file. */
BC_MUST_USE bool conversion_run(struct conversion *conversion, struct bc_error *err);
void conversion_free(struct conversion *conversion);

/* The three parts of conversion_run().  Between the first two, events may be delivered to
 * conversion->aggregate: conversion_count() reads the files of samples that were not. */
BC_MUST_USE bool conversion_open(struct conversion *conversion, struct bc_error *err);
BC_MUST_USE bool conversion_count(struct conversion *conversion, struct bc_error *err);
BC_MUST_USE bool conversion_convert(struct conversion *conversion, struct bc_error *err);

/* After a conversion to a profile of addresses: how branches are inferred from it, where
 * conversion_can_infer().  Sets .inferred or .not_inferred, and leaves the profile as it is;
 * WANT_HALVES: and .halves.  Pointers into graphs do not stay.  BC_NOMEM */
BC_MUST_USE bool conversion_measure_inference(struct conversion *conversion, struct bc_error *err);

/* How to read the samples file of this number, without the options that differ by binary. */
struct reader_options conversion_reader_options(const struct conversion_options *options,
						size_t number, struct recordings *recordings);

/* ---- did a recording show where the kernel was, if the binary is one?  After conversion_count().
 * ---- */

/* Samples of kernel code were read from the input of this number, which does not show where the
 * kernel was: it is taken to be where its file says. */
bool kernel_is_assumed(const struct conversion *conversion, size_t number);

/* BC_MISMATCH: no sample lies in the kernel, and an input does not show where that
 * was; the text says how to record it. */
BC_MUST_USE bool kernel_check(const struct conversion *conversion, struct bc_error *err);

/* What to do so that a recording shows, by whether it is text. */
const char *kernel_remedy(const struct conversion *conversion, size_t number);

/* The binary is a kernel of which nothing was counted. */
bool kernel_is_empty(const struct conversion *conversion);

/* ---- several binaries from one pass over the samples ---- */

struct conversion_one {
	struct conversion conversion; /* of .options the binary differs, samples and format are the
					 same for all */
	bool failed;
	bool unread;         /* ... as the samples could not be read: all of these have one error */
	struct bc_error err; /* why */
};

/* Converts for each binary.  One that fails does not stop the others, but an error of the samples
 * is an error for all.  Pre-aggregated records belong to one binary: BC_UNSUPPORTED.  Finish each
 * with conversion_free().  Returns 1 + the number of the samples' path that is in error, or 0. */
size_t conversion_run_many(struct conversion_one *ones, size_t count);

#endif
