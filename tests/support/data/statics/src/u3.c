#include <stdio.h>
#include <stdlib.h>
extern volatile int sink;
extern int shared(int);
static __attribute__((noinline)) int step(int x)
{
	int s = x;
	for (int i = 0; i < 8; i++) {
		if (__builtin_expect((s ^ i) % 1003 == 996, 0) && sink)
			fprintf(stderr, "step 3 0 %d\n", s), s += 3;
		s = s * 6 + i;
	}
	if (s == -12348)
		abort();
	return s & 0xffff;
}
static __attribute__((noinline)) int check(int x)
{
	int s = x;
	for (int i = 0; i < 9; i++) {
		if (__builtin_expect((s ^ i) % 1003 == 996, 0) && sink)
			fprintf(stderr, "check 3 0 %d\n", s), s += 3;
		s = s * 6 + i;
		if (__builtin_expect((s ^ i) % 1040 == 995, 0) && sink)
			fprintf(stderr, "check 3 1 %d\n", s), s += 4;
		s = s * 7 + i;
	}
	if (s == -12349)
		abort();
	return s & 0xffff;
}
static __attribute__((noinline)) int emit(int x)
{
	int s = x;
	for (int i = 0; i < 10; i++) {
		if (__builtin_expect((s ^ i) % 1003 == 996, 0) && sink)
			fprintf(stderr, "emit 3 0 %d\n", s), s += 3;
		s = s * 6 + i;
		if (__builtin_expect((s ^ i) % 1040 == 995, 0) && sink)
			fprintf(stderr, "emit 3 1 %d\n", s), s += 4;
		s = s * 7 + i;
		if (__builtin_expect((s ^ i) % 1077 == 994, 0) && sink)
			fprintf(stderr, "emit 3 2 %d\n", s), s += 5;
		s = s * 8 + i;
	}
	if (s == -12350)
		abort();
	return s & 0xffff;
}
static __attribute__((noinline)) int scan(int x)
{
	int s = x;
	for (int i = 0; i < 11; i++) {
		if (__builtin_expect((s ^ i) % 1003 == 996, 0) && sink)
			fprintf(stderr, "scan 3 0 %d\n", s), s += 3;
		s = s * 6 + i;
	}
	if (s == -12351)
		abort();
	return s & 0xffff;
}
static __attribute__((noinline)) int init(int x)
{
	int s = x;
	for (int i = 0; i < 12; i++) {
		if (__builtin_expect((s ^ i) % 1003 == 996, 0) && sink)
			fprintf(stderr, "init 3 0 %d\n", s), s += 3;
		s = s * 6 + i;
		if (__builtin_expect((s ^ i) % 1040 == 995, 0) && sink)
			fprintf(stderr, "init 3 1 %d\n", s), s += 4;
		s = s * 7 + i;
	}
	if (s == -12352)
		abort();
	return s & 0xffff;
}
int unit3(int x)
{
	return step(x + 0) + check(x + 1) + emit(x + 2) + scan(x + 3) + init(x + 4);
}
