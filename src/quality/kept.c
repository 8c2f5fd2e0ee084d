/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/quality/quality.h"
#include "src/quality/kept.h"

#define BIT(reason) (1u << (reason))

/* Samples that were left out on purpose: by an option, because another record that is kept says the
 * same, or because of how the processor works. */
static const unsigned samples_on_purpose = BIT(SAMPLE_DROP_OTHER_PID) | BIT(SAMPLE_DROP_OTHER_EVENT) | BIT(SAMPLE_DROP_OTHER_TIME) |
					   BIT(SAMPLE_DROP_PAST_LIMIT) | BIT(SAMPLE_DROP_GUEST) | BIT(SAMPLE_DROP_KERNEL) |
					   BIT(SAMPLE_DROP_NO_PROCESS) | BIT(SAMPLE_DROP_OTHER_IMAGE);
static const unsigned branches_on_purpose = BIT(BRANCH_DROP_DROPPED_SAMPLE) | BIT(BRANCH_DROP_BASIC_MODE) | BIT(BRANCH_DROP_KERNEL) |
					    BIT(BRANCH_DROP_ERRATUM) | BIT(BRANCH_DROP_RETURN) | BIT(BRANCH_DROP_OUTSIDE) |
					    BIT(BRANCH_DROP_MADE);
static const unsigned traces_on_purpose = BIT(TRACE_DROP_OUTSIDE) | BIT(TRACE_DROP_ONE_BLOCK) | BIT(TRACE_DROP_BASIC_MODE);

static unsigned on_purpose(const struct ledger_words *words)
{
	if (words == &sample_words)
		return samples_on_purpose;
	if (words == &branch_words)
		return branches_on_purpose;
	return words == &trace_words ? traces_on_purpose : 0;
}

bool quality_reason_matters(const struct ledger_words *words, size_t reason)
{
	return !(on_purpose(words) & BIT(reason));
}

static void add(const struct ledger_words *words, const struct ledger *ledger, uint64_t *kept, uint64_t *of)
{
	*kept = count_add_saturating(*kept, ledger->kept);
	*of = count_add_saturating(*of, ledger->kept);
	for (size_t i = 0; i < words->reason_count; i++)
		if (quality_reason_matters(words, i))
			*of = count_add_saturating(*of, ledger->dropped[i]);
}

void quality_count_kept(const struct conversion *c, struct quality *out)
{
	uint64_t kept = 0, of = 0;

	if (c->basic) {
		add(&sample_words, &c->ledgers.samples, &kept, &of);
	} else {
		add(&branch_words, &c->ledgers.branches, &kept, &of);
		add(&trace_words, &c->ledgers.traces, &kept, &of);
	}
	out->has_kept = true;
	out->kept = quality_share(kept, of);
	out->kept_of = of;
}
