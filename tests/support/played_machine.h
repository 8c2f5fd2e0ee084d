/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Machines that are played: the files of /proc and /sys that are asked for, and which events the
 * kernel opens. */
#ifndef TESTS_SUPPORT_PLAYED_MACHINE_H
#define TESTS_SUPPORT_PLAYED_MACHINE_H

#include <stdbool.h>

#include "src/record/perf_open.h"

struct played_machine {
	/* Files; NULL: there is none. */
	const char *cpuinfo, *osrelease, *paranoid, *status, *depth, *pt_type, *spe_type, *etm_type,
		*container;
	bool brs;
	/* errno of these events; 0: they are opened. */
	int stacks, brs_stacks, cycles, clock, trace, etm, whole_machine;
	/* Fills a new ring of an event with records; NULL: it stays empty. */
	void (*fill)(struct perf_event_mmap_page *page, uint8_t *data, size_t size,
		     const struct perf_event_attr *attr);
};

extern const struct played_machine played_intel, played_virtual_machine, played_amd, played_arm,
	played_container, played_no_events, played_paranoid;

/* The kernel of the machine that is played. */
extern const struct perf_kernel played_kernel;
void play_machine(const struct played_machine *machine);

int played_open_now(void);

#endif
