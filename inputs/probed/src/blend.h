/* walk, twist: functions that are inlined into each other, three deep.  Public domain (CC0). */
#ifndef BLEND_H
#define BLEND_H

static inline int clamp(int value, int most)
{
	if (value < 0)
		return 0;
	return value > most ? most : value;
}

static inline int scale(int value, int by)
{
	int result = 0;

	for (int i = 0; i < (by & 7); i++)
		result += clamp(value - i, 200 + by);
	return result;
}

static inline int blend(int a, int b)
{
	return a & 1 ? scale(a, b) + clamp(b, 90) : scale(b, a) - clamp(a, 70);
}

int table_walk(int seed, int rounds);
void report_odd(const char *what, int value);

#endif
