/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/code/cfg.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "src/base/parallel.h"
#include "src/code/references.h"

/* Bytes of code per thread: so many take about half a millisecond. */
#define BYTES_PER_THREAD (UINT64_C(32) << 10)

/* What a call builds: the numbers of functions, ascending. */
struct job {
	struct graph_input input;
	struct cfg *cfg;
	uint32_t *chosen;
	size_t count;
	struct decoder decoders[PARALLEL_MOST]; /* one a worker: they have state */
	atomic_bool failed; /* no memory, or too much work */
};

static void build_one(void *ctx, size_t index, unsigned worker)
{
	struct job *job = ctx;
	uint32_t number = job->chosen[index];
	struct graph **graph = &job->cfg->of[number];

	if (*graph)
		graph_free(*graph);
	else
		*graph = malloc(sizeof(**graph));
	if (!*graph || !graph_build(&job->input, &job->decoders[worker], &job->cfg->functions->at[number], *graph))
		atomic_store(&job->failed, true);
}

static unsigned worth_threads(const struct job *job, unsigned most)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < job->count; i++)
		bytes += job->cfg->functions->at[job->chosen[i]].size;
	uint64_t worth = bytes / BYTES_PER_THREAD + 1;
	return worth < most ? (unsigned)worth : most;
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Copies the chosen indices of what is not built yet, sorted and each once. */
static bool choose(struct job *job, const uint32_t *chosen, size_t count, bool code)
{
	uint32_t last = UINT32_MAX;
	size_t wanted = 0;

	job->chosen = malloc((count + 1) * sizeof(*job->chosen));
	if (!job->chosen)
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct graph *graph = job->cfg->of[chosen[i]];
		if (!graph || (code && !graph->has_code))
			job->chosen[wanted++] = chosen[i];
	}
	if (wanted)
		qsort(job->chosen, wanted, sizeof(*job->chosen), by_value);
	for (size_t i = 0; i < wanted; i++) {
		if (job->chosen[i] != last)
			job->chosen[job->count++] = job->chosen[i];
		last = job->chosen[i];
	}
	return true;
}

static bool build(const struct image *image, struct job *job, bool keep_code, unsigned threads)
{
	struct cfg *cfg = job->cfg;
	struct chosen chosen = {image, cfg->functions, job->chosen, job->count};
	struct label_vec labels = {0};
	struct relocs relocs = {0};
	struct fragment_vec fragments = {0};
	struct table_references references;

	job->input = (struct graph_input){image, cfg->functions, &relocs, &fragments, &labels, &references, keep_code};
	table_references_init(&references, image, cfg->functions);
	for (size_t i = 0; i < PARALLEL_MOST; i++)
		decoder_open(image->machine, &job->decoders[i]);
	bool ok = relocs_read(&chosen, &relocs, &labels) && labels_of_symbols(&chosen, &labels) &&
		  labels_of_landing_pads(&chosen, &labels) &&
		  labels_of_references(&chosen, &job->decoders[0], threads, &labels) &&
		  (relocs.present || fragments_find(&cfg->functions->symbols, &fragments));
	if (ok) {
		labels_sort(&labels);
		parallel_for(worth_threads(job, threads), job->count, build_one, job);
	}
	for (size_t i = 0; i < PARALLEL_MOST; i++) {
		cfg->no_disassembler |= job->decoders[i].llvm_missing;
		decoder_close(&job->decoders[i]);
	}
	table_references_free(&references);
	fragment_vec_free(&fragments);
	label_vec_free(&labels);
	relocs_free(&relocs);
	return ok && !atomic_load(&job->failed);
}

static bool build_chosen(const struct image *image, const struct function_table *functions, const uint32_t *chosen,
			 size_t count, bool keep_code, unsigned threads, struct cfg *cfg, struct bc_error *err)
{
	struct job job = {.cfg = cfg};

	if (!cfg->of)
		*cfg = (struct cfg){.functions = functions, .of = calloc(functions->count + 1, sizeof(*cfg->of))};
	bool ok = cfg->of && choose(&job, chosen, count, keep_code) && (!job.count || build(image, &job, keep_code, threads));
	free(job.chosen);
	if (!ok)
		cfg_free(cfg);
	return ok || work_fail(image->work, err);
}

bool cfg_build(const struct image *image, const struct function_table *functions,
	       const uint32_t *chosen, size_t count, unsigned threads, struct cfg *cfg,
	       struct bc_error *err)
{
	return build_chosen(image, functions, chosen, count, false, threads, cfg, err);
}

bool cfg_build_code(const struct image *image, const struct function_table *functions,
		    const uint32_t *chosen, size_t count, unsigned threads, struct cfg *cfg,
		    struct bc_error *err)
{
	return build_chosen(image, functions, chosen, count, true, threads, cfg, err);
}

void cfg_free(struct cfg *cfg)
{
	for (size_t i = 0; cfg->of && i < cfg->functions->count; i++) {
		if (cfg->of[i])
			graph_free(cfg->of[i]);
		free(cfg->of[i]);
	}
	free(cfg->of);
	*cfg = (struct cfg){0};
}
