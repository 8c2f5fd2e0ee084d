/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* memfd_create() */
#undef NDEBUG       /* what is asserted here must be done, too */
#include "tests/support/check_head.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "src/elf/binary.h"

static void check_code(const struct image *head, const struct image *whole, int fd)
{
	size_t count;
	struct code_segment *code = code_segments_of(head, &count);
	struct code_digester digester;
	struct build_id id = {0};
	enum code_digest_step step;

	assert(code);
	assert(code_digest_begin(&digester, fd, head, code, count));
	while ((step = code_digest_step(&digester, &id)) == CODE_DIGEST_MORE)
		;
	assert(step == CODE_DIGEST_DONE);
	const struct build_id all = code_digest_of(whole);
	assert(build_id_equal(&id, &all));
	free(code);
}

static bool is_same_segment(const struct segment *a, const struct segment *b)
{
	return a->vaddr == b->vaddr && a->offset == b->offset && a->memsz == b->memsz &&
	       a->filesz == b->filesz && a->align == b->align && a->executable == b->executable;
}

static void check_same(const struct binary *head, const struct binary *whole, int fd)
{
	assert(head->kind == whole->kind && head->map.head);
	assert(!code_digest(head).size);
	if (head->kind == BINARY_SECTION)
		return;
	assert(head->image.machine == whole->image.machine);
	assert(head->image.segment_count == whole->image.segment_count);
	for (size_t i = 0; i < head->image.segment_count; i++)
		assert(is_same_segment(&head->image.segments[i], &whole->image.segments[i]));
	assert(head->image.section_count == whole->image.section_count);
	assert(build_id_same(&head->image.build_id, &whole->image.build_id));
	check_code(&head->image, &whole->image, fd);
}

bool check_head(struct bytes file)
{
	struct binary head = {0}, whole = {0};
	struct bc_error err = {0}, why = {0};
	int fd = memfd_create("head", MFD_CLOEXEC);

	assert(fd >= 0);
	assert(!file.size || write(fd, file.data, file.size) == (ssize_t)file.size);
	bool ok = binary_read_head(fd, "head", &head, &err);
	bool opened = binary_map_bytes(file, &whole, &why);
	/* Less is looked at in a head, so that less can be wrong with it; its limits are lower. */
	assert(ok || err.code == BC_FORMAT || err.code == BC_UNSUPPORTED);
	if (ok && opened)
		check_same(&head, &whole, fd);
	binary_close(&head);
	binary_close(&whole);
	close(fd);
	return ok;
}
