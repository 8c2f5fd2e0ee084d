/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Any bytes as code, jump tables and unwind tables: a graph is empty, or its
 * blocks begin at 0, ascend and end inside the function; a run through it gives
 * edges from one block's end to the next one's beginning, or none.
 *
 * The first byte chooses the machine, the second how much of the rest is code.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "src/code/cfg.h"
#include "src/elf/image.h"
#include "src/flow/problem.h"

#define BASE 0x1000u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct graph *graph)
{
	for (uint32_t i = 0; i < graph->count; i++) {
		const struct block *b = &graph->blocks[i];
		assert(b->start <= b->last && b->last < graph->size);
		assert(i ? b->start > b[-1].last : b->start == 0);
	}
	for (uint32_t from = 0; from < graph->size; from += 7) {
		struct fall_through fall = {from, graph->size - 1, from & 1, from & 2};
		uint32_t first, last;
		enum walk_result result = graph_walk(graph, &fall, &first, &last);
		assert(result != WALK_EDGES || (first < last && last < graph->count));
		assert(graph->count || result == WALK_INVALID);
	}
}

struct stepping {
	const struct graph *graph;
	uint64_t left; /* of the block's count, by steps that are no calls */
};

/* The executed code lies in its block, and each step leads somewhere. */
static bool check_step(void *ctx, const struct flow_step *step)
{
	struct stepping *s = ctx;
	const struct block *block = &s->graph->blocks[step->block];

	assert(step->block < s->graph->count &&
	       (step->to < s->graph->count || step->to == NO_BLOCK));
	assert(block->start <= step->from->offset && step->from->offset <= block->last);
	assert(step->callee == NO_TARGET || step->count);
	s->left += step->callee == NO_TARGET ? step->count : 0;
	return true;
}

/* All counts of blocks are left by steps. */
static void check_steps(const struct function_table *table, const struct function *f,
			const struct graph *graph, const struct flow_counts *counts)
{
	const struct targets targets = {.functions = table}; /* no slots */
	struct stepping stepping = {graph, 0};
	uint64_t sum = 0;

	assert(flow_steps(&(struct flow_solved){&targets, f, graph, counts}, check_step,
			  &stepping));
	for (uint32_t i = 0; i < graph->count; i++)
		sum += counts->blocks[i];
	assert(stepping.left == sum);
}

/* Successors are blocks, each once; and what enters a block leaves it, in the flow that is inferred
 * from samples at whatever addresses. */
static void check_code(const struct function_table *table, const struct function *f,
		       const struct graph *graph, struct bytes data)
{
	struct function_sample samples[16];
	struct function_problem problem;
	uint64_t steps = UINT64_C(1) << 28;
	size_t count = data.size < 16 ? data.size : 16;

	for (uint32_t i = 0; i < graph->count; i++)
		for (uint32_t k = graph->code.first_next[i]; k < graph->code.first_next[i + 1];
		     k++) {
			assert(graph->code.next[k] < graph->count);
			assert(k == graph->code.first_next[i] ||
			       graph->code.next[k] > graph->code.next[k - 1]);
			assert(graph_code_source(graph, f->address, i, graph->code.next[k])
				       ->offset <= graph->blocks[i].last);
		}
	for (size_t i = 0; i < count; i++)
		samples[i] = (struct function_sample){(uint32_t)(i * f->size / 16), data.data[i]};
	assert(function_problem_make(f, graph, samples, count, 1, (enum counted_as)(data.size % 3),
				     &problem));
	if (flow_solve(&problem.problem, &steps, &problem.counts) == FLOW_SOLVED) {
		check_steps(table, f, graph, &problem.counts);
		for (uint32_t i = 0; i < graph->count; i++) {
			uint64_t in = problem.counts.entries[i];
			for (uint32_t k = 0; k < problem.problem.edge_count; k++)
				in += problem.edges[k].to == i ? problem.counts.edges[k] : 0;
			assert(in == problem.counts.blocks[i]);
		}
	}
	function_problem_free(&problem);
}

static struct section section(const char *name, uint64_t from, uint64_t size, uint64_t flags)
{
	return (struct section){.name = {name, strlen(name)},
				.type = SHT_PROGBITS,
				.flags = SHF_ALLOC | flags,
				.addr = BASE + from,
				.offset = from,
				.size = size};
}

static void check_one(const struct function_table *table, const struct function *f,
		      const struct graph *graph, struct bytes data)
{
	check(graph);
	if (graph->count && graph->count < 1000 && graph->code.first_insn)
		check_code(table, f, graph, data);
}

static void warn_without_llvm(const struct cfg *cfg)
{
	static bool told;

	if (cfg->no_disassembler && !told)
		fprintf(stderr, "no libLLVM: what it would have decoded is not tried\n");
	told |= cfg->no_disassembler;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint32_t chosen[] = {0, 1};
	struct bc_error err;
	struct cfg cfg = {0};

	if (size < 8)
		return 0;
	struct bytes file = {data + 2, size - 2};
	uint64_t code = file.size * (data[1] + 1u) / 256, half = code / 2;
	struct section sections[] = {section(".text", 0, code, SHF_EXECINSTR),
				     section(".rodata", code, file.size - code, 0),
				     section(".eh_frame", code, file.size - code, 0)};
	struct segment segment = {.vaddr = BASE,
				  .memsz = file.size,
				  .filesz = file.size,
				  .align = 1,
				  .executable = true};
	struct image image = {.file = file,
			      .machine = (enum machine)(data[0] % 3),
			      .segments = &segment,
			      .segment_count = 1,
			      .sections = sections,
			      .section_count = 3};
	struct function functions[] = {
		{.address = BASE, .size = half, .extent = half, .primary = "f"},
		{.address = BASE + half,
		 .size = code - half,
		 .extent = code - half,
		 .primary = "f.cold"}};
	struct function_table table = {.at = functions, .count = 2};
	if (!section_parts_find(&image) || !functions_index(&table))
		return 0;
	assert(cfg_build_code(&image, &table, chosen, 2, 1, &cfg, &err));
	warn_without_llvm(&cfg);
	for (uint32_t i = 0; i < 2; i++)
		check_one(&table, &functions[i], cfg_find(&cfg, &functions[i]), file);
	cfg_free(&cfg);
	free(table.index.below);
	free(image.parts);
	return 0;
}
