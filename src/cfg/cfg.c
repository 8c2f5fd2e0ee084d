/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cfg/cfg.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/parallel.h"
#include "src/cfg/references.h"

/* Bytes of code per thread: so many take about half a millisecond. */
#define BYTES_PER_THREAD (UINT64_C(32) << 10)

struct job {
	const struct graph_input *input;
	const struct cfg *cfg;
	struct decoder decoders[PARALLEL_MOST]; /* one a worker: they have state */
	atomic_bool failed; /* no memory, or too much work */
};

static void build_one(void *ctx, size_t index, unsigned worker)
{
	struct job *job = ctx;
	const struct cfg *cfg = job->cfg;
	struct decoder *decoder = &job->decoders[worker];

	if (!graph_build(job->input, decoder, &cfg->functions->at[cfg->chosen[index]],
			 &cfg->graphs[index]))
		atomic_store(&job->failed, true);
}

static unsigned worth_threads(const struct cfg *cfg, unsigned most)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < cfg->count; i++)
		bytes += cfg->functions->at[cfg->chosen[i]].size;
	uint64_t worth = bytes / BYTES_PER_THREAD + 1;
	return worth < most ? (unsigned)worth : most;
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Copies the chosen indices, sorted and each once. */
static bool choose(struct cfg *cfg, const uint32_t *chosen, size_t count)
{
	cfg->chosen = malloc((count + 1) * sizeof(*cfg->chosen));
	if (!cfg->chosen)
		return false;
	if (count) {
		memcpy(cfg->chosen, chosen, count * sizeof(*chosen));
		qsort(cfg->chosen, count, sizeof(*chosen), by_value);
	}
	for (size_t i = 0; i < count; i++)
		if (!cfg->count || cfg->chosen[cfg->count - 1] != cfg->chosen[i])
			cfg->chosen[cfg->count++] = cfg->chosen[i];
	cfg->graphs = calloc(cfg->count + 1, sizeof(*cfg->graphs));
	return cfg->graphs;
}

static bool build(const struct image *image, struct cfg *cfg, bool keep_code, unsigned threads)
{
	struct chosen chosen = {image, cfg->functions, cfg->chosen, cfg->count};
	struct label_vec labels = {0};
	struct relocs relocs = {0};
	struct fragment_vec fragments = {0};
	struct table_references references;
	struct graph_input input = {image, cfg->functions, &relocs, &fragments, &labels, &references, keep_code};
	struct job job = {.input = &input, .cfg = cfg};

	table_references_init(&references, image, cfg->functions);
	for (size_t i = 0; i < PARALLEL_MOST; i++)
		decoder_open(image->machine, &job.decoders[i]);
	bool ok = relocs_read(&chosen, &relocs, &labels) && labels_of_symbols(&chosen, &labels) &&
		  labels_of_landing_pads(&chosen, &labels) &&
		  labels_of_references(&chosen, &job.decoders[0], threads, &labels) &&
		  (relocs.present || fragments_find(&cfg->functions->symbols, &fragments));
	if (ok) {
		labels_sort(&labels);
		parallel_for(worth_threads(cfg, threads), cfg->count, build_one, &job);
	}
	for (size_t i = 0; i < PARALLEL_MOST; i++) {
		cfg->no_disassembler |= job.decoders[i].llvm_missing;
		decoder_close(&job.decoders[i]);
	}
	table_references_free(&references);
	fragment_vec_free(&fragments);
	label_vec_free(&labels);
	relocs_free(&relocs);
	return ok && !atomic_load(&job.failed);
}

static bool build_chosen(const struct image *image, const struct function_table *functions, const uint32_t *chosen,
			 size_t count, bool keep_code, unsigned threads, struct cfg *out, struct bc_error *err)
{
	struct cfg cfg = {.functions = functions};

	if (!choose(&cfg, chosen, count) || (cfg.count && !build(image, &cfg, keep_code, threads))) {
		cfg_free(&cfg);
		return work_fail(image->work, err);
	}
	*out = cfg;
	return true;
}

bool cfg_build(const struct image *image, const struct function_table *functions,
	       const uint32_t *chosen, size_t count, unsigned threads, struct cfg *out,
	       struct bc_error *err)
{
	return build_chosen(image, functions, chosen, count, false, threads, out, err);
}

bool cfg_build_code(const struct image *image, const struct function_table *functions,
		    const uint32_t *chosen, size_t count, unsigned threads, struct cfg *out,
		    struct bc_error *err)
{
	return build_chosen(image, functions, chosen, count, true, threads, out, err);
}

void cfg_free(struct cfg *cfg)
{
	for (size_t i = 0; cfg->graphs && i < cfg->count; i++)
		graph_free(&cfg->graphs[i]);
	free(cfg->graphs);
	free(cfg->chosen);
	*cfg = (struct cfg){0};
}

const struct graph *cfg_find(const struct cfg *cfg, const struct function *function)
{
	uint32_t index = (uint32_t)(function - cfg->functions->at);
	const uint32_t *found = cfg->count ? bsearch(&index, cfg->chosen, cfg->count,
						     sizeof(index), by_value)
					   : NULL;

	return found ? &cfg->graphs[found - cfg->chosen] : NULL;
}
