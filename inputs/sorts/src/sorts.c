/* sorts - four ways to sort and two ways to hash, checked against each other.  Public domain (CC0).
 * usage: sorts [elements] */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void sorter(uint32_t *, size_t);
static unsigned long exchanges;

static void insertion(uint32_t *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		uint32_t x = v[i];
		size_t j = i;
		for (; j > 0 && v[j - 1] > x; j--)
			v[j] = v[j - 1];
		v[j] = x;
		exchanges += i - j;
	}
}

static void sift(uint32_t *v, size_t root, size_t n)
{
	for (;;) {
		size_t child = 2 * root + 1;
		if (child >= n)
			return;
		if (child + 1 < n && v[child] < v[child + 1])
			child++;
		if (v[root] >= v[child])
			return;
		uint32_t x = v[root];
		v[root] = v[child];
		v[child] = x;
		exchanges++;
		root = child;
	}
}

static void heap(uint32_t *v, size_t n)
{
	for (size_t i = n / 2; i-- > 0;)
		sift(v, i, n);
	while (n-- > 1) {
		uint32_t x = v[0];
		v[0] = v[n];
		v[n] = x;
		sift(v, 0, n);
	}
}

static __attribute__((noinline)) void merge(uint32_t *v, size_t n)
{
	if (n < 12) {
		insertion(v, n);
		return;
	}
	size_t half = n / 2;
	merge(v, half);
	merge(v + half, n - half);
	uint32_t *left = malloc(half * sizeof *left);
	if (!left) {
		fputs("sorts: no memory\n", stderr);
		exit(1);
	}
	memcpy(left, v, half * sizeof *left);
	for (size_t i = 0, j = half, k = 0; i < half; k++)
		v[k] = j < n && v[j] < left[i] ? v[j++] : left[i++];
	free(left);
}

static void radix(uint32_t *v, size_t n)
{
	uint32_t *other = malloc((n + 1) * sizeof *other);
	if (!other) {
		fputs("sorts: no memory\n", stderr);
		exit(1);
	}
	for (unsigned shift = 0; shift < 32; shift += 8) {
		size_t at[256] = { 0 }, sum = 0;
		for (size_t i = 0; i < n; i++)
			at[v[i] >> shift & 255]++;
		for (unsigned d = 0; d < 256; d++) {
			size_t count = at[d];
			at[d] = sum;
			sum += count;
		}
		for (size_t i = 0; i < n; i++)
			other[at[v[i] >> shift & 255]++] = v[i];
		memcpy(v, other, n * sizeof *v);
	}
	free(other);
}

static uint32_t murmur(const uint32_t *v, size_t n)
{
	uint32_t h = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t k = v[i] * 0xcc9e2d51u;
		h ^= (k << 15 | k >> 17) * 0x1b873593u;
		h = (h << 13 | h >> 19) * 5 + 0xe6546b64u;
	}
	return h;
}

static uint32_t crc(const uint32_t *v, size_t n)
{
	uint32_t c = ~0u;
	for (size_t i = 0; i < n; i++) {
		c ^= v[i];
		for (int b = 0; b < 32; b++)
			c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
	}
	return ~c;
}

static const char *shape(int kind, uint32_t *v, size_t n, uint32_t *seed)
{
	for (size_t i = 0; i < n; i++) {
		*seed = *seed * 1664525u + 1013904223u;
		switch (kind) {
		case 0: v[i] = *seed; break;
		case 1: v[i] = (uint32_t)i; break;
		case 2: v[i] = (uint32_t)(n - i); break;
		case 3: v[i] = *seed >> 29; break;
		case 4: v[i] = (uint32_t)(i * 7919 % (n | 1)); break;
		case 5: v[i] = i % 16 ? (uint32_t)i : *seed; break;
		default: abort();
		}
	}
	static const char *const names[] = { "random", "rising", "falling", "few", "stepped", "nearly" };
	return names[kind];
}

int main(int argc, char **argv)
{
	static sorter *const sorters[] = { insertion, heap, merge, radix };
	size_t n = argc > 1 ? (size_t)atol(argv[1]) : 100;
	uint32_t *v = malloc((n + 1) * sizeof *v), *w = malloc((n + 1) * sizeof *w), seed = 1;
	if (!v || !w)
		return 1;
	for (int kind = 0; kind < 6; kind++) {
		const char *name = shape(kind, v, n, &seed);
		uint32_t first = 0;
		for (size_t s = 0; s < sizeof sorters / sizeof *sorters; s++) {
			memcpy(w, v, n * sizeof *w);
			sorters[s](w, n);
			uint32_t h = murmur(w, n);
			if (s == 0)
				first = h;
			else if (h != first) {
				printf("%s: sorter %d is wrong\n", name, (int)s);
				return 1;
			}
		}
		printf("%-8s %08x %08x\n", name, (unsigned)first, (unsigned)crc(w, n));
	}
	printf("%lu exchanges\n", exchanges);
	return 0;
}
