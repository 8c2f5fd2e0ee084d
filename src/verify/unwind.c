/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/verify/checks.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/sort.h"
#include "src/verify/frame_flow.h"
#include "src/verify/insn_ties.h"
#include "src/verify/cfi.h"
#include "src/elf/binary.h"
#include "src/elf/eh_frame.h"

/* ---- one side: what an unwinder finds in a binary ---- */

struct unwind_side {
	const struct image *image;
	struct cfi_table table; /* by what .eh_frame_hdr lists, if there is one */
	struct eh_frame_hdr header;
	uint64_t address; /* of .eh_frame */
};

static void side_free(struct unwind_side *side)
{
	cfi_table_free(&side->table);
	eh_frame_hdr_free(&side->header);
}

static struct finding_location at_address(const struct binary *subject, uint64_t address)
{
	struct finding_location location = NO_LOCATION;
	struct output_place place = binary_place(subject, (struct vaddr){address}, NULL);

	location.address = address;
	if (place.function)
		location.function = place.function->primary;
	return location;
}

/* A location in a fragment; no byte of the table. */
static struct finding_location place_of(const struct binary *subject, uint32_t fragment,
					uint64_t address)
{
	struct finding_location location = location_of(subject, fragment, NO_INDEX);

	location.fragment = NO_INDEX;
	location.address = address;
	return location;
}

/* Rows of a side's code, evaluated when asked for; of one function at a time. */
struct evaluated {
	const struct cfi_fde *fde;
	size_t first, end; /* rows */
	const char *bad;
};
DEFINE_VEC(evaluated_vec, struct evaluated);

struct row_reader {
	const struct unwind_side *side;
	struct cfi_rows rows;
	struct evaluated_vec fdes;
	size_t last; /* of .fdes */
	size_t last_row;
	bool failed; /* no memory, or too much work */
};

static void row_reader_clear(struct row_reader *r)
{
	r->rows.rows.len = r->rows.rules.len = r->fdes.len = r->last = r->last_row = 0;
}

static void row_reader_free(struct row_reader *r)
{
	cfi_rows_free(&r->rows);
	evaluated_vec_free(&r->fdes);
}

static bool holds(const struct evaluated *e, uint64_t address)
{
	return address - e->fde->code.address < e->fde->code.size;
}

DEFINE_SEARCH(rows_up_to, struct cfi_row, uint64_t, item->from <= key)

/* How many FDEs of a function are looked for among those that were evaluated; of more one can be
 * evaluated again, which is counted. */
#define KEPT_MOST 8

/* The FDE of an address, evaluated; NULL: there is none, or no memory. */
static const struct evaluated *evaluated_at(struct row_reader *r, uint64_t address)
{
	if (r->last < r->fdes.len && holds(&r->fdes.at[r->last], address))
		return &r->fdes.at[r->last];
	const struct cfi_fde *fde = cfi_table_find(&r->side->table, address);
	if (!fde)
		return NULL;
	for (size_t i = r->fdes.len; i && r->fdes.len - i < KEPT_MOST; i--) {
		if (r->fdes.at[i - 1].fde == fde) {
			r->last = i - 1;
			return &r->fdes.at[i - 1];
		}
	}
	struct evaluated e = {.fde = fde, .first = r->rows.rows.len};
	e.bad = cfi_rows_append(&r->side->table, fde, &r->rows);
	r->failed |= e.bad == CFI_NOMEM || e.bad == CFI_TOO_MUCH;
	e.end = r->rows.rows.len;
	r->last = r->fdes.len;
	if (!evaluated_vec_push(&r->fdes, e)) {
		r->failed = true;
		return NULL;
	}
	return &r->fdes.at[r->last];
}

static struct cfi_row_at row_at(struct row_reader *r, uint64_t address)
{
	const struct evaluated *e = evaluated_at(r, address);
	const struct cfi_row *rows = r->rows.rows.at;

	if (!e || e->bad || e->first == e->end)
		return (struct cfi_row_at){NULL, NULL};
	bool near = r->last_row >= e->first && r->last_row < e->end &&
		    rows[r->last_row].from <= address;
	size_t row = near ? r->last_row :
			    e->first + rows_up_to(rows + e->first, e->end - e->first, address) - 1;
	for (int steps = 0; near && row + 1 < e->end && rows[row + 1].from <= address; steps++) {
		row++;
		if (steps == 4)
			row = e->first + rows_up_to(rows + e->first, e->end - e->first, address) -
			      1;
	}
	r->last_row = row;
	return (struct cfi_row_at){&rows[row], r->rows.rules.at};
}

static struct cfi_row_at row_of(void *reader, uint64_t address)
{
	return row_at(reader, address);
}

/* ---- all functions ---- */

/* What was looked at in one function; several are worked on at a time. */
struct checking {
	const struct binary *subject;
	const struct input *input;
	struct unwind_side out, in;
	struct fragments_by_function parts;
	_Atomic uint64_t counts[sizeof(struct unwind_summary) / sizeof(uint64_t)];
	atomic_bool failed; /* no memory, or too much work: work_fail() shows */
};

/* One function in the making. */
struct unwinding {
	struct checking *c;
	struct row_reader out, in;
	struct tied_function function;
	struct lsda in_lsda;
	uint64_t in_lsda_at;    /* 0: none was read */
	struct lsda *out_lsdas; /* per fragment */
	bool *out_has;
	struct findings *findings;
	struct unwind_summary sum;
	/* The finding that continues from instruction to instruction. */
	struct run {
		bool open, calls; /* calls: one of the instructions is a call */
		enum finding_kind kind;
		uint32_t fragment, reg;
		uint64_t address, input, count;
		struct cfi_row in, out; /* .from is 0 if there is none */
		bool judged;
		struct flow_judgment by_code;
	} run;
	uint8_t *in_verdicts; /* per instruction of the input: enum flow_verdict */
};

static void rule_text(const struct unwinding *u, const struct cfi_row *row,
		      const struct row_reader *reader, char *out, size_t size)
{
	enum machine machine = u->c->subject->image.machine;

	if (!row) {
		snprintf(out, size, "nothing");
	} else if (u->run.kind == FINDING_UNWIND_REGISTER) {
		const struct cfi_rule *rule = cfi_rule_of(row, reader->rows.rules.at, u->run.reg);
		if (rule)
			cfi_rule_text(machine, rule, false, out, size);
		else
			snprintf(out, size, "not saved");
	} else {
		cfi_rule_text(machine, &row->cfa, true, out, size);
	}
}

/* What the code says of the stack pointer, and of the register that the run is about. */
static void code_text(const struct run *run, const char *reg, char *out, size_t size)
{
	const struct flow_judgment *code = &run->by_code;
	bool of_register = run->judged && *reg && code->verdict == FLOW_REGISTER;
	char height[64] = "", place[96] = "";

	*out = '\0';
	if (run->judged && code->has_height)
		snprintf(height, sizeof(height), "the stack pointer is the CFA-%" PRId64,
			 code->height);
	if (of_register && code->place == FLOW_SAVED)
		snprintf(place, sizeof(place), "the caller's %s is saved at CFA%+" PRId64, reg,
			 code->saved_at);
	else if (of_register)
		snprintf(place, sizeof(place), "the caller's %s is %s", reg,
			 code->place == FLOW_KEPT ? "in the register, and saved nowhere" :
						    "in no location that is known");
	if (*height || *place)
		snprintf(out, size, "; by the code %s%s%s", height,
			 *height && *place ? ", and " : "", place);
}

static void close_run(struct unwinding *u)
{
	struct run *run = &u->run;
	char in[48], out[48], reg[32] = "", code[200], where[80] = "BOLT's own code";

	if (!run->open)
		return;
	run->open = false;
	rule_text(u, run->in.from ? &run->in : NULL, &u->in, in, sizeof(in));
	rule_text(u, run->out.from ? &run->out : NULL, &u->out, out, sizeof(out));
	if (run->kind == FINDING_UNWIND_REGISTER)
		cfi_register_name(u->c->subject->image.machine, run->reg, reg, sizeof(reg));
	code_text(run, reg, code, sizeof(code));
	if (run->input)
		snprintf(where, sizeof(where), "input 0x%" PRIx64 ": %s", run->input, in);
	struct finding_location location = place_of(u->c->subject, run->fragment, run->address);
	enum finding_kind kind = run->calls || run->kind == FINDING_UNWIND_MISSING ?
					 run->kind :
					 FINDING_UNWIND_BETWEEN;
	findings_add(u->findings, kind, location, "%s, %s, output: %s; %" PRIu64 " instruction%s%s",
		     *reg ? reg : "CFA", where, out, run->count, plural(run->count), code);
}

static void differ(struct unwinding *u, enum finding_kind kind, uint32_t reg,
		   const struct tied_fragment *f, uint32_t insn, uint64_t input,
		   const struct cfi_row *in, const struct cfi_row *out,
		   const struct flow_judgment *judgment)
{
	bool calls = insn_is_call(f->code.insns.at[insn]);
	uint64_t address = f->code.address + f->code.insns.at[insn].offset;
	struct run *run = &u->run;
	struct cfi_row none = {.from = 0};

	u->sum.different++;
	in = in ? in : &none;
	out = out ? out : &none;
	if (run->open && run->kind == kind && run->reg == reg && run->fragment == f->fragment &&
	    run->in.from == in->from && run->out.from == out->from) {
		run->count++;
		run->calls |= calls;
		return;
	}
	close_run(u);
	*run = (struct run){true,
			    calls,
			    kind,
			    f->fragment,
			    reg,
			    address,
			    input,
			    1,
			    *in,
			    *out,
			    judgment != NULL,
			    judgment ? *judgment : (struct flow_judgment){.verdict = FLOW_UNKNOWN}};
}

/* The first register whose rule differs. */
static uint32_t differing_register(const struct cfi_row *a, const struct cfi_rule *a_rules,
				   const struct cfi_row *b, const struct cfi_rule *b_rules)
{
	for (uint32_t i = 0; i < a->count; i++) {
		const struct cfi_rule *rule = &a_rules[a->first + i],
				      *other = cfi_rule_of(b, b_rules, rule->reg);
		if (!other || !cfi_same_rule(rule, other))
			return rule->reg;
	}
	for (uint32_t i = 0; i < b->count; i++)
		if (!cfi_rule_of(a, a_rules, b_rules[b->first + i].reg))
			return b_rules[b->first + i].reg;
	return UINT32_MAX;
}

/* Reports once of each FDE what is wrong with its instructions. */
static void tell_damaged(struct unwinding *u)
{
	for (size_t i = 0; i < u->out.fdes.len; i++) {
		const struct evaluated *e = &u->out.fdes.at[i];
		if (e->bad && e->bad != CFI_NOMEM && e->bad != CFI_TOO_MUCH)
			findings_add(u->findings, FINDING_UNWIND_DAMAGED,
				     at_address(u->c->subject, e->fde->code.address),
				     ".eh_frame, byte %" PRIu64 " of the section: %s", e->fde->at,
				     e->bad);
	}
}

/* The vaddr of the instruction of the input that one is tied to; 0: none. */
static uint64_t tied_input(const struct unwinding *u, const struct insn_tie *tie)
{
	const struct tied_code *in = &u->function.in;

	if (tie->kind != TIE_SAME && tie->kind != TIE_CARRIED)
		return 0;
	return tie->input < in->insns.len ? in->address + in->insns.at[tie->input].offset : 0;
}

/* Where BOLT did not change the frame, the rows must be equal.  Returns false at the first that are
 * not; nothing is counted then. */
static bool rows_are_equal(struct unwinding *u)
{
	struct unwind_summary before = u->sum;

	for (uint32_t k = 0; k < u->function.count; k++) {
		const struct tied_fragment *f = &u->function.fragments[k];
		for (uint32_t i = 0; i < f->ties.len; i++) {
			if (untied_counts_take(&u->sum.untied, &f->ties.at[i]))
				continue;
			uint64_t input = tied_input(u, &f->ties.at[i]);
			struct cfi_row_at in =
				input ? row_at(&u->in, input) : (struct cfi_row_at){NULL, NULL};
			if (!in.row) {
				u->sum.no_rules++;
				continue;
			}
			struct cfi_row_at out =
				row_at(&u->out, f->code.address + f->code.insns.at[i].offset);
			if (!out.row || !cfi_same_row(in.row, in.rules, out.row, out.rules)) {
				u->sum = before;
				return false;
			}
			u->sum.equal++;
		}
	}
	return true;
}

/* ---- where rows differ, or BOLT changed the frame ---- */

static void take_input_verdict(void *ctx, uint32_t piece, uint32_t insn,
			       const struct flow_judgment *judgment)
{
	struct unwinding *u = ctx;

	(void)piece;
	u->in_verdicts[insn] = (uint8_t)judgment->verdict;
}

static struct cfi_row_at input_row(void *ctx, uint64_t address)
{
	return row_of(&((struct unwinding *)ctx)->in, address);
}

static struct cfi_row_at output_row(void *ctx, uint64_t address)
{
	return row_of(&((struct unwinding *)ctx)->out, address);
}

struct judged {
	struct unwinding *u;
	struct flow_judgment **at; /* per fragment, per instruction */
};

static struct cfi_row_at judged_row(void *ctx, uint64_t address)
{
	return output_row(((struct judged *)ctx)->u, address);
}

static void take_output_verdict(void *ctx, uint32_t piece, uint32_t insn,
				const struct flow_judgment *judgment)
{
	((struct judged *)ctx)->at[piece][insn] = *judgment;
}

/* Are all rules right by the code that are not those of the input? */
static bool differences_are_right(const struct cfi_row_at *in, const struct cfi_row_at *out,
				  const struct flow_judgment *judgment)
{
	if (!cfi_same_rule(&in->row->cfa, &out->row->cfa) && !judgment->cfa_right)
		return false;
	for (int side = 0; side < 2; side++) {
		const struct cfi_row_at *a = side ? out : in, *b = side ? in : out;
		for (uint32_t i = 0; i < a->row->count; i++) {
			const struct cfi_rule *rule = &a->rules[a->row->first + i],
					      *other = cfi_rule_of(b->row, b->rules, rule->reg);
			if (other && cfi_same_rule(rule, other))
				continue;
			if (rule->reg >= 64 || !(judgment->right >> rule->reg & 1))
				return false;
		}
	}
	return true;
}

/* One instruction: what the code says decides where it can.  If BOLT did not change the frame,
 * equal rules are right, and other ones are not unless the code says so. */
static void decide(struct unwinding *u, const struct tied_fragment *f, uint32_t i,
		   const struct flow_judgment *judgment)
{
	const struct insn_tie *tie = &f->ties.at[i];
	uint64_t input = tied_input(u, tie), address = f->code.address + f->code.insns.at[i].offset;
	struct cfi_row_at in = input ? row_at(&u->in, input) : (struct cfi_row_at){NULL, NULL},
			  out = row_at(&u->out, address);
	bool same = in.row && out.row && cfi_same_row(in.row, in.rules, out.row, out.rules),
	     changed = u->function.frame_changed;
	bool paired = tie->kind == TIE_SAME || tie->kind == TIE_CARRIED;
	bool input_wrong = paired && tie->input < u->function.in.insns.len &&
			   (u->in_verdicts[tie->input] == FLOW_CFA ||
			    u->in_verdicts[tie->input] == FLOW_REGISTER);
	bool wrong = judgment->verdict == FLOW_CFA || judgment->verdict == FLOW_REGISTER;

	if (paired && !in.row) {
		u->sum.no_rules++;
	} else if (paired && !out.row) {
		differ(u, FINDING_UNWIND_MISSING, 0, f, i, input, in.row, NULL, NULL);
	} else if (same && (!changed || !wrong)) {
		u->sum.equal++;
	} else if (judgment->verdict == FLOW_RIGHT ||
		   (!changed && in.row && out.row && differences_are_right(&in, &out, judgment))) {
		u->sum.explained++;
	} else if (wrong && input_wrong && changed) {
		u->sum.input_wrong++;
	} else if (wrong && tie->kind != TIE_PADDING && tie->kind != TIE_UNMAPPED &&
		   (paired || changed)) {
		bool cfa = judgment->verdict == FLOW_CFA;
		differ(u, cfa ? FINDING_UNWIND_CFA : FINDING_UNWIND_REGISTER,
		       cfa ? 0 : judgment->reg, f, i, input, in.row, out.row, judgment);
	} else if (untied_counts_take(&u->sum.untied, tie)) {
		return;
	} else if (changed) {
		u->sum.undetermined++;
	} else {
		bool cfa = !cfi_same_rule(&in.row->cfa, &out.row->cfa);
		differ(u, cfa ? FINDING_UNWIND_CFA : FINDING_UNWIND_REGISTER,
		       cfa ? 0 : differing_register(in.row, in.rules, out.row, out.rules), f, i,
		       input, in.row, out.row, NULL);
	}
}

static bool judge(struct unwinding *u)
{
	struct tied_function *function = &u->function;
	enum machine machine = u->c->subject->image.machine;
	struct flow_piece in = {function->in.bytes, function->in.address, &function->in.insns,
				u->in_lsda_at ? &u->in_lsda : NULL};
	const struct evaluated *first = evaluated_at(&u->in, function->in.address);
	struct followed_code flow = {
		.machine = machine,
		.pieces = &in,
		.count = 1,
		.entry = row_at(&u->in, function->in.address),
		.return_register = first ? u->c->in.table.cies.at[first->fde->cie].return_register :
					   UINT32_MAX,
		.work = u->c->input->image.work};
	struct flow_piece *pieces = calloc(function->count + (size_t)1, sizeof(*pieces));
	struct judged judged = {u, calloc(function->count + (size_t)1, sizeof(*judged.at))};

	u->in_verdicts = calloc(function->in.insns.len + 1, sizeof(*u->in_verdicts));
	bool ok = pieces && judged.at && u->in_verdicts &&
		  frame_flow(&flow, input_row, take_input_verdict, u);
	for (uint32_t k = 0; ok && k < function->count; k++) {
		const struct tied_code *code = &function->fragments[k].code;
		pieces[k] = (struct flow_piece){code->bytes, code->address, &code->insns,
						u->out_has[k] ? &u->out_lsdas[k] : NULL};
		judged.at[k] = calloc(code->insns.len + 1, sizeof(**judged.at));
		ok = judged.at[k];
	}
	flow.pieces = pieces;
	flow.count = function->count;
	flow.first = function->hot;
	flow.entry = row_at(&u->in, function->in.address); /* rows may have moved */
	flow.work = u->c->subject->image.work;
	ok = ok && frame_flow(&flow, judged_row, take_output_verdict, &judged);
	for (uint32_t k = 0; ok && k < function->count; k++) {
		for (uint32_t i = 0; i < function->fragments[k].ties.len; i++)
			decide(u, &function->fragments[k], i, &judged.at[k][i]);
		close_run(u);
	}
	for (uint32_t k = 0; judged.at && k < function->count; k++)
		free(judged.at[k]);
	free(judged.at);
	free(pieces);
	free(u->in_verdicts);
	u->in_verdicts = NULL;
	return ok;
}

/* ---- exceptions ---- */

#define JUMPS_MOST 8

/* Where code of the input begins that a landing pad of the output is; jumps are followed, as
 * splitting puts them before landing pads of other fragments, and stores that shrink wrapping puts
 * at their beginning are passed.  0: not known. */
static uint64_t input_of_pad(const struct unwinding *u, uint64_t pad)
{
	const struct tied_function *function = &u->function;

	for (int jumps = 0; jumps < JUMPS_MOST; jumps++) {
		uint32_t number;
		const struct tied_fragment *f = tied_fragment_at(function, pad, &number);
		if (!f)
			return 0;
		const struct insn_tie *tie = &f->ties.at[number];
		const struct insn *insn = &f->code.insns.at[number];
		if (tie->kind == TIE_SAME)
			return function->in.address + function->in.insns.at[tie->input].offset;
		if (insn->kind != INSN_JUMP && !insn->nop &&
		    (tie->kind != TIE_CHANGED || insn->kind != INSN_NEXT))
			return 0;
		pad = insn->kind == INSN_JUMP ? insn->target : pad + insn->size;
	}
	return 0;
}

/* Leads over nops and jumps to code that BOLT keeps. */
static uint64_t through_jumps(const struct tied_code *code, uint64_t address)
{
	for (int jumps = 0; jumps < JUMPS_MOST; jumps++) {
		uint32_t insn = tied_insn_at(code, address);
		if (insn == UINT32_MAX)
			return address;
		const struct insn *i = &code->insns.at[insn];
		if (i->kind == INSN_JUMP && i->target)
			address = i->target;
		else if (i->nop)
			address += i->size;
		else
			return address;
	}
	return address;
}

#define ACTION_WORDS 64

static void tell_site(struct unwinding *u, uint32_t fragment, uint64_t address, uint64_t input,
		      const char *text_in, const char *text_out)
{
	struct finding_location location = place_of(u->c->subject, fragment, address);

	findings_add(u->findings, FINDING_UNWIND_CALL_SITE, location,
		     "the call at input 0x%" PRIx64 ": %s, output: %s", input, text_in, text_out);
}

static void site_text(const struct lsda_site *site, char *out, size_t size)
{
	if (!site)
		snprintf(out, size, "no call site");
	else if (!site->pad)
		snprintf(out, size, "no landing pad");
	else
		snprintf(out, size, "landing pad 0x%" PRIx64 ", action %" PRIu64, site->pad,
			 site->action);
}

static bool same_actions(const struct unwinding *u, const struct lsda_site *in,
			 const struct lsda *out_lsda, const struct lsda_site *out, const char **bad)
{
	uint64_t a[ACTION_WORDS], b[ACTION_WORDS];
	const char *input_bad;
	size_t count =
		lsda_actions(u->c->in.image, &u->in_lsda, in->action, a, ACTION_WORDS, &input_bad);
	size_t other = lsda_actions(u->c->out.image, out_lsda, out->action, b, ACTION_WORDS, bad);

	return input_bad || (!*bad && count == other && !memcmp(a, b, count * sizeof(a[0])));
}

static void compare_call(struct unwinding *u, uint32_t part, uint32_t i)
{
	const struct tied_fragment *f = &u->function.fragments[part];
	const struct insn *call = &f->code.insns.at[i],
			  *other = &u->function.in.insns.at[f->ties.at[i].input];
	uint64_t address = f->code.address + call->offset,
		 input = u->function.in.address + other->offset;
	const struct lsda *lsda = u->out_has[part] ? &u->out_lsdas[part] : NULL;
	const struct lsda_site *in = lsda_site_at(&u->in_lsda, input + other->size - 1);
	const struct lsda_site *out = lsda ? lsda_site_at(lsda, address + call->size - 1) : NULL;
	char text_in[80], text_out[80];
	const char *bad = NULL;

	u->sum.calls++;
	site_text(in, text_in, sizeof(text_in));
	site_text(out, text_out, sizeof(text_out));
	if (!in != !out || (in && !in->pad != !out->pad)) {
		tell_site(u, f->fragment, address, input, text_in,
			  lsda ? text_out : "no exception table");
		return;
	}
	if (!in || !in->pad)
		return;
	struct cfi_row_at in_row = row_at(&u->in, input), out_row = row_at(&u->out, address);
	if (in_row.row && out_row.row && in_row.row->args_size != out_row.row->args_size) {
		snprintf(text_in, sizeof(text_in),
			 "%" PRIu64 " byte%s of arguments to take off the stack",
			 in_row.row->args_size, plural(in_row.row->args_size));
		snprintf(text_out, sizeof(text_out), "%" PRIu64, out_row.row->args_size);
		tell_site(u, f->fragment, address, input, text_in, text_out);
		return;
	}
	uint64_t pad = input_of_pad(u, out->pad), wanted = through_jumps(&u->function.in, in->pad);
	bool known = wanted - u->function.in.address < u->function.in.bytes.size;
	if ((known && through_jumps(&u->function.in, pad) != wanted) ||
	    !same_actions(u, in, lsda, out, &bad)) {
		if (bad)
			snprintf(text_out, sizeof(text_out), "%s", bad);
		tell_site(u, f->fragment, address, input, text_in, text_out);
	}
}

static uint64_t personality_in_input(const struct unwinding *u, const struct eh_frame_cie *cie)
{
	const struct binary *subject = u->c->subject;

	if (cie->personality_encoding & EH_PE_INDIRECT)
		return cie->personality;
	uint32_t fragment = UINT32_MAX;
	const struct bat_fragment *f = bat_find_exact(&subject->bat, cie->personality);
	if (f)
		fragment = (uint32_t)(f - subject->bat.fragments);
	if (fragment == UINT32_MAX || u->c->input->of[fragment] == NO_FUNCTION)
		return cie->personality;
	return u->c->input->functions.at[u->c->input->of[fragment]].address;
}

/* Reads the exception tables of all fragments, and compares whose they are. */
static bool read_lsdas(struct unwinding *u)
{
	const struct evaluated *e = evaluated_at(&u->in, u->function.in.address);
	const struct eh_frame_cie *in_cie = e ? &u->c->in.table.cies.at[e->fde->cie] : NULL;

	if (e && e->fde->lsda) {
		if (!lsda_read(u->c->in.image, e->fde->lsda, e->fde->code.address, &u->in_lsda)) {
			lsda_free(&u->in_lsda);
			return false;
		}
		u->in_lsda_at = e->fde->lsda;
		if (u->in_lsda.bad || !lsda_ascends(&u->in_lsda)) {
			lsda_free(&u->in_lsda);
			u->in_lsda_at = 0;
		}
	}
	for (uint32_t k = 0; k < u->function.count; k++) {
		const struct tied_fragment *f = &u->function.fragments[k];
		const struct evaluated *o = evaluated_at(&u->out, f->code.address);
		const struct eh_frame_cie *out_cie =
			o ? &u->c->out.table.cies.at[o->fde->cie] : NULL;
		if (!o || !o->fde->lsda)
			continue;
		if (!lsda_read(u->c->out.image, o->fde->lsda, o->fde->code.address,
			       &u->out_lsdas[k])) {
			lsda_free(&u->out_lsdas[k]);
			return false;
		}
		const char *bad = u->out_lsdas[k].bad;
		u->out_has[k] = !bad && lsda_ascends(&u->out_lsdas[k]);
		if (!u->out_has[k]) {
			lsda_free(&u->out_lsdas[k]);
			findings_add(u->findings, FINDING_UNWIND_DAMAGED,
				     place_of(u->c->subject, f->fragment, f->code.address),
				     "the exception table at 0x%" PRIx64 ": %s", o->fde->lsda,
				     bad ? bad : "call sites do not ascend");
		} else if (u->in_lsda_at && (in_cie->personality_encoding == EH_PE_OMIT) !=
						    (out_cie->personality_encoding == EH_PE_OMIT)) {
			findings_add(u->findings, FINDING_UNWIND_PERSONALITY,
				     place_of(u->c->subject, f->fragment, f->code.address),
				     "the %s has no personality function",
				     out_cie->personality_encoding == EH_PE_OMIT ? "output" :
										   "input");
		} else if (u->in_lsda_at && in_cie->personality_encoding != EH_PE_OMIT &&
			   in_cie->personality != personality_in_input(u, out_cie)) {
			findings_add(u->findings, FINDING_UNWIND_PERSONALITY,
				     place_of(u->c->subject, f->fragment, f->code.address),
				     "personality function, input: 0x%" PRIx64
				     ", output: 0x%" PRIx64,
				     in_cie->personality, out_cie->personality);
		}
	}
	return true;
}

static void compare_calls(struct unwinding *u, uint32_t part)
{
	const struct tied_fragment *f = &u->function.fragments[part];

	for (uint32_t i = 0; u->in_lsda_at && i < f->ties.len; i++)
		if (f->ties.at[i].kind == TIE_SAME && insn_is_call(f->code.insns.at[i]))
			compare_call(u, part, i);
}

/* ---- functions ---- */

static bool check_function(struct unwinding *u, struct decoder *decoder, const uint32_t *parts,
			   uint32_t count)
{
	struct checking *c = u->c;
	uint32_t function = c->input->of[parts[0]];

	u->out_lsdas = calloc(count + (size_t)1, sizeof(*u->out_lsdas));
	u->out_has = calloc(count + (size_t)1, sizeof(*u->out_has));
	bool ok =
		u->out_lsdas && u->out_has &&
		insn_ties_make(c->subject, c->input, function, parts, count, decoder, &u->function);
	for (uint32_t k = 0; ok && k < u->function.count; k++) {
		u->sum.instructions += u->function.fragments[k].ties.len;
		if (function == NO_FUNCTION)
			u->sum.no_function += u->function.fragments[k].ties.len;
	}
	if (ok && function != NO_FUNCTION) {
		ok = read_lsdas(u);
		if (ok && (u->function.frame_changed || !rows_are_equal(u)))
			ok = judge(u);
		for (uint32_t k = 0; ok && k < u->function.count; k++)
			compare_calls(u, k);
		tell_damaged(u);
	}
	for (uint32_t k = 0; u->out_lsdas && k < count; k++)
		lsda_free(&u->out_lsdas[k]);
	free(u->out_lsdas);
	free(u->out_has);
	if (u->in_lsda_at)
		lsda_free(&u->in_lsda);
	u->in_lsda_at = 0;
	insn_ties_free(&u->function);
	row_reader_clear(&u->out);
	row_reader_clear(&u->in);
	return ok && !u->out.failed && !u->in.failed;
}

static void check_fragments_of(void *ctx, struct decoder *decoder, uint32_t begin, uint32_t end,
			       struct findings *findings)
{
	struct checking *c = ctx;
	struct unwinding u = {.c = c, .out.side = &c->out, .in.side = &c->in, .findings = findings};
	const struct bat_table *bat = &c->subject->bat;
	bool ok = true;

	for (uint32_t i = begin; ok && i < end; i++) {
		const uint32_t *parts;
		uint32_t count = fragments_of(&c->parts, bat, &i, &parts);
		if (count)
			ok = check_function(&u, decoder, parts, count);
	}
	if (!ok)
		atomic_store(&c->failed, true);
	summary_add(c->counts, &u.sum, sizeof(u.sum));
	row_reader_free(&u.out);
	row_reader_free(&u.in);
}

/* ---- the tables themselves ---- */

/* Reads the FDEs that the header lists, as an unwinder does.  `findings`: of the output; of the
 * input NULL.  False: no memory. */
static bool read_listed(const struct binary *subject, struct unwind_side *side,
			struct eh_frame frame, struct findings *findings)
{
	const struct eh_frame_hdr_vec *entries = &side->header.entries;
	uint64_t *bytes = malloc((entries->len + 1) * sizeof(*bytes));
	uint64_t *codes = malloc((entries->len + 1) * sizeof(*codes));
	bool sorted = true;

	for (size_t i = 0; bytes && i < entries->len; i++)
		bytes[i] = entries->at[i].fde - side->address;
	bool ok = bytes && codes &&
		  cfi_table_read_some(side->image, frame, bytes, entries->len, codes, &side->table);
	for (size_t i = 0; ok && findings && i < entries->len; i++) {
		const struct eh_frame_hdr_entry *e = &entries->at[i];
		if (sorted && i && e->code < entries->at[i - 1].code) {
			findings_add(findings, FINDING_UNWIND_HEADER, at_address(subject, e->code),
				     "entry %zu of %zu is not sorted: 0x%" PRIx64
				     " after 0x%" PRIx64,
				     i, entries->len, e->code, entries->at[i - 1].code);
			sorted = false;
		}
		if (codes[i] == CFI_NO_FDE)
			findings_add(findings, FINDING_UNWIND_HEADER, at_address(subject, e->code),
				     "entry %zu leads to 0x%" PRIx64 ", where no FDE is", i,
				     e->fde);
		else if (codes[i] != e->code)
			findings_add(findings, FINDING_UNWIND_HEADER, at_address(subject, e->code),
				     "entry %zu leads to the FDE at 0x%" PRIx64
				     ", which is of other code",
				     i, e->fde);
	}
	free(bytes);
	free(codes);
	return ok;
}

/* What an unwinder reads: through the header's table if there is one, else all of the section.
 * False: *err shows; BC_FORMAT leaves what was read before the damage. */
static bool read_side(const struct binary *subject, struct unwind_side *side,
		      struct findings *findings, struct bc_error *err)
{
	struct eh_frame frame = eh_frame_begin(side->image);

	side->address = frame.address;
	if (!eh_frame_hdr_read(side->image, &side->header))
		return bc_fail_nomem(err);
	if (!side->header.has_table)
		return cfi_table_read(side->image, frame, &side->table, err);
	return read_listed(subject, side, frame, findings) || bc_fail_nomem(err);
}

/* Do two FDEs of the input overlap as these of the output do? */
static bool overlap_in_input(const struct checking *c, uint64_t a, uint64_t b)
{
	const struct cfi_fde *fde = cfi_table_find(&c->in.table, b);

	return fde && fde->code.address == a;
}

static void check_overlaps(const struct checking *c, struct findings *findings)
{
	const struct cfi_fde_vec *fdes = &c->out.table.fdes;
	uint64_t end = 0, last = 0;

	for (size_t i = 0; i < fdes->len; i++) {
		const struct cfi_fde *fde = &fdes->at[i];
		if (!fde->code.size)
			continue;
		if (fde->code.address < end && !overlap_in_input(c, last, fde->code.address))
			findings_add(findings, FINDING_UNWIND_OVERLAP,
				     at_address(c->subject, fde->code.address),
				     "that of 0x%" PRIx64 " ends at 0x%" PRIx64, last, end);
		if (fde->code.address + fde->code.size > end) {
			end = fde->code.address + fde->code.size;
			last = fde->code.address;
		}
	}
}

/* ---- functions that BOLT left where they were ---- */

/* Compares rows over the function's addresses, from each beginning of one to the next on either
 * side. */
static bool compare_left(struct unwinding *u, const struct function *f,
			 const struct function *of_input)
{
	uint64_t end = f->address + (f->size < of_input->size ? f->size : of_input->size);

	if (row_at(&u->in, f->address).row)
		u->sum.left_compared++;
	else
		u->sum.left_no_rules++;
	for (uint64_t at = f->address; at < end;) {
		struct cfi_row_at in = row_at(&u->in, at), out = row_at(&u->out, at);
		uint64_t next = end;
		const struct row_reader *readers[] = {&u->in, &u->out};
		const struct cfi_row *rows[] = {in.row, out.row};
		for (int side = 0; side < 2; side++) {
			const struct row_reader *r = readers[side];
			size_t behind = rows[side] ? (size_t)(rows[side] - r->rows.rows.at) + 1 : 0;
			if (rows[side] && behind < r->fdes.at[r->last].end &&
			    r->rows.rows.at[behind].from < next)
				next = r->rows.rows.at[behind].from;
			else if (rows[side] && r->fdes.at[r->last].fde->code.address +
							       r->fdes.at[r->last].fde->code.size <
						       next)
				next = r->fdes.at[r->last].fde->code.address +
				       r->fdes.at[r->last].fde->code.size;
		}
		if (in.row && (!out.row || !cfi_same_row(in.row, in.rules, out.row, out.rules))) {
			struct finding_location location = at_address(u->c->subject, at);
			enum finding_kind kind = !out.row ? FINDING_UNWIND_MISSING :
						 cfi_same_rule(&in.row->cfa, &out.row->cfa) ?
							    FINDING_UNWIND_REGISTER :
							    FINDING_UNWIND_CFA;
			findings_add(
				u->findings, kind, location,
				"BOLT left this function where it was, and its rules from 0x%" PRIx64
				" to 0x%" PRIx64 " %s",
				at, next,
				out.row ? "are other ones than in the input" : "are gone");
			break;
		}
		if (!in.row)
			break;
		at = next;
	}
	tell_damaged(u);
	row_reader_clear(&u->in);
	row_reader_clear(&u->out);
	return !u->in.failed && !u->out.failed;
}

static bool check_left(struct checking *c, struct findings *findings)
{
	struct unwinding u = {.c = c, .out.side = &c->out, .in.side = &c->in, .findings = findings};
	bool ok = true;

	for (size_t i = 0; ok && i < c->subject->functions.count; i++) {
		if (!input_lacks(c->subject, i))
			continue;
		u.sum.left++;
		const struct function *of_input = input_left(c->subject, c->input, i);
		if (of_input)
			ok = compare_left(&u, &c->subject->functions.at[i], of_input);
		else
			u.sum.left_other++;
	}
	summary_add(c->counts, &u.sum, sizeof(u.sum));
	row_reader_free(&u.out);
	row_reader_free(&u.in);
	return ok;
}

/* ---- .debug_frame ---- */

/* llvm-bolt copies the section: it still describes the code where the input had it. */
static bool check_debug_frame(const struct checking *c, struct findings *findings,
			      struct bc_error *err)
{
	const struct bat_table *bat = &c->subject->bat;
	struct cfi_table in, out;
	uint64_t described = 0, lost = 0;

	bool ok = cfi_table_read(c->in.image, debug_frame_begin(c->in.image), &in, err) ||
		  err->code != BC_NOMEM;
	if (!cfi_table_read(c->out.image, debug_frame_begin(c->out.image), &out, err))
		ok = ok && err->code != BC_NOMEM;
	for (uint32_t i = 0; ok && i < bat->fragment_count; i++) {
		if (bat->fragments[i].cold || c->input->of[i] == NO_FUNCTION ||
		    !cfi_table_find(&in, c->input->functions.at[c->input->of[i]].address))
			continue;
		described++;
		const struct cfi_fde *fde = cfi_table_find(&out, bat->fragments[i].address);
		lost += !fde || fde->code.address != bat->fragments[i].address;
	}
	if (ok && lost)
		findings_add(findings, FINDING_UNWIND_DEBUG_FRAME, NO_LOCATION,
			     "of %" PRIu64
			     " functions of the table that it describes in the input, it "
			     "describes %" PRIu64 " at their new address",
			     described, described - lost);
	cfi_table_free(&in);
	cfi_table_free(&out);
	return ok;
}

/* Opens the output's side; what is wrong with it are findings. */
static bool open_output(struct checking *c, struct findings *findings, struct bc_error *err)
{
	struct unwind_side *side = &c->out;

	if (!read_side(c->subject, side, findings, err)) {
		if (err->code == BC_NOMEM)
			return false;
		findings_add(findings, FINDING_UNWIND_DAMAGED, NO_LOCATION, "%s", err->text);
	}
	if (!side->header.present && c->in.header.present)
		findings_add(findings, FINDING_UNWIND_HEADER, NO_LOCATION,
			     "there is no segment PT_GNU_EH_FRAME, and the input has one");
	if (side->header.bad)
		findings_add(findings, FINDING_UNWIND_HEADER, NO_LOCATION, "%s", side->header.bad);
	else if (side->header.present && side->header.eh_frame &&
		 side->header.eh_frame != side->address)
		findings_add(findings, FINDING_UNWIND_HEADER, NO_LOCATION,
			     "it says that .eh_frame is at 0x%" PRIx64 ", but it is at 0x%" PRIx64,
			     side->header.eh_frame, side->address);
	c->counts[offsetof(struct unwind_summary, fdes) / sizeof(uint64_t)] = side->table.fdes.len;
	return true;
}

bool check_unwind(const struct binary *subject, const struct input *input, unsigned threads,
		  struct unwind_summary *out, struct findings *findings, struct bc_error *err)
{
	struct checking c = {.subject = subject,
			     .input = input,
			     .out.image = &subject->image,
			     .in.image = &input->image};

	*err = (struct bc_error){0};
	bool ok = fragments_by_function_list(&subject->bat, &c.parts);
	if (!ok)
		bc_fail_nomem(err);
	ok = ok && read_side(subject, &c.in, NULL, err) && open_output(&c, findings, err);
	if (ok) {
		check_overlaps(&c, findings);
		ok = code_for_fragments(subject, threads, check_fragments_of, &c, findings);
		if (!ok)
			bc_fail_nomem(err);
		if (ok && (atomic_load(&c.failed) || !check_left(&c, findings)))
			ok = work_check(input->image.work, err) &&
			     work_fail(subject->image.work, err);
		ok = ok && check_debug_frame(&c, findings, err);
	}
	summary_read(c.counts, out, sizeof(*out));
	if (c.parts.at)
		fragments_by_function_free(&c.parts);
	side_free(&c.out);
	side_free(&c.in);
	return ok;
}
