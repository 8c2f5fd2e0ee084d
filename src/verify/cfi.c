/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/verify/cfi.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "src/base/sort.h"

const char CFI_NOMEM[] = "out of memory", CFI_TOO_MUCH[] = "too much work";

void cfi_rows_free(struct cfi_rows *rows)
{
	cfi_row_vec_free(&rows->rows);
	cfi_rule_vec_free(&rows->rules);
}

void cfi_table_free(struct cfi_table *table)
{
	cfi_fde_vec_free(&table->fdes);
	cfi_cie_vec_free(&table->cies);
}

const struct cfi_rule *cfi_rule_of(const struct cfi_row *row, const struct cfi_rule *rules,
				   uint32_t reg)
{
	for (uint32_t i = 0; row && i < row->count; i++)
		if (rules[row->first + i].reg == reg)
			return &rules[row->first + i];
	return NULL;
}

/* ---- reading a section ---- */

/* The number of a CIE that was read just now. */
static bool number_cie(struct cfi_table *table, const struct eh_frame_cie *cie, uint32_t *out)
{
	*out = (uint32_t)table->cies.len - 1;
	if (table->cies.len && table->cies.at[*out].at == cie->at)
		return true;
	*out = (uint32_t)table->cies.len;
	return cfi_cie_vec_push(&table->cies, *cie);
}

static bool fde_less(const struct cfi_fde *a, const struct cfi_fde *b)
{
	if (a->code.address != b->code.address)
		return a->code.address < b->code.address;
	return !a->code.size != !b->code.size ? !b->code.size : a->at < b->at;
}
DEFINE_SORT(sort_fdes, struct cfi_fde, fde_less)

enum taken { TAKEN, TAKEN_BAD, TAKEN_NOMEM };

/* Adds an FDE that was read just now. */
static enum taken take_fde(const struct eh_frame *section, struct eh_frame_fde *entry,
			   struct cfi_table *out)
{
	struct cfi_fde fde = {
		.code = entry->code, .at = entry->at, .lsda = eh_frame_take_lsda(entry)};

	fde.program = entry->rest;
	if (!number_cie(out, &section->cie, &fde.cie))
		return TAKEN_NOMEM;
	if (fde.program.bad)
		return TAKEN_BAD;
	return cfi_fde_vec_push(&out->fdes, fde) ? TAKEN : TAKEN_NOMEM;
}

bool cfi_table_read(const struct image *image, struct eh_frame section, struct cfi_table *out,
		    struct bc_error *err)
{
	struct eh_frame_fde entry;
	enum taken taken = TAKEN;

	*out = (struct cfi_table){.work = image->work, .machine = image->machine};
	while (taken == TAKEN && eh_frame_next(&section, &entry))
		taken = take_fde(&section, &entry, out);
	if (out->fdes.len)
		sort_fdes(out->fdes.at, out->fdes.len);
	if (taken == TAKEN_NOMEM)
		return bc_fail_nomem(err);
	const struct eh_cursor *at = taken == TAKEN_BAD ? &entry.rest : &section.left;
	return !at->bad || bc_fail(err, BC_FORMAT, "%s, byte %" PRIu64 " of the section: %s",
				   section.debug ? ".debug_frame" : ".eh_frame",
				   at->address - section.address, at->bad);
}

bool cfi_table_read_some(const struct image *image, struct eh_frame section, const uint64_t *bytes,
			 size_t count, uint64_t *codes, struct cfi_table *out)
{
	struct eh_frame_fde entry;

	*out = (struct cfi_table){.work = image->work, .machine = image->machine};
	for (size_t i = 0; i < count; i++) {
		enum taken taken = eh_frame_at(&section, bytes[i], &entry) ?
					   take_fde(&section, &entry, out) :
					   TAKEN_BAD;
		codes[i] = taken == TAKEN ? entry.code.address : CFI_NO_FDE;
		if (taken == TAKEN_NOMEM)
			return false;
	}
	if (out->fdes.len)
		sort_fdes(out->fdes.at, out->fdes.len);
	return true;
}

DEFINE_SEARCH(fdes_up_to, struct cfi_fde, uint64_t, item->code.address <= key)
DEFINE_SEARCH(fdes_before, struct cfi_fde, uint64_t, item->code.address < key)

const struct cfi_fde *cfi_table_find(const struct cfi_table *table, uint64_t address)
{
	size_t i = fdes_up_to(table->fdes.at, table->fdes.len, address);

	if (!i)
		return NULL;
	/* For several at one address the first that is not empty counts, as in eh_frame_ranges().
	 * */
	const struct cfi_fde *found =
		&table->fdes.at[fdes_before(table->fdes.at, i, table->fdes.at[i - 1].code.address)];
	return address - found->code.address < found->code.size ? found : NULL;
}

/* ---- evaluating ---- */

enum {
	DW_CFA_advance_loc = 0x40,
	DW_CFA_offset = 0x80,
	DW_CFA_restore = 0xc0,
	DW_CFA_nop = 0,
	DW_CFA_set_loc,
	DW_CFA_advance_loc1,
	DW_CFA_advance_loc2,
	DW_CFA_advance_loc4,
	DW_CFA_offset_extended,
	DW_CFA_restore_extended,
	DW_CFA_undefined,
	DW_CFA_same_value,
	DW_CFA_register,
	DW_CFA_remember_state,
	DW_CFA_restore_state,
	DW_CFA_def_cfa,
	DW_CFA_def_cfa_register,
	DW_CFA_def_cfa_offset,
	DW_CFA_def_cfa_expression,
	DW_CFA_expression,
	DW_CFA_offset_extended_sf,
	DW_CFA_def_cfa_sf,
	DW_CFA_def_cfa_offset_sf,
	DW_CFA_val_offset,
	DW_CFA_val_offset_sf,
	DW_CFA_val_expression,
	DW_CFA_AARCH64_negate_ra_state_with_pc = 0x2c,
	DW_CFA_AARCH64_negate_ra_state = 0x2d,
	DW_CFA_GNU_args_size = 0x2e,
	DW_CFA_GNU_negative_offset_extended = 0x2f,
};

#define AARCH64_RA_SIGN_STATE 34

/* More registers than any machine has rules for. */
#define RULES_MOST 48
/* Rows that one FDE remembers at a time; compilers remember one, llvm-bolt some. */
#define REMEMBERED_MOST 64

/* What a row, and each of its rules, counts as work: so large that the memory of rows is bounded,
 * too. */
#define ROW_COST 16

/* A row in the making. */
struct state {
	struct cfi_rule cfa;
	uint64_t args_size;
	uint32_t count;
	struct cfi_rule rules[RULES_MOST]; /* by ascending register */
};

struct evaluation {
	const struct cfi_table *table;
	const struct eh_frame_cie *cie;
	uint64_t at;                /* vaddr that the next row begins at */
	struct state now, *initial; /* initial: NULL while the CIE's own instructions run */
	struct state *remembered;
	uint32_t depth, room;
	const char *bad;
};

static struct cfi_rule *find_rule(struct state *s, uint32_t reg, uint32_t *place)
{
	uint32_t i = 0;

	while (i < s->count && s->rules[i].reg < reg)
		i++;
	*place = i;
	return i < s->count && s->rules[i].reg == reg ? &s->rules[i] : NULL;
}

static void set_rule(struct evaluation *e, struct cfi_rule rule)
{
	struct state *s = &e->now;
	uint32_t place;
	struct cfi_rule *old = find_rule(s, rule.reg, &place);

	if (old) {
		*old = rule;
		return;
	}
	if (s->count == RULES_MOST) {
		e->bad = "rules for more registers than any machine has";
		return;
	}
	memmove(&s->rules[place + 1], &s->rules[place], (s->count - place) * sizeof(s->rules[0]));
	s->rules[place] = rule;
	s->count++;
}

/* The register has the caller's value. */
static void drop_rule(struct state *s, uint32_t reg)
{
	uint32_t place;

	if (!find_rule(s, reg, &place))
		return;
	s->count--;
	memmove(&s->rules[place], &s->rules[place + 1], (s->count - place) * sizeof(s->rules[0]));
}

static void restore_rule(struct evaluation *e, uint32_t reg)
{
	uint32_t place;
	struct cfi_rule *rule = e->initial ? find_rule(e->initial, reg, &place) : NULL;

	if (rule)
		set_rule(e, *rule);
	else
		drop_rule(&e->now, reg);
}

static void remember(struct evaluation *e)
{
	if (e->depth == REMEMBERED_MOST) {
		e->bad = "more remembered rows than any compiler writes";
		return;
	}
	if (e->depth == e->room) {
		uint32_t room = e->room ? 2 * e->room : 2;
		struct state *more = realloc(e->remembered, room * sizeof(*more));
		if (!more) {
			e->bad = CFI_NOMEM;
			return;
		}
		e->remembered = more;
		e->room = room;
	}
	e->remembered[e->depth++] = e->now;
}

static void restore_remembered(struct evaluation *e)
{
	if (!e->depth) {
		e->bad = "it restores a row, but none was remembered";
		return;
	}
	uint64_t args_size = e->now.args_size;
	e->now = e->remembered[--e->depth];
	e->now.args_size = args_size;
}

static void toggle_signed(struct evaluation *e)
{
	uint32_t place;

	if (e->table->machine != MACHINE_AARCH64)
		e->bad = "unknown instruction";
	else if (find_rule(&e->now, AARCH64_RA_SIGN_STATE, &place))
		drop_rule(&e->now, AARCH64_RA_SIGN_STATE);
	else
		set_rule(e, (struct cfi_rule){
				    .reg = AARCH64_RA_SIGN_STATE, .how = CFI_SIGNED, .value = 1});
}

static uint32_t take_register(struct eh_cursor *c)
{
	uint64_t reg = eh_take_leb(c, false);

	if (reg >= UINT16_MAX)
		c->bad = "a register's number that no machine has";
	return (uint32_t)reg;
}

static struct bytes take_block(struct eh_cursor *c)
{
	uint64_t size = eh_take_leb(c, false);
	const uint8_t *at = eh_take(c, size);

	return (struct bytes){at, at ? (size_t)size : 0};
}

static int64_t scaled(const struct evaluation *e, uint64_t factored)
{
	return (int64_t)(factored * (uint64_t)e->cie->data_factor);
}

/* Closes the row that holds up to `end`. */
static bool push_row(struct evaluation *e, uint64_t end, struct cfi_rows *out, size_t first_row)
{
	struct cfi_row row = {.from = e->at,
			      .cfa = e->now.cfa,
			      .args_size = e->now.args_size,
			      .first = (uint32_t)out->rules.len,
			      .count = e->now.count};

	if (end <= e->at)
		return true;
	if (!work_spend(e->table->work, WORK_CFI, ROW_COST * (1 + e->now.count))) {
		e->bad = CFI_TOO_MUCH;
		return false;
	}
	/* Instructions can change nothing. */
	if (out->rows.len > first_row) {
		const struct cfi_row *last = &out->rows.at[out->rows.len - 1];
		if (cfi_same_row(last, out->rules.at,
				 &(struct cfi_row){.cfa = row.cfa,
						   .args_size = row.args_size,
						   .count = row.count},
				 e->now.rules) &&
		    last->args_size == row.args_size)
			return true;
	}
	bool ok = cfi_row_vec_push(&out->rows, row) &&
		  cfi_rule_vec_reserve(&out->rules, out->rules.len + row.count > out->rules.cap ?
							    2 * (out->rules.len + row.count) :
							    0);
	for (uint32_t i = 0; ok && i < row.count; i++)
		ok = cfi_rule_vec_push(&out->rules, e->now.rules[i]);
	if (!ok)
		e->bad = CFI_NOMEM;
	return ok;
}

static void define_cfa(struct evaluation *e, uint32_t reg, int64_t offset)
{
	e->now.cfa = (struct cfi_rule){.reg = reg, .how = CFI_OFFSET, .value = offset};
}

/* One instruction that does not move on.  Returns false for one that is not known. */
static bool take_other(struct evaluation *e, uint8_t op, struct eh_cursor *c)
{
	uint32_t reg;

	switch (op) {
	case DW_CFA_nop: return true;
	case DW_CFA_offset_extended:
		reg = take_register(c);
		set_rule(e, (struct cfi_rule){.reg = reg,
					      .how = CFI_AT_OFFSET,
					      .value = scaled(e, eh_take_leb(c, false))});
		return true;
	case DW_CFA_offset_extended_sf:
		reg = take_register(c);
		set_rule(e, (struct cfi_rule){.reg = reg,
					      .how = CFI_AT_OFFSET,
					      .value = scaled(e, eh_take_leb(c, true))});
		return true;
	case DW_CFA_GNU_negative_offset_extended:
		reg = take_register(c);
		set_rule(e, (struct cfi_rule){
				    .reg = reg,
				    .how = CFI_AT_OFFSET,
				    .value = (int64_t)-(uint64_t)scaled(e, eh_take_leb(c, false))});
		return true;
	case DW_CFA_val_offset:
		reg = take_register(c);
		set_rule(e, (struct cfi_rule){.reg = reg,
					      .how = CFI_OFFSET,
					      .value = scaled(e, eh_take_leb(c, false))});
		return true;
	case DW_CFA_val_offset_sf:
		reg = take_register(c);
		set_rule(e, (struct cfi_rule){.reg = reg,
					      .how = CFI_OFFSET,
					      .value = scaled(e, eh_take_leb(c, true))});
		return true;
	case DW_CFA_restore_extended: restore_rule(e, take_register(c)); return true;
	case DW_CFA_undefined:
		set_rule(e, (struct cfi_rule){.reg = take_register(c), .how = CFI_UNDEFINED});
		return true;
	case DW_CFA_same_value: drop_rule(&e->now, take_register(c)); return true;
	case DW_CFA_register:
		reg = take_register(c);
		set_rule(e, (struct cfi_rule){
				    .reg = reg, .how = CFI_REGISTER, .value = take_register(c)});
		return true;
	case DW_CFA_expression:
	case DW_CFA_val_expression:
		reg = take_register(c);
		set_rule(e, (struct cfi_rule){.reg = reg,
					      .how = op == DW_CFA_expression ? CFI_EXPRESSION :
									       CFI_VAL_EXPRESSION,
					      .expression = take_block(c)});
		return true;
	case DW_CFA_remember_state: remember(e); return true;
	case DW_CFA_restore_state: restore_remembered(e); return true;
	case DW_CFA_def_cfa:
		reg = take_register(c);
		define_cfa(e, reg, (int64_t)eh_take_leb(c, false));
		return true;
	case DW_CFA_def_cfa_sf:
		reg = take_register(c);
		define_cfa(e, reg, scaled(e, eh_take_leb(c, true)));
		return true;
	case DW_CFA_def_cfa_register:
		define_cfa(e, take_register(c), e->now.cfa.value);
		return true;
	case DW_CFA_def_cfa_offset:
		define_cfa(e, e->now.cfa.reg, (int64_t)eh_take_leb(c, false));
		return true;
	case DW_CFA_def_cfa_offset_sf:
		define_cfa(e, e->now.cfa.reg, scaled(e, eh_take_leb(c, true)));
		return true;
	case DW_CFA_def_cfa_expression:
		e->now.cfa =
			(struct cfi_rule){.how = CFI_VAL_EXPRESSION, .expression = take_block(c)};
		return true;
	case DW_CFA_AARCH64_negate_ra_state:
	case DW_CFA_AARCH64_negate_ra_state_with_pc: toggle_signed(e); return true;
	case DW_CFA_GNU_args_size: e->now.args_size = eh_take_leb(c, false); return true;
	}
	return false;
}

/* Where the next row begins; UINT64_MAX: the instruction does not move on. */
static uint64_t take_advance(const struct evaluation *e, uint8_t op, struct eh_cursor *c)
{
	switch (op) {
	case DW_CFA_set_loc: return eh_take_pointer(c, e->cie->code);
	case DW_CFA_advance_loc1: return e->at + eh_take_byte(c) * e->cie->code_factor;
	case DW_CFA_advance_loc2:
		return e->at + eh_take_number(c, EH_PE_UDATA2) * e->cie->code_factor;
	case DW_CFA_advance_loc4:
		return e->at + eh_take_number(c, EH_PE_UDATA4) * e->cie->code_factor;
	}
	return (op & 0xc0) == DW_CFA_advance_loc ? e->at + (op & 0x3f) * e->cie->code_factor :
						   UINT64_MAX;
}

/* Runs instructions up to those of addresses after `end`. */
static void run(struct evaluation *e, struct eh_cursor c, uint64_t end, struct cfi_rows *out,
		size_t first_row)
{
	if (!work_spend(e->table->work, WORK_CFI, c.left.size))
		e->bad = CFI_TOO_MUCH;
	while (c.left.size && !e->bad) {
		uint8_t op = eh_take_byte(&c);
		uint64_t next = take_advance(e, op, &c);
		if (next != UINT64_MAX) {
			if (next < e->at)
				e->bad = "addresses that do not ascend";
			else if (next >= end || c.bad || !push_row(e, next, out, first_row))
				break;
			e->at = next;
		} else if ((op & 0xc0) == DW_CFA_offset) {
			set_rule(e, (struct cfi_rule){.reg = op & 0x3f,
						      .how = CFI_AT_OFFSET,
						      .value = scaled(e, eh_take_leb(&c, false))});
		} else if ((op & 0xc0) == DW_CFA_restore) {
			restore_rule(e, op & 0x3f);
		} else if (!take_other(e, op, &c)) {
			e->bad = "unknown instruction";
		}
		if (c.bad)
			break;
	}
	e->bad = e->bad ? e->bad : c.bad;
}

const char *cfi_rows_append(const struct cfi_table *table, const struct cfi_fde *fde,
			    struct cfi_rows *out)
{
	const struct eh_frame_cie *cie = &table->cies.at[fde->cie];
	uint64_t end = fde->code.address + fde->code.size;
	size_t first_row = out->rows.len;
	struct evaluation e = {.table = table, .cie = cie, .at = fde->code.address};
	struct state initial;

	if (end < fde->code.address)
		return "it ends before it begins";
	run(&e, (struct eh_cursor){cie->program, 0, NULL}, fde->code.address, out, first_row);
	if (!e.bad && e.at == fde->code.address) {
		initial = e.now;
		e.initial = &initial;
		run(&e, fde->program, end, out, first_row);
	}
	if (!e.bad)
		(void)push_row(&e, end, out, first_row);
	free(e.remembered);
	return e.bad;
}

/* ---- comparing, printing ---- */

bool cfi_same_rule(const struct cfi_rule *a, const struct cfi_rule *b)
{
	return a->how == b->how && a->reg == b->reg && a->value == b->value &&
	       a->expression.size == b->expression.size &&
	       (!a->expression.size ||
		!memcmp(a->expression.data, b->expression.data, a->expression.size));
}

bool cfi_same_row(const struct cfi_row *a, const struct cfi_rule *a_rules, const struct cfi_row *b,
		  const struct cfi_rule *b_rules)
{
	bool same = a->count == b->count && cfi_same_rule(&a->cfa, &b->cfa);

	for (uint32_t i = 0; same && i < a->count; i++)
		same = cfi_same_rule(&a_rules[a->first + i], &b_rules[b->first + i]);
	return same;
}

void cfi_register_name(enum machine machine, uint32_t reg, char *out, size_t size)
{
	static const char *const x86[] = {"rax", "rdx", "rcx", "rbx", "rsi",           "rdi",
					  "rbp", "rsp", "r8",  "r9",  "r10",           "r11",
					  "r12", "r13", "r14", "r15", "return address"};

	if (machine == MACHINE_X86_64 && reg < sizeof(x86) / sizeof(x86[0]))
		snprintf(out, size, "%s", x86[reg]);
	else if (machine == MACHINE_AARCH64 && reg == 31)
		snprintf(out, size, "sp");
	else if (machine == MACHINE_AARCH64 && reg == AARCH64_RA_SIGN_STATE)
		snprintf(out, size, "signed return address");
	else if (machine == MACHINE_AARCH64 && reg >= 64 && reg < 96)
		snprintf(out, size, "v%" PRIu32, reg - 64);
	else
		snprintf(out, size, machine == MACHINE_X86_64 ? "register %" PRIu32 : "x%" PRIu32,
			 reg);
}

void cfi_rule_text(enum machine machine, const struct cfi_rule *rule, bool cfa, char *out,
		   size_t size)
{
	char reg[32];

	switch ((enum cfi_how)rule->how) {
	case CFI_UNDEFINED: snprintf(out, size, cfa ? "none" : "lost"); return;
	case CFI_AT_OFFSET: snprintf(out, size, "saved at CFA%+" PRId64, rule->value); return;
	case CFI_OFFSET:
		if (cfa)
			cfi_register_name(machine, rule->reg, reg, sizeof(reg));
		snprintf(out, size, "%s%+" PRId64, cfa ? reg : "CFA", rule->value);
		return;
	case CFI_REGISTER:
		cfi_register_name(machine, (uint32_t)rule->value, reg, sizeof(reg));
		snprintf(out, size, "in %s", reg);
		return;
	case CFI_EXPRESSION: snprintf(out, size, "saved where an expression says"); return;
	case CFI_VAL_EXPRESSION:
		snprintf(out, size, "an expression of %zu bytes", rule->expression.size);
		return;
	case CFI_SIGNED: snprintf(out, size, "signed"); return;
	}
}
