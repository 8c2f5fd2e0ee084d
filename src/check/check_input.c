/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/check/checks.h"
#include "src/check/input.h"

struct checking {
	const struct binary *subject;
	const struct input *input;
	const struct block_starts *starts;
	const uint32_t *of;
	bool code;
};

static void check_build_ids(const struct binary *subject, const struct input *input,
			    struct findings *findings)
{
	struct build_id expected = input->image.build_id;
	char got[2 * BUILD_ID_MAX + 1], want[2 * BUILD_ID_MAX + 1];

	if (!expected.size || !subject->image.build_id.size ||
	    build_id_is_marked(&expected, &subject->image.build_id))
		return;
	expected.data[expected.size - 1] ^= 1;
	build_id_format(&subject->image.build_id, got);
	build_id_format(&expected, want);
	findings_add(findings, FINDING_INPUT_BUILD, NOWHERE, "the binary has %s, not %s", got, want);
}

static void check_offsets(const struct checking *c, uint32_t i, uint64_t size,
			  struct findings *findings)
{
	const struct bat_fragment *f = &c->subject->bat.fragments[i];

	for (uint32_t k = 0; k < f->entry_count; k++) {
		struct bat_entry e = c->subject->bat.entries[f->first_entry + k];
		if (bat_entry_input(e) >= size && !entry_never_emitted(f, e))
			findings_add(findings, FINDING_INPUT_OUTSIDE, place_of(c->subject, i, k),
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
			findings_add(findings, FINDING_INPUT_NO_FUNCTION, place_of(c->subject, i, NO_INDEX),
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

static void check_fragments_of(void *ctx, struct decoder *decoder, uint32_t begin,
			       uint32_t end, struct findings *findings)
{
	const struct checking *c = ctx;

	for (uint32_t i = begin; i < end; i++)
		if (c->subject->bat.fragments[i].parent != BAT_NO_PARENT)
			check_fragment(c, decoder, i, findings);
}

bool check_input(const struct binary *subject, const struct input *input,
		 const struct block_starts *starts, unsigned threads, bool code,
		 struct findings *findings)
{
	uint32_t *of = malloc((subject->bat.fragment_count + (size_t)1) * sizeof(*of));
	struct checking checking = {subject, input, starts, of, code};

	findings->nomem |= !of;
	check_build_ids(subject, input, findings);
	bool ok = of && input_match(subject, input, starts, threads, of, findings) &&
		  code_for_fragments(subject, threads, check_fragments_of, &checking, findings);
	free(of);
	return ok;
}
