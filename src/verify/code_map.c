/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/verify/code_map.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "src/base/sort.h"
#include "src/verify/check_code.h"
#include "src/verify/findings.h"
#include "src/elf/binary.h"

DEFINE_SEARCH(runs_up_to, struct code_run, uint64_t, item->out <= key)

static bool run_less(const struct code_run *a, const struct code_run *b)
{
	return a->out < b->out;
}
DEFINE_SORT(sort_runs, struct code_run, run_less)

/* ---- which bytes are looked up ---- */

/* The number of a byte among those of executable segments; UINT64_MAX: it is in none. */
static uint64_t byte_number(const struct code_map *map, uint64_t address)
{
	const struct image *image = &map->subject->image;
	const struct segment *s = image_segment_at(image, (struct vaddr){address});
	uint64_t before = s ? map->bytes_before[s - image->segments] : UINT64_MAX;

	return before == UINT64_MAX || address - s->vaddr >= s->filesz ?
		       UINT64_MAX :
		       before + (address - s->vaddr);
}

static bool looked_up_make(struct code_map *map)
{
	const struct image *image = &map->subject->image;

	map->bytes_before = malloc((image->segment_count + 1) * sizeof(*map->bytes_before));
	for (size_t i = 0; map->bytes_before && i < image->segment_count; i++) {
		/* Damaged files have segments of the same bytes. */
		bool counts = image->segments[i].executable &&
			      map->looked_up_bytes < 2 * image->file.size;
		map->bytes_before[i] = counts ? map->looked_up_bytes : UINT64_MAX;
		map->looked_up_bytes += counts ? image->segments[i].filesz : 0;
	}
	map->looked_up = calloc(map->looked_up_bytes / 8 + 1, 1);
	return map->bytes_before && map->looked_up;
}

static void look_up(struct code_map *map, uint64_t address)
{
	uint64_t number = byte_number(map, address);

	if (number != UINT64_MAX)
		atomic_fetch_or_explicit(&map->looked_up[number / 8],
					 (unsigned char)(1u << number % 8), memory_order_relaxed);
}

/* The first byte of [from, to), within a run, that is looked up; `to`: none is. */
static uint64_t first_looked_up(const struct code_map *map, const struct code_run *run,
				uint64_t from, uint64_t to)
{
	uint64_t number = byte_number(map, from);

	if (run->kind == RUN_LEFT || number == UINT64_MAX)
		return from;
	while (from < to && number < map->looked_up_bytes &&
	       !(atomic_load_explicit(&map->looked_up[number / 8], memory_order_relaxed) >>
			 number % 8 &
		 1)) {
		from++;
		number++;
	}
	return from;
}

/* ---- making ---- */

struct making {
	struct code_map *map;
	struct fragments_by_function parts;
	pthread_mutex_t lock;
	atomic_bool failed;
};

static struct code_run run_of(const struct tied_function *function, const struct tied_fragment *f,
			      uint32_t i, uint32_t input)
{
	const struct insn *insn = &f->code.insns.at[i];
	const struct insn_tie *tie = &f->ties.at[i];
	struct code_run run = {f->code.address + insn->offset, 0, insn->size, 0, input, RUN_UNTIED};

	if (tie->kind != TIE_SAME)
		return run;
	const struct insn *in = &function->in.insns.at[tie->input];
	run.in = function->in.address + in->offset;
	run.in_size = in->size;
	run.kind = insn->kind == INSN_JUMP ? RUN_JUMP : RUN_SAME;
	return run;
}

static bool goes_on(const struct code_run *run, const struct code_run *next)
{
	if (run->out + run->size != next->out || run->kind != next->kind || run->kind == RUN_JUMP ||
	    run->size > UINT32_MAX - next->size)
		return false;
	return run->kind == RUN_UNTIED ||
	       (run->in + run->in_size == next->in && run->size == run->in_size &&
		next->size == next->in_size);
}

static bool add_function(struct code_map *map, const struct tied_function *function, uint32_t input,
			 struct code_run_vec *out)
{
	for (uint32_t k = 0; k < function->count; k++) {
		const struct tied_fragment *f = &function->fragments[k];
		bool first = true;
		for (uint32_t i = 0; i < f->ties.len; i++) {
			struct code_run run = run_of(function, f, i, input);
			struct code_run *last = first ? NULL : &out->at[out->len - 1];
			look_up(map, run.out);
			if (insn_is_call(f->code.insns.at[i]))
				look_up(map, run.out + run.size - 1);
			if (last && goes_on(last, &run)) {
				last->size += run.size;
				last->in_size += run.in_size;
			} else if (!code_run_vec_push(out, run)) {
				return false;
			}
			first = false;
		}
	}
	return true;
}

static void tie_fragments_of(void *ctx, struct decoder *decoder, uint32_t begin, uint32_t end,
			     struct findings *findings)
{
	struct making *m = ctx;
	const struct binary *subject = m->map->subject;
	const struct input *input = m->map->input;
	BC_AUTO(code_run_vec_free) struct code_run_vec runs = {0};
	bool ok = true;

	(void)findings;
	for (uint32_t i = begin; ok && i < end; i++) {
		const uint32_t *parts;
		uint32_t count = fragments_of(&m->parts, &subject->bat, &i, &parts);
		struct tied_function function;
		if (!count)
			continue;
		ok = insn_ties_make(subject, input, input->of[parts[0]], parts, count, decoder,
				    &function) &&
		     add_function(m->map, &function, input->of[parts[0]], &runs);
		insn_ties_free(&function);
	}
	struct code_run_vec *all = &m->map->runs;
	pthread_mutex_lock(&m->lock);
	for (size_t i = 0; ok && i < runs.len; i++)
		ok = code_run_vec_push(all, runs.at[i]);
	pthread_mutex_unlock(&m->lock);
	if (!ok)
		atomic_store(&m->failed, true);
}

static bool add_left(struct code_map *map)
{
	for (size_t i = 0; i < map->subject->functions.count; i++) {
		const struct function *f = &map->subject->functions.at[i],
				      *in = input_left(map->subject, map->input, i);
		uint64_t size = !in ? 0 : f->size < in->size ? f->size : in->size;
		uint32_t number = in ? (uint32_t)(in - map->input->functions.at) : 0;
		if (!size || size > UINT32_MAX)
			continue;
		map->fates[number] = FATE_LEFT;
		if (!code_run_vec_push(&map->runs,
				       (struct code_run){f->address, f->address, (uint32_t)size,
							 (uint32_t)size, number, RUN_LEFT}))
			return false;
	}
	return true;
}

static void note_fates(struct code_map *map)
{
	const struct bat_table *bat = &map->subject->bat;

	for (uint32_t i = 0; i < map->input->functions.count; i++)
		map->fragments[i] = NO_FRAGMENT;
	for (uint32_t i = 0; i < bat->fragment_count; i++) {
		uint32_t number = map->input->of[i];
		if (number == NO_FUNCTION)
			continue;
		map->fates[number] = FATE_MOVED;
		if (!bat->fragments[i].cold)
			map->fragments[number] = i;
	}
	for (size_t i = 0; i < map->folded.len; i++) {
		map->fates[map->folded.at[i].input] = FATE_FOLDED;
		map->fragments[map->folded.at[i].input] = map->folded.at[i].fragment;
	}
}

static bool sort_by_in(struct code_map *map)
{
	struct keyed *keys = malloc((map->runs.len + 1) * sizeof(*keys));

	map->by_in = malloc((map->runs.len + 1) * sizeof(*map->by_in));
	map->reach = malloc((map->runs.len + 1) * sizeof(*map->reach));
	for (size_t i = 0; keys && i < map->runs.len; i++)
		if (map->runs.at[i].kind != RUN_UNTIED)
			keys[map->tied++] = (struct keyed){map->runs.at[i].in, i};
	bool ok = keys && map->by_in && map->reach && map->runs.len < UINT32_MAX &&
		  sort_keyed(keys, map->tied);
	for (size_t i = 0; ok && i < map->tied; i++) {
		const struct code_run *run = &map->runs.at[keys[i].index];
		uint64_t end = run->in + run->in_size;
		map->by_in[i] = (uint32_t)keys[i].index;
		map->reach[i] = i && map->reach[i - 1] > end ? map->reach[i - 1] : end;
	}
	free(keys);
	return ok;
}

/* Damaged tables can have fragments over each other: the first one holds. */
DEFINE_UNIFY(part_runs, struct code_run, item->out - last->out < last->size, (void)0)

bool code_map_make(const struct binary *subject, const struct input *input, unsigned threads,
		   struct code_map *out, bool *of_input, struct bc_error *err)
{
	struct making m = {.map = out};
	size_t count = input->functions.count + 1;
	struct findings unused;

	*err = (struct bc_error){0};
	*of_input = false;
	*out = (struct code_map){.subject = subject,
				 .input = input,
				 .fates = calloc(count, 1),
				 .fragments = malloc(count * sizeof(*out->fragments))};
	if (!out->fates || !out->fragments || !looked_up_make(out) ||
	    !folded_list(subject, input, &out->folded) ||
	    !fragments_by_function_list(&subject->bat, &m.parts))
		return bc_fail_nomem(err);
	findings_init(&unused, 0);
	pthread_mutex_init(&m.lock, NULL);
	bool ok = code_for_fragments(subject, threads, tie_fragments_of, &m, &unused) ||
		  bc_fail_nomem(err);
	pthread_mutex_destroy(&m.lock);
	findings_free(&unused);
	fragments_by_function_free(&m.parts);
	if (ok && atomic_load(&m.failed)) {
		*of_input = !work_check(input->image.work, err);
		ok = !*of_input && work_fail(subject->image.work, err);
	}
	if (!ok)
		return false;
	note_fates(out);
	if (!add_left(out))
		return bc_fail_nomem(err);
	sort_runs(out->runs.at, out->runs.len);
	out->runs.len = part_runs(out->runs.at, out->runs.len);
	return sort_by_in(out) || bc_fail_nomem(err);
}

void code_map_free(struct code_map *map)
{
	code_run_vec_free(&map->runs);
	free(map->by_in);
	free(map->reach);
	free(map->fates);
	free(map->fragments);
	free(map->looked_up);
	free(map->bytes_before);
	folded_vec_free(&map->folded);
	*map = (struct code_map){0};
}

/* ---- looking up ---- */

/* The run that holds an address of the output, or NULL. */
static const struct code_run *code_map_at(const struct code_map *map, uint64_t address)
{
	size_t i = runs_up_to(map->runs.at, map->runs.len, address);

	return i && address - map->runs.at[i - 1].out < map->runs.at[i - 1].size ?
		       &map->runs.at[i - 1] :
		       NULL;
}

enum code_fate code_map_fate(const struct code_map *map, uint64_t address)
{
	const struct function *f = functions_find(&map->input->functions, (struct vaddr){address});

	return f ? map->fates[f - map->input->functions.at] : FATE_UNKNOWN;
}

/* How many of the runs by `in` begin below an address of the input. */
static size_t runs_below(const struct code_map *map, uint64_t address)
{
	size_t low = 0, high = map->tied;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (map->runs.at[map->by_in[middle]].in < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Where the output has a byte of the input that a run holds.  False: within its one instruction. */
static bool output_of(const struct code_run *run, uint64_t input, uint64_t *out)
{
	if (run->size != run->in_size && input != run->in)
		return false;
	*out = run->out + (input - run->in);
	return true;
}

/* Copies of a block: more are not looked at. */
#define COPIES_MOST 64

bool code_map_leads(const struct code_map *map, uint64_t input, bool behind, uint64_t address,
		    uint64_t *expected, bool *known)
{
	uint64_t key = input - behind;
	size_t at = runs_below(map, key + 1);

	*known = false;
	for (int steps = 0; at && steps < COPIES_MOST && map->reach[at - 1] > key; steps++) {
		const struct code_run *run = &map->runs.at[map->by_in[--at]];
		uint64_t out;
		if (key - run->in >= run->in_size)
			continue;
		if (behind && run->size != run->in_size) /* the one instruction that it is after */
			out = run->out + run->size - 1;
		else if (!output_of(run, key, &out))
			continue;
		out += behind;
		if (!*known)
			*expected = out;
		*known = true;
		if (out == address) {
			*expected = out;
			return true;
		}
	}
	return false;
}

/* ---- ranges ---- */

static bool range_less(const struct address_range *a, const struct address_range *b)
{
	return a->start != b->start ? a->start < b->start : a->end < b->end;
}
DEFINE_SORT(sort_ranges, struct address_range, range_less)
DEFINE_SEARCH(ranges_up_to, struct address_range, uint64_t, item->start <= key)

void ranges_normalize(struct address_range_vec *ranges)
{
	size_t kept = 0;

	if (ranges->len)
		sort_ranges(ranges->at, ranges->len);
	for (size_t i = 0; i < ranges->len; i++) {
		struct address_range r = ranges->at[i];
		if (r.start >= r.end)
			continue;
		if (kept && r.start <= ranges->at[kept - 1].end) {
			if (r.end > ranges->at[kept - 1].end)
				ranges->at[kept - 1].end = r.end;
			continue;
		}
		ranges->at[kept++] = r;
	}
	ranges->len = kept;
}

static bool ranges_hold(const struct address_range_vec *ranges, uint64_t address)
{
	size_t i = ranges_up_to(ranges->at, ranges->len, address);

	return i && address < ranges->at[i - 1].end;
}

static void add_part(struct code_part *part, uint64_t bytes, uint64_t output, uint64_t input)
{
	if (!part->bytes) {
		part->output = output;
		part->input = input;
	}
	part->bytes += bytes;
}

static bool is_folded(const struct code_map *map, uint32_t function)
{
	size_t count = 0;

	if (function == NO_FUNCTION || map->fragments[function] == NO_FRAGMENT || !map->folded.len)
		return false;
	return folded_of(&map->folded, map->fragments[function], &count) != NULL;
}

bool code_map_folded(const struct code_map *map, uint64_t address)
{
	const struct function *f = functions_find(&map->input->functions, (struct vaddr){address});

	return f && is_folded(map, (uint32_t)(f - map->input->functions.at));
}

const char *code_map_owner(const struct code_map *map, uint64_t output, uint64_t input)
{
	const struct code_run *run = output == NO_OFFSET ? NULL : code_map_at(map, output);
	const struct function *f = functions_find(&map->input->functions, (struct vaddr){input});
	uint32_t function = run ? run->function :
			    f   ? (uint32_t)(f - map->input->functions.at) :
				  NO_FUNCTION;
	const struct function *left = functions_find(
		&map->subject->functions, (struct vaddr){output == NO_OFFSET ? input : output});

	if (function != NO_FUNCTION && map->fragments[function] != NO_FRAGMENT)
		return binary_fragment_owner(map->subject, map->fragments[function]);
	return left ? left->primary : NULL;
}

/* What of [start, end), which is of one run, no range holds is added to a part; `other - start`
 * leads to the other binary's address. */
static bool add_missing(const struct code_map *map, const struct code_run *run,
			const struct address_range_vec *ranges, uint64_t start, uint64_t end,
			uint64_t other, bool is_output, struct code_part *part)
{
	size_t i = ranges_up_to(ranges->at, ranges->len, start);

	i -= i && start < ranges->at[i - 1].end;
	while (start < end) {
		if (!work_spend(map->subject->image.work, WORK_RANGES, 1))
			return false;
		bool held = i < ranges->len && ranges->at[i].start <= start;
		uint64_t next = held            ? ranges->at[i].end :
				i < ranges->len ? ranges->at[i].start :
						  end;
		next = next < end ? next : end;
		uint64_t output = is_output ? start : other,
			 first = held ? 0 :
					first_looked_up(map, run, output, output + (next - start)) -
						 output;
		if (!held && first < next - start)
			add_part(part, next - start - first, output + first,
				 (is_output ? other : start) + first);
		i += held;
		other += next - start;
		start = next;
	}
	return true;
}

/* Code of the input that ranges have: does the output's have it? */
static bool compare_input(const struct code_map *map, struct address_range range,
			  const struct address_range_vec *out, struct ranges_compared *result)
{
	size_t end = runs_below(map, range.end), at = end;

	while (at && map->reach[at - 1] > range.start)
		at--;
	for (; at < end; at++) {
		const struct code_run *run = &map->runs.at[map->by_in[at]];
		uint64_t from = run->in > range.start ? run->in : range.start,
			 to = run->in + run->in_size < range.end ? run->in + run->in_size :
								   range.end;
		if (!work_spend(map->subject->image.work, WORK_RANGES, 1))
			return false;
		if (from >= to || run->kind == RUN_JUMP)
			continue;
		bool single = run->size != run->in_size;
		if (single && from != run->in)
			continue;
		uint64_t output = single ? run->out : run->out + (from - run->in),
			 size = single ? run->size : to - from;
		if (is_folded(map, run->function)) {
			result->folded = true;
			continue;
		}
		result->tied += size;
		if (!add_missing(map, run, out, output, output + size, from, true, &result->lost))
			return false;
	}
	return true;
}

/* Is code of the input that is at `input` in a function, or in one that was folded into it, in the
 * ranges?  All of it. */
static bool twins_have(const struct code_map *map, uint32_t function,
		       const struct address_range_vec *in, uint64_t input)
{
	size_t count = 0;
	const struct folded *folded =
		function == NO_FUNCTION || map->fragments[function] == NO_FRAGMENT ?
			NULL :
			folded_of(&map->folded, map->fragments[function], &count);

	for (size_t i = 0; i < count && i < 64; i++)
		if (ranges_hold(in, input - map->input->functions.at[function].address +
					    map->input->functions.at[folded[i].input].address))
			return true;
	return false;
}

/* Code of the output that ranges have, of one run: do the input's have it? */
static bool compare_run(const struct code_map *map, const struct code_run *run, uint64_t from,
			uint64_t to, const struct address_range_vec *in,
			struct ranges_compared *result)
{
	bool single = run->size != run->in_size;
	struct code_part part = {0};

	if (run->kind == RUN_UNTIED || run->kind == RUN_JUMP || (single && from != run->out))
		return true;
	uint64_t input = single ? run->in : run->in + (from - run->out);
	if (single && ranges_hold(in, input))
		return true;
	if (single)
		add_part(&part, to - from, from, input);
	else if (!add_missing(map, run, in, input, input + (to - from), from, false, &part))
		return false;
	if (!part.bytes || twins_have(map, run->function, in, part.input))
		return true;
	add_part(&result->wrong, part.bytes, part.output, part.input);
	return true;
}

/* Bytes of the output's ranges of which no code is known. */
static void compare_gap(const struct code_map *map, uint64_t from, uint64_t to,
			const struct address_range_vec *in, struct ranges_compared *result)
{
	while (from < to) {
		const struct segment *segment =
			image_segment_at(&map->subject->image, (struct vaddr){from});
		uint64_t end = segment && to - segment->vaddr > segment->memsz ?
				       segment->vaddr + segment->memsz :
				       to;
		if (segment && segment->executable) {
			if (code_map_fate(map, from) == FATE_MOVED)
				add_part(&result->old, end - from, from, from);
		} else if (!ranges_hold(in, from)) {
			add_part(&result->nothing, end - from, from, 0);
		}
		from = end;
	}
}

static bool compare_output(const struct code_map *map, struct address_range range,
			   const struct address_range_vec *in, struct ranges_compared *result)
{
	size_t at = runs_up_to(map->runs.at, map->runs.len, range.start);

	at -= at && range.start - map->runs.at[at - 1].out < map->runs.at[at - 1].size;
	for (uint64_t from = range.start; from < range.end;) {
		const struct code_run *run = at < map->runs.len ? &map->runs.at[at] : NULL;
		bool in_run = run && run->out <= from;
		uint64_t to = in_run ? run->out + run->size : run ? run->out : range.end;
		to = to < range.end ? to : range.end;
		if (!work_spend(map->subject->image.work, WORK_RANGES, 1))
			return false;
		if (!in_run)
			compare_gap(map, from, to, in, result);
		else if (!compare_run(map, run, from, to, in, result))
			return false;
		at += in_run;
		from = to;
	}
	return true;
}

/* For code that is gone llvm-bolt writes that it begins at 0, and is as long as it was, or one
 * byte.
 */
static bool is_of_gone(struct address_range range, const struct address_range_vec *in)
{
	uint64_t bytes = 0;

	for (size_t i = 0; !range.start && i < in->len; i++)
		bytes += in->at[i].end - in->at[i].start;
	return !range.start && range.end <= (bytes ? bytes : 1);
}

bool code_map_compare(const struct code_map *map, const struct address_range_vec *in,
		      const struct address_range_vec *out, struct ranges_compared *result)
{
	*result = (struct ranges_compared){0};
	for (size_t i = 0; i < in->len; i++)
		if (!compare_input(map, in->at[i], out, result))
			return false;
	for (size_t i = 0; i < out->len; i++)
		if (!is_of_gone(out->at[i], in) && !compare_output(map, out->at[i], in, result))
			return false;
	return true;
}
