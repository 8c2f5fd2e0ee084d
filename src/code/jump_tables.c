/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/code/jump_tables.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/sort.h"
#include "src/code/fragments.h"
#include "src/isa/x86_insn.h"

/* ---- the instructions before a jump ---- */

/* How far back the definition of a register is sought.  BOLT has no limit; real
 * ones are within a few dozen instructions, and work must stay bounded. */
#define LOOK_BACK 2000

/* Decoding an instruction again costs as much work as reading so many bytes of a table. */
#define INSN_WORK 16

/* Reads instructions backwards. */
struct backwards {
	const struct image *image;
	const struct function *function;
	const struct insn_vec *insns;
	size_t at;   /* index of `insn` */
	size_t left; /* how many more may be read */
	struct x86_insn insn;
};

/* One that is not known is none that matters. */
static void read_insn(struct backwards *b, size_t index)
{
	const struct insn *insn = &b->insns->at[index];
	struct vaddr address = {b->function->address + insn->offset};

	b->at = index;
	if (!x86_decode(bytes_first(image_bytes_at(b->image, address), insn->size), &b->insn))
		b->insn = (struct x86_insn){0};
}

/* Go back to the nearest instruction that writes one of two registers. */
static bool back_to_writer(struct backwards *b, unsigned reg, unsigned other)
{
	size_t from = b->at;
	bool found = false;

	if (!work_spend(b->image->work, WORK_JUMP_TABLES, 0)) /* it was too much before */
		return false;
	while (!found && b->at > 0 && b->left-- > 0) {
		read_insn(b, b->at - 1);
		found = b->insn.writes >> reg & 1 || b->insn.writes >> other & 1;
	}
	/* Counted as work, because many jumps can have the same long way back. */
	return work_spend(b->image->work, WORK_JUMP_TABLES, (from - b->at) * INSN_WORK) && found;
}

static bool is_opcode(const struct x86_insn *insn, uint8_t opcode)
{
	return insn->map == X86_ONE_BYTE && insn->opcode == opcode && insn->has_modrm;
}

/* movslq, leaq and movq with a memory operand */
static bool is_wide_load(const struct x86_insn *insn, uint8_t opcode)
{
	return is_opcode(insn, opcode) && insn->wide && insn->is_memory && !insn->segment;
}

/* From "add" back to "movslq (%table,%index,4), %entry" and from that to
 * "lea TABLE(%rip), %table"; of the two registers that are added either can be
 * the table. */
static bool relative_table(struct backwards *b, unsigned one, unsigned two, struct table_ref *out)
{
	if (!back_to_writer(b, one, two) || !is_wide_load(&b->insn, 0x63))
		return false;
	const struct x86_insn *entry = &b->insn;
	unsigned table = entry->reg == two ? one : two;
	if (entry->base != table || entry->scale != 4 || entry->index == X86_NO_REGISTER ||
	    entry->displacement)
		return false;
	if (!back_to_writer(b, table, table) || !is_wide_load(&b->insn, 0x8d) ||
	    b->insn.base != X86_RIP)
		return false;
	*out = (struct table_ref){b->insns->at[b->at].target, true};
	return true;
}

/* TABLE(,%index,8) */
static bool absolute_table(const struct x86_insn *insn, struct table_ref *out)
{
	*out = (struct table_ref){(uint64_t)insn->displacement, false};
	return insn->is_memory && insn->base == X86_NO_REGISTER && insn->index != X86_NO_REGISTER &&
	       insn->scale == 8 && !insn->segment;
}

/* "add %a, %b" in either encoding: the register that is added to `reg`, or `reg`
 * if it is no such instruction. */
static unsigned added_to(const struct x86_insn *insn, unsigned reg)
{
	if (!insn->wide || insn->is_memory)
		return reg;
	if (is_opcode(insn, 0x01))
		return insn->reg;
	return is_opcode(insn, 0x03) ? insn->rm : reg;
}

bool jump_pattern(const struct image *image, const struct function *function,
		  const struct insn_vec *insns, size_t jump, struct table_ref *out)
{
	struct backwards b = {
		.image = image, .function = function, .insns = insns, .left = LOOK_BACK};

	if (image->machine != MACHINE_X86_64)
		return false;
	read_insn(&b, jump);
	if (!is_opcode(&b.insn, 0xff) || (b.insn.reg & 7) != 4)
		return false;
	/* notrack does not matter: to a jump's operand there is no segment. */
	b.insn.segment = false;
	if (b.insn.is_memory)
		return absolute_table(&b.insn, out);
	unsigned reg = b.insn.rm;
	if (!back_to_writer(&b, reg, reg))
		return false;
	if (is_opcode(&b.insn, 0x8b) && b.insn.is_memory)
		return absolute_table(&b.insn, out);
	unsigned added = added_to(&b.insn, reg);
	return added != reg && relative_table(&b, reg, added, out);
}

/* ---- tables that code refers to ---- */

#define TABLE_ALIGN 4

struct scan {
	const struct image *image;
	const struct function_table *functions;
	const struct section *section; /* where the last one was */
	struct address_vec *out;
};

static uint64_t displacement(const uint8_t *p)
{
	return (uint64_t)(int64_t)(int32_t)le32(p);
}

static const struct function *function_at(const struct function_table *functions, uint64_t address)
{
	const struct function *f = functions_find(functions, (struct vaddr){address});

	return f && address - f->address < f->size ? f : NULL;
}

/* Does the first word there lead to code, as a distance from there or as an address? */
static bool leads_to_code(const struct scan *s, uint64_t address)
{
	if (!s->section || s->section->type == SHT_NOBITS || s->section->flags & SHF_EXECINSTR)
		return false;
	struct bytes bytes =
		bytes_from(image_section_bytes(s->image, s->section), address - s->section->addr);
	return (bytes.size >= 4 && function_at(s->functions, address + displacement(bytes.data))) ||
	       (bytes.size >= 8 && function_at(s->functions, le64(bytes.data)));
}

static bool add_address(struct scan *s, uint64_t address)
{
	if (address % TABLE_ALIGN)
		return true;
	if (!s->section || address - s->section->addr >= s->section->size)
		s->section = image_section_at(s->image, (struct vaddr){address});
	return !leads_to_code(s, address) || address_vec_push(s->out, address);
}

/* lea with REX.W; ModRM of a displacement from the next instruction.  p: the opcode */
static bool is_lea(const uint8_t *p)
{
	return (p[-1] & 0xfb) == 0x48 && (p[1] & 0xc7) == 0x05;
}

/* mov with REX.W, or jmp; ModRM with SIB, and SIB of index * 8 without a base */
static bool is_scaled(const uint8_t *p)
{
	return (p[1] & 0xc7) == 0x04 && (p[2] & 0xc7) == 0xc5 && (p[0] == 0x8b || p[1] == 0x24);
}

/* A byte of code at `p` that is an opcode looked for; `left` bytes from it on. */
static bool add_reference(struct scan *s, const uint8_t *p, uint64_t address, bool first,
			  size_t left)
{
	if (*p == 0x8d)
		return first || left < 6 || !is_lea(p) ||
		       add_address(s, address + 6 + displacement(p + 2));
	return left < 7 || !is_scaled(p) || add_address(s, displacement(p + 3));
}

/* One opcode after the other: memchr() is several times faster than a look at each byte. */
static bool scan_section(struct scan *s, const struct section *section)
{
	static const uint8_t opcodes[] = {0x8d, 0x8b, 0xff};
	struct bytes code = image_section_bytes(s->image, section);
	const uint8_t *end = code.size ? code.data + code.size : NULL;

	for (size_t i = 0; code.size && i < BC_COUNT(opcodes); i++)
		for (const uint8_t *p = code.data; (p = memchr(p, opcodes[i], (size_t)(end - p)));
		     p++)
			if (!add_reference(s, p, section->addr + (uint64_t)(p - code.data),
					   p == code.data, (size_t)(end - p)))
				return false;
	return true;
}

static bool find_references(struct table_references *references)
{
	const struct image *image = references->image;
	struct scan s = {
		.image = image, .functions = references->functions, .out = &references->at};

	for (size_t i = 0; image->machine == MACHINE_X86_64 && i < image->section_count; i++) {
		const struct section *section = &image->sections[i];
		if (section->flags & SHF_EXECINSTR && section->type != SHT_NOBITS &&
		    !scan_section(&s, section))
			return false;
	}
	addresses_sort(&references->at);
	return true;
}

void table_references_init(struct table_references *references, const struct image *image,
			   const struct function_table *functions)
{
	*references = (struct table_references){.image = image, .functions = functions};
	pthread_mutex_init(&references->lock, NULL);
}

void table_references_free(struct table_references *references)
{
	pthread_mutex_destroy(&references->lock);
	address_vec_free(&references->at);
}

static bool find_once(struct table_references *references)
{
	bool ok = true;

	if (atomic_load_explicit(&references->found, memory_order_acquire))
		return true;
	pthread_mutex_lock(&references->lock);
	if (!references->found) {
		references->at.len = 0; /* memory may have run out the last time */
		ok = find_references(references);
		atomic_store_explicit(&references->found, ok, memory_order_release);
	}
	pthread_mutex_unlock(&references->lock);
	return ok;
}

DEFINE_SEARCH(addresses_above, uint64_t, uint64_t, *item <= key)

/* The first above an address; UINT64_MAX: there is none.  In any thread.  False when out of memory.
 */
static bool table_reference_above(struct table_references *references, uint64_t address,
				  uint64_t *out)
{
	if (!find_once(references))
		return false;
	size_t i = addresses_above(references->at.at, references->at.len, address);
	*out = i < references->at.len ? references->at.at[i] : UINT64_MAX;
	return true;
}

/* ---- the tables of a function ---- */

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

static bool has_relocation(const struct relocs *relocs, struct table_ref table, uint64_t at)
{
	return !relocs->present ||
	       relocs_has(table.relative ? &relocs->relative : &relocs->absolute, at);
}

/* The memory from a table's beginning on. */
static struct bytes table_bytes(const struct table_search *s, struct table_ref ref, uint64_t bound,
				uint64_t *spent)
{
	const struct section *section = image_section_at(s->image, (struct vaddr){ref.address});

	if (!section || section->type == SHT_NOBITS || section->flags & SHF_EXECINSTR)
		return (struct bytes){NULL, 0};
	uint64_t end = object_end(&s->functions->symbols, ref.address,
				  section->addr + section->size, spent);
	struct bytes bytes =
		bytes_from(image_section_bytes(s->image, section), ref.address - section->addr);
	return bytes_first(bytes, (bound < end ? bound : end) - ref.address);
}

/* Is a function this one, or are both parts of one by their names?  Remembers the last other part,
 * as most questions repeat. */
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
	if (!work_spend(s->image->work, WORK_JUMP_TABLES, 0))
		return false; /* it was too much before */
	struct bytes bytes = table_bytes(s, ref, bound, &spent);
	for (uint64_t at = ref.address; bytes.size >= word && (out || targets + special < 2);
	     at += word) {
		uint64_t target = entry_target(ref, bytes.data);
		if (!has_relocation(s->relocs, ref, at))
			break;
		bytes = bytes_from(bytes, word);
		spent += word;
		if (target == f->address + f->size) {
			special = true;
			continue;
		}
		const struct function *to = function_at(s->functions, target);
		if (!to || !is_related(f, to, &related, &spent))
			break;
		if (to == f && insns_at(s->insns, target - f->address) == NO_INSN)
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
	return work_spend(s->image->work, WORK_JUMP_TABLES, spent) && ok;
}

static bool is_table(const struct table_search *s, struct table_ref ref)
{
	struct contents contents;

	return read_table(s, ref, UINT64_MAX, &contents, NULL) && contents.is_table;
}

/* The table that a jump uses, if its memory agrees with its pattern. */
static bool table_of_jump(const struct table_search *s, size_t jump, struct table_ref *out)
{
	if (!jump_pattern(s->image, s->function, s->insns, jump, out))
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
		} else if (insn->kind == INSN_NEXT && insn->target && s->relocs->present) {
			found = relocs_has(&s->relocs->relative, insn->target) &&
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
		if (!table_reference_above(s->references, table->ref.address, &other))
			return false;
		bound = other < bound ? other : bound;
		table->first = out->targets.len;
		if (!read_table(s, table->ref, bound, &contents, &out->targets))
			return false;
		table->count = out->targets.len - table->first;
		if (table->count)
			qsort(out->targets.at + table->first, table->count,
			      sizeof(*out->targets.at), by_value);
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
	return ok && work_spend(s->image->work, WORK_JUMP_TABLES, 0);
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
	       bsearch(&target, tables->targets.at + table->first, table->count, sizeof(target),
		       by_value);
}

struct jump_targets jump_tables_targets(const struct jump_tables *tables, uint32_t jump)
{
	const struct jump_table *table = table_of(tables, jump);

	return table && table->count ?
		       (struct jump_targets){tables->targets.at + table->first, table->count} :
		       (struct jump_targets){NULL, 0};
}
