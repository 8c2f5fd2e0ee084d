/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds out the kind and the content of a file that batconv, perf or BOLT reads or writes.
 */
#ifndef FIGURES_INSPECT_H
#define FIGURES_INSPECT_H

#include "src/elf/binary.h"
#include "src/samples/file_kind.h"
#include "src/figures/profile_facts.h"
#include "src/figures/recording.h"
#include "src/profile/shard.h"

/* What a file that a recording names is here and now. */
enum local_file {
	LOCAL_NONE,  /* not here, or no ELF file */
	LOCAL_OTHER, /* another build: build-ids differ */
	LOCAL_PLAIN, /* not BOLTed */
	LOCAL_LOST,  /* BOLTed, without a BAT */
	LOCAL_BAT,
};

/* So many processes and files are told of. */
#define INSPECT_LISTED ((size_t)10)

struct inspected {
	const char *path;
	enum file_kind kind;
	const struct foreign *foreign; /* FILE_FOREIGN */
	enum packing packing; /* of files; of samples report.packing */
	bool is_shard;        /* `shard` is what it says of itself */
	struct shard shard;
	struct binary binary;       /* FILE_BINARY, FILE_SIDE, FILE_NOTE */
	struct recording recording; /* FILE_SAMPLES, also those that only all of it tells */
	enum local_file local[INSPECT_LISTED]; /* of recording.files */
	struct profile_facts profile; /* FILE_FDATA, FILE_YAML */
	char json_format[64];         /* FILE_JSON: the value of its "format" or "schema", or empty */
	char bat_wrong[768];          /* why the BAT cannot be read; else empty */
};

/* Zeroed before; inspected_free() it in any case.
 *
 * carried  of several files: a later part of the recording before goes on from there; or NULL
 *
 * BC_FORMAT  also: nothing that is known here
 * BC_IO, BC_NOMEM, BC_UNSUPPORTED */
BC_MUST_USE bool inspect_file(const char *path, struct input_progress progress, struct carried *carried,
			      struct inspected *out, struct bc_error *err);
void inspected_free(struct inspected *inspected);

/* "LLVM 19 to 23" */
const char *layout_releases(enum bat_layout layout);

#endif
