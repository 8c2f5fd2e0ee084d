/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/addrspace/kernel_names.h"

bool kernel_name_is_kernel(struct text path)
{
	return text_starts(path, "[kernel.") || text_is(text_basename(path), "vmlinux");
}

bool kernel_name_is_of_guest(struct text path)
{
	return text_starts(path, "[guest.");
}

struct text kernel_name_symbol(struct text path)
{
	return text_starts(path, "[") ? text_behind(path, text_find(path, ']')) : (struct text){path.at, 0};
}

/* What stands behind the name of a module's file: .ko, .ko.xz, .ko.zst, ... */
static struct text without_suffix(struct text name)
{
	for (size_t i = 0; i < name.len; i++) {
		struct text rest = text_from(name, i);
		if (text_is(rest, ".ko") || text_starts(rest, ".ko."))
			return text_first(name, i);
	}
	return name;
}

struct text kernel_module_name(struct text path, char name[KERNEL_NAME_MOST])
{
	struct text base = text_basename(path);

	if (text_starts(base, "[") && text_ends(base, "]"))
		base = (struct text){base.at + 1, base.len - 2};
	else
		base = without_suffix(base);
	base = text_first(base, KERNEL_NAME_MOST);
	for (size_t i = 0; i < base.len; i++)
		name[i] = base.at[i] == '-' ? '_' : base.at[i];
	return (struct text){name, base.len};
}
