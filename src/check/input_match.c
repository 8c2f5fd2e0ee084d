/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>
#include <string.h>

#include "src/base/search.h"
#include "src/check/checks.h"
#include "src/check/input.h"

struct matching {
	const struct binary *subject;
	const struct input *input;
	const struct block_starts *starts;
	uint32_t *of;
};

/* Thousands of functions can share a name, such as those that initialise variables of C++.  Of the
 * functions whose printed name differs from the fragment's, this many are compared. */
#define CANDIDATES_MOST ((size_t)256)

static int compare(const struct input_name *a, const struct input_name *b)
{
	int order = strcmp(a->name, b->name);

	return order ? order : strcmp(a->printed, b->printed);
}
DEFINE_SEARCH(first_name_from, struct input_name, const struct input_name *, compare(item, key) < 0)

static uint64_t misfits(const struct matching *m, struct decoder *decoder, uint32_t fragment,
			uint32_t function)
{
	const struct bat_table *bat = &m->subject->bat;
	const struct bat_fragment *f = &bat->fragments[fragment];
	struct bytes code = input_code_of(m->input, function);
	struct findings findings;

	struct spot *spots = malloc((f->entry_count + (size_t)1) * sizeof(*spots));
	if (!spots)
		return UINT64_MAX;
	findings_init(&findings, 0);
	size_t count = code_spots(bat, f, true, code.size, spots);
	if (count && !work_spend(m->input->image.work, WORK_ONE_NAME, spots[count - 1].offset)) {
		free(spots);
		return UINT64_MAX; /* who asked for the matches finds it in the image's work */
	}
	struct code_view view = {decoder, m->subject, m->starts, &m->input->probes, &input_side, code,
				 m->input->functions.at[function].address, fragment, NULL};
	code_check(&view, spots, count, &findings);
	free(spots);
	/* Entries behind the end of the function do not fit either. */
	return findings_at_least(&findings, SEVERITY_NOTE) + (f->entry_count - count);
}

/* The best of the functions that have one of the fragment's names. */
struct best {
	uint32_t function;
	uint64_t misfits;
	bool tried; /* misfits is known; else the function is the only candidate */
};

static void consider(const struct matching *m, struct decoder *decoder, uint32_t fragment,
		     uint32_t function, struct best *best)
{
	if (best->function == function)
		return;
	if (best->function == NO_FUNCTION) {
		best->function = function;
		return;
	}
	if (!best->tried)
		best->misfits = misfits(m, decoder, fragment, best->function);
	best->tried = true;
	if (!best->misfits)
		return; /* all entries fit: no function can be better */
	uint64_t count = misfits(m, decoder, fragment, function);
	if (count < best->misfits)
		*best = (struct best){function, count, true};
}

static uint32_t printed_alike(const struct input *input, const char *name, const char *printed)
{
	const struct input_name wanted = {.name = name, .printed = printed};
	size_t i = first_name_from(input->names, input->name_count, &wanted);

	return i < input->name_count && !compare(&input->names[i], &wanted) ? input->names[i].function : NO_FUNCTION;
}

static uint32_t match(const struct matching *m, struct decoder *decoder, uint32_t fragment)
{
	const struct symbol_table *symbols = &m->subject->functions.symbols;
	const struct function *hot = binary_fragment_function(m->subject, fragment);
	struct best best = {NO_FUNCTION, 0, false};

	if (!hot)
		return NO_FUNCTION;
	size_t end = symbols_above(symbols, hot->address);
	size_t begin = hot->address ? symbols_above(symbols, hot->address - 1) : 0;
	for (size_t s = begin; s < end && best.function == NO_FUNCTION; s++)
		best.function = printed_alike(m->input, symbols->at[s].name, hot->printed);
	size_t left = CANDIDATES_MOST;
	for (size_t s = begin; s < end && left; s++) {
		const char *name = symbols->at[s].name;
		const struct input_name first = {.name = name, .printed = ""};
		for (size_t i = first_name_from(m->input->names, m->input->name_count, &first);
		     left && name[0] && i < m->input->name_count && !strcmp(m->input->names[i].name, name); i++, left--)
			consider(m, decoder, fragment, m->input->names[i].function, &best);
	}
	return best.function;
}

static void match_fragments(void *ctx, struct decoder *decoder, uint32_t begin, uint32_t end,
			    struct findings *findings)
{
	struct matching *m = ctx;

	(void)findings;
	for (uint32_t i = begin; i < end; i++)
		m->of[i] = m->subject->bat.fragments[i].cold ? NO_FUNCTION : match(m, decoder, i);
}

bool input_match(const struct binary *subject, const struct input *input,
		 const struct block_starts *starts, unsigned threads, uint32_t *of,
		 struct findings *findings)
{
	struct matching m = {subject, input, starts, of};

	if (!code_for_fragments(subject, threads, match_fragments, &m, findings))
		return false;
	for (uint32_t i = 0; i < subject->bat.fragment_count; i++) {
		uint32_t parent = subject->bat.fragments[i].parent;
		if (subject->bat.fragments[i].cold && parent != BAT_NO_PARENT)
			of[i] = of[parent];
	}
	return true;
}
