/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The release of LLVM whose program batconv stands for: that of the name it is called by, as perf2bolt-24. */
#ifndef CLI_LLVM_RELEASE_H
#define CLI_LLVM_RELEASE_H

struct llvm_release {
	unsigned number;
	const char *version; /* as --version has it */
};

/* The newest known release up to the number behind the name of a path; without a number, and before the first
 * known one, the first. */
const struct llvm_release *llvm_release_called(const char *path);

#endif
