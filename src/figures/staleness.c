/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/staleness.h"

#include <inttypes.h>

#include "src/base/counts.h"
#include "src/base/say.h"
#include "src/base/sort.h"
#include "src/base/text.h"
#include "src/elf/function_names.h"
#include "src/figures/figure_table.h"

/* What the verdict is drawn by, in percent of all samples: docs/next-build.md, "Does the share show
 * the gain". */
#define STALE_FITS_PERCENT 95.0 /* in exact functions */
#define STALE_MATCHED_PERCENT                                                                      \
	50.0 /* with -infer-stale-profile: it gains half of what a new profile does, or more */
#define STALE_SAME_PERCENT                                                                         \
	5.0 /* in exact functions; fewer: the code was made in another way, and what is matched     \
	       shows nothing */

enum stale_verdict {
	VERDICT_MATCHES,
	VERDICT_INFER,  /* llvm-bolt -infer-stale-profile matches most of the rest */
	VERDICT_RECORD, /* collect a new profile */
};

#define STALE_LOST 10 /* functions that are shown */

/* A function of the new build that has a common name of link-time optimization. */
struct common_function {
	uint32_t common, function;
	uint64_t key; /* its hash, or its number of blocks */
};
DEFINE_VEC(common_function_vec, struct common_function);
DEFINE_VEC(function_number_vec, uint32_t);

/* A block by its number in the profile. */
struct bid_place {
	uint32_t bid, place;
};
DEFINE_VEC(bid_place_vec, struct bid_place);

struct build_comparison {
	const struct old_profile *profile;
	const struct old_function *functions; /* of the document */
	size_t count;
	struct new_build *build;
	struct staleness *out;
	uint32_t *by_name; /* per name of the profile: the function of the new build, or NO_FUNCTION
			    */
	uint32_t *is; /* per function of the document: likewise, the one that its profile is for */
	uint32_t *named; /* per function of the document: what by_name has for it, unless that has a
			    profile before it */
	bool *is_named;  /* per function of the new build: `named` has it */
	bool *claimed;   /* ... and it has a profile */
	struct strings commons;
	struct common_function_vec common; /* of the new build; by common name, key, function */
	/* For one function: */
	struct input_function blocks;
	struct call_of_block_vec calls;
	struct block_match match;
	struct bid_place_vec places;
};

static void comparison_free(struct build_comparison *c)
{
	free(c->by_name);
	free(c->is);
	free(c->named);
	free(c->is_named);
	free(c->claimed);
	strings_free(&c->commons);
	common_function_vec_free(&c->common);
	input_block_vec_free(&c->blocks.blocks);
	call_of_block_vec_free(&c->calls);
	block_match_free(&c->match);
	bid_place_vec_free(&c->places);
}

/* ---- names ---- */

/* What link-time optimization adds to a name changes from build to build: the name up to that,
 * and its mark.  Empty: it put nothing there. */
static struct text common_name(struct text name)
{
	static const char *const marks[] = {".__uniq.", ".lto_priv.", ".constprop.", ".llvm."};

	for (size_t m = 0; m < BC_COUNT(marks); m++) {
		size_t size = strlen(marks[m]);
		for (size_t i = 0; i + size <= name.len; i++)
			if (name.at[i] == '.' && !memcmp(name.at + i, marks[m], size))
				return text_first(name, i + size);
	}
	return text_first(name, 0);
}

static struct text name_of(const struct build_comparison *c, size_t i)
{
	return strings_at(&c->profile->names, c->functions[i].name);
}

/* A name of the new build. */
static bool note_name(void *ctx, uint32_t function, struct text name)
{
	struct build_comparison *c = ctx;
	struct text common = common_name(name);
	uint32_t number;

	if (strings_find(&c->profile->names, name, &number) && c->by_name[number] == NO_FUNCTION)
		c->by_name[number] = function;
	if (!common.len || !strings_find(&c->commons, common, &number))
		return true;
	return common_function_vec_push(&c->common, (struct common_function){number, function, 0});
}

static bool list_commons(struct build_comparison *c)
{
	uint32_t ignored;

	for (size_t i = 0; i < c->count; i++) {
		struct text common = common_name(name_of(c, i));
		if (common.len && !strings_intern(&c->commons, common, &ignored))
			return false;
	}
	return true;
}

/* What a function of the new build must have in common with one of the profile, so that it is the
 * same. */
static uint64_t new_key(const struct build_comparison *c, uint32_t function)
{
	uint64_t hash;
	uint32_t blocks;

	new_build_key(c->build, function, &hash, &blocks);
	return c->out->means == STALE_BY_HASHES       ? hash :
	       c->out->means == STALE_BY_BLOCK_COUNTS ? blocks :
							0;
}

static uint64_t old_key(const struct build_comparison *c, size_t i)
{
	return c->out->means == STALE_BY_HASHES ? c->functions[i].hash :
						  c->functions[i].block_count;
}

static bool common_less(const struct common_function *a, const struct common_function *b)
{
	if (a->common != b->common)
		return a->common < b->common;
	return a->key != b->key ? a->key < b->key : a->function < b->function;
}
DEFINE_SORT(sort_common, struct common_function, common_less)
DEFINE_UNIFY(unify_common, struct common_function, !common_less(last, item), (void)0)
DEFINE_SEARCH(common_below, struct common_function, const struct common_function *,
	      common_less(item, key))

/* With keys; each function once for each common name.  llvm-bolt computes hashes of functions that
 * the profile has by their full names, and no others have any here. */
static void settle_common(struct build_comparison *c)
{
	for (size_t i = 0; i < c->common.len; i++) {
		uint32_t function = c->common.at[i].function;
		c->common.at[i].key = c->out->means != STALE_BY_HASHES || c->is_named[function] ?
					      new_key(c, function) :
					      0;
	}
	sort_common(c->common.at, c->common.len);
	c->common.len = unify_common(c->common.at, c->common.len);
}

static void claim(struct build_comparison *c, size_t i, uint32_t function)
{
	c->is[i] = function;
	c->claimed[function] = true;
}

/* For two functions of the profile that are one function now, the second has none. */
static void name_functions(const struct build_comparison *c)
{
	for (size_t i = 0; i < c->count; i++) {
		uint32_t function = c->by_name[c->functions[i].name];
		c->named[i] =
			function == NO_FUNCTION || c->is_named[function] ? NO_FUNCTION : function;
		if (c->named[i] != NO_FUNCTION)
			c->is_named[function] = true;
	}
}

static bool has_key(const struct build_comparison *c, size_t i, uint32_t function)
{
	uint64_t key = new_key(c, function);

	return key && key == old_key(c, i);
}

/* What is known of one common name. */
struct common_group {
	size_t old, first_old; /* functions of the profile without a function so far: how many, and
				  the first */
	size_t all;            /* of the profile */
	bool found;
};

/* The first function of the new build under a common name, from this key on, if its key is that. */
static uint32_t find_common(const struct build_comparison *c, uint32_t common, uint64_t key)
{
	const struct common_function from = {common, 0, key};
	size_t at = common_below(c->common.at, c->common.len, &from);
	const struct common_function *found = at < c->common.len ? &c->common.at[at] : NULL;

	return found && found->common == common && found->key == key &&
			       !c->claimed[found->function] ?
		       found->function :
		       NO_FUNCTION;
}

static size_t count_common(const struct build_comparison *c, uint32_t common, uint32_t *only)
{
	const struct common_function from = {common, 0, 0}, to = {common + 1, 0, 0};
	size_t first = common_below(c->common.at, c->common.len, &from),
	       end = common_below(c->common.at, c->common.len, &to);

	*only = end - first == 1 ? c->common.at[first].function : NO_FUNCTION;
	return end - first;
}

/* For each common name one function of the profile gets one of the new build: the first pair that
 * is exact; else, where there is one of each, these. */
static bool match_common(struct build_comparison *c)
{
	struct common_group *groups = calloc(c->commons.len + 1, sizeof(*groups));
	uint32_t number, only;

	for (size_t i = 0; groups && i < c->count; i++) {
		struct text common = common_name(name_of(c, i));
		if (!common.len || !strings_find(&c->commons, common, &number))
			continue;
		struct common_group *group = &groups[number];
		group->all++;
		if (c->is[i] != NO_FUNCTION)
			continue;
		if (!group->old++)
			group->first_old = i;
		uint32_t function = group->found || !old_key(c, i) ?
					    NO_FUNCTION :
					    find_common(c, number, old_key(c, i));
		group->found |= function != NO_FUNCTION;
		if (function != NO_FUNCTION)
			claim(c, i, function);
	}
	for (uint32_t g = 1; groups && g < c->commons.len; g++)
		if (!groups[g].found && groups[g].all == 1 && groups[g].old == 1 &&
		    count_common(c, g, &only) == 1 && !c->claimed[only])
			claim(c, groups[g].first_old, only);
	bool ok = groups;
	free(groups);
	return ok;
}

/* As llvm-bolt does it: first by name and hash, then by common names, then by name alone. */
static bool match_functions(struct build_comparison *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->named[i] != NO_FUNCTION && has_key(c, i, c->named[i]))
			claim(c, i, c->named[i]);
	if (!match_common(c))
		return false;
	for (size_t i = 0; i < c->count; i++)
		if (c->is[i] == NO_FUNCTION && c->named[i] != NO_FUNCTION &&
		    !c->claimed[c->named[i]])
			claim(c, i, c->named[i]);
	return true;
}

/* ---- what became of functions ---- */

static void count_function(struct build_comparison *c, size_t i, enum function_fate fate,
			   uint64_t matched)
{
	struct fitting_share *share = &c->out->functions[fate];

	share->count++;
	share->samples = count_add_saturating(share->samples, c->functions[i].samples);
	c->out->samples = count_add_saturating(c->out->samples, c->functions[i].samples);
	c->out->matched = count_add_saturating(c->out->matched, matched);
}

static bool note_lost(struct build_comparison *c, size_t i, enum function_fate fate,
		      uint64_t matched)
{
	const struct lost_function lost = {name_of(c, i), fate, c->functions[i].samples, matched};

	return fate == FUNCTION_EXACT || lost_function_vec_push(&c->out->lost, lost);
}

/* ---- by hashes ---- */

static bool place_less(const struct bid_place *a, const struct bid_place *b)
{
	return a->bid != b->bid ? a->bid < b->bid : a->place < b->place;
}
DEFINE_SORT(sort_bids, struct bid_place, place_less)
DEFINE_SEARCH(bids_below, struct bid_place, uint32_t, item->bid < key)

static bool is_found(const struct build_comparison *c, uint32_t bid)
{
	size_t at = bids_below(c->places.at, c->places.len, bid);

	return at < c->places.len && c->places.at[at].bid == bid &&
	       c->match.fates.at[c->places.at[at].place] != BLOCK_LOST;
}

static bool count_blocks(struct build_comparison *c, const struct old_function *f)
{
	const struct old_block *old = c->profile->blocks.at + f->blocks.first;

	c->places.len = 0;
	for (size_t i = 0; i < f->blocks.count; i++) {
		struct fitting_share *share = &c->out->blocks[c->match.fates.at[i]];
		share->count++;
		share->samples = count_add_saturating(share->samples, old[i].exec);
		if (!bid_place_vec_push(&c->places, (struct bid_place){old[i].bid, (uint32_t)i}))
			return false;
	}
	sort_bids(c->places.at, c->places.len);
	return true;
}

/* The blocks of a stale function; *matched: its samples on jumps whose two blocks are found. */
static bool compare_blocks(struct build_comparison *c, const struct old_function *f,
			   uint32_t function, uint64_t *matched)
{
	const struct yaml_successor *successors = c->profile->successors.at + f->successors.first;

	if (!new_build_blocks(c->build, function, &c->blocks) ||
	    !new_build_calls(c->build, function, &c->blocks, &c->calls) ||
	    !blocks_match(&c->match, c->profile->blocks.at + f->blocks.first, f->blocks.count,
			  &c->blocks, &c->calls) ||
	    !count_blocks(c, f))
		return false;
	for (size_t i = 0; i < f->successors.count; i++)
		if (c->match.fates.at[successors[i].block] != BLOCK_LOST &&
		    is_found(c, (uint32_t)successors[i].bid))
			*matched = count_add_saturating(*matched, successors[i].cnt);
	return true;
}

static enum function_fate fate_of(const struct build_comparison *c, size_t i)
{
	uint32_t function = c->is[i], blocks;
	uint64_t hash;

	if (function == NO_FUNCTION)
		return FUNCTION_MISSING;
	new_build_key(c->build, function, &hash, &blocks);
	if (!blocks)
		return FUNCTION_UNKNOWN;
	bool same = c->out->means != STALE_BY_HASHES || hash == c->functions[i].hash;
	return same && blocks == c->functions[i].block_count ? FUNCTION_EXACT : FUNCTION_STALE;
}

/* The code of stale functions shows what they call. */
static bool read_stale(struct build_comparison *c, struct bc_error *err)
{
	struct function_number_vec stale = {0};
	bool ok = true;

	for (size_t i = 0; ok && i < c->count; i++)
		if (fate_of(c, i) == FUNCTION_STALE)
			ok = function_number_vec_push(&stale, c->is[i]);
	ok = ok ? new_build_read(c->build, stale.at, stale.len, err) : bc_fail_nomem(err);
	function_number_vec_free(&stale);
	return ok;
}

static bool compare_functions(struct build_comparison *c, struct bc_error *err)
{
	bool by_hashes = c->out->means == STALE_BY_HASHES;

	if (by_hashes && !read_stale(c, err))
		return false;
	for (size_t i = 0; i < c->count; i++) {
		enum function_fate fate = fate_of(c, i);
		uint64_t matched = fate == FUNCTION_EXACT ? c->functions[i].samples : 0;
		if (by_hashes && fate == FUNCTION_STALE &&
		    !compare_blocks(c, &c->functions[i], c->is[i], &matched))
			return bc_fail_nomem(err);
		count_function(c, i, fate, matched);
		if (!note_lost(c, i, fate, matched))
			return bc_fail_nomem(err);
	}
	return true;
}

/* ---- by locations: what llvm-bolt asks of a record of fdata ---- */

static bool leads(const struct graph *graph, uint32_t from, uint32_t to)
{
	for (uint32_t i = graph->code.first_next[from]; i < graph->code.first_next[from + 1]; i++)
		if (graph->code.next[i] == to)
			return true;
	return false;
}

static uint32_t successors(const struct graph *graph, uint32_t block)
{
	return graph->code.first_next[block + 1] - graph->code.first_next[block];
}

/* The last instruction of a block, nops left out where there are others. */
static const struct insn *last_insn(const struct graph *graph, uint32_t block)
{
	const struct insn *first = graph->code.insns.at + graph->code.first_insn[block];
	const struct insn *last = graph->code.insns.at + graph->code.first_insn[block + 1] - 1;

	while (last > first && last->nop)
		last--;
	return last;
}

/* The block that a jump to an offset enters: the one that begins there, or has only nops before it;
 * and of an offset after the last instruction's beginning the next one.  graph->count: none */
static uint32_t entered_at(const struct graph *graph, uint64_t offset)
{
	uint32_t block = graph_block_at(graph, offset);
	const struct insn *insn = graph->code.insns.at + graph->code.first_insn[block];
	const struct insn *last = last_insn(graph, block);

	while (insn->nop && insn < last && insn->offset < offset)
		insn++;
	if (insn->offset == offset)
		return block;
	return offset > last->offset ? block + 1 : graph->count;
}

/* Can control go from the one location of a function to the other? */
static bool jump_fits(const struct graph *graph, uint64_t from, uint64_t to, bool bolted)
{
	if (from >= graph->size || to >= graph->size)
		return false;
	uint32_t source = graph_block_at(graph, from), target = entered_at(graph, to);
	const struct insn *insn = graph_insn_at(graph, from), *there = graph_insn_at(graph, to);
	if (from == to || !successors(graph, source))
		return true;
	/* Where two jumps are after each other, older profiles have the second one as a target.
	 */
	if (target == graph->count)
		return there && there->kind == INSN_JUMP &&
		       there == last_insn(graph, graph_block_at(graph, to));
	if (!insn && !bolted)
		return false;
	if (leads(graph, source, target) || (bolted && source == target))
		return true;
	if (insn && (target == 0 || graph->blocks[target].entered) &&
	    (insn_is_call(*insn) || insn->kind == INSN_JUMP_INDIRECT))
		return true;
	/* Through a block that only continues. */
	return graph->blocks[source].to_next && successors(graph, source + 1) == 1 &&
	       leads(graph, source + 1, target);
}

static bool record_fits(const struct graph *graph, const struct flat_record *record, bool bolted)
{
	const struct insn *insn = graph_insn_at(graph, record->from_at);

	switch (record->kind) {
	case FLAT_ENTRY: return true;
	case FLAT_SAMPLE: return insn;
	case FLAT_EDGE: return jump_fits(graph, record->from_at, record->to_at, bolted);
	case FLAT_CALL: break;
	}
	if (record->from == record->to)
		return jump_fits(graph, record->from_at, record->to_at, bolted);
	return bolted || (insn && insn_is_branch(*insn));
}

static enum function_fate fate_by_places(struct build_comparison *c, size_t i)
{
	const struct flat_profile *flat = &c->profile->flat;
	const struct old_function *f = &c->functions[i];
	const struct graph *graph =
		c->is[i] == NO_FUNCTION ? NULL : new_build_graph(c->build, c->is[i]);
	uint64_t lost = 0;

	if (c->is[i] == NO_FUNCTION)
		return FUNCTION_MISSING;
	if (!graph || !graph->code.first_next)
		return FUNCTION_UNKNOWN;
	for (size_t k = 0; k < f->records.count; k++) {
		const struct flat_record *record = &flat->records.at[f->records.first + k];
		bool fits = record_fits(graph, record, flat->bolted);
		c->out->branches += record->kind != FLAT_ENTRY;
		lost += !fits;
	}
	c->out->lost_branches += lost;
	return lost ? FUNCTION_STALE : FUNCTION_EXACT;
}

static bool compare_places(struct build_comparison *c, struct bc_error *err)
{
	for (size_t i = 0; i < c->count; i++) {
		enum function_fate fate = fate_by_places(c, i);
		count_function(c, i, fate, 0);
		if (!note_lost(c, i, fate, 0))
			return bc_fail_nomem(err);
	}
	return true;
}

/* ---- all of it ---- */

static bool make_tables(struct build_comparison *c)
{
	c->by_name = malloc(((size_t)c->profile->names.len + 1) * sizeof(*c->by_name));
	c->is = malloc((c->count + 1) * sizeof(*c->is));
	c->named = malloc((c->count + 1) * sizeof(*c->named));
	c->is_named = calloc(c->build->binary.functions.count + 1, sizeof(*c->is_named));
	c->claimed = calloc(c->build->binary.functions.count + 1, sizeof(*c->claimed));
	for (size_t i = 0; c->by_name && i < c->profile->names.len; i++)
		c->by_name[i] = NO_FUNCTION;
	for (size_t i = 0; c->is && i < c->count; i++)
		c->is[i] = NO_FUNCTION;
	return c->by_name && c->is && c->named && c->is_named && c->claimed && list_commons(c) &&
	       function_names_each(&c->build->binary.functions, note_name, c);
}

/* Without hashes the code of every function that the profile may be of is read. */
static bool read_candidates(struct build_comparison *c, struct bc_error *err)
{
	struct function_number_vec candidates = {0};
	bool ok = true;

	if (c->out->means == STALE_BY_HASHES)
		return true;
	for (size_t i = 0; ok && i < c->count; i++) {
		uint32_t function = c->by_name[c->functions[i].name];
		ok = function == NO_FUNCTION || function_number_vec_push(&candidates, function);
	}
	for (size_t i = 0; ok && i < c->common.len; i++)
		ok = function_number_vec_push(&candidates, c->common.at[i].function);
	ok = ok ? new_build_read(c->build, candidates.at, candidates.len, err) : bc_fail_nomem(err);
	function_number_vec_free(&candidates);
	return ok;
}

static bool lost_less(const struct lost_function *a, const struct lost_function *b)
{
	return a->samples != b->samples ? a->samples > b->samples :
					  text_compare(a->name, b->name) < 0;
}
DEFINE_SORT(sort_lost, struct lost_function, lost_less)

static bool compare(struct build_comparison *c, struct bc_error *err)
{
	if (!make_tables(c))
		return bc_fail_nomem(err);
	if (!read_candidates(c, err))
		return false;
	name_functions(c);
	settle_common(c);
	if (!match_functions(c))
		return bc_fail_nomem(err);
	if (c->out->means == STALE_BY_OFFSETS ? !compare_places(c, err) :
						!compare_functions(c, err))
		return false;
	sort_lost(c->out->lost.at, c->out->lost.len);
	return true;
}

/* The programs of a file that has several, for a message. */
static void list_programs(const struct old_profile *profile, char *list, size_t size)
{
	size_t used = 0;

	*list = 0;
	for (size_t i = 0; i < profile->documents.len && used < size; i++) {
		struct text program =
			text_basename(old_document_program(&profile->documents.at[i]));
		int printed = snprintf(list + used, size - used, "%s%.*s", i ? ", " : "",
				       (int)(program.len < 60 ? program.len : 60), program.at);
		used += printed > 0 ? (size_t)printed : 0;
	}
}

static bool choose_means(const struct old_profile *profile, const struct new_build *build,
			 struct staleness *out, struct bc_error *err)
{
	out->document = old_profile_of(profile, &build->binary.image.build_id, build->path);
	if (!out->document) {
		char programs[256];
		list_programs(profile, programs, sizeof(programs));
		return bc_fail(err, BC_NOTFOUND,
			       "%s: has profiles of several programs (%s), by build-id and name none of %s",
			       profile->path, programs, build->path) ||
		       bc_hint(err, "'batconv merge --expect=BIN' writes that of one");
	}
	if (profile->by_offset && !build->code)
		return bc_fail(err, BC_UNSUPPORTED,
			       "%s: llvm-bolt wrote this file, and fdata has offsets of the code that llvm-bolt reads",
			       build->path) ||
		       bc_hint(err, "give the build that llvm-bolt is to read");
	out->means = profile->by_offset                     ? STALE_BY_OFFSETS :
		     out->document->hashed && build->hashed ? STALE_BY_HASHES :
							      STALE_BY_BLOCK_COUNTS;
	out->has_blocks = out->means == STALE_BY_HASHES;
	out->has_branches = out->means == STALE_BY_OFFSETS;
	out->has_calls = out->has_blocks && build->calls;
	return true;
}

bool staleness_take(const struct old_profile *profile, struct new_build *build,
		    struct staleness *out, struct bc_error *err)
{
	*out = (struct staleness){.path = build->path};
	if (!choose_means(profile, build, out, err))
		return false;
	struct build_comparison c = {.profile = profile,
				     .functions =
					     profile->functions.at + out->document->functions.first,
				     .count = out->document->functions.count,
				     .build = build,
				     .out = out};
	bool ok = compare(&c, err);
	comparison_free(&c);
	if (!ok)
		staleness_free(out);
	return ok;
}

void staleness_free(struct staleness *staleness)
{
	lost_function_vec_free(&staleness->lost);
}

/* ---- what it comes to ---- */

/* Samples in exact functions, in percent of all; of a profile without samples functions. */
static double staleness_exact_percent(const struct staleness *s)
{
	uint64_t functions = 0;

	for (int i = 0; i < FUNCTION_FATES; i++)
		functions += s->functions[i].count;
	return s->samples ? percent_of(s->functions[FUNCTION_EXACT].samples, s->samples) :
			    percent_of(s->functions[FUNCTION_EXACT].count, functions);
}

static double staleness_matched_percent(const struct staleness *s)
{
	return percent_of(s->matched, s->samples);
}

static enum stale_verdict staleness_verdict(const struct staleness *s)
{
	double exact = staleness_exact_percent(s);

	if (exact >= STALE_FITS_PERCENT)
		return VERDICT_MATCHES;
	return s->has_blocks && exact >= STALE_SAME_PERCENT &&
			       staleness_matched_percent(s) >= STALE_MATCHED_PERCENT ?
		       VERDICT_INFER :
		       VERDICT_RECORD;
}

/* ---- text ---- */

static const char *const fate_keys[FUNCTION_FATES] = {[FUNCTION_EXACT] = "exact",
						      [FUNCTION_STALE] = "stale",
						      [FUNCTION_MISSING] = "missing",
						      [FUNCTION_UNKNOWN] = "unknown"};
static const char *const block_keys[BLOCK_FATES] = {[BLOCK_EXACT] = "exact",
						    [BLOCK_CALL] = "call",
						    [BLOCK_LOOSE] = "loose",
						    [BLOCK_LOST] = "none"};
static const char *const means_keys[] = {[STALE_BY_HASHES] = "hashes",
					 [STALE_BY_BLOCK_COUNTS] = "block-counts",
					 [STALE_BY_OFFSETS] = "offsets"};
static const char *const verdict_keys[] = {
	[VERDICT_MATCHES] = "matches", [VERDICT_INFER] = "infer", [VERDICT_RECORD] = "record"};

static uint64_t all_functions(const struct staleness *s)
{
	uint64_t all = 0;

	for (int i = 0; i < FUNCTION_FATES; i++)
		all += s->functions[i].count;
	return all;
}

static struct fitting_share all_blocks(const struct staleness *s)
{
	struct fitting_share all = {0};

	for (int i = 0; i < BLOCK_FATES; i++) {
		all.count += s->blocks[i].count;
		all.samples += s->blocks[i].samples;
	}
	return all;
}

/* What the figures rest on, and what they cannot show. */
static const char *means_words(const struct staleness *s)
{
	if (s->means == STALE_BY_OFFSETS)
		return "fdata has no hashes: 'exact' means that the new code has all branches that the profile has of a function";
	if (s->means == STALE_BY_HASHES)
		return "by llvm-bolt's hashes";
	if (s->document->hashed)
		return "the build has no hashes (extract --hashes makes some, for --hashes): a function is exact if it has as many blocks, "
		       "which a changed one can have, too";
	return "the profile has no hashes: a function is exact if it has as many blocks, which a changed one can have, too";
}

static void print_functions(const struct staleness *s, FILE *out)
{
	uint64_t all = all_functions(s);

	fprintf(out, "%-9s %10s %8s %20s %8s\n", "", "functions", "", "samples", "");
	for (int i = 0; i < FUNCTION_FATES; i++) {
		const struct fitting_share *share = &s->functions[i];
		if (i != FUNCTION_UNKNOWN || share->count)
			fprintf(out, "%-9s %10" PRIu64 " %6.1f %% %20" PRIu64 " %6.1f %%\n",
				fate_keys[i], share->count, percent_of(share->count, all),
				share->samples, percent_of(share->samples, s->samples));
	}
}

static void print_blocks(const struct staleness *s, FILE *out)
{
	struct fitting_share all = all_blocks(s);

	if (!s->has_blocks)
		return;
	fprintf(out,
		"%" PRIu64 " block%s of stale functions, at which these were entered %" PRIu64
		" time%s; llvm-bolt -infer-stale-profile finds again:\n",
		all.count, plural(all.count), all.samples, plural(all.samples));
	for (int i = 0; i < BLOCK_FATES; i++) {
		const struct fitting_share *share = &s->blocks[i];
		if (i == BLOCK_CALL && !s->has_calls)
			fprintf(out,
				"%-9s %10s          a BAT section alone does not show what blocks call; some of the others are found by that\n",
				block_keys[i], "not known");
		else
			fprintf(out, "%-9s %10" PRIu64 " %6.1f %% %20" PRIu64 " %6.1f %%\n",
				block_keys[i], share->count, percent_of(share->count, all.count),
				share->samples, percent_of(share->samples, all.samples));
	}
}

static void print_lost(const struct staleness *s, FILE *out)
{
	if (s->lost.len)
		fprintf(out, "most samples that are not exact:\n");
	for (size_t i = 0; i < s->lost.len && i < STALE_LOST; i++) {
		const struct lost_function *lost = &s->lost.at[i];
		fprintf(out, "  %6.1f %% %20" PRIu64 "  %-7s ",
			percent_of(lost->samples, s->samples), lost->samples,
			fate_keys[lost->fate]);
		if (s->has_blocks && lost->fate == FUNCTION_STALE)
			fprintf(out, "%5.1f %% can be matched  ",
				percent_of(lost->matched, lost->samples));
		print_name(lost->name, out);
		putc('\n', out);
	}
}

static void print_verdict(const struct staleness *s, FILE *out)
{
	double exact = staleness_exact_percent(s), matched = staleness_matched_percent(s);

	switch (staleness_verdict(s)) {
	case VERDICT_MATCHES:
		fprintf(out,
			"next      the profile fits: %.1f %% of its samples are in exact functions\n",
			exact);
		break;
	case VERDICT_INFER:
		fprintf(out,
			"next      llvm-bolt -infer-stale-profile matches at most %.1f %% of the samples, without it %.1f %%\n",
			matched, exact);
		break;
	case VERDICT_RECORD:
		if (s->functions[FUNCTION_MISSING].count > all_functions(s) / 10 * 9)
			fprintf(out,
				"next      most of the profile's functions are not in the build: give a build of the program that was profiled\n");
		else if (s->has_blocks && matched >= STALE_MATCHED_PERCENT)
			fprintf(out,
				"next      collect a new profile: only %.1f %% of the samples are in exact functions, as where the compiler had other options or "
				"another profile; that llvm-bolt -infer-stale-profile can match %.1f %% of them gains little then\n",
				exact, matched);
		else if (s->has_blocks)
			fprintf(out,
				"next      collect a new profile: even llvm-bolt -infer-stale-profile can match only %.1f %% of the samples\n",
				matched);
		else
			fprintf(out,
				"next      collect a new profile: only %.1f %% of the samples are in exact functions\n",
				exact);
		break;
	}
}

static void print_build(const struct stale_report *report, const struct staleness *s, FILE *out)
{
	print_name(text_of(report->profile), out);
	fputs(" on ", out);
	print_name(text_of(s->path), out);
	fprintf(out, ": %s\n", means_words(s));
	print_functions(s, out);
	if (s->has_branches)
		fprintf(out,
			"%" PRIu64 " of %" PRIu64 " branches (%.1f %%) are not in the new code\n",
			s->lost_branches, s->branches, percent_of(s->lost_branches, s->branches));
	print_blocks(s, out);
	print_lost(s, out);
	print_verdict(s, out);
}

void stale_text(const struct stale_report *report, FILE *out)
{
	for (size_t i = 0; i < report->count; i++) {
		if (i)
			putc('\n', out);
		print_build(report, &report->builds[i], out);
	}
}

/* ---- JSON ---- */

static const struct figure_row share_rows[] = {FIGURES(struct fitting_share, , count, samples),
					       {0}};

static void write_blocks(struct json *json, const struct figure_row *row, const void *of)
{
	const struct staleness *s = of;
	struct fitting_share all = all_blocks(s);

	if (!s->has_blocks) {
		json_null(json, row->key);
		return;
	}
	json_open(json, row->key, '{');
	figures_json_object(share_rows, &all, json, "all");
	for (int i = 0; i < BLOCK_FATES; i++) {
		if (i == BLOCK_CALL && !s->has_calls)
			json_null(json, block_keys[i]);
		else
			figures_json_object(share_rows, &s->blocks[i], json, block_keys[i]);
	}
	json_close(json, '}');
}

static void write_lost(struct json *json, const struct figure_row *row, const void *of)
{
	const struct staleness *s = of;

	json_open(json, row->key, '[');
	for (size_t i = 0; i < s->lost.len && i < STALE_LOST; i++) {
		const struct lost_function *lost = &s->lost.at[i];
		json_open(json, NULL, '{');
		json_text(json, "function", lost->name);
		json_string(json, "status", fate_keys[lost->fate]);
		json_number(json, "samples", lost->samples);
		json_real(json, "percent", percent_of(lost->samples, s->samples));
		if (s->has_blocks)
			json_number(json, "matched", lost->matched);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static struct figure_value program_of(const void *at)
{
	struct text program = old_document_program(((const struct staleness *)at)->document);

	return figure_of_some(&program);
}

FIGURE_READER(means_of, struct staleness, figure_string(means_keys[it->means]))
FIGURE_READER(exact_percent, struct staleness, figure_real(staleness_exact_percent(it)))
FIGURE_READER(matched_percent, struct staleness,
	      it->has_blocks ? figure_real(staleness_matched_percent(it)) : figure_null())
FIGURE_READER(verdict_of, struct staleness, figure_string(verdict_keys[staleness_verdict(it)]))

#define SHARE(key, fate)                                                                           \
	{key, .at = offsetof(struct staleness, functions[fate]), .rows = share_rows}
static const struct figure_row build_rows[] = {
	{"binary", NULL, VALUE(struct staleness, path)},
	{"program", .read = program_of},
	{"matched_by", .read = means_of},
	FIGURE(struct staleness, , samples),
	{"functions", BEGIN},
	SHARE("exact", FUNCTION_EXACT),
	SHARE("stale", FUNCTION_STALE),
	SHARE("missing", FUNCTION_MISSING),
	SHARE("unknown", FUNCTION_UNKNOWN),
	{END},
	{"blocks", .write = write_blocks},
	{"branches", BEGIN, IF(struct staleness, has_branches)},
	{"all", NULL, VALUE(struct staleness, branches)},
	{"lost", NULL, VALUE(struct staleness, lost_branches)},
	{END},
	{"exact_percent", .read = exact_percent},
	{"matched_percent", .read = matched_percent},
	{"lost", .write = write_lost},
	{"verdict", .read = verdict_of},
	{0},
};

static void write_builds(struct json *json, const struct figure_row *row, const void *of)
{
	const struct stale_report *report = of;

	json_open(json, row->key, '[');
	for (size_t i = 0; i < report->count; i++)
		figures_json_object(build_rows, &report->builds[i], json, NULL);
	json_close(json, ']');
}

static const struct figure_row report_rows[] = {
	FORMAT_ROWS("batconv-stale"),
	FIGURE(struct stale_report, , profile),
	{"binaries", .write = write_builds},
	{"min_exact", NULL, VALUE(struct stale_report, min), IF(struct stale_report, has_min)},
	FIGURE(struct stale_report, , failed),
	{0},
};

void stale_json(const struct stale_report *report, FILE *out)
{
	figures_json_document(report_rows, report, out);
}

/* ---- the least share ---- */

static bool is_below_limit(const struct stale_report *report, const struct staleness *s)
{
	return report->has_min && staleness_exact_percent(s) < report->min;
}

void stale_judge(struct stale_report *report)
{
	for (size_t i = 0; i < report->count; i++)
		report->failed |= is_below_limit(report, &report->builds[i]);
}

void stale_tell_min(const struct stale_report *report, FILE *out)
{
	for (size_t i = 0; i < report->count; i++)
		if (is_below_limit(report, &report->builds[i]))
			say_error(
				out,
				"%s: %.*f %% of the samples are in exact functions, and --min-exact=%g was asked for",
				report->builds[i].path,
				figure_digits(staleness_exact_percent(&report->builds[i]),
					      report->min),
				staleness_exact_percent(&report->builds[i]), report->min);
}
