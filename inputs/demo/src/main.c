/* demo: counts the words of a text that it makes itself, then evaluates expressions over the counts.
 * Public domain (CC0).  usage: demo [rounds [expression...]] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo.h"

struct word {
	struct word *next;
	unsigned long count;
	char text[];
};

static struct word *table[64];
static unsigned long distinct;
static unsigned state = 20250601;

/* The same name as in expr.c, on purpose. */
static __attribute__((noinline, noreturn)) void complain(const char *what, const char *detail)
{
	fprintf(stderr, "demo: %s: %s\n", what, detail);
	exit(1);
}

static unsigned next_random(void)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

static unsigned hash(const char *text)
{
	unsigned h = 2166136261u;
	while (*text)
		h = (h ^ (unsigned char)*text++) * 16777619u;
	return h;
}

static __attribute__((noinline)) struct word *insert(struct word **slot, const char *text)
{
	size_t size = strlen(text) + 1;
	struct word *word = malloc(sizeof *word + size);
	if (!word)
		complain("no memory for the word", text);
	memcpy(word->text, text, size);
	word->count = 0;
	word->next = *slot;
	distinct++;
	return *slot = word;
}

static void count(const char *text)
{
	struct word **slot = &table[hash(text) % 64], *word = *slot;
	while (word && strcmp(word->text, text) != 0)
		word = word->next;
	if (!word)
		word = insert(slot, text);
	word->count++;
}

static void make_word(char *out)
{
	static const char *const syllables[] = { "ba", "lo", "ti", "ren", "ka", "mu", "sol", "e" };
	unsigned parts = 1 + next_random() % 3;
	while (parts--) {
		const char *from = syllables[next_random() % 11 % 8];
		while (*from)
			*out++ = *from++;
	}
	*out = 0;
}

static int by_count(const void *a, const void *b)
{
	const struct word *x = *(struct word *const *)a, *y = *(struct word *const *)b;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return strcmp(x->text, y->text);
}

static void sort(struct word **words, long low, long high, int (*compare)(const void *, const void *))
{
	while (low < high) {
		struct word *pivot = words[low + (high - low) / 2];
		long i = low, j = high;
		while (i <= j) {
			while (compare(&words[i], &pivot) < 0)
				i++;
			while (compare(&pivot, &words[j]) < 0)
				j--;
			if (i <= j) {
				struct word *kept = words[i];
				words[i++] = words[j];
				words[j--] = kept;
			}
		}
		sort(words, low, j, compare);
		low = i;
	}
}

static void evaluate(const char *text, struct word **words, unsigned long used)
{
	static long sum;
	struct code code;
	if (compile(&code, text)) {
		printf("%-40s ! %s\n", text, code.trouble);
		return;
	}
	for (unsigned long first = 0; first < used; first++) {
		long variables[26];
		for (unsigned long i = 0; i < 26; i++)
			variables[i] = (long)words[(first + i) % used]->count;
		sum += execute(&code, variables);
	}
	printf("%-40s = %ld\n", text, sum);
}

int main(int argc, char **argv)
{
	static const char *const given[] = {
		"a + b * 3 - (c / 2)", "gcd(a, b) + collatz(c, 200)", "a < b ? a * a : -b",
		"root(a * b * c, 0) % 97", "1 / (a - a)", "(a +", "nonsense(a, b)", "collatz(z, 40) * 2 + root(y, 0)",
	};
	long rounds = argc > 1 ? atol(argv[1]) : 4000;
	if (rounds <= 0)
		complain("rounds must be positive", argv[1]);
	for (long i = 0; i < rounds; i++) {
		char text[16];
		make_word(text);
		count(text);
	}
	struct word **words = malloc((distinct + 1) * sizeof *words);
	if (!words)
		complain("no memory", "words");
	unsigned long used = 0;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		for (struct word *word = table[i]; word; word = word->next)
			words[used++] = word;
	sort(words, 0, (long)used - 1, by_count);
	for (unsigned long i = 0; i < used && i < 5; i++)
		printf("%6lu %s\n", words[i]->count, words[i]->text);
	if (argc > 2)
		for (int i = 2; i < argc; i++)
			evaluate(argv[i], words, used);
	else
		for (size_t i = 0; i < sizeof given / sizeof *given; i++)
			evaluate(given[i], words, used);
	return 0;
}
