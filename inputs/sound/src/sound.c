/* Written for this project, public domain (CC0).  llvm-bolt 16 makes a table of it that looks damaged and is not: see ../../MANIFEST.md.  x86-64. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline, cold)) static void complain(void)
{
	puts("too large");
	exit(3);
}

/* gcc makes a .cold part of it.  -inline-small-functions puts the rest into `sum`. */
__attribute__((noinline)) static long checked(long a, long b)
{
	if (a > 1L << 40)
		complain();
	return a * 3 + b;
}

__attribute__((noinline)) static long twice(long a, long b)
{
	return 2 * a - b;
}

__attribute__((noinline)) static long half(long a, long b)
{
	return a / 2 + b;
}

/* The call is promoted. */
__attribute__((noinline)) static long call(long (*function)(long, long), long n)
{
	long sum = 0;

	for (long i = 0; i < n; i++)
		sum += function(i, sum & 255);
	return sum;
}

__attribute__((noinline)) static long sum(long n)
{
	long sum = 0;

	for (long i = 0; i < n; i++)
		sum = checked(i, sum & 1023);
	return sum;
}

/* The block at 3 is a jump only, which llvm-bolt removes. */
long jump(long n);
__asm__(".text\n"
	".globl jump\n"
	".type jump,@function\n"
	"jump:\n"
	"	.cfi_startproc\n"
	"	xorl %eax, %eax\n"
	"1:	testq $3, %rdi\n"
	"	je 3f\n"
	"	addq %rdi, %rax\n"
	"	xorl %ecx, %ecx\n"
	"3:	jmp 4f\n"
	"2:	xorq $5, %rax\n"
	"	ret\n"
	"4:	incq %rax\n"
	"	decq %rdi\n"
	"	jle 2b\n"
	"	jmp 1b\n"
	"	.cfi_endproc\n"
	".size jump,.-jump\n");

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1000;

	printf("%ld %ld %ld %ld\n", sum(n), call(twice, n), call(half, n / 16), jump(n));
	return 0;
}
