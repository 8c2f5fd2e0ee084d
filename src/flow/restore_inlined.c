/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A direct call or tail call of the input that is missing at its location in the output: llvm-bolt
 * inlined the function, or proved the call needless.  Whatever enters the block of the call called
 * the function.  Calls out of the inlined body are recorded at that location, at a call in front of
 * it, or at the beginning of its block; they belong to the function that was called, or to one that
 * it calls.
 */
#include <stdlib.h>

#include "src/base/sort.h"
#include "src/elf/plt.h"
#include "src/flow/restore_pass.h"

/* Adds the jump by which a PLT entry of the output continues. */
static void add_plt_jump(struct pass *pass, const struct function *entry, uint64_t count)
{
	uint32_t jump = plt_jump_in(&pass->binary->image, (struct vaddr){entry->address});

	pass_add(pass, (struct record){RECORD_BRANCH, {entry, jump}, {NULL, 0}, count, 0, 0});
}

static const struct function *named(const struct pass *pass, uint32_t input)
{
	return &pass->binary->functions.at[pass->how->pair->output_of[input]];
}

/* Adds a call that was inlined, and for a PLT entry the jump by which it continues. */
static void add_call(struct pass *pass, const struct function *caller, struct known_call call,
		     uint64_t count)
{
	const struct function *to = named(pass, call.callee);

	pass_add(pass,
		 (struct record){RECORD_BRANCH, {caller, call.place}, {to, call.to}, count, 0, 0});
	if (to->kind == FUNCTION_PLT)
		add_plt_jump(pass, to, count);
	pass_count(pass, RESTORE_INLINED, count);
}

/* ---- bodies ---- */

/*
 * What the bodies of inlined functions counted: each instruction of them in the output is one of
 * the input, and ran as often.  What the output does not have, as calls, returns and jumps, ran as
 * often as control came there.
 */

/* An instruction of a frame's function. */
struct insn_count {
	uint64_t ran, jumped;
	uint64_t arrives; /* what the ways here bring, if it is not known how often it ran */
	bool known;
	bool begins; /* a jump leads there */
};

struct sums {
	struct pass *pass;
	const struct inlined_frame_vec *frames;
	size_t *first; /* per frame: its first instruction in `at` */
	struct insn_count *at;
};

static const struct insn_vec *body_code(const struct sums *s, uint32_t frame)
{
	return known_calls_code(s->pass->calls, s->frames->at[frame].function);
}

static const struct function *function_of(const struct sums *s, uint32_t frame)
{
	return &s->pass->how->pair->functions.at[s->frames->at[frame].function];
}

static bool is_sound(const struct sums *s, uint32_t frame)
{
	return frame > ROOT_FRAME && !s->frames->at[frame].broken;
}

/* Adds what one fragment counted. */
static void add_fragment(struct sums *s, const struct function *f)
{
	const struct inlined_bodies *inlined = s->pass->how->inlined;
	const struct inlined_code *code = inlined_code_of(inlined, f);
	size_t count = code ? out_function_of(inlined->functions, f)->insns.len : 0;
	uint64_t ran = 0;

	for (size_t i = 0; i < count; i++) {
		const struct inlined_tie *tie = &code->ties[i];
		uint64_t jumped = code->taken[i];
		ran += code->runs[i];
		if (!is_sound(s, tie->frame) || tie->between)
			continue;
		struct insn_count *insn = &s->at[s->first[tie->frame] + tie->insn];
		if (tie->turned)
			jumped = ran > jumped ? ran - jumped : 0;
		insn->known = true;
		insn->ran = count_add_saturating(insn->ran, ran);
		insn->jumped = count_add_saturating(insn->jumped, jumped);
	}
}

/* Gives each instruction that the output does not have what comes there.  Twice: once more for
 * jumps back. */
static void fill_in(struct sums *s, uint32_t frame, uint64_t entered)
{
	const struct insn_vec *code = body_code(s, frame);
	struct insn_count *at = s->at + s->first[frame];

	for (unsigned round = 0; round < 2; round++) {
		for (size_t i = 0; i < code->len; i++)
			at[i].arrives = i ? 0 : entered;
		for (size_t i = 0; i < code->len; i++) {
			const struct insn *insn = &code->at[i];
			uint32_t to = insn_jumps_to(function_of(s, frame), code, insn);
			if (!at[i].known && (!round || at[i].arrives > at[i].ran))
				at[i].ran = at[i].arrives;
			if (insn->kind == INSN_JUMP)
				at[i].jumped = at[i].ran;
			if (to != NO_INSN) {
				at[to].begins = true;
				at[to].arrives = count_add_saturating(at[to].arrives, at[i].jumped);
			}
			if (i + 1 < code->len &&
			    (insn_goes_on(*insn) || insn->kind == INSN_CONDITIONAL))
				at[i + 1].arrives = count_add_saturating(
					at[i + 1].arrives,
					at[i].ran - (at[i].jumped < at[i].ran ? at[i].jumped :
										at[i].ran));
		}
	}
}

static void add_edge(struct sums *s, const struct function *f, uint32_t from, uint32_t to,
		     uint64_t count)
{
	if (count)
		pass_add(s->pass, (struct record){RECORD_BRANCH, {f, from}, {f, to}, count, 0, 0});
}

/* Does a block end with an instruction that continues?  A jump within the function right after a
 * conditional one is in its block. */
static bool ends_block(const struct function *f, const struct insn_vec *code,
		       const struct insn_count *at, size_t insn)
{
	if (insn + 1 == code->len)
		return false;
	const struct insn *next = &code->at[insn + 1];
	if (code->at[insn].kind == INSN_CONDITIONAL)
		return next->kind != INSN_JUMP || !insn_stays(f, next) || at[insn + 1].begins;
	return insn_goes_on(code->at[insn]) && at[insn + 1].begins;
}

/* Adds the steps between the blocks of a body. */
static void add_edges(struct sums *s, uint32_t frame, const struct function *f)
{
	const struct insn_vec *code = body_code(s, frame);
	const struct insn_count *at = s->at + s->first[frame];

	for (size_t i = 0; i < code->len; i++) {
		const struct insn *insn = &code->at[i];
		uint32_t to = insn_jumps_to(function_of(s, frame), code, insn);
		if (to != NO_INSN)
			add_edge(s, f, insn->offset, code->at[to].offset, at[i].jumped);
		if (ends_block(function_of(s, frame), code, at, i) && at[i].ran > at[i].jumped)
			add_edge(s, f, insn->offset, code->at[i + 1].offset,
				 at[i].ran - at[i].jumped);
	}
}

static void add_frame(struct sums *s, uint32_t number, uint64_t entered)
{
	const struct pair *pair = s->pass->how->pair;
	const struct inlined_frame *frame = &s->frames->at[number];
	const struct function *f = pair_output_of(pair, function_of(s, number));

	if (frame->caller != ROOT_FRAME) {
		const struct insn *site = &body_code(s, frame->caller)->at[frame->site];
		const struct insn_count *count = &s->at[s->first[frame->caller] + frame->site];
		const struct function *caller = pair_output_of(pair, function_of(s, frame->caller));
		entered = site->kind == INSN_CONDITIONAL ? count->jumped : count->ran;
		if (f && caller && entered)
			add_call(s->pass, caller,
				 (struct known_call){site->offset, frame->function, 0}, entered);
	}
	fill_in(s, number, entered);
	if (f)
		add_edges(s, number, f);
}

/* Gives the functions that were inlined into the current one what their bodies counted there.
 * `entered`: how often each frame that the current one calls was.  False: out of memory. */
static bool restore_bodies(struct pass *pass, const struct inlined_frame_vec *frames,
			   const uint64_t *entered)
{
	struct sums s = {
		.pass = pass, .frames = frames, .first = calloc(frames->len + 1, sizeof(*s.first))};
	const struct binary *binary = pass->binary;
	uint32_t hot = binary->fragment_of[pass->function - binary->functions.at];
	size_t count = 0;

	if (!s.first)
		return false;
	for (uint32_t i = ROOT_FRAME + 1; i < frames->len; i++) {
		s.first[i] = count;
		count += is_sound(&s, i) ? body_code(&s, i)->len : 0;
	}
	s.at = calloc(count + 1, sizeof(*s.at));
	for (uint32_t i = pass->fragments.first[hot]; s.at && i < pass->fragments.first[hot + 1];
	     i++)
		add_fragment(&s, binary_fragment_function(binary, pass->fragments.at[i]));
	for (uint32_t i = ROOT_FRAME + 1; s.at && i < frames->len; i++)
		if (is_sound(&s, i))
			add_frame(&s, i, entered[i]);
	bool ok = s.at;
	free(s.at);
	free(s.first);
	return ok && !pass->out_of_memory;
}

/* ---- calls that are missing at their location ---- */

/* A call or jump of the output that leaves its function, with the location in the input to which it
 * belongs. */
struct kept_call {
	uint32_t place;
	uint32_t target; /* the output's function; NO_TARGET: not known */
};
DEFINE_VEC(kept_vec, struct kept_call);

static bool kept_less(const struct kept_call *a, const struct kept_call *b)
{
	return a->place != b->place ? a->place < b->place : a->target < b->target;
}
DEFINE_SORT(sort_kept, struct kept_call, kept_less)
DEFINE_SEARCH(kept_before, struct kept_call, uint32_t, item->place < key)

static struct kept_call kept_call(const struct pass *pass, const struct bat_fragment *fragment,
				  const struct insn *insn)
{
	struct kept_call kept = {bat_translate(&pass->binary->bat, fragment, insn->offset, true),
				 targets_of(pass->output, insn)};
	struct way_out out;

	if (kept.target != NO_TARGET && !insn_is_call(*insn) &&
	    pair_way_out_of_jump(pass->how->pair, pass->code, fragment, insn->offset, kept.target,
				 &out) == WAY_FOUND)
		kept.place = pass->code->insns->at[out.insn].offset;
	return kept;
}

/* Lists the calls of one fragment.  False: its code was not read, or no memory. */
static bool list_kept(struct pass *pass, uint32_t fragment, struct kept_vec *out)
{
	const struct binary *binary = pass->binary;
	const struct function *f = binary_fragment_function(binary, fragment);
	const struct bat_fragment *table = &binary->bat.fragments[fragment];
	const struct out_function *known = out_function_of(pass->how->out_functions, f);

	if (!known)
		return !f;
	for (size_t i = 0; i < known->insns.len; i++) {
		const struct insn *insn = &known->insns.at[i];
		struct output_place place = {f, table, insn->offset};
		if (insn_leads_out(f, insn) && !inlined_tie_at(pass->how->inlined, place) &&
		    !kept_vec_push(out, kept_call(pass, table, insn))) {
			pass->out_of_memory = true;
			return false;
		}
	}
	return true;
}

/* Lists the calls of all fragments of the current function. */
static bool list_all_kept(struct pass *pass, struct kept_vec *out)
{
	const struct binary *binary = pass->binary;
	uint32_t hot = binary->fragment_of[pass->function - binary->functions.at];

	for (uint32_t i = pass->fragments.first[hot]; i < pass->fragments.first[hot + 1]; i++)
		if (!list_kept(pass, pass->fragments.at[i], out))
			return false;
	sort_kept(out->at, out->len);
	return true;
}

static bool is_plt_entry(const struct pass *pass, uint32_t output)
{
	return pass->binary->functions.at[output].kind == FUNCTION_PLT;
}

/* Does the output call this function at a location, or one whose beginning is not known (a stub),
 * or for one PLT entry another?  For several entries that lead to the same function, such as two
 * destructors at one address, llvm-bolt takes one. */
static bool is_kept(const struct pass *pass, const struct kept_vec *kept, uint32_t place,
		    uint32_t body)
{
	bool plt = body != NO_FUNCTION && is_plt_entry(pass, body);

	for (size_t i = kept_before(kept->at, kept->len, place);
	     i < kept->len && kept->at[i].place == place; i++) {
		uint32_t target = kept->at[i].target;
		if (target == body || target == NO_TARGET || (plt && is_plt_entry(pass, target)))
			return true;
	}
	return false;
}

/* Does the output call this very function at a location? */
static bool is_kept_there(const struct kept_vec *kept, uint32_t place, uint32_t body)
{
	size_t i = kept_before(kept->at, kept->len, place);

	while (i < kept->len && kept->at[i].place == place && kept->at[i].target != body)
		i++;
	return i < kept->len && kept->at[i].place == place;
}

/* A call of the input that the output does not have at its location. */
struct site {
	uint32_t block, place;
	uint32_t callee; /* the input's function */
	uint64_t count;
	uint32_t frame; /* of its body in the output; 0: not found */
	bool moved; /* the output has it, at the beginning of the block: the table does not show its
		       location.  Else it was inlined */
};
DEFINE_VEC(site_vec, struct site);

/* The frame of what the function at hand calls by an instruction, if its body is known in the
 * output; else 0. */
static uint32_t frame_at(const struct pass *pass, uint32_t insn)
{
	const struct inlined_code *code = inlined_code_of(pass->how->inlined, pass->function);

	for (uint32_t i = ROOT_FRAME + 1; code && i < code->frames->len; i++)
		if (code->frames->at[i].caller == ROOT_FRAME && code->frames->at[i].site == insn)
			return code->frames->at[i].broken ? 0 : i;
	return 0;
}

static bool list_sites(struct pass *pass, const struct flows *flows, const struct kept_vec *kept,
		       struct site_vec *out)
{
	const struct pair *pair = pass->how->pair;
	const struct code *code = pass->code;

	for (uint32_t b = 0; b < code->count; b++) {
		bool ran = flows->in[b] || flows->out[b];
		for (uint32_t i = code_first(code, b); ran && i < code_end(code, b); i++) {
			const struct insn *insn = &code->insns->at[i];
			uint32_t callee = targets_beyond(pass->input, code->input, insn);
			if (callee == NO_TARGET || pair->output_of[callee] == NO_FUNCTION)
				continue;
			uint32_t frame = frame_at(pass, i);
			if (!frame && is_kept(pass, kept, insn->offset, pair->body_of[callee]))
				continue;
			bool moved = !frame && is_kept_there(kept, code_start(code, b),
							     pair->body_of[callee]);
			struct site site = {b, insn->offset, callee, flows->in[b], frame, moved};
			if (insn->kind == INSN_CONDITIONAL) /* it went there if it did not continue
			*/
				site.count -= flows->on[b] < site.count ? flows->on[b] : site.count;
			bool called = site.count || site.moved || insn->kind != INSN_CONDITIONAL;
			if (called && !site_vec_push(out, site))
				return false;
		}
	}
	return true;
}

/* Notes what copies of a function counted. */
static void note_copied(struct pass *pass, struct body_count_vec *counts, uint32_t function,
			uint32_t place, uint64_t count)
{
	if (!body_count_vec_push(counts, (struct body_count){function, place, count}))
		pass->out_of_memory = true;
}

static void add_site(struct pass *pass, const struct site *site)
{
	add_call(pass, pass->function, (struct known_call){site->place, site->callee, 0},
		 site->count);
	if (!site->frame)
		note_copied(pass, &pass->copied_runs, site->callee, 0, site->count);
}

/* One call on the way from an inlined function to a function that is called out of it. */
struct link {
	uint32_t function; /* the input's, which calls the next one */
	uint32_t place;
	uint32_t before; /* the number of the link that leads here, or itself */
};

#define LINKS_MOST   3
#define REACHED_MOST 32

struct chain {
	struct link at[REACHED_MOST];
	uint32_t count;
};

static uint32_t depth(const struct chain *chain, uint32_t link)
{
	uint32_t steps = 1;

	for (; link; link = chain->at[link].before)
		steps++;
	return steps;
}

static bool reached(const struct chain *chain, uint32_t function)
{
	for (uint32_t i = 0; i < chain->count; i++)
		if (chain->at[i].function == function)
			return true;
	return false;
}

/* Searches the calls of one function.  True: the one at `*place` calls the function that is wanted.
 */
static bool look_at(struct pass *pass, struct chain *chain, uint32_t link, uint32_t wanted,
		    uint32_t *place)
{
	struct known_calls *calls = pass->calls;
	uint32_t function = chain->at[link].function;

	if (!known_calls_read(calls, function)) {
		pass->out_of_memory = true;
		return false;
	}
	for (uint32_t i = calls->begin[function];
	     i < calls->end[function] && known_calls_spend(calls, 1); i++) {
		uint32_t callee = calls->at.at[i].callee;
		if (calls->at.at[i].to)
			continue;
		if (pass->how->pair->body_of[callee] == wanted) {
			*place = calls->at.at[i].place;
			return true;
		}
		if (chain->count < REACHED_MOST && depth(chain, link) < LINKS_MOST &&
		    !reached(chain, callee))
			chain->at[chain->count++] =
				(struct link){callee, calls->at.at[i].place, link};
	}
	return false;
}

/* Finds the links from a function to the body of another: returns the last one, or NO_LINK. */
#define NO_LINK UINT32_MAX
static uint32_t find_chain(struct pass *pass, uint32_t from, uint32_t wanted, struct chain *chain,
			   uint32_t *place)
{
	chain->at[0] = (struct link){from, 0, 0};
	chain->count = 1;
	for (uint32_t i = 0; i < chain->count; i++)
		if (look_at(pass, chain, i, wanted, place))
			return i;
	return NO_LINK;
}

/* Does the input call the target of a record at its location? */
static bool is_own_call(const struct pass *pass, const struct record *record)
{
	uint32_t number = insns_at(pass->code->insns, record->from.offset);

	if (number == NO_INSN)
		return false;
	const struct insn *insn = &pass->code->insns->at[number];
	uint32_t callee = targets_beyond(pass->input, pass->code->input, insn);
	bool known = callee != NO_TARGET && pass->how->pair->output_of[callee] != NO_FUNCTION;
	bool indirect =
		callee == NO_TARGET && (insn_is_call(*insn) || insn->kind == INSN_JUMP_INDIRECT);
	return indirect || (known && named(pass, callee) == record->to.function);
}

static void add_chain(struct pass *pass, const struct chain *chain, uint32_t last, uint32_t place,
		      struct record record)
{
	for (uint32_t i = last; i; i = chain->at[i].before) {
		const struct link *link = &chain->at[i];
		struct record step = record;
		note_copied(pass, &pass->copied_calls, chain->at[link->before].function,
			    link->place, record.count);
		note_copied(pass, &pass->copied_runs, link->function, 0, record.count);
		if (pass->how->pair->output_of[link->function] == NO_FUNCTION)
			continue;
		step.from = (struct input_place){named(pass, chain->at[link->before].function),
						 link->place};
		step.to = (struct input_place){named(pass, link->function), 0};
		pass_add(pass, step);
	}
	note_copied(pass, &pass->copied_calls, chain->at[last].function, place, record.count);
	record.from = (struct input_place){named(pass, chain->at[last].function), place};
	record.unsited = 0;
	pass_add(pass, record);
}

DEFINE_SEARCH(sites_before, struct site, uint32_t, item->place < key)

/* The sites that a call can be out of: those of its block that are not in front of it.  For a call
 * that the table has no entry of, that is the nearest one before it: the beginning of its block, or
 * a call in it. */
static struct site *sites_at(const struct pass *pass, const struct site_vec *sites, uint32_t offset,
			     size_t *count)
{
	size_t first = sites_before(sites->at, sites->len, offset), end = first;
	uint32_t block = code_block_at(pass->code, offset);

	while (end < sites->len && sites->at[end].block == block)
		end++;
	*count = end - first;
	return sites->at + first;
}

/* Gives a call to the location of the input's own, which the output has without it. */
static bool move_own(struct pass *pass, const struct site *near, size_t count, struct record record)
{
	for (size_t i = 0; i < count; i++)
		if (near[i].moved && named(pass, near[i].callee) == record.to.function) {
			record.from.offset = near[i].place;
			record.unsited = 0;
			pass_add(pass, record);
			return true;
		}
	return false;
}

/* Moves a call out of the bodies that were inlined at some sites: each calls no more often than it
 * ran, but the last one. */
static bool move_out(struct pass *pass, struct site *near, size_t count, struct record record)
{
	uint32_t wanted = pair_body(pass->how->pair, record.to.function), last = NO_LINK, place = 0,
		 found_place = 0;
	struct site *from = NULL;
	struct chain chain, found;

	for (size_t i = 0; i < count && record.count && known_calls_spend(pass->calls, 1); i++) {
		uint32_t link =
			near[i].moved || near[i].frame ?
				NO_LINK :
				find_chain(pass, near[i].callee, wanted, &found, &found_place);
		if (link == NO_LINK ||
		    pass->how->pair->output_of[found.at[link].function] == NO_FUNCTION)
			continue;
		if (from) {
			struct record part = record;
			part.count = from->count < record.count ? from->count : record.count;
			from->count -= part.count;
			add_chain(pass, &chain, last, place, part);
			record.count -= part.count;
			record.mispredicted = 0;
		}
		from = &near[i];
		chain = found;
		last = link;
		place = found_place;
	}
	if (from && record.count) {
		from->count -= from->count < record.count ? from->count : record.count;
		add_chain(pass, &chain, last, place, record);
	}
	return from;
}

/* Moves a call that the input does not have at its location. */
static bool move_call(struct pass *pass, const struct site_vec *sites, const struct record *record)
{
	size_t count;

	if (record->kind != RECORD_BRANCH || record_is_internal(record) || !record->to.function ||
	    record->to.offset || is_own_call(pass, record))
		return false;
	struct site *near = sites_at(pass, sites, record->from.offset, &count);
	if (move_own(pass, near, count, *record))
		return true;
	if (move_out(pass, near, count, *record)) {
		pass_count(pass, RESTORE_INLINED, record->count);
		return true;
	}
	if (count)
		pass_count_guarded(pass, GUARD_INLINED, record->count);
	return false;
}

/* Adds what the bodies that are known counted. */
static bool add_bodies(struct pass *pass, const struct site_vec *sites)
{
	const struct inlined_code *code = inlined_code_of(pass->how->inlined, pass->function);
	uint64_t *entered = code ? calloc(code->frames->len, sizeof(*entered)) : NULL;

	if (!code || !entered)
		return !code;
	for (size_t i = 0; i < sites->len; i++)
		entered[sites->at[i].frame] += sites->at[i].count;
	bool ok = restore_bodies(pass, code->frames, entered);
	free(entered);
	return ok;
}

bool inlined_restore(struct pass *pass, struct flows *flows, bool *replaced)
{
	struct kept_vec kept = {0};
	struct site_vec sites = {0};

	bool ok = !list_all_kept(pass, &kept) || list_sites(pass, flows, &kept, &sites);
	for (size_t i = 0; ok && i < sites.len; i++)
		if (!sites.at[i].moved)
			add_site(pass, &sites.at[i]);
	ok = ok && add_bodies(pass, &sites);
	for (size_t i = pass->begin; ok && sites.len && i < pass->end; i++) {
		struct record record = pass_record(pass, i);
		replaced[i - pass->begin] = move_call(pass, &sites, &record);
	}
	kept_vec_free(&kept);
	site_vec_free(&sites);
	return ok && !pass->out_of_memory;
}

/* ---- calls within bodies ---- */

/*
 * Calls within inlined bodies.  Where llvm-bolt inlined a function, a copy of it ran, and what the
 * function calls was mostly inlined in turn: no code of the output has these calls.  A function
 * calls what all paths through its code call as often as its copies ran; so do the functions that
 * it calls, and callers come before what they call.  Recursion ends where it leads back.
 */

static bool count_less(const struct body_count *a, const struct body_count *b)
{
	return a->function != b->function ? a->function < b->function : a->place < b->place;
}
DEFINE_SORT(sort_counts, struct body_count, count_less)
DEFINE_SEARCH(counts_before, struct body_count, struct body_count, count_less(item, &key))

/* A function whose copies ran, or one that such a function always calls. */
struct body {
	uint32_t function;         /* the input's */
	uint32_t first, next, end; /* its calls, of nest.calls; `next` is the one to follow next */
	uint32_t order; /* callers have larger numbers than what they call; 0: not known yet */
	uint64_t runs;  /* of its copies */
};
DEFINE_VEC(body_vec, struct body);
DEFINE_VEC(number_vec, uint32_t);

struct nest {
	struct pass *pass;
	struct body_vec bodies;
	struct number_vec order; /* bodies, what is called first */
	struct known_call_vec calls;
	uint32_t *body_of; /* per function of the input: its body + 1; 0: none */
};

/* Adds the body of a function, if it is new; sets *out to its number.  Returns false when out of
 * memory. */
static bool find_body(struct nest *nest, uint32_t function, uint32_t *out, bool *is_new)
{
	*is_new = !nest->body_of[function];
	if (*is_new) {
		struct body body = {.function = function, .first = (uint32_t)nest->calls.len};
		if (!known_calls_always(nest->pass->calls, function, &nest->calls))
			return false;
		body.next = body.first;
		body.end = (uint32_t)nest->calls.len;
		if (!body_vec_push(&nest->bodies, body))
			return false;
		nest->body_of[function] = (uint32_t)nest->bodies.len;
	}
	*out = nest->body_of[function] - 1;
	return true;
}

/* Follows the calls of a function, in depth, so that each one comes into order after all that it
 * calls. */
static bool follow(struct nest *nest, uint32_t function, struct number_vec *open)
{
	uint32_t number;
	bool is_new;

	if (!find_body(nest, function, &number, &is_new))
		return false;
	if (is_new && !number_vec_push(open, number))
		return false;
	while (open->len) {
		struct body *body = &nest->bodies.at[open->at[open->len - 1]];
		if (body->next == body->end) {
			if (!number_vec_push(&nest->order, open->at[--open->len]))
				return false;
			body->order = (uint32_t)nest->order.len;
			continue;
		}
		uint32_t callee = nest->calls.at[body->next++].callee;
		if (!find_body(nest, callee, &number, &is_new) ||
		    (is_new && !number_vec_push(open, number)))
			return false;
	}
	return true;
}

static uint64_t known_count(const struct body_count_vec *counts, uint32_t function, uint32_t place)
{
	struct body_count key = {function, place, 0};
	uint64_t sum = 0;

	for (size_t i = counts_before(counts->at, counts->len, key);
	     i < counts->len && !count_less(&key, &counts->at[i]); i++)
		sum = count_add_saturating(sum, counts->at[i].count);
	return sum;
}

/* Gives a function's runs to its calls. */
static void pass_on(struct nest *nest, const struct body *body)
{
	struct pass *pass = nest->pass;
	const struct pair *pair = pass->how->pair;
	const struct function *caller = pair_output_of(pair, &pair->functions.at[body->function]);

	for (uint32_t i = body->first; i < body->end; i++) {
		struct known_call call = nest->calls.at[i];
		struct body *callee = &nest->bodies.at[nest->body_of[call.callee] - 1];
		uint64_t known = known_count(&pass->copied_calls, body->function, call.place);
		if (body->runs <= known)
			continue;
		uint64_t count = body->runs - known;
		if (caller && pair->output_of[call.callee] != NO_FUNCTION)
			add_call(pass, caller, call, count);
		if (!call.to && callee->order < body->order)
			callee->runs = count_add_saturating(callee->runs, count);
	}
}

bool inlined_restore_nested(struct pass *pass)
{
	const struct body_count_vec *runs = &pass->copied_runs;
	struct nest nest = {
		.pass = pass,
		.body_of = calloc(pass->how->pair->functions.count + 1, sizeof(*nest.body_of))};
	struct number_vec open = {0};
	bool ok = nest.body_of;

	sort_counts(runs->at, runs->len);
	sort_counts(pass->copied_calls.at, pass->copied_calls.len);
	for (size_t i = 0; ok && i < runs->len; i++) {
		ok = follow(&nest, runs->at[i].function, &open);
		if (ok) {
			struct body *body = &nest.bodies.at[nest.body_of[runs->at[i].function] - 1];
			body->runs = count_add_saturating(body->runs, runs->at[i].count);
		}
	}
	for (size_t i = nest.order.len; ok && i; i--)
		pass_on(&nest, &nest.bodies.at[nest.order.at[i - 1]]);
	body_vec_free(&nest.bodies);
	number_vec_free(&nest.order);
	number_vec_free(&open);
	known_call_vec_free(&nest.calls);
	free(nest.body_of);
	return ok && !pass->out_of_memory;
}
