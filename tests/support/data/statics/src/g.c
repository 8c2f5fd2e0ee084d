#include <stdio.h>
#include <stdlib.h>
extern volatile int sink;
int init(int x);
__attribute__((noinline)) int init(int x)
{
	int s = x;
	for (int i = 0; i < 9; i++) {
		if (__builtin_expect(s == 77 + i, 0) && sink)
			fprintf(stderr, "global init %d\n", s);
		s = s * 7 + i;
	}
	if (s == -99)
		abort();
	return s & 0xfff;
}
int scan(int x);
__attribute__((noinline)) int scan(int x)
{
	int s = x;
	for (int i = 0; i < 9; i++) {
		if (__builtin_expect(s == 77 + i, 0) && sink)
			fprintf(stderr, "global scan %d\n", s);
		s = s * 7 + i;
	}
	if (s == -99)
		abort();
	return s & 0xfff;
}
