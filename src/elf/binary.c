/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/binary.h"

#include <inttypes.h>
#include <stdlib.h>

#include "src/base/parallel.h"
#include "src/elf/bat_symbols.h"

static bool fail_bat(const struct bat_error *from, struct bc_error *err)
{
	if (from->code == BAT_NOMEM)
		return bc_fail_nomem(err);
	return bc_fail(err, BC_FORMAT, "BAT section: %s", from->text);
}

/* BOLT wrote this file: without its table, nothing leads back to the input. */
static bool is_bolted(const struct image *image)
{
	for (size_t i = 0; i < image->section_count; i++)
		if (text_starts(image->sections[i].name, ".bolt.org.") ||
		    text_is(image->sections[i].name, ".note.bolt_info"))
			return true;
	return false;
}

static bool read_bat(struct binary *binary, struct binary_needs needs, struct bc_error *err)
{
	struct bat_error bat_err = {0};
	struct bytes desc;

	if (!image_bat_note(&binary->image, &desc, err)) {
		bool none = err->code == BC_NOTFOUND, bolted = is_bolted(&binary->image);
		binary->plain = none && !bolted && (needs.plain_will_do || needs.any_will_do);
		binary->lost = none && bolted && needs.any_will_do;
		return binary->plain || binary->lost;
	}
	bool ok = (needs.blocks ? bat_decode : bat_decode_offsets)(desc.data, desc.size, &binary->bat,
								   &bat_err);
	file_release(desc.data, desc.size);
	return ok || fail_bat(&bat_err, err);
}

/* Both tables ascend, so one walk through them pairs them up. */
static bool link_fragments(struct binary *binary, struct bc_error *err)
{
	const struct function_table *functions = &binary->functions;
	const struct bat_table *bat = &binary->bat;
	uint32_t f = 0;

	binary->fragment_of = malloc((functions->count + 1) * sizeof(*binary->fragment_of));
	if (!binary->fragment_of)
		return bc_fail_nomem(err);
	for (size_t i = 0; i < functions->count; i++) {
		uint64_t address = functions->at[i].address;
		while (f < bat->fragment_count && bat->fragments[f].address < address)
			f++;
		bool same = f < bat->fragment_count && bat->fragments[f].address == address;
		binary->fragment_of[i] = same ? f : NO_FRAGMENT;
	}
	return true;
}

/* With nothing moved, BOLT prints the name that it sorts by. */
static void print_primary_names(struct binary *binary)
{
	for (size_t i = 0; i < binary->functions.count; i++)
		binary->functions.at[i].printed = binary->functions.at[i].primary;
}

struct opening {
	struct binary *binary;
	struct binary_needs needs;
};

/* The two halves of opening, which do not need each other. */
static bool open_half(void *ctx, size_t half, struct bc_error *err)
{
	const struct opening *o = ctx;
	struct binary *binary = o->binary;

	return half ? functions_build(&binary->image, &binary->functions, err)
		    : read_bat(binary, o->needs, err);
}

static bool open_bytes(struct bytes file, struct binary_needs needs, struct binary *out,
		       struct bc_error *err)
{
	struct binary binary = {0};
	struct opening opening = {&binary, needs};

	if (image_open(file, &binary.image, err) && parallel_parts(2, open_half, &opening, err) &&
	    symbols_fix_parents(&binary.functions.symbols, &binary.bat, &binary.parents, err) &&
	    link_fragments(&binary, err)) {
		if (binary.plain)
			print_primary_names(&binary);
		*out = binary;
		return true;
	}
	binary_close(&binary);
	return false;
}

bool binary_open_bytes(struct bytes file, struct binary *out, struct bc_error *err)
{
	return open_bytes(file, (struct binary_needs){0}, out, err);
}

bool binary_open_for(const char *path, struct binary_needs needs, struct binary *out,
		     struct bc_error *err)
{
	struct file_map file;

	if (!file_map(path, &file, err))
		return false;
	if (!open_bytes((struct bytes){file.data, file.size}, needs, out, err)) {
		file_unmap(&file);
		return bc_fail_prefix(err, path);
	}
	out->file = file;
	return true;
}

bool binary_has_bat(const char *path, bool *has, struct bc_error *err)
{
	struct file_map file;
	struct image image;
	struct bytes desc;

	*has = false;
	err->code = BC_OK;
	if (!file_map(path, &file, err))
		return err->code != BC_NOMEM && err->code != BC_IO;
	bool elf = image_open((struct bytes){file.data, file.size}, &image, err);
	*has = elf && image_bat_note(&image, &desc, err);
	if (elf)
		image_close(&image);
	file_unmap(&file);
	return *has || err->code != BC_NOMEM;
}

bool binary_open(const char *path, struct binary *out, struct bc_error *err)
{
	return binary_open_for(path, (struct binary_needs){0}, out, err);
}

bool binary_open_plain(const char *path, struct binary *out, struct bc_error *err)
{
	return binary_open_for(path, (struct binary_needs){.plain_will_do = true}, out, err);
}

void binary_close(struct binary *binary)
{
	free(binary->fragment_of);
	functions_free(&binary->functions);
	bat_free(&binary->bat);
	image_close(&binary->image);
	file_unmap(&binary->file);
	*binary = (struct binary){0};
}

struct place binary_place(const struct binary *binary, struct vaddr at,
			  const struct function *near)
{
	struct place place = {near, NULL, 0};

	if (!near || at.v - near->address >= near->size)
		place.function = functions_find(&binary->functions, at);
	if (!place.function)
		return place;
	if (at.v - place.function->address > UINT32_MAX) /* further than an offset reaches */
		return (struct place){0};
	uint32_t fragment = binary->fragment_of[place.function - binary->functions.at];
	if (fragment != NO_FRAGMENT)
		place.fragment = &binary->bat.fragments[fragment];
	place.offset = (uint32_t)(at.v - place.function->address);
	return place;
}

const struct function *binary_owner(const struct binary *binary, struct place place)
{
	if (!place.fragment || !place.fragment->cold)
		return place.function;
	if (place.fragment->parent == BAT_NO_PARENT)
		return NULL;
	struct vaddr parent = {binary->bat.fragments[place.fragment->parent].address};
	return functions_find(&binary->functions, parent);
}

bool binary_translate(const struct binary *binary, struct place place, bool is_source,
		      struct input_place *out)
{
	*out = (struct input_place){0};
	if (!place.function)
		return true;
	if (binary->lost)
		return false;
	out->function = binary_owner(binary, place);
	if (!out->function)
		return false;
	out->offset = place.fragment ? bat_translate(&binary->bat, place.fragment, place.offset, is_source)
				     : place.offset;
	return true;
}
