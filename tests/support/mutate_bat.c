/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/support/mutate_bat.h"

#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/elf/binary.h"
#include "src/elf/rewrite.h"
#include "tests/support/read_bolted.h"

#define NOTE_HEADER 20 /* with the owner's name */

void buffer_replace(struct buffer *b, uint64_t at, uint64_t size, const void *with,
		    size_t with_size)
{
	uint8_t *data = malloc(b->size - size + with_size + 1);

	assert(data && at + size <= b->size);
	memcpy(data, b->data, at);
	memcpy(data + at, with, with_size);
	memcpy(data + at + with_size, b->data + at + size, b->size - at - size);
	free(b->data);
	*b = (struct buffer){data, b->size - size + with_size};
}

static struct buffer copy_of(const uint8_t *data, size_t size)
{
	struct buffer b = {malloc(size + 1), size};

	assert(b.data);
	memcpy(b.data, data, size);
	return b;
}

static struct buffer note_of(const uint8_t *desc, size_t size)
{
	static const uint8_t header[NOTE_HEADER] = {5, 0, 0, 0, 0,   0,   0,   0,
						    1, 0, 0, 0, 'B', 'O', 'L', 'T'};
	size_t padded = (size + 3) & ~(size_t)3;
	struct buffer note = {calloc(1, NOTE_HEADER + padded + 1), NOTE_HEADER + padded};

	assert(note.data);
	memcpy(note.data, header, NOTE_HEADER);
	for (unsigned i = 0; i < 4; i++)
		note.data[4 + i] = (uint8_t)(size >> 8 * i);
	memcpy(note.data + NOTE_HEADER, desc, size);
	return note;
}

/* Returns the file with another note, and frees the note. */
static struct buffer file_with(const struct world *w, struct buffer note)
{
	struct replacement plan;
	struct bc_error err;

	assert(replacement_plan(&w->subject.image, w->section, note.size, &plan, &err));
	struct buffer file = {malloc(plan.file_size), plan.file_size};
	assert(file.data);
	replacement_apply(&plan, w->subject.file, (struct bytes){note.data, note.size}, file.data);
	free(note.data);
	return file;
}

static bool keep_field(void *ctx, const struct bat_field *field)
{
	struct world *w = ctx;

	w->fields[w->field_count++] = *field;
	return true;
}

static void open_subject(struct world *w)
{
	struct bc_error err;
	struct bat_error bat_err;
	struct bytes file = {w->file.data, w->file.size};

	assert(binary_map_bytes(file, &w->subject, &err) && binary_find_note(&w->subject, &err));
	assert(bat_decode(w->subject.desc.data, w->subject.desc.size, &w->subject.bat, &bat_err));
	assert(binary_build_functions(&w->subject, &err) && binary_keep_parents(&w->subject, &err));
	assert(binary_settle(&w->subject, &err));
	w->section = image_section(&w->subject.image, BAT_SECTION_NAME);
}

static void transcode(struct world *w, enum bat_layout layout)
{
	struct bat_error err;
	uint8_t *desc;
	size_t size;

	assert(bat_encode(&w->subject.bat, layout, &desc, &size, &err));
	struct buffer file = file_with(w, note_of(desc, size));
	free(desc);
	binary_close(&w->subject);
	free(w->file.data);
	w->file = file;
	open_subject(w);
}

void world_open(struct world *w, const char *name, const char *input, int layout)
{
	char path[4096];
	struct bat_error err;

	*w = (struct world){.name = name};
	snprintf(path, sizeof(path), "%s%s", BATCONV_DATA_DIR, name);
	snprintf(w->input, sizeof(w->input), "%s%s", BATCONV_DATA_DIR, input);
	w->file.data = read_whole(path, &w->file.size);
	open_subject(w);
	if (layout >= 0)
		transcode(w, (enum bat_layout)layout);
	w->fields = malloc(w->subject.desc.size * sizeof(*w->fields));
	assert(w->fields && bat_fields(w->subject.bat.layout, w->subject.desc.data,
				       w->subject.desc.size, keep_field, w, &err));
}

void world_close(struct world *w)
{
	binary_close(&w->subject);
	free(w->fields);
	free(w->file.data);
}

const struct bat_field *world_field(const struct world *w, const char *name, size_t from,
				    bool (*is)(const struct world *, const struct bat_field *))
{
	for (size_t i = from; i < w->field_count; i++)
		if (!strcmp(w->fields[i].name, name) && (!is || is(w, &w->fields[i])))
			return &w->fields[i];
	return NULL;
}

static bool mutate_table(const struct world *w, const struct mutation *m, struct buffer *out)
{
	struct bat_table table;
	struct bat_error err;
	uint8_t *desc;
	size_t size;

	assert(bat_decode(w->subject.desc.data, w->subject.desc.size, &table, &err));
	bool done = m->table(w, &table);
	if (done) {
		assert(bat_encode(&table, table.layout, &desc, &size, &err));
		*out = file_with(w, note_of(desc, size));
		free(desc);
	}
	bat_free(&table);
	return done;
}

static bool mutate_desc(const struct world *w, const struct mutation *m, struct buffer *out)
{
	struct buffer desc = copy_of(w->subject.desc.data, w->subject.desc.size);
	bool done = m->desc(w, &desc);

	if (done)
		*out = file_with(w, note_of(desc.data, desc.size));
	free(desc.data);
	return done;
}

static bool mutate_note(const struct world *w, const struct mutation *m, struct buffer *out)
{
	struct buffer note = copy_of(w->subject.section.data, w->subject.section.size);
	bool done = m->note(w, &note);

	if (done)
		*out = file_with(w, note);
	else
		free(note.data);
	return done;
}

bool mutate(const struct world *w, const struct mutation *m, struct buffer *out)
{
	if (m->table)
		return mutate_table(w, m, out);
	if (m->desc)
		return mutate_desc(w, m, out);
	if (m->note)
		return mutate_note(w, m, out);
	*out = copy_of(w->file.data, w->file.size);
	if (m->file(w, out))
		return true;
	free(out->data);
	return false;
}

void verify_bytes(struct buffer file, const char *input, uint64_t counts[FINDING_KIND_COUNT])
{
	struct verify_options options = {.binary = "file", .input = input, .threads = 2, .most = 2};
	struct verify_report report = {.code = CODE_NONE};
	struct bytes bytes = {file.data, file.size};
	struct bc_error err;

	if (!binary_map_bytes(bytes, &report.subject, &err)) {
		findings_init(&report.findings, 2);
		(void)check_segments(bytes, &report.findings);
	} else {
		assert(verify_subject(&options, &report, &err));
	}
	memcpy(counts, report.findings.counts, sizeof(report.findings.counts));
	verify_free(&report);
}
