/* Exceptions that are thrown, caught and thrown again, so that landing pads run.  Public domain (CC0). */
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>
struct Guard { int *p; explicit Guard(int *q):p(q){++*p;} ~Guard(){ --*p; if (*p==77) puts("x"); } };
static int depth, caught[8];
__attribute__((noinline)) static int leaf(int n) {
	Guard g(&depth);
	if (n % 97 == 3) throw std::runtime_error("three");
	if (n % 89 == 5) throw n;
	if (n % 83 == 7) throw std::string("seven and more than fifteen characters");
	return n * 3 + 1;
}
__attribute__((noinline)) static int middle(int n) {
	Guard g(&depth);
	std::string s(n % 40, 'a');
	int r = leaf(n);
	if (r & 1) r += leaf(n + 1);
	return r + (int)s.size();
}
__attribute__((noinline)) static int outer(int n) {
	try {
		Guard g(&depth);
		return middle(n) ^ leaf(n / 2);
	} catch (const std::runtime_error &e) {
		caught[0]++;
		return e.what()[0];
	} catch (int i) {
		caught[1]++;
		if (i % 2) { try { leaf(92); throw 1.5; } catch (double) { caught[3]++; } catch (int) { caught[4]++; } }
		return i;
	}
}
__attribute__((noinline)) static void rethrower(int n) {
	try { if (n % 50 == 0) throw n; outer(n); }
	catch (...) { caught[5]++; throw; }
}
int main(int argc, char **argv) {
	int n = argc > 1 ? atoi(argv[1]) : 2000;
	std::vector<int> v; long sum = 0;
	for (int i = 0; i < n; i++) {
		try { rethrower(i); v.push_back(outer(i)); }
		catch (const std::string &s) { caught[2]++; sum += s.size(); }
		catch (int) { caught[6]++; }
	}
	for (int x : v) sum += x;
	printf("%ld %d %d %d %d %d %d %d %d\n", sum, depth, caught[0], caught[1], caught[2], caught[3], caught[4], caught[5], caught[6]);
}
