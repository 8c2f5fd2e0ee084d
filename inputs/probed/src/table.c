/* walk: the table, whose operations are called through pointers.  Public domain (CC0). */
#include "blend.h"

static int table[64];

/* main.c has one of this name, too. */
static __attribute__((noinline)) int step(int at, int by)
{
	return (at * 5 + by) & 63;
}

static int add(int a, int b) { return a + blend(a, b); }
static int mix(int a, int b) { return a ^ (b << 1); }
static int drop(int a, int b) { return a - clamp(b, 40); }

static int (*const operations[])(int, int) = {add, mix, drop};

int table_walk(int seed, int rounds)
{
	int at = seed & 63, sum = 0;

	for (int i = 0; i < rounds; i++) {
		at = step(at, i);
		table[at] = operations[(at + i) % 3](table[at], at) & 0xffff;
		if (table[at] == 0x7fff)
			report_odd("table", at);
		sum += table[at];
	}
	return sum;
}
