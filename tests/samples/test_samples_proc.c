/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A process of this machine: its maps, and build-ids in its memory. */
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "src/samples/snapshots.h"
#include "src/samples/maps_text.h"
#include "src/samples/proc.h"
#include "src/base/file.h"
#include "tests/support/build_elf.h"
#include "tests/support/cmocka.h"

static bool read_own(void *ctx, uint64_t at, void *to, size_t size)
{
	const struct bytes *image = ctx;

	if (at < 0x1000 || at - 0x1000 > image->size || size > image->size - (at - 0x1000))
		return false;
	memcpy(to, image->data + (at - 0x1000), size);
	return true;
}

static void build_ids_from_memory(void **state)
{
	struct file_map file;
	struct bc_error err = {0};
	struct build_id id;
	char hex[2 * BUILD_ID_MAX + 1], go[BUILD_ID_GO_MAX];
	size_t go_size = 1;

	(void)state;
	assert_true(file_map(BATCONV_SOURCE_DIR "/inputs/demo/demo.bolt", &file, &err));
	struct bytes bytes = {file.data, file.size};
	struct memory memory = {&bytes, read_own};
	memory_build_ids(&memory, 0x1000, &id, go, &go_size);
	build_id_format(&id, hex);
	assert_string_equal(hex, "e929a35425980001cc18e774cdfb0a9a761d3f92"); /* readelf -n */
	assert_int_equal(go_size, 0);
	memory_build_ids(&memory, 0x2000, &id, go, &go_size); /* no header there */
	assert_int_equal(id.size, 0);
	bytes.size = 100; /* and nothing after it */
	memory_build_ids(&memory, 0x1000, &id, go, &go_size);
	assert_int_equal(id.size, 0);
	file_unmap(&file);
}

/* A header in memory that has notes with a Go build-id, and of a segment. */
static void a_made_header(void **state)
{
	static const char go_id[] = "abc/def/ghi/jkl";
	uint8_t file[0x400] = {0}, *notes = file + 0x200;
	Elf64_Ehdr elf = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB},
			  .e_phoff = 0x40,
			  .e_phentsize = sizeof(Elf64_Phdr),
			  .e_phnum = 2};
	Elf64_Phdr headers[] = {
		{.p_type = PT_NOTE, .p_offset = 0x200, .p_vaddr = 0x7200, .p_align = 4},
		{.p_type = PT_LOAD, .p_vaddr = 0x7000, .p_filesz = sizeof(file)},
	};
	struct bytes bytes = {file, sizeof(file)};
	struct memory memory = {&bytes, read_own};
	struct build_id id;
	char go[BUILD_ID_GO_MAX];
	size_t go_size;

	(void)state;
	size_t size = build_note(notes, "GNU", 3, "\1\2\3\4", 4);
	headers[0].p_filesz = size + build_note(notes + size, "Go", 4, go_id, sizeof(go_id) - 1);
	memcpy(file, &elf, sizeof(elf));
	memcpy(file + 0x40, headers, sizeof(headers));
	memory_build_ids(&memory, 0x1000, &id, go, &go_size);
	assert_int_equal(id.size, 4);
	assert_memory_equal(id.data, "\1\2\3\4", 4);
	assert_int_equal(go_size, sizeof(go_id) - 1);
	assert_memory_equal(go, go_id, go_size);
	memory_build_ids(&memory, 0x1000, &id, NULL, NULL);
	assert_int_equal(id.size, 4);
	/* No segment begins at the header: it is not known where the notes are. */
	headers[1].p_offset = 4096;
	memcpy(file + 0x40, headers, sizeof(headers));
	memory_build_ids(&memory, 0x1000, &id, go, &go_size);
	assert_int_equal(id.size, 0);
	assert_int_equal(go_size, 0);
}

/* For what has no GNU build-id Go's is recorded, and holds the file to it. */
static void a_go_build_id_from_memory(void **state)
{
	static const char go_id[] = "\4\0\0\0\7\0\0\0\4\0\0\0Go\0\0abc/def";
	uint8_t memory_of[0x400] = {0};
	Elf64_Ehdr elf = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB},
			  .e_phoff = 0x40,
			  .e_phentsize = sizeof(Elf64_Phdr),
			  .e_phnum = 2};
	Elf64_Phdr headers[] = {
		{.p_type = PT_NOTE,
		 .p_offset = 0x200,
		 .p_vaddr = 0x200,
		 .p_filesz = 23,
		 .p_align = 4},
		{.p_type = PT_LOAD, .p_filesz = sizeof(memory_of)},
	};
	struct bytes bytes = {memory_of, sizeof(memory_of)};
	struct memory memory = {&bytes, read_own};
	const char *lines =
		"1000-2000 r-xp 00000000 00:01 7 /srv/go\n2000-3000 rw-p 00001000 00:01 7 /srv/go\n";
	struct text rest = text_of(lines);
	struct mapped_files files = {0};
	struct map_set *set = NULL;
	struct bc_error err;
	uint64_t line = 0;

	(void)state;
	memcpy(memory_of, &elf, sizeof(elf));
	memcpy(memory_of + 0x40, headers, sizeof(headers));
	memcpy(memory_of + 0x200, go_id, sizeof(go_id));
	assert_true(maps_text_read(&rest, &line, &files, &set, &err));
	assert_true(proc_build_ids(&memory, &files, &set));
	for (uint64_t at = 0x1000; at < 0x3000; at += 0x1000) {
		uint32_t file = map_set_above(set, at)->file;
		assert_true(text_is(mapped_files_go_id(&files, file), "abc/def"));
		assert_int_equal(mapped_files_build_id(&files, file).len, 0);
		assert_int_equal(mapped_files_id(&files, file).size, 0);
		struct image image = {.go_build_id = text_of("abc/def")};
		assert_int_equal(build_of(&files, file, &image), BUILD_SAME);
		image.go_build_id = text_of("abc/deg");
		assert_int_equal(build_of(&files, file, &image), BUILD_OTHER);
		assert_int_equal(build_of(&files, 0, &image), BUILD_NOT_TOLD);
	}
	map_set_release(set);
	mapped_files_free(&files);
}

/* Many mappings, so that their text takes several reads. */
static void the_own_process(void **state)
{
	enum { PAGES = 2000, PAGE = 4096 };
	struct mapped_files files = {0};
	struct map_set *maps = NULL;
	struct bc_error err = {0};
	uint8_t byte = 0;
	int fd;

	(void)state;
	int zero = open("/dev/zero", O_RDONLY);
	assert_true(zero >= 0);
	uint8_t *pages = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ, MAP_PRIVATE, zero, 0);
	assert_ptr_not_equal(pages, MAP_FAILED);
	for (size_t i = 0; i < PAGES; i += 2)
		assert_int_equal(mprotect(pages + i * PAGE, PAGE, PROT_READ | PROT_WRITE), 0);
	pages[0] = 77;
	if (!proc_maps((uint32_t)getpid(), &files, &maps, &err))
		fail_msg("%s", err.text);
	assert_true(map_set_count(maps) >= PAGES);
	struct memory memory = proc_memory((uint32_t)getpid(), &fd);
	assert_true(fd >= 0);
	assert_true(memory.read(memory.ctx, (uintptr_t)pages, &byte, 1));
	assert_int_equal(byte, 77);
	assert_false(memory.read(memory.ctx, UINT64_C(1) << 63, &byte, 1));
	assert_true(proc_build_ids(&memory, &files, &maps));
	close(fd);
	close(zero);
	munmap(pages, (size_t)PAGES * PAGE);
	map_set_release(maps);
	mapped_files_free(&files);
	char *data;
	size_t size;
	assert_false(proc_maps_text(UINT32_MAX, &data, &size, &err));
	assert_int_equal(err.code, BC_NOTFOUND);
	assert_string_equal(err.text, "no process 4294967295");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(build_ids_from_memory),
		cmocka_unit_test(a_made_header),
		cmocka_unit_test(a_go_build_id_from_memory),
		cmocka_unit_test(the_own_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
