/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/return_places.h"

#include <stdlib.h>

static bool follows_call(struct return_places *places, struct output_place at)
{
	if (!at.function)
		return false;
	enum insn_verdict verdict = insn_follows_call(places->starts, places->decoder, at);
	places->no_memory |= verdict == INSN_NO_MEMORY;
	return verdict == INSN_YES;
}

/* Traces come sorted by their `from`: those of one function in a row. */
void return_places_note(struct return_places *places, struct trace trace, struct output_place from)
{
	struct index_vec *entered = &places->entered;

	if (trace_end_equal(trace.from, places->last))
		return;
	places->last = trace.from;
	if (!from.function || !from.offset)
		return;
	uint32_t index = (uint32_t)(from.function - places->starts->binary->functions.at);
	if (!entered->len || entered->at[entered->len - 1] != index)
		places->no_memory |= !index_vec_push(entered, index);
}

bool return_places_take(struct return_places *places, struct index_vec *all)
{
	bool ok = true;

	for (size_t i = 0; ok && i < places->entered.len; i++)
		ok = index_vec_push(all, places->entered.at[i]);
	index_vec_free(&places->entered);
	places->last = trace_end_of(TRACE_END_EXTERNAL);
	return ok;
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

bool return_places_pads(const struct binary *binary, struct index_vec *functions, struct label_vec *out)
{
	if (!functions->len)
		return true;
	qsort(functions->at, functions->len, sizeof(*functions->at), by_value);
	const struct chosen chosen = {&binary->image, &binary->functions, functions->at, functions->len};
	if (!labels_of_landing_pads(&chosen, out))
		return false;
	labels_sort(out);
	return true;
}

static bool is_pad(const struct return_places *places, struct vaddr at)
{
	size_t i = labels_from(places->pads, at.v);

	return i < places->pads->len && places->pads->at[i].address == at.v;
}

bool return_places_has(struct return_places *places, struct trace trace, struct output_place from)
{
	if (!return_places_may_have(places, trace) || !from.function)
		return false;
	if (!trace_end_equal(trace.from, places->last)) {
		places->last = trace.from;
		places->last_has = follows_call(places, from) && !is_pad(places, trace_end_vaddr(trace.from));
	}
	return places->last_has;
}
