/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <elf.h>
#include <inttypes.h>
#include <string.h>

#include "src/verify/checks.h"
#include "src/isa/insn.h"

static void check_secondary(const struct binary *subject, uint32_t i, struct findings *findings)
{
	const struct bat_fragment *f = &subject->bat.fragments[i];
	const uint32_t *offsets = subject->bat.secondary + f->first_secondary;

	for (uint32_t k = 1; k < f->secondary_count; k++)
		if (offsets[k] <= offsets[k - 1])
			findings_add(findings, FINDING_SECONDARY_ORDER, location_of(subject, i, NO_INDEX),
				     "0x%x follows 0x%x", offsets[k], offsets[k - 1]);
}

static void check_entries(const struct binary *subject, uint32_t i, struct findings *findings)
{
	const struct bat_fragment *f = &subject->bat.fragments[i];
	const struct bat_entry *e = subject->bat.entries + f->first_entry;

	if (!f->entry_count) {
		findings_add(findings, FINDING_MAP_EMPTY, location_of(subject, i, NO_INDEX),
			     "its addresses stay unchanged when translated");
		return;
	}
	if (!f->cold && (e[0].output || e[0].input))
		findings_add(findings, FINDING_HOT_START, location_of(subject, i, 0),
			     "its first entry is 0x%x from input 0x%x%s", e[0].output,
			     bat_entry_input(e[0]), bat_entry_is_branch(e[0]) ? ", a branch" : "");
	for (uint32_t k = 0; k < f->entry_count; k++)
		if (entry_never_emitted(f, e[k]))
			findings_add(findings, FINDING_NEVER_EMITTED, location_of(subject, i, k),
				     "input 0x%x has no code", bat_entry_input(e[k]));
}

bool check_structure(const struct binary *subject, struct findings *findings)
{
	const struct bat_table *bat = &subject->bat;

	if (bat->fragment_count && !bat->entry_count) {
		findings_add(findings, FINDING_MAPS_EMPTY, NO_LOCATION, "%u fragment%s, all empty",
			     bat->fragment_count, plural(bat->fragment_count));
		return false;
	}
	for (uint32_t i = 0; i < bat->fragment_count; i++) {
		check_entries(subject, i, findings);
		check_secondary(subject, i, findings);
	}
	return true;
}

static const char *name_of(const struct binary *subject, uint32_t fragment)
{
	const struct function *f = binary_fragment_function(subject, fragment);

	return f ? f->printed : "a function without a symbol";
}

static void check_parent(const struct binary *subject, uint32_t i, struct findings *findings)
{
	uint32_t parent = subject->bat.fragments[i].parent;
	uint32_t stored = subject->stored_parents[i];

	if (parent == BAT_NO_PARENT)
		findings_add(findings, FINDING_PARENT_UNKNOWN, location_of(subject, i, NO_INDEX),
			     "neither the section nor a symbol tells whose part it is");
	else if (parent != stored)
		findings_add(findings, FINDING_PARENT_WRONG, location_of(subject, i, NO_INDEX),
			     "%s is a part of %s, but the section names %s", name_of(subject, i),
			     name_of(subject, parent),
			     stored == BAT_NO_PARENT ? "no hot function" : name_of(subject, stored));
}

/* The parents that LLVM 18 stored are right only by chance: one finding is enough for all. */
static void check_ordinals(const struct binary *subject, struct findings *findings)
{
	uint32_t wrong = subject->parents.repaired + subject->parents.unknown;

	if (wrong)
		findings_add(findings, FINDING_HOT_INDEX_ORDINAL, NO_LOCATION,
			     "%u of %u cold fragments have a wrong parent; %u were repaired by their "
			     "symbols", wrong, subject->parents.cold, subject->parents.repaired);
}

void check_parents(const struct binary *subject, struct findings *findings)
{
	if (subject->parents.ordinal) {
		check_ordinals(subject, findings);
		return;
	}
	for (uint32_t i = 0; i < subject->bat.fragment_count; i++)
		if (subject->bat.fragments[i].cold)
			check_parent(subject, i, findings);
}

static bool in_executable_segment(const struct image *image, uint64_t address)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct segment *s = &image->segments[i];
		if (s->executable && address - s->vaddr < s->memsz)
			return true;
	}
	return false;
}

/* Is this entry that of a copy in another fragment of the function?  BOLT copies instructions
 * to several fragments; the entries of all copies have the same input offset, or are branch
 * entries in copies of the same block. */
static bool is_copy(const struct binary *subject, const struct bat_fragment *f, struct bat_entry e,
		    const struct bat_fragment *other, uint32_t offset)
{
	uint64_t size = binary_fragment_size(subject, (uint32_t)(other - subject->bat.fragments));
	struct vaddr at = {other->address + offset};

	if (other->parent != f->parent || f->parent == BAT_NO_PARENT || offset >= size)
		return false;
	return bat_translate(&subject->bat, other, offset, false) == bat_entry_input(e) ||
	       insn_is_branch(insn_branch(subject->image.machine,
					  bytes_first(image_bytes_at(&subject->image, at), size - offset), at.v));
}

/* BOLT can make one conditional tail call of a conditional jump and a tail call.  The
 * call's own code is gone then, and its entry has the address of that branch. */
static bool is_elsewhere(const struct binary *subject, const struct bat_fragment *f, struct bat_entry e)
{
	const struct bat_table *bat = &subject->bat;
	uint64_t address = (uint32_t)(f->address + e.output) | (f->address & ~(uint64_t)UINT32_MAX);
	const struct bat_fragment *other = bat_find(bat, address);

	if (!bat_entry_is_branch(e) || !other)
		return false;
	uint32_t offset = (uint32_t)(address - other->address);
	const struct bat_entry *at = bat_entry_at(bat, other, offset);
	if (at && at->output == offset && bat_entry_is_branch(*at))
		return true;
	return is_copy(subject, f, e, other, offset);
}

static void check_sizes(const struct binary *subject, uint32_t i, const struct function *function,
			struct findings *findings)
{
	const struct bat_fragment *f = &subject->bat.fragments[i];
	uint64_t size = function->size > function->extent ? function->size : function->extent;

	for (uint32_t k = 0; k < f->entry_count; k++) {
		struct bat_entry e = subject->bat.entries[f->first_entry + k];
		if (e.output <= size || entry_never_emitted(f, e))
			continue;
		enum finding_kind kind = is_elsewhere(subject, f, e) ? FINDING_ENTRY_ELSEWHERE
									   : FINDING_ENTRY_OUTSIDE;
		findings_add(findings, kind, location_of(subject, i, k),
			     "offset 0x%x, but the fragment has 0x%" PRIx64 " bytes", e.output, size);
	}
}

static void check_fragment(const struct binary *subject, uint32_t i, struct findings *findings)
{
	const struct bat_fragment *f = &subject->bat.fragments[i];
	const struct function *function = binary_fragment_function(subject, i);

	if (!f->address) { /* LLVM 18: a fragment that was never emitted */
		findings_add(findings, FINDING_NEVER_EMITTED, location_of(subject, i, NO_INDEX),
			     "a fragment at address 0");
		return;
	}
	if (!in_executable_segment(&subject->image, f->address)) {
		findings_add(findings, FINDING_FRAGMENT_NO_CODE, location_of(subject, i, NO_INDEX),
			     "%" PRIu32 " entr%s nothing", f->entry_count, plural_of(f->entry_count, "y maps", "ies map"));
		return;
	}
	if (function)
		check_sizes(subject, i, function, findings);
	else if (!subject->functions.stripped && f->entry_count)
		findings_add(findings, FINDING_FRAGMENT_NO_SYMBOL, location_of(subject, i, NO_INDEX),
			     "%" PRIu32 " entr%s of a nameless place", f->entry_count, plural_of(f->entry_count, "y", "ies"));
}

/* Does this section have code of BOLT only?  .text, .text.cold and .text.warm have, if BOLT
 * moved the input's text to another section. */
static bool written_by_bolt(const struct binary *subject, const struct symbol *symbol)
{
	if (symbol->section == ABSOLUTE_SECTION)
		return false;
	const struct section *section = &subject->image.sections[symbol->section];
	return section->flags & SHF_EXECINSTR && text_starts(section->name, ".text") &&
	       image_section(&subject->image, ".bolt.org.text");
}

static bool is_cold(const char *name)
{
	const char *cold = strstr(name, ".cold");

	return cold || strstr(name, ".warm");
}

/* In all binaries of BOLT 16 to 24, every function of these sections is in the table. */
static void check_missing(const struct binary *subject, struct findings *findings)
{
	const struct symbol_table *symbols = &subject->functions.symbols;
	uint64_t last = 0;

	for (size_t i = 0; i < symbols->count; i++) {
		const struct symbol *s = &symbols->at[i];
		if (s->type != STT_FUNC || !s->size || s->address == last || s->inside || symbol_is_made(s->name) ||
		    !written_by_bolt(subject, s) || bat_find_exact(&subject->bat, s->address))
			continue;
		struct finding_location location = NO_LOCATION;
		location.function = s->name;
		location.address = last = s->address;
		findings_add(findings, is_cold(s->name) ? FINDING_COLD_MISSING : FINDING_HOT_MISSING,
			     location, "%" PRIu64 " byte%s of code without a map", s->size, plural(s->size));
	}
}

void check_fragments(const struct binary *subject, struct findings *findings)
{
	for (uint32_t i = 0; i < subject->bat.fragment_count; i++)
		check_fragment(subject, i, findings);
	check_missing(subject, findings);
}
