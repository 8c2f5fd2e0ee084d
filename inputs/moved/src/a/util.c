/* Public domain (CC0). */
__attribute__((noinline)) static unsigned step(unsigned x, unsigned i)
{
	if (x & 1)
		return x * 3 + i;
	if (i & 2)
		return x / 2;
	return x + 1;
}

unsigned run_a(unsigned n)
{
	unsigned x = n;

	for (unsigned i = 0; i < n; i++)
		x = step(x, i);
	return x;
}
