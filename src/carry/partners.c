/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/carry/partners.h"

#include <stdlib.h>
#include <string.h>

#include "src/elf/function_names.h"

#define SEVERAL (UINT32_MAX - 1)

enum rank { RANK_NONE, RANK_LOCAL, RANK_IN_FILE, RANK_GLOBAL };

struct partner_search {
	const struct carry_build *builds[2]; /* the old one, the new one */
	uint32_t *of;
	unsigned char *rank; /* by old function */
	bool *taken;         /* by new function */
	struct strings stems;
	uint32_t *stem_of[2]; /* by number of a stem: the function that has it, NO_FUNCTION or
				 SEVERAL */
};

static enum rank rank_of(struct text name)
{
	size_t slash = text_find(name, '/');

	if (slash == name.len)
		return RANK_GLOBAL;
	struct text behind = text_behind(name, slash);
	return text_find(behind, '/') == behind.len ? RANK_LOCAL : RANK_IN_FILE;
}

static bool find_named(void *ctx, uint32_t function, struct text name)
{
	struct partner_search *f = ctx;
	const struct function *found = carry_build_named(f->builds[1], name);
	enum rank rank = rank_of(name);

	if (found && found->kind == f->builds[0]->binary.functions.at[function].kind &&
	    rank > f->rank[function]) {
		f->rank[function] = (unsigned char)rank;
		f->of[function] = (uint32_t)(found - f->builds[1]->binary.functions.at);
	}
	return true;
}

/* Gives each new function to the old one that has it by the best name. */
static void settle(struct partner_search *f)
{
	size_t count = f->builds[0]->binary.functions.count;

	for (int rank = RANK_GLOBAL; rank > RANK_NONE; rank--)
		for (size_t i = 0; i < count; i++) {
			if (f->rank[i] != rank)
				continue;
			if (f->taken[f->of[i]])
				f->of[i] = NO_FUNCTION;
			else
				f->taken[f->of[i]] = true;
		}
}

/* Does this function have no partner yet? */
static bool is_free(const struct partner_search *f, int side, size_t function)
{
	return f->builds[side]->binary.functions.at[function].kind == FUNCTION_CODE &&
	       (side ? !f->taken[function] : f->of[function] == NO_FUNCTION);
}

static bool note_stems(struct partner_search *f, int side)
{
	const struct function_table *functions = &f->builds[side]->binary.functions;

	for (size_t i = 0; i < functions->count; i++) {
		uint32_t number;
		char room[NAME_STEM_ROOM];
		if (!is_free(f, side, i))
			continue;
		struct text stem = function_name_stem(text_of(functions->at[i].primary), room);
		if (!strings_intern(&f->stems, stem, &number))
			return false;
		uint32_t *of = &f->stem_of[side][number];
		*of = *of == NO_FUNCTION ? (uint32_t)i : SEVERAL;
	}
	return true;
}

static bool find_by_stems(struct partner_search *f)
{
	size_t most = f->builds[0]->binary.functions.count + f->builds[1]->binary.functions.count;

	for (int side = 0; side < 2; side++) {
		f->stem_of[side] = malloc((most + 1) * sizeof(uint32_t));
		if (!f->stem_of[side])
			return false;
		memset(f->stem_of[side], 0xff, (most + 1) * sizeof(uint32_t));
	}
	if (!note_stems(f, 0) || !note_stems(f, 1))
		return false;
	for (uint32_t i = 1; i < f->stems.len; i++) {
		uint32_t a = f->stem_of[0][i], b = f->stem_of[1][i];
		if (a < SEVERAL && b < SEVERAL)
			f->of[a] = b;
	}
	return true;
}

uint32_t *partners_find(const struct carry_build *old_build, const struct carry_build *new_build)
{
	size_t count = old_build->binary.functions.count;
	struct partner_search f = {
		.builds = {old_build, new_build},
		.of = malloc((count + 1) * sizeof(*f.of)),
		.rank = calloc(count + 1, sizeof(*f.rank)),
		.taken = calloc(new_build->binary.functions.count + 1, sizeof(*f.taken))};
	bool ok = f.of && f.rank && f.taken;

	if (ok) {
		memset(f.of, 0xff, (count + 1) * sizeof(*f.of));
		ok = function_names_each(&old_build->binary.functions, find_named, &f);
	}
	if (ok) {
		settle(&f);
		ok = find_by_stems(&f);
	}
	free(f.rank);
	free(f.taken);
	free(f.stem_of[0]);
	free(f.stem_of[1]);
	strings_free(&f.stems);
	if (!ok) {
		free(f.of);
		f.of = NULL;
	}
	return f.of;
}
