/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Code put together by hand, as an image: no ELF file.
 *
 *   0x1000  .text    a function `f`, from its beginning on
 *   0x1400           a function `g`, one ret
 *   0x1800  .rodata
 *   0x1a00  .eh_frame
 *   0x1b00  .gcc_except_table
 */
#ifndef TESTS_CODE_TEST_CODE_CODE_H
#define TESTS_CODE_TEST_CODE_CODE_H

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/code/cfg.h"
#include "tests/support/cmocka.h"

#define CODE_BASE     0x1000
#define CODE_G        0x1400
#define CODE_DATA     0x1800
#define CODE_EH_FRAME 0x1a00
#define CODE_LSDA     0x1b00

struct code {
	uint8_t bytes[0x1000];
	struct segment segment;
	struct section sections[4];
	struct section_part parts[5];
	struct function functions[3]; /* the last is no more of the table */
	struct symbol symbols[4];
	const char *files[1];
	struct image image;
	struct function_table table;
	struct cfg cfg;
};

static inline void code_put(struct code *c, uint64_t at, const void *bytes, size_t size)
{
	memcpy(c->bytes + (at - CODE_BASE), bytes, size);
}

static inline struct section code_section(const char *name, uint64_t at, uint64_t size,
					  uint64_t flags)
{
	return (struct section){.name = {name, strlen(name)},
				.type = SHT_PROGBITS,
				.flags = SHF_ALLOC | flags,
				.addr = at,
				.offset = at - CODE_BASE,
				.size = size};
}

/* `f` is these bytes; 16 bytes of nops after it count as padding. */
static inline void code_init(struct code *c, enum machine machine, const void *bytes, size_t size)
{
	*c = (struct code){.segment = {.vaddr = CODE_BASE,
				       .memsz = sizeof(c->bytes),
				       .filesz = sizeof(c->bytes),
				       .align = 1,
				       .executable = true}};
	memset(c->bytes, 0x90, CODE_DATA - CODE_BASE);
	code_put(c, CODE_BASE, bytes, size);
	code_put(c, CODE_G, "\xc3", 1);
	c->sections[0] = code_section(".text", CODE_BASE, CODE_DATA - CODE_BASE, SHF_EXECINSTR);
	c->sections[1] = code_section(".rodata", CODE_DATA, CODE_EH_FRAME - CODE_DATA, 0);
	c->sections[2] = code_section(".eh_frame", CODE_EH_FRAME, CODE_LSDA - CODE_EH_FRAME, 0);
	c->sections[3] = code_section(".gcc_except_table", CODE_LSDA, 0x100, 0);
	c->parts[0] = (struct section_part){CODE_BASE, 0};
	c->parts[1] = (struct section_part){CODE_DATA, 1};
	c->parts[2] = (struct section_part){CODE_EH_FRAME, 2};
	c->parts[3] = (struct section_part){CODE_LSDA, 3};
	c->parts[4] = (struct section_part){CODE_LSDA + 0x100, NO_SECTION_THERE};
	c->files[0] = "";
	c->functions[0] = (struct function){.address = CODE_BASE,
					    .size = size,
					    .extent = size + 16,
					    .primary = "f",
					    .printed = "f"};
	c->functions[1] = (struct function){
		.address = CODE_G, .size = 1, .extent = 1, .primary = "g", .printed = "g"};
	c->image = (struct image){.file = {c->bytes, sizeof(c->bytes)},
				  .machine = machine,
				  .segments = &c->segment,
				  .segment_count = 1,
				  .sections = c->sections,
				  .section_count = 4,
				  .parts = c->parts,
				  .part_count = 5};
	c->table = (struct function_table){.at = c->functions, .count = 2};
	c->table.symbols.at = c->symbols;
	c->table.symbols.files = c->files;
	assert_true(functions_index(&c->table));
}

/* A symbol inside `f`. */
static inline void code_label(struct code *c, uint64_t offset)
{
	c->symbols[c->table.symbols.count++] = (struct symbol){
		.address = CODE_BASE + offset, .name = "label", .type = STT_NOTYPE, .local = true};
}

/* The graph of functions[which]. */
static inline const struct graph *code_build_of(struct code *c, size_t which, unsigned threads)
{
	uint32_t chosen[3] = {0};
	struct bc_error err;

	chosen[which] = 1;
	cfg_free(&c->cfg);
	assert_true(cfg_build(&c->image, &c->table, chosen, 3, threads, &c->cfg, &err));
	return cfg_find(&c->cfg, &c->functions[which]);
}

static inline const struct graph *code_build(struct code *c, unsigned threads)
{
	return code_build_of(c, 0, threads);
}

static inline void code_free(struct code *c)
{
	cfg_free(&c->cfg);
	free(c->table.index.below);
}

/* Each block of functions[which] as START-LAST in hexadecimal, then > if the next one can
 * follow, c if it ends with a call, e if it can be entered from elsewhere. */
static inline void code_gives_of(struct code *c, size_t which, const char *blocks)
{
	const struct graph *graph = code_build_of(c, which, 1);
	char text[1024] = "";
	size_t used = 0;

	for (uint32_t i = 0; i < graph->count; i++) {
		const struct block *b = &graph->blocks[i];
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%x-%x%s%s%s",
					 i ? " " : "", b->start, b->last, b->to_next ? ">" : "",
					 b->calls ? "c" : "", b->entered ? "e" : "");
		assert_true(used < sizeof(text));
	}
	assert_string_equal(text, blocks);
}

static inline void code_gives(struct code *c, const char *blocks)
{
	code_gives_of(c, 0, blocks);
}

#endif
