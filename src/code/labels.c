/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/code/labels.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

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

const struct function *chosen_inside(const struct chosen *chosen, uint64_t address)
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
	bool ok = lsda_read(chosen->image, table, fde->code.address, &lsda) && add_pads(chosen, &lsda, out);
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

#define RELA_SIZE 24   /* of Elf64_Rela */
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
	case R_X86_64_32S:
		return REFERENCE_ABSOLUTE;
	case R_X86_64_PC32:
	case R_X86_64_PLT32:
		return in_code ? REFERENCE_OPERAND : REFERENCE_RELATIVE;
	case R_X86_64_PC64:
		return in_code ? REFERENCE_NONE : REFERENCE_RELATIVE;
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
	case R_AARCH64_CALL26:
		return REFERENCE_BRANCH;
	}
	return REFERENCE_NONE;
}

static enum reference riscv_reference(uint32_t type, bool in_code)
{
	if (!in_code) /* ADD32: the end of a distance, as in jump tables */
		return type == R_RISCV_64 || type == R_RISCV_ADD32 ? REFERENCE_ABSOLUTE
								    : REFERENCE_NONE;
	switch (type) {
	case R_RISCV_BRANCH:
	case R_RISCV_JAL:
	case R_RISCV_CALL:
	case R_RISCV_CALL_PLT:
	case R_RISCV_PCREL_HI20:
	case R_RISCV_RVC_BRANCH:
	case R_RISCV_RVC_JUMP:
		return REFERENCE_BRANCH;
	}
	return REFERENCE_NONE;
}

static enum reference reference(enum machine machine, uint32_t type, bool in_code)
{
	switch (machine) {
	case MACHINE_X86_64:
		return x86_reference(type, in_code);
	case MACHINE_AARCH64:
		return aarch64_reference(type, in_code);
	case MACHINE_RISCV64:
		break;
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

/* A place inside a function is an entry if code elsewhere refers to it. */
static bool add_label(struct reader *r, uint64_t from, uint64_t target)
{
	const struct function *f = chosen_inside(r->chosen, target);

	if (!f)
		return true;
	bool from_outside = from - f->address >= f->size;
	struct label label = {target, !r->in_code    ? LABEL_DATA
				      : from_outside ? LABEL_ENTRY
						     : LABEL_BLOCK};
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
	 * relocation from its own word: where they go the table tells. */
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
	case MACHINE_X86_64:
		return type == R_X86_64_RELATIVE;
	case MACHINE_AARCH64:
		return type == R_AARCH64_RELATIVE;
	case MACHINE_RISCV64:
		break;
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

/* Tables for unwinding name places inside functions that nothing jumps to. */
static bool tells_control_flow(const struct section *section)
{
	return section->flags & SHF_ALLOC && !text_is(section->name, ".eh_frame") &&
	       !text_is(section->name, ".gcc_except_table") &&
	       !text_is(section->name, ".got.plt");
}

static bool read_section(struct reader *r, const struct section *section)
{
	const struct image *image = r->chosen->image;
	const struct section *applies = image_section_of_index(image, section->info);
	const struct section *symbols = image_section_of_index(image, section->link);
	struct bytes relas = image_section_bytes(image, section);

	if (section->flags & SHF_ALLOC)
		return read_dynamic(r, relas);
	if (!r->relocs->present || !applies || !symbols || symbols->type != SHT_SYMTAB || !tells_control_flow(applies))
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

bool labels_of_relocs(const struct chosen *chosen, struct relocs *out, struct label_vec *labels)
{
	struct reader r = {.chosen = chosen, .relocs = out, .labels = labels};

	*out = (struct relocs){.present = image_has_code_relocations(chosen->image)};
	for (size_t i = 0; i < chosen->image->section_count; i++) {
		const struct section *section = &chosen->image->sections[i];
		if (section->type == SHT_RELA && !read_section(&r, section))
			return false;
	}
	addresses_sort(&out->absolute);
	addresses_sort(&out->relative);
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

/* ---- all ---- */

bool labels_read(const struct chosen *chosen, struct decoder *decoder, unsigned threads, struct relocs *relocs, struct label_vec *out)
{
	if (!labels_of_relocs(chosen, relocs, out) || !labels_of_symbols(chosen, out) || !labels_of_landing_pads(chosen, out) ||
	    !labels_of_references(chosen, decoder, threads, out))
		return false;
	labels_sort(out);
	return true;
}
