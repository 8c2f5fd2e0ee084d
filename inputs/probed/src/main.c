/* walk: grades numbers, and walks through a table.  Public domain (CC0). */
#include <stdio.h>
#include <stdlib.h>

#include "blend.h"

/* table.c has one of this name, too. */
static __attribute__((noinline)) int step(int value)
{
	return value % 3 ? value / 2 : value * 3 + 1;
}

__attribute__((noinline)) void report_odd(const char *what, int value)
{
	if (value < 0)
		abort();
	printf("%s: %d\n", what, value);
}

static __attribute__((noinline)) int grade(int value)
{
	switch (value & 15) {
	case 0: return blend(value, 3);
	case 1: return clamp(value, 11);
	case 2: return scale(value, 6);
	case 3: return -value;
	case 7: return blend(value, value >> 2);
	case 9: return step(value);
	case 14: return 1;
	default: return value >> 3;
	}
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 100, sum = 0;

	for (int i = 0; i < rounds; i++) {
		int value = step(i);
		sum += grade(value);
		if (value > 1000000)
			report_odd("large", value);
		if (i % 8 == 0)
			sum += table_walk(i, 9);
	}
	report_odd("sum", sum & 0xffff);
	return 0;
}
