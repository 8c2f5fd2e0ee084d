/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cfg/references.h"

#include <elf.h>
#include <stdlib.h>

#include "src/base/search.h"

struct candidate {
	uint64_t from, target;
};
DEFINE_VEC(candidate_vec, struct candidate);

struct scan {
	const struct chosen *chosen;
	uint64_t low, high; /* all chosen functions lie in [low, high) */
	struct candidate_vec candidates;
	bool no_memory;
};

static void add(struct scan *s, uint64_t from, uint64_t target)
{
	if (target - s->low >= s->high - s->low)
		return;
	const struct function *f = chosen_inside(s->chosen, target);
	if (f && from - f->address >= f->size &&
	    !candidate_vec_push(&s->candidates, (struct candidate){from, target}))
		s->no_memory = true;
}

static uint64_t distance(const uint8_t *p)
{
	return (uint64_t)(int64_t)(int32_t)le32(p);
}

/* call, jmp and jcc with distances of four bytes */
static void scan_far_x86(struct scan *s, struct bytes code, uint64_t at)
{
	const uint8_t *p = code.data;

	for (size_t i = 0; i + 5 <= code.size; i++) {
		if ((p[i] & 0xfe) == 0xe8)
			add(s, at + i, at + i + 5 + distance(p + i + 1));
		else if (p[i] == 0x0f && i + 6 <= code.size && (p[i + 1] & 0xf0) == 0x80)
			add(s, at + i, at + i + 6 + distance(p + i + 2));
	}
}

/* jmp and jcc with distances of one byte */
static void scan_near_x86(struct scan *s, struct bytes code, uint64_t at)
{
	const uint8_t *p = code.data;

	for (size_t i = 0; i + 2 <= code.size; i++)
		if ((p[i] & 0xf0) == 0x70 || p[i] == 0xeb)
			add(s, at + i, at + i + 2 + (uint64_t)(int64_t)(int8_t)p[i + 1]);
}

struct wanted {
	const struct function *functions;
	uint64_t address;
};
DEFINE_SEARCH(first_chosen_from, uint32_t, struct wanted, key.functions[*item].address < key.address)

/* The first of the chosen functions that begins at an address or above. */
static size_t first_from(const struct chosen *chosen, uint64_t address)
{
	return first_chosen_from(chosen->at, chosen->count, (struct wanted){chosen->functions->at, address});
}

/* A part of a section, in bytes from its beginning. */
struct stretch {
	uint64_t from, to;
};

enum { REACH = 130 }; /* of a jump with a distance of one byte, and more */

static struct stretch around_start(const struct scan *s, size_t chosen, const struct section *section)
{
	const struct function *f = &s->chosen->functions->at[s->chosen->at[chosen]];
	uint64_t start = f->address - section->addr;

	return (struct stretch){start < REACH ? 0 : start - REACH, start + 1};
}

static struct stretch behind_end(const struct scan *s, size_t chosen, const struct section *section)
{
	const struct function *f = &s->chosen->functions->at[s->chosen->at[chosen]];
	uint64_t end = f->address - section->addr + f->size;

	return (struct stretch){end, end + REACH};
}

/* Scans the part of a stretch that was not scanned before.  Stretches come in ascending order of
 * their beginnings. */
static void scan_once(struct scan *s, const struct section *section, struct bytes code,
		      struct stretch stretch, uint64_t *done)
{
	/* The last byte of what was scanned may be the first of a jump. */
	uint64_t begin = stretch.from < *done ? *done - 1 : stretch.from;

	if (stretch.to <= *done)
		return;
	scan_near_x86(s, bytes_first(bytes_from(code, begin), stretch.to - begin), section->addr + begin);
	*done = stretch.to;
}

/* A branch with a distance of one byte stands near an end of the function that it leads to; many
 * short functions have the same bytes near their ends. */
static void scan_around_x86(struct scan *s, const struct section *section, struct bytes code)
{
	size_t begin = first_from(s->chosen, section->addr);
	size_t end = first_from(s->chosen, section->addr + section->size), behind = begin;
	uint64_t done = 0;

	for (size_t i = begin; behind < end;) {
		struct stretch next = behind_end(s, behind, section);
		if (i < end && around_start(s, i, section).from <= next.from)
			next = around_start(s, i++, section);
		else
			behind++;
		scan_once(s, section, code, next, &done);
	}
}

static void scan_words(struct scan *s, struct bytes code, uint64_t at)
{
	enum machine machine = s->chosen->image->machine;
	size_t step = machine == MACHINE_AARCH64 ? 4 : 2;

	for (size_t i = 0; i + step <= code.size; i += step) {
		struct insn insn = insn_branch(machine, bytes_from(code, i), at + i);
		if (insn_is_direct(insn))
			add(s, at + i, insn.target);
	}
}

static void scan_section(struct scan *s, const struct section *section)
{
	struct bytes code = image_section_bytes(s->chosen->image, section);

	if (s->chosen->image->machine != MACHINE_X86_64) {
		scan_words(s, code, section->addr);
		return;
	}
	scan_far_x86(s, code, section->addr);
	scan_around_x86(s, section, code);
}

/* Decode a function and keep those of its candidates, which are sorted, that are
 * instructions. */
static bool check(const struct scan *s, struct decoder *decoder, const struct function *f,
		  const struct candidate *candidates, size_t count, struct label_vec *out)
{
	struct bytes code = bytes_first(
		image_bytes_at(s->chosen->image, (struct vaddr){f->address}), f->extent);
	struct insn insn;
	size_t i = 0;

	for (uint64_t at = 0; i < count; at += insn.size) {
		/* A prefix belongs to the instruction: the bytes searched for
		 * begin at the opcode. */
		if (!decoder_next(decoder, bytes_from(code, at), f->address + at, &insn))
			return true;
		for (; i < count && candidates[i].from - (f->address + at) < insn.size; i++)
			if (insn.target == candidates[i].target &&
			    !label_vec_push(out, (struct label){insn.target, LABEL_ENTRY}))
				return false;
	}
	return true;
}

static int by_source(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

static bool check_all(struct scan *s, struct decoder *decoder, struct label_vec *out)
{
	const struct candidate *at = s->candidates.at, *end;
	bool ok = true;

	if (!s->candidates.len)
		return true;
	qsort(s->candidates.at, s->candidates.len, sizeof(*at), by_source);
	end = at + s->candidates.len;
	while (ok && at < end) {
		const struct function *f = functions_find(s->chosen->functions,
							  (struct vaddr){at->from});
		const struct candidate *first = at++;
		while (f && at < end && at->from - f->address < f->extent)
			at++;
		ok = !f || check(s, decoder, f, first, (size_t)(at - first), out);
	}
	return ok;
}

bool labels_of_references(const struct chosen *chosen, struct decoder *decoder,
			  struct label_vec *out)
{
	const struct function *functions = chosen->functions->at;
	struct scan s = {.chosen = chosen};

	if (!chosen->count)
		return true;
	const struct function *last = &functions[chosen->at[chosen->count - 1]];
	s.low = functions[chosen->at[0]].address;
	s.high = last->address + last->size;
	for (size_t i = 0; i < chosen->image->section_count; i++) {
		const struct section *section = &chosen->image->sections[i];
		if (section->flags & SHF_EXECINSTR && section->type != SHT_NOBITS)
			scan_section(&s, section);
	}
	bool ok = !s.no_memory && check_all(&s, decoder, out);
	candidate_vec_free(&s.candidates);
	return ok;
}
