/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The build-id table of perf.data: the build-ids of files, which the recorder read
 * when the recording ended.
 */
#ifndef EVENT_PERF_DATA_BUILD_IDS_H
#define EVENT_PERF_DATA_BUILD_IDS_H

#include "src/base/attr.h"
#include "src/base/vec.h"
#include "src/base/build_id.h"
#include "src/base/bytes.h"
#include "src/base/error.h"
#include "src/base/map.h"

/* What perf calls the kernel; in its mapping a symbol stands behind it. */
#define PERF_KERNEL_NAME "[kernel.kallsyms]"

struct perf_build_id {
	char *path; /* owned; no other entry has it */
	struct build_id id;
	bool ambiguous; /* the path also stands for another build-id */
};
DEFINE_VEC(perf_build_id_vec, struct perf_build_id);

struct perf_build_ids {
	struct perf_build_id_vec all;
	struct map by_path; /* indices of them; empty after perf_build_ids_sort() */
};

void perf_build_ids_free(struct perf_build_ids *table);

/* Add the entry of a build-id record: its misc word and what follows the 8
 * bytes of its header.  Those of modules and guests are left out, and the kernel is PERF_KERNEL_NAME.
 *
 * BC_FORMAT  too short or without a name
 * BC_NOMEM */
BC_MUST_USE bool perf_build_ids_add(struct perf_build_ids *table, uint16_t misc,
				    struct bytes body, struct bc_error *err);

/* Sort the entries by path.  After that nothing can be looked up or added. */
void perf_build_ids_sort(struct perf_build_ids *table);

/* The build-id of a file, or of the kernel by any name of its mapping, or NULL if it is not in the table or has several. */
const struct build_id *perf_build_ids_find(const struct perf_build_ids *table, struct text path);

#endif
