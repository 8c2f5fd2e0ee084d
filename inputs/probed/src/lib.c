/* twist: a library of one function.  Public domain (CC0). */
#include "blend.h"

long odd_ones;

static __attribute__((noinline)) int twist(int value)
{
	return value & 2 ? blend(value, 5) : clamp(value, 33);
}

__attribute__((visibility("default"))) int work(int rounds)
{
	int sum = 0;

	for (int i = 0; i < rounds; i++) {
		sum += twist(i ^ sum);
		if (sum & 1)
			odd_ones++;
		if (sum == 0x12345)
			return -1;
	}
	return sum;
}
