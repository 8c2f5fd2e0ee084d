/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/local_names.h"

#include <elf.h>
#include <stdlib.h>

/* One name: the last symbol that had it, which knows the count so far. */
struct last_seen {
	uint32_t hash;
	uint32_t symbol; /* index + 1; 0: free */
};

/* Open addressing; at most three quarters are in use.  Small slots, because
 * every access is a cache miss. */
struct name_set {
	struct last_seen *at;
	size_t capacity; /* a power of two */
};

static bool name_set_init(struct name_set *set, size_t names)
{
	set->capacity = 16;
	while (set->capacity / 4 * 3 <= names)
		set->capacity *= 2;
	set->at = calloc(set->capacity, sizeof(*set->at));
	return set->at;
}

static void name_set_free(struct name_set *set)
{
	free(set->at);
}

/* Eight bytes at a time, with a multiplication each. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
	size_t left = strlen(text);

	hash += left;
	for (; left; text += left < 8 ? left : 8, left -= left < 8 ? left : 8) {
		uint64_t word = 0;
		memcpy(&word, text, left < 8 ? left : 8);
		hash = (hash ^ word) * 0x9e3779b97f4a7c15u; /* 2^64 / golden ratio */
		hash ^= hash >> 29;
	}
	hash *= 0xbf58476d1ce4e5b9u; /* splitmix64's last step */
	return hash ^ hash >> 32;
}

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

/* Note a symbol as the last of its name; returns the one before it, or NULL. */
static const struct symbol *note_name(struct name_set *set, const struct symbol_table *table,
				      size_t symbol, bool with_file, uint64_t hash)
{
	uint32_t high = (uint32_t)(hash >> 32);
	size_t mask = set->capacity - 1, slot = (size_t)hash & mask;
	struct last_seen *seen = &set->at[slot];

	while (seen->symbol &&
	       (seen->hash != high || !same_name(table, seen->symbol - 1, symbol, with_file))) {
		slot = (slot + 1) & mask;
		seen = &set->at[slot];
	}
	const struct symbol *before = seen->symbol ? &table->at[seen->symbol - 1] : NULL;
	*seen = (struct last_seen){high, (uint32_t)symbol + 1};
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

static void number_plain(struct symbol_table *table, size_t i, struct name_set *names)
{
	struct symbol *s = &table->at[i];
	const struct symbol *before = note_name(names, table, i, false, hash_text(0, s->name));

	s->number = before ? before->number + 1 : 1;
}

static void number_with_file(struct symbol_table *table, size_t i, struct name_set *names)
{
	struct symbol *s = &table->at[i];
	uint64_t hash = hash_text(hash_text(0, s->name), file_of(table, i));
	const struct symbol *before = note_name(names, table, i, true, hash);

	s->file_number = before ? before->file_number + 1 : 1;
}

/* By address, which is how they are sorted. */
static void number_by_address(struct symbol_table *table, struct name_set *names)
{
	for (size_t i = 0; i < table->count; i++)
		if (is_named_with_file(table, i))
			number_with_file(table, i, names);
}

/* After it. */
static bool number_by_order(struct symbol_table *table, struct name_set *names)
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
	memset(names->at, 0, names->capacity * sizeof(*names->at));
	for (size_t order = 0; order < orders; order++) {
		if (!at[order])
			continue;
		struct symbol *s = &table->at[at[order] - 1];
		uint32_t by_address = s->file_number;
		number_with_file(table, at[order] - 1, names);
		s->renumbered = s->file_number != by_address;
	}
	free(at);
	return true;
}

bool local_names_number(struct symbol_table *table, enum local_numbers how, struct bc_error *err)
{
	BC_AUTO(name_set_free) struct name_set plain = {0}, with_file = {0};
	size_t names = 0, names_with_file = 0;

	for (size_t i = 0; i < table->count; i++) {
		names += is_named(&table->at[i]);
		names_with_file += is_named_with_file(table, i);
	}
	if (!name_set_init(&plain, names) || !name_set_init(&with_file, names_with_file))
		return bc_fail_nomem(err);
	for (size_t i = 0; i < table->count; i++)
		if (is_named(&table->at[i]))
			number_plain(table, i, &plain);
	number_by_address(table, &with_file);
	return how == NUMBERS_BY_ADDRESS || number_by_order(table, &with_file) || bc_fail_nomem(err);
}
