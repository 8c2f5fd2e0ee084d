/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bat/bat.h"

const struct bat_fragment *bat_find(const struct bat_table *table, uint64_t address)
{
	const struct bat_fragment *first = table->fragments;
	uint32_t count = table->fragment_count;

	while (count) {
		uint32_t half = count / 2;

		if (first[half].address > address) {
			count = half;
		} else {
			first += half + 1;
			count -= half + 1;
		}
	}
	return first == table->fragments ? NULL : first - 1;
}

const struct bat_fragment *bat_find_exact(const struct bat_table *table, uint64_t address)
{
	const struct bat_fragment *f = bat_find(table, address);

	return f && f->address == address ? f : NULL;
}

const struct bat_entry *bat_entry_at(const struct bat_table *table,
				     const struct bat_fragment *fragment, uint32_t offset)
{
	const struct bat_entry *first = table->entries + fragment->first_entry;
	uint32_t count = fragment->entry_count;

	if (!count || first->output > offset)
		return NULL;
	/* Without a branch: the processor could not predict which half it is. */
	while (count > 1) {
		uint32_t half = count / 2;
		first += first[half].output <= offset ? half : 0;
		count -= half;
	}
	return first;
}

uint32_t bat_translate(const struct bat_table *table, const struct bat_fragment *fragment,
		       uint32_t offset, bool is_source)
{
	const struct bat_entry *e = bat_entry_at(table, fragment, offset);

	if (!e)
		return offset;
	if (is_source)
		return bat_entry_input(*e);
	return bat_entry_input(*e) + (offset - e->output);
}

/* The block entry of the block that holds this entry; NULL if the fragment begins with
 * branch entries. */
static const struct bat_entry *block_of(const struct bat_entry *begin, const struct bat_entry *e)
{
	while (bat_entry_is_branch(*e)) {
		if (e == begin)
			return NULL;
		e--;
	}
	return e;
}

uint32_t bat_trace_blocks(const struct bat_table *table, const struct bat_fragment *fragment,
			  uint32_t from, uint32_t to, uint32_t *first, uint32_t *last)
{
	const struct bat_entry *begin = table->entries + fragment->first_entry;
	const struct bat_entry *end = begin + fragment->entry_count;
	const struct bat_entry *block = bat_entry_at(table, fragment, from);
	uint32_t edges = 0;

	if (from >= to || !block || !(block = block_of(begin, block)))
		return 0;
	/* Traces are short: a search for the last entry would take longer. */
	const struct bat_entry *next = block + 1;
	while (next < end && next->output == block->output)
		next++;
	if (next == end || next->output > to)
		return 0;
	*first = (uint32_t)(block - begin);
	for (const struct bat_entry *e = block + 1; e < end && e->output <= to; e++) {
		if (bat_entry_is_branch(*e))
			continue;
		*last = (uint32_t)(e - begin);
		edges++;
	}
	return edges;
}

uint32_t bat_fallthroughs(const struct bat_table *table, const struct bat_fragment *fragment,
			  uint32_t from, uint32_t to, bat_edge_fn *edge, void *ctx)
{
	const struct bat_entry *begin = table->entries + fragment->first_entry;
	uint32_t first, last;
	uint32_t edges = bat_trace_blocks(table, fragment, from, to, &first, &last);

	if (!edges)
		return 0;
	for (uint32_t i = first + 1; i <= last; i++) {
		if (bat_entry_is_branch(begin[i]))
			continue;
		edge(ctx, bat_entry_input(begin[first]), bat_entry_input(begin[i]));
		first = i;
	}
	return edges;
}
