/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/figures.h"

#include <stdlib.h>
#include <string.h>

#include "src/code/cfg.h"

struct dense {
	double density;
	uint64_t samples;
};
DEFINE_VEC(dense_vec, struct dense);

DEFINE_BY_NAME(cold_bytes, uint64_t)

struct taking {
	const struct profile *profile;
	const struct binary *binary;
	const struct executed *executed;
	const struct figures_options *options;
	struct cold_bytes cold;  /* that BOLT split off a function */
	uint64_t *samples;       /* by place in profile->by_name */
	struct dense_vec dense;
	struct figures *out;
};

static void taking_free(struct taking *t)
{
	cold_bytes_free(&t->cold);
	free(t->samples);
	dense_vec_free(&t->dense);
}

/* The beginning of a PLT section counts as a function, its entries do not. */
static bool is_plt_entry(const struct function *f)
{
	return f->kind == FUNCTION_PLT && strstr(f->primary, "@PLT");
}

static void count_functions(const struct taking *t)
{
	for (size_t i = 0; i < t->binary->functions.count; i++)
		t->out->functions += !is_plt_entry(&t->binary->functions.at[i]);
}

static bool note_cold(struct taking *t)
{
	const struct binary *binary = t->binary;
	const struct bat_table *bat = &binary->bat;

	if (!cold_bytes_make(&t->cold, &binary->functions))
		return false;
	for (uint32_t i = 0; i < bat->fragment_count; i++) {
		const struct bat_fragment *f = &bat->fragments[i];
		if (!f->cold || f->parent == BAT_NO_PARENT)
			continue;
		const struct function *parent = binary_fragment_function(binary, f->parent);
		if (parent)
			*cold_bytes_of(&t->cold, functions_name_number(&binary->functions, parent)) +=
				binary_fragment_size(binary, i);
	}
	return true;
}

static bool count_samples(struct taking *t)
{
	const struct profile *profile = t->profile;

	t->samples = calloc(profile->function_count + 1, sizeof(*t->samples));
	for (size_t i = 0; t->samples && i < profile->record_count; i++) {
		struct record record = profile_record(profile, i);
		if (record.kind != RECORD_ENTRY)
			t->samples[profile_owner(profile, i)] += record.count;
	}
	return t->samples;
}

/* Of what BOLT did not split: their own code says if it is understood. */
static bool build_graphs(struct taking *t, struct bc_error *err)
{
	const struct function_table *functions = &t->binary->functions;
	uint32_t *chosen = calloc(t->profile->function_count + 1, sizeof(*chosen));
	size_t count = 0;

	if (!chosen)
		return bc_fail_nomem(err);
	for (size_t i = 0; i < t->profile->function_count; i++) {
		struct name_number name = t->profile->by_name[i];
		struct code_number code;
		if (functions_code_of(functions, name, &code) && functions->at[code.v].kind != FUNCTION_PLT &&
		    !*cold_bytes_of(&t->cold, name))
			chosen[count++] = code.v;
	}
	bool ok = cfg_build(&t->binary->image, functions, chosen, count, t->options->threads, t->options->graphs, err);
	free(chosen);
	t->out->no_disassembler = t->options->graphs->no_disassembler;
	return ok;
}

static bool is_simple(const struct taking *t, struct name_number name, struct code_number code)
{
	if (*cold_bytes_of(&t->cold, name))
		return true; /* not as it is, but the input's function was */
	if (t->options->left_out.at && *code_marks_of(&t->options->left_out, code))
		return false;
	const struct graph *graph = cfg_find(t->options->graphs, &t->binary->functions.at[code.v]);
	return graph && graph->count && !graph->takes_own &&
	       (t->options->strict || !graph->unknown_jumps);
}

static bool note_function(struct taking *t, size_t place)
{
	struct name_number name = t->profile->by_name[place];
	const struct function *f = &t->binary->functions.at[name.v];
	struct code_number code;

	if (is_plt_entry(f) || !functions_code_of(&t->binary->functions, name, &code))
		return true;
	if (!is_simple(t, name, code)) {
		t->out->not_simple++;
		if (t->options->not_simple)
			*name_marks_of(t->options->not_simple, name) = true;
		return true;
	}
	t->out->profiled++;
	uint64_t size = f->size + *cold_bytes_of(&t->cold, name);
	struct dense dense = {size ? (double)*executed_of(t->executed, code) / (double)size : 0, t->samples[place]};
	return dense_vec_push(&t->dense, dense);
}

/* The densest first; of equal ones those with fewer samples. */
static int by_density(const void *left, const void *right)
{
	const struct dense *a = left, *b = right;

	if (a->density != b->density)
		return a->density < b->density ? 1 : -1;
	return (a->samples > b->samples) - (a->samples < b->samples);
}

/* Samples of functions without a fall-through are not counted on. */
static void take_density(struct taking *t)
{
	struct dense_vec *all = &t->dense;
	uint64_t total = 0, seen = 0;

	for (size_t i = 0; i < all->len; i++)
		total += all->at[i].density > 0 ? all->at[i].samples : 0;
	if (all->len)
		qsort(all->at, all->len, sizeof(*all->at), by_density);
	uint64_t cutoff = t->options->cutoff;
	uint64_t most = total / 1000000 * cutoff + total % 1000000 * cutoff / 1000000;
	for (size_t i = 0; i < all->len && seen < most; i++) {
		seen += all->at[i].samples;
		t->out->density = all->at[i].density;
	}
}

bool figures_take(const struct profile *profile, const struct executed *executed,
		  const struct figures_options *options, struct figures *out, struct bc_error *err)
{
	struct taking t = {.profile = profile, .binary = profile->binary, .executed = executed,
			   .options = options, .out = out};

	*out = (struct figures){0};
	count_functions(&t);
	bool ok = ((note_cold(&t) && count_samples(&t)) || bc_fail_nomem(err)) && build_graphs(&t, err);
	for (size_t i = 0; ok && i < profile->function_count; i++)
		ok = note_function(&t, i) || bc_fail_nomem(err);
	if (ok)
		take_density(&t);
	taking_free(&t);
	return ok;
}
