/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/input_heat.h"

#include "src/base/counts.h"
#include "src/base/sort.h"
#include "src/elf/binary.h"

/* Code of the optimised binary from an address on that the input has in one piece, or not at all. */
struct straight {
	uint64_t size;  /* at least 1 */
	bool known;
	uint64_t input; /* where it is there */
};

DEFINE_SEARCH(functions_up_to, struct function, uint64_t, item->address <= key)

/* How far it is to the next function. */
static uint64_t to_next(const struct function_table *table, uint64_t address)
{
	size_t next = functions_up_to(table->at, table->count, address);

	return next < table->count ? table->at[next].address - address : UINT64_MAX;
}

/* Code that lies where it lay.  Old bodies are of the input's functions, whatever the function here is called. */
static void straight_old(const struct pair *pair, uint64_t address, const struct output_place *place, struct straight *out)
{
	struct old_place old = pair_old_place(pair, address);
	const struct function *input = old.input ? old.input : pair_input_of(pair, place->function);

	out->known = input;
	if (input)
		out->input = input->address + (old.input ? old.offset : place->offset);
}

/* Code that BOLT moved, up to the next entry of the table. */
static void straight_moved(const struct pair *pair, const struct output_place *place, struct straight *out)
{
	const struct binary *binary = pair->output;
	const struct bat_entry *entry = bat_entry_at(&binary->bat, place->fragment, place->offset);
	const struct bat_entry *end = binary->bat.entries + place->fragment->first_entry + place->fragment->entry_count;
	const struct bat_entry *next = entry ? entry + 1 : binary->bat.entries + place->fragment->first_entry;
	const struct function *owner = binary_owner(binary, *place);
	const struct function *input = owner ? pair_input_of(pair, owner) : NULL;

	if (next < end && next->output > place->offset && next->output - place->offset < out->size)
		out->size = next->output - place->offset;
	out->known = input;
	if (input)
		out->input = input->address + (entry ? bat_entry_input(*entry) + (place->offset - entry->output) : place->offset);
}

static struct straight straight_at(const struct pair *pair, uint64_t address, const struct function **near)
{
	const struct function_table *table = &pair->output->functions;
	struct output_place place = binary_place(pair->output, (struct vaddr){address}, *near);
	struct straight out = {.size = to_next(table, address)};

	*near = place.function;
	if (!place.function)
		return out;
	uint64_t left = function_extent(table, place.function) - place.offset;
	out.size = left && left < out.size ? left : out.size;
	if (place.fragment)
		straight_moved(pair, &place, &out);
	else
		straight_old(pair, address, &place, &out);
	return out;
}

bool input_heat_take(const struct heat *heat, const struct pair *pair, struct heat *out, uint64_t *lost)
{
	struct heat_edge_vec edges = {0};
	const struct function *near = NULL;
	bool ok = true;

	*lost = 0;
	for (size_t i = 0; ok && i < heat->runs.len; i++) {
		struct heat_run rest = heat->runs.at[i];
		while (ok && rest.count) {
			struct straight code = straight_at(pair, rest.first, &near);
			uint64_t size = code.size < rest.count ? code.size : rest.count;
			bool fits = code.known && code.input <= UINT64_MAX - size;
			if (fits)
				ok = heat_add(&edges, 1, code.input, code.input + size - 1, rest.hits);
			else
				*lost = count_add_saturating(*lost, heat_product(size, rest.hits));
			rest.first += size;
			rest.count -= size;
		}
	}
	ok = ok && heat_of_edges(&edges, 1, out);
	heat_edge_vec_free(&edges);
	return ok;
}
