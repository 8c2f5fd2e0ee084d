/* Public domain (CC0): written for this project. */
#include "a.h"
#include <stdio.h>
static int fold_a(int x) { int r = 0; while (x > 3) { r += x & 5; x /= 3; } return r; }
static int fold_b(int y) { int r = 0; while (y > 3) { r += y & 5; y /= 3; } return r; }
__attribute__((noinline)) int fa(int x) { return fold_a(x) + 1; }
__attribute__((noinline)) int fb(int y) { return fold_b(y) + 1; }
int rare_c(int x) {
	if (x == 123456789) { fprintf(stderr, "never\n"); return 7; }
	{
		int local = mix(x, 3);
		if (local & 1) return fa(local);
		return fb(x);
	}
}
