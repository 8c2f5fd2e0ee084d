/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/functions.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>

#include "src/base/parallel.h"
#include "src/base/sort.h"
#include "src/base/vec.h"
#include "src/elf/bolt_input.h"
#include "src/elf/eh_frame.h"
#include "src/elf/plt.h"
#include "src/isa/insn.h"

#define BLOCK_SIZE ((size_t)1 << 16)

/* ---- how far functions reach ---- */

DEFINE_SEARCH(marks_above, struct code_mark, uint64_t, item->address <= key)

/* The length of a nop, or of a jump forward within the gap or to its end; 0 for any other
 * instruction. */
static size_t x86_filler_size(struct bytes code)
{
	struct insn insn = insn_decode(MACHINE_X86_64, code, 0);
	bool skips = insn.kind == INSN_JUMP && insn.target >= insn.size && insn.target <= code.size;

	return insn.nop || skips ? insn.size : 0;
}

static size_t x86_padding_size(struct bytes code)
{
	size_t size = x86_filler_size(code);

	return size || code.data[0] ? size : 1;
}

static bool x86_fills(struct bytes gap)
{
	while (gap.size && gap.data[0] == 0xcc)
		gap = bytes_from(gap, 1);
	for (size_t size = 0; gap.size; gap = bytes_from(gap, size)) {
		size = x86_padding_size(gap);
		if (!size)
			return false;
	}
	return true;
}

/* The bytes of data from the front of the gap on, by the mapping symbols of the
 * function that the gap belongs to. */
static size_t aarch64_data_size(struct gap gap, const struct symbol_table *symbols)
{
	size_t next = marks_above(symbols->marks, symbols->mark_count, gap.address);

	if (!next || !symbols->marks[next - 1].data ||
	    symbols->marks[next - 1].address < gap.function)
		return 0;
	while (next < symbols->mark_count && symbols->marks[next].data)
		next++;
	uint64_t size = next < symbols->mark_count ? symbols->marks[next].address - gap.address :
						     UINT64_MAX;
	return size < gap.bytes.size ? (size_t)size : gap.bytes.size;
}

/* adrp x16, page; add x16, x16, offset; br x16: a jump that a linker added. */
static bool is_aarch64_veneer(struct bytes code)
{
	return code.size >= 12 && (le32(code.data) & 0x9f00001f) == 0x90000010 &&
	       (le32(code.data + 4) & 0xff8003ff) == 0x91000210 &&
	       le32(code.data + 8) == 0xd61f0200;
}

static size_t aarch64_padding_size(struct gap gap, const struct symbol_table *symbols)
{
	if (is_aarch64_veneer(gap.bytes))
		return 12;
	size_t size = aarch64_data_size(gap, symbols);
	if (size || gap.bytes.size < 4)
		return size;
	return !le32(gap.bytes.data) || insn_decode(MACHINE_AARCH64, gap.bytes, 0).nop ? 4 : 0;
}

static bool is_aarch64_brk(struct bytes code)
{
	return insn_decode(MACHINE_AARCH64, code, 0).kind == INSN_BREAK;
}

static struct gap gap_from(struct gap gap, size_t from)
{
	return (struct gap){bytes_from(gap.bytes, from), gap.address + from, gap.function};
}

static bool aarch64_fills(struct gap gap, const struct symbol_table *symbols)
{
	while (is_aarch64_brk(gap.bytes))
		gap = gap_from(gap, 4);
	for (size_t size = 0; gap.bytes.size; gap = gap_from(gap, size)) {
		size = aarch64_padding_size(gap, symbols);
		if (!size)
			return false;
	}
	return true;
}

bool padding_fills(enum machine machine, struct gap gap, const struct symbol_table *symbols)
{
	switch (machine) {
	case MACHINE_X86_64: return x86_fills(gap.bytes);
	case MACHINE_AARCH64: return aarch64_fills(gap, symbols);
	case MACHINE_RISCV64: return true;
	}
	return true;
}

static uint64_t min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

bool symbol_is_label(const struct image *image, const struct function *f, const struct symbol *s)
{
	const struct section *section = &image->sections[f->section];

	if (s->address - section->addr >= section->size)
		return false;
	if (!s->size && s->address - f->address < f->size)
		return true;
	return s->type == STT_NOTYPE && s->local;
}

/* The first symbol after a function's start that cannot lie inside it and is
 * not above `limit`; else the limit. */
static uint64_t next_object(const struct image *image, const struct symbol_table *symbols,
			    size_t from, const struct function *f, uint64_t limit)
{
	for (size_t i = from; i < symbols->count && symbols->at[i].address < limit; i++) {
		const struct symbol *s = &symbols->at[i];
		if (!s->inside && !symbol_is_label(image, f, s))
			return s->address;
	}
	return limit;
}

/* Is the code between a function's size and its extent nothing but padding? */
static bool extents_gap_is_padding(const struct image *image, const struct symbol_table *symbols,
				   const struct function *f)
{
	const struct section *section = &image->sections[f->section];
	struct gap gap = {.address = f->address + f->size, .function = f->address};

	gap.bytes = bytes_from(image_section_bytes(image, section), gap.address - section->addr);
	gap.bytes = bytes_first(gap.bytes, f->extent - f->size);
	return padding_fills(image->machine, gap, symbols);
}

/* Set the extents of functions, which are sorted by address. */
static void extents_set(const struct image *image, const struct symbol_table *symbols,
			struct function *functions, size_t count)
{
	bool movable = image_has_code_relocations(image); /* else BOLT looks at the padding, too */
	size_t above = 0;

	for (size_t i = 0; i < count; i++) {
		struct function *f = &functions[i];
		const struct section *section = &image->sections[f->section];
		uint64_t limit = section->addr + section->size;
		if (i + 1 < count)
			limit = min(limit, functions[i + 1].address);
		while (above < symbols->count && symbols->at[above].address <= f->address)
			above++;
		f->extent = next_object(image, symbols, above, f, limit) - f->address;
		if (f->extent < f->size) /* a symbol in its middle is no boundary */
			f->extent = min(f->size, limit - f->address);
		if (!f->size || f->size > f->extent)
			f->size = f->extent;
		/* A function does not reach over a gap that is more than padding. */
		f->has_gap = f->size < f->extent && f->kind == FUNCTION_CODE && !movable;
	}
}

/* ---- names ---- */

struct name_block {
	struct name_block *previous;
	size_t used, size;
	char text[];
};

/* `size` bytes of the last block, or of a new one. */
static char *names_room(struct names *names, size_t size)
{
	struct name_block *last = names->last;

	if (!last || size > last->size - last->used) {
		size_t capacity = size > BLOCK_SIZE ? size : BLOCK_SIZE;
		if (capacity > SIZE_MAX - sizeof(*last) ||
		    !(last = malloc(sizeof(*last) + capacity)))
			return NULL;
		*last = (struct name_block){.previous = names->last, .size = capacity};
		names->last = last;
	}
	last->used += size;
	return last->text + last->used - size;
}

const char *names_join(struct names *names, const char *a, const char *b, const char *c,
		       const char *d)
{
	const char *parts[] = {a, b, c, d};
	size_t lengths[4], total = 1;

	for (int i = 0; i < 4; i++) {
		lengths[i] = parts[i] ? strlen(parts[i]) : 0;
		total += lengths[i];
	}
	if (!work_spend(names->work, WORK_NAMES_MADE, total))
		return NULL;
	char *name = names_room(names, total), *end = name;
	if (!name)
		return NULL;
	for (int i = 0; i < 4; i++) {
		if (lengths[i])
			memcpy(end, parts[i], lengths[i]);
		end += lengths[i];
	}
	*end = '\0';
	return name;
}

void names_free(struct names *names)
{
	while (names->last) {
		struct name_block *block = names->last;
		names->last = block->previous;
		free(block);
	}
}

/* The digits of a number, written backwards from the end of the array. */
static struct digits digits_of(const char *prefix, uint64_t number, unsigned base)
{
	char digits[24];
	char *first = digits + sizeof(digits) - 1;
	struct digits out;

	*first = '\0';
	do {
		*--first = "0123456789abcdef"[number % base];
		number /= base;
	} while (number);
	size_t prefix_size = strlen(prefix);
	memcpy(out.text, prefix, prefix_size);
	memcpy(out.text + prefix_size, first, (size_t)(digits + sizeof(digits) - first));
	return out;
}

struct digits digits_behind_slash(uint32_t number)
{
	return digits_of("/", number, 10);
}

static struct digits digits_hex(uint64_t number)
{
	return digits_of("", number, 16);
}

DEFINE_VEC(function_vec, struct function);

/* Whether a name has two slashes, which is looked at when a second name is there to choose from. */
enum tells_file { FILE_NOT_ASKED, FILE_UNTOLD, FILE_TOLD };

/* The inputs of the function table, and the unfinished table. */
struct builder {
	const struct image *image;
	enum local_numbers numbers;
	const struct debug_symbols *debug; /* NULL: symbols are the image's own */
	struct symbol_table symbols;
	struct code_ranges frames;
	size_t frame; /* the first one that is not below the symbols seen so far */
	struct got got;
	struct plt plt;
	struct function_vec functions; /* sorted, except for what a step appends */
	struct names names;
	unsigned anonymous;         /* symbols without a name so far */
	enum tells_file tells_file; /* the name that is printed of the last function */
	bool failed;                /* no memory, or too much work */
};

static void builder_free(struct builder *b)
{
	symbols_free(&b->symbols);
	code_ranges_free(&b->frames);
	got_free(&b->got);
	plt_free(&b->plt);
	function_vec_free(&b->functions);
	names_free(&b->names);
}

/* Join parts of a name; a failure is noted and reported in the end. */
static const char *join(struct builder *b, const char *first, const char *second, const char *third,
			const char *fourth)
{
	const char *name = names_join(&b->names, first, second, third, fourth);

	b->failed |= !name;
	return name ? name : "";
}

static void append(struct builder *b, struct function function)
{
	b->failed |= !function_vec_push(&b->functions, function);
}

/* A symbol's name in BOLT.  A name in the assembler's own space for labels gets
 * a prefix there. */
static const char *unique_name(struct builder *b, const struct symbol *s)
{
	const char *prefix = s->private_name ? "PG" : "";

	if (s->nameless)
		return join(b, "ANONYMOUS.", digits_behind_slash(b->anonymous++).text + 1, NULL,
			    NULL);
	if (s->local)
		return join(b, prefix, s->name, digits_behind_slash(s->number).text, NULL);
	return *prefix ? join(b, prefix, s->name, NULL, NULL) : s->name;
}

/* BOLT takes a name with two slashes for name/file/number. */
static bool has_two_slashes(const char *name)
{
	const char *slash = strchr(name, '/');

	return slash && strchr(slash + 1, '/');
}

/* For a symbol with its unique name. */
static const char *name_with_file(struct builder *b, const struct symbol *s, const char *unique)
{
	if (!s->file_number || has_two_slashes(unique))
		return unique;
	return join(b, s->name, "/", b->symbols.files[s->file],
		    digits_behind_slash(s->file_number).text);
}

static bool may_start_function(const struct image *image, const struct symbol *s)
{
	if (s->section == ABSOLUTE_SECTION || s->reserved)
		return false;
	const struct section *section = &image->sections[s->section];
	return section->flags & SHF_EXECINSTR && s->address - section->addr < section->size;
}

/* Is it a label or a datum of the function before it? */
static bool belongs_to(const struct image *image, const struct function *f, struct symbol *s)
{
	bool within = s->address - f->address < f->size;

	if (s->type != STT_FUNC)
		return within || (!f->size && symbol_is_label(image, f, s));
	if (!within || s->address == f->address)
		return false;
	s->inside = !symbol_is_label(image, f, s);
	return true;
}

/* The larger of a symbol's size and of that of an FDE at its address. */
static uint64_t full_size(struct builder *b, const struct symbol *s)
{
	while (b->frame < b->frames.count && b->frames.at[b->frame].address < s->address)
		b->frame++;
	if (b->frame == b->frames.count || b->frames.at[b->frame].address != s->address)
		return s->size;
	uint64_t size = b->frames.at[b->frame].size;
	return size > s->size ? size : s->size;
}

static void add_symbol(struct builder *b, const struct symbol *s, struct function *previous)
{
	uint64_t size = full_size(b, s);

	if (!previous || previous->address != s->address) {
		struct function f = {.address = s->address, .size = size, .section = s->section};
		f.primary = unique_name(b, s);
		f.printed = name_with_file(b, s, f.primary);
		b->tells_file = FILE_NOT_ASKED;
		f.renumbered = s->renumbered;
		append(b, f);
		return;
	}
	if (previous->size < size)
		previous->size = size;
	bool may_tell_file = s->file_number || strchr(s->name, '/');
	if (!may_tell_file)
		return;
	if (b->tells_file == FILE_NOT_ASKED)
		b->tells_file = has_two_slashes(previous->printed) ? FILE_TOLD : FILE_UNTOLD;
	if (b->tells_file == FILE_TOLD)
		return;
	const char *name = name_with_file(b, s, unique_name(b, s));
	if (has_two_slashes(name)) {
		b->tells_file = FILE_TOLD;
		previous->printed = name;
		previous->renumbered = s->renumbered;
	}
}

static void add_symbols(struct builder *b)
{
	for (size_t i = 0; i < b->symbols.count && !b->failed; i++) {
		struct symbol *s = &b->symbols.at[i];
		struct function *previous =
			b->functions.len ? &b->functions.at[b->functions.len - 1] : NULL;
		if (may_start_function(b->image, s) &&
		    !(previous && belongs_to(b->image, previous, s)))
			add_symbol(b, s, previous);
	}
}

/* Functions [0 .. sorted) and [sorted .. len) are sorted each: sort them all.  The second
 * part, which is the smaller, makes room; then the array is filled from its end. */
static void merge(struct builder *b, size_t sorted)
{
	struct function *all = b->functions.at;
	size_t left = sorted, to = b->functions.len, right = to - sorted;

	if (!right)
		return;
	struct function *behind = malloc(right * sizeof(*behind));
	b->failed |= !behind;
	if (!behind)
		return;
	memcpy(behind, all + sorted, right * sizeof(*behind));
	while (right) {
		bool take_right = !left || all[left - 1].address <= behind[right - 1].address;
		all[--to] = take_right ? behind[--right] : all[--left];
	}
	free(behind);
}

DEFINE_SEARCH(functions_above, struct function, uint64_t, item->address <= key)

/* For functions [low, high), which are sorted: the last one at or below an address;
 * else the one before them, or NULL. */
static struct function *at_or_below_in(struct function *functions, size_t low, size_t high,
				       uint64_t address)
{
	size_t above = low + functions_above(functions + low, high - low, address);

	return above ? &functions[above - 1] : NULL;
}

static struct function *at_or_below(struct function *functions, size_t count, uint64_t address)
{
	return at_or_below_in(functions, 0, count, address);
}

/* The name of the global symbol that a slot refers to: if it is defined here,
 * the first name at its address. */
static const char *slot_symbol_name(struct builder *b, const struct got_slot *slot)
{
	if (!slot->value)
		return slot->symbol;
	const struct symbol *first = NULL;
	size_t length = strlen(slot->symbol);
	for (size_t i = symbols_above(&b->symbols, slot->value - 1);
	     i < b->symbols.count && b->symbols.at[i].address == slot->value; i++) {
		const struct symbol *s = &b->symbols.at[i];
		first = first ? first : s;
		b->failed |= !work_spend(b->image->work, WORK_PLT, length + 1);
		if (b->failed)
			break;
		if (!s->local && !strcmp(s->name, slot->symbol))
			return unique_name(b, first);
	}
	return slot->symbol;
}

/* The name of a PLT entry, or NULL if BOLT makes no function of it. */
static const char *plt_name(struct builder *b, const struct plt_entry *entry, size_t sorted)
{
	if (!entry->slot) {
		struct text section = b->image->sections[entry->section].name;
		return join(b, "__BOLT_PSEUDO_", section.at, NULL, NULL);
	}
	if (entry->slot->symbol)
		return join(b, slot_symbol_name(b, entry->slot), "@PLT", NULL, NULL);
	uint64_t resolver = entry->slot->value;
	const struct function *f = at_or_below(b->functions.at, sorted, resolver);
	return f && f->address == resolver ? join(b, f->primary, "@PLT", NULL, NULL) : NULL;
}

static void add_plt(struct builder *b)
{
	size_t sorted = b->functions.len;

	for (size_t i = 0; i < b->plt.count && !b->failed; i++) {
		const struct plt_entry *entry = &b->plt.at[i];
		struct function *there = at_or_below(b->functions.at, sorted, entry->address);
		if (there && there->address == entry->address) {
			there->kind = FUNCTION_PLT;
			continue;
		}
		struct function f = {
			.address = entry->address, .section = entry->section, .kind = FUNCTION_PLT};
		f.primary = f.printed = plt_name(b, entry, sorted);
		if (f.primary)
			append(b, f);
	}
	merge(b, sorted);
}

static bool is_covered(const struct function *f, uint64_t address)
{
	return f && (f->address == address || address - f->address < f->size);
}

/* Functions that no symbol names. */
static void add_frames(struct builder *b)
{
	size_t sorted = b->functions.len, below = 0;

	for (size_t i = 0; i < b->frames.count && !b->failed; i++) {
		const struct code_range *frame = &b->frames.at[i];
		while (below < sorted && b->functions.at[below].address <= frame->address)
			below++;
		const struct function *known = below ? &b->functions.at[below - 1] : NULL;
		const struct function *added =
			b->functions.len > sorted ? &b->functions.at[b->functions.len - 1] : NULL;
		bool is_added_nearer = added && !(known && known->address > added->address);
		const struct section *section =
			image_section_at(b->image, (struct vaddr){frame->address});
		if (is_covered(is_added_nearer ? added : known, frame->address) || !section ||
		    !(section->flags & SHF_EXECINSTR))
			continue;
		struct function f = {.address = frame->address,
				     .size = frame->size,
				     .section = (uint32_t)(section - b->image->sections)};
		f.primary = f.printed =
			join(b, FUNCTION_OF_FDE "at", digits_hex(frame->address).text, NULL, NULL);
		append(b, f);
	}
	merge(b, sorted);
}

bool functions_index(struct function_table *table)
{
	struct function_index index = {.shift = 4};
	size_t f = 0;

	if (!table->count)
		return true;
	index.base = table->at[0].address;
	uint64_t span = table->at[table->count - 1].address - index.base;
	while (span >> index.shift > 2 * table->count)
		index.shift++;
	index.count = (size_t)(span >> index.shift) + 2;
	index.below = malloc(index.count * sizeof(*index.below));
	if (!index.below)
		return false;
	for (size_t i = 0; i < index.count; i++) {
		while (f < table->count && (table->at[f].address - index.base) >> index.shift < i)
			f++;
		index.below[i] = (uint32_t)f;
	}
	table->index = index;
	return true;
}

/* One half is the symbols, the other .eh_frame, GOT and PLT: neither needs the other. */
static bool read_half(void *ctx, size_t half, struct bc_error *err)
{
	struct builder *b = ctx;

	if (!half)
		return symbols_read(b->image, b->numbers, b->debug, &b->symbols, err);
	return eh_frame_ranges(b->image, &b->frames, err) && got_read(b->image, &b->got, err) &&
	       plt_read(b->image, &b->got, &b->plt, err);
}

bool functions_build(const struct image *image, enum local_numbers numbers,
		     struct function_table *out, struct bc_error *err)
{
	return functions_build_named(image, numbers, NULL, out, err);
}

bool functions_build_named(const struct image *image, enum local_numbers numbers,
			   const struct debug_symbols *debug, struct function_table *out,
			   struct bc_error *err)
{
	/* Names are bounded by the file that has them. */
	struct work *work = debug ? debug->image.work : image->work;
	BC_AUTO(builder_free)
	struct builder b = {.image = image, .numbers = numbers, .debug = debug, .names.work = work};

	if (!parallel_parts(2, read_half, &b, err))
		return false;
	/* Room for all that there can be: an array that grows is copied, and the memory is asked
	 * for again. */
	b.failed =
		!function_vec_reserve(&b.functions, b.symbols.count + b.plt.count + b.frames.count);
	add_symbols(&b);
	add_plt(&b);
	add_frames(&b);
	if (b.failed)
		return work_fail(work, err);
	extents_set(image, &b.symbols, b.functions.at, b.functions.len);

	*out = (struct function_table){.at = b.functions.at,
				       .count = b.functions.len,
				       .image = *image,
				       .symbols = b.symbols,
				       .names = b.names,
				       .stripped = b.symbols.stripped};
	b.functions = (struct function_vec){0};
	b.symbols = (struct symbol_table){0};
	b.names = (struct names){0};
	out->gaps = calloc(out->count + 1, sizeof(*out->gaps));
	if (out->gaps && functions_index(out))
		return true;
	functions_free(out);
	return bc_fail_nomem(err);
}

void functions_free(struct function_table *table)
{
	free(table->at);
	free(table->index.below);
	free(table->gaps);
	symbols_free(&table->symbols);
	names_free(&table->names);
	*table = (struct function_table){0};
}

enum { GAP_UNKNOWN, GAP_PADDING, GAP_OTHER };

uint64_t function_extent(const struct function_table *table, const struct function *function)
{
	if (!function->has_gap)
		return function->extent;
	atomic_uchar *gap = &table->gaps[function - table->at];
	unsigned char found = atomic_load_explicit(gap, memory_order_relaxed);
	if (found == GAP_UNKNOWN) { /* two threads that look at once find the same */
		bool padding = extents_gap_is_padding(&table->image, &table->symbols, function);
		found = padding ? GAP_PADDING : GAP_OTHER;
		atomic_store_explicit(gap, found, memory_order_relaxed);
	}
	return found == GAP_PADDING ? function->extent : function->size;
}

const struct function *functions_find(const struct function_table *table, struct vaddr at)
{
	const struct function_index *index = &table->index;
	uint64_t bucket = (at.v - index->base) >> index->shift;

	if (!table->count || at.v < index->base)
		return NULL;
	bool behind = bucket >= index->count - 1;
	size_t low = behind ? table->count : index->below[bucket];
	size_t high = behind ? table->count : index->below[bucket + 1];
	const struct function *f = at_or_below_in(table->at, low, high, at.v);
	if (!f || at.v - f->address >= f->extent)
		return NULL;
	bool inside = at.v - f->address < f->size || at.v - f->address < function_extent(table, f);
	return inside ? f : NULL;
}
