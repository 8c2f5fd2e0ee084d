/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Something to sample: jumps that depend on a counter, and a call. */
unsigned work(unsigned rounds);

static __attribute__((noinline)) unsigned step(unsigned x)
{
	return x & 1 ? 3 * x + 1 : x >> 1;
}

unsigned work(unsigned rounds)
{
	unsigned sum = 0;

	for (unsigned i = 1; i <= rounds; i++)
		for (unsigned x = i & 1023; x > 1; x = step(x))
			sum += x;
	return sum;
}
