/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/profile.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/counts.h"
#include "src/base/parallel.h"
#include "src/base/sort.h"
#include "src/base/text.h"
#include "src/base/vec.h"

#define OWNER_SHIFT 33
#define ENTRY_BIT   (UINT64_C(1) << 32)

static uint64_t index_of(const struct binary *binary, const struct function *function)
{
	return (uint64_t)(function - binary->functions.at);
}

/* Further back than this, a record has left the processor's cache: to look at it takes
 * longer than to add up in the end. */
#define RECENT_RECORDS ((size_t)1 << 9)

static bool same_places(const struct packed_record *a, const struct packed_record *b)
{
	return a->owner_from == b->owner_from && a->to == b->to;
}

static void add_up(struct packed_record *to, const struct packed_record *record)
{
	to->count = count_add_saturating(to->count, record->count);
	to->mispredicted = count_add_saturating(to->mispredicted, record->mispredicted);
	to->unsited = count_add_saturating(to->unsited, record->unsited);
}

static bool push(struct record_batch *batch, const struct packed_record *record)
{
	uint64_t hash = hash_mix(hash_mix(0, record->owner_from), record->to);
	uint32_t *place = &batch->recent[hash % RECENT_PLACES];
	struct record_vec *records = &batch->records;

	if (records->len - *place <= RECENT_RECORDS && *place < records->len &&
	    same_places(&records->at[*place], record)) {
		add_up(&records->at[*place], record);
		return true;
	}
	*place = (uint32_t)records->len;
	return record_vec_push(records, *record);
}

bool record_push(struct record_batch *batch, const struct binary *binary,
		 const struct record *record)
{
	bool entry = record->kind == RECORD_ENTRY;
	const struct function *owner = entry ? record->to.function : record->from.function;
	struct packed_record packed = {
		.owner_from = index_of(binary, owner) << OWNER_SHIFT | (entry ? ENTRY_BIT : 0) |
			      record->from.offset,
		.count = record->count,
		.mispredicted = record->mispredicted,
		.unsited = record->unsited,
	};

	if (!record->count)
		return true;
	if (record->to.function)
		packed.to = (index_of(binary, record->to.function) + 1) << 32 | record->to.offset;
	return push(batch, &packed);
}

static uint64_t owner_of(const struct packed_record *record)
{
	return record->owner_from >> OWNER_SHIFT;
}

/* by_name: what the words of the record number; NULL: they are numbers of the binary's functions.
 */
static struct record unpack(const struct packed_record *packed, const struct function *functions,
			    const struct name_number *by_name, bool basic)
{
	struct record record = {.count = packed->count,
				.mispredicted = packed->mispredicted,
				.unsited = packed->unsited};
	uint64_t owner = owner_of(packed), to = packed->to >> 32;

	if (packed->owner_from & ENTRY_BIT) {
		record.kind = RECORD_ENTRY;
	} else {
		record.kind = basic ? RECORD_SAMPLE : RECORD_BRANCH;
		record.from.function = &functions[by_name ? by_name[owner].v : owner];
		record.from.offset = (uint32_t)packed->owner_from;
	}
	if (to) {
		record.to.function = &functions[by_name ? by_name[to - 1].v : to - 1];
		record.to.offset = (uint32_t)packed->to;
	}
	return record;
}

struct record record_unpack(const struct packed_record *packed, const struct binary *binary,
			    bool basic)
{
	return unpack(packed, binary->functions.at, NULL, basic);
}

struct record profile_record(const struct profile *profile, size_t index)
{
	return unpack(&profile->records[index], profile->binary->functions.at, profile->by_name,
		      profile->basic);
}

static bool any_renumbered(const struct function_table *functions)
{
	for (size_t i = 0; i < functions->count; i++)
		if (functions->at[i].renumbered)
			return true;
	return false;
}

uint64_t profile_renumbered(const struct profile *profile)
{
	uint64_t count = 0;

	if (!any_renumbered(&profile->binary->functions))
		return 0;
	for (size_t i = 0; i < profile->record_count; i++) {
		struct record record = profile_record(profile, i);
		if ((record.from.function && record.from.function->renumbered) ||
		    (record.to.function && record.to.function->renumbered))
			count = count_add_saturating(count, record.count);
	}
	return count;
}

size_t profile_owner(const struct profile *profile, size_t index)
{
	return (size_t)owner_of(&profile->records[index]);
}

bool profile_half(const struct profile *profile, bool first, struct profile *out)
{
	*out = (struct profile){.binary = profile->binary,
				.basic = profile->basic,
				.function_count = profile->function_count};
	out->records = malloc((profile->record_count + 1) * sizeof(*out->records));
	out->by_name = malloc((profile->function_count + 1) * sizeof(*out->by_name));
	if (!out->records || !out->by_name) {
		profile_free(out);
		return false;
	}
	if (profile->function_count)
		memcpy(out->by_name, profile->by_name,
		       profile->function_count * sizeof(*out->by_name));
	for (size_t i = 0; i < profile->record_count; i++) {
		struct packed_record record = profile->records[i];
		uint64_t part = halve(record.count, hash_mix(record.owner_from, record.to));
		record.count = first ? part : record.count - part;
		if (record.count)
			out->records[out->record_count++] = record;
	}
	return true;
}

void profile_free(struct profile *profile)
{
	free(profile->records);
	free(profile->by_name);
	access_vec_free(&profile->accesses);
	*profile = (struct profile){0};
}

static bool packed_less(const struct packed_record *a, const struct packed_record *b)
{
	return a->owner_from != b->owner_from ? a->owner_from < b->owner_from : a->to < b->to;
}
DEFINE_SORT(sort_packed, struct packed_record, packed_less)

DEFINE_UNIFY(add_up_equal, struct packed_record, same_places(last, item), add_up(last, item))

size_t records_unify(struct packed_record *records, size_t count)
{
	sort_packed(records, count);
	return add_up_equal(records, count);
}

/* ---- records by function ---- */

static void unify_group(void *ctx, size_t index, unsigned worker)
{
	const struct record_groups *groups = ctx;
	struct record_group *group = &groups->at[index];

	(void)worker;
	group->end = group->begin +
		     records_unify(groups->records + group->begin, group->end - group->begin);
}

/* next: by function and one more, where its next record goes; at first how many the one before has.
 */
static void distribute_all(const struct record_vec *batches, size_t batch_count, size_t functions,
			   size_t *next, const struct binary *binary, struct record_groups *out)
{
	for (size_t i = 0; i < functions; i++) {
		size_t begin = next[i], end = begin + next[i + 1];
		if (begin < end)
			out->at[out->count++] =
				(struct record_group){&binary->functions.at[i], begin, end};
		next[i + 1] = end;
	}
	for (size_t i = 0; i < batch_count; i++)
		for (size_t r = 0; r < batches[i].len; r++)
			out->records[next[owner_of(&batches[i].at[r])]++] = batches[i].at[r];
}

bool record_groups_make(const struct binary *binary, struct record_vec *batches, size_t batch_count,
			unsigned threads, struct record_groups *out)
{
	size_t functions = functions_named(&binary->functions), total = 0, owners = 0;
	size_t *next = calloc(functions + 1, sizeof(*next));

	for (size_t i = 0; next && i < batch_count; i++) {
		total += batches[i].len;
		for (size_t r = 0; r < batches[i].len; r++)
			owners += !next[owner_of(&batches[i].at[r]) + 1]++;
	}
	*out = (struct record_groups){.at = malloc((owners + 1) * sizeof(*out->at)),
				      .records = malloc((total + 1) * sizeof(*out->records))};
	bool ok = next && out->at && out->records;
	if (ok)
		distribute_all(batches, batch_count, functions, next, binary, out);
	for (size_t i = 0; i < batch_count; i++)
		record_vec_free(&batches[i]);
	free(next);
	if (ok)
		parallel_for(threads, out->count, unify_group, out);
	else
		record_groups_free(out);
	return ok;
}

void record_groups_free(struct record_groups *groups)
{
	free(groups->at);
	free(groups->records);
	*groups = (struct record_groups){0};
}

/* ---- the whole profile ---- */

struct named {
	const char *name;
	uint32_t function;
};

static bool named_less(const struct named *a, const struct named *b)
{
	int order = strcmp(a->name, b->name);

	return order ? order < 0 : a->function < b->function;
}
DEFINE_SORT(sort_named, struct named, named_less)

struct build {
	struct profile *profile;
	struct record_vec *batches;
	size_t batch_count, total;
	unsigned threads;
	size_t owners;             /* functions that have records or are gone to */
	struct name_number *order; /* these, by printed name; */
	uint32_t *rank_of;         /* function -> its index there */
	size_t *listed;            /* function -> how many records are listed under it */
	size_t *starts;            /* where the next record of each owner goes */
	struct part {
		size_t begin, end;  /* its owners */
		size_t first, kept; /* its records, each location once in the end */
	} parts[PARALLEL_MOST];
};

#define UNTOUCHED UINT32_MAX

static void touch(struct build *b, uint64_t function)
{
	if (b->rank_of[function] != UNTOUCHED)
		return;
	b->rank_of[function] = 0; /* until they are ranked */
	b->order[b->owners++] = (struct name_number){(uint32_t)function};
}

static bool rank(struct build *b)
{
	struct named *named = malloc((b->owners + 1) * sizeof(*named));

	if (!named)
		return false;
	for (size_t i = 0; i < b->owners; i++)
		named[i] = (struct named){b->profile->binary->functions.at[b->order[i].v].printed,
					  b->order[i].v};
	sort_named(named, b->owners);
	for (size_t i = 0; i < b->owners; i++) {
		b->order[i].v = named[i].function;
		b->rank_of[named[i].function] = (uint32_t)i;
	}
	free(named);
	return true;
}

static void touch_all(struct build *b)
{
	for (size_t i = 0; i < b->batch_count; i++) {
		const struct record_vec *batch = &b->batches[i];
		b->total += batch->len;
		for (size_t r = 0; r < batch->len; r++) {
			uint64_t owner = owner_of(&batch->at[r]);
			touch(b, owner);
			b->listed[owner]++;
			if (batch->at[r].to)
				touch(b, (batch->at[r].to >> 32) - 1);
		}
	}
}

/* Where each owner's records begin. */
static void place_owners(struct build *b)
{
	size_t sum = 0;

	for (size_t i = 0; i < b->owners; i++) {
		b->starts[i] = sum;
		sum += b->listed[b->order[i].v];
	}
}

/* Each thread gets about as many records, those of some of the owners. */
static void cut_parts(struct build *b)
{
	size_t owner = 0;

	for (unsigned i = 0; i < b->threads; i++) {
		size_t least = (size_t)((double)b->total / b->threads * (i + 1));
		struct part *part = &b->parts[i];
		*part = (struct part){owner, owner, owner < b->owners ? b->starts[owner] : b->total,
				      0};
		while (owner < b->owners && (i + 1 == b->threads || b->starts[owner] < least))
			owner++;
		part->end = owner;
	}
}

/* A record whose functions have other numbers: those at their old ones. */
static struct packed_record renumbered(const struct packed_record *record, const uint32_t *numbers)
{
	const uint64_t rest = (UINT64_C(1) << OWNER_SHIFT) - 1;
	struct packed_record out = *record;

	out.owner_from =
		(uint64_t)numbers[owner_of(record)] << OWNER_SHIFT | (record->owner_from & rest);
	if (record->to)
		out.to = ((uint64_t)numbers[(record->to >> 32) - 1] + 1) << 32 |
			 (uint32_t)record->to;
	return out;
}

/* Put each record of a part after those of its owner that came before. */
static void distribute(struct build *b, const struct part *part)
{
	for (size_t i = 0; i < b->batch_count; i++) {
		const struct record_vec *batch = &b->batches[i];
		for (size_t r = 0; r < batch->len; r++) {
			uint64_t owner = b->rank_of[owner_of(&batch->at[r])];
			if (owner - part->begin < part->end - part->begin)
				b->profile->records[b->starts[owner]++] =
					renumbered(&batch->at[r], b->rank_of);
		}
	}
}

static void order_part(void *ctx, size_t index, unsigned worker)
{
	struct build *b = ctx;
	struct part *part = &b->parts[index];
	size_t at = part->first;

	(void)worker;
	distribute(b, part); /* each start is the owner's end then */
	for (size_t owner = part->begin; owner < part->end; owner++) {
		sort_packed(b->profile->records + at, b->starts[owner] - at);
		at = b->starts[owner];
	}
	part->kept = add_up_equal(b->profile->records + part->first, at - part->first);
}

/* Close the gaps between parts. */
static void join_parts(struct build *b)
{
	struct packed_record *records = b->profile->records;
	size_t count = 0;

	for (unsigned i = 0; i < b->threads; i++) {
		const struct part *part = &b->parts[i];
		if (count != part->first)
			memmove(records + count, records + part->first,
				part->kept * sizeof(*records));
		count += part->kept;
	}
	b->profile->record_count = count;
}

static bool order_records(struct build *b, struct bc_error *err)
{
	b->listed = calloc(functions_named(&b->profile->binary->functions) + 1, sizeof(*b->listed));
	if (!b->listed)
		return bc_fail_nomem(err);
	touch_all(b);
	if (!rank(b))
		return bc_fail_nomem(err);
	b->starts = calloc(b->owners + 1, sizeof(*b->starts));
	b->profile->records = malloc((b->total + 1) * sizeof(*b->profile->records));
	(void)large_pages(b->profile->records, b->total * sizeof(*b->profile->records));
	if (!b->starts || !b->profile->records)
		return bc_fail_nomem(err);
	place_owners(b);
	cut_parts(b);
	parallel_for(b->threads, b->threads, order_part, b);
	join_parts(b);
	return true;
}

bool profile_build(const struct binary *binary, bool basic, struct record_vec *batches,
		   size_t batch_count, unsigned threads, struct profile *out, struct bc_error *err)
{
	size_t functions = functions_named(&binary->functions);
	struct build b = {.profile = out,
			  .batches = batches,
			  .batch_count = batch_count,
			  .threads = threads < PARALLEL_MOST ? threads : PARALLEL_MOST};

	*out = (struct profile){.binary = binary, .basic = basic};
	b.order = malloc((functions + 1) * sizeof(*b.order));
	b.rank_of = malloc((functions + 1) * sizeof(*b.rank_of));
	bool ok = (b.order && b.rank_of) || bc_fail_nomem(err);
	if (b.rank_of)
		memset(b.rank_of, 0xff, (functions + 1) * sizeof(*b.rank_of));
	ok = ok && order_records(&b, err);
	out->by_name = b.order;
	out->function_count = b.owners;
	free(b.rank_of);
	free(b.listed);
	free(b.starts);
	for (size_t i = 0; i < batch_count; i++)
		record_vec_free(&batches[i]);
	if (!ok)
		profile_free(out);
	return ok;
}

/* Numbers of functions -> the number of the first one of the same name.  *any: two have one name.
 */
static uint32_t *first_of_name(const struct profile *profile, bool *any)
{
	const struct function *functions = profile->binary->functions.at;
	uint32_t *first = malloc((profile->function_count + 1) * sizeof(*first));

	*any = false;
	for (size_t i = 0; first && i < profile->function_count; i++) {
		bool same = i && !strcmp(functions[profile->by_name[i].v].printed,
					 functions[profile->by_name[i - 1].v].printed);
		first[i] = same ? first[i - 1] : (uint32_t)i;
		*any |= same;
	}
	return first;
}

bool profile_one_by_name(const struct profile *profile, struct profile *out,
			 struct packed_record **own, struct bc_error *err)
{
	bool any;
	uint32_t *first = first_of_name(profile, &any);

	*out = *profile;
	*own = NULL;
	if (first && any && (*own = calloc(profile->record_count + 1, sizeof(**own)))) {
		for (size_t i = 0; i < profile->record_count; i++)
			(*own)[i] = renumbered(&profile->records[i], first);
		out->records = *own;
		out->record_count = records_unify(*own, profile->record_count);
	}
	bool ok = first && (!any || *own);
	free(first);
	return ok || bc_fail_nomem(err);
}

/* ---- entries ---- */

static bool entry_less(const struct entry *a, const struct entry *b)
{
	return a->function != b->function ? a->function < b->function : a->offset < b->offset;
}
DEFINE_SORT(sort_entries, struct entry, entry_less)

bool entries_add(const struct binary *binary, const struct record *record, struct entry_vec *out)
{
	if (!record->to.function || record_is_internal(record))
		return true;
	struct entry entry = {(uint32_t)(record->to.function - binary->functions.at),
			      record->to.offset, record->count,
			      record->kind == RECORD_ENTRY ? record->count : 0};
	return entry_vec_push(out, entry);
}

static void add_entry(struct entry *to, const struct entry *entry)
{
	to->count = count_add_saturating(to->count, entry->count);
	to->external = count_add_saturating(to->external, entry->external);
}
DEFINE_UNIFY(unify_entries, struct entry, !entry_less(last, item), add_entry(last, item))

void entries_sort(struct entry_vec *entries)
{
	sort_entries(entries->at, entries->len);
	entries->len = unify_entries(entries->at, entries->len);
}

bool entries_collect(const struct profile *profile, struct entry_vec *out)
{
	for (size_t i = 0; i < profile->record_count; i++) {
		struct record record = profile_record(profile, i);
		if (!entries_add(profile->binary, &record, out))
			return false;
	}
	entries_sort(out);
	return true;
}

DEFINE_SEARCH(first_entry_of, struct entry, uint32_t, item->function < key)

size_t entries_of(const struct entry_vec *entries, uint32_t function, const struct entry **out)
{
	size_t first = first_entry_of(entries->at, entries->len, function), end = first;

	while (end < entries->len && entries->at[end].function == function)
		end++;
	*out = entries->len ? &entries->at[first] : NULL;
	return end - first;
}

/* ---- names ---- */

bool name_is_allowed(const char *name, unsigned rules)
{
	return !((rules & NAMES_ONE_LINE) && strchr(name, '\n')) &&
	       !((rules & NAMES_UTF8) && !utf8_is(name));
}

static bool has_high_byte(struct bytes bytes)
{
	uint8_t all = 0;

	for (size_t i = 0; i < bytes.size; i++)
		all |= bytes.data[i];
	return all & 0x80;
}

/* Names are read far faster where they all are than one after the other. */
static bool may_matter(const struct image *image, unsigned rules)
{
	bool any = false;

	for (size_t i = 0; i < image->section_count; i++) {
		const struct section *section = &image->sections[i];
		struct bytes bytes = image_section_bytes(image, section);
		if (section->type != SHT_STRTAB || !bytes.size)
			continue;
		any = true;
		if (((rules & NAMES_ONE_LINE) && memchr(bytes.data, '\n', bytes.size)) ||
		    ((rules & NAMES_UTF8) && has_high_byte(bytes)))
			return true;
	}
	return !any; /* then they are from elsewhere */
}

bool nameable_find(const struct function_table *functions, const struct image *image,
		   unsigned rules, struct code_marks *out)
{
	*out = (struct code_marks){0};
	if (!rules || !may_matter(image, rules))
		return true;
	if (!code_marks_make(out, functions))
		return false;
	for (uint32_t i = 0; i < functions->count; i++)
		*code_marks_of(out, (struct code_number){i}) =
			!name_is_allowed(functions->at[i].printed, rules);
	return true;
}

/* ---- accesses to memory ---- */

static bool holds(const struct symbol *s, struct vaddr at)
{
	return (s->type == STT_OBJECT || s->type == STT_NOTYPE) && *s->name &&
	       at.v - s->address < s->size;
}

/* The symbol that holds an address; of several at one location the first, as for
 * functions. */
static const struct symbol *symbol_of(const struct symbol_table *symbols, struct vaddr at)
{
	size_t above = symbols_above(symbols, at.v);

	for (size_t i = above; i-- > 0;) {
		const struct symbol *s = &symbols->at[i], *found = NULL;
		for (; holds(s, at); s--) {
			found = s;
			if (s == symbols->at || s[-1].address != s->address)
				break;
		}
		if (found)
			return found;
		if (s->size) /* of what begins earlier nothing reaches this far */
			return NULL;
	}
	return NULL;
}

/* Returns MEMORY_KEPT, or why the access is dropped. */
static enum memory_drop translate_access(const struct binary *binary, const struct count_row *row,
					 unsigned names, struct access *out)
{
	struct output_place place = binary_place(binary, (struct vaddr){row->key[0]}, NULL);
	struct vaddr data = {row->key[1]};
	struct input_place code;

	if (!place.function)
		return MEMORY_DROP_CODE;
	if (!binary_translate(binary, place, false, &code))
		return MEMORY_DROP_NO_PARENT;
	const struct symbol *symbol = symbol_of(&binary->functions.symbols, data);
	if (!symbol)
		return MEMORY_DROP_UNNAMED;
	if (!name_is_allowed(code.function->printed, names) ||
	    !name_is_allowed(symbol->name, names))
		return MEMORY_DROP_UNNAMEABLE;
	*out = (struct access){code.function, code.offset, symbol, data.v - symbol->address,
			       row->count};
	return MEMORY_KEPT;
}

/* "/N" after the name of a local symbol, as it is printed. */
static void format_number(const struct symbol *data, char out[16])
{
	*out = '\0';
	if (data->local)
		snprintf(out, 16, "/%" PRIu32, data->number);
}

/* Data of `a` and `b` by their printed names, which need not end together: "x/1" and "x" "/1". */
static int compare_data(const struct symbol *a, const struct symbol *b)
{
	char a_number[16], b_number[16];
	const char *a_at = a->name, *b_at = b->name;

	format_number(a, a_number);
	format_number(b, b_number);
	for (bool a_behind = false, b_behind = false;; a_at++, b_at++) {
		if (!*a_at && !a_behind) {
			a_at = a_number;
			a_behind = true;
		}
		if (!*b_at && !b_behind) {
			b_at = b_number;
			b_behind = true;
		}
		if (*a_at != *b_at || !*a_at)
			return (unsigned char)*a_at - (unsigned char)*b_at;
	}
}

/* As they are printed, so that the order is one of the text. */
static int compare_accesses(const struct access *a, const struct access *b)
{
	int by_function = strcmp(a->function->printed, b->function->printed);

	if (by_function)
		return by_function;
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	int by_data = compare_data(a->data, b->data);
	if (by_data)
		return by_data;
	return (a->data_offset > b->data_offset) - (a->data_offset < b->data_offset);
}

static bool access_less(const struct access *a, const struct access *b)
{
	return compare_accesses(a, b) < 0;
}
DEFINE_SORT(sort_accesses, struct access, access_less)

/* Two locations of the output can be one of the input. */
DEFINE_UNIFY(unify_accesses, struct access, !compare_accesses(last, item),
	     last->count = count_add_saturating(last->count, item->count))

bool memory_convert(struct count_table *counted, unsigned names, struct profile *profile,
		    struct ledger *ledger, struct bc_error *err)
{
	count_table_sort(counted);
	for (size_t i = 0; i < counted->used; i++) {
		const struct count_row *row = &counted->rows[i];
		struct access access;
		enum memory_drop why = translate_access(profile->binary, row, names, &access);
		if (why != MEMORY_KEPT)
			ledger->dropped[why] += row->count;
		else if (!access_vec_push(&profile->accesses, access))
			return bc_fail_nomem(err);
		else
			ledger->kept += row->count;
	}
	sort_accesses(profile->accesses.at, profile->accesses.len);
	profile->accesses.len = unify_accesses(profile->accesses.at, profile->accesses.len);
	return true;
}
