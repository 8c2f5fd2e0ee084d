/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The kinds of damage.  Each finds its place by what the section holds, so that it
 * works on all of them. */
#include <elf.h>
#include <stdlib.h>

#include "src/check/code.h"
#include "tests/support/mutate_bat.h"

/* --- the note ------------------------------------------------------------- */

static bool note_desc_too_long(const struct world *w, struct buffer *note)
{
	(void)w;
	note->data[6] = 0x7f;
	return true;
}

static bool note_longer_section(const struct world *w, struct buffer *note)
{
	(void)w;
	buffer_replace(note, note->size, 0, "\1\2\3\4", 4);
	return true;
}

static bool note_foreign_owner(const struct world *w, struct buffer *note)
{
	(void)w;
	memcpy(note->data + 12, "CORE", 4);
	return true;
}

static bool note_foreign_type(const struct world *w, struct buffer *note)
{
	(void)w;
	note->data[8] = 4; /* BOLT's own type of code heatmaps or other notes */
	return true;
}

static bool note_padding(const struct world *w, struct buffer *note)
{
	(void)w;
	note->data[18] = 1;
	return true;
}

/* --- the file ------------------------------------------------------------- */

static uint8_t *header_of(const struct buffer *file, const struct section *section)
{
	return file->data + le64(file->data + 40) + section->index * sizeof(Elf64_Shdr);
}

static bool file_no_note_type(const struct world *w, struct buffer *file)
{
	header_of(file, w->section)[4] = SHT_PROGBITS;
	return true;
}

static bool file_loaded(const struct world *w, struct buffer *file)
{
	header_of(file, w->section)[8] |= SHF_ALLOC;
	return true;
}

static bool file_two_notes(const struct world *w, struct buffer *file)
{
	const struct section *other = image_section(&w->subject.image, ".comment");

	if (!other)
		return false;
	memcpy(header_of(file, other), header_of(file, w->section), 4);
	return true;
}

static bool file_misaligned(const struct world *w, struct buffer *file)
{
	uint8_t *table = file->data + le64(file->data + 32);

	(void)w;
	for (unsigned i = 0; i < le16(file->data + 56); i++) {
		uint8_t *p = table + i * sizeof(Elf64_Phdr);
		if (le32(p) == PT_LOAD && p[4] & PF_X) {
			p[16] ^= 0x10; /* p_vaddr */
			return true;
		}
	}
	return false;
}

/* Another name for the symbol of a fragment: change what `from` is in it. */
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

/* --- descriptor ----------------------------------------------------------- */

static bool desc_cut(const struct world *w, struct buffer *desc)
{
	const struct bat_field *pairs = world_field(w, "NumCold", 0, NULL);

	/* With its count intact, `fixed` would say that the count is too large. */
	desc->size = pairs ? pairs->byte + 2 : desc->size - 1;
	return true;
}

static bool desc_left_over(const struct world *w, struct buffer *desc)
{
	(void)w;
	buffer_replace(desc, desc->size, 0, "\0\0\0\0", 4);
	return true;
}

static bool in_middle(const struct world *w, const struct bat_field *f)
{
	return f->byte > w->subject.desc.size / 2;
}

static bool replace_field(const struct world *w, struct buffer *desc, const char *name,
			  const void *with, size_t size)
{
	const struct bat_field *f = world_field(w, name, 0, in_middle);

	if (f)
		buffer_replace(desc, f->byte, f->size, with, size);
	return f;
}

static bool desc_wide(const struct world *w, struct buffer *desc)
{
	return w->subject.bat.layout != BAT_FIXED &&
	       replace_field(w, desc, "OutputOffset", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10);
}

static bool desc_wide_input(const struct world *w, struct buffer *desc)
{
	return w->subject.bat.layout != BAT_FIXED &&
	       replace_field(w, desc, "InputOffset", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x3f", 11);
}

static bool desc_many_entries(const struct world *w, struct buffer *desc)
{
	bool fixed = w->subject.bat.layout == BAT_FIXED;

	return replace_field(w, desc, "NumEntries", "\xff\xff\xff\x7f", fixed ? 4 : 4);
}

static bool desc_many_cold(const struct world *w, struct buffer *desc)
{
	return replace_field(w, desc, "NumCold", "\xff\xff\xff\x7f", 4);
}

static bool desc_many_functions(const struct world *w, struct buffer *desc)
{
	return replace_field(w, desc, "NumFuncs", "\xff\xff\xff\x7f", 4);
}

static bool desc_many_secondary(const struct world *w, struct buffer *desc)
{
	return replace_field(w, desc, "NumSecEntryPoints", "\xff\xff\xff\x7f", 4);
}

static bool before_entries(const struct world *w, const struct bat_field *f)
{
	/* NumEntries stands right before EqualElems. */
	return in_middle(w, f) && f[-1].value < 0x7f;
}

static bool desc_equal_elems(const struct world *w, struct buffer *desc)
{
	const struct bat_field *f = world_field(w, "EqualElems", 0, before_entries);

	if (f)
		desc->data[f->byte] = (uint8_t)(f[-1].value + 1);
	return f;
}

static bool desc_hot_index(const struct world *w, struct buffer *desc)
{
	return replace_field(w, desc, "HotIndex", "\xff\xff\x7f", 3);
}

static bool desc_cold_address(const struct world *w, struct buffer *desc)
{
	const struct bat_field *f = world_field(w, "ColdAddress", 0, in_middle);

	if (f)
		desc->data[f->byte]++;
	return f;
}

static size_t put_uleb(uint8_t *out, uint64_t value)
{
	size_t size = 0;

	for (; value >= 0x80; value >>= 7)
		out[size++] = (uint8_t)(value | 0x80);
	out[size++] = (uint8_t)value;
	return size;
}

/* A fragment at the address of the one before it. */
static bool same_address(const struct world *w, struct buffer *desc, bool cold)
{
	bool fixed = w->subject.bat.layout == BAT_FIXED;
	const struct bat_field *last = NULL;
	uint8_t bytes[10];

	for (size_t i = 0; i < w->field_count; i++) {
		const struct bat_field *f = &w->fields[i];
		if (f->cold != cold || strcmp(f->name, fixed ? "OutputAddress" : "Address"))
			continue;
		bool early = !last || (!cold && !in_middle(w, f));
		if (!early && fixed) {
			memcpy(desc->data + f->byte, desc->data + last->byte, 8);
			return true;
		}
		if (!early) {
			size_t size = put_uleb(bytes, f->stored - (f->value - last->value));
			buffer_replace(desc, f->byte, f->size, bytes, size);
			return true;
		}
		last = f;
	}
	return false;
}

static bool desc_address_order(const struct world *w, struct buffer *desc)
{
	return same_address(w, desc, false);
}

static bool desc_cold_address_order(const struct world *w, struct buffer *desc)
{
	return same_address(w, desc, true);
}

static bool behind_another(const struct world *w, const struct bat_field *f)
{
	return in_middle(w, f) && f->entry > 1 && f->stored > 1;
}

static bool desc_offset_order(const struct world *w, struct buffer *desc)
{
	const struct bat_field *f = world_field(w, "OutputOffset", 0, behind_another);
	uint8_t bytes[10];

	if (f && w->subject.bat.layout == BAT_FIXED)
		memset(desc->data + f->byte, 0, 4);
	else if (f)
		buffer_replace(desc, f->byte, f->size, bytes, put_uleb(bytes, UINT64_MAX));
	return f;
}

static bool pad_number(const struct world *w, struct buffer *desc, const char *name)
{
	const struct bat_field *f = world_field(w, name, 0, in_middle);
	bool negative = f && f->encoding == BAT_SLEB && f->stored >> 63;

	if (!f || (f->encoding != BAT_ULEB && f->encoding != BAT_SLEB))
		return false;
	desc->data[f->byte + f->size - 1] |= 0x80;
	buffer_replace(desc, f->byte + f->size, 0, negative ? "\x7f" : "\0", 1);
	return true;
}

static bool desc_padded_offset(const struct world *w, struct buffer *desc)
{
	return pad_number(w, desc, "OutputOffset");
}

static bool desc_padded_input(const struct world *w, struct buffer *desc)
{
	return pad_number(w, desc, "InputOffset");
}

static bool desc_padded_count(const struct world *w, struct buffer *desc)
{
	return pad_number(w, desc, "NumEntries");
}

static bool desc_padded_index(const struct world *w, struct buffer *desc)
{
	return pad_number(w, desc, "BBIdx");
}

static bool has_spare_bits(const struct world *w, const struct bat_field *f)
{
	return in_middle(w, f) && f[-1].value % 8;
}

static bool desc_mask_bits(const struct world *w, struct buffer *desc)
{
	const struct bat_field *f = world_field(w, "BranchEntries", 0, has_spare_bits);

	if (f)
		desc->data[f->byte + f->size - 1] |= 0x80;
	return f;
}

/* EqualElems 0 where it could be 1: the entry 0 -> 0 is stored in full. */
static bool one_equal(const struct world *w, const struct bat_field *f)
{
	return in_middle(w, f) && !f->cold && f->value == 1;
}

static bool desc_equal_short(const struct world *w, struct buffer *desc)
{
	const struct bat_field *f = world_field(w, "EqualElems", 0, one_equal);

	if (!f || f[2].value)
		return false;
	buffer_replace(desc, f[2].byte + f[2].size, 0, "\0", 1); /* InputOffset */
	buffer_replace(desc, f->byte, 2, "\0", 1);               /* and no mask */
	return true;
}

static bool small_count(const struct world *w, const struct bat_field *f)
{
	return in_middle(w, f) && f->value > 2 && f->value < 0x7f && f[1].entry == 0;
}

/* The second entry once more, where a layout keeps one of each offset. */
static bool desc_entry_twice(const struct world *w, struct buffer *desc)
{
	const struct bat_field *f = world_field(w, "NumEntries", 0, small_count);
	uint8_t entry[8];

	if (!f || w->subject.bat.layout == BAT_HASHED || w->subject.bat.layout == BAT_EQUAL)
		return false;
	const struct bat_field *second = f + 3;
	if (w->subject.bat.layout == BAT_FIXED) {
		memcpy(entry, desc->data + second->byte, 8);
		buffer_replace(desc, second->byte + 8, 0, entry, 8);
	} else {
		buffer_replace(desc, second[1].byte + second[1].size, 0, "\0\0", 2);
	}
	desc->data[f->byte]++;
	return true;
}

/* --- the table ------------------------------------------------------------ */

static struct bat_entry *entries_of(struct bat_table *t, uint32_t fragment)
{
	return t->entries + t->fragments[fragment].first_entry;
}

static bool hashed(const struct bat_table *t)
{
	return t->layout == BAT_HASHED;
}

static void drop_entries(struct bat_table *t, uint32_t fragment)
{
	t->fragments[fragment].entry_count = 0;
	t->fragments[fragment].block_count = 0;
}

static bool has_cold(const struct bat_table *t, uint32_t fragment)
{
	for (uint32_t i = 0; i < t->fragment_count; i++)
		if (t->fragments[i].cold && t->fragments[i].parent == fragment)
			return true;
	return false;
}

static bool is_function(const struct world *w, uint32_t fragment)
{
	const struct symbol_table *symbols = &w->subject.functions.symbols;
	uint64_t address = w->subject.bat.fragments[fragment].address;

	for (size_t i = symbols_above(symbols, address - 1); i < symbols_above(symbols, address); i++)
		if (symbols->at[i].type == STT_FUNC && symbols->at[i].size)
			return true;
	return false;
}

/* A hot fragment without cold parts, not the first. */
static uint32_t whole_function(const struct world *w)
{
	const struct bat_table *t = &w->subject.bat;

	for (uint32_t i = 1; i < t->fragment_count; i++)
		if (!t->fragments[i].cold && !has_cold(t, i) && is_function(w, i) &&
		    t->fragments[i].entry_count > 1)
			return i;
	return NO_INDEX;
}

static bool table_empty(const struct world *w, struct bat_table *t)
{
	(void)w;
	for (uint32_t i = 0; i < t->fragment_count; i++)
		drop_entries(t, i);
	return true;
}

static bool table_empty_map(const struct world *w, struct bat_table *t)
{
	uint32_t i = whole_function(w);

	if (i != NO_INDEX)
		drop_entries(t, i);
	return i != NO_INDEX;
}

static bool table_hot_start(const struct world *w, struct bat_table *t)
{
	uint32_t i = whole_function(w);

	if (i == NO_INDEX || hashed(t))
		return false;
	t->fragments[i].first_entry++;
	t->fragments[i].entry_count--;
	return true;
}

/* A fragment whose last entry is a block. */
static bool table_never_emitted(const struct world *w, struct bat_table *t)
{
	(void)w;
	for (uint32_t i = 1; i < t->fragment_count; i++) {
		struct bat_entry *e = entries_of(t, i) + t->fragments[i].entry_count - 1;
		if (t->fragments[i].entry_count > 2 && !bat_entry_is_branch(*e)) {
			e->output = (uint32_t)-t->fragments[i].address;
			return true;
		}
	}
	return false;
}

static bool table_outside(const struct world *w, struct bat_table *t)
{
	uint32_t i = whole_function(w);

	if (i == NO_INDEX)
		return false;
	entries_of(t, i)[t->fragments[i].entry_count - 1].output =
		(uint32_t)w->subject.functions.at[w->subject.function_of[i]].extent + 0x10000;
	return true;
}

/* Neighbouring blocks of the input, in one function without cold parts. */
struct pair {
	uint32_t a, b; /* entries; b comes from behind a, no block from between */
};

static bool find_pair(const struct world *w, const struct bat_table *t, struct pair *out)
{
	for (uint32_t i = 0; i < t->fragment_count; i++) {
		const struct bat_fragment *f = &t->fragments[i];
		uint32_t a = NO_INDEX, b = NO_INDEX;
		if (f->cold || has_cold(&w->subject.bat, i))
			continue;
		/* The two blocks that come from farthest behind. */
		for (uint32_t k = f->first_entry; k < f->first_entry + f->entry_count; k++) {
			if (bat_entry_is_branch(t->entries[k]) || !t->entries[k].input)
				continue;
			if (b == NO_INDEX || t->entries[k].input > t->entries[b].input) {
				a = b;
				b = k;
			} else if (a == NO_INDEX || t->entries[k].input > t->entries[a].input) {
				a = k;
			}
		}
		if (a != NO_INDEX) {
			*out = (struct pair){a, b};
			return true;
		}
	}
	return false;
}

static void set_input(struct bat_table *t, uint32_t entry, uint32_t input)
{
	t->entries[entry].input = input << 1 | (t->entries[entry].input & 1);
	if (t->blocks && !(t->entries[entry].input & 1))
		t->blocks[entry].hash = (t->blocks[entry].hash & ~UINT64_C(0xffff)) | (input & 0xffff);
}

static bool table_input_twice(const struct world *w, struct bat_table *t)
{
	struct pair p;

	if (!find_pair(w, t, &p))
		return false;
	set_input(t, p.b, bat_entry_input(t->entries[p.a]));
	return true;
}

static bool table_block_copied(const struct world *w, struct bat_table *t)
{
	struct pair p;

	if (!t->blocks || !find_pair(w, t, &p))
		return false;
	set_input(t, p.b, bat_entry_input(t->entries[p.a]));
	t->blocks[p.b].index = t->blocks[p.a].index;
	return true;
}

static bool table_branch_astray(const struct world *w, struct bat_table *t)
{
	(void)w;
	for (uint32_t i = 0; i < t->fragment_count && !hashed(t); i++) {
		struct bat_entry *e = entries_of(t, i);
		for (uint32_t k = 1; k < t->fragments[i].entry_count; k++) {
			if (!bat_entry_is_branch(e[k]) || bat_entry_is_branch(e[k - 1]) || !e[k - 1].input)
				continue;
			e[k].input = 1; /* input 0, which is the first block's */
			return true;
		}
	}
	return false;
}

static bool table_more_blocks(const struct world *w, struct bat_table *t)
{
	uint32_t i = whole_function(w);

	if (i != NO_INDEX)
		t->fragments[i].block_count++;
	return i != NO_INDEX && hashed(t);
}

static bool table_fewer_blocks(const struct world *w, struct bat_table *t)
{
	uint32_t i = whole_function(w);

	if (i != NO_INDEX)
		t->fragments[i].block_count--;
	return i != NO_INDEX && hashed(t);
}

static bool table_no_block(const struct world *w, struct bat_table *t)
{
	uint32_t i = whole_function(w);
	uint32_t last = i == NO_INDEX ? 0 : t->fragments[i].entry_count - 1;

	if (i == NO_INDEX || !hashed(t) || bat_entry_is_branch(entries_of(t, i)[last]))
		return false;
	t->fragments[i].entry_count--;
	return true;
}

static bool table_index_range(const struct world *w, struct bat_table *t)
{
	struct pair p;

	if (!t->blocks || !find_pair(w, t, &p))
		return false;
	t->blocks[p.b].index += 100;
	return true;
}

static bool table_index_twice(const struct world *w, struct bat_table *t)
{
	struct pair p;

	if (!t->blocks || !find_pair(w, t, &p))
		return false;
	t->blocks[p.b].index = t->blocks[p.a].index;
	return true;
}

static bool table_index_swapped(const struct world *w, struct bat_table *t)
{
	struct pair p;

	if (!t->blocks || !find_pair(w, t, &p))
		return false;
	uint32_t index = t->blocks[p.a].index;
	t->blocks[p.a].index = t->blocks[p.b].index;
	t->blocks[p.b].index = index;
	return true;
}

static bool table_hash(const struct world *w, struct bat_table *t)
{
	struct pair p;

	if (!t->blocks || !find_pair(w, t, &p))
		return false;
	t->blocks[p.a].hash ^= 1;
	return true;
}

static bool table_hashes_swapped(const struct world *w, struct bat_table *t)
{
	struct pair p;

	if (!t->blocks || !find_pair(w, t, &p))
		return false;
	uint64_t hash = t->blocks[p.a].hash;
	t->blocks[p.a].hash = t->blocks[p.b].hash;
	t->blocks[p.b].hash = hash;
	return true;
}

static bool table_input_shifted(const struct world *w, struct bat_table *t)
{
	struct pair p;

	if (!t->blocks || !find_pair(w, t, &p))
		return false;
	t->entries[p.b].input += 2;
	return true;
}

static bool table_secondary(const struct world *w, struct bat_table *t)
{
	uint32_t i = whole_function(w);

	if (i == NO_INDEX || !hashed(t))
		return false;
	free(t->secondary);
	t->secondary = malloc((t->secondary_count + 2) * sizeof(*t->secondary));
	if (!t->secondary)
		return false;
	for (uint32_t k = 0; k < t->fragment_count; k++)
		t->fragments[k].secondary_count = 0;
	t->secondary[0] = 8;
	t->secondary[1] = 4;
	t->fragments[i].first_secondary = 0;
	t->fragments[i].secondary_count = 2;
	return true;
}

static bool table_parent(const struct world *w, struct bat_table *t)
{
	(void)w;
	if (t->layout != BAT_HASHED && t->layout != BAT_FIXED)
		return false; /* LLVM 18's are all wrong already */
	for (uint32_t i = 0; i < t->fragment_count; i++) {
		struct bat_fragment *f = &t->fragments[i];
		if (!f->cold || f->parent == 0)
			continue;
		f->stored_hot = t->layout == BAT_FIXED ? t->fragments[0].address : 0;
		return !t->fragments[0].cold;
	}
	return false;
}

static bool table_parent_nowhere(const struct world *w, struct bat_table *t)
{
	(void)w;
	for (uint32_t i = 0; i < t->fragment_count; i++) {
		if (t->layout != BAT_FIXED || !t->fragments[i].cold)
			continue;
		t->fragments[i].stored_hot = 0x10;
		return true;
	}
	return false;
}

static bool table_ordinals(const struct world *w, struct bat_table *t)
{
	uint64_t n = 0;

	if (!hashed(t) || w->subject.parents.cold < 3)
		return false;
	for (uint32_t i = 0; i < t->fragment_count; i++)
		if (t->fragments[i].cold)
			t->fragments[i].stored_hot = n++;
	return true;
}

/* A fragment more: one entry 0 -> 0 at an address, hot, at its place in the order. */
static bool add_fragment(struct bat_table *t, uint64_t address)
{
	uint32_t at = 0;

	while (at < t->fragment_count && t->fragments[at].address < address)
		at++;
	struct bat_fragment *more = malloc((t->fragment_count + (size_t)1) * sizeof(*more));
	if (!more)
		return false;
	memcpy(more, t->fragments, at * sizeof(*more));
	memcpy(more + at + 1, t->fragments + at, (t->fragment_count - at) * sizeof(*more));
	more[at] = (struct bat_fragment){.address = address, .first_entry = t->fragments[0].first_entry,
					 .entry_count = 1, .block_count = 1, .parent = at};
	/* Every hot function behind it counts one more. */
	uint32_t rank = 0;
	for (uint32_t i = 0; i < at; i++)
		rank += !more[i].cold;
	for (uint32_t i = 0; i <= t->fragment_count; i++)
		if (more[i].cold && t->layout != BAT_FIXED && more[i].stored_hot >= rank)
			more[i].stored_hot++;
	free(t->fragments);
	t->fragments = more;
	t->fragment_count++;
	t->hot_count++;
	return true;
}

static bool table_far_fragment(const struct world *w, struct bat_table *t)
{
	(void)w;
	return t->layout != BAT_DELTA && t->layout != BAT_EQUAL && add_fragment(t, 0x7f0000000000);
}

static bool table_nameless_fragment(const struct world *w, struct bat_table *t)
{
	uint32_t i = whole_function(w);

	return i != NO_INDEX && t->layout != BAT_DELTA && t->layout != BAT_EQUAL &&
	       add_fragment(t, t->fragments[i].address + 1);
}

static void remove_fragment(struct bat_table *t, uint32_t i)
{
	t->hot_count -= !t->fragments[i].cold;
	t->fragment_count--;
	memmove(&t->fragments[i], &t->fragments[i + 1],
		(t->fragment_count - i) * sizeof(*t->fragments));
}

static bool table_no_cold(const struct world *w, struct bat_table *t)
{
	if (!w->subject.parents.cold)
		return false;
	for (uint32_t i = t->fragment_count; i-- > 0;)
		if (t->fragments[i].cold)
			remove_fragment(t, i);
	return true;
}

static bool table_no_cold_unhashed(const struct world *w, struct bat_table *t)
{
	return !hashed(t) && table_no_cold(w, t);
}

static bool table_no_cold_hashed(const struct world *w, struct bat_table *t)
{
	return hashed(t) && table_no_cold(w, t);
}

static bool table_no_hot(const struct world *w, struct bat_table *t)
{
	uint32_t i = whole_function(w);
	uint32_t rank = 0;

	if (i == NO_INDEX || t->layout == BAT_DELTA || t->layout == BAT_EQUAL)
		return false;
	for (uint32_t k = 0; k < i; k++)
		rank += !t->fragments[k].cold;
	for (uint32_t k = 0; k < t->fragment_count; k++)
		if (t->fragments[k].cold && t->layout != BAT_FIXED && t->fragments[k].stored_hot > rank)
			t->fragments[k].stored_hot--;
	remove_fragment(t, i);
	return true;
}

/* --- entries and instructions --------------------------------------------- */

struct view {
	struct decoder decoder;
	struct bytes code;
	uint64_t at;
};

static bool view_open(const struct world *w, uint32_t fragment, struct view *v)
{
	v->at = w->subject.bat.fragments[fragment].address;
	v->code = bytes_first(image_bytes_at(&w->subject.image, (struct vaddr){v->at}),
			      table_file_size(&w->subject, fragment));
	if (!v->code.size)
		return false;
	code_decoder_open(w->subject.image.machine, &v->decoder);
	return true;
}

/* The instruction before the one at `end`, in the block that begins at `begin`; 0:
 * there is none that only goes on. */
static uint32_t plain_before(struct view *v, uint32_t begin, uint32_t end)
{
	uint32_t last = 0;

	for (uint32_t at = begin; at < end;) {
		struct insn insn;
		if (!decoder_next(&v->decoder, bytes_from(v->code, at), v->at + at, &insn))
			return 0;
		last = insn.flow == FLOW_NEXT && at + insn.size == end && v->code.data[at] != 0xf0 ? at : 0;
		at += insn.size;
	}
	return last;
}

/* A branch entry that can be moved to the instruction before it. */
static bool branch_moved(const struct world *w, struct bat_table *t, uint32_t i, struct view *v)
{
	struct bat_entry *e = entries_of(t, i);
	struct insn insn;

	for (uint32_t k = 1; k < t->fragments[i].entry_count; k++) {
		if (!bat_entry_is_branch(e[k]) || e[k].output >= v->code.size ||
		    !decoder_next(&v->decoder, bytes_from(v->code, e[k].output), v->at + e[k].output, &insn) ||
		    (insn.flow != FLOW_CALL && insn.flow != FLOW_CONDITIONAL))
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

/* Bytes that are no instruction, between two entries that stay. */
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
			    e[k + 1].output > table_file_size(&w->subject, i))
				continue;
			memset(file->data + (code.data - w->file.data), 0x06,
			       e[k + 1].output - e[k].output);
			return true;
		}
	}
	return false;
}

/* --- the input binary ----------------------------------------------------- */

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

/* Branches of blocks keep their place in the block, where the table can tell. */
static bool table_input_off(const struct world *w, struct bat_table *t)
{
	for (uint32_t i = 0; i < t->fragment_count; i++) {
		struct bat_entry *e = entries_of(t, i);
		for (uint32_t k = 1; k < t->fragments[i].entry_count; k++) {
			if (!bat_entry_is_branch(e[k]) || bat_entry_is_branch(e[k - 1]) ||
			    e[k].output > e[k - 1].output + 20)
				continue;
			/* An odd address on machines that have none. */
			if (w->subject.image.machine == MACHINE_X86_64)
				return false;
			e[k].input -= 2;
			return true;
		}
	}
	return false;
}

/* The input side of a branch moved to the instruction before it, as far as output
 * and input agree byte for byte. */
static bool table_input_moved(const struct world *w, struct bat_table *t)
{
	struct insn insn;

	for (uint32_t i = 1; i < t->fragment_count; i++) {
		struct bat_entry *e = entries_of(t, i);
		struct view v;
		if (!view_open(w, i, &v))
			continue;
		for (uint32_t k = 1; k < t->fragments[i].entry_count; k++) {
			if (!bat_entry_is_branch(e[k]) || bat_entry_is_branch(e[k - 1]) || e[k].output >= v.code.size ||
			    e[k].output - e[k - 1].output != bat_entry_input(e[k]) - bat_entry_input(e[k - 1]) ||
			    !decoder_next(&v.decoder, bytes_from(v.code, e[k].output), v.at + e[k].output, &insn) ||
			    insn.flow != FLOW_CALL)
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

#define ALSO(kind) .also = FINDING_##kind
#define ALONE .also = -1

const struct mutation mutations[] = {
	{"descsz beyond the section", FINDING_NOTE_DAMAGED, ALONE, .note = note_desc_too_long},
	{"bytes behind the note", FINDING_NOTE_DAMAGED, ALONE, .note = note_longer_section},
	{"section of another type", FINDING_NOTE_DAMAGED, ALONE, .file = file_no_note_type},
	{"note of another owner", FINDING_NOTE_FOREIGN, ALONE, .note = note_foreign_owner},
	{"note of another type", FINDING_NOTE_FOREIGN, ALONE, .note = note_foreign_type},
	{"two sections", FINDING_NOTE_TWICE, ALONE, .file = file_two_notes},
	{"padding that is not zero", FINDING_NOTE_PADDING, ALONE, .note = note_padding},
	{"section in memory", FINDING_NOTE_LOADED, ALONE, .file = file_loaded},
	{"segment misaligned", FINDING_SEGMENT_MISALIGNED, ALONE, .file = file_misaligned},
	{"descriptor cut", FINDING_DESC_CUT, ALONE, .desc = desc_cut},
	{"descriptor with more bytes", FINDING_DESC_LEFT, ALONE, .desc = desc_left_over},
	{"OutputOffset of 70 bits", FINDING_NUMBER_WIDE, ALONE, .desc = desc_wide},
	{"InputOffset of 77 bits", FINDING_NUMBER_WIDE, ALONE, .desc = desc_wide_input},
	{"NumEntries too large", FINDING_COUNT_LARGE, ALONE, .desc = desc_many_entries},
	{"NumCold too large", FINDING_COUNT_LARGE, ALONE, .desc = desc_many_cold},
	{"NumFuncs too large", FINDING_COUNT_LARGE, ALONE, .desc = desc_many_functions},
	{"NumSecEntryPoints too large", FINDING_COUNT_LARGE, ALONE, .desc = desc_many_secondary},
	{"EqualElems too large", FINDING_EQUAL_RANGE, ALONE, .desc = desc_equal_elems},
	{"HotIndex too large", FINDING_HOT_INDEX_RANGE, ALONE, .desc = desc_hot_index},
	{"ColdAddress of no fragment", FINDING_COLD_ADDRESS, ALONE, .desc = desc_cold_address},
	{"two fragments at one address", FINDING_ADDRESS_ORDER, ALONE, .desc = desc_address_order},
	{"two cold fragments at one address", FINDING_ADDRESS_ORDER, ALONE, .desc = desc_cold_address_order},
	{"OutputOffset steps back", FINDING_OFFSET_ORDER, ALONE, .desc = desc_offset_order},
	{"OutputOffset padded", FINDING_NUMBER_PADDED, ALONE, .desc = desc_padded_offset},
	{"InputOffset padded", FINDING_NUMBER_PADDED, ALONE, .desc = desc_padded_input},
	{"NumEntries padded", FINDING_NUMBER_PADDED, ALONE, .desc = desc_padded_count},
	{"BBIdx padded", FINDING_NUMBER_PADDED, ALONE, .desc = desc_padded_index},
	{"bits behind the mask", FINDING_MASK_BITS, ALONE, .desc = desc_mask_bits},
	{"EqualElems shorter than it can be", FINDING_NOT_CANONICAL, ALONE, .desc = desc_equal_short},
	{"entry stored twice", FINDING_NOT_CANONICAL, ALONE, .desc = desc_entry_twice},
	{"all maps empty", FINDING_MAPS_EMPTY, ALONE, .table = table_empty},
	{"a map empty", FINDING_MAP_EMPTY, ALONE, .table = table_empty_map},
	{"first entry gone", FINDING_HOT_START, ALONE, .table = table_hot_start},
	{"block never emitted", FINDING_NEVER_EMITTED, ALONE, .table = table_never_emitted},
	{"entry behind the end", FINDING_ENTRY_OUTSIDE, ALONE, .table = table_outside},
	{"two blocks of one input offset", FINDING_INPUT_TWICE, ALONE, .table = table_input_twice},
	{"a block listed twice", FINDING_BLOCK_COPIED, ALONE, .table = table_block_copied},
	{"branch from another block", FINDING_BRANCH_ASTRAY, ALONE, .table = table_branch_astray},
	{"NumBlocks too large", FINDING_BLOCK_COUNT, ALONE, .table = table_more_blocks},
	{"NumBlocks too small", FINDING_BLOCK_COUNT, ALONE, .table = table_fewer_blocks},
	{"block entry gone", FINDING_BLOCK_COUNT, ALONE, .table = table_no_block},
	{"BBIdx too large", FINDING_BLOCK_INDEX, ALONE, .table = table_index_range},
	{"BBIdx used twice", FINDING_BLOCK_INDEX, ALONE, .table = table_index_twice},
	{"BBIdx swapped", FINDING_BLOCK_ORDER, ALONE, .table = table_index_swapped},
	{"BBHash changed", FINDING_BLOCK_HASH, ALONE, .table = table_hash},
	{"BBHash swapped", FINDING_BLOCK_HASH, ALONE, .table = table_hashes_swapped},
	{"InputOffset of a block shifted", FINDING_BLOCK_HASH, ALONE, .table = table_input_shifted},
	{"secondary entry points descend", FINDING_SECONDARY_ORDER, ALONE, .table = table_secondary},
	{"wrong parent", FINDING_PARENT_WRONG, ALONE, .table = table_parent},
	{"HotAddress of no fragment", FINDING_PARENT_WRONG, ALONE, .table = table_parent_nowhere},
	{"HotIndex counts cold fragments", FINDING_PARENT_WRONG, ALONE, .table = table_ordinals},
	{"fragment in no segment", FINDING_FRAGMENT_NO_CODE, ALONE, .table = table_far_fragment},
	{"fragment without a symbol", FINDING_FRAGMENT_NO_SYMBOL, ALONE, .table = table_nameless_fragment},
	{"cold table gone", FINDING_COLD_MISSING, ALONE, .table = table_no_cold_unhashed},
	{"cold table gone, blocks with it", FINDING_COLD_MISSING, ALSO(BLOCK_COUNT), .table = table_no_cold_hashed},
	{"hot function gone", FINDING_HOT_MISSING, ALONE, .table = table_no_hot},
	{"branch entry on the instruction before", FINDING_NO_BRANCH, ALONE, .table = table_branch_moved},
	{"block entry a byte off", FINDING_INSIDE_INSN, ALONE, .table = table_block_off},
	{"branch entry a byte off", FINDING_INSIDE_INSN, ALONE, .table = table_branch_off},
	{"code overwritten", FINDING_CODE_UNDECODABLE, ALONE, .file = file_undecodable},
	{"build-id of another input", FINDING_INPUT_BUILD, ALONE, .file = file_build_id, .with_input = true},
	{"function of another name", FINDING_INPUT_NO_FUNCTION, ALONE, .file = file_renamed, .with_input = true},
	{"input offset behind the end", FINDING_INPUT_OUTSIDE, ALONE, .table = table_input_outside, .with_input = true},
	{"input offset a byte off", FINDING_INPUT_INSIDE_INSN, ALONE, .table = table_input_off, .with_input = true},
	{"input offset an instruction off", FINDING_INPUT_NO_BRANCH, ALONE, .table = table_input_moved, .with_input = true},
};
const size_t mutation_count = BC_COUNT(mutations);
