/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Damage to how entries, instructions and the input binary fit together. */
#include "tests/support/mutate_find.h"

#include "src/verify/check_code.h"

/* Renames the symbol of a fragment: replaces `from` in its name. */
static bool rename_symbol(const struct world *w, struct buffer *file, uint32_t fragment,
			  const char *from, char to)
{
	const struct symbol_table *symbols = &w->subject.functions.symbols;
	uint64_t address = w->subject.bat.fragments[fragment].address;
	bool done = false;

	for (size_t i = 0; i < symbols->count; i++) {
		const struct symbol *s = &symbols->at[i];
		const char *at = s->address == address ? strstr(s->name, from) : NULL;
		if (!at)
			continue;
		file->data[(const uint8_t *)at - w->file.data] = (uint8_t)to;
		done = true;
	}
	return done;
}

struct view {
	struct decoder decoder;
	struct bytes code;
	uint64_t at;
};

static bool view_open(const struct world *w, uint32_t fragment, struct view *v)
{
	v->at = w->subject.bat.fragments[fragment].address;
	v->code = bytes_first(image_bytes_at(&w->subject.image, (struct vaddr){v->at}),
			      binary_fragment_size(&w->subject, fragment));
	if (!v->code.size)
		return false;
	code_decoder_open(w->subject.image.machine, &v->decoder);
	return true;
}

/* Finds the instruction before the one at `end`, in the block that begins at `begin`; 0: there is
 * none, or it does not only continue. */
static uint32_t plain_before(struct view *v, uint32_t begin, uint32_t end)
{
	uint32_t last = 0;

	for (uint32_t at = begin; at < end;) {
		struct insn insn;
		if (!decoder_next(&v->decoder, bytes_from(v->code, at), v->at + at, &insn))
			return 0;
		last = (insn.kind == INSN_NEXT || insn.kind == INSN_SYSTEM) &&
				       at + insn.size == end && v->code.data[at] != 0xf0 ?
			       at :
			       0;
		at += insn.size;
	}
	return last;
}

/* Moves a branch entry to the instruction before it. */
static bool branch_moved(const struct world *w, struct bat_table *t, uint32_t i, struct view *v)
{
	struct bat_entry *e = entries_of(t, i);
	struct insn insn;

	for (uint32_t k = 1; k < t->fragments[i].entry_count; k++) {
		if (!bat_entry_is_branch(e[k]) || e[k].output >= v->code.size ||
		    !decoder_next(&v->decoder, bytes_from(v->code, e[k].output),
				  v->at + e[k].output, &insn) ||
		    (!insn_is_call(insn) && insn.kind != INSN_CONDITIONAL))
			continue;
		uint32_t before = plain_before(v, e[k - 1].output, e[k].output);
		if (before > e[k - 1].output) {
			e[k].output = before;
			return true;
		}
	}
	(void)w;
	return false;
}

static bool entry_moved(const struct world *w, struct bat_table *t, uint32_t i, bool branch,
			struct view *v)
{
	struct bat_entry *e = entries_of(t, i);

	(void)w;
	for (uint32_t k = 1; k + 1 < t->fragments[i].entry_count; k++) {
		if (bat_entry_is_branch(e[k]) != branch || e[k].output + 2 >= e[k + 1].output ||
		    code_length(&v->decoder, bytes_from(v->code, e[k].output), 0) < 2)
			continue;
		e[k].output++;
		return true;
	}
	return false;
}

static bool for_hot(const struct world *w, struct bat_table *t, int what)
{
	bool done = false;

	for (uint32_t i = 1; i < t->fragment_count && !done; i++) {
		struct view v;
		if (t->fragments[i].cold || !view_open(w, i, &v))
			continue;
		done = what == 0 ? branch_moved(w, t, i, &v) : entry_moved(w, t, i, what == 2, &v);
		decoder_close(&v.decoder);
	}
	return done;
}

static bool table_branch_moved(const struct world *w, struct bat_table *t)
{
	return for_hot(w, t, 0);
}

static bool table_block_off(const struct world *w, struct bat_table *t)
{
	return for_hot(w, t, 1);
}

static bool table_branch_off(const struct world *w, struct bat_table *t)
{
	return for_hot(w, t, 2);
}

/* Puts bytes that are no instruction between two entries, which stay. */
static bool file_undecodable(const struct world *w, struct buffer *file)
{
	const struct bat_table *t = &w->subject.bat;

	if (w->subject.image.machine != MACHINE_X86_64)
		return false;
	for (uint32_t i = 0; i < t->fragment_count; i++) {
		const struct bat_entry *e = t->entries + t->fragments[i].first_entry;
		for (uint32_t k = 0; k + 1 < t->fragments[i].entry_count; k++) {
			struct vaddr at = {t->fragments[i].address + e[k].output};
			struct bytes code = image_bytes_at(&w->subject.image, at);
			if (bat_entry_is_branch(e[k]) || e[k + 1].output <= e[k].output + 8 ||
			    e[k + 1].output > binary_fragment_size(&w->subject, i))
				continue;
			memset(file->data + (code.data - w->file.data), 0x06,
			       e[k + 1].output - e[k].output);
			return true;
		}
	}
	return false;
}

static bool file_build_id(const struct world *w, struct buffer *file)
{
	const struct section *s = image_section(&w->subject.image, ".note.gnu.build-id");

	if (s)
		file->data[s->offset + s->size - 2] ^= 0x10;
	return s;
}

static bool file_renamed(const struct world *w, struct buffer *file)
{
	uint32_t i = whole_function(w);

	return i != NO_INDEX && rename_symbol(w, file, i, "", '#');
}

static bool table_input_outside(const struct world *w, struct bat_table *t)
{
	struct pair p;

	if (!t->blocks || !find_pair(w, t, &p))
		return false;
	t->entries[p.b].input += 0x100000 << 1;
	return true;
}

/* Moves the input offset of a branch out of its block, in a table that can show that. */
static bool table_input_off(const struct world *w, struct bat_table *t)
{
	for (uint32_t i = 0; i < t->fragment_count; i++) {
		struct bat_entry *e = entries_of(t, i);
		for (uint32_t k = 1; k < t->fragments[i].entry_count; k++) {
			if (!bat_entry_is_branch(e[k]) || bat_entry_is_branch(e[k - 1]) ||
			    e[k].output > e[k - 1].output + 20)
				continue;
			/* On machines whose instructions have even addresses, an odd one would be
			 * another fault. */
			if (w->subject.image.machine == MACHINE_X86_64)
				return false;
			e[k].input -= 2;
			return true;
		}
	}
	return false;
}

/* Moves the input side of a branch to the instruction before it, in code that is the same byte for
 * byte in input and output. */
static bool table_input_moved(const struct world *w, struct bat_table *t)
{
	struct insn insn;

	for (uint32_t i = 1; i < t->fragment_count; i++) {
		struct bat_entry *e = entries_of(t, i);
		struct view v;
		if (!view_open(w, i, &v))
			continue;
		for (uint32_t k = 1; k < t->fragments[i].entry_count; k++) {
			if (!bat_entry_is_branch(e[k]) || bat_entry_is_branch(e[k - 1]) ||
			    e[k].output >= v.code.size ||
			    e[k].output - e[k - 1].output !=
				    bat_entry_input(e[k]) - bat_entry_input(e[k - 1]) ||
			    !decoder_next(&v.decoder, bytes_from(v.code, e[k].output),
					  v.at + e[k].output, &insn) ||
			    !insn_is_call(insn))
				continue;
			uint32_t before = plain_before(&v, e[k - 1].output, e[k].output);
			if (before <= e[k - 1].output)
				continue;
			e[k].input -= (e[k].output - before) << 1;
			decoder_close(&v.decoder);
			return true;
		}
		decoder_close(&v.decoder);
	}
	return false;
}

/* Gives a block what BOLT writes for a block that it made itself. */
static bool table_no_hash(const struct world *w, struct bat_table *t)
{
	struct pair p;

	if (!t->blocks || !find_pair(w, t, &p))
		return false;
	t->blocks[p.b].hash = 0;
	t->blocks[p.b].index = 0;
	return true;
}

/* Moves a block that BOLT made away from the call for which it was made. */
static bool table_made_elsewhere(const struct world *w, struct bat_table *t)
{
	(void)w;
	for (uint32_t k = 1; t->blocks && k < t->entry_count; k++) {
		if (bat_entry_is_branch(t->entries[k]) || t->blocks[k].hash)
			continue;
		t->entries[k].input += 2;
		return true;
	}
	return false;
}

const struct mutation code_mutations[] = {
	{"hash and index of a block gone", FINDING_BLOCK_HASH, ALSO(BLOCK_ORDER),
	 .table = table_no_hash},
	{"made block of no call", FINDING_BLOCK_HASH, ALONE, .table = table_made_elsewhere,
	 .others = true},
	{"branch entry on the instruction before", FINDING_NO_BRANCH, ALONE,
	 .table = table_branch_moved},
	{"block entry a byte off", FINDING_INSIDE_INSN, ALONE, .table = table_block_off},
	{"branch entry a byte off", FINDING_INSIDE_INSN, ALONE, .table = table_branch_off},
	{"code overwritten", FINDING_CODE_UNDECODABLE, ALONE, .file = file_undecodable},
	{"build-id of another input", FINDING_INPUT_BUILD, ALONE, .file = file_build_id,
	 .with_input = true},
	{"function of another name", FINDING_INPUT_NO_FUNCTION, ALSO(SYMBOL_LOST),
	 .file = file_renamed, .with_input = true, .others = true},
	{"input offset behind the end", FINDING_INPUT_OUTSIDE, ALONE, .table = table_input_outside,
	 .with_input = true},
	{"input offset a byte off", FINDING_INPUT_INSIDE_INSN, ALONE, .table = table_input_off,
	 .with_input = true},
	{"input offset an instruction off", FINDING_INPUT_NO_BRANCH, ALONE,
	 .table = table_input_moved, .with_input = true},
	{.name = NULL},
};
