/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/page.h"

#include "src/address/demangle.h"
#include "src/base/counts.h"
#include "src/base/sort.h"
#include "src/figures/flow_figures.h"
#include "src/figures/listing.h"

#define ROOM_FUNCTIONS ((size_t)150000) /* bytes of the page for rows; blocks get what is left */

static void write_number_or_null(struct json *json, bool known, uint64_t number)
{
	if (known)
		json_number(json, NULL, number);
	else
		json_null(json, NULL);
}

/* words: with blanks between */
static void write_words(struct json *json, const char *key, const char *words)
{
	struct text rest = text_of(words);

	json_open(json, key, '[');
	for (size_t end; rest.len; rest = text_from(rest, end + 1)) {
		end = text_find(rest, ' ');
		json_text(json, NULL, text_first(rest, end));
	}
	json_close(json, ']');
}

/* ---- rows of functions ---- */

#define FRAGMENTS_SHOWN 4

/* Numbers in the profile. */
DEFINE_VEC(hottest_vec, uint32_t);

struct hot_function {
	uint64_t samples;
	struct text name;
	uint32_t number;
};
DEFINE_VEC(hot_vec, struct hot_function);

static bool hotter(const struct hot_function *a, const struct hot_function *b)
{
	return a->samples != b->samples ? a->samples > b->samples :
					  text_compare(a->name, b->name) < 0;
}
DEFINE_SORT(sort_hot, struct hot_function, hotter)

static bool hottest_functions(const struct flat_profile *profile, struct hottest_vec *out)
{
	struct hot_vec all = {0};
	bool ok = true;

	for (uint32_t i = 1; ok && i < profile->functions.len; i++) {
		struct hot_function function = {profile->functions.at[i].samples,
						strings_at(&profile->names, i), i};
		ok = !function.samples || hot_vec_push(&all, function);
	}
	sort_hot(all.at, all.len);
	for (size_t i = 0; ok && i < all.len; i++)
		ok = hottest_vec_push(out, all.at[i].number);
	hot_vec_free(&all);
	return ok;
}

/* ---- a row ---- */

struct row_writer {
	const struct report_subject *subject;
	const struct code_parts *parts;
	struct code_piece_vec pieces;
	struct flow_function flow;
};

static void write_name(struct json *json, struct text name)
{
	const char *plain = demangle(name.at);

	json_text(json, NULL, name);
	if (text_is(name, plain))
		json_null(json, NULL);
	else
		json_string(json, NULL, plain);
}

static void write_fragments(struct json *json, const struct code_piece_vec *pieces)
{
	json_open(json, NULL, '[');
	for (size_t i = 0; i < pieces->len && i < FRAGMENTS_SHOWN; i++) {
		json_open(json, NULL, '[');
		json_based(json, NULL, pieces->at[i].address);
		json_number(json, NULL, pieces->at[i].size);
		json_number(json, NULL, pieces->at[i].cold);
		json_close(json, ']');
	}
	json_close(json, ']');
}

static void write_sizes(struct json *json, const struct code_piece_vec *pieces)
{
	uint64_t all = 0, cold = 0;

	for (size_t i = 0; i < pieces->len; i++) {
		all += pieces->at[i].size;
		cold += pieces->at[i].cold ? pieces->at[i].size : 0;
	}
	json_number(json, NULL, all);
	json_number(json, NULL, cold);
}

/* Where the code is, and how much of it ran. */
static bool write_code(struct json *json, struct row_writer *writer,
		       const struct function *function)
{
	const struct binary *binary = subject_binary(writer->subject);
	enum code_place place = PLACE_NONE;
	uint64_t executed = 0;

	writer->pieces.len = 0;
	if (function) {
		if (!code_parts_whole(writer->parts, function, &writer->pieces))
			return false;
		place = code_place_of(
			binary, binary_place(binary, (struct vaddr){function->address}, function));
		executed = *executed_of(&writer->subject->conversion->executed,
					functions_code_number(&binary->functions, function));
	}
	/* What is listed ran.  Not known is the block of some basic samples, and the executed code
	 * of a PLT entry that is only left. */
	write_number_or_null(json, executed, executed);
	write_sizes(json, &writer->pieces);
	json_string(json, NULL, code_place_key(place));
	write_fragments(json, &writer->pieces);
	return true;
}

static void write_nulls(struct json *json, int count)
{
	while (count-- > 0)
		json_null(json, NULL);
}

static bool write_flow(struct json *json, struct row_writer *writer, uint32_t number)
{
	const struct quality_sources *sources = writer->subject->sources;
	const struct flat_function *function = &sources->flat.functions.at[number];
	uint64_t lost, all;

	if (sources->flat.plain || !flow_has(&sources->code, function)) {
		write_nulls(json, 4);
		return true;
	}
	if (!flow_function_make(&writer->flow, &sources->flat, number, &sources->code) ||
	    !flow_function_reach(&writer->flow, &lost, &all))
		return false;
	json_real(json, NULL, writer->flow.blocks.len < 2 ? 0 : percent_of(lost, all));
	if (!sources->calls.counts || !writer->flow.graph) {
		write_nulls(json, 3);
		return true;
	}
	uint64_t address = flow_code_of(&sources->code, function)->address;
	struct flow_gaps gaps =
		flow_gaps_take(&writer->flow, address, sources->calls.counts[number]);
	json_real(json, NULL, 100 * gaps.call);
	json_real(json, NULL, 100 * gaps.weighted);
	json_real(json, NULL, 100 * gaps.worst);
	return true;
}

static bool write_row(struct json *json, struct row_writer *writer, uint32_t number)
{
	const struct report_subject *subject = writer->subject;
	const struct flat_profile *profile = &subject->sources->flat;
	const struct function *function =
		subject_function(subject, profile->functions.at[number].number);
	const struct pair *pair = subject_pair(subject);
	const struct function *input = pair && function ? pair_input_of(pair, function) : NULL;

	json_open(json, NULL, '[');
	write_name(json, strings_at(&profile->names, number));
	json_number(json, NULL, profile->functions.at[number].samples);
	if (!write_code(json, writer, function))
		return false;
	if (input)
		json_based(json, NULL, input->address);
	else
		json_null(json, NULL);
	if (!write_flow(json, writer, number))
		return false;
	write_number_or_null(json, input, input ? input->size : 0);
	json_close(json, ']');
	return true;
}

/* For a row, in the order in which write_row() has them. */
#define FUNCTION_COLUMNS                                                                           \
	"name plain samples executed size cold_size place fragments input lost_percent "           \
	"call_gap_percent flow_gap_percent worst_gap_percent input_size"

static bool write_rows(struct json *json, struct row_writer *writer,
		       const struct hottest_vec *hottest, size_t room, size_t *listed)
{
	struct page_part part = {.room = room, .base = json->base};
	bool ok = true, added = true;

	*listed = 0;
	for (size_t i = 0; ok && added && i < hottest->len; i++) {
		if (!part_begin(&part))
			return false;
		ok = write_row(&part.json, writer, hottest->at[i]);
		ok = part_end(&part, 0, json, &added) && ok;
		*listed += added;
	}
	return ok;
}

static uint64_t samples_of(const struct flat_profile *profile, const struct hottest_vec *hottest,
			   size_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum = count_add_saturating(sum, profile->functions.at[hottest->at[i]].samples);
	return sum;
}

static bool write_hottest_rows(struct json *json, const char *key,
			       const struct report_subject *subject, const struct code_parts *parts,
			       const struct hottest_vec *hottest, size_t room, size_t *listed)
{
	const struct flat_profile *profile = &subject->sources->flat;
	struct row_writer writer = {.subject = subject, .parts = parts};

	json_open(json, key, '{');
	write_words(json, "columns", FUNCTION_COLUMNS);
	json_open(json, "rows", '[');
	bool ok = write_rows(json, &writer, hottest, room, listed);
	json_close(json, ']');
	json_number(json, "all", hottest->len);
	json_number(json, "listed", *listed);
	json_number(json, "samples", samples_of(profile, hottest, hottest->len));
	json_number(json, "samples_listed", samples_of(profile, hottest, *listed));
	json_close(json, '}');
	code_piece_vec_free(&writer.pieces);
	flow_function_free(&writer.flow);
	return ok;
}

/* ---- calls ---- */

#define CALLS_SHOWN 8 /* of a function */

struct call_count {
	uint32_t block; /* its number in the flow */
	uint32_t to;    /* the number of a function in the profile */
	uint64_t count;
};
DEFINE_VEC(call_count_vec, struct call_count);

static bool before(const struct call_count *a, const struct call_count *b)
{
	return a->block != b->block ? a->block < b->block : a->to < b->to;
}
DEFINE_SORT(sort_by_block, struct call_count, before)

static bool more_calls(const struct call_count *a, const struct call_count *b)
{
	return a->count != b->count ? a->count > b->count : before(a, b);
}
DEFINE_SORT(sort_by_count, struct call_count, more_calls)

DEFINE_UNIFY(unify, struct call_count, last->block == item->block && last->to == item->to,
	     last->count = count_add_saturating(last->count, item->count))

/* Continues to the block of an offset: records are in the order of the locations that they come
 * from, and so are blocks.  false: there is none */
static bool go_to_block(const struct flow_function *flow, uint64_t at, uint32_t *block)
{
	while (*block + 1 < flow->blocks.len && flow->blocks.at[*block + 1].start <= at)
		++*block;
	return *block < flow->blocks.len;
}

static bool list_calls(const struct flat_profile *profile, uint32_t number,
		       const struct flow_function *flow, struct call_count_vec *out)
{
	const struct flat_function *function = &profile->functions.at[number];
	uint32_t block = 0;

	for (size_t i = 0; i < function->count; i++) {
		const struct flat_record *record = &profile->records.at[function->first + i];
		bool shown = go_to_block(flow, record->from_at, &block) &&
			     record->kind == FLAT_CALL && record->to != FLAT_OUTSIDE;
		if (shown && !call_count_vec_push(
				     out, (struct call_count){block, record->to, record->count}))
			return false;
	}
	return true;
}

static bool calls_take(const struct flat_profile *profile, uint32_t number,
		       const struct flow_function *flow, struct call_count_vec *out)
{
	out->len = 0;
	if (!list_calls(profile, number, flow, out))
		return false;
	sort_by_block(out->at, out->len);
	out->len = unify(out->at, out->len);
	sort_by_count(out->at, out->len);
	return true;
}

/* ---- blocks ---- */

#define BLOCKS_SHOWN 400 /* of a function: the hottest of those that ran */
#define EDGES_SHOWN  800
#define LISTINGS_ROOM                                                                              \
	((size_t)200000) /* bytes of instructions; at most half of what is left to the code of     \
			    functions */
#define NOT_SHOWN UINT32_MAX

struct code_writer {
	const struct report_subject *subject;
	const struct code_parts *parts;
	struct source_lines *lines;
	struct flow_function flow;
	struct code_piece_vec pieces;
	struct flow_number_vec shown; /* by block: its number among those that are shown */
	struct call_count_vec calls;
};

static void writer_free(struct code_writer *writer)
{
	flow_function_free(&writer->flow);
	code_piece_vec_free(&writer->pieces);
	flow_number_vec_free(&writer->shown);
	call_count_vec_free(&writer->calls);
}

/* Adds basic samples to their blocks: a flow has none. */
static void add_samples(struct flow_function *flow, const struct flat_profile *profile,
			uint32_t number)
{
	const struct flat_function *function = &profile->functions.at[number];
	uint32_t block = 0;

	for (size_t i = 0; i < function->count; i++) {
		const struct flat_record *record = &profile->records.at[function->first + i];
		if (go_to_block(flow, record->from_at, &block) && record->kind == FLAT_SAMPLE &&
		    flow->blocks.at[block].start <= record->from_at)
			flow->blocks.at[block].count =
				count_add_saturating(flow->blocks.at[block].count, record->count);
	}
}

static int more_first(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x < *y) - (*x > *y);
}

/* Finds the count that the last of the hottest blocks has, and how many blocks of that count are
 * among them.  Returns false when out of memory. */
static bool find_least(const struct flow_function *flow, uint64_t *least, size_t *of_least)
{
	size_t count = flow->blocks.len;
	uint64_t *counts = malloc((count + 1) * sizeof(*counts));

	if (!counts)
		return false;
	for (size_t i = 0; i < count; i++)
		counts[i] = flow->blocks.at[i].count;
	qsort(counts, count, sizeof(*counts), more_first);
	*least = count > BLOCKS_SHOWN ? counts[BLOCKS_SHOWN - 1] : 0;
	*of_least = 0;
	for (size_t i = 0; i < count && i < BLOCKS_SHOWN; i++)
		*of_least += counts[i] == *least;
	free(counts);
	return true;
}

/* What is not shown of a function. */
struct left_out {
	size_t idle_blocks;   /* that did not run */
	size_t blocks, edges; /* that ran, beyond the most that a function shows */
};

static bool choose_blocks(struct code_writer *writer, struct left_out *left)
{
	const struct flow_function *flow = &writer->flow;
	uint64_t least;
	size_t of_least;
	uint32_t shown = 0;

	if (!find_least(flow, &least, &of_least))
		return false;
	writer->shown.len = 0;
	*left = (struct left_out){0};
	for (size_t i = 0; i < flow->blocks.len; i++) {
		uint64_t count = flow->blocks.at[i].count;
		bool show = count && (count > least || (count == least && of_least));
		of_least -= show && count == least;
		if (!flow_number_vec_push(&writer->shown, show ? shown : NOT_SHOWN))
			return false;
		shown += show;
		left->idle_blocks += !count;
		left->blocks += count && !show;
	}
	return true;
}

/* The input's function, or the one that was not moved: it has the offsets of blocks. */
static const struct function *input_function(const struct code_writer *writer,
					     const struct function *function)
{
	const struct pair *pair = subject_pair(writer->subject);

	if (pair && function)
		return pair_input_of(pair, function);
	return subject_binary(writer->subject)->kind == BINARY_UNTOUCHED ? function : NULL;
}

static const char *place_word(const struct code_writer *writer, const struct function *function,
			      const struct code_piece *piece)
{
	const struct binary *binary = subject_binary(writer->subject);

	if (!piece)
		return code_place_key(PLACE_NONE);
	if (piece->cold)
		return code_place_key(PLACE_COLD);
	return code_place_key(code_place_of(
		binary, binary_place(binary, (struct vaddr){function->address}, function)));
}

static bool write_line(struct json *json, struct code_writer *writer, uint64_t address,
		       uint64_t input)
{
	uint32_t file, line;

	if (!source_lines_find(writer->lines, address, input, &file, &line))
		return false;
	write_number_or_null(json, file, file - 1);
	write_number_or_null(json, file, line);
	return true;
}

static bool write_block(struct json *json, struct code_writer *writer,
			const struct function *function, size_t i)
{
	const struct flow_block_vec *blocks = &writer->flow.blocks;
	const struct balance_block *block = &blocks->at[i];
	const struct code_piece *piece = code_piece_at(&writer->pieces, block->start);
	const struct function *input = input_function(writer, function);
	uint64_t end = i + 1 < blocks->len ? blocks->at[i + 1].start : input ? input->size : 0;
	uint64_t address = piece ? piece->address + (block->start - piece->input) : 0;
	bool has_lines =
		writer->lines->of_moved || (function && !code_parts_moved(writer->parts, function));

	json_open(json, NULL, '[');
	json_number(json, NULL, block->start);
	write_number_or_null(json, end > block->start, end - block->start);
	json_number(json, NULL, block->count);
	json_number(json, NULL, block->in);
	json_number(json, NULL, block->out);
	json_number(json, NULL, block->called);
	json_string(json, NULL, place_word(writer, function, piece));
	if (piece)
		json_based(json, NULL, address);
	else
		json_null(json, NULL);
	if (!write_line(json, writer, has_lines ? address : 0,
			input ? input->address + block->start : 0))
		return false;
	json_close(json, ']');
	return true;
}

static bool write_blocks(struct json *json, struct code_writer *writer,
			 const struct function *function)
{
	bool ok = true;

	json_open(json, "blocks", '[');
	for (size_t i = 0; ok && i < writer->flow.blocks.len; i++)
		if (writer->shown.at[i] != NOT_SHOWN)
			ok = write_block(json, writer, function, i);
	json_close(json, ']');
	return ok;
}

static size_t write_edges(struct json *json, const struct code_writer *writer)
{
	size_t shown = 0;

	json_open(json, "edges", '[');
	for (size_t i = 0; i < writer->flow.edges.len; i++) {
		const struct flow_edge_count *edge = &writer->flow.edges.at[i];
		uint32_t from = writer->shown.at[edge->from], to = writer->shown.at[edge->to];
		if (from == NOT_SHOWN || to == NOT_SHOWN || shown == EDGES_SHOWN)
			continue;
		shown++;
		json_open(json, NULL, '[');
		json_number(json, NULL, from);
		json_number(json, NULL, to);
		json_number(json, NULL, edge->count);
		json_close(json, ']');
	}
	json_close(json, ']');
	return writer->flow.edges.len - shown;
}

static void write_calls(struct json *json, const struct code_writer *writer)
{
	json_open(json, "calls", '[');
	for (size_t i = 0; i < writer->calls.len && i < CALLS_SHOWN; i++) {
		const struct call_count *call = &writer->calls.at[i];
		if (writer->shown.at[call->block] == NOT_SHOWN)
			continue;
		json_open(json, NULL, '[');
		json_number(json, NULL, writer->shown.at[call->block]);
		json_text(json, NULL, strings_at(&writer->subject->sources->flat.names, call->to));
		json_number(json, NULL, call->count);
		json_close(json, ']');
	}
	json_close(json, ']');
}

/* Makes ready what is known of a function: its blocks, where their code is, and its calls. */
static bool load(struct code_writer *writer, uint32_t number)
{
	const struct quality_sources *sources = writer->subject->sources;
	const struct function *function =
		subject_function(writer->subject, sources->flat.functions.at[number].number);

	writer->pieces.len = 0;
	if (!flow_function_make(&writer->flow, &sources->flat, number, &sources->code) ||
	    !calls_take(&sources->flat, number, &writer->flow, &writer->calls))
		return false;
	if (sources->flat.plain)
		add_samples(&writer->flow, &sources->flat, number);
	return !function || code_parts_pieces(writer->parts, function, &writer->pieces);
}

static bool write_function(struct json *json, struct code_writer *writer, size_t row,
			   uint32_t number)
{
	const struct flat_profile *profile = &writer->subject->sources->flat;
	const struct function *function =
		subject_function(writer->subject, profile->functions.at[number].number);
	struct left_out left;

	if (!load(writer, number) || !choose_blocks(writer, &left))
		return false;
	json_open(json, NULL, '{');
	json_number(json, "row", row);
	if (!write_blocks(json, writer, function))
		return false;
	left.edges = write_edges(json, writer);
	write_calls(json, writer);
	json_number(json, "idle_blocks", left.idle_blocks);
	json_number(json, "more_blocks", left.blocks);
	json_number(json, "more_edges", left.edges);
	json_close(json, '}');
	return true;
}

/* Files that only a function has which did not fit are not among those of the page. */
static bool write_functions(struct json *json, struct code_writer *writer,
			    const struct hottest_vec *hottest, size_t listed, size_t room,
			    size_t *shown)
{
	struct page_part part = {.room = room, .base = json->base};
	bool ok = true, added = true;

	*shown = 0;
	for (size_t i = 0; ok && added && i < listed; i++) {
		size_t bytes = writer->lines->file_bytes;
		uint32_t files = writer->lines->files.len;
		if (!part_begin(&part))
			return false;
		ok = write_function(&part.json, writer, i, hottest->at[i]);
		ok = part_end(&part, writer->lines->file_bytes - bytes, json, &added) && ok;
		*shown += added;
		if (!added)
			strings_truncate(&writer->lines->files, files ? files : 1);
	}
	return ok;
}

/* Adds the instructions of one function to the list, if there is room for them. */
static bool add_listing(struct json *json, struct page_part *part, struct code_writer *writer,
			struct listing *listing, size_t row, const struct function *function,
			bool *added)
{
	const struct listed_code code = {function, input_function(writer, function), &writer->flow,
					 &writer->pieces};
	size_t bytes = writer->lines->file_bytes;
	uint32_t files = writer->lines->files.len;

	if (!part_begin(part))
		return false;
	bool ok = listing_write(&part->json, listing, row, &code);
	ok = part_end(part, writer->lines->file_bytes - bytes, json, added) && ok;
	if (!*added)
		strings_truncate(&writer->lines->files, files ? files : 1);
	return ok;
}

/* *room: becomes what is left of it. */
static bool write_listings(struct json *json, struct code_writer *writer,
			   const struct hottest_vec *hottest, size_t listed, size_t *room)
{
	size_t most = LISTINGS_ROOM < *room / 2 ? LISTINGS_ROOM : *room / 2, tried = 0;
	struct page_part part = {.room = most, .base = json->base};
	struct listing listing;
	bool ok = true, added = true;

	listing_open(writer->subject, writer->parts, writer->lines, &listing);
	json_bool(json, "has_instructions", listing.llvm.handle);
	json_open(json, "listings", '[');
	while (ok && added && listing.llvm.handle && tried < listed) {
		uint32_t number = hottest->at[tried];
		const struct function *function = subject_function(
			writer->subject,
			writer->subject->sources->flat.functions.at[number].number);
		ok = load(writer, number);
		if (ok && function && writer->flow.blocks.len)
			ok = add_listing(json, &part, writer, &listing, tried, function, &added);
		tried += added;
	}
	json_close(json, ']');
	json_number(json, "listings_of", tried);
	listing_close(&listing);
	*room -= most - part.room;
	return ok;
}

static void write_files(struct json *json, const struct source_lines *lines)
{
	json_open(json, "files", '[');
	for (uint32_t i = 1; i < lines->files.len; i++)
		json_text(json, NULL, strings_at(&lines->files, i));
	json_close(json, ']');
}

static bool write_hottest_code(struct json *json, const char *key,
			       const struct report_subject *subject, const struct code_parts *parts,
			       const struct hottest_vec *hottest, size_t listed,
			       struct source_lines *lines, size_t room)
{
	struct code_writer writer = {.subject = subject, .parts = parts, .lines = lines};
	size_t shown = 0;

	json_open(json, key, '{');
	write_words(json, "block_columns", "start size count in out calls place address file line");
	write_words(json, "edge_columns", "from to count");
	write_words(json, "call_columns", "block name count");
	bool ok = write_listings(json, &writer, hottest, listed, &room);
	json_open(json, "functions", '[');
	ok = ok && write_functions(json, &writer, hottest, listed, room, &shown);
	json_close(json, ']');
	json_number(json, "listed", shown);
	json_number(json, "all", hottest->len);
	write_files(json, lines);
	json_close(json, '}');
	writer_free(&writer);
	return ok;
}

/* ---- all of it ---- */

bool functions_write(struct json *json, const struct report_subject *subject,
		     const struct code_parts *parts, struct source_lines *lines)
{
	struct hottest_vec hottest = {0};
	size_t listed;

	bool ok = hottest_functions(&subject->sources->flat, &hottest) &&
		  write_hottest_rows(json, "functions", subject, parts, &hottest, ROOM_FUNCTIONS,
				     &listed) &&
		  write_hottest_code(json, "code", subject, parts, &hottest, listed, lines,
				     page_room_left(json));
	hottest_vec_free(&hottest);
	return ok;
}
