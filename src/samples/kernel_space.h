/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Where a kernel is, if the binary is one: for all processes at the same address.
 *
 * A kernel can move at boot (KASLR).  perf records one mapping of it, of no process, whose name
 * ends with a symbol and whose offset is that symbol's run-time address:
 *
 *   moved = offset - value of the symbol in the file,     vaddr = address - moved
 *
 * Where the file lacks the symbol, or moved it itself as llvm-bolt may, the beginning of the
 * mapping is held against the first executable segment.  Until a recording shows, the kernel is
 * where its file says. The other mappings of no process are modules, whose samples are counted by
 * name.
 */
#ifndef SAMPLES_KERNEL_SPACE_H
#define SAMPLES_KERNEL_SPACE_H

#include <stdbool.h>

#include "src/samples/map_set.h"
#include "src/base/strings.h"
#include "src/base/text.h"
#include "src/elf/image.h"
#include "src/samples/event.h"

/* What the names of mappings of no process represent: the kernel, a guest's, or a module. */

/* [kernel.kallsyms]_text, [kernel.vmlinux]_stext, vmlinux */
bool kernel_name_is_kernel(struct text path);

/* [guest.kernel.kallsyms], [guest.kernel.kallsyms.PID]_text */
bool kernel_name_is_of_guest(struct text path);

/* The symbol after the bracket; empty if there is none. */
struct text kernel_name_symbol(struct text path);

/* The name of a module, as lsmod has it: "ext4" of /lib/modules/6.1.0/kernel/fs/ext4/ext4.ko.xz and
 * of [ext4].  Cut to fit into `name`, which it is in. */
#define KERNEL_NAME_MOST 64
struct text kernel_module_name(struct text path, char name[KERNEL_NAME_MOST]);

/* The files of an image space's mappings are two: the binary, and all others.  For the binary
 * mapping.offset is the vaddr of its beginning, which leads straight on. */
enum image_file { FILE_OTHER, FILE_IMAGE };

enum kernel_told {
	KERNEL_NOT_TOLD, /* there is no mapping of it      */
	KERNEL_HIDDEN,   /* there is one with the address 0 */
	KERNEL_TOLD,
};

struct kernel_place {
	enum kernel_told told;
	uint64_t moved; /* run-time address - vaddr; 0 unless it was reported */
	bool used;      /* samples of kernel code were looked up, in this recording */
};
DEFINE_VEC(kernel_place_vec, struct kernel_place);

struct kernel_module {
	struct text name; /* as lsmod has it */
	uint64_t samples;
};
DEFINE_VEC(kernel_module_vec, struct kernel_module);
DEFINE_VEC(kernel_count_vec, uint64_t);

struct kernel_options {
	bool in_place; /* what the recording shows is not looked at, as perf2bolt does not */
	bool ignore_build_id;
};

struct kernel_space {
	const struct image
		*image; /* borrowed; NULL: the binary is no kernel, and there is nothing else */
	struct kernel_options options;
	uint64_t text, stext;    /* values of these symbols in the file; 0: it has none */
	struct map_set *in_file; /* the kernel where its file says */
	struct map_set *maps, *maps_before; /* of this recording and the one before */
	struct kernel_place place, place_before;
	uint64_t placed; /* segments so far, to bound the work */
	struct strings modules;
	struct kernel_count_vec samples; /* by the number of a module */
};

/* The image is borrowed.  BC_NOMEM */
BC_MUST_USE bool kernel_space_init(struct kernel_space *space, const struct image *image,
				   struct kernel_options options, struct bc_error *err);
void kernel_space_free(struct kernel_space *space);

/* What follows is of another recording, unless it is continued. */
void kernel_space_forget(struct kernel_space *space);
void kernel_space_continue(struct kernel_space *space);

/* A mapping of no process: the kernel's, a module's, or what is left out, such as a guest's.
 *
 * BC_MISMATCH     another build of the kernel; or it is reported after samples that were placed
 *                 without it
 * BC_UNSUPPORTED  KERNEL_PLACED_MOST
 * BC_NOMEM */
BC_MUST_USE bool kernel_space_map(struct kernel_space *space, const struct map_event *event,
				  struct bc_error *err);

/* A file with a build-id that came after the samples.  BC_MISMATCH: it is another kernel. */
BC_MUST_USE bool kernel_space_identify(const struct kernel_space *space, const struct file_id *file,
				       struct bc_error *err);

/* Kernels have two or three executable segments, and recordings show once where they are. */
#define KERNEL_PLACED_MOST (UINT64_C(1) << 18)

/* Before a sample is looked up: count it if it is in a module. */
void kernel_space_sample(struct kernel_space *space, const struct sample *sample);

/* Modules with samples, most first, then by name.  Their names live as long as the space.  BC_NOMEM
 */
BC_MUST_USE bool kernel_space_modules(const struct kernel_space *space,
				      struct kernel_module_vec *out, struct bc_error *err);

#endif
