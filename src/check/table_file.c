/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/check/table_file.h"

#include <stdlib.h>

#include "src/elf/bat_symbols.h"
#include "src/elf/notes.h"

/* A section alone: what objcopy -O binary or "batconv extract --note" writes. */
static bool is_bare_note(struct bytes file)
{
	return file.size >= 12 + sizeof(BAT_NOTE_OWNER) && le32(file.data) == sizeof(BAT_NOTE_OWNER) &&
	       !memcmp(file.data + 12, BAT_NOTE_OWNER, sizeof(BAT_NOTE_OWNER));
}

static bool take_bare_note(struct table_file *subject, struct bc_error *err)
{
	struct bytes rest = subject->section;
	struct note note;

	if (!note_next(&rest, 4, &note) || rest.size)
		return bc_fail(err, BC_FORMAT, "%s: BAT note, byte 4: its size is not the file's",
			       subject->path);
	subject->desc = note.desc;
	return true;
}

bool table_file_of_bytes(const char *path, struct bytes file, struct table_file *out,
		      struct bc_error *err)
{
	struct table_file subject = {.path = path, .file = file};

	subject.has_image = !is_bare_note(file);
	if (!subject.has_image)
		subject.section = file;
	if (subject.has_image && !image_open(file, &subject.image, err))
		return bc_fail_prefix(err, path);
	*out = subject;
	return true;
}

bool table_file_map(const char *path, struct table_file *out, struct bc_error *err)
{
	struct file_map map;

	if (!file_map(path, &map, err))
		return false;
	if (!table_file_of_bytes(path, (struct bytes){map.data, map.size}, out, err)) {
		file_unmap(&map);
		return false;
	}
	out->map = map;
	return true;
}

bool table_file_note(struct table_file *subject, struct bc_error *err)
{
	if (!subject->has_image)
		return take_bare_note(subject, err);
	if (!image_bat_note(&subject->image, &subject->desc, err))
		return bc_fail_prefix(err, subject->path);
	subject->section = image_section_bytes(
		&subject->image, image_section(&subject->image, BAT_SECTION_NAME));
	return true;
}

static bool fail_bat(const struct table_file *subject, const struct bat_error *from,
		     struct bc_error *err)
{
	if (from->code == BAT_NOMEM)
		return bc_fail_nomem(err);
	return bc_fail(err, BC_FORMAT, "%s: BAT section: %s", subject->path, from->text);
}

static bool keep_parents(struct table_file *subject, struct bc_error *err)
{
	const struct bat_table *bat = &subject->bat;

	subject->stored_parents = malloc((bat->fragment_count + (size_t)1) *
					 sizeof(*subject->stored_parents));
	if (!subject->stored_parents)
		return bc_fail_nomem(err);
	for (uint32_t i = 0; i < bat->fragment_count; i++)
		subject->stored_parents[i] = bat->fragments[i].parent;
	return true;
}

/* Both tables ascend, so one walk through them pairs them up. */
static bool pair_functions(struct table_file *subject, struct bc_error *err)
{
	const struct function_table *functions = &subject->functions;
	const struct bat_table *bat = &subject->bat;
	size_t n = 0;

	subject->function_of = malloc((bat->fragment_count + (size_t)1) *
				      sizeof(*subject->function_of));
	if (!subject->function_of)
		return bc_fail_nomem(err);
	for (uint32_t i = 0; i < bat->fragment_count; i++) {
		while (n < functions->count &&
		       functions->at[n].address < bat->fragments[i].address)
			n++;
		bool same = n < functions->count &&
			    functions->at[n].address == bat->fragments[i].address;
		subject->function_of[i] = same ? (uint32_t)n : NO_FUNCTION;
	}
	return true;
}

bool table_file_link(struct table_file *subject, struct bc_error *err)
{
	if (subject->has_image &&
	    !functions_build(&subject->image, &subject->functions, err))
		return bc_fail_prefix(err, subject->path);
	return keep_parents(subject, err) &&
	       symbols_fix_parents(&subject->functions.symbols, &subject->bat, &subject->parents, err) &&
	       pair_functions(subject, err);
}

bool table_file_open(const char *path, struct table_file *out, struct bc_error *err)
{
	struct table_file subject;
	struct bat_error bat_err = {0};

	if (!table_file_map(path, &subject, err))
		return false;
	bool ok = table_file_note(&subject, err) &&
		  (bat_decode(subject.desc.data, subject.desc.size, &subject.bat, &bat_err) ||
		   fail_bat(&subject, &bat_err, err)) &&
		  table_file_link(&subject, err);
	if (ok)
		*out = subject;
	else
		table_file_close(&subject);
	return ok;
}

void table_file_close(struct table_file *subject)
{
	free(subject->function_of);
	free(subject->stored_parents);
	functions_free(&subject->functions);
	bat_free(&subject->bat);
	image_close(&subject->image);
	file_unmap(&subject->map);
	*subject = (struct table_file){0};
}

const struct function *table_file_function(const struct table_file *subject, uint32_t fragment)
{
	uint32_t function = subject->function_of[fragment];

	return function == NO_FUNCTION ? NULL : &subject->functions.at[function];
}

const char *table_file_owner(const struct table_file *subject, uint32_t fragment)
{
	uint32_t parent = subject->bat.fragments[fragment].parent;
	const struct function *f = parent == BAT_NO_PARENT ? NULL : table_file_function(subject, parent);

	return f ? f->printed : NULL;
}

uint64_t table_file_size(const struct table_file *subject, uint32_t fragment)
{
	const struct function *f = table_file_function(subject, fragment);

	return f ? f->size : 0;
}
