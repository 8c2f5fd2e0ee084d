/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "src/check/checks.h"
#include "src/check/input.h"
#include "src/pair/pair.h"

struct checking {
	const struct binary *subject;
	const struct input *input;
	const struct block_starts *starts;
	const uint32_t *of;
	bool code;
	atomic_uint compared, contradicted; /* fragments */
	atomic_uint_fast64_t offsets, strange; /* of the table; those that lie on no instruction */
};

/* Returns false for a binary of another machine, and for one that llvm-bolt wrote. */
static bool check_kind(const struct binary *subject, const struct input *input, struct findings *findings)
{
	struct bc_error err;

	if (pair_check_kind(&input->image, &subject->image, &err))
		return true;
	findings_add(findings, FINDING_INPUT_OTHER, NO_LOCATION, "%s", err.text);
	return false;
}

/* Returns false if the build-ids of the output and the input do not belong together. */
static bool check_build_ids(const struct binary *subject, const struct input *input,
			    struct findings *findings)
{
	struct build_id expected = input->image.build_id;
	char got[2 * BUILD_ID_MAX + 1], want[2 * BUILD_ID_MAX + 1];

	if (!expected.size || !subject->image.build_id.size ||
	    build_id_is_marked(&expected, &subject->image.build_id))
		return true;
	expected.data[expected.size - 1] ^= 1;
	build_id_format(&subject->image.build_id, got);
	build_id_format(&expected, want);
	findings_add(findings, FINDING_INPUT_BUILD, NO_LOCATION, "the binary has %s, not %s", got, want);
	return false;
}

static void check_offsets(const struct checking *c, uint32_t i, uint64_t size,
			  struct findings *findings)
{
	const struct bat_fragment *f = &c->subject->bat.fragments[i];

	for (uint32_t k = 0; k < f->entry_count; k++) {
		struct bat_entry e = c->subject->bat.entries[f->first_entry + k];
		if (bat_entry_input(e) >= size && !entry_never_emitted(f, e))
			findings_add(findings, FINDING_INPUT_OUTSIDE, location_of(c->subject, i, k),
				     "input 0x%x, but the function has 0x%" PRIx64 " bytes",
				     bat_entry_input(e), size);
	}
}

static void check_fragment(const struct checking *c, struct decoder *decoder, uint32_t i,
			   struct findings *findings)
{
	const struct bat_fragment *f = &c->subject->bat.fragments[i];
	const struct function *name = binary_fragment_function(c->subject, f->parent);

	if (c->of[i] == NO_FUNCTION) {
		if (!f->cold && name && f->entry_count)
			findings_add(findings, FINDING_INPUT_NO_FUNCTION, location_of(c->subject, i, NO_INDEX),
				     "no symbol of it is there");
		return;
	}
	struct bytes code = input_code_of(c->input, c->of[i]);
	check_offsets(c, i, code.size, findings);
	if (!c->code)
		return;
	struct spot *spots = malloc((f->entry_count + (size_t)1) * sizeof(*spots));
	if (!spots) {
		findings->nomem = true;
		return;
	}
	size_t count = code_spots(&c->subject->bat, f, true, code.size, spots);
	struct code_view view = {decoder, c->subject, c->starts, &c->input->probes, &input_side, code,
				 c->input->functions.at[c->of[i]].address, i};
	code_check(&view, spots, count, findings);
	free(spots);
}

static uint64_t count_off(const struct findings *findings)
{
	return findings->counts[FINDING_INPUT_OUTSIDE] + findings->counts[FINDING_INPUT_INSIDE_INSN];
}

static void check_fragments_of(void *ctx, struct decoder *decoder, uint32_t begin,
			       uint32_t end, struct findings *findings)
{
	struct checking *c = ctx;

	for (uint32_t i = begin; i < end; i++) {
		const struct bat_fragment *f = &c->subject->bat.fragments[i];
		uint64_t before = findings_at_least(findings, SEVERITY_ERROR), off = count_off(findings);
		if (f->parent == BAT_NO_PARENT)
			continue;
		check_fragment(c, decoder, i, findings);
		if (!f->entry_count || (f->cold && c->of[i] == NO_FUNCTION))
			continue;
		atomic_fetch_add(&c->compared, 1);
		atomic_fetch_add(&c->offsets, f->entry_count);
		atomic_fetch_add(&c->strange, c->of[i] == NO_FUNCTION ? f->entry_count : count_off(findings) - off);
		if (findings_at_least(findings, SEVERITY_ERROR) > before)
			atomic_fetch_add(&c->contradicted, 1);
	}
}

static bool has_build_ids(const struct checking *c)
{
	return c->input->image.build_id.size && c->subject->image.build_id.size;
}

/* Returns true if too many offsets of the table lie on no instruction; the limit is that of src/pair.  If the
 * build-ids belong together, the binary is the input and the table is wrong. */
static bool is_other(struct checking *c, struct findings *findings)
{
	uint64_t offsets = atomic_load(&c->offsets);
	double rate = offsets ? 100.0 * (double)atomic_load(&c->strange) / (double)offsets : 0;

	if (has_build_ids(c) || rate <= PAIR_LIMIT_PERCENT)
		return false;
	findings_add(findings, FINDING_INPUT_OTHER, NO_LOCATION,
		     "%.1f %% of the table's offsets lie on no instruction of it (limit %.0f %%), and no build-ids tell "
		     "whether it is the input", rate, PAIR_LIMIT_PERCENT);
	return true;
}

/* Checks all fragments.  If the binary cannot be the input and most fragments contradict it, that is
 * the only finding: all others would follow from it. */
static bool check_all_fragments(struct checking *c, unsigned threads, struct findings *findings)
{
	struct findings found;

	findings_init(&found, findings->most);
	bool ok = code_for_fragments(c->subject, threads, check_fragments_of, c, &found);
	bool mostly = atomic_load(&c->contradicted) > atomic_load(&c->compared) / 2;
	if (!(ok && is_other(c, findings) && mostly))
		findings_append(findings, &found);
	findings_free(&found);
	return ok;
}

bool check_input(const struct binary *subject, const struct input *input,
		 const struct block_starts *starts, unsigned threads, bool code,
		 struct findings *findings)
{
	if (!check_kind(subject, input, findings) || !check_build_ids(subject, input, findings))
		return true;
	uint32_t *of = malloc((subject->bat.fragment_count + (size_t)1) * sizeof(*of));
	struct checking checking = {.subject = subject, .input = input, .starts = starts, .of = of, .code = code};

	findings->nomem |= !of;
	bool ok = of && input_match(subject, input, starts, threads, of, findings) &&
		  check_all_fragments(&checking, threads, findings);
	free(of);
	return ok;
}
