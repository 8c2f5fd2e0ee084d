/* A program that uses libtwist.  Public domain (CC0). */
#include <stdio.h>
#include <stdlib.h>

int work(int rounds);

int main(int argc, char **argv)
{
	printf("%d\n", work(argc > 1 ? atoi(argv[1]) : 100) & 0xffff);
	return 0;
}
