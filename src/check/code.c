/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/check/code.h"

#include <stdlib.h>

#include "src/base/parallel.h"
#include "src/check/checks.h"
#include "src/check/own_code.h"

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

/* Padding that was looked at, and whether a block ends before it.  The next spot can be in it, too. */
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
	while (code.size && !is_block_start(v, offset) && insn_branch(v->decoder->machine, code, 0).nop) {
		size_t length = code_length(v->decoder, code, v->at + offset);
		if (!length) /* no instruction after all */
			break;
		offset += length;
		code = bytes_from(v->code, offset);
	}
	seen->to = offset;
	seen->ends = !code.size || is_block_start(v, offset) ||
		     (!v->side->input && decoder_next(v->decoder, code, v->at + offset, &insn) && insn.kind == INSN_JUMP);
	return seen->ends;
}

static bool leaves_block(const struct code_view *v, uint64_t offset, struct padding *seen)
{
	struct bytes code = bytes_from(v->code, offset);
	uint64_t at = v->at + offset;

	return is_branch(v->decoder, code, at) ||
	       block_ends(v, offset + code_length(v->decoder, code, at), seen);
}

static void check_spot(const struct code_view *v, const struct spot *spot, uint64_t offset, struct padding *seen,
		       struct findings *findings)
{
	struct finding_location location = location_of(v->subject, v->fragment, spot->entry);

	if (offset > spot->offset)
		findings_add(findings, v->side->inside, location, "0x%x is inside the instruction before "
			     "0x%llx", spot->offset, (unsigned long long)offset);
	else if (spot->branch && !leaves_block(v, offset, seen) && !own_code_explains(v, spot))
		findings_add(findings, v->side->no_branch, location, "the instruction at 0x%x only goes on",
			     spot->offset);
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
			size_t size = code_length(v->decoder, bytes_from(v->code, offset), v->at + offset);
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

struct checking {
	const struct binary *subject;
	const struct block_starts *starts;
	struct probes probes;
};

static void check_fragment(const struct checking *c, struct decoder *decoder, uint32_t i,
			   struct spot *spots, struct findings *findings)
{
	const struct bat_fragment *f = &c->subject->bat.fragments[i];
	struct bytes code = image_bytes_at(&c->subject->image, (struct vaddr){f->address});
	struct code_view view = {decoder, c->subject, c->starts, &c->probes, &output_side,
				 bytes_first(code, binary_fragment_size(c->subject, i)), f->address, i, NULL};
	size_t count = code_spots(&c->subject->bat, f, false, view.code.size, spots);

	code_check(&view, spots, count, findings);
}

static void check_fragments_of(void *ctx, struct decoder *decoder, uint32_t begin,
			       uint32_t end, struct findings *findings)
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

bool check_output_code(const struct binary *subject, const struct block_starts *starts,
		       unsigned threads, struct findings *findings)
{
	struct checking checking = {.subject = subject, .starts = starts};

	bool ok = probes_read(&subject->image, &checking.probes) &&
		  code_for_fragments(subject, threads, check_fragments_of, &checking, findings);
	probes_free(&checking.probes);
	return ok;
}
