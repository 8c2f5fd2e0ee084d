/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/symbols.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/map.h"
#include "src/base/sort.h"
#include "src/base/vec.h"
#include "src/elf/plt.h"

static const char *file_of(const struct symbol_table *table, size_t symbol)
{
	return table->files[table->at[symbol].file];
}

/* Do two symbols have the same name, and if asked for, the same file? */
static bool same_name(const struct symbol_table *table, size_t a, size_t b, bool with_file)
{
	return !strcmp(table->at[a].name, table->at[b].name) &&
	       (!with_file || !strcmp(file_of(table, a), file_of(table, b)));
}

/* A symbol with the hash of its name, or of its name and file. */
struct symbol_name {
	uint64_t hash;
	uint32_t symbol;
};

/* The last symbol of each name, which knows the count so far. */
struct name_map {
	const struct symbol_table *table;
	bool with_file; /* symbols with the same name are of one name only if their files have one
			   name, too */
	struct map last;
};

static uint64_t hash_of(uint64_t seed, struct symbol_name name)
{
	(void)seed; /* in the hash already */
	return name.hash;
}

static bool has_name(const struct name_map *names, uint32_t symbol, struct symbol_name name)
{
	return same_name(names->table, symbol, name.symbol, names->with_file);
}

DEFINE_MAP(last, const struct name_map *, struct symbol_name, hash_of, has_name);

/* The hashes of both maps begin with the seed of one, so that a name is hashed once for both. */
static uint64_t hash_of_name(const struct symbol_table *table, size_t symbol, uint64_t seed)
{
	const char *name = table->at[symbol].name;

	return hash_bytes(seed, name, strlen(name));
}

static uint64_t with_hash_of_file(const struct symbol_table *table, size_t symbol, uint64_t hash)
{
	const char *file = file_of(table, symbol);

	return hash_bytes(hash, file, strlen(file));
}

/* Note a symbol as the last of its name; returns the one before it, or NULL.  The map has room for
 * one more name. */
static const struct symbol *note_name(struct name_map *names, size_t symbol, uint64_t hash)
{
	struct symbol_name name = {hash_end(hash), (uint32_t)symbol};
	struct map_slot *slot = last_slot(&names->last, names, name);

	if (!slot) {
		last_put(&names->last, name, (uint32_t)symbol);
		return NULL;
	}
	const struct symbol *before = &names->table->at[slot->number - 1];
	map_slot_set(slot, (uint32_t)symbol);
	return before;
}

static bool is_named(const struct symbol *s)
{
	return s->local && *s->name;
}

static bool is_named_with_file(const struct symbol_table *table, size_t i)
{
	return is_named(&table->at[i]) && table->at[i].type == STT_FUNC && *file_of(table, i);
}

static void number_plain(struct symbol_table *table, size_t i, struct name_map *names,
			 uint64_t hash)
{
	const struct symbol *before = note_name(names, i, hash);

	table->at[i].number = before ? before->number + 1 : 1;
}

static void number_with_file(struct symbol_table *table, size_t i, struct name_map *names,
			     uint64_t hash)
{
	const struct symbol *before = note_name(names, i, with_hash_of_file(table, i, hash));

	table->at[i].file_number = before ? before->file_number + 1 : 1;
}

/* By address, which is how they are sorted. */
static void number_by_address(struct symbol_table *table, struct name_map *plain,
			      struct name_map *with_file)
{
	uint64_t seed = plain->last.seed;

	for (size_t i = 0; i < table->count; i++) {
		if (!is_named(&table->at[i]))
			continue;
		uint64_t hash = hash_of_name(table, i, seed);
		number_plain(table, i, plain, hash);
		if (is_named_with_file(table, i))
			number_with_file(table, i, with_file, hash);
	}
}

/* After it. */
static bool number_by_order(struct symbol_table *table, struct name_map *names)
{
	size_t orders = 0;

	for (size_t i = 0; i < table->count; i++)
		orders = table->at[i].order >= orders ? table->at[i].order + (size_t)1 : orders;
	uint32_t *at = calloc(orders + 1, sizeof(*at)); /* index + 1 */
	if (!at)
		return false;
	for (size_t i = 0; i < table->count; i++)
		if (is_named_with_file(table, i))
			at[table->at[i].order] = (uint32_t)i + 1;
	map_clear(&names->last);
	for (size_t order = 0; order < orders; order++) {
		if (!at[order])
			continue;
		struct symbol *s = &table->at[at[order] - 1];
		uint32_t by_address = s->file_number;
		number_with_file(table, at[order] - 1, names,
				 hash_of_name(table, at[order] - 1, names->last.seed));
		s->renumbered = s->file_number != by_address;
	}
	free(at);
	return true;
}

static void name_map_free(struct name_map *names)
{
	map_free(&names->last);
}

/* Set the numbers of all local symbols of a sorted table.  BC_NOMEM. */
static bool local_names_number(struct symbol_table *table, enum local_numbers how,
			       struct bc_error *err)
{
	BC_AUTO(name_map_free)
	struct name_map plain = {.table = table}, with_file = {.table = table, .with_file = true};
	size_t names = 0, names_with_file = 0;

	for (size_t i = 0; i < table->count; i++) {
		names += is_named(&table->at[i]);
		names_with_file += is_named_with_file(table, i);
	}
	if (!map_reserve(&plain.last, names) || !map_reserve(&with_file.last, names_with_file))
		return bc_fail_nomem(err);
	number_by_address(table, &plain, &with_file);
	return how == NUMBERS_BY_ADDRESS || number_by_order(table, &with_file) ||
	       bc_fail_nomem(err);
}

DEFINE_VEC(mark_vec, struct code_mark);

/* The raw table and what its entries refer to. */
struct raw_symbols {
	const struct image *image;  /* whose symbols they are */
	const struct image *tables; /* where they are: the same, or its debug file */
	const uint32_t
		*section_of; /* sections of `tables` as sections of `image`; NULL: the same */
	const struct section *section;
	struct bytes entries, strings;
	size_t count;
	uint64_t uncounted; /* characters of names that are still to be counted as work */
};

#define NO_SECTION (UINT32_MAX - 1)

/* Characters; all that are left when the table ends are few enough not to be counted. */
#define NAMES_AT_ONCE 4096

static bool find_tables(struct raw_symbols *raw, struct bc_error *err)
{
	const struct image *image = raw->tables;
	const struct section *s = raw->section;
	const struct section *strings = image_section_of_index(image, s->link);

	if (s->size % sizeof(Elf64_Sym) || s->entsize != sizeof(Elf64_Sym))
		return bc_fail(err, BC_FORMAT,
			       "symbol table, byte %" PRIu64
			       ": its size or that of its entries is odd",
			       s->offset);
	if (!strings || strings->type != SHT_STRTAB)
		return bc_fail(err, BC_FORMAT,
			       "symbol table, byte %" PRIu64 ": section %u is no string table",
			       s->offset, s->link);
	raw->entries = image_section_bytes(image, s);
	raw->strings = image_section_bytes(image, strings);
	raw->count = raw->entries.size / sizeof(Elf64_Sym);
	if (!raw->strings.size || raw->strings.data[raw->strings.size - 1])
		return bc_fail(err, BC_FORMAT,
			       "string table, byte %" PRIu64 ": does not end in a zero byte",
			       strings->offset);
	return true;
}

/* From the index that a symbol has.  More than 65,279 sections, which need a
 * table of their own, are left out: linked files have some dozens. */
static uint32_t section_of(const struct raw_symbols *raw, uint16_t index)
{
	if (index == SHN_ABS)
		return ABSOLUTE_SECTION;
	const struct section *s =
		index < SHN_LORESERVE ? image_section_of_index(raw->tables, index) : NULL;
	uint32_t number = s ? (uint32_t)(s - raw->tables->sections) : NO_SECTION;
	if (s && raw->section_of)
		number = raw->section_of[number];
	return number == UINT32_MAX ? NO_SECTION : number;
}

static bool is_mapping_symbol(enum machine machine, const struct symbol *s)
{
	if (machine == MACHINE_X86_64 || s->size || s->type != STT_NOTYPE || s->name[0] != '$')
		return false;
	char kind = s->name[1], next = kind ? s->name[2] : '\0';
	if (kind == 'x' && machine == MACHINE_RISCV64)
		return true; /* $x can be followed by an ISA string */
	return (kind == 'x' || kind == 'd') && (!next || next == '.');
}

static bool in_its_section(const struct section *section, const struct symbol *s)
{
	return s->address >= section->addr &&
	       range_fits(s->address - section->addr, s->size, section->size);
}

/* Names of BOLT's and of linker scripts: most names differ in the first two characters. */
static bool begins_with(const char *name, const char *prefix, size_t length)
{
	return name[0] == prefix[0] && name[1] == prefix[1] && !strncmp(name, prefix, length);
}

/* BOLT's own, around the code that it moved. */
static bool is_hot_marker(const char *name)
{
	return begins_with(name, "__hot", 5) &&
	       (!strcmp(name + 5, "_start") || !strcmp(name + 5, "_end"));
}

static void note_hot_marker(struct symbol_table *table, const struct symbol *s)
{
	*(s->name[sizeof("__hot_") - 1] == 's' ? &table->hot_start : &table->hot_end) = s->address;
}

/* The symbols around the space that a linker script reserves for BOLT's output. */
static bool is_reserved_marker(const char *name)
{
	return begins_with(name, "__bolt_reserved_", 16) &&
	       (!strcmp(name + 16, "start") || !strcmp(name + 16, "end"));
}

bool symbol_is_thunk(const char *name)
{
	return begins_with(name, "__AArch64_", 10) &&
	       (!strncmp(name + 10, "forward_", 8) || !strncmp(name + 10, "backward_", 9));
}

/* -insert-retpolines, -hugify */
bool symbol_is_made(const char *name)
{
	return symbol_is_thunk(name) || begins_with(name, "__retpoline_", 12) ||
	       begins_with(name, "__bolt_hugify_", 14);
}

/* In memory, in its section, and of interest to BOLT. */
static bool is_kept(const struct image *image, const struct symbol *s)
{
	if (!s->address)
		return false;
	if (s->section == ABSOLUTE_SECTION)
		return true;
	const struct section *section = &image->sections[s->section];
	bool no_memory = section->type == SHT_NOBITS && section->flags & SHF_TLS;
	bool of_plt = s->type == STT_SECTION && plt_is_section(image->machine, section->name);
	return section->flags & SHF_ALLOC && !no_memory && !of_plt && in_its_section(section, s);
}

/* One name can be the end of another, so all names together can be far longer than the string
 * table. They are counted together, as to count is to stop the other threads that do. */
static bool count_name(struct raw_symbols *raw, const char *name, struct bc_error *err)
{
	raw->uncounted += strlen(name);
	if (raw->uncounted < NAMES_AT_ONCE)
		return true;
	bool ok = work_spend(raw->tables->work, WORK_SYMBOL_NAMES, raw->uncounted);
	raw->uncounted = 0;
	return ok || work_check(raw->tables->work, err);
}

static bool read_stored(const struct raw_symbols *raw, size_t i, struct stored_symbol *out,
			struct bc_error *err)
{
	const uint8_t *p = raw->entries.data + i * sizeof(Elf64_Sym);
	uint32_t name = le32(p);

	if (name >= raw->strings.size)
		return bc_fail(err, BC_FORMAT,
			       "symbol %zu, byte %" PRIu64
			       ": the name lies outside the string table",
			       i, raw->section->offset + i * sizeof(Elf64_Sym));
	*out = (struct stored_symbol){
		le64(p + 8), le64(p + 16), (const char *)raw->strings.data + name,
		le16(p + 6), p[4],         p[5]};
	return true;
}

static bool read_symbol(struct raw_symbols *raw, size_t i, struct symbol *out, struct bc_error *err)
{
	struct stored_symbol stored;

	if (!read_stored(raw, i, &stored, err))
		return false;
	*out = (struct symbol){
		.address = stored.value,
		.size = stored.size,
		.name = stored.name,
		.order = (uint32_t)i,
		.section = section_of(raw, stored.section),
		.type = ELF64_ST_TYPE(stored.info),
		.local = ELF64_ST_BIND(stored.info) == STB_LOCAL,
	};
	if (out->type == STT_SECTION && !*out->name && out->section < NO_SECTION)
		out->name = raw->image->sections[out->section].name.at;
	return count_name(raw, out->name, err);
}

/* Names are looked at on the way: ask for those of some symbols ahead. */
#define NAMES_AHEAD 16

static void prefetch_name(const struct raw_symbols *raw, size_t i)
{
	size_t name = i < raw->count ? le32(raw->entries.data + i * sizeof(Elf64_Sym)) : 0;

	if (name < raw->strings.size)
		__builtin_prefetch(raw->strings.data + name);
}

/* The table's symbols in its own order. */
static bool read_all(struct raw_symbols *raw, struct symbol_table *table, struct mark_vec *marks,
		     struct bc_error *err)
{
	uint32_t file = 0;

	for (size_t i = 0; i < raw->count; i++) {
		struct symbol *s = &table->at[table->count];
		prefetch_name(raw, i + NAMES_AHEAD);
		if (!read_symbol(raw, i, s, err))
			return false;
		if (s->section == NO_SECTION)
			continue;
		if (s->type == STT_FILE) {
			table->files[++file] = s->name;
			continue;
		}
		s->file = s->local ? file : 0;
		s->reserved = is_reserved_marker(s->name);
		s->nameless = !*s->name;
		s->private_name = s->name[0] == '.' && s->name[1] == 'L';
		if (is_hot_marker(s->name))
			note_hot_marker(table, s);
		else if (!is_kept(raw->image, s))
			continue;
		else if (!is_mapping_symbol(raw->image->machine, s))
			table->count++;
		else if (!mark_vec_push(marks, (struct code_mark){s->address, s->name[1] == 'd'}))
			return bc_fail_nomem(err);
	}
	return true;
}

static size_t count_files(const struct raw_symbols *raw)
{
	size_t count = 0;

	for (size_t i = 0; i < raw->count; i++)
		count += ELF64_ST_TYPE(raw->entries.data[i * sizeof(Elf64_Sym) + 4]) == STT_FILE;
	return count;
}

static int rank(uint8_t type)
{
	return type == STT_FUNC ? 0 : type == STT_SECTION ? 2 : 1;
}

/* Sort by address, rank and order. */
static bool sort_symbols(struct symbol_table *table)
{
	struct keyed *keys = malloc((table->count + 1) * sizeof(*keys));
	struct symbol *sorted = malloc((table->count + 1) * sizeof(*sorted));
	size_t count = 0;

	if (!keys || !sorted) {
		free(keys);
		free(sorted);
		return false;
	}
	for (int r = 0; r <= 2; r++)
		for (size_t i = 0; i < table->count; i++)
			if (rank(table->at[i].type) == r)
				keys[count++] = (struct keyed){table->at[i].address, i};
	bool done = sort_keyed(keys, count);
	for (size_t i = 0; i < count; i++)
		sorted[i] = table->at[keys[i].index];
	free(keys);
	free(table->at);
	table->at = sorted;
	return done;
}

static int marks_by_address(const void *a, const void *b)
{
	const struct code_mark *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->data - y->data;
}

/* Read, and sort by address. */
static bool fill_table(struct raw_symbols *raw, struct symbol_table *table, struct bc_error *err)
{
	struct mark_vec marks = {0};

	if (!read_all(raw, table, &marks, err)) {
		mark_vec_free(&marks);
		return false;
	}
	table->marks = marks.at;
	table->mark_count = marks.len;
	if (marks.len)
		qsort(marks.at, marks.len, sizeof(*marks.at), marks_by_address);
	return sort_symbols(table) || bc_fail_nomem(err);
}

bool symbols_read(const struct image *image, enum local_numbers how,
		  const struct debug_symbols *debug, struct symbol_table *out, struct bc_error *err)
{
	BC_AUTO(symbols_free) struct symbol_table table = {0};
	struct raw_symbols raw = {.image = image,
				  .tables = debug ? &debug->image : image,
				  .section_of = debug ? debug->section_of : NULL};

	raw.section = image_section_of_type(raw.tables, SHT_SYMTAB);
	table.stripped = !raw.section;
	if (!raw.section)
		raw.section = image_section_of_type(image, SHT_DYNSYM);
	if (raw.section && !find_tables(&raw, err))
		return false;

	table.at = calloc(raw.count + 1, sizeof(*table.at));
	table.files = calloc(count_files(&raw) + 1, sizeof(*table.files));
	if (!table.at || !table.files)
		return bc_fail_nomem(err);
	table.files[0] = "";
	if (!fill_table(&raw, &table, err) || !local_names_number(&table, how, err))
		return false;
	*out = table;
	table = (struct symbol_table){0};
	return true;
}

bool symbols_stored(const struct image *image, uint32_t type, struct stored_symbols *out,
		    struct bc_error *err)
{
	struct raw_symbols raw = {
		.image = image, .tables = image, .section = image_section_of_type(image, type)};

	*out = (struct stored_symbols){0};
	if (!raw.section)
		return true;
	if (!find_tables(&raw, err))
		return false;
	out->at = malloc((raw.count + 1) * sizeof(*out->at));
	if (!out->at)
		return bc_fail_nomem(err);
	for (; out->count < raw.count; out->count++) {
		struct stored_symbol *s = &out->at[out->count];
		prefetch_name(&raw, out->count + NAMES_AHEAD);
		if (!read_stored(&raw, out->count, s, err) || !count_name(&raw, s->name, err)) {
			stored_symbols_free(out);
			return false;
		}
	}
	return true;
}

void stored_symbols_free(struct stored_symbols *symbols)
{
	free(symbols->at);
	*symbols = (struct stored_symbols){0};
}

void symbols_free(struct symbol_table *table)
{
	free(table->at);
	free(table->files);
	free(table->marks);
	*table = (struct symbol_table){0};
}

DEFINE_SEARCH(above, struct symbol, uint64_t, item->address <= key)

size_t symbols_above(const struct symbol_table *table, uint64_t address)
{
	return above(table->at, table->count, address);
}
