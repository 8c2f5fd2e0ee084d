/* SPDX-License-Identifier: CC0-1.0 */
/* Calls through a table of functions, tails that several paths share, and SystemTap probes: what llvm-bolt promotes,
 * copies and keeps.  promoted N prints a number. */
#include <stdio.h>
#include <stdlib.h>

/* What sys/sdt.h writes for a probe without arguments. */
#define PROBE(name)                                                                       \
	__asm__ volatile("990: nop\n"                                                     \
			 ".pushsection .note.stapsdt,\"?\",\"note\"\n.balign 4\n"         \
			 ".4byte 992f-991f, 994f-993f, 3\n991: .asciz \"stapsdt\"\n"      \
			 "992: .balign 4\n993: .8byte 990b, _.stapsdt.base, 0\n"          \
			 ".asciz \"promoted\"\n.asciz \"" name "\"\n.asciz \"\"\n"        \
			 "994: .balign 4\n.popsection\n"                                  \
			 ".ifndef _.stapsdt.base\n"                                       \
			 ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n" \
			 ".weak _.stapsdt.base\n.hidden _.stapsdt.base\n"                 \
			 "_.stapsdt.base: .space 1\n.size _.stapsdt.base, 1\n.popsection\n.endif\n" ::: "memory")

typedef unsigned operation(unsigned);

static __attribute__((noinline)) unsigned twice(unsigned x) { return 2 * x + 1; }
static __attribute__((noinline)) unsigned half(unsigned x) { return x / 2 ^ 0x55; }
static __attribute__((noinline)) unsigned mixed(unsigned x) { return (x ^ x >> 7) * 2654435761u; }

static operation *const operations[] = {twice, half, mixed, twice};

struct state {
	unsigned seen, odd, large;
	operation *next;
};

static __attribute__((noinline)) unsigned step(struct state *s, unsigned x)
{
	unsigned y = s->next(x) + s->seen;

	s->seen++;
	PROBE("step");
	if (y & 1)
		s->odd += operations[x % 16 ? 2 : x / 16 % 4](y);
	return y;
}

static __attribute__((noinline)) unsigned classify(struct state *s, unsigned x)
{
	unsigned kind = 0;

	if (x > 1000) {
		if (x % 3 == 0)
			kind = s->large++;
		else if (x % 7 == 0)
			kind = s->odd ^ 3;
	} else if (x % 5 == 0) {
		kind = x + s->seen;
	}
	s->seen += kind;
	return kind * 3;
}

static __attribute__((noinline)) unsigned dispatch(struct state *s, unsigned x)
{
	switch (x % 8) {
	case 0: return s->seen + 1;
	case 1: return classify(s, x);
	case 2: return s->odd * 5;
	case 3: return s->large ^ x;
	case 4: return classify(s, x + 3);
	case 5: return x * x;
	case 6: PROBE("six"); return x - 9;
	default: return step(s, x);
	}
}

int main(int argc, char **argv)
{
	struct state s = {0, 0, 0, mixed};
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 1000, sum = 0;

	for (unsigned i = 0; i < n; i++) {
		s.next = operations[i % 32 ? 2 : i / 32 % 4];
		sum += step(&s, i) + dispatch(&s, i * 7 + sum % 5);
	}
	printf("%u %u %u %u\n", sum, s.seen, s.odd, s.large);
	return 0;
}
