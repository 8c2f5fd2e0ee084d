/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The files that are mapped, each kept once and named by a number: in a recording or
 * in the maps of a process they repeat in every mapping.
 */
#ifndef SAMPLES_MAPPED_FILES_H
#define SAMPLES_MAPPED_FILES_H

#include "src/base/build_id.h"
#include "src/base/strings.h"
#include "src/elf/image.h"

/* What of the same path has another inode or build-id is another file. */
struct mapped_file {
	uint64_t inode;        /* 0: none, or not known */
	uint32_t major, minor; /* of the device         */
	uint32_t path;         /* text: as the kernel tells it, with " (deleted)",
	                          [vdso] and the like; 0: anonymous */
	uint32_t build_id;     /* text: the bytes, or MAPPED_GO_ID and Go's; 0: not recorded */
};

/* What is no GNU build-id but Go's begins with this. */
#define MAPPED_GO_ID "Go build-id: "

/* Zeroed means empty. */
struct mapped_files {
	struct strings texts; /* paths and build-ids */
	struct strings files; /* the bytes of a struct mapped_file */
};

void mapped_files_free(struct mapped_files *files);

/* The number of a file, which is kept if it is new; 0 is the file of which nothing is known.
 * False when out of memory. */
BC_MUST_USE bool mapped_files_intern(struct mapped_files *files, const struct mapped_file *file,
				     uint32_t *out);

/* The numbers that the files of another set have in this one, where they are kept if they are new,
 * by their numbers there.  To be freed; NULL: out of memory. */
uint32_t *mapped_files_translate(const struct mapped_files *from, struct mapped_files *into);

/* The file of a number, its path (NUL-terminated), GNU build-id and Go build-id, of which at most
 * one was recorded; empty for unknown numbers. */
const struct mapped_file *mapped_files_at(const struct mapped_files *files, uint32_t number);
struct text mapped_files_path(const struct mapped_files *files, uint32_t number);
struct text mapped_files_build_id(const struct mapped_files *files, uint32_t number);
struct text mapped_files_go_id(const struct mapped_files *files, uint32_t number);

/* The GNU build-id; of size 0 if it was not recorded, or is longer than any. */
struct build_id mapped_files_id(const struct mapped_files *files, uint32_t number);

/* What a path stands for. */
enum path_kind {
	PATH_NONE,    /* anonymous memory */
	PATH_FILE,    /* begins with a slash, deleted or not */
	PATH_SPECIAL, /* [heap], [vdso], [vsyscall], [anon:...], //anon, memfd ... */
};
enum path_kind path_kind_of(struct text path);

/* Without " (deleted)". */
struct text path_without_deleted(struct text path);

/* Is a file the build that was mapped, by its GNU build-id or Go's?  Who maps files by name asks this first. */
enum recorded_build {
	BUILD_NOT_TOLD, /* no id was recorded */
	BUILD_SAME,
	BUILD_OTHER,    /* another id was recorded, or the image has none */
};

enum recorded_build build_judge(const struct build_id *id, struct text go_id, const struct image *image);
enum recorded_build build_of(const struct mapped_files *files, uint32_t file, const struct image *image);

#endif
