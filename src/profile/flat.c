/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/flat.h"

#include <string.h>

#include "src/base/counts.h"
#include "src/base/map.h"
#include "src/base/sort.h"
#include "src/profile/fdata.h"
#include "src/profile/profile.h"
#include "src/profile/shard.h"
#include "src/profile/text_input.h"
#include "src/profile/yaml.h"

void flat_free(struct flat_profile *profile)
{
	strings_free(&profile->names);
	flat_function_vec_free(&profile->functions);
	flat_record_vec_free(&profile->records);
	*profile = (struct flat_profile){0};
}

static bool is_plt_name(struct text name)
{
	return text_ends(name, "@PLT");
}

bool flat_function(struct flat_profile *profile, struct text name, uint32_t *number)
{
	struct flat_function_vec *functions = &profile->functions;

	if (!functions->len && !flat_function_vec_push(functions, (struct flat_function){0}))
		return false;
	if (!strings_intern(&profile->names, name, number))
		return false;
	while (functions->len <= *number)
		if (!flat_function_vec_push(functions,
					    (struct flat_function){.plt = is_plt_name(name)}))
			return false;
	return true;
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_places(const struct flat_record *a, const struct flat_record *b)
{
	int order = compare(a->owner, b->owner);

	order = order ? order : compare(a->from_at, b->from_at);
	order = order ? order : compare(a->site, b->site);
	order = order ? order : compare((uint64_t)a->kind, (uint64_t)b->kind);
	order = order ? order : compare(a->from, b->from);
	order = order ? order : compare(a->to, b->to);
	return order ? order : compare(a->to_at, b->to_at);
}

static bool record_less(const struct flat_record *a, const struct flat_record *b)
{
	return compare_places(a, b) < 0;
}
DEFINE_SORT(sort_records, struct flat_record, record_less)

DEFINE_UNIFY(unify_records, struct flat_record, !compare_places(last, item),
	     last->count = count_add_saturating(last->count, item->count))

static void count_record(struct flat_profile *profile, size_t index)
{
	const struct flat_record *record = &profile->records.at[index];
	struct flat_function *owner = &profile->functions.at[record->owner];

	if (!owner->count++)
		owner->first = index;
	if (record->kind != FLAT_ENTRY)
		owner->samples = count_add_saturating(owner->samples, record->count);
	struct flat_function *to = &profile->functions.at[record->to];
	if (record->kind != FLAT_EDGE && record->to && !record->to_at && !to->known)
		to->executed = count_add_saturating(to->executed, record->count);
}

/* Call it when all records are added: sorts, adds up and counts.  Sums stop at 2^64 - 1.  false:
 * out of memory */
static bool flat_settle(struct flat_profile *profile)
{
	if (!profile->functions.len &&
	    !flat_function_vec_push(&profile->functions, (struct flat_function){0}))
		return false;
	struct flat_record_vec *records = &profile->records;
	sort_records(records->at, records->len);
	records->len = unify_records(records->at, records->len);
	for (size_t i = 0; i < records->len; i++)
		count_record(profile, i);
	return true;
}

/* ---- of a profile that was converted ---- */

struct taking {
	const struct profile *from;
	struct flat_numbers numbers;
	struct flat_profile *out;
};

/* Gives a function of the binary its number: one for each name. */
static bool take_function(const struct taking *t, const struct function *function, uint32_t *number)
{
	*number = FLAT_OUTSIDE;
	if (!function)
		return true;
	struct name_number name = functions_name_number(&t->from->binary->functions, function);
	uint32_t *known = flat_numbers_of(&t->numbers, name);
	if (!*known && !flat_function(t->out, text_of(function->printed), known))
		return false;
	*number = *known;
	t->out->functions.at[*number].number = name;
	t->out->functions.at[*number].plt |= function->kind == FUNCTION_PLT;
	return true;
}

static bool take_record(const struct taking *t, const struct record *record)
{
	struct flat_record flat = {
		.from_at = record->from.offset, .to_at = record->to.offset, .count = record->count};

	if (!take_function(t, record->from.function, &flat.from) ||
	    !take_function(t, record->to.function, &flat.to))
		return false;
	flat.owner = record->kind == RECORD_ENTRY ? flat.to : flat.from;
	flat.kind = record->kind == RECORD_ENTRY  ? FLAT_ENTRY :
		    record->kind == RECORD_SAMPLE ? FLAT_SAMPLE :
		    record_is_internal(record)    ? FLAT_EDGE :
						    FLAT_CALL;
	return flat_record_vec_push(&t->out->records, flat);
}

bool flat_take(const struct profile *from, struct flat_profile *out, struct bc_error *err)
{
	struct taking t = {.from = from, .out = out};
	bool ok = flat_numbers_make(&t.numbers, &from->binary->functions);

	*out = (struct flat_profile){.plain = from->basic, .numbered = true};
	for (size_t i = 0; ok && i < from->record_count; i++) {
		struct record record = profile_record(from, i);
		ok = take_record(&t, &record);
	}
	flat_numbers_free(&t.numbers);
	return (ok && flat_settle(out)) || bc_fail_nomem(err);
}

/* ---- of a file ---- */

/* ---- fdata ---- */

static bool number_of(struct flat_profile *out, const struct fdata_place *place, uint32_t *number)
{
	*number = FLAT_OUTSIDE;
	return place->kind == '0' || flat_function(out, place->name, number);
}

static bool put_branch(struct flat_profile *out, const struct fdata_place *from,
		       const struct fdata_place *to, uint64_t count)
{
	struct flat_record record = {.from_at = from->offset, .to_at = to->offset, .count = count};

	if (!number_of(out, from, &record.from) || !number_of(out, to, &record.to))
		return false;
	record.owner = record.from ? record.from : record.to;
	record.kind = !record.from                             ? FLAT_ENTRY :
		      record.from == record.to && record.to_at ? FLAT_EDGE :
								 FLAT_CALL;
	return !record.owner || flat_record_vec_push(&out->records, record);
}

static bool put_sample(struct flat_profile *out, const struct fdata_place *at, uint64_t count)
{
	struct flat_record record = {.kind = FLAT_SAMPLE, .from_at = at->offset, .count = count};

	if (!number_of(out, at, &record.from))
		return false;
	record.owner = record.from;
	return !record.owner || flat_record_vec_push(&out->records, record);
}

static bool put_line(struct flat_profile *out, const struct fdata_line *line)
{
	if (fdata_is_memory(line))
		return true;
	return line->sampled ? put_sample(out, &line->from, line->count) :
			       put_branch(out, &line->from, &line->to, line->count);
}

bool flat_read_fdata(struct text_input *in, struct flat_profile *out, struct bc_error *err)
{
	struct fdata_input input = {.in = in};
	struct fdata_line line;
	bool ok = true;

	while (ok && fdata_input_next(&input, &line, err))
		ok = put_line(out, &line) || bc_fail_nomem(err);
	out->plain = input.head.mode == MODE_PLAIN;
	out->bolted = input.head.bolted;
	fdata_input_free(&input);
	return ok && err->code == BC_OK && (flat_settle(out) || bc_fail_nomem(err));
}

/* ---- YAML ---- */

struct yaml_reader {
	struct flat_profile *out;
	const char *name; /* of the file */
	struct yaml_fid_vec names;
	struct map by_fid;
	struct flat_record_vec calls; /* to_at is the fid for now */
	bool twice;
};

static bool put_blocks(struct yaml_reader *r, const struct yaml_function *f, uint32_t number)
{
	struct flat_record record = {.owner = number, .from = number};

	for (size_t i = 0; i < f->successors.len; i++) {
		const struct yaml_successor *s = &f->successors.at[i];
		record.kind = FLAT_EDGE;
		record.to = number;
		record.from_at = f->blocks.at[s->block].bid;
		record.to_at = s->bid;
		record.count = s->cnt;
		if (!flat_record_vec_push(&r->out->records, record))
			return false;
	}
	record.kind = FLAT_SAMPLE;
	record.to = FLAT_OUTSIDE;
	record.to_at = 0;
	for (size_t i = 0; i < f->blocks.len; i++) {
		record.from_at = f->blocks.at[i].bid;
		record.count = f->blocks.at[i].events;
		if (record.count && !flat_record_vec_push(&r->out->records, record))
			return false;
	}
	return true;
}

/* Keeps the calls of a function until all functions are read: a callee can follow its caller in the
 * file. */
static bool keep_calls(struct yaml_reader *r, const struct yaml_function *f, uint32_t number)
{
	for (size_t i = 0; i < f->calls.len; i++) {
		const struct yaml_call *call = &f->calls.at[i];
		struct flat_record record = {.owner = number,
					     .kind = FLAT_CALL,
					     .from = number,
					     .from_at = f->blocks.at[call->block].bid,
					     .site = call->off + 1,
					     .to_at = call->fid,
					     .count = call->cnt};
		if (!flat_record_vec_push(&r->calls, record))
			return false;
	}
	return true;
}

static bool put_function(struct yaml_reader *r, const struct yaml_function *f)
{
	struct text name = yaml_function_name(f);
	uint32_t number, ignored;

	if (!flat_function(r->out, name, &number) || !put_blocks(r, f, number) ||
	    !keep_calls(r, f, number))
		return false;
	r->out->functions.at[number].executed = f->exec;
	r->out->functions.at[number].known = true;
	if (!map_reserve(&r->by_fid, 1) ||
	    !yaml_fid_vec_push(&r->names, (struct yaml_fid){(uint32_t)f->fid, number}))
		return false;
	r->twice |= yaml_fids_find(&r->by_fid, r->names.at, (uint32_t)f->fid, &ignored);
	yaml_fids_put(&r->by_fid, (uint32_t)f->fid, (uint32_t)(r->names.len - 1));
	return true;
}

static bool put_calls(struct yaml_reader *r)
{
	for (size_t i = 0; i < r->calls.len; i++) {
		struct flat_record record = r->calls.at[i];
		uint32_t index;
		if (yaml_fids_find(&r->by_fid, r->names.at, (uint32_t)record.to_at, &index))
			record.to = r->names.at[index].name;
		record.to_at = 0;
		if (!flat_record_vec_push(&r->out->records, record))
			return false;
	}
	return true;
}

static bool read_functions(struct yaml_input *yaml, struct yaml_reader *r, struct bc_error *err)
{
	const struct yaml_function *function;
	struct profile_head head = {.kind = KIND_YAML};

	bool ok = yaml_input_head(yaml, &head, err);
	while (ok && yaml_input_next(yaml, &function, err)) {
		ok = put_function(r, function) || bc_fail_nomem(err);
		if (r->twice)
			ok = bc_fail(err, BC_FORMAT, "%s: two functions have one number (fid)",
				     r->name);
	}
	if (ok && yaml_input_goes_on(yaml))
		ok = bc_fail(err, BC_UNSUPPORTED, "%s: has profiles of several programs",
			     r->name) ||
		     bc_hint(err, "'batconv merge --expect=BIN' writes that of one");
	r->out->plain = head.mode == MODE_PLAIN;
	r->out->inferred = profile_head_inferred(&head);
	profile_head_free(&head);
	return ok && err->code == BC_OK &&
	       ((put_calls(r) && flat_settle(r->out)) || bc_fail_nomem(err));
}

static bool read_yaml(struct file_stream *stream, struct text begin, struct flat_profile *out,
		      struct bc_error *err)
{
	struct yaml_reader r = {.out = out, .name = stream->name};
	struct yaml_input *yaml = yaml_input_open(stream, begin, err);

	out->by_block = true;
	bool ok = yaml && read_functions(yaml, &r, err);
	yaml_input_close(yaml);
	yaml_fid_vec_free(&r.names);
	flat_record_vec_free(&r.calls);
	map_free(&r.by_fid);
	return ok;
}

/* ---- a file ---- */

bool flat_begin(struct file_stream *stream, struct text_input *in, enum profile_kind *kind,
		struct bc_error *err)
{
	struct profile_start start;

	if (!text_input_begin(in, stream, &start, err))
		return false;
	*kind = start.kind;
	return *kind == KIND_YAML || *kind == KIND_FDATA ||
	       bc_fail(err, BC_FORMAT, "%s: is neither fdata nor BOLT's YAML", stream->name);
}

bool flat_read_stream(struct file_stream *stream, struct flat_profile *out, bool *mine,
		      struct bc_error *err)
{
	struct text_input in = {0};

	*out = (struct flat_profile){0};
	*err = (struct bc_error){0};
	enum profile_kind kind;
	*mine = flat_begin(stream, &in, &kind, err);
	bool ok = *mine && (kind == KIND_FDATA ? flat_read_fdata(&in, out, err) :
						 read_yaml(stream, text_input_rest(&in), out, err));
	text_input_free(&in);
	return ok;
}

bool flat_read(const char *path, struct flat_profile *out, bool *mine, struct bc_error *err)
{
	struct file_stream stream;

	*out = (struct flat_profile){0};
	*mine = false;
	if (!stream_open(path, &stream, err))
		return false;
	bool ok = flat_read_stream(&stream, out, mine, err);
	stream_close(&stream);
	return ok;
}
