/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The processes that a recording hands on to the next one, if that is a later part of the same
 * recording and has a history of its own.
 */
#ifndef ADDRSPACE_CARRIED_H
#define ADDRSPACE_CARRIED_H

#include "src/addrspace/history.h"
#include "src/event/recordings.h"

/* Zeroed means that no recording came before. */
struct carried {
	struct recordings recordings; /* for the reader */
	bool new_recording;           /* likewise: the next one goes on from none */
	struct mapped_files files;    /* of the processes */
	struct processes processes;
};

void carried_free(struct carried *carried);

/* When a recording was read: keep its processes.  BC_NOMEM */
BC_MUST_USE bool carried_keep(struct carried *carried, const struct history *history, struct bc_error *err);

/* At EVENT_CONTINUES, before the history takes it: they are those of the recording before.  BC_NOMEM */
BC_MUST_USE bool carried_give(const struct carried *carried, struct history *history, struct bc_error *err);

#endif
