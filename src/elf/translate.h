/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The way from a vaddr in a binary that BOLT wrote to a place in its input binary:
 *
 *   vaddr -> struct output_place (function + offset, fragment) -> struct input_place
 */
#ifndef ELF_TRANSLATE_H
#define ELF_TRANSLATE_H

#include "src/elf/binary.h"

/* Where a vaddr of the optimised binary lies. */
struct output_place {
	const struct function *function;      /* NULL: in none                    */
	const struct bat_fragment *fragment;  /* NULL: BOLT did not touch it      */
	uint32_t offset;                      /* from the beginning of `function` */
};

/* near: a function that may well hold it, or NULL. */
struct output_place binary_place(const struct binary *binary, struct vaddr at,
			  const struct function *near);

/* The place at an offset of a function, by its number in binary->functions.at. */
static inline struct output_place binary_place_in(const struct binary *binary, uint32_t function, uint32_t offset)
{
	uint32_t fragment = binary->fragment_of[function];

	return (struct output_place){&binary->functions.at[function],
				     fragment == NO_FRAGMENT ? NULL : &binary->bat.fragments[fragment], offset};
}

/* Where it lies in the input binary. */
struct input_place {
	const struct function *function; /* that has the input function's name;
	                                    NULL: none                         */
	uint32_t offset;                 /* in the input function; 0 for none  */
};

/* Translate a place.  is_source: the address of a branch instruction.
 * False: in a cold fragment whose parent is not known, or of a BINARY_LOST. */
bool binary_translate(const struct binary *binary, struct output_place place, bool is_source,
		      struct input_place *out);

/* The function that stands for a place in the input binary: of a cold fragment
 * the parent.  NULL: in none, or of unknown parent. */
const struct function *binary_owner(const struct binary *binary, struct output_place place);

#endif
