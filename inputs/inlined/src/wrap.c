/* Wrappers of wrappers: functions that only llvm-bolt inlines, into several callers, in loops, by calls and tail calls,
   with bodies of one block and of several, with recursion among them, and with a part that the compiler put elsewhere. */
#include <stdio.h>
#include <stdlib.h>
#define ALONE __attribute__((noinline, noipa))

static volatile long cell, other;

ALONE void leaf(long x) { cell = x; }
ALONE void low(long x) { leaf(x); }
ALONE void mid(long x) { low(x + 1); }
ALONE void top(long x) { mid(x); }

ALONE long peek(void) { return cell; }
ALONE long peek2(void) { return peek() + 1; }
ALONE long peek3(void) { return peek2() + 2; }

/* Both reach the same function, once each. */
ALONE void *room(size_t n) { return malloc(n); }
ALONE void *more_room(size_t n) { return malloc(n + 8); }
ALONE void drop(void *p) { free(p); }
ALONE void drop2(void *p) { drop(p); }

/* Several blocks. */
ALONE void maybe(long x) { if (x & 4) cell = x; }
ALONE void maybe2(long x) { if (x) maybe(x); }
ALONE void maybe3(long x) { maybe2(x - 1); }
ALONE long limit(long x) { if (x < 10) return 10; if (x > 1000) return 1000; return x; }

/* They call each other. */
ALONE void ring2(long n);
ALONE void ring1(long n) { if (n) ring2(n - 1); }
ALONE void ring2(long n) { if (n) ring1(n - 1); }

/* Its default is in a part of its own, and is small. */
ALONE void choose(int k, long *to)
{
	long x;
	switch (k) {
	case 0: x = *to / 2; break;
	case 1: x = ~*to; break;
	case 2: x = *to + 1; break;
	case 3: x = *to * 3; break;
	case 4: x = *to ^ 77; break;
	case 5: x = *to - 5; break;
	default: __builtin_expect_with_probability(1, 1, 1); goto cold;
	}
	*to = x;
	return;
cold: __attribute__((cold));
	*to = 0;
}

/* Two tail calls at the end of one block. */
ALONE long first(long x) { other += x; other ^= 3; return other & 7; }
ALONE long second(long x) { other -= x; other ^= 5; return other & 3; }
ALONE long pick(long x) { return x & 1 ? first(x) : second(x); }

ALONE long user1(long n)
{
	for (long i = 0; i < n; i++) {
		top(i);
		if (i % 3 == 0)
			maybe3(i);
	}
	return peek3();
}

ALONE long user2(long n)
{
	long sum = 0;
	for (long i = 0; i < n; i++) {
		mid(i);
		sum += peek3() + limit(i - 7);
		void *a = room(i & 63), *b = more_room(i & 31);
		drop2(a);
		drop(b);
		other = sum;
	}
	return sum;
}

ALONE long user3(long n)
{
	if (n & 1)
		top(n);
	else
		low(n);
	maybe2(n);
	ring1(n % 7);
	return peek2();
}

int main(int argc, char **argv)
{
	long sum = 0, n = argc > 1 ? atol(argv[1]) : 3000;
	for (long i = 0; i < n; i++) {
		sum += user3(i);
		choose(i % 8, &sum);
		sum += pick(i % 5 ? i | 1 : i);
	}
	sum += user1(n) + user2(2 * n);
	printf("%ld\n", sum);
	return 0;
}
