/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/verify/check_code.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/parallel.h"
#include "src/base/sort.h"
#include "src/elf/notes.h"
#include "src/verify/checks.h"
#include "src/verify/debug_entries.h"
#include "src/isa/stack_effect.h"

/* ---- instructions whose offsets llvm-bolt keeps ---- */

DEFINE_VEC(bound_vec, uint64_t);

struct scope_bounds {
	struct bound_vec at; /* ascending */
	bool unread; /* there is debug information, and libdw is missing or cannot read it: any
			address can be one */
};

static bool bound_less(const uint64_t *a, const uint64_t *b)
{
	return *a < *b;
}
DEFINE_SORT(sort_bounds, uint64_t, bound_less)
DEFINE_SEARCH(bounds_before, uint64_t, uint64_t, *item < key)

/* What one unit has.  False: no memory, or too much work */
static bool read_unit(struct debug_reader *reader, const struct debug_unit *unit,
		      struct entry_place_vec *places, struct address_range_vec *ranges,
		      struct scope_bounds *out)
{
	bool bad, ok = debug_list_entries(reader, unit, places);

	for (size_t i = 0; ok && i < places->len; i++) {
		ok = debug_ranges(reader, unit, places->at[i].at, ranges, &bad);
		for (size_t k = 0; ok && k < ranges->len; k++)
			ok = bound_vec_push(&out->at, ranges->at[k].start) &&
			     bound_vec_push(&out->at, ranges->at[k].end);
	}
	return ok;
}

/* Returns false where it cannot be read to its end. */
static bool read_units(struct debug_reader *reader, struct scope_bounds *out)
{
	BC_AUTO(entry_place_vec_free) struct entry_place_vec places = {0};
	BC_AUTO(address_range_vec_free) struct address_range_vec ranges = {0};
	struct debug_unit unit;
	int more;

	while ((more = debug_next_unit(reader, &unit)) > 0)
		if (!unit.empty && !unit.of_types &&
		    !read_unit(reader, &unit, &places, &ranges, out))
			return false;
	return !more;
}

/* Those of an image; none without debug information.  False: no memory */
static bool scope_bounds_read(const struct image *image, struct scope_bounds *out)
{
	struct debug_reader *reader;
	struct bc_error err;

	*out = (struct scope_bounds){0};
	if (!image_section(image, ".debug_info"))
		return true;
	if (!debug_reader_open(image, false, &reader, &err)) {
		out->unread = true;
		return err.code != BC_NOMEM;
	}
	out->unread = !read_units(reader, out);
	debug_reader_close(reader);
	if (out->at.len)
		sort_bounds(out->at.at, out->at.len);
	return true;
}

static void scope_bounds_free(struct scope_bounds *bounds)
{
	bound_vec_free(&bounds->at);
	*bounds = (struct scope_bounds){0};
}

static bool scope_bounds_have(const struct scope_bounds *bounds, uint64_t address)
{
	size_t i = bounds_before(bounds->at.at, bounds->at.len, address);

	return bounds->unread || (i < bounds->at.len && bounds->at.at[i] == address);
}

/* SystemTap's probes. */

#define PROBE_TYPE 3
enum { PROBE_PC = 0, PROBE_BASE = 8, PROBE_SIZE = 24 }; /* and the semaphore's address */

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static bool next_probe(struct bytes *rest, struct note *note)
{
	while (note_next(rest, 4, note))
		if (note->type == PROBE_TYPE && text_is(note->owner, "stapsdt") &&
		    note->desc.size >= PROBE_SIZE)
			return true;
	return false;
}

static size_t count_probes(struct bytes notes)
{
	struct note note;
	size_t count = 0;

	while (next_probe(&notes, &note))
		count++;
	return count;
}

bool probes_read(const struct image *image, struct probes *out)
{
	const struct section *section = image_section(image, ".note.stapsdt");
	const struct section *base = image_section(image, ".stapsdt.base");
	struct bytes notes =
		section ? image_section_bytes(image, section) : (struct bytes){NULL, 0};
	struct probes probes = {malloc((count_probes(notes) + 1) * sizeof(*probes.at)), 0};
	struct note note;

	*out = probes;
	if (!probes.at)
		return false;
	while (next_probe(&notes, &note)) {
		/* prelink moves a program, but not the addresses in these notes. */
		uint64_t moved = base ? base->addr - le64(note.desc.data + PROBE_BASE) : 0;
		probes.at[probes.count++] = le64(note.desc.data + PROBE_PC) + moved;
	}
	qsort(probes.at, probes.count, sizeof(*probes.at), by_value);
	*out = probes;
	return true;
}

void probes_free(struct probes *probes)
{
	free(probes->at);
	*probes = (struct probes){0};
}

static bool probes_has(const struct probes *probes, uint64_t at)
{
	return probes->count &&
	       bsearch(&at, probes->at, probes->count, sizeof(*probes->at), by_value);
}

/* ---- code at entries ---- */

/*
 * Code of BOLT's own at a branch entry: why one may be on an instruction that
 * only continues.
 *
 *  - a probe;
 *  - on RISC-V, the auipc of a call or jump to far away, which the next
 *    instruction makes through the register that it set;
 *  - a call or jump that BOLT promoted, or whose block it copied: the comparison
 *    with the likely target, which a conditional jump follows at once;
 *  - the last instruction of a block of the input after which BOLT put a copy of
 *    the next block (tail duplication), whose instructions are those of that block,
 *    or instructions of the frame (shrink wrapping);
 *  - a nop: BOLT removes them, but those of functions that it takes as they are, as
 *    AArch64 code with a jump table that it cannot read, keep their offsets.
 *
 * And why the input can continue after one: there was a jump to the block that follows in
 * the output.  BOLT removed it, and in tables without indices the entry of its block, too.
 */

#define COMPARISON_MOST 4  /* instructions before its conditional jump */
#define COPY_MOST       64 /* instructions of a copied block           */
#define GONE_MOST       16 /* blocks in a row that have no code left   */

/* auipc sets a register, and jalr continues from it. */
static bool is_far_branch(const struct code_view *v, uint32_t offset)
{
	struct bytes code = bytes_from(v->code, offset);

	if (v->decoder->machine != MACHINE_RISCV64 || code.size < 8)
		return false;
	uint32_t high = le32(code.data), low = le32(code.data + 4);
	return (high & 0x7f) == 0x17 && (low & 0x707f) == 0x67 &&
	       (low >> 15 & 31) == (high >> 7 & 31);
}

/* A position in the output that instructions are decoded from. */
struct cursor {
	struct bytes code;
	uint64_t at; /* where it is loaded */
	struct insn insn;
};

static bool cursor_read(const struct code_view *v, struct cursor *c)
{
	return c->code.size && decoder_next(v->decoder, c->code, c->at, &c->insn);
}

static void cursor_skip(struct cursor *c)
{
	c->code = bytes_from(c->code, c->insn.size);
	c->at += c->insn.size;
}

static struct cursor cursor_at(const struct code_view *v, uint32_t offset)
{
	return (struct cursor){bytes_from(v->code, offset), v->at + offset, {0}};
}

static bool begins_block(const struct code_view *v, const struct cursor *c)
{
	const struct bat_table *bat = &v->subject->bat;

	return block_begins(bat, &bat->fragments[v->fragment], c->at - v->at);
}

static bool leads_to_condition(const struct code_view *v, uint32_t offset)
{
	struct cursor c = cursor_at(v, offset);

	for (int i = 0; i < COMPARISON_MOST && cursor_read(v, &c); i++) {
		if (!insn_goes_on(c.insn) || insn_is_call(c.insn))
			return false;
		cursor_skip(&c);
		if (begins_block(v, &c))
			return false;
		if (cursor_read(v, &c) && c.insn.kind == INSN_CONDITIONAL)
			return true;
	}
	return false;
}

static bool is_promoted(const struct code_view *v, uint32_t parent, uint32_t input, uint32_t offset)
{
	return (block_starts_promoted(v->starts, parent, input) ||
		block_starts_copied(v->starts, parent, input)) &&
	       leads_to_condition(v, offset);
}

/* Does it save or restore a register that functions keep, or move the stack pointer?  -frame-opt
 * moves these. */
static bool is_of_frame(const struct code_view *v, const struct cursor *c)
{
	struct stack_effect effect =
		stack_effect_of(v->decoder->machine, bytes_first(c->code, c->insn.size));

	return stack_effect_is_of_frame(v->decoder->machine, &effect);
}

/* Are the instructions at `copy` those at `block`, up to the end of one of them?  A copy can end
 * with a jump to the rest of the block. */
static bool repeats(const struct code_view *v, struct cursor copy, struct cursor block)
{
	for (int i = 0; i < COPY_MOST; i++) {
		if (i && (!copy.code.size || begins_block(v, &copy)))
			return true;
		if (!cursor_read(v, &copy))
			return false;
		if (i && copy.insn.kind == INSN_JUMP)
			return true;
		if (!cursor_read(v, &block))
			return false;
		if (!same_instruction(v->decoder->machine, copy.code, &copy.insn, block.code,
				      &block.insn)) {
			struct cursor *moved = is_of_frame(v, &copy) ? &copy : &block;
			if (!is_of_frame(v, moved))
				return false;
			cursor_skip(moved);
			continue;
		}
		if (!insn_goes_on(copy.insn))
			return true;
		cursor_skip(&copy);
		cursor_skip(&block);
	}
	return true;
}

static struct cursor block_code(const struct code_view *v, const struct block_place *start)
{
	const struct bat_fragment *f = &v->subject->bat.fragments[start->fragment];
	uint32_t offset = v->subject->bat.entries[start->entry].output;
	struct bytes code = image_bytes_at(&v->subject->image, (struct vaddr){f->address});

	code = bytes_first(code, binary_fragment_size(v->subject, start->fragment));
	return (struct cursor){bytes_from(code, offset), f->address + offset, {0}};
}

/* Is it a copy of the block that follows in the input?  If that block has no code any more, of
 * the first block after it that has. */
static bool is_copied_tail(const struct code_view *v, uint32_t parent, uint32_t input,
			   uint32_t offset)
{
	const struct block_starts *starts = v->starts;
	size_t i = block_starts_from(starts, parent, input + UINT64_C(1));

	for (size_t end = i + GONE_MOST; i < starts->at.len && i < end; i++) {
		if (starts->at.at[i].owner != parent)
			return false;
		struct cursor block = block_code(v, &starts->at.at[i]);
		if (block.code.size)
			return repeats(v, cursor_at(v, offset), block);
	}
	return false;
}

static bool is_register_saving(const struct code_view *v, uint32_t offset)
{
	struct cursor c = cursor_at(v, offset);

	if (v->decoder->machine != MACHINE_X86_64)
		return false;
	for (int i = 0; cursor_read(v, &c); i++) {
		if (i && (c.insn.kind == INSN_JUMP || begins_block(v, &c)))
			return true;
		if (!is_of_frame(v, &c))
			return false;
		cursor_skip(&c);
	}
	return false;
}

/* The code of the output from an entry on, with the entry's instruction decoded. */
static bool read_output(const struct code_view *v, uint32_t entry, struct cursor *out)
{
	const struct bat_fragment *f = &v->subject->bat.fragments[v->fragment];
	uint32_t offset = v->subject->bat.entries[f->first_entry + entry].output;
	struct bytes code = image_bytes_at(&v->subject->image, (struct vaddr){f->address});

	code = bytes_first(code, binary_fragment_size(v->subject, v->fragment));
	*out = (struct cursor){bytes_from(code, offset), f->address + offset, {0}};
	return cursor_read(v, out);
}

/* Is it a nop in the output, and in the input, if that is the side? */
static bool is_nop(const struct code_view *v, const struct spot *spot)
{
	struct cursor c;

	return insn_branch(v->decoder->machine, bytes_from(v->code, spot->offset), 0).nop &&
	       (!v->side->input || (read_output(v, spot->entry, &c) && c.insn.nop));
}

/* Does a jump follow in the input, and in the output, after the same instruction, another block or
 * a jump? */
static bool is_before_removed_jump(const struct code_view *v, const struct spot *spot)
{
	const struct bat_table *bat = &v->subject->bat;
	const struct bat_fragment *f = &bat->fragments[v->fragment];
	struct cursor in = cursor_at(v, spot->offset), behind, out;

	if (!v->side->input || bat->blocks || !cursor_read(v, &in))
		return false;
	behind = in;
	do
		cursor_skip(&behind);
	while (cursor_read(v, &behind) && behind.insn.nop);
	if (!behind.code.size || behind.insn.kind != INSN_JUMP ||
	    !read_output(v, spot->entry, &out) ||
	    !same_instruction(v->decoder->machine, in.code, &in.insn, out.code, &out.insn))
		return false;
	cursor_skip(&out);
	return block_begins(bat, f, out.at - f->address) ||
	       (cursor_read(v, &out) && out.insn.kind == INSN_JUMP);
}

/* The instruction of this spot only continues, and no block ends there: is it code that BOLT added
 * or took as it is, or did it remove what followed? */
static bool own_code_explains(const struct code_view *v, const struct spot *spot)
{
	const struct bat_fragment *f = &v->subject->bat.fragments[v->fragment];
	struct cursor c = cursor_at(v, spot->offset);

	if (probes_has(v->probes, c.at) || (v->bounds && scope_bounds_have(v->bounds, c.at)) ||
	    is_far_branch(v, spot->offset) || is_nop(v, spot))
		return true;
	if (v->side->input || !cursor_read(v, &c))
		return is_before_removed_jump(v, spot);
	uint32_t input = bat_entry_input(v->subject->bat.entries[f->first_entry + spot->entry]);
	uint32_t behind = spot->offset + c.insn.size;
	return is_promoted(v, f->parent, input, spot->offset) ||
	       is_copied_tail(v, f->parent, input, behind) || is_register_saving(v, behind);
}

const struct code_side output_side = {FINDING_INSIDE_INSN, FINDING_NO_BRANCH, false};
const struct code_side input_side = {FINDING_INPUT_INSIDE_INSN, FINDING_INPUT_NO_BRANCH, true};

size_t code_length(struct decoder *decoder, struct bytes code, uint64_t at)
{
	struct insn insn;

	if (!code.size)
		return 0;
	/* LLVM decodes x86-64 here, independently of the decoder of src/isa. */
	if (decoder->llvm.handle)
		return llvm_length(&decoder->llvm, code, at);
	return decoder_next(decoder, code, at, &insn) ? insn.size : 0;
}

/* BOLT keeps the offset of a lock prefix, too. */
static bool is_branch(const struct decoder *decoder, struct bytes code, uint64_t at)
{
	struct insn insn = insn_branch(decoder->machine, code, at);

	return insn.kind != INSN_NEXT || insn.lock;
}

static bool is_block_start(const struct code_view *v, uint64_t offset)
{
	const struct bat_table *bat = &v->subject->bat;
	const struct bat_fragment *f = &bat->fragments[v->fragment];

	if (v->side->input)
		return block_starts_has(v->starts, f->parent, offset);
	return block_begins(bat, f, offset);
}

/* Padding that was looked at, and whether a block ends before it.  The next spot can be in it, too.
 */
struct padding {
	uint64_t from, to;
	bool ends;
};

/* Does a block end before this offset?  It does if the code ends here, another block begins
 * here, or here is a jump to the next block, which BOLT moved. */
static bool block_ends(const struct code_view *v, uint64_t offset, struct padding *seen)
{
	struct bytes code = bytes_from(v->code, offset);
	struct insn insn;

	if (offset - seen->from < seen->to - seen->from)
		return seen->ends;
	seen->from = offset;
	while (code.size && !is_block_start(v, offset) &&
	       insn_branch(v->decoder->machine, code, 0).nop) {
		size_t length = code_length(v->decoder, code, v->at + offset);
		if (!length) /* no instruction after all */
			break;
		offset += length;
		code = bytes_from(v->code, offset);
	}
	seen->to = offset;
	seen->ends = !code.size || is_block_start(v, offset) ||
		     (!v->side->input && decoder_next(v->decoder, code, v->at + offset, &insn) &&
		      insn.kind == INSN_JUMP);
	return seen->ends;
}

static bool leaves_block(const struct code_view *v, uint64_t offset, struct padding *seen)
{
	struct bytes code = bytes_from(v->code, offset);
	uint64_t at = v->at + offset;

	return is_branch(v->decoder, code, at) ||
	       block_ends(v, offset + code_length(v->decoder, code, at), seen);
}

static void check_spot(const struct code_view *v, const struct spot *spot, uint64_t offset,
		       struct padding *seen, struct findings *findings)
{
	struct finding_location location = location_of(v->subject, v->fragment, spot->entry);

	if (offset > spot->offset)
		findings_add(findings, v->side->inside, location,
			     "0x%x is inside the instruction before "
			     "0x%llx",
			     spot->offset, (unsigned long long)offset);
	else if (spot->branch && !leaves_block(v, offset, seen) && !own_code_explains(v, spot))
		findings_add(findings, v->side->no_branch, location,
			     "the instruction at 0x%x only continues", spot->offset);
}

void code_check(const struct code_view *v, const struct spot *spots, size_t count,
		struct findings *findings)
{
	uint64_t offset = 0; /* the beginning of an instruction */
	struct padding seen = {0, 0, false};
	bool told = v->side->input || v->decoder->llvm_missing;

	for (size_t i = 0; i < count; i++) {
		if (v->reached)
			offset = v->reached[spots[i].entry];
		while (offset < spots[i].offset) {
			size_t size = code_length(v->decoder, bytes_from(v->code, offset),
						  v->at + offset);
			if (!size && !told)
				findings_add(findings, FINDING_CODE_UNDECODABLE,
					     location_of(v->subject, v->fragment, spots[i].entry),
					     "nothing is decoded from offset 0x%llx to this entry",
					     (unsigned long long)offset);
			told |= !size;
			offset = size ? offset + size : spots[i].offset;
		}
		check_spot(v, &spots[i], offset, &seen, findings);
	}
}

static int by_offset(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return (x->entry > y->entry) - (x->entry < y->entry);
}

size_t code_spots(const struct bat_table *bat, const struct bat_fragment *fragment, bool input,
		  uint64_t size, struct spot *out)
{
	const struct bat_entry *entries = bat->entries + fragment->first_entry;
	bool sorted = true;
	size_t count = 0;

	for (uint32_t i = 0; i < fragment->entry_count; i++) {
		uint32_t offset = input ? bat_entry_input(entries[i]) : entries[i].output;
		if (offset >= size)
			continue;
		sorted &= !count || out[count - 1].offset <= offset;
		out[count++] = (struct spot){offset, i, bat_entry_is_branch(entries[i])};
	}
	if (!sorted)
		qsort(out, count, sizeof(*out), by_offset);
	return count;
}

/* Fragments that a thread takes at a time. */
#define ROUND 64

struct round {
	struct findings findings;
};

struct job {
	const struct binary *subject;
	fragments_fn *check;
	void *ctx;
	struct decoder *decoders; /* one for each worker */
	struct round *rounds;
};

static void run_round(void *ctx, size_t index, unsigned worker)
{
	struct job *job = ctx;
	uint32_t count = job->subject->bat.fragment_count;
	uint32_t begin = (uint32_t)index * ROUND;

	job->check(job->ctx, &job->decoders[worker], begin,
		   count - begin < ROUND ? count : begin + ROUND, &job->rounds[index].findings);
}

void code_decoder_open(enum machine machine, struct decoder *out)
{
	decoder_open(machine, out);
	if (machine == MACHINE_X86_64)
		out->llvm_missing = !llvm_open(&out->llvm);
}

bool code_decoder_complete(enum machine machine)
{
	struct decoder decoder;

	code_decoder_open(machine, &decoder);
	bool complete = !decoder.llvm_missing;
	decoder_close(&decoder);
	return complete;
}

static void run_rounds(struct job *job, unsigned threads, size_t rounds, struct findings *findings)
{
	for (size_t i = 0; i < rounds; i++)
		findings_init(&job->rounds[i].findings, findings->most);
	parallel_for(threads, rounds, run_round, job);
	for (size_t i = 0; i < rounds; i++) {
		findings_append(findings, &job->rounds[i].findings);
		findings_free(&job->rounds[i].findings);
	}
}

bool code_for_fragments(const struct binary *subject, unsigned threads, fragments_fn *check,
			void *ctx, struct findings *findings)
{
	size_t rounds = (subject->bat.fragment_count + (size_t)ROUND - 1) / ROUND;
	struct job job = {.subject = subject, .check = check, .ctx = ctx};

	if (threads > PARALLEL_MOST)
		threads = PARALLEL_MOST;
	job.decoders = calloc(threads, sizeof(*job.decoders));
	job.rounds = calloc(rounds + 1, sizeof(*job.rounds));
	if (job.decoders && job.rounds) {
		for (unsigned i = 0; i < threads; i++)
			code_decoder_open(subject->image.machine, &job.decoders[i]);
		run_rounds(&job, threads, rounds, findings);
		for (unsigned i = 0; i < threads; i++)
			decoder_close(&job.decoders[i]);
	} else {
		findings->nomem = true;
	}
	free(job.decoders);
	free(job.rounds);
	return !findings->nomem;
}

void summary_add(_Atomic uint64_t *sum, const void *summary, size_t size)
{
	uint64_t count;

	for (size_t i = 0; i < size / sizeof(count); i++) {
		memcpy(&count, (const char *)summary + i * sizeof(count), sizeof(count));
		atomic_fetch_add(&sum[i], count);
	}
}

void summary_read(const _Atomic uint64_t *sum, void *summary, size_t size)
{
	for (size_t i = 0; i < size / sizeof(uint64_t); i++) {
		uint64_t count = atomic_load(&sum[i]);
		memcpy((char *)summary + i * sizeof(count), &count, sizeof(count));
	}
}

static bool pass_with_bounds(const struct image *image, code_pass *pass, void *ctx,
			     struct findings *found)
{
	struct scope_bounds bounds;
	bool ok = scope_bounds_read(image, &bounds) && pass(ctx, &bounds, found);

	scope_bounds_free(&bounds);
	return ok;
}

bool code_check_twice(const struct code_side *side, const struct image *image, code_pass *pass,
		      void *ctx, struct findings *findings)
{
	struct findings found;

	findings_init(&found, findings->most);
	bool ok = pass(ctx, NULL, &found);
	if (ok && found.counts[side->no_branch]) {
		findings_free(&found);
		findings_init(&found, findings->most);
		ok = pass_with_bounds(image, pass, ctx, &found);
	}
	found.nomem |= !ok;
	findings_append(findings, &found);
	findings_free(&found);
	return ok;
}

struct checking {
	const struct binary *subject;
	const struct block_starts *starts;
	const struct scope_bounds *bounds;
	struct probes probes;
	unsigned threads;
};

static void check_fragment(const struct checking *c, struct decoder *decoder, uint32_t i,
			   struct spot *spots, struct findings *findings)
{
	const struct bat_fragment *f = &c->subject->bat.fragments[i];
	struct bytes code = image_bytes_at(&c->subject->image, (struct vaddr){f->address});
	struct code_view view = {decoder,
				 c->subject,
				 c->starts,
				 &c->probes,
				 c->bounds,
				 &output_side,
				 bytes_first(code, binary_fragment_size(c->subject, i)),
				 f->address,
				 i,
				 NULL};
	size_t count = code_spots(&c->subject->bat, f, false, view.code.size, spots);

	code_check(&view, spots, count, findings);
}

static void check_fragments_of(void *ctx, struct decoder *decoder, uint32_t begin, uint32_t end,
			       struct findings *findings)
{
	const struct checking *c = ctx;
	struct spot *spots = NULL;

	for (uint32_t i = begin; i < end; i++) {
		uint32_t entries = c->subject->bat.fragments[i].entry_count;
		struct spot *more = realloc(spots, (entries + (size_t)1) * sizeof(*spots));
		if (!more) {
			findings->nomem = true;
			break;
		}
		spots = more;
		check_fragment(c, decoder, i, spots, findings);
	}
	free(spots);
}

static bool check_output(void *ctx, const struct scope_bounds *bounds, struct findings *findings)
{
	struct checking *c = ctx;

	c->bounds = bounds;
	return code_for_fragments(c->subject, c->threads, check_fragments_of, c, findings);
}

bool check_output_code(const struct binary *subject, const struct block_starts *starts,
		       unsigned threads, struct findings *findings)
{
	struct checking checking = {.subject = subject, .starts = starts, .threads = threads};

	bool ok =
		probes_read(&subject->image, &checking.probes) &&
		code_check_twice(&output_side, &subject->image, check_output, &checking, findings);
	probes_free(&checking.probes);
	return ok;
}
