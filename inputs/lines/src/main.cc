/* Public domain (CC0): written for this project. */
#include "a.h"
#include "b.h"
#include <cstdio>
#include <cstdlib>
int rare(int x);
int work(int n, int seed) {
	Stack<int> s;
	int sum = seed;
	for (int i = 0; i < n; i++) {
		int m = mix(i, sum);
		if (m % 97 == 13) sum += rare(m);
		switch (m & 7) {
		case 0: s.push(m); break;
		case 1: sum ^= s.pop(); break;
		case 2: sum += m; break;
		case 3: sum -= i; break;
		case 5: if (m > 1000) sum = sum * 3 + 1; break;
		default: sum = mix(sum, m);
		}
	}
	return sum;
}
int main(int argc, char **argv) {
	int n = argc > 1 ? atoi(argv[1]) : 1000000, t = 0;
	for (int k = 0; k < 5; k++) {
		try { t += work(n, k); } catch (int e) { t -= e; }
	}
	printf("%d\n", t);
	return 0;
}
