/* Written for this project, public domain (CC0).  AArch64: llvm-bolt does not read the jump table, keeps the function as it is, and the nop in it
 * has a branch entry. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static long step(long kind, long a)
{
	long out = 0;

	__asm__ volatile("	adr x9, 1f\n"
			 "	ldrsw x10, [x9, %1, lsl #2]\n"
			 "	add x9, x9, x10\n"
			 "	br x9\n"
			 "1:	.word 2f - 1b, 3f - 1b, 4f - 1b\n"
			 "2:	add %0, %2, #1\n"
			 "	nop\n"
			 "	add %0, %0, #2\n"
			 "	b 5f\n"
			 "3:	mul %0, %2, %2\n"
			 "	b 5f\n"
			 "4:	sub %0, %2, #9\n"
			 "5:"
			 : "=&r"(out) : "r"(kind), "r"(a) : "x9", "x10");
	return out;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1000, sum = 0;

	for (long i = 0; i < n; i++)
		sum += step(i % 3, sum & 1023);
	printf("%ld\n", sum);
	return 0;
}
