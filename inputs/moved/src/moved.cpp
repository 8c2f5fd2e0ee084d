// A program that gives llvm-bolt something to do of every kind whose flow does not come back by its table alone: calls
// through the PLT, virtual calls, exceptions, equal bodies, small functions, tail calls, aligned loops, a jump table, a
// computed goto, local functions of one name.  Public domain (CC0).
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern "C" unsigned run_a(unsigned n);
extern "C" unsigned run_b(unsigned n);
#define ALONE __attribute__((noinline))

static unsigned seed = 1;
static unsigned next_number() { return seed = seed * 1664525 + 1013904223, seed >> 10; }

struct Shape {
	virtual ~Shape() {}
	virtual unsigned area(unsigned x) const = 0;
};
struct Square : Shape {
	unsigned area(unsigned x) const override { return x * x; }
};
struct Flat : Shape {
	unsigned area(unsigned x) const override { return x + 3; }
};
struct Odd : Shape {
	unsigned area(unsigned x) const override
	{
		unsigned sum = 0;
		for (unsigned i = 0; i < (x & 7); i++)
			sum += i ^ x;
		return sum;
	}
};

template <class T> struct Stack {
	T *at[64];
	unsigned len = 0;
	ALONE bool push(T *value)
	{
		if (len == 64)
			return false;
		at[len++] = value;
		return true;
	}
	ALONE T *pop() { return len ? at[--len] : nullptr; }
};

struct Bad {
	unsigned code;
};

ALONE static unsigned checked(unsigned x)
{
	if (x % 37 == 5)
		throw Bad{x};
	return x / 3;
}

ALONE static unsigned caught(unsigned x)
{
	try {
		return checked(x) + 1;
	} catch (const Bad &bad) {
		return bad.code & 15;
	}
}

ALONE static unsigned small(unsigned x) { return x ^ 0x55; }
ALONE static unsigned large(unsigned x)
{
	unsigned sum = small(x);
	for (unsigned i = 0; i < (x & 31); i++)
		sum = sum * 31 + small(i + x);
	return sum;
}
/* Ends with a jump to another function. */
ALONE static unsigned either(unsigned x)
{
	if (x & 4)
		return large(x + 1);
	return x * 7;
}

ALONE static unsigned sorted_sum(unsigned n)
{
	unsigned v[48], sum = 0;
	for (unsigned i = 0; i < 48; i++)
		v[i] = next_number() % (n + 1);
	for (unsigned i = 1; i < 48; i++) {
		unsigned x = v[i], k = i;
		for (; k && v[k - 1] > x; k--)
			v[k] = v[k - 1];
		v[k] = x;
	}
	for (unsigned i = 0; i < 48; i++)
		sum += v[i] * i;
	return sum;
}

ALONE static unsigned kind(unsigned x)
{
	switch (x & 15) {
	case 0: return 3;
	case 1: return large(x);
	case 2: return x >> 3;
	case 3: return either(x);
	case 5: return x - 9;
	case 6: return x * 5;
	case 7: return caught(x);
	case 9: return ~x;
	case 11: return x << 1 ^ 77;
	default: return 1;
	}
}

/* An interpreter whose table BOLT does not move. */
ALONE static unsigned interpret(const unsigned char *code, unsigned value)
{
	static void *const ops[] = {&&add, &&mul, &&shift, &&again, &&leave};
	unsigned turns = 9;
#define NEXT goto *ops[*code++]
	NEXT;
add:
	value += *code++;
	NEXT;
mul:
	value *= 3;
	if (value & 1)
		value ^= small(value);
	NEXT;
shift:
	value = value >> 1 | value << 31;
	NEXT;
again:
	if (turns-- && value & 63) {
		code -= *code;
		NEXT;
	}
	code++;
	NEXT;
leave:
	return value;
}

ALONE static unsigned words(const char *text)
{
	unsigned count = 0;
	for (; *text; text++)
		count += isalpha((unsigned char)*text) ? (unsigned)tolower((unsigned char)*text) : 0;
	return count + (unsigned)strlen(text);
}

int main(int argc, char **argv)
{
	static const unsigned char code[] = {0, 7, 1, 2, 0, 1, 3, 5, 4};
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 100, sum = 0;
	const Shape *shapes[] = {new Square, new Square, new Flat, new Square, new Odd};
	Stack<int> ints;
	Stack<unsigned> numbers;
	int one = 1;
	unsigned two = 2;

	for (unsigned i = 0; i < rounds; i++) {
		unsigned x = next_number();
		sum += shapes[x % 5]->area(x) + kind(x) + interpret(code, x);
		ints.push(&one);
		numbers.push(&two);
		if (i % 3)
			numbers.pop();
		if (i % 4 == 1)
			sum += (unsigned)*ints.pop();
		sum += run_a(x & 15) + run_b(x & 7);
		if (i % 8 == 0)
			sum += sorted_sum(i) + words("The quick brown fox jumps over 13 lazy dogs");
		char *copy = (char *)malloc(64);
		memcpy(copy, "some text of this very length......", 36);
		copy[x % 30] = '!';
		sum += words(copy + 20) + (strchr(copy, '!') != nullptr);
		free(copy);
	}
	for (const Shape *shape : shapes)
		delete shape;
	printf("%u\n", sum);
	return 0;
}
