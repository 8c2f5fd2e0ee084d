/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/function_names.h"

#include <elf.h>

/* A local symbol is NAME/N, and under a FILE symbol NAME/FILE/N, too. */
static bool name_symbol(const struct symbol_table *table, const struct symbol *s,
			struct names *room, uint32_t function,
			bool (*name)(void *ctx, uint32_t function, struct text name), void *ctx)
{
	if (!*s->name || s->type == STT_SECTION)
		return true;
	if (!s->local)
		return name(ctx, function, text_of(s->name));
	struct digits number = digits_behind_slash(s->number),
		      in_file = digits_behind_slash(s->file_number);
	const char *plain = names_join(room, s->name, number.text, NULL, NULL);
	if (!plain || !name(ctx, function, text_of(plain)))
		return false;
	if (!s->file_number)
		return true;
	const char *with_file = names_join(room, s->name, "/", table->files[s->file], in_file.text);
	return with_file && name(ctx, function, text_of(with_file));
}

bool function_names_each(const struct function_table *functions,
			 bool (*name)(void *ctx, uint32_t function, struct text name), void *ctx)
{
	const struct symbol_table *table = &functions->symbols;
	struct names room = {0};
	bool ok = true;

	for (size_t f = 0, s = 0; ok && f < functions->count; f++) {
		const struct function *at = &functions->at[f];
		ok = name(ctx, (uint32_t)f, text_of(at->printed)) &&
		     name(ctx, (uint32_t)f, text_of(at->primary));
		while (s < table->count && table->at[s].address < at->address)
			s++;
		for (size_t own = s;
		     ok && own < table->count && table->at[own].address == at->address; own++)
			ok = name_symbol(table, &table->at[own], &room, (uint32_t)f, name, ctx);
		names_free(&room);
	}
	return ok;
}

static bool is_alphanumeric(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* "17h", 16 digits and "E" end a name of Rust's older mangling. */
static struct text without_hash(struct text name)
{
	const size_t size = 20;

	if (!text_starts(name, "_ZN") || name.len <= size || name.at[name.len - 1] != 'E' ||
	    !text_starts(text_from(name, name.len - size), "17h"))
		return name;
	for (size_t i = name.len - size + 3; i < name.len - 1; i++)
		if (!is_alphanumeric(name.at[i]))
			return name;
	return text_first(name, name.len - size);
}

/* "s", digits of base 62 and "_" follow the "C" of each crate in Rust's newer mangling. */
static struct text without_crate_hashes(struct text name, char room[NAME_STEM_ROOM])
{
	size_t len = 0;

	if (!text_starts(name, "_R") || name.len > NAME_STEM_ROOM)
		return name;
	for (size_t i = 0; i < name.len; i++) {
		size_t end = i + 1;
		room[len++] = name.at[i];
		if (!text_starts(text_from(name, i), "Cs"))
			continue;
		while (end < name.len && is_alphanumeric(name.at[end]))
			end++;
		if (end < name.len && name.at[end] == '_')
			i = end;
	}
	return (struct text){room, len};
}

struct text function_name_stem(struct text name, char room[NAME_STEM_ROOM])
{
	static const char *const marks[] = {".llvm.", ".lto_priv.", ".constprop.", ".isra.",
					    ".part.", ".__uniq.",   ".cold",       "/"};

	for (size_t i = 1; i < name.len; i++)
		for (size_t k = 0; k < BC_COUNT(marks); k++)
			if (text_starts(text_from(name, i), marks[k]))
				name = text_first(name, i);
	return without_crate_hashes(without_hash(name), room);
}
