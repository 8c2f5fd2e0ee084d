/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/code/jump_table.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/sort.h"
#include "src/code/fragments.h"

/* No real function has more. */
#define MOST_TARGETS (1u << 20)

/* A table that a jump seems to use, or that none was seen to. */
struct found_table {
	struct table_ref ref;
	uint32_t jump; /* offset of the jump, or NO_JUMP_OFFSET */
};
#define NO_JUMP_OFFSET UINT32_MAX
DEFINE_VEC(found_vec, struct found_table);

/* What a table's memory holds. */
struct contents {
	bool is_table, split;
};

const struct insn *insn_at(const struct insn_vec *insns, uint64_t offset)
{
	size_t i = insns_before(insns->at, insns->len, offset);

	return i < insns->len && insns->at[i].offset == offset ? &insns->at[i] : NULL;
}

/* The end of the data object that begins at an address, at most `limit`.  *spent: for each
 * symbol there. */
static uint64_t object_end(const struct symbol_table *symbols, uint64_t address, uint64_t limit,
			   uint64_t *spent)
{
	uint64_t size = 0;

	for (size_t i = symbols_above(symbols, address - 1);
	     i < symbols->count && symbols->at[i].address == address; i++, ++*spent)
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

/* The memory from a table's beginning on. */
static struct bytes table_bytes(const struct table_search *s, struct table_ref ref, uint64_t bound,
				uint64_t *spent)
{
	const struct section *section = image_section_at(s->input->image, (struct vaddr){ref.address});

	if (!section || section->type == SHT_NOBITS || section->flags & SHF_EXECINSTR)
		return (struct bytes){NULL, 0};
	uint64_t end = object_end(&s->input->functions->symbols, ref.address,
				  section->addr + section->size, spent);
	struct bytes bytes = bytes_from(image_section_bytes(s->input->image, section),
					ref.address - section->addr);
	return bytes_first(bytes, (bound < end ? bound : end) - ref.address);
}

/* Is a function this one, or are both parts of one by their names?  Remembers the last other part, as most
 * questions repeat. */
static bool is_related(const struct function *f, const struct function *to,
		       const struct function **last, uint64_t *spent)
{
	if (to == f || to == *last)
		return true;
	*spent += strlen(f->primary) + strlen(to->primary);
	if (!fragments_related(to, f))
		return false;
	*last = to;
	return true;
}

/* Read a table up to `bound`, or up to the first word that is no target; without `out` no
 * further than to see that it is one: if it has two targets, of which one may be the function's
 * own beginning or, for unreachable cases, its end.  False when out of memory, or when it is
 * too much work. */
static bool read_table(const struct table_search *s, struct table_ref ref, uint64_t bound,
		       struct contents *contents, struct target_vec *out)
{
	const struct function *f = s->function, *related = NULL;
	size_t word = ref.relative ? 4 : 8, targets = 0;
	bool special = false, ok = true;
	uint64_t spent = 0;

	*contents = (struct contents){0};
	if (!work_spend(s->input->image->work, WORK_JUMP_TABLES, 0))
		return false; /* it was too much before */
	struct bytes bytes = table_bytes(s, ref, bound, &spent);
	for (uint64_t at = ref.address; bytes.size >= word && (out || targets + special < 2); at += word) {
		uint64_t target = entry_target(ref, bytes.data);
		if (!has_relocation(s->input->relocs, ref, at))
			break;
		bytes = bytes_from(bytes, word);
		spent += word;
		if (target == f->address + f->size) {
			special = true;
			continue;
		}
		const struct function *to = function_at(s->input->functions, target);
		if (!to || !is_related(f, to, &related, &spent))
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
		if (out && to == f && !target_vec_push(out, (uint32_t)(target - f->address))) {
			ok = false;
			break;
		}
	}
	contents->is_table = targets + special >= 2;
	return work_spend(s->input->image->work, WORK_JUMP_TABLES, spent) && ok;
}

static bool is_table(const struct table_search *s, struct table_ref ref)
{
	struct contents contents;

	return read_table(s, ref, UINT64_MAX, &contents, NULL) && contents.is_table;
}

/* The table that a jump uses, if its memory agrees with its pattern. */
static bool table_of_jump(const struct table_search *s, size_t jump, struct table_ref *out)
{
	if (!jump_pattern(s->input->image, s->function, s->insns, jump, out))
		return false;
	struct table_ref relative = {out->address, true};
	return out->relative ? is_table(s, *out) : !is_table(s, relative) && is_table(s, *out);
}

static bool find_tables(const struct table_search *s, struct found_vec *out)
{
	for (size_t i = 0; i < s->insns->len; i++) {
		const struct insn *insn = &s->insns->at[i];
		struct found_table table = {{insn->target, true}, NO_JUMP_OFFSET};
		bool found = false;
		if (insn->kind == INSN_JUMP_INDIRECT) {
			found = table_of_jump(s, i, &table.ref);
			table.jump = insn->offset;
		} else if (insn->kind == INSN_NEXT && insn->target && s->input->relocs->present) {
			found = relocs_has(&s->input->relocs->relative, insn->target) &&
				is_table(s, table.ref);
		}
		if (found && !found_vec_push(out, table))
			return false;
	}
	return true;
}

static int by_place(const void *a, const void *b)
{
	const struct found_table *x = a, *y = b;

	if (x->ref.address != y->ref.address)
		return x->ref.address < y->ref.address ? -1 : 1;
	return x->ref.relative - y->ref.relative;
}

static int by_jump(const void *a, const void *b)
{
	const struct table_use *x = a, *y = b;

	return (x->jump > y->jump) - (x->jump < y->jump);
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Each table once, and which jumps use it. */
static bool tell_apart(const struct found_vec *found, struct jump_tables *out)
{
	for (size_t i = 0; i < found->len; i++) {
		const struct found_table *table = &found->at[i];
		bool known = i && !by_place(table, table - 1);
		if (!known && !table_vec_push(&out->tables, (struct jump_table){.ref = table->ref}))
			return false;
		if (table->jump != NO_JUMP_OFFSET &&
		    !use_vec_push(&out->uses, (struct table_use){table->jump, out->tables.len - 1}))
			return false;
	}
	if (out->uses.len)
		qsort(out->uses.at, out->uses.len, sizeof(*out->uses.at), by_jump);
	return true;
}

/* A table ends where the next one begins, in this function or another, which can look like more
 * of it. */
static bool read_targets(const struct table_search *s, struct jump_tables *out)
{
	struct table_vec *tables = &out->tables;
	size_t next = 0;

	for (size_t i = 0; i < tables->len; i++) {
		struct jump_table *table = &tables->at[i];
		struct contents contents;
		while (next < tables->len && tables->at[next].ref.address == table->ref.address)
			next++;
		uint64_t bound = next < tables->len ? tables->at[next].ref.address : UINT64_MAX;
		uint64_t other;
		if (!table_reference_above(s->input->references, table->ref.address, &other))
			return false;
		bound = other < bound ? other : bound;
		table->first = out->targets.len;
		if (!read_table(s, table->ref, bound, &contents, &out->targets))
			return false;
		table->count = out->targets.len - table->first;
		if (table->count)
			qsort(out->targets.at + table->first, table->count, sizeof(*out->targets.at), by_value);
		out->split |= contents.split;
	}
	return true;
}

bool jump_tables_find(const struct table_search *s, struct jump_tables *out)
{
	struct found_vec found = {0};
	bool ok = find_tables(s, &found);

	if (ok && found.len)
		qsort(found.at, found.len, sizeof(*found.at), by_place);
	ok = ok && tell_apart(&found, out) && read_targets(s, out);
	found_vec_free(&found);
	/* Fails if the search ran out of work before it reached a table. */
	return ok && work_spend(s->input->image->work, WORK_JUMP_TABLES, 0);
}

void jump_tables_free(struct jump_tables *tables)
{
	table_vec_free(&tables->tables);
	target_vec_free(&tables->targets);
	use_vec_free(&tables->uses);
}

/* The table that a jump uses, or NULL. */
static const struct jump_table *table_of(const struct jump_tables *tables, uint32_t jump)
{
	const struct table_use wanted = {.jump = jump};
	const struct use_vec *uses = &tables->uses;
	const struct table_use *use =
		uses->len ? bsearch(&wanted, uses->at, uses->len, sizeof(wanted), by_jump) : NULL;

	return use ? &tables->tables.at[use->table] : NULL;
}

bool jump_tables_used_by(const struct jump_tables *tables, uint32_t jump)
{
	const struct jump_table *table = table_of(tables, jump);

	return table && table->count;
}

bool jump_tables_lead_to(const struct jump_tables *tables, uint32_t jump, uint32_t target)
{
	const struct jump_table *table = table_of(tables, jump);

	return table && table->count &&
	       bsearch(&target, tables->targets.at + table->first, table->count, sizeof(target), by_value);
}

struct jump_targets jump_tables_targets(const struct jump_tables *tables, uint32_t jump)
{
	const struct jump_table *table = table_of(tables, jump);

	return table && table->count ? (struct jump_targets){tables->targets.at + table->first, table->count}
				     : (struct jump_targets){NULL, 0};
}
