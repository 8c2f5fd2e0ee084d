/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/gain.h"

#include <math.h>
#include <stdio.h>

/* Measured: docs/quality.md, "Gain". */
#define PART_OF_OWN  0.35 /* the gain of all samples lies between that of a half and its own */
#define LOST_UNEVEN  0.22 /* of the own gain, for each e-fold of the unevenness */
#define HALF_WIDTH   1.0  /* of the interval, in percent of the taken branches, */
#define WIDTH_CHANCE 0.9  /* for each percent that the halves differ by */
#define WIDTH_UNEVEN 0.25
#define TIMES_MOST   1000

const char *gain_verdict_key(enum gain_verdict verdict)
{
#define X(name, key) key,
	static const char *const keys[] = {GAIN_VERDICTS(X)};
#undef X

	return keys[verdict];
}

/* How long to record, of which more is only said if it is known. */
static void say_longer(const struct gain *gain, char *out, size_t size)
{
	if (gain->times > 0)
		snprintf(out, size, "record %.0f times as long", ceil(fmax(gain->times, 2)));
	else
		snprintf(
			out, size,
			"more samples of this event do not help, as it fires late: record cycles, or branch stacks");
}

void gain_sentence(const struct gain *gain, char out[GAIN_SENTENCE])
{
	char words[160], remedy[104];

	snprintf(
		words, sizeof(words),
		"expected taken branches: %+.0f to %+.0f %% compared with no llvm-bolt (with a profile of every branch: %+.1f %%)",
		-gain->low, -gain->high, -gain->whole);
	say_longer(gain, remedy, sizeof(remedy));
	switch (gain->verdict) {
	case GAIN_ENOUGH: snprintf(out, GAIN_SENTENCE, "enough samples: %s", words); break;
	case GAIN_MORE:
	case GAIN_LIMITED: snprintf(out, GAIN_SENTENCE, "%s: %s", remedy, words); break;
	case GAIN_DOUBTFUL:
		snprintf(out, GAIN_SENTENCE,
			 "the next binary may be slower than the program without llvm-bolt: %s; %s",
			 words, remedy);
		break;
	case GAIN_VERDICT_COUNT: *out = '\0'; break;
	}
}

/* What chance costs falls as the root of the number of samples grows; what unevenness costs stays.
 * chance, uneven: shares of the whole gain.  0: no number is enough */
static double times_enough(double chance, double uneven)
{
	double room = 1 - GAIN_SHARE / 100. - uneven, root = room > 0 ? chance / room : INFINITY;

	return root * root <= TIMES_MOST ? root * root : 0;
}

struct gain gain_expect(const struct layouts_taken *taken, double uneven)
{
	double own = 100 * (1 - taken->own / taken->before),
	       others = 100 * (1 - taken->others / taken->before), differ = own - others;
	double lost = own > 0 ? log1p(uneven) * own : 0,
	       half = HALF_WIDTH + WIDTH_CHANCE * fabs(differ) + WIDTH_UNEVEN * lost;
	struct gain out = {.known = true, .whole = own, .half = others, .uneven = uneven};

	out.expected = others + PART_OF_OWN * differ - LOST_UNEVEN * lost;
	out.low = out.expected - half;
	out.high = out.expected + half;
	out.more = (1 - PART_OF_OWN) * differ;
	out.more = out.more > 0 ? out.more : 0;
	out.of_whole = own > 0 ? 100 * out.expected / own : 0;
	out.of_whole = fmin(fmax(out.of_whole, 0), 100);
	bool enough = out.of_whole >= GAIN_SHARE;
	out.times =
		enough || !(own > 0) ? 0 : times_enough(out.more / own, LOST_UNEVEN * lost / own);
	out.verdict = out.low < 0   ? GAIN_DOUBTFUL :
		      enough        ? GAIN_ENOUGH :
		      out.times > 0 ? GAIN_MORE :
				      GAIN_LIMITED;
	return out;
}

/* Branches are inferred over graphs with their code. */
static struct flow_code inferred_code(const struct conversion *c)
{
	const struct pair *pair = conversion_pair(c);

	return (struct flow_code){.binary = conversion_binary(c),
				  .pair = pair,
				  .graphs = pair ? &pair->graphs : &c->graphs};
}

bool gain_of_halves(const struct conversion *c, const struct flow_code *recorded,
		    struct stability *stability, struct gain *out, struct bc_error *err)
{
	struct layouts_taken taken = {0};

	if (!c->has_halves)
		return true;
	const struct flow_code code = c->basic ? inferred_code(c) : *recorded;
	if (!layouts_compare(c->halves, inferred_moved_percent(&c->inferred), &code, stability,
			     &taken, err))
		return false;
	if (taken.known)
		*out = gain_expect(&taken, c->basic ? c->inferred.uneven : 0);
	return true;
}
