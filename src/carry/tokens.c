/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/carry/tokens.h"

#include <elf.h>
#include <string.h>

#include "src/elf/function_names.h"

#define STRING_MOST ((size_t)64)
#define TEXT_MOST   256
/* Smaller numbers are no addresses of a program that is not position-independent. */
#define ADDRESS_LEAST 4096
/* Others say as much as a name: few instructions have them. */
#define NUMBER_LARGE 0x10000

static uint64_t hash_of(uint64_t hash, struct text text)
{
	return hash_bytes(hash, text.at, text.len);
}

/* A name of data at an address, or an empty text. */
static struct text data_name(const struct symbol_table *symbols, uint64_t at,
			     char room[NAME_STEM_ROOM])
{
	for (size_t i = at ? symbols_above(symbols, at - 1) : 0;
	     i < symbols->count && symbols->at[i].address == at; i++) {
		const struct symbol *s = &symbols->at[i];
		if (s->type != STT_SECTION && *s->name && !s->private_name)
			return function_name_stem(text_of(s->name), room);
	}
	return (struct text){0};
}

/* The string of a section of strings, or an empty text. */
static struct text string_at(const struct image *image, uint64_t at)
{
	const struct section *section = image_section_at(image, (struct vaddr){at});

	if (!section || !(section->flags & SHF_STRINGS))
		return (struct text){0};
	struct bytes bytes = bytes_first(image_bytes_at(image, (struct vaddr){at}), STRING_MOST);
	return (struct text){(const char *)bytes.data,
			     bytes.size ? strnlen((const char *)bytes.data, bytes.size) : 0};
}

/* Adds what an address refers to.  False: nothing that has a name. */
static bool refer(const struct carry_build *build, uint64_t at, uint64_t *hash)
{
	const struct function *function = functions_at(&build->binary.functions, at);
	char room[NAME_STEM_ROOM];
	struct text name = function ? function_name_stem(text_of(function->primary), room) :
				      data_name(&build->binary.functions.symbols, at, room);

	if (!name.len)
		name = string_at(&build->binary.image, at);
	if (name.len)
		*hash = hash_of(*hash, name);
	return name.len;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* What kind of register a word of the operands names, of both machines. */
static char register_kind(struct text word)
{
	bool vector = word.len > 2 && word.at[1] == 'm' && word.at[2] == 'm';
	bool numbered = word.len > 1 && is_digit(word.at[1]);

	return vector ? 'v' : numbered && word.at[0] != 'r' ? word.at[0] : 'r';
}

static uint64_t number_of(struct text digits)
{
	uint64_t value = 0;
	bool hex = text_starts(digits, "0x");

	for (size_t i = hex ? 2 : 0; i < digits.len; i++) {
		char c = digits.at[i];
		value = value * (hex ? 16 : 10) +
			(uint64_t)(is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	return value;
}

static bool is_hex_digit(char c)
{
	return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

/* The number that a text begins with. */
static struct text number_at(struct text text)
{
	size_t len = text_starts(text, "0x") ? 2 : 0;
	bool hex = len;

	while (len < text.len && (hex ? is_hex_digit(text.at[len]) : is_digit(text.at[len])))
		len++;
	return text_first(text, len);
}

struct reading {
	const struct carry_build *build;
	const struct insn *insn;
	uint64_t seed;
	struct token *out;
};

/* A number is an address where the instruction forms one, and in a program that is not
 * position-independent where something is loaded there. */
static void take_number(const struct reading *r, struct text digits)
{
	const struct image *image = &r->build->binary.image;
	uint64_t value = number_of(digits);
	bool absolute = !image->position_independent && value >= ADDRESS_LEAST &&
			image_segment_at(image, (struct vaddr){value});

	if (absolute)
		r->out->refers |= refer(r->build, value, &r->out->exact);
	r->out->exact = absolute || r->insn->target ? hash_mix(r->out->exact, 'X') :
						      hash_of(r->out->exact, digits);
	r->out->refers |= value >= NUMBER_LARGE;
	r->out->shape = hash_mix(r->out->shape, 'n');
}

static void take_operands(const struct reading *r, struct text text)
{
	struct token *out = r->out;

	while (text.len) {
		size_t len = 1;
		if (is_digit(*text.at)) {
			struct text digits = number_at(text);
			len = digits.len;
			take_number(r, digits);
		} else if (is_word(*text.at)) {
			while (len < text.len && (is_word(text.at[len]) || is_digit(text.at[len])))
				len++;
			out->exact = hash_of(out->exact, text_first(text, len));
			out->shape = hash_mix(out->shape,
					      (unsigned char)register_kind(text_first(text, len)));
		} else if (*text.at != ' ') {
			out->exact = hash_mix(out->exact, (unsigned char)*text.at);
			if (*text.at != '-')
				out->shape = hash_mix(out->shape, (unsigned char)*text.at);
		}
		text = text_from(text, len);
	}
}

static void finish(struct token *out)
{
	out->exact = hash_end(out->exact);
	out->shape = hash_end(out->shape);
	out->mnemonic = hash_end(out->mnemonic);
}

/* Only the kind of what ends a line of code: compilers turn conditions round, and the way from one
 * block to another is not the instruction's own. */
static void take_branch(const struct reading *r)
{
	const struct insn *insn = r->insn;
	uint32_t target = targets_of(&r->build->targets, insn);

	*r->out = (struct token){.jump = !insn_is_call(*insn)};
	r->out->mnemonic = r->out->shape = r->out->exact = hash_mix(r->seed, insn->kind);
	if (target != NO_TARGET)
		r->out->refers = refer(r->build, r->build->binary.functions.at[target].address,
				       &r->out->exact);
	finish(r->out);
}

static void read_one(const struct reading *r, const struct llvm_context *llvm, struct bytes code,
		     uint64_t at)
{
	char buffer[TEXT_MOST] = "";

	llvm_text(llvm, code, at, buffer, sizeof(buffer));
	struct text text = text_of(buffer[0] == '\t' ? buffer + 1 : buffer);
	size_t tab = text_find(text, '\t');
	*r->out = (struct token){.mnemonic = hash_of(r->seed, text_first(text, tab))};
	r->out->exact = r->out->shape = r->out->mnemonic;
	take_operands(r, text_behind(text, tab));
	if (r->insn->target)
		r->out->refers |= refer(r->build, r->insn->target, &r->out->exact);
	finish(r->out);
}

void tokens_read(const struct carry_build *build, const struct function *function,
		 const struct insn_vec *insns, const struct llvm_context *llvm, uint64_t seed,
		 struct token *out)
{
	struct bytes code = image_bytes_at(&build->binary.image, (struct vaddr){function->address});

	for (size_t i = 0; i < insns->len; i++) {
		const struct insn *insn = &insns->at[i];
		const struct reading r = {build, insn, seed, &out[i]};
		if (insn_is_direct(*insn) || targets_of(&build->targets, insn) != NO_TARGET)
			take_branch(&r);
		else
			read_one(&r, llvm, bytes_from(code, insn->offset),
				 function->address + insn->offset);
	}
}
