/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Names that come from outside - symbols, sections, paths, hosts, command lines - as
 * they are shown to people.  All that a terminal, or an eye, could take for something
 * else is not printed as it is: control characters (C0, DEL, C1), bytes that are no
 * UTF-8, and the characters that turn the direction of text or end a line.
 *
 * Whatever is for people goes through one of these two.  Formats for programs have rules
 * of their own.
 */
#ifndef BASE_PRINT_NAME_H
#define BASE_PRINT_NAME_H

#include <stdint.h>
#include <stdio.h>

#include "src/base/text.h"

/* Is it one of those that are not printed as they are? */
bool character_is_hidden(uint32_t character);

/* Print a name.  Of characters that are not printed as they are, each byte is printed as \033. */
void print_name(struct text name, FILE *out);

/* The same for a message in memory, where each such byte becomes '?'. */
void make_printable(char *line);

#endif
