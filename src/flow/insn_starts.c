/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/insn_starts.h"

#include <stdlib.h>

#define WORD_BITS 64
#define LONGEST 15 /* bytes of an instruction */

bool insn_starts_open(struct insn_starts *starts, const struct binary *binary, struct bc_error *err)
{
	*starts = (struct insn_starts){.binary = binary};
	return start_bits_make(&starts->of, &binary->functions) || bc_fail_nomem(err);
}

void insn_starts_share(struct insn_starts *starts, const struct cfg *graphs)
{
	starts->graphs = graphs;
	for (uint32_t i = 0; graphs->of && i < graphs->functions->count; i++)
		if (graphs->of[i])
			atomic_store_explicit(start_bits_of(&starts->of, (struct code_number){i}), graphs->of[i]->starts, memory_order_relaxed);
}

void insn_starts_close(struct insn_starts *starts)
{
	for (uint32_t i = 0; starts->of.at && i < starts->binary->functions.count; i++) {
		const struct graph *graph = starts->graphs ? cfg_find(starts->graphs, &starts->binary->functions.at[i]) : NULL;
		uint64_t *bits = atomic_load_explicit(start_bits_of(&starts->of, (struct code_number){i}), memory_order_relaxed);
		if (!graph || bits != graph->starts)
			free(bits);
	}
	start_bits_free(&starts->of);
	*starts = (struct insn_starts){0};
}

static bool has_bit(const uint64_t *bits, uint32_t at)
{
	return bits[at / WORD_BITS] >> at % WORD_BITS & 1;
}

/* The function's bytes as far as they are there. */
static struct bytes code_of(const struct binary *binary, const struct function *function)
{
	uint64_t size = function->size < UINT32_MAX ? function->size : UINT32_MAX;

	return bytes_first(image_bytes_at(&binary->image, (struct vaddr){function->address}), size);
}

/* From a known beginning to the next one.  `decoder` is asked where a length is not known, if it is not NULL. */
static void read_run(enum machine machine, struct decoder *decoder, struct bytes code, size_t at, size_t end,
		     uint64_t *bits)
{
	struct insn insn;

	for (size_t length = 1; length && at < end; at += length) {
		bits[at / WORD_BITS] |= UINT64_C(1) << at % WORD_BITS;
		if (!decoder)
			insn = insn_decode(machine, bytes_from(code, at), 0);
		else if (!decoder_next(decoder, bytes_from(code, at), 0, &insn))
			insn.size = 0;
		length = insn.size;
	}
}

/* Entries are in ascending order, but for those of blocks that were never emitted. */
static void read_fragment(const struct binary *binary, const struct bat_fragment *fragment,
			  struct bytes code, uint64_t *bits)
{
	const struct bat_entry *entries = binary->bat.entries + fragment->first_entry;
	size_t at = 0;

	for (uint32_t i = 0; i < fragment->entry_count; i++) {
		size_t next = entries[i].output;
		if (next <= at || next >= code.size)
			continue;
		read_run(binary->image.machine, NULL, code, at, next, bits);
		at = next;
	}
	read_run(binary->image.machine, NULL, code, at, code.size, bits);
}

static uint64_t *read_function(const struct binary *binary, struct decoder *decoder,
			       const struct function *function)
{
	struct bytes code = code_of(binary, function);
	uint64_t *bits = calloc(code.size / WORD_BITS + 1, sizeof(*bits));
	uint32_t fragment = binary->fragment_of[function - binary->functions.at];

	if (!bits)
		return NULL;
	if (fragment == NO_FRAGMENT)
		read_run(binary->image.machine, decoder, code, 0, code.size, bits);
	else
		read_fragment(binary, &binary->bat.fragments[fragment], code, bits);
	return bits;
}

/* Two threads may read one function: the first one's bits stay.  NULL: out of memory. */
static const uint64_t *bits_of(struct insn_starts *starts, struct decoder *decoder,
			       const struct function *function)
{
	_Atomic(uint64_t *) *place =
		start_bits_of(&starts->of, functions_code_number(&starts->binary->functions, function));
	uint64_t *known = atomic_load_explicit(place, memory_order_acquire);

	if (known)
		return known;
	uint64_t *bits = read_function(starts->binary, decoder, function);
	if (!bits || atomic_compare_exchange_strong(place, &known, bits))
		return bits;
	free(bits);
	return known;
}

/* The last beginning in front of `at` from which an instruction could reach it. */
static bool beginning_before(const uint64_t *bits, uint32_t at, uint32_t *out)
{
	for (uint32_t back = 1; back <= LONGEST && back <= at; back++)
		if (has_bit(bits, at - back)) {
			*out = at - back;
			return true;
		}
	return false;
}

enum insn_verdict insn_begins(struct insn_starts *starts, struct decoder *decoder, struct output_place place)
{
	struct bytes code = code_of(starts->binary, place.function);
	uint32_t before;

	if (place.function->kind == FUNCTION_PLT || place.offset >= code.size)
		return INSN_UNSURE;
	const uint64_t *bits = bits_of(starts, decoder, place.function);
	if (!bits)
		return INSN_NO_MEMORY;
	if (has_bit(bits, place.offset))
		return INSN_YES;
	if (!beginning_before(bits, place.offset, &before))
		return INSN_UNSURE;
	struct insn insn;
	if (!decoder_next(decoder, bytes_from(code, before), 0, &insn))
		return INSN_UNSURE;
	return place.offset - before < insn.size ? INSN_NO : INSN_UNSURE;
}

enum insn_verdict insn_is_return(struct insn_starts *starts, struct decoder *decoder, struct output_place place,
				 struct insn insn)
{
	if (!place.function || insn.kind != INSN_RETURN)
		return INSN_NO;
	enum insn_verdict begins = place.fragment ? INSN_YES : insn_begins(starts, decoder, place);
	return begins == INSN_UNSURE ? INSN_YES : begins;
}

enum insn_verdict insn_follows_call(struct insn_starts *starts, struct decoder *decoder, struct output_place place)
{
	struct bytes code = code_of(starts->binary, place.function);
	struct insn insn;
	uint32_t before;

	if (place.function->kind == FUNCTION_PLT || !place.offset || place.offset >= code.size)
		return INSN_NO;
	const uint64_t *bits = bits_of(starts, decoder, place.function);
	if (!bits)
		return INSN_NO_MEMORY;
	if (!beginning_before(bits, place.offset, &before) ||
	    !decoder_next(decoder, bytes_from(code, before), place.function->address + before, &insn) ||
	    before + insn.size < place.offset)
		return INSN_UNSURE;
	return insn_is_call(insn) && before + insn.size == place.offset ? INSN_YES : INSN_NO;
}

static bool follows_call(struct return_places *places, struct output_place at)
{
	if (!at.function)
		return false;
	enum insn_verdict verdict = insn_follows_call(places->starts, places->decoder, at);
	places->no_memory |= verdict == INSN_NO_MEMORY;
	return verdict == INSN_YES;
}

bool return_places_has(struct return_places *places, struct trace trace, struct output_place from)
{
	if (!return_places_may_have(places, trace) || !from.function)
		return false;
	if (!trace_end_equal(trace.from, places->last)) {
		places->last = trace.from;
		places->last_has = follows_call(places, from) && !labels_have(places->pads, trace_end_vaddr(trace.from).v);
	}
	return places->last_has;
}
