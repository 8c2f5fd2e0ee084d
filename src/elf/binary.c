/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/binary.h"

#include <elf.h>
#include <stdlib.h>

#include "src/elf/bat_symbols.h"
#include "src/elf/notes.h"

static enum binary_kind kind_of(const struct image *image)
{
	switch (image_bolt_trace(image)) {
	case BOLT_NONE: return BINARY_UNTOUCHED;
	case BOLT_TABLE: return BINARY_BOLTED;
	case BOLT_NO_TABLE:
	case BOLT_INSTRUMENTED:
	case BOLT_STRIPPED: break;
	}
	return BINARY_LOST;
}

bool binary_take_image(struct binary *binary, struct bc_error *err)
{
	if (!(binary->map.data ? image_open_map(&binary->map, &binary->image, err)
			       : image_open(binary->file, &binary->image, err)))
		return false;
	binary->kind = kind_of(&binary->image);
	return true;
}

bool binary_take_image_or_section(struct binary *binary, struct bc_error *err)
{
	if (!bat_note_is_bare(binary->file))
		return binary_take_image(binary, err);
	binary->kind = BINARY_SECTION;
	binary->section = binary->file;
	return true;
}

bool binary_find_note(struct binary *binary, struct bc_error *err)
{
	const struct image *image = &binary->image;

	if (binary->kind == BINARY_SECTION)
		return bat_note_bare(binary->file, &binary->desc, err);
	if (!image_bat_note(image, &binary->desc, err))
		return false;
	binary->section = image_section_bytes(image, image_section(image, BAT_SECTION_NAME));
	return true;
}

bool binary_keep_parents(struct binary *binary, struct bc_error *err)
{
	const struct bat_table *bat = &binary->bat;

	binary->stored_parents = malloc((bat->fragment_count + (size_t)1) *
					sizeof(*binary->stored_parents));
	if (!binary->stored_parents)
		return bc_fail_nomem(err);
	for (uint32_t i = 0; i < bat->fragment_count; i++)
		binary->stored_parents[i] = bat->fragments[i].parent;
	return true;
}

bool binary_find_debug(struct binary *binary, const char *path, const struct debug_dirs *dirs,
		       struct bc_error *err)
{
	return image_section_of_type(&binary->image, SHT_SYMTAB) ||
	       debug_symbols_open(&binary->image, path, dirs, &binary->debug, err);
}

bool binary_build_functions(struct binary *binary, struct bc_error *err)
{
	bool by_order = binary->kind == BINARY_BOLTED && !binary->numbers_by_address;

	return binary->kind == BINARY_SECTION ||
	       functions_build_named(&binary->image, by_order ? NUMBERS_BY_ORDER : NUMBERS_BY_ADDRESS,
				     binary->debug.path ? &binary->debug : NULL, &binary->functions, err);
}

/* Both tables ascend, so one walk through them pairs them up. */
static void walk_pairs(struct binary *binary)
{
	const struct function_table *functions = &binary->functions;
	const struct bat_table *bat = &binary->bat;
	uint32_t n = 0;

	for (uint32_t i = 0; i < bat->fragment_count; i++) {
		uint64_t address = bat->fragments[i].address;
		while (n < functions->count && functions->at[n].address < address)
			n++;
		bool same = n < functions->count && functions->at[n].address == address;
		binary->function_of[i] = same ? n : NO_FUNCTION;
		if (same && binary->fragment_of[n] == NO_FRAGMENT)
			binary->fragment_of[n] = i;
	}
}

static bool pair(struct binary *binary, struct bc_error *err)
{
	size_t functions = binary->functions.count, fragments = binary->bat.fragment_count;

	binary->fragment_of = malloc((functions + 1) * sizeof(*binary->fragment_of));
	binary->function_of = malloc((fragments + 1) * sizeof(*binary->function_of));
	if (!binary->fragment_of || !binary->function_of)
		return bc_fail_nomem(err);
	for (size_t i = 0; i < functions; i++)
		binary->fragment_of[i] = NO_FRAGMENT;
	walk_pairs(binary);
	return true;
}

/* Where BOLT moved no function, it prints the same name that it sorts by. */
static void print_primary_names(struct binary *binary)
{
	for (size_t i = 0; i < binary->functions.count; i++)
		binary->functions.at[i].printed = binary->functions.at[i].primary;
}

bool binary_settle(struct binary *binary, struct bc_error *err)
{
	if (binary->kind == BINARY_UNTOUCHED)
		print_primary_names(binary);
	return symbols_fix_parents(&binary->functions.symbols, &binary->bat, &binary->parents, err) &&
	       pair(binary, err);
}

void binary_close(struct binary *binary)
{
	free(binary->function_of);
	free(binary->fragment_of);
	free(binary->stored_parents);
	functions_free(&binary->functions);
	bat_free(&binary->bat);
	debug_symbols_close(&binary->debug);
	image_close(&binary->image);
	file_unmap(&binary->map);
	*binary = (struct binary){0};
}

const struct function *binary_fragment_function(const struct binary *binary, uint32_t fragment)
{
	uint32_t function = binary->function_of[fragment];

	return function == NO_FUNCTION ? NULL : &binary->functions.at[function];
}

const char *binary_fragment_owner(const struct binary *binary, uint32_t fragment)
{
	uint32_t parent = binary->bat.fragments[fragment].parent;
	const struct function *f =
		parent == BAT_NO_PARENT ? NULL : binary_fragment_function(binary, parent);

	return f ? f->printed : NULL;
}

uint64_t binary_fragment_size(const struct binary *binary, uint32_t fragment)
{
	const struct function *f = binary_fragment_function(binary, fragment);

	return f ? f->size : 0;
}
