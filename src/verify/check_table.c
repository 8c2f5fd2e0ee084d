/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/verify/checks.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/sort.h"
#include "src/code/block_places.h"
#include "src/elf/binary.h"
#include "src/isa/decoder.h"
#include "src/isa/insn.h"

static void check_secondary(const struct binary *subject, uint32_t i, struct findings *findings)
{
	const struct bat_fragment *f = &subject->bat.fragments[i];
	const uint32_t *offsets = subject->bat.secondary + f->first_secondary;

	for (uint32_t k = 1; k < f->secondary_count; k++)
		if (offsets[k] <= offsets[k - 1])
			findings_add(findings, FINDING_SECONDARY_ORDER,
				     location_of(subject, i, NO_INDEX), "0x%x follows 0x%x",
				     offsets[k], offsets[k - 1]);
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
			     "neither the section nor a symbol shows whose part it is");
	else if (parent != stored)
		findings_add(findings, FINDING_PARENT_WRONG, location_of(subject, i, NO_INDEX),
			     "%s is a part of %s, but the section names %s", name_of(subject, i),
			     name_of(subject, parent),
			     stored == BAT_NO_PARENT ? "no hot function" :
						       name_of(subject, stored));
}

/* The parents that LLVM 18 stored are right only by chance: one finding is enough for all. */
static void check_ordinals(const struct binary *subject, struct findings *findings)
{
	uint32_t wrong = subject->parents.repaired + subject->parents.unknown;

	if (wrong)
		findings_add(
			findings, FINDING_HOT_INDEX_ORDINAL, NO_LOCATION,
			"%u of %u cold fragments have a wrong parent; %u were repaired by their "
			"symbols",
			wrong, subject->parents.cold, subject->parents.repaired);
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
	       insn_is_branch(insn_branch(
		       subject->image.machine,
		       bytes_first(image_bytes_at(&subject->image, at), size - offset), at.v));
}

/* BOLT can make one conditional tail call of a conditional jump and a tail call.  The
 * call's own code is gone then, and its entry has the address of that branch. */
static bool is_elsewhere(const struct binary *subject, const struct bat_fragment *f,
			 struct bat_entry e)
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
		enum finding_kind kind = is_elsewhere(subject, f, e) ? FINDING_ENTRY_ELSEWHERE :
								       FINDING_ENTRY_OUTSIDE;
		findings_add(findings, kind, location_of(subject, i, k),
			     "offset 0x%x, but the fragment has 0x%" PRIx64 " bytes", e.output,
			     size);
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
			     "%" PRIu32 " entr%s nothing", f->entry_count,
			     plural_of(f->entry_count, "y maps", "ies map"));
		return;
	}
	if (function)
		check_sizes(subject, i, function, findings);
	else if (!subject->functions.stripped && f->entry_count)
		findings_add(findings, FINDING_FRAGMENT_NO_SYMBOL,
			     location_of(subject, i, NO_INDEX),
			     "%" PRIu32 " entr%s of a nameless function", f->entry_count,
			     plural_of(f->entry_count, "y", "ies"));
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
		if (s->type != STT_FUNC || !s->size || s->address == last || s->inside ||
		    symbol_is_made(s->name) || !written_by_bolt(subject, s) ||
		    bat_find_exact(&subject->bat, s->address))
			continue;
		struct finding_location location = NO_LOCATION;
		location.function = s->name;
		location.address = last = s->address;
		findings_add(findings,
			     is_cold(s->name) ? FINDING_COLD_MISSING : FINDING_HOT_MISSING,
			     location, "%" PRIu64 " byte%s of code without a map", s->size,
			     plural(s->size));
	}
}

void check_fragments(const struct binary *subject, struct findings *findings)
{
	for (uint32_t i = 0; i < subject->bat.fragment_count; i++)
		check_fragment(subject, i, findings);
	check_missing(subject, findings);
}

/*
 * Is all code of a function in the output that of blocks that the table lists?
 *
 * llvm-bolt deletes blocks that nothing reaches: most are nops between other blocks, left
 * over where it copied or inlined code.  Then NumBlocks is larger than the number of blocks
 * listed.  It is so, too, if an entry is missing; but then the code of the block is still
 * there, after a jump or at the target of one.
 */

struct reading {
	const struct binary *subject;
	struct decoder *decoder;
	const struct bat_fragment *fragment;
	struct bytes code;
};

/* Does the jump lead out of the function, or to the beginning of a block? */
static bool leads_to_block(const struct reading *r, uint64_t target)
{
	const struct bat_table *bat = &r->subject->bat;
	const struct bat_fragment *f = bat_find(bat, target);

	if (!f || f->parent != r->fragment->parent ||
	    target - f->address >= binary_fragment_size(r->subject, (uint32_t)(f - bat->fragments)))
		return true;
	return block_begins(bat, f, target - f->address);
}

/* After a jump, is it llvm-bolt's own, and no block of the input?  Padding, a trap after a tail
 * call (-peepholes), or a jump to a landing pad in another fragment (-split-eh). */
static bool is_made(const struct reading *r, struct insn insn)
{
	if (insn.nop || insn.kind == INSN_TRAP)
		return true;
	const struct bat_fragment *f = insn.kind == INSN_JUMP && insn_is_direct(insn) ?
					       bat_find(&r->subject->bat, insn.target) :
					       NULL;

	return f && f != r->fragment && f->parent == r->fragment->parent &&
	       leads_to_block(r, insn.target);
}

/* After a conditional jump there is the next block, or, where BOLT moved that block, a jump to
 * it. */
static bool goes_on(struct reading *r, uint32_t offset)
{
	struct insn insn;

	if (offset >= r->code.size || block_begins(&r->subject->bat, r->fragment, offset))
		return true;
	return decoder_next(r->decoder, bytes_from(r->code, offset), r->fragment->address + offset,
			    &insn) &&
	       insn.kind == INSN_JUMP;
}

static bool read_code(struct reading *r)
{
	bool behind_jump = true;
	struct insn insn;

	for (uint32_t at = 0; at < r->code.size; at += insn.size) {
		struct bytes rest = bytes_from(r->code, at);
		bool begins = block_begins(&r->subject->bat, r->fragment, at);
		if (!decoder_next(r->decoder, rest, r->fragment->address + at, &insn))
			return false;
		if (behind_jump && !begins && !is_made(r, insn))
			return false;
		behind_jump &= !begins;
		behind_jump |= insn_ends_way(insn);
		if (insn_jumps(insn) && !leads_to_block(r, insn.target))
			return false;
		if (insn.kind == INSN_CONDITIONAL && !goes_on(r, at + insn.size))
			return false;
	}
	return true;
}

/* True if in the code of this fragment a block begins wherever one must: after
 * jumps, except for nops, and where direct ones within the function lead. */
static bool fragment_accounted(const struct binary *subject, struct decoder *decoder,
			       uint32_t fragment)
{
	const struct bat_fragment *f = &subject->bat.fragments[fragment];
	struct bytes code = image_bytes_at(&subject->image, (struct vaddr){f->address});
	struct reading reading = {subject, decoder, f,
				  bytes_first(code, binary_fragment_size(subject, fragment))};

	return read_code(&reading);
}

/*
 * The blocks of an input function, which its fragments share: no two begin at one
 * input offset, and a table with BAT_FEATURE_BLOCKS names each block of the input, by an
 * index that ascends with the offset and by a hash whose low bits are the offset.
 * Blocks that BOLT made itself (block_places.h) are left out.
 */

struct listed {
	uint32_t input, index; /* offset and number of the block in the input */
	uint32_t fragment, entry;
};

struct blocks {
	const struct binary *subject;
	const struct block_starts *starts;
	struct findings *findings;
	struct listed *at; /* those of one function; allocated for the largest one */
	uint32_t count;
	bool code; /* there is code to decode, with `decoder` */
	struct decoder decoder;
};

static int by_input(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;

	if (x->input != y->input)
		return x->input < y->input ? -1 : 1;
	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	if (x->fragment != y->fragment)
		return x->fragment < y->fragment ? -1 : 1;
	return (x->entry > y->entry) - (x->entry < y->entry);
}

static struct finding_location location(const struct blocks *b, const struct listed *block)
{
	return location_of(b->subject, block->fragment, block->entry);
}

static bool is_own(const struct blocks *b, const struct bat_fragment *f, uint32_t entry)
{
	const struct bat_table *bat = &b->subject->bat;

	return block_is_unknown(bat, entry) &&
	       block_starts_promoted(b->starts, f->parent, bat_entry_input(bat->entries[entry]));
}

static void list_blocks(struct blocks *b, uint32_t fragment)
{
	const struct bat_table *bat = &b->subject->bat;
	const struct bat_fragment *f = &bat->fragments[fragment];

	for (uint32_t k = 0; k < f->entry_count; k++) {
		struct bat_entry e = bat->entries[f->first_entry + k];
		uint32_t index = bat->blocks ? bat->blocks[f->first_entry + k].index : 0;
		if (!bat_entry_is_branch(e) && !is_own(b, f, f->first_entry + k))
			b->at[b->count++] = (struct listed){bat_entry_input(e), index, fragment, k};
	}
}

DEFINE_SEARCH(blocks_above, struct listed, uint32_t, item->input <= key)

/* Where the block that begins at `input` ends: where the next one begins. */
static uint32_t block_end(const struct blocks *b, uint32_t input)
{
	size_t next = blocks_above(b->at, b->count, input);

	return next < b->count ? b->at[next].input : UINT32_MAX;
}

/* Do the branch entries after a block entry come from that block? */
static bool has_own_branches(const struct blocks *b, const struct listed *block)
{
	const struct bat_table *bat = &b->subject->bat;
	const struct bat_fragment *f = &bat->fragments[block->fragment];
	const struct bat_entry *e = bat->entries + f->first_entry;
	uint32_t end = block_end(b, block->input);

	for (uint32_t k = block->entry + 1; k < f->entry_count && bat_entry_is_branch(e[k]); k++)
		if (bat_entry_input(e[k]) - block->input >= end - block->input)
			return false;
	return true;
}

/* Two entries come from one input offset.  Are they of one block, which BOLT copied, or split
 * around a call that it promoted or inlined?  Without indices, their branches show. */
static bool is_one_block(const struct blocks *b, const struct listed *last,
			 const struct listed *block)
{
	if (b->subject->bat.blocks)
		return block->index == last->index;
	return has_own_branches(b, last) && has_own_branches(b, block);
}

/* Check two blocks that are next to each other by input offset.  For two blocks with the same
 * offset nothing else is reported, as their other faults follow from that. */
static void check_neighbors(struct blocks *b)
{
	bool hashed = b->subject->bat.blocks;

	for (uint32_t i = 1; i < b->count; i++) {
		const struct listed *last = &b->at[i - 1], *block = &b->at[i];
		if (block->input == last->input)
			findings_add(b->findings,
				     is_one_block(b, last, block) ? FINDING_BLOCK_COPIED :
								    FINDING_INPUT_TWICE,
				     location(b, block),
				     "input 0x%x is the beginning of another one, too",
				     block->input);
		else if (hashed && block->index == last->index)
			findings_add(b->findings, FINDING_BLOCK_INDEX, location(b, block),
				     "index %u is another block's, too", block->index);
		else if (hashed && block->index < last->index)
			findings_add(b->findings, FINDING_BLOCK_ORDER, location(b, block),
				     "index %u at input 0x%x follows index %u at 0x%x",
				     block->index, block->input, last->index, last->input);
	}
}

static void check_hashes(struct blocks *b)
{
	const struct bat_table *bat = &b->subject->bat;

	for (uint32_t i = 0; i < b->count; i++) {
		const struct listed *block = &b->at[i];
		uint32_t entry = bat->fragments[block->fragment].first_entry + block->entry;
		uint16_t low = (uint16_t)bat->blocks[entry].hash;
		if (low != (uint16_t)block->input)
			findings_add(
				b->findings, FINDING_BLOCK_HASH, location(b, block),
				"the hash has 0x%x in its low 16 bits, the entry comes from 0x%x",
				low, block->input);
	}
}

static bool shares_inputs(const struct blocks *b)
{
	for (uint32_t i = 1; i < b->count; i++)
		if (b->at[i].input == b->at[i - 1].input)
			return true;
	return false;
}

/* Is every index in range?  Reports those that are not, unless more blocks are listed than
 * NumBlocks says, so that some must be out of range. */
static bool check_range(struct blocks *b, uint32_t blocks)
{
	bool in_range = true;

	for (uint32_t i = 0; i < b->count; i++) {
		if (b->at[i].index < blocks || b->count > blocks)
			continue;
		in_range = false;
		findings_add(b->findings, FINDING_BLOCK_INDEX, location(b, &b->at[i]),
			     "index %u, but the function has %u block%s", b->at[i].index, blocks,
			     plural(blocks));
	}
	return in_range;
}

/* Fewer blocks are listed than NumBlocks says.  Were the others deleted?  Then the last index
 * shows how many there were, and the function has no code of them. */
static bool are_deleted(struct blocks *b, const struct keyed *fragments, size_t count,
			uint32_t blocks)
{
	bool accounted = b->code && b->count && b->at[b->count - 1].index == blocks - 1;

	for (size_t i = 0; accounted && i < count; i++)
		accounted =
			fragment_accounted(b->subject, &b->decoder, (uint32_t)fragments[i].index);
	return accounted;
}

static void check_counts(struct blocks *b, const struct keyed *fragments, size_t count)
{
	uint32_t hot = (uint32_t)fragments[0].key;
	uint32_t blocks = b->subject->bat.fragments[hot].block_count;

	if (!check_range(b, blocks) || b->count == blocks || shares_inputs(b))
		return;
	if (b->count < blocks && are_deleted(b, fragments, count, blocks))
		findings_add(b->findings, FINDING_BLOCK_DELETED,
			     location_of(b->subject, hot, NO_INDEX),
			     "%u of its %u blocks %s no entry", blocks - b->count, blocks,
			     plural_of(blocks - b->count, "has", "have"));
	else
		findings_add(b->findings, FINDING_BLOCK_COUNT,
			     location_of(b->subject, hot, NO_INDEX),
			     "NumBlocks is %u, and %u block%s listed", blocks, b->count,
			     plural_of(b->count, " is", "s are"));
}

/* Not with BAT_FEATURE_BLOCKS: since LLVM 19 branches keep their input offset when BOLT
 * moves or copies them to another block. */
static void check_branches(struct blocks *b, uint32_t fragment)
{
	const struct bat_fragment *f = &b->subject->bat.fragments[fragment];
	const struct bat_entry *e = b->subject->bat.entries + f->first_entry;
	uint32_t begin = 0, end = UINT32_MAX; /* of the block, once there was one */

	for (uint32_t k = 0; k < f->entry_count; k++) {
		uint32_t input = bat_entry_input(e[k]);
		if (!bat_entry_is_branch(e[k])) {
			begin = input;
			end = block_end(b, input);
		} else if (input < begin || input >= end) {
			findings_add(b->findings, FINDING_BRANCH_ASTRAY,
				     location_of(b->subject, fragment, k),
				     "input 0x%x is not in the block [0x%x, 0x%x)", input, begin,
				     end);
		}
	}
}

/* The fragments of one function, by ascending address. */
static void check_function(struct blocks *b, const struct keyed *fragments, size_t count)
{
	b->count = 0;
	for (size_t i = 0; i < count; i++)
		list_blocks(b, (uint32_t)fragments[i].index);
	if (b->count)
		qsort(b->at, b->count, sizeof(*b->at), by_input);
	check_neighbors(b);
	if (b->subject->bat.blocks) {
		check_hashes(b);
		check_counts(b, fragments, count);
	} else {
		for (size_t i = 0; i < count; i++)
			check_branches(b, (uint32_t)fragments[i].index);
	}
}

static void check_functions(struct blocks *b, const struct keyed *fragments, size_t count)
{
	for (size_t begin = 0, end; begin < count; begin = end) {
		for (end = begin; end < count && fragments[end].key == fragments[begin].key; end++)
			;
		if (fragments[begin].key != BAT_NO_PARENT)
			check_function(b, &fragments[begin], end - begin);
	}
}

bool check_blocks(const struct binary *subject, const struct block_starts *starts, bool code,
		  struct findings *findings)
{
	const struct bat_table *bat = &subject->bat;
	struct blocks blocks = {.subject = subject,
				.starts = starts,
				.findings = findings,
				.code = code && subject->kind != BINARY_SECTION};

	decoder_open(subject->image.machine, &blocks.decoder);
	struct keyed *fragments = malloc((bat->fragment_count + (size_t)1) * sizeof(*fragments));
	blocks.at = malloc((bat->entry_count + (size_t)1) * sizeof(*blocks.at));
	bool ok = fragments && blocks.at;
	for (uint32_t i = 0; ok && i < bat->fragment_count; i++)
		fragments[i] = (struct keyed){bat->fragments[i].parent, i};
	ok = ok && sort_keyed(fragments, bat->fragment_count);
	if (ok)
		check_functions(&blocks, fragments, bat->fragment_count);
	decoder_close(&blocks.decoder);
	free(fragments);
	free(blocks.at);
	return ok;
}
