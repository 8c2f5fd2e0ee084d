/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Process maps from wherever they are: a .bcmaps file, text as /proc/PID/maps has
 * it, the mapping records of perf.data or of perf script's text, or a process.
 */
#ifndef SAMPLES_OPEN_H
#define SAMPLES_OPEN_H

#include "src/samples/history.h"
#include "src/samples/snapshots.h"
#include "src/samples/reader.h"

/* Read a file into snapshots, which are indexed afterwards; "-" is stdin.  Given by
 * its first bytes.
 *
 * until   of a recording, leave out what happened later (ns); UINT64_MAX: nothing
 * report  what its reader saw; zeroed for anything else
 *
 * Of a recording there is a snapshot of each process for each time that samples of
 * it met other maps than before, and one of the end.
 *
 * BC_FORMAT, BC_UNSUPPORTED  the text has the file and the line or byte
 * BC_IO, BC_NOMEM */
BC_MUST_USE bool maps_open(const char *path, uint64_t until, struct snapshots *out,
			   struct reader_report *report, struct bc_error *err);

/* The same of one file of several: a later part of the recording before continues from there. */
BC_MUST_USE bool maps_open_next(const char *path, uint64_t until, struct carried *carried,
				struct snapshots *out, struct reader_report *report,
				struct bc_error *err);

/* One snapshot, of a process now (time of CLOCK_MONOTONIC, as perf's), with the
 * build-ids that its memory has.
 *
 * BC_NOTFOUND, BC_IO, BC_NOMEM */
BC_MUST_USE bool maps_open_process(uint32_t pid, struct snapshots *out, struct bc_error *err);

/* Adds snapshots to those in a .bcmaps file, and makes the file if there is none; "-" is stdout.
 * Several processes can add to one file at the same time, and nothing is lost (src/base/output.h).
 *
 * BC_FORMAT  the file exists and holds no snapshots: it stays as it is
 * and all errors of maps_open(), snapshots_merge() and output_commit() */
BC_MUST_USE bool maps_add(const char *path, const struct snapshots *more, struct bc_error *err);

#endif
