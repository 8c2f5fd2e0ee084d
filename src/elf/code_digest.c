/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/code_digest.h"

#include "src/base/digest.h"

static void add_number(struct sha256 *sha, uint64_t number)
{
	uint8_t bytes[8];

	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(number >> 8 * i);
	sha256_add(sha, bytes, sizeof(bytes));
}

struct build_id code_digest(const struct binary *binary)
{
	const struct image *image = &binary->image;
	struct build_id id = {.size = SHA256_SIZE};
	struct sha256 sha;

	if (binary->map.digest.size == SHA256_SIZE)
		return binary->map.digest;
	sha256_begin(&sha);
	sha256_add(&sha, image->file.data + 4, 1);  /* EI_CLASS */
	sha256_add(&sha, image->file.data + 18, 2); /* e_machine */
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct segment *s = &image->segments[i];
		if (!s->executable)
			continue;
		add_number(&sha, s->vaddr);
		add_number(&sha, s->filesz);
		sha256_add(&sha, image->file.data + s->offset, s->filesz);
	}
	sha256_end(&sha, id.data);
	return id;
}
