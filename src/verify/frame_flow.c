/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/verify/frame_flow.h"

#include <stdlib.h>

#include "src/base/sort.h"

#define REGISTERS  32
#define SAVED_MOST 24

/* A register holds what the caller had in a register, an address at a distance from the CFA, or
 * another value. */
enum held_kind { HELD_UNKNOWN, HELD_CALLERS, HELD_CFA, HELD_OTHER };

struct held {
	uint8_t kind, reg; /* reg: of HELD_CALLERS */
	int64_t offset;    /* of HELD_CFA */
};

/* 8 bytes of the stack that hold a register of the caller. */
struct saved {
	int64_t offset; /* from the CFA */
	uint8_t reg;
};

struct flow_state {
	struct held regs[REGISTERS];
	struct saved saved[SAVED_MOST];
	uint32_t count;
	bool lost; /* something may have been stored anywhere, or more was saved than there is room
		      for */
};

struct leader {
	uint64_t address;
	uint32_t piece, insn;
	bool reached, queued;
	struct flow_state state;
};
DEFINE_VEC(leader_vec, struct leader);

struct target {
	uint64_t address;
	uint32_t piece, insn;
};
DEFINE_VEC(target_vec, struct target);

struct flow {
	const struct followed_code *of;
	struct stack_roles roles;
	struct target_vec targets;
	struct leader_vec leaders; /* by address */
	uint32_t *queue;
	size_t queued;
	struct flow_state dispatch; /* at all indirect jumps */
	bool has_dispatch;
};

DEFINE_SEARCH(leaders_before, struct leader, uint64_t, item->address < key)
DEFINE_SEARCH(pieces_up_to, struct flow_piece, uint64_t, item->address <= key)

static bool target_less(const struct target *a, const struct target *b)
{
	return a->address < b->address;
}
DEFINE_SORT(sort_targets, struct target, target_less)

/* ---- states ---- */

/* Offsets come from the file and can be anything: they wrap. */
static int64_t plus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static void forget_saved(struct flow_state *s, int64_t offset)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->count; i++)
		if ((uint64_t)s->saved[i].offset - (uint64_t)offset + 7 > 14)
			s->saved[kept++] = s->saved[i];
	s->count = kept;
}

static const struct saved *find_saved(const struct flow_state *s, int64_t offset)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (s->saved[i].offset == offset)
			return &s->saved[i];
	return NULL;
}

static void store(struct flow_state *s, const struct stack_step *step)
{
	const struct held *base = step->base < REGISTERS ? &s->regs[step->base] : NULL;

	if (!base || base->kind != HELD_CFA) {
		s->lost |= base && base->kind == HELD_UNKNOWN;
		return;
	}
	int64_t offset = plus(base->offset, step->value);
	forget_saved(s, offset);
	bool callers = step->reg < REGISTERS && s->regs[step->reg].kind == HELD_CALLERS;
	if (callers && s->count < SAVED_MOST)
		s->saved[s->count++] = (struct saved){offset, s->regs[step->reg].reg};
	else if (callers)
		s->lost = true;
	else if (step->reg >= 64 && step->reg != STACK_NO_REGISTER && s->count < SAVED_MOST)
		s->saved[s->count++] = (struct saved){offset, step->reg};
}

static void load(struct flow_state *s, const struct stack_step *step)
{
	const struct held *base = step->base < REGISTERS ? &s->regs[step->base] : NULL;

	if (step->reg >= REGISTERS)
		return;
	const struct saved *saved = base && base->kind == HELD_CFA ?
					    find_saved(s, plus(base->offset, step->value)) :
					    NULL;
	s->regs[step->reg] = saved ? (struct held){HELD_CALLERS, saved->reg, 0} :
				     (struct held){HELD_UNKNOWN, 0, 0};
}

static void set(struct flow_state *s, const struct stack_step *step)
{
	if (step->reg >= REGISTERS)
		return;
	struct held value =
		step->base < REGISTERS ? s->regs[step->base] : (struct held){HELD_UNKNOWN, 0, 0};
	if (value.kind == HELD_CFA)
		value.offset = plus(value.offset, step->value);
	else if (value.kind == HELD_CALLERS && step->value)
		value.kind = HELD_OTHER;
	s->regs[step->reg] = value;
}

static void overwrite(const struct flow *f, struct flow_state *s, uint64_t registers,
		      enum held_kind with)
{
	for (unsigned i = 0; i < REGISTERS; i++)
		if (registers >> i & 1)
			s->regs[i] = (struct held){
				(uint8_t)(i == f->roles.stack_pointer ? HELD_UNKNOWN : with), 0, 0};
}

static void run_insn(const struct flow *f, struct flow_state *s, const struct insn *insn,
		     struct bytes code)
{
	if (insn_is_call(*insn)) {
		overwrite(f, s, ~f->roles.kept & ~(UINT64_C(1) << f->roles.stack_pointer),
			  HELD_OTHER);
		return;
	}
	struct stack_effect effect = stack_effect_of(f->of->machine, code);
	for (unsigned i = 0; i < effect.count; i++) {
		const struct stack_step *step = &effect.steps[i];
		if (step->kind == STACK_STORE)
			store(s, step);
		else if (step->kind == STACK_LOAD)
			load(s, step);
		else
			set(s, step);
	}
	if (effect.unknown)
		overwrite(f, s, ~(UINT64_C(1) << f->roles.stack_pointer), HELD_UNKNOWN);
	else
		overwrite(f, s, effect.writes,
			  f->of->machine == MACHINE_X86_64 ? HELD_OTHER : HELD_UNKNOWN);
}

static bool held_equal(const struct held *a, const struct held *b)
{
	return a->kind == b->kind && a->reg == b->reg && a->offset == b->offset;
}

/* Keeps what both states say.  Returns whether the first one changed. */
static bool meet(struct flow_state *a, const struct flow_state *b)
{
	bool changed = b->lost && !a->lost;
	uint32_t kept = 0;

	a->lost |= b->lost;
	for (unsigned i = 0; i < REGISTERS; i++) {
		if (a->regs[i].kind == HELD_UNKNOWN || held_equal(&a->regs[i], &b->regs[i]))
			continue;
		a->regs[i] = (struct held){HELD_UNKNOWN, 0, 0};
		changed = true;
	}
	for (uint32_t i = 0; i < a->count; i++) {
		const struct saved *other = find_saved(b, a->saved[i].offset);
		if (other && other->reg == a->saved[i].reg)
			a->saved[kept++] = a->saved[i];
	}
	changed |= kept != a->count;
	a->count = kept;
	return changed;
}

/* ---- the code's leaders ---- */

static bool locate(const struct flow *f, uint64_t address, struct target *out)
{
	size_t piece = pieces_up_to(f->of->pieces, f->of->count, address);

	if (!piece--)
		return false;
	const struct flow_piece *p = &f->of->pieces[piece];
	size_t at = insns_before(p->insns->at, p->insns->len, address - p->address);
	*out = (struct target){address, (uint32_t)piece, (uint32_t)at};
	return at < p->insns->len && p->insns->at[at].offset == address - p->address;
}

static bool add_target(struct flow *f, uint64_t address)
{
	struct target target;

	return !locate(f, address, &target) || target_vec_push(&f->targets, target);
}

static bool find_leaders(struct flow *f)
{
	bool ok = true;

	for (uint32_t p = 0; ok && p < f->of->count; p++) {
		const struct flow_piece *piece = &f->of->pieces[p];
		ok = add_target(f, piece->address);
		for (size_t i = 0; ok && i < piece->insns->len; i++) {
			const struct insn *insn = &piece->insns->at[i];
			if (insn_jumps(*insn))
				ok = add_target(f, insn->target);
			if (ok && !insn_goes_on(*insn))
				ok = add_target(f, piece->address + insn->offset + insn->size);
		}
		for (size_t i = 0; ok && piece->lsda && i < piece->lsda->sites.len; i++)
			ok = !piece->lsda->sites.at[i].pad ||
			     add_target(f, piece->lsda->sites.at[i].pad);
	}
	if (!ok)
		return false;
	if (f->targets.len)
		sort_targets(f->targets.at, f->targets.len);
	for (size_t i = 0; i < f->targets.len; i++) {
		const struct target *t = &f->targets.at[i];
		if (f->leaders.len && f->leaders.at[f->leaders.len - 1].address == t->address)
			continue;
		if (f->leaders.len == FLOW_LEADERS_MOST) {
			f->leaders.len = 0;
			return true;
		}
		if (!leader_vec_push(&f->leaders, (struct leader){.address = t->address,
								  .piece = t->piece,
								  .insn = t->insn}))
			return false;
	}
	f->queue = malloc((f->leaders.len + 1) * sizeof(*f->queue));
	return f->queue;
}

static struct leader *leader_at(struct flow *f, uint64_t address)
{
	size_t i = leaders_before(f->leaders.at, f->leaders.len, address);

	return i < f->leaders.len && f->leaders.at[i].address == address ? &f->leaders.at[i] : NULL;
}

static void lead_to(struct flow *f, uint64_t address, const struct flow_state *state)
{
	struct leader *leader = leader_at(f, address);

	if (!leader)
		return;
	if (leader->reached && !meet(&leader->state, state))
		return;
	if (!leader->reached)
		leader->state = *state;
	leader->reached = true;
	if (!leader->queued)
		f->queue[f->queued++] = (uint32_t)(leader - f->leaders.at);
	leader->queued = true;
}

/* An exception that a call throws continues at its landing pad, with the registers that calls keep.
 */
static void lead_to_pad(struct flow *f, const struct flow_piece *piece, uint64_t address,
			const struct flow_state *state)
{
	const struct lsda_site *site = lsda_site_at(piece->lsda, address);
	if (!site || !site->pad)
		return;
	struct flow_state caught = *state;
	overwrite(f, &caught, ~f->roles.kept & ~(UINT64_C(1) << f->roles.stack_pointer),
		  HELD_OTHER);
	lead_to(f, site->pad, &caught);
}

struct judging {
	flow_row_fn *row;
	flow_take_fn *take;
	void *ctx;
};

static struct flow_judgment judge(const struct flow *f, const struct flow_state *s,
				  struct cfi_row_at at);

/* What it costs to begin with a leader, and to lead to another one, in instructions. */
#define LEAD_COST 8

/* Runs a leader's instructions up to the next leader, and leads on from there; judges them, if
 * asked to.  False: too much work. */
static bool run_leader(struct flow *f, const struct leader *leader, const struct judging *judging)
{
	const struct flow_piece *piece = &f->of->pieces[leader->piece];
	struct flow_state s = leader->state;
	uint64_t cost = LEAD_COST;

	for (uint32_t i = leader->insn; i < piece->insns->len; i++) {
		const struct insn *insn = &piece->insns->at[i];
		uint64_t address = piece->address + insn->offset;
		if (i > leader->insn && leader_at(f, address)) {
			if (!judging)
				lead_to(f, address, &s);
			break;
		}
		if (judging) {
			struct flow_judgment judgment =
				judge(f, &s, judging->row(judging->ctx, address));
			judging->take(judging->ctx, leader->piece, i, &judgment);
		}
		bool throws = insn_is_call(*insn) && piece->lsda;
		cost += throws ? LEAD_COST : 1;
		if (!judging && throws)
			lead_to_pad(f, piece, address + insn->size - 1, &s);
		if (!judging && insn->kind == INSN_JUMP_INDIRECT) {
			if (!f->has_dispatch)
				f->dispatch = s;
			else
				(void)meet(&f->dispatch, &s);
			f->has_dispatch = true;
		}
		run_insn(f, &s, insn,
			 bytes_first(bytes_from(piece->bytes, insn->offset), insn->size));
		if (!judging && insn_jumps(*insn))
			lead_to(f, insn->target, &s);
		if (insn_ends_way(*insn))
			break;
	}
	return work_spend(f->of->work, WORK_TIES, cost);
}

/* Ends: a state only ever loses what it says, of REGISTERS, SAVED_MOST locations and `lost`. */
static bool settle(struct flow *f)
{
	bool ok = true;

	while (ok && f->queued) {
		struct leader *leader = &f->leaders.at[f->queue[--f->queued]];
		leader->queued = false;
		ok = run_leader(f, leader, NULL);
	}
	return ok;
}

/* ---- judging ---- */

static enum flow_verdict judge_cfa(const struct flow_state *s, const struct cfi_rule *cfa)
{
	if (cfa->how != CFI_OFFSET || cfa->reg >= REGISTERS)
		return FLOW_UNKNOWN;
	const struct held *held = &s->regs[cfa->reg];
	if (held->kind == HELD_CFA)
		return plus(held->offset, cfa->value) ? FLOW_CFA : FLOW_RIGHT;
	return held->kind == HELD_UNKNOWN ? FLOW_UNKNOWN : FLOW_CFA;
}

static enum flow_verdict judge_register(const struct flow_state *s, uint32_t reg,
					const struct cfi_rule *rule)
{
	const struct held *held = &s->regs[reg];

	if (!rule) {
		if (held->kind == HELD_CALLERS && held->reg == reg)
			return FLOW_RIGHT;
		return held->kind == HELD_UNKNOWN ? FLOW_UNKNOWN : FLOW_REGISTER;
	}
	if (rule->how != CFI_AT_OFFSET)
		return FLOW_UNKNOWN;
	const struct saved *saved = find_saved(s, rule->value);
	if (saved)
		return saved->reg == reg ? FLOW_RIGHT : FLOW_REGISTER;
	return s->lost ? FLOW_UNKNOWN : FLOW_REGISTER;
}

static void blame_register(const struct flow_state *s, uint32_t reg, struct flow_judgment *j)
{
	j->verdict = FLOW_REGISTER;
	j->reg = reg;
	if (reg < REGISTERS && s->regs[reg].kind == HELD_CALLERS && s->regs[reg].reg == reg)
		j->place = FLOW_KEPT;
	for (uint32_t i = 0; i < s->count; i++) {
		if (s->saved[i].reg != reg)
			continue;
		j->place = FLOW_SAVED;
		j->saved_at = s->saved[i].offset;
	}
}

static struct flow_judgment judge(const struct flow *f, const struct flow_state *s,
				  struct cfi_row_at at)
{
	struct flow_judgment j = {.verdict = FLOW_UNKNOWN};
	const struct held *sp = &s->regs[f->roles.stack_pointer];

	j.has_height = sp->kind == HELD_CFA;
	j.height = (int64_t)-(uint64_t)sp->offset;
	if (!at.row)
		return j;
	j.verdict = judge_cfa(s, &at.row->cfa);
	if (j.verdict == FLOW_CFA)
		return j;
	j.cfa_right = j.verdict == FLOW_RIGHT;
	for (uint32_t reg = 0; reg < REGISTERS; reg++)
		if (f->roles.kept >> reg & 1 &&
		    judge_register(s, reg, cfi_rule_of(at.row, at.rules, reg)) == FLOW_RIGHT)
			j.right |= UINT64_C(1) << reg;
	for (uint32_t reg = 0; reg < REGISTERS; reg++) {
		if (!(f->roles.kept >> reg & 1) && reg != f->roles.link)
			continue;
		enum flow_verdict verdict =
			judge_register(s, reg, cfi_rule_of(at.row, at.rules, reg));
		if (verdict == FLOW_REGISTER) {
			blame_register(s, reg, &j);
			return j;
		}
		if (verdict == FLOW_UNKNOWN)
			j.verdict = FLOW_UNKNOWN;
	}
	const struct cfi_rule *back = cfi_rule_of(at.row, at.rules, f->of->return_register);
	if (f->roles.link == STACK_NO_REGISTER &&
	    (!back || back->how != CFI_AT_OFFSET || back->value != -8)) {
		j.verdict = FLOW_REGISTER;
		j.reg = f->of->return_register;
		j.place = FLOW_SAVED;
		j.saved_at = -8; /* where the call put it */
	}
	return j;
}

/* ---- all ---- */

static struct flow_state begin(const struct flow *f, struct cfi_row_at entry)
{
	struct flow_state s = {.count = 0};

	for (unsigned i = 0; i < REGISTERS; i++)
		s.regs[i] = (struct held){HELD_CALLERS, (uint8_t)i, 0};
	s.regs[f->roles.stack_pointer] =
		(struct held){HELD_CFA, 0, f->roles.link == STACK_NO_REGISTER ? -8 : 0};
	if (!entry.row || entry.row->cfa.how != CFI_OFFSET || entry.row->cfa.reg >= REGISTERS)
		return s;
	s.regs[f->roles.stack_pointer] = (struct held){HELD_UNKNOWN, 0, 0};
	s.regs[entry.row->cfa.reg] =
		(struct held){HELD_CFA, 0, (int64_t)-(uint64_t)entry.row->cfa.value};
	for (uint32_t i = 0; i < entry.row->count; i++) {
		const struct cfi_rule *rule = &entry.rules[entry.row->first + i];
		if (rule->reg >= REGISTERS || rule->how != CFI_AT_OFFSET)
			continue;
		if (s.count < SAVED_MOST)
			s.saved[s.count++] = (struct saved){rule->value, (uint8_t)rule->reg};
		else
			s.lost = true;
		if (s.regs[rule->reg].kind == HELD_CALLERS)
			s.regs[rule->reg] = (struct held){HELD_UNKNOWN, 0, 0};
	}
	return s;
}

bool frame_flow(const struct followed_code *function, flow_row_fn *row, flow_take_fn *take,
		void *ctx)
{
	struct flow f = {.of = function, .roles = stack_roles_of(function->machine)};
	struct judging judging = {row, take, ctx};

	bool ok = !function->count || find_leaders(&f);
	if (ok && f.leaders.len) {
		struct flow_state first = begin(&f, function->entry);
		lead_to(&f, function->pieces[function->first].address, &first);
		ok = settle(&f);
		/* Jump tables: what no other way leads to. */
		struct flow_state dispatch = f.dispatch;
		for (size_t i = 0; ok && f.has_dispatch && i < f.leaders.len; i++)
			if (!f.leaders.at[i].reached)
				lead_to(&f, f.leaders.at[i].address, &dispatch);
		ok = ok && settle(&f);
		for (size_t i = 0; ok && i < f.leaders.len; i++)
			ok = !f.leaders.at[i].reached || run_leader(&f, &f.leaders.at[i], &judging);
	}
	target_vec_free(&f.targets);
	leader_vec_free(&f.leaders);
	free(f.queue);
	return ok;
}
