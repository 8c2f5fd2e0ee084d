/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/code/table_references.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/sort.h"

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

/* lea with REX.W; ModRM of a displacement from the next instruction.  p: the opcode */
static bool is_lea(const uint8_t *p)
{
	return (p[-1] & 0xfb) == 0x48 && (p[1] & 0xc7) == 0x05;
}

/* mov with REX.W, or jmp; ModRM with SIB, and SIB of index * 8 without a base */
static bool is_scaled(const uint8_t *p)
{
	return (p[1] & 0xc7) == 0x04 && (p[2] & 0xc7) == 0xc5 && (p[0] == 0x8b || p[1] == 0x24);
}

/* A byte of code at `p` that is an opcode looked for; `left` bytes from it on. */
static bool add_reference(struct scan *s, const uint8_t *p, uint64_t address, bool first, size_t left)
{
	if (*p == 0x8d)
		return first || left < 6 || !is_lea(p) || add(s, address + 6 + displacement(p + 2));
	return left < 7 || !is_scaled(p) || add(s, displacement(p + 3));
}

/* One opcode after the other: memchr() is several times faster than a look at each byte. */
static bool scan_section(struct scan *s, const struct section *section)
{
	static const uint8_t opcodes[] = {0x8d, 0x8b, 0xff};
	struct bytes code = image_section_bytes(s->image, section);
	const uint8_t *end = code.size ? code.data + code.size : NULL;

	for (size_t i = 0; code.size && i < BC_COUNT(opcodes); i++)
		for (const uint8_t *p = code.data; (p = memchr(p, opcodes[i], (size_t)(end - p))); p++)
			if (!add_reference(s, p, section->addr + (uint64_t)(p - code.data), p == code.data,
					   (size_t)(end - p)))
				return false;
	return true;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static bool find(struct table_references *references)
{
	const struct image *image = references->image;
	struct scan s = {.image = image, .functions = references->functions, .out = &references->at};

	for (size_t i = 0; image->machine == MACHINE_X86_64 && i < image->section_count; i++) {
		const struct section *section = &image->sections[i];
		if (section->flags & SHF_EXECINSTR && section->type != SHT_NOBITS &&
		    !scan_section(&s, section))
			return false;
	}
	if (references->at.len)
		qsort(references->at.at, references->at.len, sizeof(*references->at.at), by_value);
	return true;
}

void table_references_init(struct table_references *references, const struct image *image,
			   const struct function_table *functions)
{
	*references = (struct table_references){.image = image, .functions = functions};
	pthread_mutex_init(&references->lock, NULL);
}

void table_references_free(struct table_references *references)
{
	pthread_mutex_destroy(&references->lock);
	address_vec_free(&references->at);
}

static bool find_once(struct table_references *references)
{
	bool ok = true;

	if (atomic_load_explicit(&references->found, memory_order_acquire))
		return true;
	pthread_mutex_lock(&references->lock);
	if (!references->found) {
		references->at.len = 0; /* memory may have run out the last time */
		ok = find(references);
		atomic_store_explicit(&references->found, ok, memory_order_release);
	}
	pthread_mutex_unlock(&references->lock);
	return ok;
}

DEFINE_SEARCH(addresses_above, uint64_t, uint64_t, *item <= key)

bool table_reference_above(struct table_references *references, uint64_t address, uint64_t *out)
{
	if (!find_once(references))
		return false;
	size_t i = addresses_above(references->at.at, references->at.len, address);
	*out = i < references->at.len ? references->at.at[i] : UINT64_MAX;
	return true;
}
