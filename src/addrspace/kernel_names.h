/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the names of mappings of no process stand for: the kernel, a guest's, or a module. */
#ifndef ADDRSPACE_KERNEL_NAMES_H
#define ADDRSPACE_KERNEL_NAMES_H

#include <stdbool.h>

#include "src/base/text.h"

/* [kernel.kallsyms]_text, [kernel.vmlinux]_stext, vmlinux */
bool kernel_name_is_kernel(struct text path);

/* [guest.kernel.kallsyms], [guest.kernel.kallsyms.PID]_text */
bool kernel_name_is_of_guest(struct text path);

/* The symbol behind the bracket; empty if there is none. */
struct text kernel_name_symbol(struct text path);

/* The name of a module, as lsmod has it: "ext4" of /lib/modules/6.1.0/kernel/fs/ext4/ext4.ko.xz and of
 * [ext4].  Cut to fit into `name`, which it is in. */
#define KERNEL_NAME_MOST 64
struct text kernel_module_name(struct text path, char name[KERNEL_NAME_MOST]);

#endif
