/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/names.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE ((size_t)1 << 16)

struct name_block {
	struct name_block *previous;
	size_t used, size;
	char text[];
};

/* `size` bytes of the last block, or of a new one. */
static char *names_room(struct names *names, size_t size)
{
	struct name_block *last = names->last;

	if (!last || size > last->size - last->used) {
		size_t capacity = size > BLOCK_SIZE ? size : BLOCK_SIZE;
		if (capacity > SIZE_MAX - sizeof(*last) || !(last = malloc(sizeof(*last) + capacity)))
			return NULL;
		*last = (struct name_block){.previous = names->last, .size = capacity};
		names->last = last;
	}
	last->used += size;
	return last->text + last->used - size;
}

const char *names_join(struct names *names, const char *a, const char *b, const char *c,
		       const char *d)
{
	const char *parts[] = {a, b, c, d};
	size_t lengths[4], total = 1;

	for (int i = 0; i < 4; i++) {
		lengths[i] = parts[i] ? strlen(parts[i]) : 0;
		total += lengths[i];
	}
	if (!work_spend(names->work, WORK_NAMES_MADE, total))
		return NULL;
	char *name = names_room(names, total), *end = name;
	if (!name)
		return NULL;
	for (int i = 0; i < 4; i++) {
		if (lengths[i])
			memcpy(end, parts[i], lengths[i]);
		end += lengths[i];
	}
	*end = '\0';
	return name;
}

void names_free(struct names *names)
{
	while (names->last) {
		struct name_block *block = names->last;
		names->last = block->previous;
		free(block);
	}
}

/* The digits of a number, written backwards from the end of the array. */
static struct digits digits_of(const char *prefix, uint64_t number, unsigned base)
{
	char digits[24];
	char *first = digits + sizeof(digits) - 1;
	struct digits out;

	*first = '\0';
	do {
		*--first = "0123456789abcdef"[number % base];
		number /= base;
	} while (number);
	size_t prefix_size = strlen(prefix);
	memcpy(out.text, prefix, prefix_size);
	memcpy(out.text + prefix_size, first, (size_t)(digits + sizeof(digits) - first));
	return out;
}

struct digits digits_behind_slash(uint32_t number)
{
	return digits_of("/", number, 10);
}

struct digits digits_hex(uint64_t number)
{
	return digits_of("", number, 16);
}
