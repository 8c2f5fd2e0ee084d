/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/gain.h"

#include <math.h>

/* ---- are the samples where the time was? ---- */

/* One block that has samples. */
struct sampled_block {
	const struct function *function;
	uint32_t block, insns;
	double samples, squares;
};

struct dispersion {
	double excess, expected;
};

#define INSNS_MOST 200 /* longer blocks say little of their neighbors */

static void end_block(const struct sampled_block *b, struct dispersion *d)
{
	double n = b->insns, k = b->samples;

	if (!b->function || n < 2 || n > INSNS_MOST || k < 2)
		return;
	d->excess += b->squares * n / k - k - (n - 1); /* chi-squared, less its expectation */
	d->expected += (k - 1) * (n - 1) / n;
}

double gain_unevenness(const struct profile *samples, const struct flow_code *code)
{
	struct sampled_block now = {0};
	struct dispersion d = {0};

	for (size_t i = 0; i < samples->record_count; i++) {
		const struct record record = profile_record(samples, i);
		const struct function *f = record.from.function;
		const struct graph *graph = flow_graph_of(code, f);
		if (!graph || record.kind != RECORD_SAMPLE)
			continue;
		uint32_t block = graph_block_at(graph, record.from.offset);
		if (now.function != f || now.block != block) {
			end_block(&now, &d);
			now = (struct sampled_block){.function = f,
						     .block = block,
						     .insns = graph->code.first_insn[block + 1] -
							      graph->code.first_insn[block]};
		}
		double count = (double)record.count;
		now.samples += count;
		now.squares += count * count;
	}
	end_block(&now, &d);
	return d.expected > 0 && d.excess > 0 ? d.excess / d.expected : 0;
}

/* ---- what they are worth ---- */

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
