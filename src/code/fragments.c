/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/code/fragments.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/sort.h"

/* How much of a name precedes .cold, .warm, .cold.1 at its end; all of it if
 * there is no such thing.  A slash ends the name. */
static size_t stem_size(const char *name)
{
	size_t size = strcspn(name, "/"), end = size;

	while (end && isdigit((unsigned char)name[end - 1]))
		end--;
	if (end == size || !end || name[end - 1] != '.')
		end = size;
	else
		end--;
	bool fragment = end > 5 && (!memcmp(name + end - 5, ".cold", 5) ||
				    !memcmp(name + end - 5, ".warm", 5));
	return fragment ? end - 5 : size;
}

/* A mapping symbol of AArch64 or RISC-V, which BOLT splits and makes functions of. */
static bool is_mapping_symbol(const char *name)
{
	return name[0] == '$' && (name[1] == 'x' || name[1] == 'd') && (!name[2] || name[2] == '.');
}

static int compare_stems(const struct fragment_name *a, const struct fragment_name *b)
{
	size_t shorter = a->stem < b->stem ? a->stem : b->stem;
	int order = memcmp(a->name, b->name, shorter);

	return order ? order : (a->stem > b->stem) - (a->stem < b->stem);
}

/* For one stem, by file. */
static int compare_fragments(const struct fragment_name *a, const struct fragment_name *b)
{
	int order = compare_stems(a, b);

	return order ? order : (a->file > b->file) - (a->file < b->file);
}

static int by_stem(const void *a, const void *b)
{
	return compare_fragments(a, b);
}

bool fragments_find(const struct symbol_table *symbols, struct fragment_vec *out)
{
	for (size_t i = 0; i < symbols->count; i++) {
		const struct symbol *s = &symbols->at[i];
		struct fragment_name f = {s->name, stem_size(s->name), s->file};
		if (s->name[f.stem] && s->name[f.stem] != '/' && !is_mapping_symbol(s->name) &&
		    !fragment_vec_push(out, f))
			return false;
	}
	if (out->len)
		qsort(out->at, out->len, sizeof(*out->at), by_stem);
	return true;
}

/* The linker puts hidden symbols after all files' own, under no file's name. */
static bool tells_file(const struct symbol_table *symbols, const struct symbol *s)
{
	return s->local && *symbols->files[s->file];
}

DEFINE_SEARCH(first_fragment_from, struct fragment_name, const struct fragment_name *,
	      compare_fragments(item, key) < 0)

/* Is a fragment of this symbol's function there? */
static bool has_fragment(const struct fragment_vec *fragments, const struct symbol_table *symbols,
			 const struct symbol *s)
{
	bool any_file = !tells_file(symbols, s);
	struct fragment_name wanted = {s->name, strlen(s->name), any_file ? 0 : s->file};
	size_t i = first_fragment_from(fragments->at, fragments->len, &wanted);

	if (i == fragments->len || compare_stems(&fragments->at[i], &wanted))
		return false;
	return any_file || fragments->at[i].file == s->file;
}

bool fragments_is_part(const struct fragment_vec *fragments, const struct symbol_table *symbols,
		       const struct function *function)
{
	size_t i = function->address ? symbols_above(symbols, function->address - 1) : 0;

	for (; fragments->len && i < symbols->count && symbols->at[i].address == function->address;
	     i++) {
		const struct symbol *s = &symbols->at[i];
		char after = s->name[stem_size(s->name)];
		if (is_mapping_symbol(s->name))
			continue;
		if ((after && after != '/') || has_fragment(fragments, symbols, s))
			return true;
	}
	return false;
}

bool fragments_related(const struct function *a, const struct function *b)
{
	size_t a_stem = stem_size(a->primary), b_stem = stem_size(b->primary);
	bool one_is_fragment = a->primary[a_stem] == '.' || b->primary[b_stem] == '.';

	return one_is_fragment && a_stem == b_stem && !memcmp(a->primary, b->primary, a_stem);
}
