/* Functions that only llvm-bolt inlines, to five levels: results used, branches, loops, a copy of
 * memory, a table, recursion, calls through pointers, a call that does not return. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N __attribute__((noinline))
static volatile long a, b;
static char buf[64], src[64] = "some text to be copied";
N long l5(long x)
{
	return x ^ a;
}
N long l4(long x)
{
	return l5(x) + 1;
}
N long l3(long x)
{
	long y = l4(x);
	if (y & 8)
		return y * 3;
	return l4(y);
}
N long l2(long x)
{
	return x > 100 ? l3(x) : l4(x) - 2;
}
N long l1(long x)
{
	return l2(x) + l2(x + 1);
}
N long count(const char *s)
{
	long n = 0;
	while (*s++)
		n++;
	return n;
}
N long count2(const char *s)
{
	return count(s) * 2;
}
N void copy(size_t n)
{
	memcpy(buf, src, n & 31);
}
N void copy2(size_t n)
{
	copy(n);
}
N long sw(int k)
{
	switch (k & 7) {
	case 0:
		return 5;
	case 1:
		return a;
	case 2:
		return b;
	case 3:
		return 7;
	case 4:
		return a + b;
	case 5:
		return 9;
	default:
		return 1;
	}
}
N long sw2(int k)
{
	return sw(k) + 1;
}
N void die(const char *m)
{
	fprintf(stderr, "%s\n", m);
	exit(9);
}
N void check(long x)
{
	if (x < 0)
		die("negative");
}
N void check2(long x)
{
	check(x);
	check(x + 1);
}
N long fib(long n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
N long fibw(long n)
{
	return fib(n);
}
N long even(long n);
N long odd(long n)
{
	return n == 0 ? 0 : even(n - 1);
}
N long even(long n)
{
	return n == 0 ? 1 : odd(n - 1);
}
N long sel(long n, long (*f)(long))
{
	return f(n);
}
N long sel2(long n, long (*f)(long))
{
	return sel(n, f);
}
N void set_a(long x)
{
	a = x;
}
N void set_b(long x)
{
	b = x;
}
N void set_both(long x)
{
	set_a(x);
	set_b(x + 1);
}
N long worker(long n)
{
	long s = 0;
	for (long i = 0; i < n; i++) {
		s += l1(i);
		check2(i);
		set_both(s & 15);
		if (i % 7 == 0)
			s += count2(src + (i & 7));
		copy2(i);
		s += sw2(i);
		s += sel2(i, i & 1 ? l5 : l4);
		s += even(i & 7);
	}
	return s;
}
int main(int c, char **v)
{
	long n = c > 1 ? atol(v[1]) : 2000;
	long s = worker(n);
	s += fibw(14);
	for (long i = 0; i < n; i++)
		if (l2(i) & 1)
			s += l3(i);
	printf("%ld %s\n", s, buf);
	return 0;
}
