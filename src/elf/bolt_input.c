/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/bolt_input.h"

#include <elf.h>
#include <string.h>

bool image_has_code_relocations(const struct image *image)
{
	return image_section(image, ".rela.text");
}

static enum bolt_symbols symbols_of(const struct image *image)
{
	const struct section *section = image_section_of_type(image, SHT_SYMTAB);

	if (!section)
		return BOLT_SYMBOLS_NONE;
	struct bytes rest = image_section_bytes(image, section);
	for (; rest.size >= sizeof(Elf64_Sym); rest = bytes_from(rest, sizeof(Elf64_Sym))) {
		bool defined = le16(rest.data + offsetof(Elf64_Sym, st_shndx)) != SHN_UNDEF;
		if (defined && ELF64_ST_TYPE(rest.data[offsetof(Elf64_Sym, st_info)]) == STT_FUNC)
			return BOLT_SYMBOLS_FUNCTIONS;
	}
	return BOLT_SYMBOLS_DATA;
}

static enum bolt_debug debug_of(const struct image *image)
{
	const struct section *info = image_section(image, ".debug_info");

	if (!info)
		return image_section(image, ".zdebug_info") ? BOLT_DEBUG_COMPRESSED :
							      BOLT_DEBUG_NONE;
	return info->flags & SHF_COMPRESSED ? BOLT_DEBUG_COMPRESSED : BOLT_DEBUG_PLAIN;
}

/* .gopclntab, or .data.rel.ro.gopclntab of a position-independent program. */
bool image_is_of_go(const struct image *image)
{
	for (size_t i = 0; i < image->section_count; i++)
		if (text_ends(image->sections[i].name, ".gopclntab"))
			return true;
	return false;
}

struct bolt_input bolt_input_of(const struct image *image)
{
	return (struct bolt_input){
		.machine = image->machine,
		.code = image_has_code(image),
		.kernel = image_is_kernel(image),
		.go = image_is_of_go(image),
		.relocations = image_has_code_relocations(image),
		.symbols = symbols_of(image),
		.build_id = image->build_id.size,
		.debug = debug_of(image),
	};
}

bool bolt_input_will_do(const struct bolt_input *input)
{
	return input->code && !input->go;
}

bool bolt_input_has(const struct bolt_input *input, enum bolt_limit limit)
{
	bool lacks = !input->relocations && !input->kernel && !input->go;

	if (!input->code)
		return limit == BOLT_LIMIT_NO_CODE;
	switch (limit) {
	case BOLT_LIMIT_NO_RELOCATIONS: return lacks;
	case BOLT_LIMIT_AARCH64: return lacks && input->machine == MACHINE_AARCH64;
	case BOLT_LIMIT_RISCV: return lacks && input->machine == MACHINE_RISCV64;
	case BOLT_LIMIT_GO: return input->go;
	case BOLT_LIMIT_KERNEL: return input->kernel;
	case BOLT_LIMIT_STRIPPED: return input->symbols == BOLT_SYMBOLS_NONE;
	case BOLT_LIMIT_NO_FUNCTIONS: return input->symbols == BOLT_SYMBOLS_DATA;
	case BOLT_LIMIT_NO_BUILD_ID: return !input->build_id;
	case BOLT_LIMIT_DEBUG_INFO: return input->debug == BOLT_DEBUG_PLAIN;
	case BOLT_LIMIT_COMPRESSED_DEBUG_INFO: return input->debug == BOLT_DEBUG_COMPRESSED;
	case BOLT_LIMIT_NO_CODE:
	case BOLT_LIMIT_COUNT: break;
	}
	return false;
}

const char *bolt_limit_key(enum bolt_limit limit)
{
#define X(limit, key, text, remedy) key,
	static const char *const keys[] = {BOLT_LIMITS(X)};
#undef X

	return keys[limit];
}

const char *bolt_limit_text(enum bolt_limit limit)
{
#define X(limit, key, text, remedy) text remedy,
	static const char *const texts[] = {BOLT_LIMITS(X)};
#undef X

	return texts[limit];
}

const char *bolt_limit_cause(enum bolt_limit limit)
{
#define X(limit, key, text, remedy) text,
	static const char *const causes[] = {BOLT_LIMITS(X)};
#undef X

	return causes[limit];
}

const char *bolt_limit_remedy(enum bolt_limit limit)
{
#define X(limit, key, text, remedy) remedy,
	static const char *const remedies[] = {BOLT_LIMITS(X)};
#undef X

	const char *remedy = remedies[limit];
	return *remedy ? remedy + strlen("; ") : "";
}
