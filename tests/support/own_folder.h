/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A directory of a test's own, with small files. */
#ifndef TESTS_SUPPORT_OWN_FOLDER_H
#define TESTS_SUPPORT_OWN_FOLDER_H

/* Set-up and tear-down of a group of tests; the second removes what they left there. */
int enter_folder(void **state);
int leave_folder(void **state);

void put_file(const char *path, const char *text);

/* Asserts that a file holds this text, of less than 64 bytes. */
void assert_holds(const char *path, const char *text);

#endif
