/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/carry/carry.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "src/base/counts.h"
#include "src/base/parallel.h"
#include "src/base/sort.h"
#include "src/carry/block_counts.h"
#include "src/carry/line_map.h"
#include "src/carry/insn_match.h"
#include "src/carry/partners.h"
#include "src/carry/renamed.h"
#include "src/elf/function_names.h"
#include "src/flow/infer.h"

enum { OLD, NEW };

/* A function under another name is at most so many times as large or small. */
#define RENAMED_FACTOR 4
/* Bytes of the new code that are looked at for functions under another name: so many for each byte
 * that is lost, and no more than these. */
#define RENAMED_BYTES_EACH   16
#define RENAMED_BYTES_ALWAYS ((uint64_t)1 << 18)
#define RENAMED_BYTES_MOST   ((uint64_t)1 << 23)

/* The code of a function in one of the builds. */
struct pair_side {
	const struct function *function;
	const struct graph *graph;
	struct token *tokens;
	uint32_t *first; /* by instruction: its lines, as insn_match.h has them; NULL: none */
	struct source_line_vec lines;
};

/* A function that ran, in both builds. */
struct carried_pair {
	const struct block_counts *counts;
	struct pair_side sides[2];
	struct match match;
	bool same;
};
DEFINE_VEC(pair_vec, struct carried_pair);

struct job {
	const struct carry_job *how;
	struct carry_build *builds[2];
	struct old_counts counts;
	uint32_t *partners;
	struct pair_vec pairs; /* those with most runs first */
	uint64_t seed;
	struct llvm_context llvm[PARALLEL_MOST];
	struct strings sources; /* names of functions of the source; the same in both builds */
	struct source_row_vec rows[2];
	struct line_pair_vec line_map;
	struct observed_vec observed;
	struct observed_call_vec calls;
	struct carried_counts *figures;
	atomic_bool no_memory;
};

static uint32_t insn_count(const struct pair_side *side)
{
	return (uint32_t)side->graph->code.insns.len;
}

/* All that ran is in one of the shares. */
static void add_share(struct job *job, struct carried_share *share, uint64_t runs)
{
	share->functions += runs != 0;
	share->runs = count_add_saturating(share->runs, runs);
	job->figures->runs = count_add_saturating(job->figures->runs, runs);
}

static double fits_percent(uint64_t fits, uint64_t misfits)
{
	return misfits ? percent_of(fits, count_add_saturating(fits, misfits)) : 100;
}

/* ---- the functions of both ---- */

static bool build_graphs(struct job *job, const uint32_t *chosen, size_t count,
			 struct bc_error *err)
{
	struct carry_build *build = job->builds[NEW];
	const struct binary *binary = &build->binary;

	return cfg_build_code(&binary->image, &binary->functions, chosen, count, job->how->threads,
			      &build->graphs, err) ||
	       bc_fail_prefix(err, build->path);
}

static bool build_new_graphs(struct job *job, struct bc_error *err)
{
	const struct block_counts_vec *functions = &job->counts.functions;
	uint32_t *chosen = malloc((functions->len + 1) * sizeof(*chosen));
	size_t count = 0;

	for (size_t i = 0; chosen && i < functions->len; i++) {
		uint32_t partner = job->partners[functions->at[i].function -
						 job->builds[OLD]->binary.functions.at];
		if (functions->at[i].runs && partner != NO_FUNCTION)
			chosen[count++] = partner;
	}
	bool ok = chosen ? build_graphs(job, chosen, count, err) : bc_fail_nomem(err);
	free(chosen);
	return ok;
}

/* ---- functions under another name ---- */

/* Functions of one build whose content is looked at. */
struct contents {
	uint32_t *functions;
	struct token_span *spans; /* tokens are owned */
	uint32_t count;
	uint64_t bytes; /* of their code */
};

static bool contents_make(struct contents *out, size_t most)
{
	*out = (struct contents){.functions = malloc((most + 1) * sizeof(*out->functions)),
				 .spans = calloc(most + 1, sizeof(*out->spans))};
	return out->functions && out->spans;
}

static void contents_free(struct contents *contents)
{
	for (uint32_t i = 0; contents->spans && i < contents->count; i++)
		free((void *)contents->spans[i].at);
	free(contents->functions);
	free(contents->spans);
}

static void contents_add(struct contents *contents, const struct carry_build *build,
			 const struct function *function)
{
	contents->functions[contents->count++] = (uint32_t)(function - build->binary.functions.at);
	contents->bytes += function->size;
}

/* Functions that ran and have no partner. */
static void add_lost(const struct job *job, struct contents *out)
{
	const struct carry_build *build = job->builds[OLD];

	for (size_t i = 0; i < job->counts.functions.len; i++) {
		const struct block_counts *f = &job->counts.functions.at[i];
		if (f->runs && f->graph &&
		    job->partners[f->function - build->binary.functions.at] == NO_FUNCTION)
			contents_add(out, build, f->function);
	}
}

/* Functions of the new build that are no partner, if they are about as large as one that is lost.
 * False: out of memory. */
static bool add_unpaired(const struct job *job, const struct contents *lost, struct contents *out)
{
	const struct function_table *old_table = &job->builds[OLD]->binary.functions,
				    *table = &job->builds[NEW]->binary.functions;
	bool *taken = calloc(table->count + 1, sizeof(*taken));
	bool ok = taken != NULL;
	uint64_t least = UINT64_MAX, most = 0;

	for (uint32_t i = 0; i < lost->count; i++) {
		uint64_t size = old_table->at[lost->functions[i]].size;
		least = size < least ? size : least;
		most = size > most ? size : most;
	}
	for (size_t i = 0; ok && i < old_table->count; i++)
		if (job->partners[i] != NO_FUNCTION)
			taken[job->partners[i]] = true;
	for (size_t i = 0; ok && i < table->count; i++)
		if (!taken[i] && table->at[i].kind == FUNCTION_CODE &&
		    table->at[i].size >= least / RENAMED_FACTOR &&
		    table->at[i].size / RENAMED_FACTOR <= most)
			contents_add(out, job->builds[NEW], &table->at[i]);
	free(taken);
	return ok;
}

static bool read_contents(struct job *job, int which, struct contents *contents)
{
	for (uint32_t i = 0; i < contents->count; i++) {
		const struct carry_build *build = job->builds[which];
		const struct function *function =
			&build->binary.functions.at[contents->functions[i]];
		const struct graph *graph = carry_build_graph(build, function);
		if (!graph)
			continue;
		const struct insn_vec *insns = &graph->code.insns;
		struct token *tokens = malloc((insns->len + 1) * sizeof(*tokens));
		if (!tokens)
			return false;
		tokens_read(build, function, insns, &job->llvm[0], job->seed, tokens);
		contents->spans[i] = (struct token_span){tokens, (uint32_t)insns->len};
	}
	return true;
}

static bool match_contents(struct job *job, struct contents sides[2], struct bc_error *err)
{
	uint32_t *partner = malloc(((size_t)sides[OLD].count + 1) * sizeof(*partner));

	if (!build_graphs(job, sides[NEW].functions, sides[NEW].count, err)) {
		free(partner);
		return false;
	}
	bool ok = partner && read_contents(job, OLD, &sides[OLD]) &&
		  read_contents(job, NEW, &sides[NEW]) &&
		  renamed_find(sides[OLD].spans, sides[OLD].count, sides[NEW].spans,
			       sides[NEW].count, partner);
	for (uint32_t i = 0; ok && i < sides[OLD].count; i++) {
		if (partner[i] == RENAMED_NONE)
			continue;
		job->partners[sides[OLD].functions[i]] = sides[NEW].functions[partner[i]];
		job->figures->renamed++;
	}
	free(partner);
	return ok || bc_fail_nomem(err);
}

static bool is_little_enough(const struct contents sides[2])
{
	return sides[OLD].bytes <= RENAMED_BYTES_MOST && sides[NEW].bytes <= RENAMED_BYTES_MOST &&
	       sides[NEW].bytes <= RENAMED_BYTES_ALWAYS + RENAMED_BYTES_EACH * sides[OLD].bytes;
}

/* Finds partners by content.  Too much new code has none: it is of another program, or names were
 * changed as a whole. */
static bool find_renamed(struct job *job, struct bc_error *err)
{
	struct contents sides[2] = {{0}};
	bool ok = contents_make(&sides[OLD], job->counts.functions.len) &&
		  contents_make(&sides[NEW], job->builds[NEW]->binary.functions.count);

	if (ok)
		add_lost(job, &sides[OLD]);
	ok = ok && add_unpaired(job, &sides[OLD], &sides[NEW]);
	if (!ok)
		bc_fail_nomem(err);
	else if (sides[OLD].count && sides[NEW].count && is_little_enough(sides))
		ok = match_contents(job, sides, err);
	contents_free(&sides[OLD]);
	contents_free(&sides[NEW]);
	return ok;
}

static bool add_pair(struct job *job, const struct block_counts *counts)
{
	uint32_t partner = job->partners[counts->function - job->builds[OLD]->binary.functions.at];
	struct carried_pair pair = {
		.counts = counts,
		.sides[OLD] = {.function = counts->function, .graph = counts->graph}};

	job->figures->functions++;
	if (partner == NO_FUNCTION) {
		add_share(job, &job->figures->gone, counts->runs);
		return true;
	}
	pair.sides[NEW].function = &job->builds[NEW]->binary.functions.at[partner];
	pair.sides[NEW].graph = carry_build_graph(job->builds[NEW], pair.sides[NEW].function);
	if (!pair.sides[NEW].graph) {
		add_share(job, &job->figures->no_graph, counts->runs);
		return true;
	}
	return pair_vec_push(&job->pairs, pair);
}

static bool make_pairs(struct job *job, struct bc_error *err)
{
	job->partners = partners_find(job->builds[OLD], job->builds[NEW]);
	if (!job->partners)
		return bc_fail_nomem(err);
	if (!build_new_graphs(job, err) || !find_renamed(job, err))
		return false;
	for (size_t i = 0; i < job->counts.functions.len; i++)
		if (job->counts.functions.at[i].runs &&
		    !add_pair(job, &job->counts.functions.at[i]))
			return bc_fail_nomem(err);
	return true;
}

/* ---- what the instructions are ---- */

static void read_tokens(void *ctx, size_t index, unsigned worker)
{
	struct job *job = ctx;
	struct carried_pair *pair = &job->pairs.at[index];

	for (int i = OLD; i <= NEW; i++) {
		struct pair_side *side = &pair->sides[i];
		side->tokens = malloc(((size_t)insn_count(side) + 1) * sizeof(*side->tokens));
		if (!side->tokens) {
			atomic_store(&job->no_memory, true);
			return;
		}
		tokens_read(job->builds[i], side->function, &side->graph->code.insns,
			    &job->llvm[worker], job->seed, side->tokens);
	}
}

static struct match_side side_of(const struct pair_side *side)
{
	return (struct match_side){side->tokens, insn_count(side), side->first, side->lines.at};
}

static bool read_all_tokens(struct job *job, struct bc_error *err)
{
	parallel_for(job->how->threads, job->pairs.len, read_tokens, job);
	if (atomic_load(&job->no_memory))
		return bc_fail_nomem(err);
	for (size_t i = 0; i < job->pairs.len; i++) {
		struct match_side a = side_of(&job->pairs.at[i].sides[OLD]),
				  b = side_of(&job->pairs.at[i].sides[NEW]);
		job->pairs.at[i].same = match_is_same(&a, &b);
	}
	return true;
}

/* ---- lines ---- */

/* Adds the lines of an instruction. */
static bool add_lines(struct job *job, struct pair_side *side, const struct source_places *places,
		      struct source_row_vec *rows, const struct token *token)
{
	for (size_t i = 0; i < places->count; i++) {
		const struct source_place *place = &places->at[i];
		struct text name = text_of(place->function ? place->function : "");
		struct source_row row = {.line = place->line, .token = token->exact};
		char room[NAME_STEM_ROOM];
		if (!strings_intern(&job->sources, function_name_stem(name, room), &row.function) ||
		    !source_line_vec_push(&side->lines,
					  (struct source_line){row.function, row.line}))
			return false;
		if (!row.line)
			continue;
		if (!source_row_vec_push(rows, row))
			return false;
		row.token = token->shape;
		if (!source_row_vec_push(rows, row))
			return false;
	}
	return true;
}

static bool read_lines(struct job *job, int which, struct pair_side *side, struct bc_error *err)
{
	const struct insn_vec *insns = &side->graph->code.insns;

	side->first = malloc((insns->len + 1) * sizeof(*side->first));
	if (!side->first)
		return bc_fail_nomem(err);
	if (!debug_lines_read(job->builds[which]->lines, (struct vaddr){side->function->address},
			      side->function->size, err))
		return false;
	for (size_t i = 0; i < insns->len; i++) {
		struct source_places places;
		struct vaddr at = {side->function->address + insns->at[i].offset};
		side->first[i] = (uint32_t)side->lines.len;
		if (!debug_lines_find(job->builds[which]->lines, at, &places, err))
			return false;
		if (!add_lines(job, side, &places, &job->rows[which], &side->tokens[i]))
			return bc_fail_nomem(err);
	}
	side->first[insns->len] = (uint32_t)side->lines.len;
	return true;
}

/* Gives the lines of the old build the numbers of the new one, and both the outermost function of
 * their code. */
static void translate_lines(const struct job *job, struct pair_side *side, int which)
{
	for (uint32_t i = 0; i < insn_count(side); i++)
		for (uint32_t k = side->first[i]; k < side->first[i + 1]; k++) {
			struct source_line *line = &side->lines.at[k];
			if (which == OLD)
				line->line =
					line_map_find(&job->line_map, line->function, line->line);
			if (k + 1 == side->first[i + 1])
				line->function = 0;
		}
}

static bool read_all_lines(struct job *job, struct bc_error *err)
{
	job->figures->has_lines =
		!job->how->without_lines && job->builds[OLD]->lines && job->builds[NEW]->lines;
	for (size_t i = 0; job->figures->has_lines && i < job->pairs.len; i++) {
		struct carried_pair *pair = &job->pairs.at[i];
		if (!pair->same && (!read_lines(job, OLD, &pair->sides[OLD], err) ||
				    !read_lines(job, NEW, &pair->sides[NEW], err)))
			return false;
	}
	if (!line_map_make(&job->rows[OLD], &job->rows[NEW], &job->line_map))
		return bc_fail_nomem(err);
	for (size_t i = 0; i < job->pairs.len; i++)
		for (int which = OLD; which <= NEW; which++)
			if (job->pairs.at[i].sides[which].first)
				translate_lines(job, &job->pairs.at[i].sides[which], which);
	return true;
}

/* ---- instructions ---- */

static void match_pair(void *ctx, size_t index, unsigned worker)
{
	struct job *job = ctx;
	struct carried_pair *pair = &job->pairs.at[index];
	const struct match_side a = side_of(&pair->sides[OLD]), b = side_of(&pair->sides[NEW]);

	(void)worker;
	pair->match = (struct match){malloc(((size_t)a.count + 1) * sizeof(uint32_t)),
				     malloc(((size_t)b.count + 1) * sizeof(uint32_t)),
				     malloc((size_t)a.count + 1)};
	if (!pair->match.to || !pair->match.from || !pair->match.ways ||
	    !match_instructions(&a, &b, &pair->match))
		atomic_store(&job->no_memory, true);
}

/* ---- what was observed ---- */

static uint64_t count_of(const struct carried_pair *pair, uint32_t insn)
{
	uint32_t offset = pair->sides[OLD].graph->code.insns.at[insn].offset;

	return pair->counts->blocks[graph_block_at(pair->sides[OLD].graph, offset)];
}

static bool observe(struct job *job, const struct carried_pair *pair, uint32_t insn, uint64_t count)
{
	const struct pair_side *side = &pair->sides[NEW];

	return observed_vec_push(
		&job->observed,
		(struct observed){side->function, side->graph->code.insns.at[insn].offset, count});
}

static bool observe_entry(struct job *job, const struct carried_pair *pair)
{
	uint32_t end = pair->sides[NEW].graph->code.first_insn[1];
	bool ok = true;

	add_share(job, &job->figures->entries, pair->counts->runs);
	for (uint32_t i = 0; ok && i < end; i++)
		ok = observe(job, pair, i, pair->counts->blocks[0]);
	return ok;
}

static bool observe_pair(struct job *job, const struct carried_pair *pair)
{
	struct carried_counts *figures = job->figures;
	struct carried_share *const shares[] = {
		[MATCH_NONE] = &figures->unmatched, [MATCH_SAME] = &figures->same,
		[MATCH_LINES] = &figures->lines,    [MATCH_ALIGNED] = &figures->aligned,
		[MATCH_MOVED] = &figures->moved,
	};
	uint64_t runs[BC_COUNT(shares)] = {0}, all = 0;
	bool ok = true;

	for (uint32_t i = 0; i < insn_count(&pair->sides[OLD]); i++) {
		uint64_t *sum = &runs[pair->match.ways[i]], count = count_of(pair, i);
		*sum = count_add_saturating(*sum, count);
		all = count_add_saturating(all, count);
	}
	if (percent_of(all - runs[MATCH_NONE], all) < CARRY_FUNCTION_LEAST)
		return observe_entry(job, pair);
	for (size_t i = 0; i < BC_COUNT(shares); i++)
		add_share(job, shares[i], runs[i]);
	for (uint32_t i = 0; ok && i < insn_count(&pair->sides[NEW]); i++)
		if (pair->match.from[i] != ALIGN_NONE)
			ok = observe(job, pair, i, count_of(pair, pair->match.from[i]));
	return ok;
}

/* ---- calls whose callees only a profile knows ---- */

/* Adds a call of the old build where both its instruction and its callee were found. */
static bool observe_call(struct job *job, const struct carried_pair *pair,
			 const struct observed_call *call)
{
	const struct function_table *functions = &job->builds[NEW]->binary.functions;
	const struct function *of_old = job->builds[OLD]->binary.functions.at;
	const struct pair_side *side = &pair->sides[NEW];
	uint32_t insn = insns_at(&pair->sides[OLD].graph->code.insns, call->offset),
		 callee = job->partners[call->callee - of_old];

	if (insn == NO_INSN || pair->match.to[insn] == ALIGN_NONE || callee == NO_FUNCTION)
		return true;
	return observed_call_vec_push(
		&job->calls,
		(struct observed_call){side->function,
				       side->graph->code.insns.at[pair->match.to[insn]].offset,
				       &functions->at[callee], call->count});
}

static bool observe_calls(struct job *job)
{
	const struct observed_call_vec *calls = &job->counts.calls;
	bool ok = true;

	for (size_t i = 0; i < job->pairs.len; i++) {
		const struct function *function = job->pairs.at[i].sides[OLD].function;
		for (size_t k = observed_calls_of(calls->at, calls->len, function);
		     ok && k < calls->len && calls->at[k].function == function; k++)
			ok = observe_call(job, &job->pairs.at[i], &calls->at[k]);
	}
	observed_calls_sort(&job->calls);
	return ok;
}

static bool observed_less(const struct observed *a, const struct observed *b)
{
	return a->function != b->function ? a->function < b->function : a->offset < b->offset;
}
DEFINE_SORT(sort_observed, struct observed, observed_less)

/* ---- all ---- */

static bool open_llvm(struct job *job, struct bc_error *err)
{
	for (unsigned i = 0; i < job->how->threads; i++)
		if (!llvm_open_text(job->builds[OLD]->binary.image.machine, &job->llvm[i]))
			return bc_fail(err, BC_UNSUPPORTED,
				       "there is no libLLVM that prints instructions of this "
				       "machine");
	return true;
}

static bool check(struct job *job, struct bc_error *err)
{
	if (job->builds[OLD]->binary.image.machine != job->builds[NEW]->binary.image.machine)
		return bc_fail(err, BC_MISMATCH, "%s is of %s, and %s of %s",
			       job->builds[OLD]->path,
			       machine_name(job->builds[OLD]->binary.image.machine),
			       job->builds[NEW]->path,
			       machine_name(job->builds[NEW]->binary.image.machine));
	return true;
}

/* Functions are found by name: where one of the builds has no names, that is the cause. */
static const struct carry_build *stripped_build(const struct job *job)
{
	for (int i = OLD; i <= NEW; i++)
		if (job->builds[i]->binary.functions.stripped)
			return job->builds[i];
	return NULL;
}

static bool hint_stripped(const struct carry_build *stripped, struct bc_error *err)
{
	return bc_hint(err, "%s is stripped: give the file from before, with its symbols",
		       stripped->path);
}

/* Is the profile of the new build? */
static bool is_of_new(struct job *job)
{
	struct old_counts counts;
	struct bc_error ignored;
	bool fits = old_counts_take(job->how->profile, job->builds[NEW], job->how->threads, &counts,
				    &ignored) &&
		    fits_percent(counts.fits, counts.misfits) >= CARRY_FITS_LEAST;

	old_counts_free(&counts);
	return fits;
}

static bool check_counts(struct job *job, struct bc_error *err)
{
	double fits = carried_fits_percent(job->figures);

	if (fits >= CARRY_FITS_LEAST)
		return true;
	bc_fail(err, BC_MISMATCH,
		"the profile is of another build than %s: only %.1f %% of its counts are of "
		"branches that this can take",
		job->builds[OLD]->path, fits);
	if (stripped_build(job))
		return hint_stripped(stripped_build(job), err);
	return is_of_new(job) ? bc_hint(err, "it is of %s: give the build that ran first",
					job->builds[NEW]->path) :
				false;
}

static bool take_counts(struct job *job, struct bc_error *err)
{
	bool ok = old_counts_take(job->how->profile, job->builds[OLD], job->how->threads,
				  &job->counts, err);

	job->figures->fits = job->counts.fits;
	job->figures->misfits = job->counts.misfits;
	if (!ok || !check_counts(job, err))
		return false;
	return (job->counts.functions.len && job->counts.functions.at[0].runs) ||
	       bc_fail(err, BC_MISMATCH, "the profile has no counts of functions of %s",
		       job->builds[OLD]->path);
}

static bool match_all(struct job *job, struct bc_error *err)
{
	bool ok = true;

	parallel_for(job->how->threads, job->pairs.len, match_pair, job);
	if (atomic_load(&job->no_memory))
		return bc_fail_nomem(err);
	for (size_t i = 0; ok && i < job->pairs.len; i++)
		ok = observe_pair(job, &job->pairs.at[i]);
	return (ok && observe_calls(job)) || bc_fail_nomem(err);
}

static bool fail_different(const struct job *job, struct bc_error *err)
{
	const struct carry_build *stripped = stripped_build(job);

	bc_fail(err, BC_MISMATCH,
		"%s has only %.1f %% of the code of %s that was executed, and %.0f %% are needed%s",
		job->builds[NEW]->path, carried_percent(job->figures), job->builds[OLD]->path,
		CARRY_LEAST, stripped ? "" : ": these are different programs");
	return stripped ?
		       hint_stripped(stripped, err) :
		       bc_hint(err, "give two builds of one program: the one that the profile is "
				    "of, then the new one");
}

static bool infer_new(struct job *job, struct profile *out, struct bc_error *err)
{
	struct inferred inferred;
	const struct infer_job how = {.graphs = &job->builds[NEW]->graphs,
				      .threads = job->how->threads,
				      .observed = &job->observed,
				      .calls = &job->calls};

	if (carried_percent(job->figures) < CARRY_LEAST)
		return fail_different(job, err);
	sort_observed(job->observed.at, job->observed.len);
	*out = (struct profile){.binary = &job->builds[NEW]->binary};
	return infer(&how, out, &inferred, err) || bc_fail_prefix(err, job->builds[NEW]->path);
}

static void pair_free(struct carried_pair *pair)
{
	for (int i = OLD; i <= NEW; i++) {
		free(pair->sides[i].tokens);
		free(pair->sides[i].first);
		source_line_vec_free(&pair->sides[i].lines);
	}
	free(pair->match.to);
	free(pair->match.from);
	free(pair->match.ways);
}

static void job_free(struct job *job)
{
	for (unsigned i = 0; i < PARALLEL_MOST; i++)
		llvm_close(&job->llvm[i]);
	for (size_t i = 0; i < job->pairs.len; i++)
		pair_free(&job->pairs.at[i]);
	pair_vec_free(&job->pairs);
	old_counts_free(&job->counts);
	free(job->partners);
	strings_free(&job->sources);
	source_row_vec_free(&job->rows[OLD]);
	source_row_vec_free(&job->rows[NEW]);
	line_pair_vec_free(&job->line_map);
	observed_vec_free(&job->observed);
	observed_call_vec_free(&job->calls);
}

bool carry(const struct carry_job *how, struct profile *out, struct carried_counts *figures,
	   struct bc_error *err)
{
	struct job job = {.how = how,
			  .builds = {how->old_build, how->new_build},
			  .seed = hash_seed(),
			  .figures = figures};

	*figures = (struct carried_counts){0};
	bool ok = check(&job, err) && open_llvm(&job, err) && take_counts(&job, err) &&
		  make_pairs(&job, err) && read_all_tokens(&job, err) &&
		  read_all_lines(&job, err) && match_all(&job, err) && infer_new(&job, out, err);
	job_free(&job);
	return ok;
}

double carried_percent(const struct carried_counts *c)
{
	uint64_t found = 0;

#define X(way, text) found = count_add_saturating(found, c->way.runs);
	CARRIED_WAYS(X)
#undef X
	return percent_of(found, c->runs);
}

double carried_fits_percent(const struct carried_counts *c)
{
	return fits_percent(c->fits, c->misfits);
}
