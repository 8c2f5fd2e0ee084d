/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/pieces.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/parallel.h"

struct noting {
	const struct ranges_job *job;
	atomic_bool *touched; /* per function of the output */
};

static void note(const struct noting *n, struct location at)
{
	if (at.function != LOCATION_NONE && n->job->located->binary->functions.at[at.function].kind == FUNCTION_CODE)
		atomic_store_explicit(&n->touched[at.function], true, memory_order_relaxed);
}

static void note_shard(void *ctx, size_t shard, unsigned worker)
{
	const struct noting *n = ctx;
	const struct count_table *table = located_rows(n->job->located, shard);

	(void)worker;
	for (size_t i = 0; i < table->used; i++) {
		const struct location *at = located_row(n->job->located, shard, i);
		note(n, at[END_FROM]);
		note(n, at[END_BRANCH]);
	}
}

static const struct function *owner_of(const struct binary *binary, const struct function *f,
				       const struct bat_fragment *fragment)
{
	return binary_owner(binary, (struct output_place){f, fragment, 0});
}

/* Makes a piece for each function that a trace touched. */
static bool list_pieces(struct pieces *pieces, const atomic_bool *touched)
{
	const struct binary *binary = pieces->binary;

	for (size_t i = 0; i < binary->functions.count; i++)
		pieces->count += touched[i];
	pieces->at = calloc(pieces->count + 1, sizeof(*pieces->at));
	pieces->of = malloc((functions_named(&binary->functions) + 1) * sizeof(*pieces->of));
	if (!pieces->at || !pieces->of)
		return false;
	memset(pieces->of, 0xff, (functions_named(&binary->functions) + 1) * sizeof(*pieces->of)); /* NO_PIECE */
	for (size_t i = 0, k = 0; i < binary->functions.count; i++) {
		if (!touched[i])
			continue;
		uint32_t fragment = binary->fragment_of[i];
		struct piece *piece = &pieces->at[k];
		piece->output = &binary->functions.at[i];
		piece->fragment = fragment == NO_FRAGMENT ? NULL : &binary->bat.fragments[fragment];
		piece->owner = owner_of(binary, piece->output, piece->fragment);
		if (piece->owner)
			piece->input = pieces->pair ? pair_input_of(pieces->pair, piece->owner) : piece->owner;
		pieces->of[i] = (uint32_t)k++;
	}
	return true;
}

struct reading {
	struct pieces *pieces;
	struct decoder *decoders;
	atomic_bool no_memory;
};

static void read_piece(void *ctx, size_t number, unsigned worker)
{
	struct reading *r = ctx;
	struct pieces *pieces = r->pieces;
	struct piece *piece = &pieces->at[number];
	const struct code *code = pieces->pair && piece->fragment ? pair_code(pieces->pair, piece->input) : NULL;

	piece->code = code && code->blocks.len ? code : NULL;
	if (!piece_read(pieces->binary, &r->decoders[worker], piece))
		r->no_memory = true;
}

static bool read_all(struct pieces *pieces, unsigned threads)
{
	struct reading r = {pieces, calloc(threads, sizeof(*r.decoders)), false};

	if (!r.decoders)
		return false;
	for (unsigned i = 0; i < threads; i++)
		decoder_open(pieces->binary->image.machine, &r.decoders[i]);
	parallel_for(threads, pieces->count, read_piece, &r);
	for (unsigned i = 0; i < threads; i++)
		decoder_close(&r.decoders[i]);
	free(r.decoders);
	return !r.no_memory;
}

bool pieces_open(const struct ranges_job *job, struct pieces *out, struct bc_error *err)
{
	const struct binary *binary = job->located->binary;
	struct noting noting = {job, calloc(binary->functions.count + 1, sizeof(*noting.touched))};

	*out = (struct pieces){.binary = binary, .pair = job->pair};
	if (!noting.touched)
		return bc_fail_nomem(err);
	parallel_for(job->threads, COUNTS_SHARDS, note_shard, &noting);
	bool ok = list_pieces(out, noting.touched) || bc_fail_nomem(err);
	free(noting.touched);
	return ok && (read_all(out, job->threads) || bc_fail_nomem(err));
}

void pieces_close(struct pieces *pieces)
{
	for (size_t i = 0; i < pieces->count; i++)
		piece_free(&pieces->at[i]);
	free(pieces->at);
	free(pieces->of);
	*pieces = (struct pieces){0};
}
