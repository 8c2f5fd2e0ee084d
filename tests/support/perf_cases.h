/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Small perf.data files, each with something that a reader can get wrong. */
#ifndef TESTS_SUPPORT_PERF_CASES_H
#define TESTS_SUPPORT_PERF_CASES_H

#include "tests/support/build_perf.h"

/* One event with branch stacks, "cycles:u". */
extern const struct build_attr lbr_attr;

/* Two events whose samples differ in their fields. */
extern const struct build_attr mixed_attrs[2];

/* A sample of process 7 with two branches, whose ip is 0x401000 + its time. */
struct build_sample sample_at(uint64_t time);
void put_at(struct build_perf *b, const struct build_attr *attr, uint64_t time);

/* Process 7 begins /bin/a, which is mapped. */
void put_process(struct build_perf *b, const struct build_attr *attr, uint64_t time);

/* Each fills a file with one case. */
void case_lbr(struct build_perf_file *file);
void case_nameless(struct build_perf_file *file);
void case_rounds(struct build_perf_file *file);
void case_mixed(struct build_perf_file *file);
void case_wide(struct build_perf_file *file);
void case_processes(struct build_perf_file *file);
void case_compressed(struct build_perf_file *file);  /* case_lbr() in records of COMPRESSED */
void case_compressed2(struct build_perf_file *file); /* and of COMPRESSED2 */

/* What perf_log.h prints for case_lbr(). */
extern const char lbr_log[];

/* All cases as whole files, for tests that go through all of them. */
struct perf_case {
	const char *name;
	void (*fill)(struct build_perf_file *file);
	void (*build)(const struct build_perf_file *file, struct build_perf *out);
};
enum { PERF_CASE_LBR = 0, PERF_CASE_NAMELESS = 2, PERF_CASES = 9 };
extern const struct perf_case perf_cases[PERF_CASES];

void perf_case_build(const struct perf_case *perf_case, struct build_perf *out);

#endif
