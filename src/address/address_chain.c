/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/address/address_chain.h"

#include "src/elf/binary.h"

static bool open_input(const char *path, const struct debug_dirs *dirs, struct subject *subject,
		       struct bc_error *err)
{
	if (!path)
		return true;
	if (!binary_open_parts(path, &(struct binary_parts){.debug = dirs}, &subject->input, err))
		return false;
	subject->has_input = true;
	return places_init(&subject->input_places, &subject->input) || bc_fail_nomem(err);
}

bool subject_open(const char *binary, const char *input, const struct debug_dirs *dirs,
		  struct subject *out, struct bc_error *err)
{
	*out = (struct subject){0};
	if (!binary_open_debug(binary, dirs, &out->binary, err))
		return false;
	if ((places_init(&out->places, &out->binary) || bc_fail_nomem(err)) &&
	    open_input(input, dirs, out, err))
		return true;
	subject_close(out);
	return false;
}

void subject_close(struct subject *subject)
{
	places_free(&subject->places);
	places_free(&subject->input_places);
	binary_close(&subject->binary);
	binary_close(&subject->input);
	*subject = (struct subject){0};
}

/* The function has the same name in the input binary. */
static void find_input_vaddr(const struct subject *subject, struct address_chain *chain)
{
	size_t count;

	if (!chain->input.function)
		return;
	if (subject->binary.kind == BINARY_UNTOUCHED) {
		chain->has_input_vaddr = true;
		chain->input_vaddr = chain->vaddr;
		return;
	}
	if (!subject->has_input)
		return;
	const struct named_place *named = places_named(
		&subject->input_places, text_of(chain->input.function->printed), &count);
	if (!named)
		named = places_named(&subject->input_places,
				     text_of(chain->input.function->primary), &count);
	if (!named)
		return;
	chain->has_input_vaddr = true;
	chain->input_vaddr.v =
		subject->input.functions.at[named->function].address + chain->input.offset;
}

struct address_chain address_chain_of_vaddr(const struct subject *subject, struct vaddr at)
{
	const struct binary *binary = &subject->binary;
	struct address_chain chain = {
		.has_vaddr = true,
		.vaddr = at,
		.segment = image_segment_at(&binary->image, at),
		.section = image_section_at(&binary->image, at),
		.place = binary_place(binary, at, NULL),
	};

	chain.has_offset = image_to_offset(&binary->image, at, &chain.offset);
	chain.orphan = !binary_translate(binary, chain.place, false, &chain.input);
	find_input_vaddr(subject, &chain);
	return chain;
}

struct address_chain address_chain_of_run(const struct subject *subject,
					  const struct loaded_at *process, struct run_addr at)
{
	const struct mapping *mapping = process->maps ? maps_find(process->maps, at) : NULL;
	struct address_chain chain;
	uint64_t base;

	if (!process->maps && process->loads.all.len)
		base = process->loads.all.at[0].base;
	else if (!mapping ||
		 mapped_files_at(process->files, mapping->file)->path != process->path ||
		 !loads_base(&process->loads, &subject->binary.image, mapping, &base))
		return (struct address_chain){.has_run = true, .run = at, .mapping = mapping};
	chain = address_chain_of_vaddr(subject, (struct vaddr){at.v - base});
	chain.has_run = true;
	chain.run = at;
	chain.base = base;
	chain.mapping = mapping;
	return chain;
}

void address_chain_add_run(struct address_chain *chain, const struct loaded_at *process,
			   size_t load)
{
	chain->base = process->loads.all.at[load].base;
	chain->run.v = chain->vaddr.v + chain->base;
	chain->has_run = true;
	chain->mapping = process->maps ? maps_find(process->maps, chain->run) : NULL;
}

bool loaded_at_base(struct loaded_at *process, uint64_t base)
{
	return load_vec_push(&process->loads.all, (struct load){.base = base});
}
