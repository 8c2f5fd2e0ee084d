/* SPDX-License-Identifier: CC0-1.0 */
/* A shared file whose code ways.c maps by itself: begin() stands at the begin of its second page. */
typedef unsigned long word;

__attribute__((section(".begin"))) word begin(word a)
{
	word sum = 0;

	for (word i = 0; i < ROUNDS; i++)
		if ((a >> i % 8 ^ i) & 1)
			sum += i;
		else
			sum ^= a;
#ifdef TURNED
	return sum & 1 ? sum / 3 : sum * 5;
#else
	return sum;
#endif
}
