/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/listing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/base/counts.h"
#include "src/base/sort.h"
#include "src/isa/insn.h"

#define BLOCKS_LISTED  32 /* of a function */
#define PERCENT_LISTED 95 /* of its counts: colder blocks are left out */
#define INSNS_LISTED   64 /* of a block */
#define NAME_SHOWN     80 /* bytes */
#define TEXT_SIZE      256

void listing_open(const struct report_subject *subject, const struct code_parts *parts,
		  struct source_lines *lines, struct listing *out)
{
	*out = (struct listing){.subject = subject, .parts = parts, .lines = lines};
	if (!llvm_open_text(subject_binary(subject)->image.machine, &out->llvm))
		llvm_close(&out->llvm);
}

void listing_close(struct listing *listing)
{
	llvm_close(&listing->llvm);
}

/* ---- an instruction ---- */

/* One of both binaries. */
struct side {
	const struct image *image;
	const struct function_table *functions;
	const struct function *function; /* of which the offsets are those of blocks; or NULL */
	bool has_lines;
};

/* Adds the name of the function that an address is in, or within `side->function` its offset. */
static void add_place(char *text, size_t size, const struct side *side, uint64_t target)
{
	const struct function *f = functions_find(side->functions, (struct vaddr){target});

	if (!f)
		return;
	if (f == side->function)
		snprintf(text, size, " <+0x%" PRIx64 ">", target - f->address);
	else if (target == f->address)
		snprintf(text, size, " <%.*s>", NAME_SHOWN, f->printed);
	else
		snprintf(text, size, " <%.*s+0x%" PRIx64 ">", NAME_SHOWN, f->printed,
			 target - f->address);
}

/* The operand that says where a direct branch leads is its last one. */
static char *last_operand(char *text)
{
	char *comma = strrchr(text, ','), *blank = strchr(text, ' ');

	if (comma)
		return comma + strspn(comma, ", ");
	return blank ? blank + 1 : text + strlen(text);
}

/* LLVM prints distances. */
static void say_target(char *text, size_t size, const struct side *side, const struct insn *insn)
{
	char *end = text + strlen(text);

	if (insn_is_direct(*insn))
		end = last_operand(text);
	snprintf(end, size - (size_t)(end - text),
		 insn_is_direct(*insn) ? "0x%" PRIx64 : " # 0x%" PRIx64, insn->target);
	end += strlen(end);
	add_place(end, size - (size_t)(end - text), side, insn->target);
}

/* LLVM prints the distance of pages that AArch64's adrp forms an address of. */
static void say_page(char *text, size_t size, uint64_t at)
{
	char *operand = last_operand(text);

	if (strncmp(text, "adrp ", 5) || *operand != '#')
		return;
	uint64_t page = (at & ~UINT64_C(0xfff)) + (uint64_t)strtoll(operand + 1, NULL, 0);
	snprintf(operand, size - (size_t)(operand - text), "0x%" PRIx64, page);
}

/* The mnemonic and the operands, apart by one blank. */
static void plain_blanks(char *text)
{
	char *to = text;

	for (const char *from = text + strspn(text, "\t "); *from; from++) {
		bool blank = *from == '\t' || *from == ' ';
		if (!blank || (to > text && to[-1] != ' '))
			*to++ = blank ? ' ' : *from;
	}
	*to = '\0';
}

/* Prints an instruction of at least one byte, and returns its length.  Bytes that are none are
 * printed one by one. */
static size_t print_insn(const struct listing *listing, const struct side *side, struct bytes code,
			 uint64_t at, char *text, size_t size)
{
	struct insn insn = insn_decode(side->image->machine, code, at);
	size_t length = llvm_text(&listing->llvm, code, at, text, size);

	if (!length) {
		length = insn.size ? insn.size : 1;
		size_t end = (size_t)snprintf(text, size, ".byte");
		for (size_t i = 0; i < length && i < code.size && end < size; i++)
			end += (size_t)snprintf(text + end, size - end, "%s0x%02x", i ? ", " : " ",
						code.data[i]);
		return length;
	}
	plain_blanks(text);
	if (!insn.size)
		insn = insn_branch(side->image->machine, bytes_first(code, length), at);
	if (insn.target)
		say_target(text, size, side, &insn);
	else if (side->image->machine == MACHINE_AARCH64)
		say_page(text, size, at);
	return length;
}

/* ---- a block ---- */

struct block_writer {
	struct json *json;
	struct listing *listing;
	const struct side *side;
	uint64_t next; /* the address after the last instruction; 0: none yet */
	uint32_t file, line;
	size_t count;
};

static void write_pair(struct json *json, uint64_t first, bool based, const uint32_t *second)
{
	json_open(json, NULL, '[');
	if (based)
		json_based(json, NULL, first);
	else
		json_number(json, NULL, first);
	if (second)
		json_number(json, NULL, *second);
	json_close(json, ']');
}

static bool write_source(struct block_writer *writer, uint64_t at, bool is_input)
{
	uint32_t file, line;

	if (!writer->side->has_lines)
		return true;
	if (!source_lines_find(writer->listing->lines, is_input ? 0 : at, is_input ? at : 0, &file,
			       &line))
		return false;
	if (file && line && (file != writer->file || line != writer->line))
		write_pair(writer->json, file - 1, false, &line);
	writer->file = file;
	writer->line = line;
	return true;
}

static bool write_range(struct block_writer *writer, uint64_t from, uint64_t size, bool is_input)
{
	struct bytes code =
		bytes_first(image_bytes_at(writer->side->image, (struct vaddr){from}), size);
	char text[TEXT_SIZE];
	size_t done = 0;

	while (done < code.size && writer->count < INSNS_LISTED) {
		uint64_t at = from + done;
		if (writer->next != at)
			write_pair(writer->json, at, true, NULL);
		if (!write_source(writer, at, is_input))
			return false;
		size_t length = print_insn(writer->listing, writer->side, bytes_from(code, done),
					   at, text, sizeof(text));
		json_number(writer->json, NULL, length);
		json_string(writer->json, NULL, text);
		writer->next = at + length;
		writer->count++;
		done += length;
	}
	if (done < code.size) {
		json_open(writer->json, NULL, '{');
		json_number(writer->json, "more", code.size - done);
		json_close(writer->json, '}');
	}
	return true;
}

/* Only code that begins where the table says so: within a part the bytes of both binaries can
 * differ. */
static bool write_output(struct json *json, struct listing *listing, const struct side *side,
			 const struct listed_code *code, uint64_t start, uint64_t end)
{
	struct block_writer writer = {.json = json, .listing = listing, .side = side};
	bool opened = false, ok = true;

	if (!code_parts_moved(listing->parts, code->function)) {
		uint64_t size = end ? end : code->function->size;
		json_open(json, NULL, '[');
		ok = write_range(&writer, code->function->address + start,
				 size > start ? size - start : 0, false);
		json_close(json, ']');
		return ok;
	}
	for (size_t i = 0; ok && i < code->pieces->len; i++) {
		const struct code_piece *piece = &code->pieces->at[i];
		if (piece->input < start || (end && piece->input >= end))
			continue;
		if (!opened)
			json_open(json, NULL, '[');
		opened = true;
		ok = write_range(&writer, piece->address, piece->size, false);
	}
	if (opened)
		json_close(json, ']');
	else
		json_null(json, NULL);
	return ok;
}

static bool write_input(struct json *json, struct listing *listing, const struct side *side,
			uint64_t start, uint64_t end)
{
	struct block_writer writer = {.json = json, .listing = listing, .side = side};

	if (!side->function || end <= start) {
		json_null(json, NULL);
		return true;
	}
	json_open(json, NULL, '[');
	bool ok = write_range(&writer, side->function->address + start, end - start, true);
	json_close(json, ']');
	return ok;
}

/* ---- a function ---- */

static bool write_block(struct json *json, struct listing *listing, const struct listed_code *code,
			size_t i)
{
	const struct binary *binary = subject_binary(listing->subject);
	const struct pair *pair = subject_pair(listing->subject);
	const struct side output = {
		&binary->image, &binary->functions,
		code_parts_moved(listing->parts, code->function) ? NULL : code->function,
		listing->lines->of_moved || !code_parts_moved(listing->parts, code->function)};
	const struct side input = {pair ? &pair->image : NULL, pair ? &pair->functions : NULL,
				   pair ? code->input : NULL, true};
	const struct flow_block_vec *blocks = &code->flow->blocks;
	uint64_t start = blocks->at[i].start, end = i + 1 < blocks->len ? blocks->at[i + 1].start :
						    code->input         ? code->input->size :
									  0;

	json_open(json, NULL, '[');
	json_number(json, NULL, start);
	bool ok = write_output(json, listing, &output, code, start, end) &&
		  write_input(json, listing, &input, start, end);
	json_close(json, ']');
	return ok;
}

struct hot_block {
	uint64_t count;
	uint32_t number;
};
DEFINE_VEC(hot_block_vec, struct hot_block);

static bool hotter(const struct hot_block *a, const struct hot_block *b)
{
	return a->count != b->count ? a->count > b->count : a->number < b->number;
}
DEFINE_SORT(sort_hot_blocks, struct hot_block, hotter)

static bool earlier(const struct hot_block *a, const struct hot_block *b)
{
	return a->number < b->number;
}
DEFINE_SORT(sort_by_number, struct hot_block, earlier)

/* *ran: how many blocks ran; *held, *all: counts of those that are chosen, and of all. */
static bool choose(const struct flow_function *flow, struct hot_block_vec *out, size_t *ran,
		   uint64_t *held, uint64_t *all)
{
	*held = *all = 0;
	for (uint32_t i = 0; i < flow->blocks.len; i++) {
		uint64_t count = flow->blocks.at[i].count;
		if (count && !hot_block_vec_push(out, (struct hot_block){count, i}))
			return false;
		*all = count_add_saturating(*all, count);
	}
	*ran = out->len;
	if (!out->len)
		return true;
	sort_hot_blocks(out->at, out->len);
	size_t chosen = 0;
	while (chosen < out->len && chosen < BLOCKS_LISTED &&
	       (double)*held < PERCENT_LISTED / 100.0 * (double)*all)
		*held = count_add_saturating(*held, out->at[chosen++].count);
	out->len = chosen;
	sort_by_number(out->at, out->len);
	return true;
}

bool listing_write(struct json *json, struct listing *listing, size_t row,
		   const struct listed_code *code)
{
	struct hot_block_vec hot = {0};
	uint64_t held, all;
	size_t ran;
	bool ok = choose(code->flow, &hot, &ran, &held, &all);

	json_open(json, NULL, '{');
	json_number(json, "row", row);
	json_number(json, "ran", ran);
	json_real(json, "percent", percent_of(held, all));
	json_open(json, "blocks", '[');
	for (size_t i = 0; ok && i < hot.len; i++)
		ok = write_block(json, listing, code, hot.at[i].number);
	json_close(json, ']');
	json_close(json, '}');
	hot_block_vec_free(&hot);
	return ok;
}
