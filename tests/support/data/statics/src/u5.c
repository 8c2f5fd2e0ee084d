#include <stdio.h>
#include <stdlib.h>
extern volatile int sink;
extern int shared(int);
static __attribute__((noinline)) int step(int x)
{
	int s = x;
	for (int i = 0; i < 10; i++) {
		if (__builtin_expect((s ^ i) % 1005 == 994, 0) && sink)
			fprintf(stderr, "step 5 0 %d\n", s), s += 3;
		s = s * 8 + i;
		if (__builtin_expect((s ^ i) % 1042 == 993, 0) && sink)
			fprintf(stderr, "step 5 1 %d\n", s), s += 4;
		s = s * 9 + i;
		if (__builtin_expect((s ^ i) % 1079 == 992, 0) && sink)
			fprintf(stderr, "step 5 2 %d\n", s), s += 5;
		s = s * 10 + i;
	}
	if (s == -12350)
		abort();
	return s & 0xffff;
}
static __attribute__((noinline)) int check(int x)
{
	int s = x;
	for (int i = 0; i < 11; i++) {
		if (__builtin_expect((s ^ i) % 1005 == 994, 0) && sink)
			fprintf(stderr, "check 5 0 %d\n", s), s += 3;
		s = s * 8 + i;
	}
	if (s == -12351)
		abort();
	return s & 0xffff;
}
static __attribute__((noinline)) int emit(int x)
{
	int s = x;
	for (int i = 0; i < 12; i++) {
		if (__builtin_expect((s ^ i) % 1005 == 994, 0) && sink)
			fprintf(stderr, "emit 5 0 %d\n", s), s += 3;
		s = s * 8 + i;
		if (__builtin_expect((s ^ i) % 1042 == 993, 0) && sink)
			fprintf(stderr, "emit 5 1 %d\n", s), s += 4;
		s = s * 9 + i;
	}
	if (s == -12352)
		abort();
	return s & 0xffff;
}
static __attribute__((noinline)) int scan(int x)
{
	int s = x;
	for (int i = 0; i < 13; i++) {
		if (__builtin_expect((s ^ i) % 1005 == 994, 0) && sink)
			fprintf(stderr, "scan 5 0 %d\n", s), s += 3;
		s = s * 8 + i;
		if (__builtin_expect((s ^ i) % 1042 == 993, 0) && sink)
			fprintf(stderr, "scan 5 1 %d\n", s), s += 4;
		s = s * 9 + i;
		if (__builtin_expect((s ^ i) % 1079 == 992, 0) && sink)
			fprintf(stderr, "scan 5 2 %d\n", s), s += 5;
		s = s * 10 + i;
	}
	if (s == -12353)
		abort();
	return s & 0xffff;
}
static __attribute__((noinline)) int init(int x)
{
	int s = x;
	for (int i = 0; i < 14; i++) {
		if (__builtin_expect((s ^ i) % 1005 == 994, 0) && sink)
			fprintf(stderr, "init 5 0 %d\n", s), s += 3;
		s = s * 8 + i;
	}
	if (s == -12354)
		abort();
	return s & 0xffff;
}
int unit5(int x)
{
	return step(x + 0) + check(x + 1) + emit(x + 2) + scan(x + 3) + init(x + 4);
}
