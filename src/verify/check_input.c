/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/verify/check_input.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/sort.h"
#include "src/code/pair.h"
#include "src/verify/checks.h"

static bool find_probes(struct input *input, struct bc_error *err)
{
	return probes_read(&input->image, &input->probes) || bc_fail_nomem(err);
}

bool input_open(const char *path, struct input *out, struct bc_error *err)
{
	struct input input = {0};

	if (!file_map(path, &input.file, err))
		return false;
	if (image_open_map(&input.file, &input.image, err) &&
	    functions_build(&input.image, NUMBERS_BY_ADDRESS, &input.functions, err) &&
	    find_probes(&input, err)) {
		*out = input;
		return true;
	}
	input_close(&input);
	return bc_fail_prefix(err, path);
}

void input_close(struct input *input)
{
	free(input->of);
	probes_free(&input->probes);
	functions_free(&input->functions);
	image_close(&input->image);
	file_unmap(&input->file);
	*input = (struct input){0};
}

struct bytes input_code_of(const struct input *input, uint32_t function)
{
	const struct function *f = &input->functions.at[function];

	return bytes_first(image_bytes_at(&input->image, (struct vaddr){f->address}),
			   f->size > f->extent ? f->size : f->extent);
}

bool input_match(const struct binary *subject, struct input *input)
{
	struct bc_error err;
	struct pair pair = {0};

	input->of = malloc((subject->bat.fragment_count + (size_t)1) * sizeof(*input->of));
	if (!input->of || !pair_names(&input->image, &input->functions, subject, &pair, &err))
		return false;
	for (uint32_t i = 0; i < subject->bat.fragment_count; i++) {
		const struct bat_fragment *f = &subject->bat.fragments[i];
		uint32_t hot = f->cold ? f->parent : i,
			 output = hot == BAT_NO_PARENT ? NO_FUNCTION : subject->function_of[hot];
		input->of[i] = output == NO_FUNCTION ? NO_FUNCTION : pair.input_of[output];
	}
	pair_close(&pair);
	return true;
}

bool input_lacks(const struct binary *subject, size_t number)
{
	const struct function *f = &subject->functions.at[number];

	return subject->fragment_of[number] == NO_FRAGMENT && f->kind == FUNCTION_CODE && f->size &&
	       !text_starts(text_of(f->primary), FUNCTION_OF_FDE);
}

const struct function *input_left(const struct binary *subject, const struct input *input,
				  size_t number)
{
	const struct function *f = &subject->functions.at[number];

	if (!input_lacks(subject, number))
		return NULL;
	const struct function *in = functions_code_at(&input->functions, f->address);
	return in && !strcmp(in->primary, f->primary) ? in : NULL;
}

/* Where an entry of the table leads to in the input. */
struct place {
	uint32_t function, offset;
	uint32_t entry; /* of the whole table */
};
DEFINE_VEC(place_vec, struct place);

static bool place_less(const struct place *a, const struct place *b)
{
	return a->function != b->function ? a->function < b->function : a->offset < b->offset;
}
DEFINE_SORT(sort_places, struct place, place_less)
DEFINE_SEARCH(places_before, struct place, uint32_t, item->function < key)

struct checking {
	const struct binary *subject;
	const struct input *input;
	const struct block_starts *starts;
	const struct scope_bounds *bounds;
	unsigned threads;
	bool code;
	struct place_vec places;            /* if code: of all entries that lie in their function */
	uint64_t *reached;                  /* per entry: see struct code_view */
	atomic_uint compared, contradicted; /* fragments */
	atomic_uint_fast64_t offsets, strange; /* of the table; those that lie on no instruction */
};

/* Returns false for a binary of another machine, and for one that llvm-bolt wrote. */
static bool check_kind(const struct binary *subject, const struct input *input,
		       struct findings *findings)
{
	struct bc_error err;

	if (pair_check_kind(&input->image, &subject->image, &err))
		return true;
	findings_add(findings, FINDING_INPUT_OTHER, NO_LOCATION, "%s", err.text);
	return false;
}

/* Returns false if the build-ids of the output and the input do not belong together. */
static bool check_build_ids(const struct binary *subject, const struct input *input,
			    struct findings *findings)
{
	struct build_id expected = input->image.build_id;
	char got[2 * BUILD_ID_MAX + 1], want[2 * BUILD_ID_MAX + 1];

	if (!expected.size || !subject->image.build_id.size ||
	    build_id_is_marked(&expected, &subject->image.build_id))
		return true;
	expected.data[expected.size - 1] ^= 1;
	build_id_format(&subject->image.build_id, got);
	build_id_format(&expected, want);
	findings_add(findings, FINDING_INPUT_BUILD, NO_LOCATION, "the binary has %s, not %s", got,
		     want);
	return false;
}

static void check_offsets(const struct checking *c, uint32_t i, uint64_t size,
			  struct findings *findings)
{
	const struct bat_fragment *f = &c->subject->bat.fragments[i];

	for (uint32_t k = 0; k < f->entry_count; k++) {
		struct bat_entry e = c->subject->bat.entries[f->first_entry + k];
		if (bat_entry_input(e) >= size && !entry_never_emitted(f, e))
			findings_add(findings, FINDING_INPUT_OUTSIDE, location_of(c->subject, i, k),
				     "input 0x%x, but the function has 0x%" PRIx64 " bytes",
				     bat_entry_input(e), size);
	}
}

static void check_fragment(const struct checking *c, struct decoder *decoder, uint32_t i,
			   struct findings *findings)
{
	const struct bat_fragment *f = &c->subject->bat.fragments[i];
	const struct function *name = binary_fragment_function(c->subject, f->parent);

	if (c->input->of[i] == NO_FUNCTION) {
		if (!f->cold && name && f->entry_count)
			findings_add(findings, FINDING_INPUT_NO_FUNCTION,
				     location_of(c->subject, i, NO_INDEX),
				     "no symbol of it is there");
		return;
	}
	struct bytes code = input_code_of(c->input, c->input->of[i]);
	check_offsets(c, i, code.size, findings);
	if (!c->code)
		return;
	struct spot *spots = malloc((f->entry_count + (size_t)1) * sizeof(*spots));
	if (!spots) {
		findings->nomem = true;
		return;
	}
	size_t count = code_spots(&c->subject->bat, f, true, code.size, spots);
	struct code_view view = {decoder,   c->subject,
				 c->starts, &c->input->probes,
				 c->bounds, &input_side,
				 code,      c->input->functions.at[c->input->of[i]].address,
				 i,         c->reached + f->first_entry};
	code_check(&view, spots, count, findings);
	free(spots);
}

/* ---- the input's instructions ----
 * Any number of fragments can be of one function.  Its code is decoded once for all of them. */

static bool list_places(struct checking *c)
{
	const struct bat_table *bat = &c->subject->bat;

	for (uint32_t i = 0; i < bat->fragment_count; i++) {
		const struct bat_fragment *f = &bat->fragments[i];
		size_t size = c->input->of[i] == NO_FUNCTION ?
				      0 :
				      input_code_of(c->input, c->input->of[i]).size;
		for (uint32_t entry = f->first_entry; entry < f->first_entry + f->entry_count;
		     entry++) {
			uint32_t offset = bat_entry_input(bat->entries[entry]);
			if (offset < size &&
			    !place_vec_push(&c->places,
					    (struct place){c->input->of[i], offset, entry}))
				return false;
		}
	}
	if (c->places.len)
		sort_places(c->places.at, c->places.len);
	c->reached = calloc(bat->entry_count + (size_t)1, sizeof(*c->reached));
	return c->reached;
}

/* Where no instruction is, decoding continues at the next address. */
static void reach_places(const struct checking *c, struct decoder *decoder, size_t first,
			 uint32_t function)
{
	struct bytes code = input_code_of(c->input, function);
	uint64_t at = c->input->functions.at[function].address, offset = 0;

	for (size_t i = first; i < c->places.len && c->places.at[i].function == function; i++) {
		const struct place *place = &c->places.at[i];
		while (offset < place->offset) {
			size_t size = code_length(decoder, bytes_from(code, offset), at + offset);
			offset = size ? offset + size : place->offset;
		}
		c->reached[place->entry] = offset;
	}
}

/* The function of each fragment that has its first location. */
static void reach_of(void *ctx, struct decoder *decoder, uint32_t begin, uint32_t end,
		     struct findings *findings)
{
	const struct checking *c = ctx;

	(void)findings;
	for (uint32_t i = begin; i < end; i++) {
		const struct bat_fragment *f = &c->subject->bat.fragments[i];
		size_t first = c->input->of[i] == NO_FUNCTION ?
				       c->places.len :
				       places_before(c->places.at, c->places.len, c->input->of[i]);
		if (first < c->places.len &&
		    c->places.at[first].entry - f->first_entry < f->entry_count)
			reach_places(c, decoder, first, c->input->of[i]);
	}
}

static bool reach_all(struct checking *c, unsigned threads, struct findings *findings)
{
	if (!c->code)
		return true;
	if (!list_places(c)) {
		findings->nomem = true;
		return false;
	}
	return code_for_fragments(c->subject, threads, reach_of, c, findings);
}

static uint64_t count_off(const struct findings *findings)
{
	return findings->counts[FINDING_INPUT_OUTSIDE] +
	       findings->counts[FINDING_INPUT_INSIDE_INSN];
}

static void check_fragments_of(void *ctx, struct decoder *decoder, uint32_t begin, uint32_t end,
			       struct findings *findings)
{
	struct checking *c = ctx;

	for (uint32_t i = begin; i < end; i++) {
		const struct bat_fragment *f = &c->subject->bat.fragments[i];
		uint64_t before = findings_at_least(findings, SEVERITY_ERROR),
			 off = count_off(findings);
		if (f->parent == BAT_NO_PARENT)
			continue;
		check_fragment(c, decoder, i, findings);
		if (!f->entry_count || (f->cold && c->input->of[i] == NO_FUNCTION))
			continue;
		atomic_fetch_add(&c->compared, 1);
		atomic_fetch_add(&c->offsets, f->entry_count);
		atomic_fetch_add(&c->strange, c->input->of[i] == NO_FUNCTION ?
						      f->entry_count :
						      count_off(findings) - off);
		if (findings_at_least(findings, SEVERITY_ERROR) > before)
			atomic_fetch_add(&c->contradicted, 1);
	}
}

static bool has_build_ids(const struct checking *c)
{
	return c->input->image.build_id.size && c->subject->image.build_id.size;
}

/* Returns true if too many offsets of the table lie on no instruction; the limit is that of
 * pair.h.  If the build-ids belong together, the binary is the input and the table is wrong. */
static bool is_other(struct checking *c, struct findings *findings)
{
	struct disagreement offsets = {atomic_load(&c->offsets), atomic_load(&c->strange)};

	if (belonging_judge(offsets, PAIR_LIMIT_PERCENT, has_build_ids(c)) != BELONGS_NOT)
		return false;
	findings_add(
		findings, FINDING_INPUT_OTHER, NO_LOCATION,
		"%.1f %% of the table's offsets lie on no instruction of it (limit %.0f %%), and no build-ids show "
		"whether it is the input",
		disagreement_percent(offsets), PAIR_LIMIT_PERCENT);
	return true;
}

static bool check_input_code(void *ctx, const struct scope_bounds *bounds,
			     struct findings *findings)
{
	struct checking *c = ctx;

	c->bounds = bounds;
	c->compared = c->contradicted = 0;
	c->offsets = c->strange = 0;
	return code_for_fragments(c->subject, c->threads, check_fragments_of, c, findings);
}

/* Checks all fragments.  If the binary cannot be the input and most fragments do not match it, that
 * is the only finding: all others would follow from it. */
static bool check_all_fragments(struct checking *c, struct findings *findings)
{
	struct findings found;

	findings_init(&found, findings->most);
	bool ok = code_check_twice(&input_side, &c->input->image, check_input_code, c, &found);
	bool mostly = atomic_load(&c->contradicted) > atomic_load(&c->compared) / 2;
	if (!(ok && is_other(c, findings) && mostly))
		findings_append(findings, &found);
	findings_free(&found);
	return ok;
}

bool check_input(const struct binary *subject, struct input *input,
		 const struct block_starts *starts, unsigned threads, bool code,
		 struct findings *findings)
{
	if (!check_kind(subject, input, findings) || !check_build_ids(subject, input, findings))
		return true;
	struct checking checking = {.subject = subject,
				    .input = input,
				    .starts = starts,
				    .threads = threads,
				    .code = code};

	if (!input_match(subject, input)) {
		findings->nomem = true;
		return false;
	}
	bool ok =
		reach_all(&checking, threads, findings) && check_all_fragments(&checking, findings);
	place_vec_free(&checking.places);
	free(checking.reached);
	return ok;
}

static bool folded_less(const struct folded *a, const struct folded *b)
{
	return a->fragment != b->fragment ? a->fragment < b->fragment : a->input < b->input;
}
DEFINE_SORT(sort_folded, struct folded, folded_less)
DEFINE_SEARCH(folded_before, struct folded, uint32_t, item->fragment < key)

bool folded_list(const struct binary *subject, const struct input *input, struct folded_vec *out)
{
	const struct bat_table *bat = &subject->bat;
	struct pair pair = {0};
	struct bc_error unused;
	bool ok = pair_names(&input->image, &input->functions, subject, &pair, &unused);

	for (uint32_t i = 0; ok && i < input->functions.count; i++) {
		const struct function *output = pair.body_of[i] == NO_FUNCTION ?
							NULL :
							&subject->functions.at[pair.body_of[i]];
		const struct bat_fragment *f = output ? bat_find_exact(bat, output->address) : NULL;
		uint32_t fragment = f ? (uint32_t)(f - bat->fragments) : 0;
		if (f && input->of[fragment] != i)
			ok = folded_vec_push(out, (struct folded){fragment, i});
	}
	if (ok && out->len)
		sort_folded(out->at, out->len);
	pair_close(&pair);
	return ok;
}

const struct folded *folded_of(const struct folded_vec *folded, uint32_t fragment, size_t *count)
{
	size_t first = folded_before(folded->at, folded->len, fragment);

	*count = (fragment == UINT32_MAX ? folded->len :
					   folded_before(folded->at, folded->len, fragment + 1)) -
		 first;
	return *count ? &folded->at[first] : NULL;
}
