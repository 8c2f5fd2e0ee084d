/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/walker.h"

#include <assert.h>
#include <stdlib.h>

/* Blocks that a thread keeps; with more it begins again. */
#define BLOCKS_MOST ((size_t)1 << 22)

/* Mappings that are looked at first. */
#define PLACES 8

#define KERNEL_BIT (UINT64_C(1) << 63)

/* A mapping, and its code. */
struct place {
	uint64_t start, size;       /* size 0: none */
	uint64_t base;              /* run-time address - vaddr */
	struct walk_blocks *blocks; /* NULL: for `loss` */
	enum walk_loss loss;
	uint32_t file;
	uint32_t number; /* of the image, of code */
};

DEFINE_VEC(blocks_vec, struct walk_blocks *);

/* A block of a location. */
struct stand {
	const struct place *place;
	uint32_t block;
};

struct walker {
	struct code_images *images;
	struct decoder decoders[2]; /* of x86-64; of AArch64 */
	struct blocks_vec blocks;   /* by the number of the image; NULL: none yet */
	size_t block_count;
	struct count_cache cache;
	struct walk_sums sums;
	struct count_table files;
	struct count_table mismatched; /* key {1 + the number of the image} */
	bool no_memory;

	/* For the present step: */
	const struct walk_step *step;
	struct counts *counts; /* what is in the cache belongs there */
	struct walk_way *way;
	struct place places[PLACES];
	unsigned next_place;
	struct stand here; /* way->state is WAY_INSIDE */
	unsigned straight; /* blocks since the last branch outcome */
};

/* ---- counting ---- */

static bool make_room(struct walker *w)
{
	while (!count_cache_has_room(&w->cache, 1))
		if (count_cache_is_full(&w->cache, 1) ? !counts_take(w->counts, &w->cache) :
							!count_cache_grow(&w->cache))
			return false;
	return true;
}

static inline void count_line(struct walker *w, uint64_t end)
{
	const struct walk_way *way = w->way;
	const uint64_t key[COUNT_KEY_WORDS] = {way->to, way->branch, end};

	if (!count_cache_has_room(&w->cache, 1) && !make_room(w)) {
		w->no_memory = true;
		return;
	}
	count_cache_add(&w->cache, key, way->is_return);
}

/* A taken branch ends the line, and begins the next one. */
static inline void take_branch(struct walker *w, uint64_t branch, uint64_t to, bool is_return)
{
	struct walk_way *way = w->way;

	if (way->has_line)
		count_line(w, branch);
	way->has_line = true;
	way->branch = branch;
	way->to = to;
	way->is_return = is_return;
}

/* Nobody knows where the line ended.  Its branch was taken all the same. */
static void cut_line(struct walker *w)
{
	if (w->way->has_line && w->way->branch)
		count_line(w, 0);
	w->way->has_line = false;
}

/* ---- losing the way ---- */

static void forget_calls(struct walker *w)
{
	w->step->calls->count = 0;
}

static void lose(struct walker *w, enum walk_loss loss, uint32_t file, uint64_t at)
{
	struct walk_way *way = w->way;

	cut_line(w);
	forget_calls(w);
	way->state = WAY_LOST;
	way->loss = (uint8_t)loss;
	way->file = file;
	way->at = at;
	way->code = 0;
}

/* So much of the executed code does not fit the code of an image. */
static void note_unfit(struct walker *w, uint32_t code, uint64_t count)
{
	const uint64_t key[COUNT_KEY_WORDS] = {code};

	if (code && count && !count_table_add(&w->mismatched, key, count, 0))
		w->no_memory = true;
}

/* The way is lost as the code that it is in does not fit. */
static void lose_by_code(struct walker *w, enum walk_loss loss, uint64_t mismatched)
{
	const struct place *place = w->here.place;

	lose(w, loss, place ? place->file : 0, 0);
	w->way->code = place ? place->number + 1 : 0;
	note_unfit(w, w->way->code, mismatched);
}

static void contradict(struct walker *w)
{
	w->sums.mismatches++;
	lose_by_code(w, LOSS_CONTRADICTION, 0);
}

/* ... but the trace says where it is. */
static void doubt(struct walker *w)
{
	w->sums.mismatches++;
	note_unfit(w, w->here.place->number + 1, 1);
}

/* So many branch outcomes are of no use. */
static void waste(struct walker *w, uint64_t count)
{
	enum walk_loss loss = w->way->state == WAY_OUTSIDE ? LOSS_KERNEL : w->way->loss;
	const uint64_t key[COUNT_KEY_WORDS] = {w->way->file, loss};

	w->sums.lost[loss] += count;
	if (w->way->state == WAY_LOST && w->way->file && count &&
	    !count_table_add(&w->files, key, count, 0))
		w->no_memory = true;
	if (w->way->state == WAY_LOST)
		note_unfit(w, w->way->code, count);
}

/* ---- finding code ---- */

static enum machine machine_of(const struct walker *w)
{
	return w->step->rules == FLOW_PT ? MACHINE_X86_64 : MACHINE_AARCH64;
}

/* NULL: out of memory */
static struct walk_blocks *blocks_of(struct walker *w, const struct mapped_code *code)
{
	while (w->blocks.len <= code->number)
		if (!blocks_vec_push(&w->blocks, NULL))
			return NULL;
	struct walk_blocks **slot = &w->blocks.at[code->number];
	if (!*slot && (*slot = calloc(1, sizeof(**slot)))) {
		(*slot)->image = code->image;
		(*slot)->decoder = &w->decoders[code->image->machine != MACHINE_X86_64];
	}
	return *slot;
}

static struct place make_place(struct walker *w, uint64_t at)
{
	const struct mapping *mapping = w->step->maps ? map_set_find(w->step->maps, at) : NULL;
	struct place place = {
		.start = at, .size = 1, .loss = at & KERNEL_BIT ? LOSS_KERNEL : LOSS_NO_MAPPING};

	if (w->step->no_process)
		place.loss = LOSS_NO_PROCESS;
	if (!mapping || !mapping->file)
		return place;
	struct mapped_code code = code_images_find(w->images, mapping, machine_of(w));
	place = (struct place){mapping->start, mapping->end - mapping->start,
			       code.base,      NULL,
			       code.loss,      mapping->file,
			       code.number};
	if (code.loss == LOSS_NONE && !(place.blocks = blocks_of(w, &code))) {
		place.loss = LOSS_NO_FILE;
		w->no_memory = true;
	}
	return place;
}

/* Stays until another one is found.  That of `here`, and `keep`, stay, too. */
static const struct place *find_place(struct walker *w, uint64_t at, const struct place *keep)
{
	for (unsigned i = 0; i < PLACES; i++)
		if (at - w->places[i].start < w->places[i].size)
			return &w->places[i];
	struct place *slot;
	do
		slot = &w->places[w->next_place++ % PLACES];
	while (slot == w->here.place || slot == keep);
	*slot = make_place(w, at);
	return slot;
}

/* A block of a location that has code. */
static bool find_block(struct walker *w, const struct place *place, uint64_t at, struct stand *out)
{
	size_t before = place->blocks->all.len;

	out->place = place;
	if (!walk_blocks_at(place->blocks, at - place->base, &out->block)) {
		w->no_memory = true;
		return false;
	}
	w->block_count += place->blocks->all.len - before;
	return true;
}

static inline struct walk_block *block_of(struct stand stand)
{
	return &stand.place->blocks->all.at[stand.block];
}

static inline uint64_t start_of(struct stand stand)
{
	return stand.place->base + block_of(stand)->start;
}

/* The address of what is at the end of a block. */
static inline uint64_t end_at(struct stand stand)
{
	const struct walk_block *block = block_of(stand);

	return stand.place->base + block->start + block->length;
}

static inline uint64_t behind(struct stand stand)
{
	return stand.place->base + walk_block_next(block_of(stand));
}

static inline uint64_t target_of(struct stand stand)
{
	return stand.place->base + block_of(stand)->target;
}

static inline bool is_in(const struct place *place, uint64_t at)
{
	return at - place->start < place->size;
}

/* The position at an address; false: there is no code.  next: 1 + the number of the block, kept
 * where the way came from; 0: not known. */
static bool stand_at(struct walker *w, struct stand from, bool taken, uint64_t at,
		     struct stand *out)
{
	const struct walk_block *block = block_of(from);
	uint32_t next = taken ? block->taken : block->through;

	if (next && is_in(from.place, at)) {
		*out = (struct stand){from.place, next - 1};
		return true;
	}
	const struct place *place =
		is_in(from.place, at) ? from.place : find_place(w, at, from.place);
	if (!place->blocks || !find_block(w, place, at, out))
		return false;
	if (place == from.place) {
		struct walk_block *source = block_of(from); /* that may have moved */
		*(taken ? &source->taken : &source->through) = out->block + 1;
	}
	return true;
}

/* The walk is at this address from now on, or loses its way there. */
static bool enter(struct walker *w, uint64_t at)
{
	const struct place *place = find_place(w, at, NULL);

	if (place->blocks && find_block(w, place, at, &w->here)) {
		w->way->state = WAY_INSIDE;
		return true;
	}
	lose(w, place->blocks ? LOSS_NO_FILE : place->loss, place->file, at);
	return false;
}

/* A fall-through begins in the middle, or after a branch from memory whose code is not known. */
static bool begin(struct walker *w, uint64_t at, uint64_t from)
{
	struct walk_way *way = w->way;

	cut_line(w);
	if (!enter(w, at))
		return false;
	way->has_line = true;
	way->branch = from;
	way->to = at;
	way->is_return = false;
	return true;
}

/* ---- steps ---- */

static bool asks_nothing(const struct walker *w, enum block_end end)
{
	bool is_pt = w->step->rules == FLOW_PT;

	switch (end) {
	case ENDS_JUMP:
	case ENDS_CALL: return is_pt;
	case ENDS_CUT: return true;
	case ENDS_SYNC: return is_pt;
	case ENDS_WAIT: return is_pt || !w->step->waits_ask;
	case ENDS_SYSTEM: return !is_pt;
	case ENDS_CONDITIONAL:
	case ENDS_JUMP_INDIRECT:
	case ENDS_CALL_INDIRECT:
	case ENDS_RETURN:
	case ENDS_NEVER: break;
	}
	return false;
}

/* The next block of a way that asks nothing; false: there is none. */
static bool look_on(struct walker *w, struct stand *stand, unsigned *steps)
{
	const struct walk_block *block = block_of(*stand);
	struct stand from = *stand;

	if (!asks_nothing(w, (enum block_end)block->end) || ++*steps > WALK_STRAIGHT_MOST ||
	    --w->step->calls->credit <= 0)
		return false;
	bool taken = block->end == ENDS_JUMP || block->end == ENDS_CALL;
	return stand_at(w, from, taken, taken ? target_of(from) : behind(from), stand);
}

/* Does the path come to a branch that needs an outcome, or out of code that is known, before there
 * are too many blocks?
 */
static bool leads_on(struct walker *w)
{
	struct stand stand = w->here;
	unsigned steps = w->straight;

	while (look_on(w, &stand, &steps))
		;
	return steps <= WALK_STRAIGHT_MOST && w->step->calls->credit > 0;
}

static bool run_in_circle(struct walker *w)
{
	w->sums.loops++;
	lose_by_code(w, LOSS_CIRCLE, w->straight);
	return false;
}

/* Another block without a branch outcome; false: there were too many, or there will be. */
static inline bool may_step(struct walker *w)
{
	if (++w->straight == WALK_STRAIGHT_LOOK && !leads_on(w))
		return run_in_circle(w);
	if (w->straight <= WALK_STRAIGHT_MOST && --w->step->calls->credit > 0)
		return true;
	return run_in_circle(w);
}

static inline void note_answer(struct walker *w)
{
	w->sums.walked++;
	if (w->here.place) /* not after a branch of the step before */
		w->here.place->blocks->answered++;
	w->straight = 0;
	w->step->calls->credit += WALK_BLOCKS_AN_ANSWER;
}

static inline void push_call(struct walker *w, unsigned most, uint64_t back)
{
	struct walk_calls *calls = w->step->calls;

	calls->at[calls->top] = back;
	calls->top = (uint8_t)((calls->top + 1u) % WALK_CALLS);
	if (calls->count < most)
		calls->count++;
}

static inline bool pop_call(struct walker *w, uint64_t *back)
{
	struct walk_calls *calls = w->step->calls;

	if (!calls->count)
		return false;
	calls->count--;
	calls->top = (uint8_t)((calls->top + WALK_CALLS - 1u) % WALK_CALLS);
	*back = calls->at[calls->top];
	return true;
}

/* On to the block after, on the same line. */
static inline bool go_through(struct walker *w)
{
	struct stand here = w->here;
	uint32_t next = block_of(here)->through;
	uint64_t at = behind(here);

	if (next && is_in(here.place, at)) {
		w->here.block = next - 1;
		return true;
	}
	if (stand_at(w, here, false, at, &w->here))
		return true;
	return enter(w, at);
}

/* Along a branch that shows its target. */
static inline bool follow(struct walker *w)
{
	struct stand here = w->here;
	const struct walk_block *block = block_of(here);
	uint64_t to = here.place->base + block->target;

	take_branch(w, end_at(here), to, false);
	if (block->taken && is_in(here.place, to)) {
		w->here.block = block->taken - 1;
		return true;
	}
	if (stand_at(w, here, true, to, &w->here))
		return true;
	return enter(w, to);
}

/* Along one that does not. */
static inline bool arrive(struct walker *w, uint64_t to, bool is_return)
{
	struct stand here = w->here;
	struct walk_block *block = block_of(here);

	take_branch(w, end_at(here), to, is_return);
	if (block->taken && to - here.place->base == block->target && is_in(here.place, to)) {
		w->here.block = block->taken - 1;
		return true;
	}
	if (!enter(w, to))
		return false;
	if (w->here.place == here.place) {
		block = block_of(here);
		block->target = to - here.place->base;
		block->taken = w->here.block + 1;
	}
	return true;
}

static inline bool is_call_to_next(const struct walk_block *block)
{
	return block->target == walk_block_next(block);
}

/* Over what asks nothing of Intel PT.  False: a branch needs an outcome, or the path is lost. */
static inline bool pass_pt(struct walker *w)
{
	const struct walk_block *block = block_of(w->here);

	switch ((enum block_end)block->end) {
	case ENDS_JUMP: return may_step(w) && follow(w);
	case ENDS_CALL:
		if (!may_step(w))
			return false;
		if (!is_call_to_next(block))
			push_call(w, WALK_CALLS, behind(w->here));
		return follow(w);
	case ENDS_CUT:
	case ENDS_SYNC:
	case ENDS_WAIT: return may_step(w) && go_through(w);
	case ENDS_CONDITIONAL:
	case ENDS_JUMP_INDIRECT:
	case ENDS_CALL_INDIRECT:
	case ENDS_RETURN:
	case ENDS_SYSTEM:
	case ENDS_NEVER: break;
	}
	return false;
}

/* For Arm ETM. */
static inline bool pass_etm(struct walker *w)
{
	switch ((enum block_end)block_of(w->here)->end) {
	case ENDS_WAIT:
		if (w->step->waits_ask)
			return false;
		break;
	case ENDS_CUT:
	case ENDS_SYSTEM: break;
	case ENDS_JUMP:
	case ENDS_CALL:
	case ENDS_SYNC:
	case ENDS_CONDITIONAL:
	case ENDS_JUMP_INDIRECT:
	case ENDS_CALL_INDIRECT:
	case ENDS_RETURN:
	case ENDS_NEVER: return false;
	}
	return may_step(w) && go_through(w);
}

/* ---- Intel PT: bits and targets ---- */

/* The branch outcomes of a step that come. */
struct cursor {
	const struct flow_answer *at, *end;
	size_t used; /* targets that come, and were needed before the bits in front of them ended */
};

/* The target of an indirect branch among bits comes after them; the bits of one packet can be in
 * two branch outcomes. */
static bool take_deferred(struct cursor *c, uint64_t *target)
{
	const struct flow_answer *at = c->at + 1;

	if (at < c->end && at->kind == FLOW_BITS)
		at++;
	if ((size_t)(c->end - at) <= c->used || at[c->used].kind != FLOW_TARGET)
		return false;
	*target = at[c->used++].value;
	return true;
}

static bool indirect_among_bits(struct walker *w, struct cursor *c)
{
	bool calls = block_of(w->here)->end == ENDS_CALL_INDIRECT;
	uint64_t to;

	if (!take_deferred(c, &to)) {
		contradict(w);
		return false;
	}
	note_answer(w);
	if (calls)
		push_call(w, WALK_CALLS, behind(w->here));
	return arrive(w, to, false);
}

static bool return_by_bit(struct walker *w, bool bit)
{
	uint64_t back;

	if (!bit || !pop_call(w, &back)) {
		contradict(w);
		return false;
	}
	note_answer(w);
	return arrive(w, back, true);
}

static void take_bits_pt(struct walker *w, struct cursor *c)
{
	uint64_t bits = c->at->value;
	unsigned left = c->at->count;

	while (left) {
		bool ok;
		switch ((enum block_end)block_of(w->here)->end) {
		case ENDS_CONDITIONAL:
			note_answer(w);
			ok = bits & 1 ? follow(w) : go_through(w);
			bits >>= 1;
			left--;
			break;
		case ENDS_RETURN:
			ok = return_by_bit(w, bits & 1);
			left -= ok || w->way->loss != LOSS_CONTRADICTION;
			bits >>= 1;
			break;
		case ENDS_JUMP_INDIRECT:
		case ENDS_CALL_INDIRECT: ok = indirect_among_bits(w, c); break;
		case ENDS_JUMP:
		case ENDS_CALL:
		case ENDS_CUT:
		case ENDS_SYNC:
		case ENDS_WAIT: ok = pass_pt(w); break;
		case ENDS_SYSTEM:
		case ENDS_NEVER:
		default:
			contradict(w);
			ok = false;
			break;
		}
		if (!ok && w->way->state == WAY_LOST)
			break;
	}
	if (left)
		waste(w, left);
}

/* The state is not WAY_INSIDE: the address begins something new. */
static void resume(struct walker *w, uint64_t at)
{
	struct walk_way *way = w->way;
	bool was_in_memory = way->state == WAY_LOST && way->at;

	if (at & KERNEL_BIT) {
		if (way->state != WAY_OUTSIDE)
			lose(w, LOSS_KERNEL, 0, at);
		waste(w, 1);
		return;
	}
	if (way->state == WAY_OUTSIDE && way->at == at && way->has_line)
		enter(w, at);
	else
		begin(w, at, was_in_memory ? way->at : 0);
	if (way->state == WAY_INSIDE)
		w->sums.walked++;
	else
		waste(w, 1);
}

/* An address that is no branch's outcome in the code: the path begins there, for whatever it is. */
static void begin_anew(struct walker *w, uint64_t at)
{
	waste(w, 1);
	if (at & KERNEL_BIT)
		lose(w, LOSS_KERNEL, 0, at);
	else
		begin(w, at, 0);
}

static void take_target_pt(struct walker *w, uint64_t to)
{
	uint64_t back;

	if (w->way->state != WAY_INSIDE) {
		resume(w, to);
		return;
	}
	while (pass_pt(w))
		;
	if (w->way->state != WAY_INSIDE && w->way->loss == LOSS_CIRCLE) {
		begin_anew(w, to);
		return;
	}
	if (w->way->state != WAY_INSIDE) {
		resume(w, to);
		return;
	}
	switch ((enum block_end)block_of(w->here)->end) {
	case ENDS_RETURN:
		pop_call(w, &back); /* the processor forgets it, too */
		note_answer(w);
		arrive(w, to, true);
		return;
	case ENDS_CALL_INDIRECT:
		push_call(w, WALK_CALLS, behind(w->here));
		note_answer(w);
		arrive(w, to, false);
		return;
	case ENDS_JUMP_INDIRECT:
		note_answer(w);
		arrive(w, to, false);
		return;
	case ENDS_SYSTEM: /* the kernel is traced, too: what comes from there is reported in the
			     same way */
		w->way->at = behind(w->here);
		w->way->state = WAY_OUTSIDE;
		resume(w, to);
		return;
	default: contradict(w); begin_anew(w, to);
	}
}

/* ---- Arm ETM: bits and targets ---- */

static void stand_behind(struct walker *w)
{
	struct walk_way *way = w->way;
	bool is_return = block_of(w->here)->end == ENDS_RETURN;

	take_branch(w, end_at(w->here), 0, is_return);
	way->state = WAY_BEHIND;
	way->has_line = false; /* it has no beginning yet */
}

/* Where the branch led to. */
static bool arrive_behind(struct walker *w, uint64_t to)
{
	w->way->has_line = true;
	w->way->to = to;
	return enter(w, to);
}

/* The processor did not show where the branch led: to where the last call came from. */
static bool arrive_by_call(struct walker *w)
{
	uint64_t back;

	if (w->step->rules != FLOW_ETM_RETURNS || !pop_call(w, &back)) {
		contradict(w);
		return false;
	}
	return arrive_behind(w, back);
}

/* One bit, at a block that asks. */
static bool take_bit_etm(struct walker *w, bool taken)
{
	enum block_end end = block_of(w->here)->end;

	if (!taken && end != ENDS_CONDITIONAL && end != ENDS_WAIT) {
		contradict(w);
		return false;
	}
	switch (end) {
	case ENDS_CONDITIONAL: note_answer(w); return taken ? follow(w) : go_through(w);
	case ENDS_SYNC:
	case ENDS_WAIT: note_answer(w); return go_through(w);
	case ENDS_CALL: push_call(w, WALK_CALLS_ETM, behind(w->here)); /* fall through */
	case ENDS_JUMP: note_answer(w); return follow(w);
	case ENDS_CALL_INDIRECT: push_call(w, WALK_CALLS_ETM, behind(w->here)); /* fall through */
	case ENDS_RETURN:
	case ENDS_JUMP_INDIRECT:
		note_answer(w);
		stand_behind(w);
		return true;
	case ENDS_CUT:
	case ENDS_SYSTEM:
	case ENDS_NEVER: break;
	}
	contradict(w);
	return false;
}

static void take_bits_etm(struct walker *w, const struct flow_answer *answer)
{
	uint64_t bits = answer->value;
	unsigned left = answer->count;

	for (; left; bits >>= 1) {
		if (w->way->state == WAY_BEHIND && !arrive_by_call(w))
			break;
		while (w->way->state == WAY_INSIDE && pass_etm(w))
			;
		if (w->way->state != WAY_INSIDE)
			break;
		bool ok = take_bit_etm(w, bits & 1);
		left -= ok || w->way->loss != LOSS_CONTRADICTION;
		if (!ok)
			break;
	}
	if (left)
		waste(w, left);
}

/* Straight on to a branch that is taken. */
static void take_from(struct walker *w, uint64_t branch)
{
	if (w->way->state == WAY_BEHIND)
		arrive_by_call(w);
	while (w->way->state == WAY_INSIDE) {
		bool there = block_of(w->here)->size && end_at(w->here) == branch;
		if (there && take_bit_etm(w, true))
			return;
		if (there &&
		    w->way->loss != LOSS_CONTRADICTION) /* it led into code that is not known */
			return;
		if (there)
			break;
		bool passes = block_of(w->here)->end == ENDS_CONDITIONAL ?
				      may_step(w) && go_through(w) :
				      pass_etm(w);
		if (!passes && w->way->state == WAY_INSIDE)
			contradict(w);
	}
	waste(w, 1);
}

static void take_target_etm(struct walker *w, uint64_t to)
{
	switch ((enum walk_state)w->way->state) {
	case WAY_BEHIND:
		note_answer(w);
		arrive_behind(w, to);
		return;
	case WAY_INSIDE:
		if (start_of(w->here) == to) {
			note_answer(w);
			return;
		}
		contradict(w);
		begin_anew(w, to);
		return;
	case WAY_LOST:
	case WAY_OUTSIDE: break;
	}
	resume(w, to);
}

/* ---- addresses without a branch ---- */

static bool has_address(struct stand stand, uint64_t at)
{
	return is_in(stand.place, at) &&
	       walk_block_has(stand.place->blocks, block_of(stand), at - stand.place->base);
}

/* Continues, and counts what is passed, up to a block that look_on() came to in so many steps. */
static void walk_on(struct walker *w, unsigned steps)
{
	bool is_pt = w->step->rules == FLOW_PT;

	w->straight = 0;
	for (unsigned i = 0; i < steps && w->way->state == WAY_INSIDE; i++)
		if (!(is_pt ? pass_pt(w) : pass_etm(w)))
			return;
}

/* Does the path lead to an address without a branch that needs an outcome?  The walk is in its
 * block then. */
static bool reach(struct walker *w, uint64_t at)
{
	struct stand stand = w->here;
	unsigned steps = 0;

	while (!has_address(stand, at))
		if (!look_on(w, &stand, &steps))
			return false;
	walk_on(w, steps);
	return w->way->state == WAY_INSIDE;
}

/* An indirect branch whose target did not come. */
static void settle_behind(struct walker *w, uint64_t at)
{
	uint64_t back;

	if (w->way->state != WAY_BEHIND)
		return;
	if (w->step->rules == FLOW_ETM_RETURNS && pop_call(w, &back))
		arrive_behind(w, back);
	else if (at)
		arrive_behind(w, at);
	else
		lose(w, LOSS_GAP, 0, 0);
}

/* From outside, or again. */
static void go_on(struct walker *w, uint64_t at)
{
	struct walk_way *way = w->way;

	if (way->state == WAY_OUTSIDE && (at & KERNEL_BIT))
		return;
	if (way->state == WAY_OUTSIDE && way->at == at && way->has_line)
		enter(w, at);
	else
		begin(w, at, 0);
}

/* Continues to an address on the same line, if it is reached without a branch that needs an
 * outcome. */
static bool stand_there(struct walker *w, uint64_t at)
{
	if (!reach(w, at))
		return false;
	if (!find_block(w, w->here.place, at, &w->here))
		lose(w, LOSS_GAP, 0, 0);
	return true;
}

static void take_at(struct walker *w, uint64_t at)
{
	struct walk_way *way = w->way;

	settle_behind(w, at);
	if (way->state != WAY_INSIDE || !stand_there(w, at)) {
		if (way->state == WAY_INSIDE)
			doubt(w);
		go_on(w, at);
	}
	forget_calls(w);
}

static void go_outside(struct walker *w, uint64_t at)
{
	w->way->state = WAY_OUTSIDE;
	w->way->at = at;
	w->way->file = 0;
}

/* Did it leave by the branch that is in front of an address, as older processors show it? */
static bool leaves_before(struct walker *w, uint64_t at)
{
	struct stand stand = w->here;
	unsigned steps = 0;

	while (look_on(w, &stand, &steps))
		;
	enum block_end end = block_of(stand)->end;
	bool leads = end == ENDS_SYSTEM || end == ENDS_JUMP_INDIRECT || end == ENDS_CALL_INDIRECT ||
		     end == ENDS_RETURN;
	if (!leads || behind(stand) != at || w->step->rules != FLOW_PT)
		return false;
	walk_on(w, steps);
	if (end != ENDS_SYSTEM && w->way->state == WAY_INSIDE) {
		take_branch(w, end_at(w->here), 0, false);
		w->way->has_line = false;
	}
	return w->way->state == WAY_INSIDE;
}

static void take_leave(struct walker *w, uint64_t at)
{
	settle_behind(w, at);
	if (w->way->state == WAY_INSIDE && !reach(w, at) && w->way->state == WAY_INSIDE &&
	    !leaves_before(w, at)) {
		doubt(w);
		cut_line(w);
	}
	if (w->way->state == WAY_LOST)
		cut_line(w);
	go_outside(w, at);
}

/* Does the branch at the end of a block lead to an address that is not traced, or ask for one? */
static bool stops_at(struct stand stand, uint64_t at)
{
	switch ((enum block_end)block_of(stand)->end) {
	case ENDS_JUMP_INDIRECT:
	case ENDS_CALL_INDIRECT:
	case ENDS_RETURN:
	case ENDS_SYSTEM: return true;
	case ENDS_JUMP:
	case ENDS_CALL: return at && target_of(stand) == at;
	case ENDS_CONDITIONAL: return at && (target_of(stand) == at || behind(stand) == at);
	case ENDS_CUT:
	case ENDS_SYNC:
	case ENDS_WAIT:
	case ENDS_NEVER: break;
	}
	return false;
}

/* The line ends with a branch out of what is traced. */
static void branch_outside(struct walker *w, uint64_t at)
{
	struct stand here = w->here;
	enum block_end end = block_of(here)->end;

	if (end == ENDS_SYSTEM) {
		go_outside(w, behind(here));
		return;
	}
	if (end == ENDS_CONDITIONAL && target_of(here) != at) {
		go_outside(w, at);
		return;
	}
	take_branch(w, end_at(here), at, end == ENDS_RETURN);
	w->way->has_line = at;
	cut_line(w);
	go_outside(w, at);
}

static void take_stop_pt(struct walker *w, uint64_t at)
{
	struct stand stand = w->here;
	unsigned steps = 0;

	while (!stops_at(stand, at))
		if (!look_on(w, &stand, &steps)) {
			doubt(w);
			cut_line(w);
			go_outside(w, 0);
			return;
		}
	walk_on(w, steps);
	if (w->way->state == WAY_INSIDE)
		branch_outside(w, at);
	else
		go_outside(w, 0);
}

static void take_stop(struct walker *w, uint64_t at)
{
	settle_behind(w, 0);
	if (w->way->state == WAY_INSIDE && w->step->rules == FLOW_PT)
		take_stop_pt(w, at);
	else if (w->way->state == WAY_INSIDE)
		go_outside(w, start_of(w->here));
	else if (w->way->state == WAY_LOST)
		go_outside(w, 0);
}

static void take_begin(struct walker *w, uint64_t at)
{
	settle_behind(w, at);
	if (w->step->rules != FLOW_PT)
		forget_calls(w);
	if (w->way->state != WAY_INSIDE || !stand_there(w, at))
		go_on(w, at);
}

/* ---- a step ---- */

static void take_bits(struct walker *w, struct cursor *c)
{
	switch ((enum walk_state)w->way->state) {
	case WAY_INSIDE:
	case WAY_BEHIND:
		if (w->step->rules == FLOW_PT)
			take_bits_pt(w, c);
		else
			take_bits_etm(w, c->at);
		return;
	case WAY_LOST:
	case WAY_OUTSIDE: waste(w, c->at->count);
	}
}

static void take(struct walker *w, struct cursor *c)
{
	uint64_t value = c->at->value;

	w->straight = 0;
	switch ((enum flow_kind)c->at->kind) {
	case FLOW_BITS: take_bits(w, c); return;
	case FLOW_TARGET:
		if (w->step->rules == FLOW_PT)
			take_target_pt(w, value);
		else
			take_target_etm(w, value);
		return;
	case FLOW_AT: take_at(w, value); return;
	case FLOW_LEAVE: take_leave(w, value); return;
	case FLOW_STOP: take_stop(w, value); return;
	case FLOW_BEGIN: take_begin(w, value); return;
	case FLOW_FROM: take_from(w, value); return;
	case FLOW_LOST:
		w->sums.gaps++;
		lose(w, LOSS_GAP, 0, 0);
		return;
	}
}

static void forget_blocks(struct walker *w)
{
	for (size_t i = 0; i < w->blocks.len; i++)
		if (w->blocks.at[i])
			walk_blocks_free(w->blocks.at[i]);
	w->block_count = 0;
}

bool walker_flush(struct walker *w)
{
	bool ok = !w->counts || counts_take(w->counts, &w->cache);

	w->counts = NULL;
	return ok && !w->no_memory;
}

/* What is counted from now on belongs there. */
static bool count_for(struct walker *w, struct counts *counts)
{
	bool ok = w->counts == counts || walker_flush(w);

	w->counts = counts;
	return ok;
}

bool walker_go(struct walker *w, const struct walk_step *step)
{
	struct cursor c = {step->at, step->at + step->count, 0};

	if (!count_for(w, step->counts))
		return false;
	w->step = step;
	w->way = step->way;
	w->here = (struct stand){0};
	for (size_t i = 0; i < PLACES; i++)
		w->places[i] = (struct place){0};
	if (w->block_count > BLOCKS_MOST)
		forget_blocks(w);
	if (w->way->state == WAY_INSIDE)
		enter(w, w->way->at);
	for (; c.at < c.end && !w->no_memory; c.at++) {
		if (c.used && c.at->kind == FLOW_TARGET) {
			c.used--;
			continue;
		}
		take(w, &c);
	}
	if (w->way->state == WAY_INSIDE)
		w->way->at = start_of(w->here);
	w->step = NULL;
	return !w->no_memory;
}

bool walker_end(struct walker *w, struct walk_way *way, struct counts *counts)
{
	if (!count_for(w, counts))
		return false;
	w->way = way;
	cut_line(w);
	*way = walk_way_begin();
	return !w->no_memory;
}

const struct walk_sums *walker_sums(const struct walker *w)
{
	return &w->sums;
}

const struct count_table *walker_files(const struct walker *w)
{
	return &w->files;
}

struct walk_fit walker_fit(const struct walker *w, uint32_t code)
{
	const uint64_t key[COUNT_KEY_WORDS] = {code + UINT64_C(1)};
	struct walk_fit fit = {0};

	if (code < w->blocks.len && w->blocks.at[code])
		fit.answered = w->blocks.at[code]->answered;
	for (size_t i = 0; i < w->mismatched.capacity; i++)
		if (w->mismatched.rows[i].count && w->mismatched.rows[i].key[0] == key[0])
			fit.mismatched = w->mismatched.rows[i].count;
	return fit;
}

struct walker *walker_make(struct code_images *images)
{
	struct walker *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->images = images;
	decoder_open(MACHINE_X86_64, &w->decoders[0]);
	decoder_open(MACHINE_AARCH64, &w->decoders[1]);
	return w;
}

void walker_free(struct walker *w)
{
	if (!w)
		return;
	forget_blocks(w);
	for (size_t i = 0; i < w->blocks.len; i++)
		free(w->blocks.at[i]);
	blocks_vec_free(&w->blocks);
	count_cache_free(&w->cache);
	count_table_free(&w->files);
	count_table_free(&w->mismatched);
	decoder_close(&w->decoders[0]);
	decoder_close(&w->decoders[1]);
	free(w);
}
