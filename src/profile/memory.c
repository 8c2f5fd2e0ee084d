/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/memory.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "src/base/sort.h"
#include "src/profile/nameable.h"

static bool holds(const struct symbol *s, struct vaddr at)
{
	return (s->type == STT_OBJECT || s->type == STT_NOTYPE) && *s->name &&
	       at.v - s->address < s->size;
}

/* The symbol that holds an address; of several at one place the first, as for
 * functions. */
static const struct symbol *symbol_of(const struct symbol_table *symbols, struct vaddr at)
{
	size_t above = symbols_above(symbols, at.v);

	for (size_t i = above; i-- > 0;) {
		const struct symbol *s = &symbols->at[i], *found = NULL;
		for (; holds(s, at); s--) {
			found = s;
			if (s == symbols->at || s[-1].address != s->address)
				break;
		}
		if (found)
			return found;
		if (s->size) /* of what begins earlier nothing reaches this far */
			return NULL;
	}
	return NULL;
}

/* Returns MEMORY_KEPT, or why the access is dropped. */
static enum memory_drop translate(const struct binary *binary, const struct count_row *row,
				  unsigned names, struct access *out)
{
	struct output_place place = binary_place(binary, (struct vaddr){row->key[0]}, NULL);
	struct vaddr data = {row->key[1]};
	struct input_place code;

	if (!place.function)
		return MEMORY_DROP_CODE;
	if (!binary_translate(binary, place, false, &code))
		return MEMORY_DROP_NO_PARENT;
	const struct symbol *symbol = symbol_of(&binary->functions.symbols, data);
	if (!symbol)
		return MEMORY_DROP_UNNAMED;
	if (!name_is_allowed(code.function->printed, names) || !name_is_allowed(symbol->name, names))
		return MEMORY_DROP_UNNAMEABLE;
	*out = (struct access){code.function, code.offset, symbol, data.v - symbol->address,
			       row->count};
	return MEMORY_KEPT;
}

/* "/N" behind the name of a local symbol, as it is printed. */
static void format_number(const struct symbol *data, char out[16])
{
	*out = '\0';
	if (data->local)
		snprintf(out, 16, "/%" PRIu32, data->number);
}

/* Data of `a` and `b` by their printed names, which need not end together: "x/1" and "x" "/1". */
static int compare_data(const struct symbol *a, const struct symbol *b)
{
	char a_number[16], b_number[16];
	const char *a_at = a->name, *b_at = b->name;

	format_number(a, a_number);
	format_number(b, b_number);
	for (bool a_behind = false, b_behind = false;; a_at++, b_at++) {
		if (!*a_at && !a_behind) {
			a_at = a_number;
			a_behind = true;
		}
		if (!*b_at && !b_behind) {
			b_at = b_number;
			b_behind = true;
		}
		if (*a_at != *b_at || !*a_at)
			return (unsigned char)*a_at - (unsigned char)*b_at;
	}
}

/* As they are printed, so that the order is one of the text. */
static int compare(const struct access *a, const struct access *b)
{
	int by_function = strcmp(a->function->printed, b->function->printed);

	if (by_function)
		return by_function;
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	int by_data = compare_data(a->data, b->data);
	if (by_data)
		return by_data;
	return (a->data_offset > b->data_offset) - (a->data_offset < b->data_offset);
}

static bool access_less(const struct access *a, const struct access *b)
{
	return compare(a, b) < 0;
}
DEFINE_SORT(sort_accesses, struct access, access_less)

/* Two places of the output can be one of the input. */
static void add_up(struct access_vec *accesses)
{
	size_t kept = 0;

	for (size_t i = 0; i < accesses->len; i++) {
		struct access *last = kept ? &accesses->at[kept - 1] : NULL;
		if (last && !compare(last, &accesses->at[i]))
			last->count = count_add_saturating(last->count, accesses->at[i].count);
		else
			accesses->at[kept++] = accesses->at[i];
	}
	accesses->len = kept;
}

bool memory_convert(struct count_table *counted, unsigned names, struct profile *profile,
		    struct ledger *ledger, struct bc_error *err)
{
	count_table_sort(counted);
	for (size_t i = 0; i < counted->used; i++) {
		const struct count_row *row = &counted->rows[i];
		struct access access;
		enum memory_drop why = translate(profile->binary, row, names, &access);
		if (why != MEMORY_KEPT)
			ledger->dropped[why] += row->count;
		else if (!access_vec_push(&profile->accesses, access))
			return bc_fail_nomem(err);
		else
			ledger->kept += row->count;
	}
	sort_accesses(profile->accesses.at, profile->accesses.len);
	add_up(&profile->accesses);
	return true;
}
