/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program of somebody who has libbat installed. */
#include <bat/bat.h>
#include <stdio.h>

int main(void)
{
	static const uint8_t empty[2] = {0, 0};
	struct bat_table table;
	struct bat_error err;

	if (!bat_decode_as(BAT_LAYOUT_HASHED, empty, sizeof(empty), &table, &err))
		return 1;
	printf("%s, %u fragments\n", bat_layout_name(table.layout), table.fragment_count);
	bat_free(&table);
	return 0;
}
