/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/address/pprof.h"

#include <stdlib.h>
#include <zlib.h>

/* Wire types of protocol buffers. */
enum { WIRE_VARINT = 0, WIRE_BYTES = 2 };

enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_STRING,
	PROFILE_TIME = 9,
	PROFILE_DURATION
};

void pprof_free(struct pprof *p)
{
	strings_free(&p->texts);
	strings_free(&p->mappings);
	strings_free(&p->functions);
	strings_free(&p->locations);
	strings_free(&p->stacks);
	pprof_mapping_vec_free(&p->rows);
	count_vec_free(&p->counts);
	byte_vec_free(&p->body);
	*p = (struct pprof){0};
}

static bool put_bytes(struct byte_vec *out, const void *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (!byte_vec_push(out, ((const uint8_t *)data)[i]))
			return false;
	return true;
}

/* A number; 0 is what a field that is not there means. */
static bool put_number(struct byte_vec *out, unsigned field, uint64_t value)
{
	return !value || (leb_put_u(out, field << 3 | WIRE_VARINT) && leb_put_u(out, value));
}

static bool put_block(struct byte_vec *out, unsigned field, const void *data, size_t size)
{
	return leb_put_u(out, field << 3 | WIRE_BYTES) && leb_put_u(out, size) &&
	       put_bytes(out, data, size);
}

/* Append a message to the body if all that was put into it went well. */
static bool finish(struct pprof *p, unsigned field, struct byte_vec *message, bool ok)
{
	ok = ok && put_block(&p->body, field, message->at, message->len);
	byte_vec_free(message);
	return ok;
}

/* The id of a key: *is_new if it was not met before. */
static bool id_of(struct strings *set, const void *key, size_t size, uint32_t *id, bool *is_new)
{
	uint32_t before = set->len;

	if (!strings_intern(set, (struct text){key, size}, id))
		return false;
	*is_new = set->len != before;
	return true;
}

static bool text_id(struct pprof *p, struct text text, uint32_t *id)
{
	return strings_intern(&p->texts, text, id);
}

/* As it was recorded, or of the file that was opened. */
static bool build_id_text(struct pprof *p, const struct mapped_files *files,
			  const struct frame *frame, uint32_t *out)
{
	const struct image *image = frame->file ? &frame->file->binary->image : NULL;
	struct build_id gnu = mapped_files_id(files, frame->mapping->file);
	struct text go = mapped_files_go_id(files, frame->mapping->file);
	char hex[2 * BUILD_ID_MAX + 1];

	if (!gnu.size && image)
		gnu = image->build_id;
	if (!go.len && image)
		go = image->go_build_id;
	build_id_format(&gnu, hex);
	return text_id(p, gnu.size ? text_of(hex) : go, out);
}

static bool add_mapping(struct pprof *p, const struct mapped_files *files,
			const struct frame *frame, uint32_t id)
{
	const struct mapping *at = frame->mapping;
	struct pprof_mapping row = {.start = at->start, .end = at->end, .offset = at->offset};

	if (!text_id(p, frame->library, &row.name) ||
	    !build_id_text(p, files, frame, &row.build_id))
		return false;
	while (p->rows.len <= id)
		if (!pprof_mapping_vec_push(&p->rows, row))
			return false;
	return true;
}

static bool mapping_id(struct pprof *p, const struct mapped_files *files, const struct frame *frame,
		       uint32_t *id)
{
	const struct mapping *at = frame->mapping;
	bool is_new;

	*id = 0;
	if (!at)
		return true;
	const struct mapped_file *file = mapped_files_at(files, at->file);
	uint64_t key[] = {at->start, at->end, at->offset,
			  (uint64_t)file->path << 32 | file->build_id};
	if (!id_of(&p->mappings, key, sizeof(key), id, &is_new) ||
	    (is_new && !add_mapping(p, files, frame, *id)))
		return false;
	struct pprof_mapping *row = &p->rows.at[*id];
	row->functions |= frame_function(frame) != NULL;
	for (size_t i = 0; i < frame->places.count; i++) {
		row->filenames |= p->lines && frame->places.at[i].file;
		row->lines |= p->lines && frame->places.at[i].line;
		row->inlines |= p->inlines;
	}
	return true;
}

static bool put_mapping(struct byte_vec *out, const struct pprof_mapping *row, uint32_t id)
{
	struct byte_vec m = {0};
	bool ok = put_number(&m, 1, id) && put_number(&m, 2, row->start) &&
		  put_number(&m, 3, row->end) && put_number(&m, 4, row->offset) &&
		  put_number(&m, 5, row->name) && put_number(&m, 6, row->build_id) &&
		  put_number(&m, 7, row->functions) && put_number(&m, 8, row->filenames) &&
		  put_number(&m, 9, row->lines) && put_number(&m, 10, row->inlines) &&
		  put_block(out, PROFILE_MAPPING, m.at, m.len);

	byte_vec_free(&m);
	return ok;
}

static bool function_id(struct pprof *p, const char *name, const char *file, uint32_t *id)
{
	uint32_t texts[2];
	bool is_new;

	if (!text_id(p, text_of(name), &texts[0]) ||
	    !text_id(p, text_of(file && p->lines ? file : ""), &texts[1]) ||
	    !id_of(&p->functions, texts, sizeof(texts), id, &is_new))
		return false;
	if (!is_new)
		return true;
	struct byte_vec m = {0};
	bool ok = put_number(&m, 1, *id) && put_number(&m, 2, texts[0]) &&
		  put_number(&m, 3, texts[0]) && put_number(&m, 4, texts[1]);
	return finish(p, PROFILE_FUNCTION, &m, ok);
}

/* The function that the code belongs to.  A frame without a function is named by its address, one
 * without a mapping by its kind. */
static bool own_function_id(struct pprof *p, const struct frame *frame, uint32_t *id)
{
	const struct source_place *place = frame_place(frame);
	const char *name = frame_function(frame);

	*id = 0;
	if (name)
		return function_id(p, name, place ? place->file : NULL, id);
	return frame->mapping || function_id(p, frame->library.at, NULL, id);
}

static bool put_line(const struct pprof *p, struct byte_vec *location, uint32_t function,
		     uint32_t number)
{
	struct byte_vec m = {0};
	bool ok = put_number(&m, 1, function) && put_number(&m, 2, p->lines ? number : 0) &&
		  put_block(location, 4, m.at, m.len);

	byte_vec_free(&m);
	return ok;
}

/* The inlined calls, then the function itself. */
static bool put_lines(struct pprof *p, struct byte_vec *location, const struct frame *frame,
		      uint32_t own)
{
	const struct source_place *place = frame_place(frame);
	uint32_t function;

	for (size_t i = 0; i + 1 < frame->places.count; i++) {
		const struct source_place *inlined = &frame->places.at[i];
		if (!function_id(p, inlined->function ? inlined->function : FRAME_INLINED,
				 inlined->file, &function) ||
		    !put_line(p, location, function, inlined->line))
			return false;
	}
	return !own || put_line(p, location, own, place ? place->line : 0);
}

static bool location_id(struct pprof *p, const struct mapped_files *files,
			const struct frame *frame, uint32_t *id)
{
	uint32_t mapping, function;
	bool is_new = false;

	if (!mapping_id(p, files, frame, &mapping) || !own_function_id(p, frame, &function))
		return false;
	uint64_t address = frame->raw.v - frame->is_return;
	uint64_t key[] = {address, (uint64_t)mapping << 32 | function};
	if (!id_of(&p->locations, key, sizeof(key), id, &is_new))
		return false;
	if (!is_new)
		return true;
	struct byte_vec m = {0};
	bool ok = put_number(&m, 1, *id) && put_number(&m, 2, mapping) &&
		  put_number(&m, 3, address) && put_lines(p, &m, frame, function);
	return finish(p, PROFILE_LOCATION, &m, ok);
}

bool pprof_add(struct pprof *p, const struct mapped_files *files, const struct frame *frames,
	       size_t count, uint64_t time)
{
	uint32_t *ids = malloc((count + 1) * sizeof(*ids)), stack;
	bool ok = ids, is_new = false;

	for (size_t i = 0; i < count && ok; i++)
		ok = location_id(p, files, &frames[i], &ids[i]);
	ok = ok && id_of(&p->stacks, ids, count * sizeof(*ids), &stack, &is_new);
	free(ids);
	while (ok && p->counts.len <= stack)
		ok = count_vec_push(&p->counts, 0);
	if (!ok)
		return false;
	p->counts.at[stack]++;
	if (!p->any || time < p->first_time)
		p->first_time = time;
	if (!p->any || time > p->last_time)
		p->last_time = time;
	p->any = true;
	return true;
}

/* Location ids are packed: one block of numbers. */
static bool put_sample(struct byte_vec *out, struct text stack, uint64_t count)
{
	struct byte_vec ids = {0}, m = {0};
	bool ok = true;

	for (size_t i = 0; i < stack.len && ok; i += sizeof(uint32_t)) {
		uint32_t id;
		memcpy(&id, stack.at + i, sizeof(id));
		ok = leb_put_u(&ids, id);
	}
	ok = ok && put_block(&m, 1, ids.at, ids.len) && put_number(&m, 2, count) &&
	     put_block(out, PROFILE_SAMPLE, m.at, m.len);
	byte_vec_free(&ids);
	byte_vec_free(&m);
	return ok;
}

static bool put_sample_type(struct pprof *p, struct byte_vec *out)
{
	struct byte_vec m = {0};
	uint32_t type, unit;

	bool ok = text_id(p, text_of("samples"), &type) && text_id(p, text_of("count"), &unit) &&
		  put_number(&m, 1, type) && put_number(&m, 2, unit) &&
		  put_block(out, PROFILE_SAMPLE_TYPE, m.at, m.len);
	byte_vec_free(&m);
	return ok;
}

static bool encode(struct pprof *p, struct byte_vec *out)
{
	bool ok = put_sample_type(p, out);

	for (uint32_t i = 1; i < p->stacks.len && ok; i++)
		ok = put_sample(out, strings_at(&p->stacks, i), p->counts.at[i]);
	for (uint32_t i = 1; i < p->rows.len && ok; i++)
		ok = put_mapping(out, &p->rows.at[i], i);
	ok = ok && put_bytes(out, p->body.at, p->body.len);
	for (uint32_t i = 0; i < p->texts.len && ok; i++) {
		struct text text = strings_at(&p->texts, i);
		ok = put_block(out, PROFILE_STRING, text.at, text.len);
	}
	return ok && put_number(out, PROFILE_TIME, p->first_time) &&
	       put_number(out, PROFILE_DURATION, p->last_time - p->first_time);
}

/* windowBits above 15: a gzip header, which zlib fills with zeros (no time). */
static bool write_gzip(const struct byte_vec *content, FILE *out)
{
	z_stream z = {.next_in = content->at, .avail_in = (uInt)content->len};
	uint8_t buffer[16384];
	int state;

	if (content->len > UINT32_MAX || deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
						      15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return false;
	do {
		z.next_out = buffer;
		z.avail_out = sizeof(buffer);
		state = deflate(&z, Z_FINISH);
		// cppcheck-suppress uninitvar ; filled by deflate
		fwrite(buffer, 1, sizeof(buffer) - z.avail_out, out);
	} while (state == Z_OK);
	deflateEnd(&z);
	return state == Z_STREAM_END;
}

bool pprof_write(struct pprof *p, FILE *out)
{
	struct byte_vec content = {0};
	bool ok = encode(p, &content) && write_gzip(&content, out);

	byte_vec_free(&content);
	return ok;
}
