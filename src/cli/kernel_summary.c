/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/kernel_summary.h"

#include <inttypes.h>

#include "src/cli/say.h"
#include "src/flow/kernel_check.h"

/* NULL: the binary is no kernel, or the input is of no recording. */
static const struct kernel_place *place_of(const struct conversion *c, size_t number)
{
	const struct kernel_space *kernel = &c->aggregate.space.kernel;

	return kernel->image && !kernel->options.in_place && number < c->aggregate.kernels.len &&
			       c->inputs.at[number].format != INPUT_PREAGG
		       ? &c->aggregate.kernels.at[number] : NULL;
}

const char *kernel_moved(const struct conversion *c, size_t number, char text[MOVED_SIZE])
{
	const struct kernel_place *place = place_of(c, number);
	uint64_t moved = place ? place->moved : 0;
	bool down = moved >> 63;

	snprintf(text, MOVED_SIZE, "%s0x%" PRIx64, down ? "-" : "", down ? 0 - moved : moved);
	return text;
}

const char *kernel_told(const struct conversion *c, size_t number)
{
	static const char *const words[] = {[KERNEL_NOT_TOLD] = "not recorded", [KERNEL_HIDDEN] = "hidden",
					    [KERNEL_TOLD] = "recorded"};
	const struct kernel_place *place = place_of(c, number);

	return place ? words[place->told] : "no kernel";
}

struct kernel_module_vec kernel_modules(const struct conversion *c)
{
	struct kernel_module_vec modules = {0};
	struct bc_error ignored;

	if (!kernel_space_modules(&c->aggregate.space.kernel, &modules, &ignored))
		kernel_module_vec_free(&modules);
	return modules;
}

void print_kernel(const char *path, const struct conversion *c, size_t number, FILE *out)
{
	const struct kernel_place *place = place_of(c, number);

	if (place && place->told == KERNEL_TOLD) {
		char moved[MOVED_SIZE];
		say(out, "%s: the kernel had moved by %s from where its file has it", path, kernel_moved(c, number, moved));
	}
}

void print_modules(const struct conversion *c, FILE *out)
{
	BC_AUTO(kernel_module_vec_free) struct kernel_module_vec modules = kernel_modules(c);

	if (modules.len)
		say(out, "samples in modules of the kernel:");
	for (size_t i = 0; i < modules.len; i++)
		say(out, "  %12" PRIu64 " %.*s", modules.at[i].samples, (int)modules.at[i].name.len,
		    modules.at[i].name.at);
}

void warn_of_kernel(const struct conversion *c, size_t number, const struct warnings *to)
{
	if (kernel_is_assumed(c, number))
		warn(to, "%s: warning: %s; it is taken to be where %s has it: %s", input_name(c->options.samples[number]),
		     c->aggregate.kernels.at[number].told == KERNEL_HIDDEN
			     ? "the address of the kernel was hidden from perf (kptr_restrict)"
			     : "does not tell where the kernel was",
		     c->options.binary, kernel_remedy(c, number));
}

static void print_warning(void *ctx, const char *text)
{
	say(ctx, "%s", text);
}

void tell_kernel(const struct conversion *c, size_t number)
{
	warn_of_kernel(c, number, &(struct warnings){print_warning, stderr});
}
