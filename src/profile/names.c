/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/names.h"

#include <string.h>

#include "src/base/digest.h"
#include "src/base/sort.h"

/* How much of a name, which ends at its first slash, is that of the function it is a part of; all of it
 * if it is none. */
static size_t shortened(struct text name)
{
	static const char *const suffixes[] = {".destroy", ".resume", ".llvm.", ".cold", ".warm"};

	for (size_t i = 0; i < BC_COUNT(suffixes); i++) {
		const char *found = strstr(name.at, suffixes[i]);
		if (found && (size_t)(found - name.at) < name.len)
			return (size_t)(found - name.at);
	}
	return name.len;
}

static bool add_name(uint32_t function, const char *symbol, struct guid_name_vec *out)
{
	struct text name = text_of(symbol);

	name = text_first(name, text_find(name, '/'));
	size_t length = shortened(name);
	if (length < name.len &&
	    !guid_name_vec_push(out, (struct guid_name){md5_guid(text_first(name, length)), function, true}))
		return false;
	return guid_name_vec_push(out, (struct guid_name){md5_guid(name), function, false});
}

bool guid_names_list(const struct function_table *functions, struct guid_name_vec *out)
{
	const struct symbol_table *symbols = &functions->symbols;
	uint32_t function = 0;

	for (size_t i = 0; i < symbols->count; i++) {
		const struct symbol *symbol = &symbols->at[i];
		while (function < functions->count && functions->at[function].address < symbol->address)
			function++;
		if (function == functions->count)
			break;
		bool named = functions->at[function].address == symbol->address && !symbol->nameless &&
			     functions->at[function].kind == FUNCTION_CODE;
		if (named && !add_name(function, symbol->name, out))
			return false;
	}
	return true;
}

static bool name_less(const struct guid_name *a, const struct guid_name *b)
{
	if (a->guid != b->guid)
		return a->guid < b->guid;
	return a->shortened != b->shortened ? b->shortened : a->function < b->function;
}
DEFINE_SORT(sort_names, struct guid_name, name_less)
DEFINE_SEARCH(names_below, struct guid_name, uint64_t, item->guid < key)
DEFINE_SEARCH(names_up_to, struct guid_name, uint64_t, item->guid <= key)

void guid_names_sort(struct guid_name_vec *names)
{
	size_t kept = 0;

	sort_names(names->at, names->len);
	for (size_t i = 0; i < names->len; i++)
		if (!kept || name_less(&names->at[kept - 1], &names->at[i]))
			names->at[kept++] = names->at[i];
	names->len = kept;
}

size_t guid_names_of(const struct guid_name_vec *names, uint64_t guid, size_t *end)
{
	*end = names_up_to(names->at, names->len, guid);
	return names_below(names->at, names->len, guid);
}
