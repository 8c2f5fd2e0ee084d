/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/address/writer.h"

#include <inttypes.h>
#include <stdlib.h>

#include "src/base/text.h"
#include "src/base/json.h"

void stack_writer_free(struct stack_writer *writer)
{
	strings_free(&writer->folded);
	count_vec_free(&writer->counts);
	pprof_free(&writer->pprof);
}

/* ---- text ---- */

static void write_place(const struct source_place *place, FILE *out)
{
	if (!place || !place->line)
		return;
	putc(' ', out);
	print_name(text_of(place->file), out);
	fprintf(out, ":%" PRIu32, place->line);
}

/* What was inlined is before the function that it was inlined into, in lines of its own. */
static void write_inlined(const struct stack_writer *writer, const struct frame *f)
{
	for (size_t i = 0; i + 1 < f->places.count; i++) {
		const struct source_place *place = &f->places.at[i];
		fprintf(writer->out, "  0x%-14" PRIx64 " [inlined] ", f->raw.v);
		print_name(text_of(place->function ? place->function : "-"), writer->out);
		if (writer->lines)
			write_place(place, writer->out);
		putc('\n', writer->out);
	}
}

static void write_text(const struct stack_writer *writer, const struct stack *stack)
{
	FILE *out = writer->out;

	fprintf(out, "%" PRIu64, stack->time);
	if (stack->pid != UINT32_MAX)
		fprintf(out, " p%" PRIu32, stack->pid);
	if (stack->map != UINT32_MAX)
		fprintf(out, " m%" PRIu32, stack->map);
	putc('\n', out);
	for (size_t i = 0; i < stack->count; i++) {
		const struct frame *f = &stack->frames[i];
		write_inlined(writer, f);
		fprintf(out, "  0x%-14" PRIx64 " ", f->raw.v);
		print_name(f->library, out);
		if (f->mapping)
			fprintf(out, "+0x%" PRIx64, f->offset.v);
		if (f->has_vaddr)
			fprintf(out, " vaddr 0x%" PRIx64, f->vaddr.v);
		if (f->function) {
			putc(' ', out);
			print_name(text_of(f->function), out);
			fprintf(out, "+0x%" PRIx64, f->function_offset);
		} else if (frame_function(f)) {
			putc(' ', out);
			print_name(text_of(frame_function(f)), out);
		}
		if (writer->lines)
			write_place(frame_place(f), out);
		putc('\n', out);
	}
}

/* ---- JSON ---- */

static void json_address(struct json *json, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	json_string(json, key, text);
}

static void json_place(struct json *json, const struct source_place *place)
{
	if (!place || !place->line)
		return;
	json_string(json, "file", place->file);
	json_number(json, "line", place->line);
}

static void json_inlined(const struct stack_writer *writer, struct json *json,
			 const struct frame *f)
{
	json_open(json, "inlined", '[');
	for (size_t i = 0; i + 1 < f->places.count; i++) {
		json_open(json, NULL, '{');
		if (f->places.at[i].function)
			json_string(json, "function", f->places.at[i].function);
		if (writer->lines)
			json_place(json, &f->places.at[i]);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void write_frame(const struct stack_writer *writer, struct json *json, const struct frame *f)
{
	json_open(json, NULL, '{');
	json_string(json, "library", f->library.at); /* NUL-terminated: a string of the set */
	if (f->mapping)
		json_address(json, "offset", f->offset.v);
	json_address(json, "raw", f->raw.v);
	if (f->has_vaddr)
		json_address(json, "vaddr", f->vaddr.v);
	if (f->function) {
		json_string(json, "function", f->function);
		json_address(json, "function_offset", f->function_offset);
	} else if (frame_function(f)) {
		json_string(json, "function", frame_function(f));
	}
	if (writer->lines)
		json_place(json, frame_place(f));
	if (f->places.count > 1)
		json_inlined(writer, json, f);
	json_bool(json, "return", f->is_return);
	json_close(json, '}');
}

static void write_json(const struct stack_writer *writer, const struct stack *stack)
{
	struct json json = {.out = writer->out};

	json_open_document(&json, "batconv-stacks");
	json_number(&json, "time", stack->time);
	if (stack->pid != UINT32_MAX)
		json_number(&json, "pid", stack->pid);
	if (stack->map != UINT32_MAX)
		json_number(&json, "map", stack->map);
	json_open(&json, "frames", '[');
	for (size_t i = 0; i < stack->count; i++)
		write_frame(writer, &json, &stack->frames[i]);
	json_close(&json, ']');
	json_close(&json, '}');
	putc('\n', writer->out);
}

/* ---- folded ---- */

static bool fold_text(struct byte_vec *line, struct text text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.at[i];
		/* These separate frames, and lines. */
		if (!byte_vec_push(line, (uint8_t)(c == ';' ? ':' : c == '\n' ? ' ' : c)))
			return false;
	}
	return true;
}

/* NAME (FILE:LINE) */
static bool fold_function(const struct stack_writer *writer, struct byte_vec *line,
			  const char *name, const struct source_place *place)
{
	char number[16];

	if (!fold_text(line, text_of(name)))
		return false;
	if (!writer->lines || !place || !place->line)
		return true;
	snprintf(number, sizeof(number), ":%" PRIu32 ")", place->line);
	return fold_text(line, text_of(" (")) &&
	       fold_text(line, text_basename(text_of(place->file))) &&
	       fold_text(line, text_of(number));
}

static bool fold_inlined(const struct stack_writer *writer, struct byte_vec *line,
			 const struct frame *f)
{
	for (size_t i = f->places.count; i-- > 1;) {
		const struct source_place *place = &f->places.at[i - 1];
		if (!byte_vec_push(line, ';') ||
		    !fold_function(writer, line, place->function ? place->function : FRAME_INLINED,
				   place))
			return false;
	}
	return true;
}

/* A function, or the library's last part and the offset in its file. */
static bool fold_frame(const struct stack_writer *writer, struct byte_vec *line,
		       const struct frame *f)
{
	char offset[24];

	if (frame_function(f))
		return fold_function(writer, line, frame_function(f), frame_place(f));
	if (!f->mapping)
		return fold_text(line, f->library);
	snprintf(offset, sizeof(offset), "+0x%" PRIx64, f->offset.v);
	return fold_text(line, text_basename(f->library)) && fold_text(line, text_of(offset));
}

static bool add_folded(struct stack_writer *writer, const struct stack *stack)
{
	struct byte_vec line = {0};
	uint32_t number = 0;
	bool ok = true;

	for (size_t i = stack->count; i-- > 0 && ok;)
		ok = fold_frame(writer, &line, &stack->frames[i]) &&
		     fold_inlined(writer, &line, &stack->frames[i]) &&
		     (!i || byte_vec_push(&line, ';'));
	ok = ok && strings_intern(&writer->folded, (struct text){(const char *)line.at, line.len},
				  &number);
	byte_vec_free(&line);
	while (ok && writer->counts.len <= number)
		ok = count_vec_push(&writer->counts, 0);
	if (ok)
		writer->counts.at[number]++;
	return ok;
}

struct folded_line {
	struct text text;
	uint64_t count;
};

static int by_text(const void *a, const void *b)
{
	const struct text *x = &((const struct folded_line *)a)->text;
	const struct text *y = &((const struct folded_line *)b)->text;
	int order = memcmp(x->at, y->at, x->len < y->len ? x->len : y->len);

	return order ? order : (x->len > y->len) - (x->len < y->len);
}

static bool write_folded(const struct stack_writer *writer)
{
	size_t count = writer->counts.len;
	struct folded_line *lines = malloc((count + 1) * sizeof(*lines));

	if (!lines)
		return false;
	for (uint32_t i = 0; i < count; i++)
		lines[i] =
			(struct folded_line){strings_at(&writer->folded, i), writer->counts.at[i]};
	if (count)
		qsort(lines, count, sizeof(*lines), by_text);
	for (size_t i = 0; i < count; i++)
		if (lines[i].count) {
			print_name(lines[i].text, writer->out);
			fprintf(writer->out, " %" PRIu64 "\n", lines[i].count);
		}
	free(lines);
	return true;
}

bool stack_writer_add(struct stack_writer *writer, const struct stack *stack, struct bc_error *err)
{
	switch (writer->format) {
	case STACKS_TEXT: write_text(writer, stack); return true;
	case STACKS_JSON: write_json(writer, stack); return true;
	case STACKS_FOLDED: return add_folded(writer, stack) || bc_fail_nomem(err);
	case STACKS_PPROF:
		return pprof_add(&writer->pprof, writer->files, stack->frames, stack->count,
				 stack->time) ||
		       bc_fail_nomem(err);
	}
	return true;
}

bool stack_writer_finish(struct stack_writer *writer, struct bc_error *err)
{
	if (writer->format == STACKS_FOLDED)
		return write_folded(writer) || bc_fail_nomem(err);
	if (writer->format == STACKS_PPROF)
		return pprof_write(&writer->pprof, writer->out) || bc_fail_nomem(err);
	return true;
}
