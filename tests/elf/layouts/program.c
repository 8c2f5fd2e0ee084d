/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program of some functions, to be linked in many ways.  `wait` as its argument:
 * shows that it is ready and waits until its input ends. */
#include <stdio.h>
#include <string.h>

static const int table[] = {3, 1, 4, 1, 5, 9, 2, 6};
static int counters[4096]; /* .bss beyond the file's pages */

__attribute__((noinline)) static int look_up(int i)
{
	return table[i & 7];
}

__attribute__((noinline)) int fold(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++) {
		if (look_up(i) > 4)
			sum += i;
		else if (__builtin_expect(i == 1000003, 0))
			fputs("rare\n", stderr);
		else
			sum -= look_up(sum);
	}
	return sum;
}

__attribute__((noinline)) static void count(int value)
{
	switch (value & 7) {
	case 0: counters[0] += 1; break;
	case 1: counters[17] += 2; break;
	case 2: counters[99] -= 1; break;
	case 3: counters[4000] += value; break;
	case 5: counters[value & 1023]++; break;
	default: counters[1]++; break;
	}
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "wait")) {
		puts("ready");
		fflush(stdout);
		return getchar() == EOF ? 0 : 1;
	}
	for (int i = 0; i < 200000; i++)
		count(fold(i & 63));
	printf("%d %d\n", counters[0], counters[4000]);
	return 0;
}
