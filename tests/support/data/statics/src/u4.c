#include <stdio.h>
#include <stdlib.h>
extern volatile int sink;
extern int shared(int);
static __attribute__((noinline)) int step(int x)
{
	int s = x;
	for (int i = 0; i < 9; i++) {
		if (__builtin_expect((s ^ i) % 1004 == 995, 0) && sink)
			fprintf(stderr, "step 4 0 %d\n", s), s += 3;
		s = s * 7 + i;
		if (__builtin_expect((s ^ i) % 1041 == 994, 0) && sink)
			fprintf(stderr, "step 4 1 %d\n", s), s += 4;
		s = s * 8 + i;
	}
	if (s == -12349)
		abort();
	return s & 0xffff;
}
static __attribute__((noinline)) int check(int x)
{
	int s = x;
	for (int i = 0; i < 10; i++) {
		if (__builtin_expect((s ^ i) % 1004 == 995, 0) && sink)
			fprintf(stderr, "check 4 0 %d\n", s), s += 3;
		s = s * 7 + i;
		if (__builtin_expect((s ^ i) % 1041 == 994, 0) && sink)
			fprintf(stderr, "check 4 1 %d\n", s), s += 4;
		s = s * 8 + i;
		if (__builtin_expect((s ^ i) % 1078 == 993, 0) && sink)
			fprintf(stderr, "check 4 2 %d\n", s), s += 5;
		s = s * 9 + i;
	}
	if (s == -12350)
		abort();
	return s & 0xffff;
}
static __attribute__((noinline)) int emit(int x)
{
	int s = x;
	for (int i = 0; i < 11; i++) {
		if (__builtin_expect((s ^ i) % 1004 == 995, 0) && sink)
			fprintf(stderr, "emit 4 0 %d\n", s), s += 3;
		s = s * 7 + i;
	}
	if (s == -12351)
		abort();
	return s & 0xffff;
}
static __attribute__((noinline)) int scan(int x)
{
	int s = x;
	for (int i = 0; i < 12; i++) {
		if (__builtin_expect((s ^ i) % 1004 == 995, 0) && sink)
			fprintf(stderr, "scan 4 0 %d\n", s), s += 3;
		s = s * 7 + i;
		if (__builtin_expect((s ^ i) % 1041 == 994, 0) && sink)
			fprintf(stderr, "scan 4 1 %d\n", s), s += 4;
		s = s * 8 + i;
	}
	if (s == -12352)
		abort();
	return s & 0xffff;
}
static __attribute__((noinline)) int init(int x)
{
	int s = x;
	for (int i = 0; i < 13; i++) {
		if (__builtin_expect((s ^ i) % 1004 == 995, 0) && sink)
			fprintf(stderr, "init 4 0 %d\n", s), s += 3;
		s = s * 7 + i;
		if (__builtin_expect((s ^ i) % 1041 == 994, 0) && sink)
			fprintf(stderr, "init 4 1 %d\n", s), s += 4;
		s = s * 8 + i;
		if (__builtin_expect((s ^ i) % 1078 == 993, 0) && sink)
			fprintf(stderr, "init 4 2 %d\n", s), s += 5;
		s = s * 9 + i;
	}
	if (s == -12353)
		abort();
	return s & 0xffff;
}
int unit4(int x)
{
	return step(x + 0) + check(x + 1) + emit(x + 2) + scan(x + 3) + init(x + 4);
}
