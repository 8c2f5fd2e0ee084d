/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cfg/jump_table.h"

#include <elf.h>
#include <stdlib.h>

#include "src/cfg/fragments.h"
#include "src/cfg/jump_pattern.h"

/* No real function has more; many jumps that share one damaged table could. */
#define MOST_TARGETS (1u << 20)

struct table {
	struct table_ref ref;
	uint32_t jump; /* offset of the jump, or NO_JUMP */
};
DEFINE_VEC(table_vec, struct table);

/* What a table's memory holds. */
struct contents {
	bool is_table, split;
};

const struct insn *insn_at(const struct insn_vec *insns, uint64_t offset)
{
	size_t low = 0, high = insns->len;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (insns->at[mid].offset < offset)
			low = mid + 1;
		else
			high = mid;
	}
	return low < insns->len && insns->at[low].offset == offset ? &insns->at[low] : NULL;
}

/* The end of the data object that begins at an address, at most `limit`. */
static uint64_t object_end(const struct symbol_table *symbols, uint64_t address, uint64_t limit)
{
	uint64_t size = 0;

	for (size_t i = symbols_above(symbols, address - 1);
	     i < symbols->count && symbols->at[i].address == address; i++)
		if (symbols->at[i].size > size)
			size = symbols->at[i].size;
	return size && address + size < limit ? address + size : limit;
}

/* Where the word at `at` of a table leads. */
static uint64_t entry_target(struct table_ref table, const uint8_t *word)
{
	return table.relative ? table.address + (uint64_t)(int64_t)(int32_t)le32(word) : le64(word);
}

static const struct function *function_at(const struct function_table *functions, uint64_t address)
{
	const struct function *f = functions_find(functions, (struct vaddr){address});

	return f && address - f->address < f->size ? f : NULL;
}

static bool has_relocation(const struct relocs *relocs, struct table_ref table, uint64_t at)
{
	return !relocs->present ||
	       relocs_has(table.relative ? &relocs->relative : &relocs->absolute, at);
}

/* Read a table up to `bound`, or up to the first word that is no target.  It is
 * one if it has two targets, of which one may be the function's own beginning or,
 * for unreachable cases, its end. */
static bool read_table(const struct table_search *s, const struct table *table, uint64_t bound,
		       struct contents *contents, struct target_vec *out)
{
	const struct function *f = s->function;
	const struct section *section = image_section_at(s->input->image,
							 (struct vaddr){table->ref.address});
	size_t word = table->ref.relative ? 4 : 8, targets = 0;
	bool special = false;

	*contents = (struct contents){0};
	if (!section || section->type == SHT_NOBITS || section->flags & SHF_EXECINSTR)
		return true;
	uint64_t end = object_end(&s->input->functions->symbols, table->ref.address,
				  section->addr + section->size);
	struct bytes bytes = bytes_from(image_section_bytes(s->input->image, section),
					table->ref.address - section->addr);
	bytes = bytes_first(bytes, (bound < end ? bound : end) - table->ref.address);
	for (uint64_t at = table->ref.address; bytes.size >= word; at += word) {
		uint64_t target = entry_target(table->ref, bytes.data);
		if (!has_relocation(s->input->relocs, table->ref, at))
			break;
		bytes = bytes_from(bytes, word);
		if (target == f->address + f->size) {
			special = true;
			continue;
		}
		const struct function *to = function_at(s->input->functions, target);
		if (!to || (to != f && !fragments_related(to, f)))
			break;
		if (to == f && !insn_at(s->insns, target - f->address))
			break;
		if (target == f->address)
			special = true;
		else
			targets++;
		contents->split |= to != f;
		if (out && out->len >= MOST_TARGETS)
			break;
		if (out && to == f &&
		    !target_vec_push(out, (struct table_target){
					     table->jump, (uint32_t)(target - f->address)}))
			return false;
	}
	contents->is_table = targets + special >= 2;
	return true;
}

static bool is_table(const struct table_search *s, struct table_ref ref)
{
	const struct table table = {ref, NO_JUMP};
	struct contents contents;

	(void)read_table(s, &table, UINT64_MAX, &contents, NULL); /* collects nothing: no memory */
	return contents.is_table;
}

/* The table that a jump uses, if its memory agrees with its pattern. */
static bool table_of_jump(const struct table_search *s, size_t jump, struct table_ref *out)
{
	if (!jump_pattern(s->input->image, s->function, s->insns, jump, out))
		return false;
	struct table_ref relative = {out->address, true};
	return out->relative ? is_table(s, *out) : !is_table(s, relative) && is_table(s, *out);
}

static bool find_tables(const struct table_search *s, struct table_vec *out)
{
	for (size_t i = 0; i < s->insns->len; i++) {
		const struct insn *insn = &s->insns->at[i];
		struct table table = {{insn->target, true}, NO_JUMP};
		bool found = false;
		if (insn->flow == FLOW_INDIRECT) {
			found = table_of_jump(s, i, &table.ref);
			table.jump = insn->offset;
		} else if (insn->flow == FLOW_NEXT && insn->target && s->input->relocs->present) {
			found = relocs_has(&s->input->relocs->relative, insn->target) &&
				is_table(s, table.ref);
		}
		if (found && !table_vec_push(out, table))
			return false;
	}
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct table *x = a, *y = b;

	return (x->ref.address > y->ref.address) - (x->ref.address < y->ref.address);
}

bool jump_tables_find(const struct table_search *s, struct target_vec *out, bool *split)
{
	struct table_vec tables = {0};
	bool ok = find_tables(s, &tables);

	*split = false;
	if (tables.len)
		qsort(tables.at, tables.len, sizeof(*tables.at), by_address);
	for (size_t i = 0, next = 0; ok && i < tables.len; i++) {
		/* A table ends where the next one begins, in this function or another, which can look
		 * like more of it; two jumps can share one. */
		while (next < tables.len && tables.at[next].ref.address == tables.at[i].ref.address)
			next++;
		uint64_t bound = next < tables.len ? tables.at[next].ref.address : UINT64_MAX;
		uint64_t other = table_reference_above(s->input->references, tables.at[i].ref.address);
		bound = other < bound ? other : bound;
		struct contents contents;
		ok = read_table(s, &tables.at[i], bound, &contents, out);
		*split |= contents.split;
	}
	table_vec_free(&tables);
	return ok;
}
