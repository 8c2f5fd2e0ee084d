/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/verify/checks.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/map.h"
#include "src/base/sort.h"
#include "src/elf/eh_frame.h"
#include "src/code/pair.h"

struct checking {
	const struct binary *subject;
	const struct input *input;
	bool dynamic; /* the table is .dynsym, else .symtab */
	struct pair pair;
	struct code_ranges frames; /* of the output's .eh_frame */
	struct symbols_summary *summary;
	struct findings *findings;
};

static const char *table_of(const struct checking *c)
{
	return c->dynamic ? ".dynsym" : ".symtab";
}

static struct finding_location place_of(const struct stored_symbol *out)
{
	struct finding_location location = NO_LOCATION;

	location.function = out->name;
	location.address = out->value;
	return location;
}

static uint8_t type_of(const struct stored_symbol *s)
{
	return ELF64_ST_TYPE(s->info);
}

static bool is_function(const struct stored_symbol *s)
{
	return type_of(s) == STT_FUNC || type_of(s) == STT_GNU_IFUNC;
}

/* Labels that an assembler makes for itself, and mapping symbols: BOLT leaves some of them out, and
 * moves others. */
static bool is_label(enum machine machine, const struct stored_symbol *s)
{
	return !*s->name || (s->name[0] == '.' && s->name[1] == 'L') ||
	       (machine != MACHINE_X86_64 && s->name[0] == '$' && type_of(s) == STT_NOTYPE);
}

static bool is_own(const struct stored_symbol *s)
{
	return !strcmp(s->name, "_end") || text_starts(text_of(s->name), "__hot_") ||
	       text_starts(text_of(s->name), "__bolt_");
}

/* The section of a symbol that is defined in one, or NULL. */
static const struct section *section_of(const struct image *image, const struct stored_symbol *s)
{
	return s->section != SHN_UNDEF && s->section < SHN_LORESERVE ?
		       image_section_of_index(image, s->section) :
		       NULL;
}

/* A label at a section's end is one of it. */
static bool is_in(const struct section *section, uint64_t address)
{
	return section && address - section->addr <= section->size;
}

/* A section keeps its name, or has this before it where BOLT wrote another one of that name. */
#define RENAMED ".bolt.org"

static bool is_renamed(const struct section *of_input, const struct section *of_output)
{
	return text_starts(of_output->name, RENAMED) &&
	       text_equal(text_from(of_output->name, strlen(RENAMED)), of_input->name);
}

/* Has BOLT written a section of data again, and the symbol is in the new one? */
static bool is_reordered(const struct image *output, const struct section *section,
			 const struct stored_symbol *in, const struct stored_symbol *out)
{
	const struct section *other = image_section_at(output, (struct vaddr){out->value});

	if (out->value == in->value || !other || other->addr == section->addr ||
	    !text_equal(other->name, section->name))
		return false;
	for (size_t i = 0; i < output->section_count; i++)
		if (is_renamed(section, &output->sections[i]))
			return true;
	return false;
}

/* Do entries at this location of the output come from an offset of the input?  Blocks without code
 * are there, too. */
static bool leads_to(const struct bat_table *bat, const struct bat_fragment *f, uint32_t offset,
		     uint64_t input)
{
	const struct bat_entry *first = bat->entries + f->first_entry,
			       *e = bat_entry_at(bat, f, offset);

	if (bat_translate(bat, f, offset, false) == input)
		return true;
	for (unsigned i = 0; e && i < 64 && e->output == offset; i++, e--) {
		if (bat_entry_input(*e) == input)
			return true;
		if (e == first)
			break;
	}
	return false;
}

/* The fragment that a symbol lies in or, at its end, in which the code of the symbol would
 * continue.
 */
static bool is_translated(const struct checking *c, uint32_t hot, uint64_t offset, uint64_t address)
{
	const struct bat_table *bat = &c->subject->bat;
	const struct bat_fragment *f = bat_find(bat, address);

	return f && f->parent == hot && address - f->address <= UINT32_MAX &&
	       leads_to(bat, f, (uint32_t)(address - f->address), offset);
}

static void tell_address(struct checking *c, const struct stored_symbol *in,
			 const struct stored_symbol *out, const char *why, uint64_t expected)
{
	c->summary->wrong++;
	findings_add(c->findings, FINDING_SYMBOL_ADDRESS, place_of(out),
		     "%s, input 0x%" PRIx64 ", output: 0x%" PRIx64 "; %s 0x%" PRIx64, table_of(c),
		     in->value, out->value, why, expected);
}

static void tell_size(struct checking *c, const struct stored_symbol *out, const char *what,
		      uint64_t expected)
{
	findings_add(c->findings, FINDING_SYMBOL_SIZE, place_of(out),
		     "%s, %" PRIu64 " byte%s; %s %" PRIu64, table_of(c), out->size,
		     plural(out->size), what, expected);
}

/* A symbol of what BOLT did not move. */
static void check_same(struct checking *c, const struct stored_symbol *in,
		       const struct stored_symbol *out)
{
	if (out->value != in->value) {
		tell_address(c, in, out, "what it names stayed at", in->value);
		return;
	}
	if (out->size == in->size) {
		c->summary->same++;
		return;
	}
	c->summary->wrong++;
	tell_size(c, out, "what it names stayed as it is, and in the input has", in->size);
}

/* llvm-bolt gives entry points within a function no size. */
static bool is_sized(struct checking *c, const struct stored_symbol *in,
		     const struct stored_symbol *out)
{
	if (!out->size || out->size == in->size)
		return true;
	c->summary->wrong++;
	tell_size(c, out, "it is within a function, and in the input has", in->size);
	return false;
}

/* A symbol within a function of the output, by its fragment, at an offset of the input's. */
static void check_within(struct checking *c, const struct stored_symbol *in,
			 const struct stored_symbol *out, uint32_t hot, uint64_t offset)
{
	bool label = !is_function(in);

	if (!c->subject->bat.fragments[hot].entry_count) {
		c->summary->no_map++;
	} else if (is_translated(c, hot, offset, out->value)) {
		if (is_sized(c, in, out))
			c->summary->moved++;
	} else {
		++*(label ? &c->summary->displaced : &c->summary->wrong);
		findings_add(c->findings, label ? FINDING_SYMBOL_LABEL : FINDING_SYMBOL_ADDRESS,
			     place_of(out),
			     "%s, input 0x%" PRIx64 ", output: 0x%" PRIx64 "; it is 0x%" PRIx64
			     " bytes after its function's beginning, and the table has something "
			     "else there",
			     table_of(c), in->value, out->value, offset);
	}
}

/* Where the output has the function that a symbol is in. */
struct counterpart {
	const struct function *input; /* NULL: in none, or the output has none of it */
	uint64_t address;             /* of the output's */
	uint64_t offset;              /* of the symbol in the input's */
	uint32_t fragment;            /* NO_FRAGMENT: it has no table */
};

static struct counterpart counterpart_of(const struct checking *c, const struct stored_symbol *in)
{
	const struct function_table *functions = &c->input->functions;
	const struct function *f = functions_find(functions, (struct vaddr){in->value});
	uint32_t body =
		f && f->kind == FUNCTION_CODE ? c->pair.body_of[f - functions->at] : NO_FUNCTION;

	if (body == NO_FUNCTION)
		return (struct counterpart){.fragment = NO_FRAGMENT};
	return (struct counterpart){f, c->subject->functions.at[body].address,
				    in->value - f->address, c->subject->fragment_of[body]};
}

static void check_code(struct checking *c, const struct stored_symbol *in,
		       const struct stored_symbol *out)
{
	struct counterpart there = counterpart_of(c, in);

	if (!there.input ||
	    (there.address == there.input->address && there.fragment == NO_FRAGMENT))
		check_same(c, in, out);
	else if (there.offset && there.fragment == NO_FRAGMENT)
		c->summary->no_map++;
	else if (there.offset)
		check_within(c, in, out, there.fragment, there.offset);
	else if (out->value == there.address)
		c->summary->moved++;
	else
		tell_address(c, in, out, "its code is at", there.address);
}

static bool is_regular(const struct stored_symbol *s)
{
	return s->section != SHN_UNDEF && s->section < SHN_LORESERVE;
}

/* Is the section that a symbol names the one that holds it, and one of the input's kind?  For code
 * it may be another one.  In .dynsym nobody reads which section it is, and tools leave it as it
 * was. */
static bool has_section(const struct checking *c, const struct section *of_input,
			const struct stored_symbol *in, const struct stored_symbol *out)
{
	const struct section *of_output = section_of(&c->subject->image, out);

	if (!is_regular(in) || !is_regular(out))
		return in->section == out->section;
	if (c->dynamic || type_of(in) == STT_TLS || !is_in(of_input, in->value))
		return true;
	if (!is_in(of_output, out->value))
		return false;
	if (of_input->flags & of_output->flags & SHF_EXECINSTR)
		return true;
	return text_equal(of_output->name, of_input->name) || is_renamed(of_input, of_output);
}

static void check_symbol(struct checking *c, const struct stored_symbol *in,
			 const struct stored_symbol *out)
{
	const struct section *section =
		!is_regular(in) || type_of(in) == STT_TLS ? NULL :
		c->dynamic ? image_section_at(&c->input->image, (struct vaddr){in->value}) :
			     section_of(&c->input->image, in);

	if (!has_section(c, section, in, out)) {
		c->summary->wrong++;
		findings_add(c->findings, FINDING_SYMBOL_ADDRESS, place_of(out),
			     "%s, input 0x%" PRIx64 ", output: 0x%" PRIx64
			     "; section %u is not the one that has it",
			     table_of(c), in->value, out->value, out->section);
	} else if (section && section->flags & SHF_EXECINSTR) {
		check_code(c, in, out);
	} else if (section && is_reordered(&c->subject->image, section, in, out)) {
		c->summary->ordered++;
	} else {
		check_same(c, in, out);
	}
}

/* ---- the same symbol in both tables ---- */

struct listed {
	struct stored_symbols symbols;
	struct keyed *by_name; /* of those that are looked at, in the table's order where they have
				  one name */
	size_t count;
};

static void listed_free(struct listed *l)
{
	stored_symbols_free(&l->symbols);
	free(l->by_name);
}

/* Is it what BOLT calls a cold fragment?  It can have the name of another function. */
static bool is_cold_fragment(const struct bat_table *bat, const struct stored_symbol *s)
{
	const struct bat_fragment *f =
		is_function(s) && s->size ? bat_find_exact(bat, s->value) : NULL;

	return f && f->cold;
}

static bool names_something(const struct stored_symbol *s)
{
	return type_of(s) != STT_SECTION && type_of(s) != STT_FILE && (*s->name || s->value);
}

/* bat: of the output, else NULL */
static bool list(const struct image *image, const struct bat_table *bat, uint32_t type,
		 uint64_t seed, struct listed *out, struct bc_error *err)
{
	if (!symbols_stored(image, type, &out->symbols, err))
		return false;
	out->by_name = malloc((out->symbols.count + 1) * sizeof(*out->by_name));
	if (!out->by_name)
		return bc_fail_nomem(err);
	for (size_t i = 0; i < out->symbols.count; i++) {
		const struct stored_symbol *s = &out->symbols.at[i];
		if (names_something(s) && !(bat && is_cold_fragment(bat, s)))
			out->by_name[out->count++] = (struct keyed){
				hash_end(hash_bytes(
					hash_mix(seed, s->info | (unsigned)s->other << 8), s->name,
					strlen(s->name))),
				i};
	}
	return sort_keyed(out->by_name, out->count) || bc_fail_nomem(err);
}

/* False: it is not to be compared. */
static bool is_compared(struct checking *c, const struct stored_symbol *in)
{
	uint64_t *counts[] = {&c->summary->labels, &c->summary->own};
	bool label = is_label(c->input->image.machine, in);

	c->summary->symbols++;
	if (!label && !is_own(in))
		return true;
	++*counts[!label];
	return false;
}

/* Since release 19 llvm-bolt leaves out local labels within code that it moves. */
static bool is_dropped(const struct checking *c, const struct stored_symbol *in)
{
	struct counterpart there = {.fragment = NO_FRAGMENT};

	if (ELF64_ST_BIND(in->info) == STB_LOCAL && type_of(in) == STT_NOTYPE &&
	    section_of(&c->input->image, in))
		there = counterpart_of(c, in);
	return there.fragment != NO_FRAGMENT && there.offset;
}

/* The name is the input's, which is closed before findings are reported. */
static void tell_lost(struct checking *c, const struct stored_symbol *in)
{
	if (is_dropped(c, in)) {
		c->summary->dropped++;
		return;
	}
	c->summary->lost++;
	findings_add(c->findings, c->dynamic ? FINDING_SYMBOL_UNEXPORTED : FINDING_SYMBOL_LOST,
		     NO_LOCATION, "%s, input 0x%" PRIx64, in->name, in->value);
}

/* The symbol of the output that has the name of each of the input, in the order of the input's
 * table: in the order of names, whose hashes have a seed, findings would come in another order each
 * time.  out: keys are symbols of the input, indices those of the output, or output->symbols.count.
 */
static bool pair_by_name(const struct listed *input, const struct listed *output, struct keyed *out)
{
	for (size_t i = 0, o = 0; i < input->count; i++) {
		const struct keyed *in = &input->by_name[i];
		while (o < output->count && output->by_name[o].key < in->key)
			o++;
		bool there = o < output->count && output->by_name[o].key == in->key;
		out[i] = (struct keyed){in->index,
					there ? output->by_name[o].index : output->symbols.count};
		o += there;
	}
	return sort_keyed(out, input->count);
}

static bool compare_tables_of(struct checking *c, const struct listed *input,
			      const struct listed *output, struct bc_error *err)
{
	struct keyed *pairs = malloc((input->count + 1) * sizeof(*pairs));
	bool ok = pairs && pair_by_name(input, output, pairs);

	for (size_t i = 0; ok && i < input->count; i++) {
		const struct stored_symbol *symbol = &input->symbols.at[pairs[i].key];
		const struct stored_symbol *same = pairs[i].index < output->symbols.count ?
							   &output->symbols.at[pairs[i].index] :
							   NULL;
		if (!is_compared(c, symbol))
			continue;
		if (same && !strcmp(symbol->name, same->name))
			check_symbol(c, symbol, same);
		else
			tell_lost(c, symbol);
	}
	free(pairs);
	return ok || bc_fail_nomem(err);
}

/* ---- sizes of code that moved ---- */

DEFINE_SEARCH(ranges_before, struct code_range, uint64_t, item->address < key)

/* A fragment ends where its FDE does; without one, before the next fragment. */
static void check_fragment_size(struct checking *c, const struct stored_symbol *out,
				const struct bat_fragment *f)
{
	const struct bat_table *bat = &c->subject->bat;
	size_t i = ranges_before(c->frames.at, c->frames.count, f->address);

	c->summary->sizes++;
	if (i < c->frames.count && c->frames.at[i].address == f->address) {
		if (out->size != c->frames.at[i].size)
			tell_size(c, out, "by .eh_frame its code has", c->frames.at[i].size);
	} else if (!out->size) {
		tell_size(c, out, "its code is of a fragment at entry", 0);
	} else if (f + 1 < bat->fragments + bat->fragment_count &&
		   out->size > f[1].address - f->address) {
		tell_size(c, out, "the next fragment begins after", f[1].address - f->address);
	}
}

static void check_sizes(struct checking *c, const struct stored_symbols *output)
{
	for (size_t i = 0; i < output->count; i++) {
		const struct stored_symbol *s = &output->at[i];
		const struct bat_fragment *f = is_function(s) && section_of(&c->subject->image, s) ?
						       bat_find_exact(&c->subject->bat, s->value) :
						       NULL;
		if (f)
			check_fragment_size(c, s, f);
	}
}

static bool check_table(struct checking *c, uint32_t type, bool *of_input, struct bc_error *err)
{
	BC_AUTO(listed_free) struct listed input = {0};
	BC_AUTO(listed_free) struct listed output = {0};
	uint64_t seed = hash_seed();

	c->dynamic = type == SHT_DYNSYM;
	*of_input = true;
	if (!list(&c->input->image, NULL, type, seed, &input, err))
		return false;
	*of_input = false;
	if (!list(&c->subject->image, &c->subject->bat, type, seed, &output, err))
		return false;
	if (output.symbols.count) {
		if (!compare_tables_of(c, &input, &output, err))
			return false;
		check_sizes(c, &output.symbols);
	} else {
		c->summary->symbols += input.count;
		c->summary->no_table += input.count;
	}
	return true;
}

bool check_symbols(const struct binary *subject, const struct input *input,
		   struct symbols_summary *out, struct findings *findings, bool *of_input,
		   struct bc_error *err)
{
	struct checking c = {
		.subject = subject, .input = input, .summary = out, .findings = findings};

	*out = (struct symbols_summary){0};
	*of_input = false;
	bool ok = pair_names(&input->image, &input->functions, subject, &c.pair, err) &&
		  eh_frame_ranges(&subject->image, &c.frames, err) &&
		  check_table(&c, SHT_SYMTAB, of_input, err) &&
		  check_table(&c, SHT_DYNSYM, of_input, err);
	code_ranges_free(&c.frames);
	pair_close(&c.pair);
	return ok;
}
