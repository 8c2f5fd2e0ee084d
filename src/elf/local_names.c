/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/local_names.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/map.h"

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
	bool with_file; /* symbols with the same name are of one name only if their files have one name, too */
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

static void number_plain(struct symbol_table *table, size_t i, struct name_map *names, uint64_t hash)
{
	const struct symbol *before = note_name(names, i, hash);

	table->at[i].number = before ? before->number + 1 : 1;
}

static void number_with_file(struct symbol_table *table, size_t i, struct name_map *names, uint64_t hash)
{
	const struct symbol *before = note_name(names, i, with_hash_of_file(table, i, hash));

	table->at[i].file_number = before ? before->file_number + 1 : 1;
}

/* By address, which is how they are sorted. */
static void number_by_address(struct symbol_table *table, struct name_map *plain, struct name_map *with_file)
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
		number_with_file(table, at[order] - 1, names, hash_of_name(table, at[order] - 1, names->last.seed));
		s->renumbered = s->file_number != by_address;
	}
	free(at);
	return true;
}

static void name_map_free(struct name_map *names)
{
	map_free(&names->last);
}

bool local_names_number(struct symbol_table *table, enum local_numbers how, struct bc_error *err)
{
	BC_AUTO(name_map_free) struct name_map plain = {.table = table}, with_file = {.table = table, .with_file = true};
	size_t names = 0, names_with_file = 0;

	for (size_t i = 0; i < table->count; i++) {
		names += is_named(&table->at[i]);
		names_with_file += is_named_with_file(table, i);
	}
	if (!map_reserve(&plain.last, names) || !map_reserve(&with_file.last, names_with_file))
		return bc_fail_nomem(err);
	number_by_address(table, &plain, &with_file);
	return how == NUMBERS_BY_ADDRESS || number_by_order(table, &with_file) || bc_fail_nomem(err);
}
