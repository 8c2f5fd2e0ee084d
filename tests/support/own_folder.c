/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* nftw() */
#include "tests/support/own_folder.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/cmocka.h"

static char folder[] = "/tmp/batconv-test-XXXXXX";

int enter_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *place)
{
	(void)st;
	(void)kind;
	(void)place;
	return remove(path);
}

int leave_folder(void **state)
{
	(void)state;
	return chdir("/") == 0 ? nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS) : -1;
}

void put_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

void assert_holds(const char *path, const char *text)
{
	char buffer[64] = {0};
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	assert_int_equal(fread(buffer, 1, sizeof(buffer) - 1, file), strlen(text));
	fclose(file);
	assert_string_equal(buffer, text);
}
