/* Public domain (CC0). */
__attribute__((noinline)) static unsigned step(unsigned x, unsigned i)
{
	unsigned sum = 0;

	for (unsigned k = 0; k < (i & 3) + 1; k++)
		sum += x >> k;
	return sum;
}

unsigned run_b(unsigned n)
{
	unsigned x = n + 1;

	for (unsigned i = 0; i < 2 * n; i++)
		x = step(x, i) & 1023;
	return x;
}
