/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/code/labels.h"

#include <elf.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/parallel.h"
#include "src/base/sort.h"
#include "src/elf/bolt_input.h"
#include "src/elf/eh_frame.h"
#include "src/elf/functions.h"

struct wanted {
	const struct function *functions;
	uint64_t address;
};
DEFINE_SEARCH(chosen_above, uint32_t, struct wanted, key.functions[*item].address <= key.address)
DEFINE_SEARCH(first_label_from, struct label, uint64_t, item->address < key)

/* The chosen function that holds an address after its beginning, or NULL. */
static const struct function *chosen_inside(const struct chosen *chosen, uint64_t address)
{
	const struct function *functions = chosen->functions->at;
	size_t above = chosen_above(chosen->at, chosen->count, (struct wanted){functions, address});

	if (!above)
		return NULL;
	const struct function *f = &functions[chosen->at[above - 1]];
	return address != f->address && address - f->address < f->size ? f : NULL;
}

/* Assemblers leave names of the compiler's own labels on RISC-V. */
static bool is_private(const struct symbol *s)
{
	return !strncmp(s->name, ".L", 2);
}

/* Up to the first symbol that cannot lie in the function, as its extent goes. */
static bool add_symbols_of(const struct chosen *chosen, uint32_t index, struct label_vec *out)
{
	const struct function_table *table = chosen->functions;
	const struct function *f = &table->at[index];
	uint64_t limit = index + 1 < table->count ? f[1].address : UINT64_MAX;

	for (size_t i = symbols_above(&table->symbols, f->address); i < table->symbols.count; i++) {
		const struct symbol *s = &table->symbols.at[i];
		if (s->address >= limit || (!s->inside && !symbol_is_label(chosen->image, f, s)))
			break;
		if (is_private(s) || (s->inside && s->address - f->address >= f->size))
			continue;
		if (!label_vec_push(out, (struct label){s->address, LABEL_ENTRY}))
			return false;
	}
	return true;
}

static bool labels_of_symbols(const struct chosen *chosen, struct label_vec *out)
{
	for (size_t i = 0; i < chosen->count; i++)
		if (!add_symbols_of(chosen, chosen->at[i], out))
			return false;
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct label *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

void labels_sort(struct label_vec *labels)
{
	if (labels->len)
		qsort(labels->at, labels->len, sizeof(*labels->at), by_address);
}

size_t labels_from(const struct label_vec *labels, uint64_t address)
{
	return first_label_from(labels->at, labels->len, address);
}

bool labels_have(const struct label_vec *labels, uint64_t address)
{
	size_t i = labels_from(labels, address);

	return i < labels->len && labels->at[i].address == address;
}

/* ---- landing pads: where exceptions continue, by the exception tables ---- */

static bool add_pads(const struct chosen *chosen, const struct lsda *lsda, struct label_vec *out)
{
	bool ok = true;

	for (size_t i = 0; ok && i < lsda->sites.len; i++) {
		uint64_t pad = lsda->sites.at[i].pad;
		if (pad && chosen_inside(chosen, pad))
			ok = label_vec_push(out, (struct label){pad, LABEL_PAD});
	}
	return ok;
}

static bool read_fde(const struct chosen *chosen, struct eh_frame_fde *fde, struct label_vec *out)
{
	uint64_t table = eh_frame_take_lsda(fde);
	struct lsda lsda;

	if (!table)
		return true;
	bool ok = lsda_read(chosen->image, table, fde->code.address, &lsda) &&
		  add_pads(chosen, &lsda, out);
	lsda_free(&lsda);
	return ok;
}

bool labels_of_landing_pads(const struct chosen *chosen, struct label_vec *out)
{
	struct eh_frame frame = eh_frame_begin(chosen->image);
	struct eh_frame_fde fde;
	bool ok = true;

	while (ok && eh_frame_next(&frame, &fde))
		ok = read_fde(chosen, &fde, out);
	return ok;
}

/* ---- relocations ---- */

#define RELA_SIZE   24 /* of Elf64_Rela */
#define SYMBOL_SIZE 24 /* of Elf64_Sym  */

enum reference {
	REFERENCE_NONE,     /* to no address that matters here */
	REFERENCE_ABSOLUTE, /* the whole address               */
	REFERENCE_RELATIVE, /* a distance from the word itself */
	REFERENCE_OPERAND,  /* of x86 code: a distance from the end of a field of 4 bytes,
			       as far as the operand ends the instruction       */
	REFERENCE_BRANCH,   /* of code, to the address itself  */
};

static enum reference x86_reference(uint32_t type, bool in_code)
{
	switch (type) {
	case R_X86_64_64:
	case R_X86_64_32:
	case R_X86_64_32S: return REFERENCE_ABSOLUTE;
	case R_X86_64_PC32:
	case R_X86_64_PLT32: return in_code ? REFERENCE_OPERAND : REFERENCE_RELATIVE;
	case R_X86_64_PC64: return in_code ? REFERENCE_NONE : REFERENCE_RELATIVE;
	}
	return REFERENCE_NONE;
}

static enum reference aarch64_reference(uint32_t type, bool in_code)
{
	if (!in_code)
		return type == R_AARCH64_ABS64 ? REFERENCE_ABSOLUTE : REFERENCE_NONE;
	switch (type) {
	case R_AARCH64_ADR_PREL_LO21:
	case R_AARCH64_TSTBR14:
	case R_AARCH64_CONDBR19:
	case R_AARCH64_JUMP26:
	case R_AARCH64_CALL26: return REFERENCE_BRANCH;
	}
	return REFERENCE_NONE;
}

static enum reference riscv_reference(uint32_t type, bool in_code)
{
	if (!in_code) /* ADD32: the end of a distance, as in jump tables */
		return type == R_RISCV_64 || type == R_RISCV_ADD32 ? REFERENCE_ABSOLUTE :
								     REFERENCE_NONE;
	switch (type) {
	case R_RISCV_BRANCH:
	case R_RISCV_JAL:
	case R_RISCV_CALL:
	case R_RISCV_CALL_PLT:
	case R_RISCV_PCREL_HI20:
	case R_RISCV_RVC_BRANCH:
	case R_RISCV_RVC_JUMP: return REFERENCE_BRANCH;
	}
	return REFERENCE_NONE;
}

static enum reference reference(enum machine machine, uint32_t type, bool in_code)
{
	switch (machine) {
	case MACHINE_X86_64: return x86_reference(type, in_code);
	case MACHINE_AARCH64: return aarch64_reference(type, in_code);
	case MACHINE_RISCV64: break;
	}
	return riscv_reference(type, in_code);
}

struct reader {
	const struct chosen *chosen;
	struct relocs *relocs;
	struct label_vec *labels;
	struct bytes symbols; /* of the relocation section at hand */
	bool in_code;         /* are its relocations               */
};

/* A location inside a function is an entry if code elsewhere refers to it. */
static bool add_label(struct reader *r, uint64_t from, uint64_t target)
{
	const struct function *f = chosen_inside(r->chosen, target);

	if (!f)
		return true;
	bool from_outside = from - f->address >= f->size;
	struct label label = {target, !r->in_code  ? LABEL_DATA :
				      from_outside ? LABEL_ENTRY :
						     LABEL_BLOCK};
	return label_vec_push(r->labels, label);
}

static bool is_code(const struct image *image, uint64_t address)
{
	const struct section *section = image_section_at(image, (struct vaddr){address});

	return section && section->flags & SHF_EXECINSTR;
}

static bool read_one(struct reader *r, const uint8_t *rela)
{
	const struct image *image = r->chosen->image;
	uint64_t at = le64(rela), info = le64(rela + 8), addend = le64(rela + 16);
	uint64_t symbol = (info >> 32) * SYMBOL_SIZE;
	enum reference kind = reference(image->machine, (uint32_t)info, r->in_code);

	if (kind == REFERENCE_NONE || !range_fits(symbol, SYMBOL_SIZE, r->symbols.size))
		return true;
	uint64_t target = le64(r->symbols.data + symbol + 8) + addend;
	if (kind == REFERENCE_OPERAND)
		target += 4;
	/* The distances in a jump table count from its beginning, each
	 * relocation from its own word: where they go the table shows. */
	if (kind == REFERENCE_RELATIVE)
		return address_vec_push(&r->relocs->relative, at);
	if (r->in_code)
		return add_label(r, at, target);
	if (!is_code(image, target))
		return true;
	/* In position-independent code the dynamic relocation of the word names the address. */
	return address_vec_push(&r->relocs->absolute, at) &&
	       (image->position_independent || add_label(r, at, target));
}

static bool is_relative_type(enum machine machine, uint32_t type)
{
	switch (machine) {
	case MACHINE_X86_64: return type == R_X86_64_RELATIVE;
	case MACHINE_AARCH64: return type == R_AARCH64_RELATIVE;
	case MACHINE_RISCV64: break;
	}
	return type == R_RISCV_RELATIVE;
}

/* Dynamic relocations: the address that the loader will put somewhere could be
 * used by anyone. */
static bool read_dynamic(struct reader *r, struct bytes relas)
{
	for (; relas.size >= RELA_SIZE; relas = bytes_from(relas, RELA_SIZE)) {
		uint64_t target = le64(relas.data + 16);
		uint32_t type = le32(relas.data + 8);
		if (is_relative_type(r->chosen->image->machine, type) &&
		    chosen_inside(r->chosen, target) &&
		    !label_vec_push(r->labels, (struct label){target, LABEL_ENTRY}))
			return false;
	}
	return true;
}

/* Tables for unwinding name addresses inside functions that nothing jumps to. */
static bool tells_control_flow(const struct section *section)
{
	return section->flags & SHF_ALLOC && !text_is(section->name, ".eh_frame") &&
	       !text_is(section->name, ".gcc_except_table") && !text_is(section->name, ".got.plt");
}

static bool read_section(struct reader *r, const struct section *section)
{
	const struct image *image = r->chosen->image;
	const struct section *applies = image_section_of_index(image, section->info);
	const struct section *symbols = image_section_of_index(image, section->link);
	struct bytes relas = image_section_bytes(image, section);

	if (section->flags & SHF_ALLOC)
		return read_dynamic(r, relas);
	if (!r->relocs->present || !applies || !symbols || symbols->type != SHT_SYMTAB ||
	    !tells_control_flow(applies))
		return true;
	r->symbols = image_section_bytes(image, symbols);
	r->in_code = applies->flags & SHF_EXECINSTR;
	for (; relas.size >= RELA_SIZE; relas = bytes_from(relas, RELA_SIZE))
		if (!read_one(r, relas.data))
			return false;
	return true;
}

static int by_word(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

void addresses_sort(struct address_vec *v)
{
	if (v->len)
		qsort(v->at, v->len, sizeof(*v->at), by_word);
}

bool labels_of_relocs(const struct chosen *chosen, struct relocs *relocs, struct label_vec *out)
{
	struct reader r = {.chosen = chosen, .relocs = relocs, .labels = out};

	*relocs = (struct relocs){.present = image_has_code_relocations(chosen->image)};
	for (size_t i = 0; i < chosen->image->section_count; i++) {
		const struct section *section = &chosen->image->sections[i];
		if (section->type == SHT_RELA && !read_section(&r, section))
			return false;
	}
	addresses_sort(&relocs->absolute);
	addresses_sort(&relocs->relative);
	return true;
}

void relocs_free(struct relocs *relocs)
{
	address_vec_free(&relocs->absolute);
	address_vec_free(&relocs->relative);
}

bool relocs_has(const struct address_vec *v, uint64_t address)
{
	return v->len && bsearch(&address, v->at, v->len, sizeof(*v->at), by_word);
}

/* ---- branches from one function into the middle of another ---- */

struct candidate {
	uint64_t from, target;
};
DEFINE_VEC(candidate_vec, struct candidate);

struct scan {
	const struct chosen *chosen;
	unsigned threads;
	uint64_t low, high; /* all chosen functions lie in [low, high), of which */
	uint8_t *near;      /* each chunk of 2^shift bytes has a bit: a chosen function is in it */
	unsigned shift;
	struct candidate_vec found[PARALLEL_MOST]; /* by each thread */
	atomic_bool no_memory;
};

/* Few functions are chosen, and far more bytes look like branches: most of these lead to no chunk
 * of a chosen one, which is found out sooner than that they lead to none. */
#define MOST_PIECES (UINT64_C(1) << 20)
#define LEAST_SHIFT 8

static bool mark_pieces(struct scan *s)
{
	s->shift = LEAST_SHIFT;
	while ((s->high - s->low) >> s->shift >= MOST_PIECES)
		s->shift++;
	s->near = calloc(((s->high - s->low) >> s->shift) / 8 + 1, 1);
	for (size_t i = 0; s->near && i < s->chosen->count; i++) {
		const struct function *f = &s->chosen->functions->at[s->chosen->at[i]];
		uint64_t last = (f->address - s->low + (f->size ? f->size - 1 : 0)) >> s->shift;
		for (uint64_t piece = (f->address - s->low) >> s->shift; piece <= last; piece++)
			s->near[piece / 8] |= (uint8_t)(1u << piece % 8);
	}
	return s->near;
}

static void add(struct scan *s, unsigned worker, uint64_t from, uint64_t target)
{
	uint64_t piece = (target - s->low) >> s->shift;

	if (target - s->low >= s->high - s->low || !(s->near[piece / 8] >> piece % 8 & 1))
		return;
	const struct function *f = chosen_inside(s->chosen, target);
	if (f && from - f->address >= f->size &&
	    !candidate_vec_push(&s->found[worker], (struct candidate){from, target}))
		atomic_store(&s->no_memory, true);
}

static uint64_t distance(const uint8_t *p)
{
	return (uint64_t)(int64_t)(int32_t)le32(p);
}

/* A part of a section's code: branches that begin in the first `own` bytes. */
struct part {
	struct bytes code;
	uint64_t at;
	size_t own;
};

/* The highest bits of those of eight bytes that can begin a far branch: e8, e9 and 0f. */
static uint64_t far_branches_in(uint64_t bytes)
{
	const uint64_t each = UINT64_C(0x0101010101010101), low = 0x7f * each;
	uint64_t calls = (bytes & 0xfe * each) ^ 0xe8 * each, conditions = bytes ^ 0x0f * each;

	return ~((((calls & low) + low) | calls) & (((conditions & low) + low) | conditions)) &
	       ~low;
}

/* call, jmp and jcc with distances of four bytes */
static void take_far_x86(struct scan *s, unsigned worker, struct part part, size_t i)
{
	const uint8_t *p = part.code.data + i;
	size_t left = part.code.size - i;

	if (i >= part.own || left < 5)
		return;
	if ((p[0] & 0xfe) == 0xe8)
		add(s, worker, part.at + i, part.at + i + 5 + distance(p + 1));
	else if (p[0] == 0x0f && left >= 6 && (p[1] & 0xf0) == 0x80)
		add(s, worker, part.at + i, part.at + i + 6 + distance(p + 2));
}

static void scan_far_x86(struct scan *s, unsigned worker, struct part part)
{
	size_t i = 0;

	for (; i + 8 <= part.code.size && i < part.own; i += 8)
		for (uint64_t found = far_branches_in(le64(part.code.data + i)); found;
		     found &= found - 1)
			take_far_x86(s, worker, part, i + (size_t)__builtin_ctzll(found) / 8);
	for (; i < part.code.size; i++)
		take_far_x86(s, worker, part, i);
}

/* jmp and jcc with distances of one byte */
static void scan_near_x86(struct scan *s, struct bytes code, uint64_t at)
{
	const uint8_t *p = code.data;

	for (size_t i = 0; i + 2 <= code.size; i++)
		if ((p[i] & 0xf0) == 0x70 || p[i] == 0xeb)
			add(s, 0, at + i, at + i + 2 + (uint64_t)(int64_t)(int8_t)p[i + 1]);
}

DEFINE_SEARCH(first_chosen_from, uint32_t, struct wanted,
	      key.functions[*item].address < key.address)

/* The first of the chosen functions that begins at an address or above. */
static size_t first_from(const struct chosen *chosen, uint64_t address)
{
	return first_chosen_from(chosen->at, chosen->count,
				 (struct wanted){chosen->functions->at, address});
}

/* A part of a section, in bytes from its beginning. */
struct stretch {
	uint64_t from, to;
};

enum { REACH = 130 }; /* of a jump with a distance of one byte, and more */

static struct stretch around_start(const struct scan *s, size_t chosen,
				   const struct section *section)
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
	scan_near_x86(s, bytes_first(bytes_from(code, begin), stretch.to - begin),
		      section->addr + begin);
	*done = stretch.to;
}

/* A branch with a distance of one byte is near an end of the function that it leads to; many
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

static void scan_words(struct scan *s, unsigned worker, struct part part)
{
	enum machine machine = s->chosen->image->machine;
	size_t step = machine == MACHINE_AARCH64 ? 4 : 2;

	for (size_t i = 0; i < part.own && i + step <= part.code.size; i += step) {
		struct insn insn = insn_branch(machine, bytes_from(part.code, i), part.at + i);
		if (insn_is_direct(insn))
			add(s, worker, part.at + i, insn.target);
	}
}

struct section_scan {
	struct scan *scan;
	struct bytes code;
	uint64_t at;
};

#define PART           ((size_t)1 << 20)
#define LONGEST_BRANCH ((size_t)8)

static void scan_part(void *ctx, size_t number, unsigned worker)
{
	const struct section_scan *all = ctx;
	size_t from = number * PART;
	struct part part = {bytes_first(bytes_from(all->code, from), PART + LONGEST_BRANCH),
			    all->at + from, PART};

	if (all->scan->chosen->image->machine == MACHINE_X86_64)
		scan_far_x86(all->scan, worker, part);
	else
		scan_words(all->scan, worker, part);
}

static void scan_section(struct scan *s, const struct section *section)
{
	struct section_scan all = {s, image_section_bytes(s->chosen->image, section),
				   section->addr};

	parallel_for(s->threads, (all.code.size + PART - 1) / PART, scan_part, &all);
	if (s->chosen->image->machine == MACHINE_X86_64)
		scan_around_x86(s, section, all.code);
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

/* Puts what all threads found into the first list. */
static bool join(struct scan *s)
{
	for (size_t i = 1; i < PARALLEL_MOST; i++)
		for (size_t k = 0; k < s->found[i].len; k++)
			if (!candidate_vec_push(&s->found[0], s->found[i].at[k]))
				return false;
	return true;
}

static bool check_all(struct scan *s, struct decoder *decoder, struct label_vec *out)
{
	const struct candidate *at = s->found[0].at, *end;
	bool ok = true;

	if (!s->found[0].len)
		return true;
	qsort(s->found[0].at, s->found[0].len, sizeof(*at), by_source);
	end = at + s->found[0].len;
	while (ok && at < end) {
		const struct function *f =
			functions_find(s->chosen->functions, (struct vaddr){at->from});
		const struct candidate *first = at++;
		while (f && at < end && at->from - f->address < f->extent)
			at++;
		ok = !f || check(s, decoder, f, first, (size_t)(at - first), out);
	}
	return ok;
}

bool labels_of_references(const struct chosen *chosen, struct decoder *decoder, unsigned threads,
			  struct label_vec *out)
{
	const struct function *functions = chosen->functions->at;
	struct scan s = {.chosen = chosen, .threads = threads};

	if (!chosen->count)
		return true;
	const struct function *last = &functions[chosen->at[chosen->count - 1]];
	s.low = functions[chosen->at[0]].address;
	s.high = last->address + last->size;
	if (!mark_pieces(&s))
		return false;
	for (size_t i = 0; i < chosen->image->section_count; i++) {
		const struct section *section = &chosen->image->sections[i];
		if (section->flags & SHF_EXECINSTR && section->type != SHT_NOBITS)
			scan_section(&s, section);
	}
	bool ok = !atomic_load(&s.no_memory) && join(&s) && check_all(&s, decoder, out);
	for (size_t i = 0; i < PARALLEL_MOST; i++)
		candidate_vec_free(&s.found[i]);
	free(s.near);
	return ok;
}

/* ---- all ---- */

bool labels_read(const struct chosen *chosen, struct decoder *decoder, unsigned threads,
		 struct relocs *relocs, struct label_vec *out)
{
	if (!labels_of_relocs(chosen, relocs, out) || !labels_of_symbols(chosen, out) ||
	    !labels_of_landing_pads(chosen, out) ||
	    !labels_of_references(chosen, decoder, threads, out))
		return false;
	labels_sort(out);
	return true;
}
