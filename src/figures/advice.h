/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Advice: what is wrong with the files of a command line, and the command to run.  It is given
 * the position and the facts of each file; `inspect` and all messages about a file of the wrong
 * kind ask here.
 */
#ifndef FIGURES_ADVICE_H
#define FIGURES_ADVICE_H

#include <limits.h>

#include "src/elf/bolt_input.h"
#include "src/samples/file_kind.h"
#include "src/samples/read_options.h"

/* ---- what is known of a file: only its beginning is read, and of a binary the headers ---- */

struct file_facts {
	bool read; /* it is there and was looked at; else its kind is FILE_UNKNOWN: a pipe, for
		      example */
	enum file_kind kind;
	const struct foreign *foreign; /* FILE_FOREIGN */
	/* FILE_BINARY, FILE_SIDE: */
	bool opened; /* its headers could be read */
	enum machine machine;
	enum bolt_trace trace;
	struct build_id id;
	struct bolt_input bolt; /* of one that llvm-bolt did not write */
	/* FILE_FOLDER, FILE_SHARDS, as far as it was looked at: */
	size_t recordings, shards, others;
	char recording[NAME_MAX + 1], shard[NAME_MAX + 1]; /* the first of them by name */
};

/* Never fails: of a file that cannot be read there are no facts. */
void file_facts_look(const char *path, struct file_facts *out);

/* ---- advice ---- */

/* What a position of a command line takes. */
enum advice_place {
	PLACE_ANY,    /* any file */
	PLACE_BINARY, /* the binary that was sampled */
	PLACE_INPUT,  /* the binary that llvm-bolt read */
	PLACE_TABLE,  /* a BOLTed binary, or its BAT section alone */
	PLACE_IMAGE,  /* a binary, whatever became of it */
	PLACE_SAMPLES,
	PLACE_RECORDING, /* samples with processes, which shards have not */
	PLACE_PROFILE,   /* of BOLT, or pre-aggregated records */
	PLACE_MEASURED,  /* a profile of BOLT, or samples */
	PLACE_MAPS,
	PLACE_STACKS,
	PLACE_JSON,
	PLACE_COUNT,
};

struct given {
	enum advice_place place;
	const char *option; /* that names the file, without dashes: "input", "p"; NULL: it is an
			       operand */
	const char *path;   /* borrowed */
	struct file_facts facts;
};

/* What the samples say of the binary that ran. */
struct ran {
	const char *path;     /* a file whose build-id is the binary's except for llvm-bolt's mark;
			     NULL: none */
	const char *arch;     /* of the machine, as uname -m prints it; NULL or empty: not known */
	const char *counters; /* a recording of perf stat, which has no samples; NULL: none */
	const char *no_samples; /* a recording without samples, as all others are; NULL: none */
};

struct situation {
	const char *run;           /* the words before the files: "batconv quality" */
	const char *output;        /* for -o; NULL: the command needs none */
	const struct given *files; /* operands in their order */
	size_t count;
	struct ran ran;
};

struct advice {
	const char *about; /* the path of the file that is wrong */
	bool wrong_kind;   /* it can never be in this position; else the files do not fit each
			      other */
	char sentence[1536];
	char command[768]; /* works when it is pasted into a shell; empty: there is none */
};

/* False: nothing is wrong. */
bool advise(const struct situation *situation, struct advice *out);

/* Why a recording is of no use: the first of these that is true. */
enum recording_lack {
	LACKS_NOTHING,
	LACKS_COUNTS, /* perf stat wrote it */
	LACKS_SAMPLES,
	LACKS_BRANCHES,  /* it has a trace of Arm SPE without branches */
	LACKS_OWNERS,    /* nobody knows in which process any of its branches ran */
	LACKS_TRACE,     /* it says that there was a hardware trace, and has none of its bytes */
	LACKS_PROCESSES, /* nobody knows in which process its trace of the path through the
			    code ran */
};

/* Where the samples of a binary come from. */
enum sampled_by {
	SAMPLED_BEFORE, /* they are there: SAMPLES */
	SAMPLED_BY_RECORD,
	SAMPLED_BY_OPTIMIZE, /* it does all of it: samples, llvm-bolt, the comparison */
};

/* The command that a user may want to run on a file that is alone; words in capitals are other
 * files.  Empty: there is none. */
struct use {
	const char *path;
	enum sampled_by by;    /* of a binary */
	const char *llvm_bolt; /* ... the one that is there; NULL: "llvm-bolt" */
	bool before_cdsort;    /* ... it does not have -reorder-functions=cdsort */
	bool library;          /* ... another program runs it */
	enum file_kind kind;
	enum bolt_trace trace;  /* of a binary */
	struct bolt_input bolt; /* ... that llvm-bolt did not write */
	bool table_is_bad;
	const char *json_format;
	const struct foreign *foreign; /* FILE_FOREIGN */
	const char *ran; /* of a recording: the hottest file that it names and that is the same file
			    here; NULL: none */
	bool ran_bolted; /* ... llvm-bolt made it */
	const char *input; /* of a BOLTed binary, also of the one that ran: its input binary; NULL:
			      not found */
	const char *named; /* ... the hottest file that it names; NULL: none */
	enum recording_lack lack; /* ... */
	uint32_t trace_kind;      /* of the trace, enum perf_trace_kind */
	bool plain;    /* ... it is of aggregated samples without branches, which name no file */
	bool is_shard; /* of a profile: llvm-bolt does not read it */
	const char *itrace; /* ... it has a hardware trace that perf script decodes with
			       this --itrace; NULL: none */
};
void advise_use(const struct use *use, char *line, size_t size);

/* What the figures of a profile come to. */
enum outcome {
	OUTCOME_OTHER_BUILD, /* the samples are of another build */
	OUTCOME_EMPTY,       /* no function has a sample */
	OUTCOME_ADDRESSES,   /* basic samples of a BOLTed binary, without the input */
	OUTCOME_WRITTEN,     /* files.profile can be given to llvm-bolt */
	OUTCOME_FIRST,       /* the binary is not BOLTed */
	OUTCOME_DOUBTED,     /* the compiler's counts are guesses, few, or of older code */
	OUTCOME_MISPLACED,   /* the layout of the BOLTed binary does not fit the workload */
	OUTCOME_UNSURE,      /* it seems to fit, and the samples do not show that for certain */
	OUTCOME_FITS,
};

struct outcome_files {
	const char *binary, *input; /* input: NULL if it was not given */
	const char *const *samples;
	size_t sample_count;
	const char *profile; /* where the user had the profile written; NULL: to none */
	bool from_compiler;  /* the compiler's counts in the binary represent samples ... */
	bool forced;         /* ... although no function has one: --force-map */
	const struct bolt_input *bolt; /* the binary that llvm-bolt is to read; NULL: not known */
	const char
		*debug; /* ... the debug file of that program, which has its symbols; NULL: none */
};

/* What to do now, after what llvm-bolt cannot do with the binary.  few: more samples would make a
 * better profile.  out->about is the binary. */
void advise_outcome(enum outcome outcome, bool few, const struct outcome_files *files,
		    struct advice *out);

#endif
