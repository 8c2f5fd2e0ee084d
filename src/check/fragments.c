/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <elf.h>
#include <inttypes.h>
#include <string.h>

#include "src/check/checks.h"
#include "src/isa/insn.h"

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
			     "%" PRIu32 " entries map nothing", f->entry_count);
		return;
	}
	if (function)
		check_sizes(subject, i, function, findings);
	else if (!subject->functions.stripped && f->entry_count)
		findings_add(findings, FINDING_FRAGMENT_NO_SYMBOL, location_of(subject, i, NO_INDEX),
			     "%" PRIu32 " entries of a nameless place", f->entry_count);
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

/* Is it a function that BOLT added, and no function of the input? */
static bool is_made(const char *name)
{
	return !strncmp(name, "__retpoline_", 12);
}

static bool is_cold(const char *name)
{
	const char *cold = strstr(name, ".cold");

	return cold || strstr(name, ".warm");
}

/* In all binaries of BOLT 16 to 23, every function of these sections is in the table. */
static void check_missing(const struct binary *subject, struct findings *findings)
{
	const struct symbol_table *symbols = &subject->functions.symbols;
	uint64_t last = 0;

	for (size_t i = 0; i < symbols->count; i++) {
		const struct symbol *s = &symbols->at[i];
		if (s->type != STT_FUNC || !s->size || s->address == last || s->inside || is_made(s->name) ||
		    !written_by_bolt(subject, s) || bat_find_exact(&subject->bat, s->address))
			continue;
		struct finding_location location = NO_LOCATION;
		location.function = s->name;
		location.address = last = s->address;
		findings_add(findings, is_cold(s->name) ? FINDING_COLD_MISSING : FINDING_HOT_MISSING,
			     location, "%" PRIu64 " bytes of code without a map", s->size);
	}
}

void check_fragments(const struct binary *subject, struct findings *findings)
{
	for (uint32_t i = 0; i < subject->bat.fragment_count; i++)
		check_fragment(subject, i, findings);
	check_missing(subject, findings);
}
