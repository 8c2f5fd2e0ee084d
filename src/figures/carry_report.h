/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What carry says of its work. */
#ifndef FIGURES_CARRY_REPORT_H
#define FIGURES_CARRY_REPORT_H

#include <stdio.h>

#include "src/carry/carry.h"
#include "src/elf/binary.h"

struct carry_report {
	const struct carried_counts *carried;
	const char *old_build, *new_build, *output; /* as they were given */
	const struct binary *binary;                /* the new build */
};

void carry_report_text(const struct carry_report *report, FILE *out);
void carry_report_json(const struct carry_report *report, FILE *out);

/* Warns of a profile that can be of another build, and of one of which little was found again. */
void carry_report_warnings(const struct carry_report *report, FILE *out);

#endif
