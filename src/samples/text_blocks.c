/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/text_blocks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/hex.h"

/* The most characters of a word that a message quotes. */
#define QUOTED 40

bool line_fail(struct bc_error *err, enum bc_code code, const struct line *line, const char *at,
	       const char *why)
{
	size_t before = (size_t)(at - line->text.at);
	struct text rest = text_from(line->text, before);
	struct text word = text_first(text_word(&rest), QUOTED);

	if (!word.len)
		return bc_fail(err, code, "%s: line %" PRIu64 ", column %zu: %s, but the line ends",
			       line->file, line->number, before + 1, why);
	return bc_fail(err, code, "%s: line %" PRIu64 ", column %zu: %s, not '%.*s'", line->file,
		       line->number, before + 1, why, (int)word.len, word.at);
}

/* m3, p77 or p77m3 */
static bool is_map(struct text word)
{
	uint64_t number;
	size_t m = text_find(word, 'm');
	struct text pid = text_first(word, m);

	return word.len > 1 && (*word.at == 'm' || *word.at == 'p') &&
	       (!pid.len || text_dec(text_from(pid, 1), &number)) &&
	       (m == word.len || text_dec(text_from(word, m + 1), &number));
}

bool line_is_raw_stack(struct text line)
{
	struct text time = text_word(&line), map = text_word(&line), address = text_word(&line);
	uint64_t number;

	return text_dec(time, &number) && is_map(map) && text_hex(address, &number);
}

/* Blocks for each thread: one that is parsed, and one that waits. */
#define BLOCKS_EACH 2

static struct text_block *block_of_memory(struct event_memory *memory)
{
	return (struct text_block *)(void *)((char *)memory - offsetof(struct text_block, memory));
}

static void hold(struct event_memory *memory)
{
	block_of_memory(memory)->holders++;
}

void text_block_release(struct text_block *block)
{
	if (--block->holders)
		return;
	block->next = block->all->free;
	block->all->free = block;
}

static void release(struct event_memory *memory)
{
	text_block_release(block_of_memory(memory));
}

static void parse(struct task *task, unsigned thread)
{
	struct text_block *block = (struct text_block *)(void *)task; /* its first member */

	(void)thread;
	block->all->parser->parse(block);
}

static void free_block(struct text_block *block)
{
	free(block->buffer);
	if (block->parsed)
		block->all->parser->destroy(block->parsed);
	free(block);
}

static struct text_block *make_block(struct text_blocks *blocks)
{
	struct text_block *block = calloc(1, sizeof(*block));

	if (!block)
		return NULL;
	block->task.run = parse;
	block->memory = (struct event_memory){hold, release};
	block->all = blocks;
	block->buffer = malloc(LINES_LONGEST + TEXT_AFTER);
	block->parsed = blocks->parser->create();
	if (block->buffer && block->parsed)
		return block;
	free_block(block);
	return NULL;
}

static struct text_block *take_free(struct text_blocks *blocks)
{
	struct text_block *block = blocks->free;

	if (!block)
		return make_block(blocks);
	blocks->free = block->next;
	return block;
}

void text_blocks_init(struct text_blocks *blocks, struct lines *lines, struct pool *pool,
		      const struct text_parser *parser, const void *ctx)
{
	*blocks = (struct text_blocks){.lines = lines, .pool = pool, .parser = parser, .ctx = ctx};
	blocks->end = &blocks->first;
}

static void free_list(struct text_block *block)
{
	while (block) {
		struct text_block *next = block->next;
		free_block(block);
		block = next;
	}
}

void text_blocks_fini(struct text_blocks *blocks)
{
	for (struct text_block *block = blocks->first; block; block = block->next)
		pool_wait(blocks->pool, &block->task);
	free_list(blocks->first);
	free_list(blocks->free);
}

/* Read one more block and have it parsed.  Returns false at the end of the text. */
static bool begin_block(struct text_blocks *blocks)
{
	struct text_block *block = take_free(blocks);

	if (!block)
		return bc_fail_nomem(&blocks->err);
	block->holders = 1;
	if (!lines_block(blocks->lines, block->buffer, &block->text.len, &blocks->err)) {
		text_block_release(block);
		return false;
	}
	block->text.at = block->buffer;
	memset(block->buffer + block->text.len, 0, TEXT_AFTER);
	block->next = NULL;
	*blocks->end = block;
	blocks->end = &block->next;
	blocks->under_way++;
	pool_submit(blocks->pool, &block->task);
	return true;
}

bool text_blocks_next(struct text_blocks *blocks, struct text_block **out, struct bc_error *err)
{
	while (!blocks->at_end && blocks->under_way < BLOCKS_EACH * pool_threads(blocks->pool))
		blocks->at_end = !begin_block(blocks);
	struct text_block *block = blocks->first;
	if (!block && blocks->err.code == BC_FORMAT)
		return lines_fail_long(blocks->lines, err);
	if (!block) {
		*err = blocks->err;
		return false;
	}
	pool_wait(blocks->pool, &block->task);
	blocks->first = block->next;
	if (!blocks->first)
		blocks->end = &blocks->first;
	blocks->under_way--;
	block->first_line = blocks->lines->number + 1;
	blocks->lines->number += block->lines;
	*out = block;
	return true;
}
