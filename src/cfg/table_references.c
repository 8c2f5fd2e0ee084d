/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cfg/table_references.h"

#include <elf.h>
#include <stdlib.h>

#define TABLE_ALIGN 4

struct scan {
	const struct image *image;
	const struct function_table *functions;
	const struct section *section; /* where the last one was */
	struct address_vec *out;
};

static uint64_t displacement(const uint8_t *p)
{
	return (uint64_t)(int64_t)(int32_t)le32(p);
}

static bool is_code(const struct scan *s, uint64_t address)
{
	const struct function *f = functions_find(s->functions, (struct vaddr){address});

	return f && address - f->address < f->size;
}

/* Does the first word there lead to code, as a distance from there or as an address? */
static bool is_table(const struct scan *s, uint64_t address)
{
	if (!s->section || s->section->type == SHT_NOBITS || s->section->flags & SHF_EXECINSTR)
		return false;
	struct bytes bytes = bytes_from(image_section_bytes(s->image, s->section),
					address - s->section->addr);
	return (bytes.size >= 4 && is_code(s, address + displacement(bytes.data))) ||
	       (bytes.size >= 8 && is_code(s, le64(bytes.data)));
}

static bool add(struct scan *s, uint64_t address)
{
	if (address % TABLE_ALIGN)
		return true;
	if (!s->section || address - s->section->addr >= s->section->size)
		s->section = image_section_at(s->image, (struct vaddr){address});
	return !is_table(s, address) || address_vec_push(s->out, address);
}

/* lea with REX.W, ModRM of a displacement from the next instruction */
static bool is_lea(const uint8_t *p)
{
	return p[1] == 0x8d && (p[0] & 0xfb) == 0x48 && (p[2] & 0xc7) == 0x05;
}

/* mov with REX.W, or jmp; ModRM with SIB, and SIB of index * 8 without a base */
static bool is_scaled(const uint8_t *p)
{
	if (p[0] == 0x8b)
		return (p[1] & 0xc7) == 0x04 && (p[2] & 0xc7) == 0xc5;
	return p[0] == 0xff && p[1] == 0x24 && (p[2] & 0xc7) == 0xc5;
}

static bool scan_section(struct scan *s, const struct section *section)
{
	struct bytes code = image_section_bytes(s->image, section);
	const uint8_t *p = code.data;

	for (size_t i = 0; i + 7 <= code.size; i++) {
		if (is_lea(p + i) && !add(s, section->addr + i + 7 + displacement(p + i + 3)))
			return false;
		if (is_scaled(p + i) && !add(s, displacement(p + i + 3)))
			return false;
	}
	return true;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void sort(struct address_vec *v)
{
	size_t count = 0;

	if (v->len)
		qsort(v->at, v->len, sizeof(*v->at), by_value);
	for (size_t i = 0; i < v->len; i++)
		if (!count || v->at[count - 1] != v->at[i])
			v->at[count++] = v->at[i];
	v->len = count;
}

bool table_references_find(const struct image *image, const struct function_table *functions,
			   struct address_vec *out)
{
	struct scan s = {.image = image, .functions = functions, .out = out};

	for (size_t i = 0; image->machine == MACHINE_X86_64 && i < image->section_count; i++) {
		const struct section *section = &image->sections[i];
		if (section->flags & SHF_EXECINSTR && section->type != SHT_NOBITS &&
		    !scan_section(&s, section))
			return false;
	}
	sort(out);
	return true;
}

uint64_t table_reference_above(const struct address_vec *references, uint64_t address)
{
	size_t low = 0, high = references->len;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (references->at[mid] <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low < references->len ? references->at[low] : UINT64_MAX;
}
