/* Written for this project, public domain (CC0): symbols of every kind.  x86-64. */
#include <stdio.h>
#include <stdlib.h>

int table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
static _Thread_local long calls;
long zero;

/* Three names of one function. */
__attribute__((noinline)) long weigh(long a)
{
	calls++;
	if (a % 5 == 0)
		return a + table[a & 15];
	if (a < 0) {
		puts("negative");
		abort();
	}
	return a * 7 ^ zero;
}
long weigh_weak(long a) __attribute__((weak, alias("weigh")));
extern __typeof(weigh) weigh_hidden __attribute__((alias("weigh"), visibility("hidden")));

/* Two bodies that -icf folds. */
__attribute__((noinline)) long left(long a, long b) { return a * 31 + b * 17 + (a ^ b); }
__attribute__((noinline)) long right(long a, long b) { return a * 31 + b * 17 + (a ^ b); }

/* A second entry point that is a function by its symbol, and a label that is none. */
long outer(long a), inner(long a);
__asm__(".text\n"
	".globl outer, inner\n"
	".type outer,@function\n"
	".type inner,@function\n"
	"outer:\n"
	"	.cfi_startproc\n"
	"	addq $1, %rdi\n"
	"	testq $3, %rdi\n"
	"	je inner\n"
	"	addq %rdi, %rdi\n"
	"inside:\n"
	"	subq $9, %rdi\n"
	"inner:\n"
	"	leaq 5(%rdi,%rdi,2), %rax\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size outer,.-outer\n"
	".size inner,.-inner\n");

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1000, sum = 0;

	for (long i = 0; i < n; i++)
		sum += (i & 1 ? weigh(i) : weigh_weak(i)) + weigh_hidden(i) + left(i, sum & 7) - right(sum & 7, i) + outer(i) - inner(i);
	printf("%ld %ld\n", sum, calls);
	return 0;
}
