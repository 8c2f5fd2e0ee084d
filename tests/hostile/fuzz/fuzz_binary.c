/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A whole binary: the graphs of all its functions, with their jump tables, landing
 * pads and relocations, and the verification of its table against its code.  And as the
 * debug file of a binary of ours: its symbols lie in our sections, or are refused.
 *
 * Blocks of a graph ascend and lie inside the function; a report's findings lie
 * inside the table; both are refused with one line, or done, whatever the bytes.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "src/code/cfg.h"
#include "src/verify/verify.h"
#include "src/elf/binary.h"
#include "tests/hostile/fuzz/support/mutators.h"
#include "tests/support/convert_all.h"

#define MOST_FUNCTIONS 300

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_graph(const struct graph *graph, const struct function *f)
{
	assert(graph->count == 0 || graph->size <= f->extent);
	for (uint32_t i = 0; i < graph->count; i++) {
		const struct block *b = &graph->blocks[i];
		assert(b->start <= b->last && b->last < graph->size);
		assert(i ? b->start > b[-1].last : b->start == 0);
	}
}

static void check_graphs(const struct image *image, const struct function_table *functions)
{
	uint32_t chosen[MOST_FUNCTIONS];
	size_t count = functions->count < MOST_FUNCTIONS ? functions->count : MOST_FUNCTIONS;
	struct bc_error err = {0};
	struct cfg cfg = {0};

	for (size_t i = 0; i < count; i++)
		chosen[i] = (uint32_t)(count - 1 - i); /* in any order */
	assert(cfg_build(image, functions, chosen, count, 1, &cfg, &err));
	for (size_t i = 0; i < count; i++) {
		const struct graph *graph = cfg_find(&cfg, &functions->at[i]);
		assert(graph);
		check_graph(graph, &functions->at[i]);
	}
	cfg_free(&cfg);
}

static void check_code(struct bytes file)
{
	struct image image = {0};
	struct function_table functions = {0};
	struct bc_error err = {0};

	if (!image_open(file, &image, &err)) {
		error_check(&err);
		return;
	}
	if (functions_build(&image, NUMBERS_BY_ADDRESS, &functions, &err))
		check_graphs(&image, &functions);
	else
		error_check(&err);
	functions_free(&functions);
	image_close(&image);
}

static void check_table(struct bytes file)
{
	struct verify_options options = {.binary = "fuzz", .threads = 1, .most = 3};
	struct verify_report report = {.code = CODE_NONE};
	struct bc_error err = {0};

	if (!binary_map_bytes(file, &report.subject, &err)) {
		error_check(&err);
		return;
	}
	if (!verify_subject(&options, &report, &err)) {
		error_check(&err);
	} else {
		uint64_t size = report.subject.desc.size;
		for (size_t i = 0; i < report.findings.len; i++)
			assert(report.findings.at[i].location.byte == NO_OFFSET ||
			       report.findings.at[i].location.byte <= size);
	}
	verify_free(&report);
}

static void check_symbol_order(const struct image *image, const struct function_table *functions)
{
	for (size_t i = 0; i < functions->symbols.count; i++) {
		const struct symbol *s = &functions->symbols.at[i];
		assert(s->section == ABSOLUTE_SECTION || s->section < image->section_count);
		assert(strlen(s->name) < UINT32_MAX);
	}
}

static void check_debug_file(struct bytes file)
{
	static struct binary demo;
	struct debug_symbols symbols = {0};
	struct function_table functions = {0};
	struct bc_error err = {0};

	if (!demo.file.data)
		assert(binary_open(BATCONV_SOURCE_DIR "/inputs/demo/demo", &demo, &err));
	if (!debug_symbols_take(&demo.image, file, "fuzz", &symbols, &err))
		assert(!err.code && !symbols.section_of);
	else if (functions_build_named(&demo.image, NUMBERS_BY_ADDRESS, &symbols, &functions, &err))
		check_symbol_order(&demo.image, &functions);
	else
		error_check(&err);
	functions_free(&functions);
	debug_symbols_close(&symbols);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes file = {data, size};

	check_code(file);
	check_table(file);
	check_debug_file(file);
	return 0;
}

/* A number in the section that a random section header describes, or in the header. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	static const uint8_t widths[] = {1, 1, 2, 4, 4, 8};
	struct prng random = {seed};

	if (size < 128 || !prng_below(&random, 8))
		return LLVMFuzzerMutate(data, size, most);
	uint64_t table = le64(data + 40), count = le16(data + 60);
	if (!count || table > size || count > (size - table) / 64)
		return LLVMFuzzerMutate(data, size, most);
	for (uint64_t i = 1 + prng_below(&random, 4); i; i--) {
		uint64_t at = table + 64 * prng_below(&random, count), width = 64;
		if (prng_below(&random, 8)) {
			width = le64(data + at + 32);
			at = le64(data + at + 24);
		}
		size_t bytes = widths[prng_below(&random, sizeof(widths))];
		if (width < bytes || !range_fits(at, width, size))
			continue;
		at += prng_below(&random, width / bytes) * bytes;
		uint64_t value = 0;
		memcpy(&value, data + at, bytes);
		value = mutate_number(&random, value, 8 * (unsigned)bytes);
		memcpy(data + at, &value, bytes);
	}
	return size;
}
