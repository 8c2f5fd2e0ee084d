/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What carry says of its work. */
#ifndef FIGURES_CARRY_REPORT_H
#define FIGURES_CARRY_REPORT_H

#include <stdio.h>

#include "src/base/json.h"
#include "src/base/say.h"
#include "src/carry/carry.h"
#include "src/profile/profile.h"

struct carry_report {
	const struct carried_counts *carried;
	const char *old_build, *new_build, *output; /* as they were given */
	const struct profile *profile;              /* of the new build */
};

void carry_report_text(const struct carry_report *report, FILE *out);
void carry_report_json(const struct carry_report *report, FILE *out);

/* The same in another document: an object of this key. */
void carry_report_object(const struct carry_report *report, struct json *json, const char *key);

/* Warns of a profile that can be of another build, and of one of which little was found again. */
void carry_report_warnings(const struct carry_report *report, const struct warnings *to);

/* The last line: what to do with the profile. */
void carry_report_next(const struct carry_report *report, FILE *out);

#endif
