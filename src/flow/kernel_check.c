/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/kernel_check.h"

bool kernel_is_assumed(const struct conversion *c, size_t number)
{
	const struct kernel_place_vec *places = &c->aggregate.kernels;

	return number < places->len && places->at[number].used && places->at[number].told != KERNEL_TOLD &&
	       !c->aggregate.space.kernel.options.in_place;
}

const char *kernel_remedy(const struct conversion *c, size_t number)
{
	if (c->inputs.at[number].format == INPUT_PERF_SCRIPT && c->aggregate.kernels.at[number].told == KERNEL_NOT_TOLD)
		return "perf script tells with --show-mmap-events, if it was recorded as root or after "
		       "`sysctl kernel.kptr_restrict=0`";
	return "record as root, or after `sysctl kernel.kptr_restrict=0`";
}

bool kernel_is_empty(const struct conversion *c)
{
	const struct kernel_space *kernel = &c->aggregate.space.kernel;

	return kernel->image && !kernel->options.in_place && !c->distinct && !c->ledgers.memory.kept;
}

bool kernel_check(const struct conversion *c, struct bc_error *err)
{
	if (!kernel_is_empty(c))
		return true;
	for (size_t i = 0; i < c->inputs.len; i++)
		if (kernel_is_assumed(c, i))
			return bc_fail(err, BC_MISMATCH, "%s: %s, and no sample lies where %s has its code: %s",
				       input_name(c->options.samples[i]),
				       c->aggregate.kernels.at[i].told == KERNEL_HIDDEN
					       ? "the address of the kernel was hidden from perf (kptr_restrict)"
					       : "does not tell where the kernel was",
				       c->options.binary, kernel_remedy(c, i));
	return true;
}
