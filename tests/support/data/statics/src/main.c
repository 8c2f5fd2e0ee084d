#include <stdio.h>
volatile int sink;
int unit0(int x);
int unit1(int x);
int unit2(int x);
int unit3(int x);
int unit4(int x);
int unit5(int x);
int init(int);
int scan(int);
int main(void)
{
	unsigned s = 0;
	for (int i = 0; i < 50; i++)
		s += (unsigned)(unit0(i) + unit1(i) + unit2(i) + unit3(i) + unit4(i) + unit5(i) + init(i) + scan(i));
	printf("%u\n", s);
	return 0;
}
