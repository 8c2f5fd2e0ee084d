/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/plt_calls.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/sort.h"

static bool has_text(struct bytes bytes, const char *text)
{
	size_t size = strlen(text);

	for (; bytes.size >= size; bytes = bytes_from(bytes, 1))
		if (!memcmp(bytes.data, text, size))
			return true;
	return false;
}

/* Notes are short; what is not is no command line. */
#define COMMAND_LINE_MOST ((uint64_t)1 << 20)

static bool may_have_inlined(const struct image *image)
{
	const struct section *info = image_section(image, ".note.bolt_info");

	if (image->machine == MACHINE_RISCV64)
		return false;
	return !info || has_text(bytes_first(image_section_bytes(image, info), COMMAND_LINE_MOST), "-plt=");
}

static bool is_got(const struct image *image, uint64_t address)
{
	const struct section *section = image_section_at(image, (struct vaddr){address});

	return section && text_starts(section->name, ".got");
}

static int by_address(const void *a, const void *b)
{
	const struct plt_slot *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->entry > y->entry) - (x->entry < y->entry);
}

static void add_entries(const struct binary *binary, const struct plt *plt, struct plt_calls *out)
{
	const struct image *image = &binary->image;

	for (size_t i = 0; i < plt->count; i++) {
		const struct plt_entry *entry = &plt->at[i];
		if (!entry->slot || !entry->slot->symbol || !is_got(image, entry->slot->address))
			continue;
		const struct function *f = functions_find(&binary->functions, (struct vaddr){entry->address});
		if (f && f->address == entry->address && f->kind == FUNCTION_PLT)
			out->at[out->count++] = (struct plt_slot){
				entry->slot->address, f, plt_jump_in(image, (struct vaddr){entry->address})};
	}
	if (out->count)
		qsort(out->at, out->count, sizeof(*out->at), by_address);
}

bool plt_calls_open(const struct binary *binary, struct plt_calls *out, struct bc_error *err)
{
	struct got got = {0};
	struct plt plt = {0};

	*out = (struct plt_calls){0};
	if (binary->kind != BINARY_BOLTED || !may_have_inlined(&binary->image))
		return true;
	bool ok = got_read(&binary->image, &got, err) && plt_read(&binary->image, &got, &plt, err);
	if (ok) {
		out->at = calloc(plt.count + 1, sizeof(*out->at));
		ok = out->at || bc_fail_nomem(err);
	}
	if (ok)
		add_entries(binary, &plt, out);
	plt_free(&plt);
	got_free(&got);
	return ok;
}

void plt_calls_close(struct plt_calls *calls)
{
	free(calls->at);
	*calls = (struct plt_calls){0};
}

DEFINE_SEARCH(slots_below, struct plt_slot, uint64_t, item->address < key)

const struct plt_slot *plt_calls_find(const struct plt_calls *calls, const struct image *image, struct vaddr at)
{
	if (!calls->count)
		return NULL;
	uint64_t slot = plt_slot_of(image, at);
	size_t below = slots_below(calls->at, calls->count, slot);
	return slot && below < calls->count && calls->at[below].address == slot ? &calls->at[below] : NULL;
}
